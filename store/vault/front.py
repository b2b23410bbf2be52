"""An entry's text as lines: where the front matter stands, and edits that touch one line (`spec/bank.md` §3.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from store.errors import BadInput

FENCE = "---"
BOM = "\ufeff"
LARGEST_FRONT = 64 * 1024
"""Bytes of front matter that are read or written at all (`decisions.md` §3.4)."""

ORDER = (
    *("type", "subject", "statement", "confidence", "created", "updated", "tags", "immutable", "scope", "owner"),
    *("source", "weight", "access_count", "last_accessed", "feedback_net", "hit_days", "hit_queries"),
    *("label", "project", "evidence"),
)
"""Known keys in write order (`spec/bank.md` §3.3), then those that only we know; the engine keeps them."""
RANK = {key: rank for rank, key in enumerate(ORDER)}


@dataclass(frozen=True, slots=True)
class Front:
    """A text in pieces that join to exactly what was read. `lines` is None where there is no front matter."""

    head: str
    lines: tuple[str, ...] | None
    fence: str
    body: str

    @property
    def text(self) -> str:
        """All pieces joined."""
        return "".join((self.head, *(self.lines or ()), self.fence, self.body))

    @property
    def newline(self) -> str:
        """The line end that this text uses."""
        text = self.head if self.lines is not None else self.body
        return "\r\n" if text[: text.find("\n") + 1].endswith("\r\n") else "\n"


def decode(data: bytes, errors: str) -> str:
    """The text of a file. Raises `BadInput` when it holds zero bytes: then it is no text at all."""
    if b"\0" in data:
        raise BadInput("The file is not text (it holds zero bytes); restore it from a backup, or move it away.")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("utf-8", errors)


def find_block(text: str) -> tuple[int, int, int] | None:
    """Where the front matter starts and ends and where the body starts; None when the text has none.

    The text starts with `---`, optional white space and a newline (a byte-order mark before it is passed over); the
    block ends at the first later line that starts with `---`; an empty block is none (`spec/bank.md` §3.1).
    """
    start = len(BOM) if text.startswith(BOM) else 0
    if not text.startswith(FENCE, start):
        return None
    line_end = text.find("\n", start)
    if line_end < 0 or text[start + 3 : line_end].strip():
        return None
    close = text.find("\n---", line_end)
    if close in {-1, line_end}:
        return None
    if _too_long(text[line_end + 1 : close + 1]):
        raise BadInput("The front matter is longer than 64 KiB; move the long text below the closing ---.")
    return line_end + 1, close + 1, _body_start(text, close + 1)


def is_open(text: str) -> bool:
    """Whether a text starts a front matter that no line closes: half written, or broken."""
    bare = text.removeprefix(BOM)
    line_end = bare.find("\n")
    opening = bare[:line_end] if line_end >= 0 else bare
    return opening.rstrip() == FENCE and (line_end < 0 or bare.find("\n---", line_end) < 0)


def split(text: str) -> Front:
    """The pieces of a text."""
    block = find_block(text)
    if block is None:
        head = BOM if text.startswith(BOM) else ""
        return Front(head, None, "", text[len(head) :])
    start, end, body = block
    return Front(text[:start], tuple(_lines(text[start:end])), text[end:body], text[body:])


def key_of(line: str) -> str:
    """The key of a line, "" for a line without one."""
    key, colon, _ = line.partition(":")
    return key.strip() if colon else ""


def raw_values(lines: tuple[str, ...]) -> dict[str, str]:
    """Trimmed values by key as they stand in the lines; of a repeated key the last."""
    found: dict[str, str] = {}
    for line in lines:
        key, colon, value = line.partition(":")
        if colon and (key := key.strip()):
            found[key] = value.strip()
    return found


def new_front(values: Mapping[str, str | None]) -> Front:
    """A front matter with these lines, in this order; a value of None has none."""
    lines = tuple(f"{key}: {value}\n" for key, value in values.items() if value is not None)
    return _checked(Front("---\n", lines, "---\n", ""))


def with_values(front: Front, changes: Mapping[str, str | None]) -> Front:
    """The text with other values in the lines of these keys; a key that is missing gets its place, None goes."""
    lines = list(front.lines or ())
    for key, value in changes.items():
        places = [index for index, line in enumerate(lines) if key_of(line) == key]
        if value is None:
            lines = [line for index, line in enumerate(lines) if index not in places]
        elif places:
            lines[places[-1]] = _relined(lines[places[-1]], value)
        else:
            lines.insert(_place(lines, key), f"{key}: {value}{front.newline}")
    return _checked(replace(front, lines=tuple(lines)))


def with_body(front: Front, body: str) -> Front:
    """The text with another body: the blank lines before it and the way the file ends stay (bank-D04)."""
    newline = front.newline
    old = front.body
    before = old[: len(old) - len(old.lstrip("\r\n"))] if old.strip("\r\n") else ""
    ends = newline if not old.strip("\r\n") or old.endswith("\n") else ""
    text = body.replace("\r\n", "\n").strip("\n").replace("\n", newline)
    fence = front.fence if front.lines is None or front.fence.endswith("\n") else front.fence + newline
    return replace(front, fence=fence, body=f"{before}{text}{ends}" if text else "")


def _checked(front: Front) -> Front:
    if _too_long("".join(front.lines or ())):
        raise BadInput("The front matter would be longer than 64 KiB; shorten the statement and keep the rest as body.")
    return front


def _too_long(block: str) -> bool:
    """Whether a block passes the limit in bytes; no character takes more than four."""
    return len(block) * 4 > LARGEST_FRONT and len(block.encode("utf-8", "surrogatepass")) > LARGEST_FRONT


def _body_start(text: str, close: int) -> int:
    """Where the body starts: after the fence's line, or one character after the fence when text follows it there."""
    line_end = text.find("\n", close)
    if line_end < 0:
        line_end = len(text) - 1
    return min(close + 4, len(text)) if text[close + 3 : line_end].strip() else line_end + 1


def _lines(block: str) -> list[str]:
    return [f"{line}\n" for line in block.split("\n")[:-1]]


def _relined(line: str, value: str) -> str:
    """A line with another value; its key, the space after the colon and its line end stay."""
    colon = line.index(":") + 1
    rest = line[colon:]
    space = rest[: len(rest) - len(rest.lstrip(" \t"))] or " "
    return f"{line[:colon]}{space}{value}{_line_end(line)}"


def _line_end(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else "\n"


def _place(lines: list[str], key: str) -> int:
    """Where a new key's line belongs: after the last known key that stands before it in §3.3, unknown keys last."""
    rank = RANK.get(key)
    if rank is None:
        return len(lines)
    before = [index for index, line in enumerate(lines) if RANK.get(key_of(line), rank) < rank]
    return before[-1] + 1 if before else 0
