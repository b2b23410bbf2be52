"""Text from outside as plain text that cannot act on a terminal: for commands, and under the screens' gate.

Control and invisible characters become one visible character each, so offsets into the text stay what they were.
"""

from __future__ import annotations

REPLACED = "�"
TAB_WIDTH = 4
ROW_CHARACTERS = 2_000
"""A row never looks further into a text than this, so a line of 256 KiB costs what a short one does."""


def _visible() -> dict[int, str]:
    """Characters that a terminal would obey or hide, each with the sign that is shown for it."""
    table = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"}
    table[0x7F] = "␡"
    hidden = [
        (0x80, 0x9F),  # C1, among them one-byte CSI and OSC
        (0xAD, 0xAD),  # soft hyphen
        (0x061C, 0x061C),  # Arabic letter mark
        (0x115F, 0x1160),  # Hangul fillers, blank and wide
        (0x180E, 0x180E),
        (0x200B, 0x200B),  # zero-width space; the joiners U+200C and U+200D stay, scripts and emoji need them
        (0x200E, 0x200F),  # direction marks
        (0x2028, 0x202E),  # line separators, direction overrides
        (0x2060, 0x206F),  # invisible operators, direction isolates
        (0x3164, 0x3164),
        (0xFEFF, 0xFEFF),
        (0xFFA0, 0xFFA0),
        (0xFFF9, 0xFFFB),
        (0xE0000, 0xE007F),  # tags: text that no person can see
        (0xD800, 0xDFFF),  # lone surrogates cannot be encoded
    ]
    for first, last in hidden:
        table.update(dict.fromkeys(range(first, last + 1), REPLACED))
    return table


_VISIBLE = _visible()
_ROW = _VISIBLE | {ord("\t"): " ", ord("\n"): " ", ord("\r"): " "}


def literal(text: str) -> str:
    """Text of several lines that cannot talk to the terminal: line ends are `\\n`, tabs spaces."""
    if text.isascii() and text.isprintable():
        return text
    return text.replace("\r\n", "\n").translate(_VISIBLE).expandtabs(TAB_WIDTH)


def editable(text: str) -> str:
    """The same for a field that a person edits: tabs stay, since they are saved again."""
    return text.replace("\r\n", "\n").translate(_VISIBLE)


def pasted(text: str) -> str:
    """What a terminal hands over as a paste, with its lines: most send a carriage return for the end of a line."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def altered(text: str) -> bool:
    """Whether an edit field cannot show this text exactly, so that saving it would store what is shown instead."""
    return editable(text) != text


def one_line(text: str, limit: int = ROW_CHARACTERS) -> str:
    """Text for one row: white space of any kind is one space, at most `limit` characters are looked at."""
    text = text[:limit]
    if not (text.isascii() and text.isprintable()):
        text = text.translate(_ROW)
    return " ".join(text.split())


def preview(text: str, limit: int) -> tuple[str, int]:
    """The first `limit` characters of a long text, at a line end where one is near, and how many are left out."""
    if len(text) <= limit:
        return text, 0
    end = text.rfind("\n", limit * 3 // 4, limit)
    end = limit if end < 0 else end
    return text[:end], len(text) - end


def count(number: int, one: str, many: str = "") -> str:
    """`1 memory`, `5,214 memories`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
