"""Taking off what tools wrap around a person's words (`spec/formats.md` §1.2). The table is data: `envelopes.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from pipeline.formats.own import Fault, load_table
from pipeline.formats.session import Author
from store.places import config_home

DOUBTFUL = "doubtful"
"""How the reason of a block begins that may be injected and may be typed: kept, never evidence (§1.2, rule 5)."""
FILE = "envelopes.toml"
TRAILING_LIMIT = 32
"""Envelopes taken off the end of a block; a block with more is no message that a person would type."""
INDENT = 256
"""Blanks that may stand before an envelope which begins a line."""

_BLANK = "[\\s\u200b\u200c\u200d\u2060\ufeff\x00]*+"
_BLANKS = re.compile(_BLANK)
_NEVER = re.compile(r"(?!)")
_KEYS = {"family", "reason", "author", "tag", "begins", "ends", "through", "pattern", "trailing"}
_ENVELOPE_AUTHORS = frozenset(Author) - {Author.TYPED, Author.CHOSEN, Author.MODEL}


@dataclass(frozen=True, slots=True)
class Envelope:
    """One line of the table. `opens` matches its first words, `whole` all of it (tags are balanced in code instead)."""

    family: str
    reason: str
    author: Author
    name: str
    opens: re.Pattern[str]
    whole: re.Pattern[str]
    tag: re.Pattern[str] | None = None
    trailing: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a block with its author. For envelopes `text` is what they hold, `name` their tag or first words."""

    author: Author
    text: str
    reason: str = ""
    name: str = ""


class Table(tuple[Envelope, ...]):
    """Envelopes in their order, with a pattern for each question that nearly every block answers with no."""

    @cached_property
    def opening(self) -> re.Pattern[str]:
        """Matches where one of them may open, the blanks before it included."""
        return re.compile(rf"{_BLANK}(?:{'|'.join(item.opens.pattern for item in self)})", re.IGNORECASE)

    @cached_property
    def trailing(self) -> tuple[Envelope, ...]:
        """Those that are also taken off the end of a block."""
        return tuple(item for item in self if item.trailing)

    def may_end(self, text: str, end: int) -> bool:
        """Whether one of these may end at a position: a tag is closed there, or the words of one begin a line.

        Not the first line: what opens there was taken off from the front.
        """
        return text.endswith(">", 0, end) or self._words.search(text, 0, end) is not None

    @cached_property
    def _words(self) -> re.Pattern[str]:
        """Found where trailing words begin a line behind another."""
        words = "|".join(item.opens.pattern for item in self.trailing if item.tag is None) or _NEVER.pattern
        return re.compile(rf"\n[ \t]*+(?:{words})", re.IGNORECASE)


def load(extra: Path | None = None) -> Table:
    """The table of envelopes, with the entries of the person's own file `extra` behind it where that exists.

    Raises `BadInput` with the line when that file cannot be understood: text that a tool added must not count as the
    person's because of a slip in a table.
    """
    if extra is None or not extra.is_file():
        return _packaged()
    return Table(_packaged() + load_table(extra, _entries))


def own_file() -> Path:
    """Where a person's own envelopes stand."""
    return config_home() / FILE


@cache
def _packaged() -> Table:
    return _entries(tomllib.loads(files("pipeline.formats").joinpath(FILE).read_text(encoding="utf-8")))


def _entries(data: dict[str, Any]) -> Table:
    for key in data.keys() - {"envelope"}:
        raise Fault(f"{key} is not known here; write each entry as [[envelope]]", key)
    entries = data.get("envelope", [])
    if not isinstance(entries, list):
        raise Fault("write each entry as [[envelope]]", "envelope")
    return Table(_envelope(entry, place) for place, entry in enumerate(entries))


def _envelope(entry: Any, place: int) -> Envelope:
    if not isinstance(entry, dict):
        raise Fault("write each entry as [[envelope]]", "envelope")
    for key, value in entry.items():
        if key not in _KEYS:
            raise Fault(
                f"{key} is not known here; an entry may hold {', '.join(sorted(_KEYS))}", "envelope", place, key
            )
        if key != "trailing" and not isinstance(value, str):
            raise Fault(f"{key} is a text in quotes", "envelope", place, key)
    name = str(entry.get("tag") or entry.get("begins") or "")
    if not name or ("tag" in entry) == ("begins" in entry):
        raise Fault("an entry needs either tag or begins", "envelope", place)
    family = entry.get("family", "own")
    tag = _tag(name) if "tag" in entry else None
    opens = re.compile(rf"<{re.escape(name)}(?=[\s>/]|$)" if tag else re.escape(name), re.IGNORECASE)
    whole = _NEVER if tag else _whole(entry, place)
    trailing = bool(entry.get("trailing", False))
    return Envelope(family, str(entry.get("reason", family)), _author(entry, place), name, opens, whole, tag, trailing)


def _author(entry: dict[str, str], place: int) -> Author:
    named = entry.get("author", Author.INJECTED.value)
    if named not in set(Author):
        raise Fault(
            f"{named!r} is no author; there are {', '.join(sorted(_ENVELOPE_AUTHORS))}", "envelope", place, "author"
        )
    if Author(named) not in _ENVELOPE_AUTHORS:
        raise Fault(f"what a tool wrote cannot have the author {named}", "envelope", place, "author")
    return Author(named)


def _tag(name: str) -> re.Pattern[str]:
    return re.compile(rf"<(?P<close>/?)\s*{re.escape(name)}(?:\s[^<>]*)?(?P<empty>/?)>", re.IGNORECASE)


def _whole(entry: dict[str, Any], place: int) -> re.Pattern[str]:
    begins = re.escape(entry["begins"])
    if "pattern" in entry:
        try:
            return re.compile(entry["pattern"], re.IGNORECASE)
        except (re.error, RecursionError) as error:
            raise Fault(f"pattern is no regular expression ({error})", "envelope", place, "pattern") from error
    if "ends" in entry:
        return re.compile(rf"{begins}.*{re.escape(entry['ends'])}", re.IGNORECASE | re.DOTALL)
    reach = {"line": r"[^\n]*", "mark": "", "block": r"(?s:.*)"}
    if entry.get("through", "block") not in reach:
        raise Fault('through is "line", "mark" or "block"', "envelope", place, "through")
    return re.compile(begins + reach[entry.get("through", "block")], re.IGNORECASE)


def pieces(text: str, table: Table) -> tuple[Piece, ...]:
    """One text block split by author: its leading and trailing envelopes, and between them what the person typed.

    What is left is trimmed; nothing is left when the block is injected whole. A block that opens an envelope without
    closing it, or closes one that it did not open, is doubtful: injected, with a reason that begins with `DOUBTFUL`.
    """
    front, rest, tags = _leading(text, table)
    opened = _unclosed(rest, table)
    if opened is not None:
        return (*_join_commands(front), Piece(Author.INJECTED, rest, f"{DOUBTFUL}: {opened.name} is not closed"))
    if any(_stray_close(rest, item) for item in tags):
        return (*_join_commands(front), Piece(Author.INJECTED, rest, f"{DOUBTFUL}: closes what was closed before"))
    rest, back = _trailing(rest, table)
    if len(back) == TRAILING_LIMIT:
        rest_piece = Piece(Author.INJECTED, rest, f"{DOUBTFUL}: more than {TRAILING_LIMIT - 1} envelopes behind it")
        return (*_join_commands(front), rest_piece, *back)
    typed = (Piece(Author.TYPED, rest),) if rest else ()
    return (*_join_commands(front), *typed, *back)


def _leading(text: str, table: Table) -> tuple[list[Piece], str, set[Envelope]]:
    """The complete envelopes at the start, the trimmed rest, and those of them that are tags."""
    front: list[Piece] = []
    tags: set[Envelope] = set()
    end = 0
    while table.opening.match(text, end) and (found := _complete(text, _past_blank(text, end), table)):
        envelope, inner, end = found
        front.append(Piece(envelope.author, inner.strip(), envelope.reason, envelope.name))
        if envelope.tag is not None:
            tags.add(envelope)
    return front, text[end:].strip(), tags


def _unclosed(text: str, table: Table) -> Envelope | None:
    """The envelope that opens at the start of what is left once the complete ones are off."""
    if not table.opening.match(text):
        return None
    begin = _past_blank(text, 0)
    return next((item for item in table if item.opens.match(text, begin)), None)


def _past_blank(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _complete(text: str, at: int, table: Table) -> tuple[Envelope, str, int] | None:
    """The envelope that begins at a position and is closed: itself, what it holds, and where it ends."""
    for envelope in table:
        if not envelope.opens.match(text, at):
            continue
        if envelope.tag is not None:
            span = _balanced(text, at, envelope.tag)
            if span is not None:
                return envelope, text[span[0] : span[1]], span[2]
        elif hit := envelope.whole.match(text, at):
            return envelope, hit[0], hit.end()
    return None


def _balanced(text: str, at: int, tag: re.Pattern[str]) -> tuple[int, int, int] | None:
    """Where the inside of the tag at `at` begins and ends, and where the tag ends; tags of its own name nest."""
    first = tag.match(text, at)
    if first is None or first["close"]:
        return None
    depth = 0
    for hit in tag.finditer(text, at):
        depth += 0 if hit["empty"] else -1 if hit["close"] else 1
        if depth == 0:
            return (first.end(), max(first.end(), hit.start()), hit.end())
    return None


def _stray_close(text: str, envelope: Envelope) -> bool:
    depth = 0
    for hit in envelope.tag.finditer(text) if envelope.tag else ():
        depth += 0 if hit["empty"] else -1 if hit["close"] else 1
        if depth < 0:
            return True
    return False


def _trailing(text: str, table: Table) -> tuple[str, list[Piece]]:
    """The text without the envelopes that end it, each of which must begin a line; and these, in order."""
    back: list[Piece] = []
    spans: dict[str, dict[int, int]] = {}
    end = len(text)
    while len(back) < TRAILING_LIMIT and table.may_end(text, end):
        found = next(filter(None, (_last(text, end, item, spans) for item in table.trailing)), None)
        if found is None:
            break
        begin, piece = found
        back.insert(0, piece)
        end = len(text[:begin].rstrip())
    return text[:end], back


def _last(text: str, end: int, envelope: Envelope, spans: dict[str, dict[int, int]]) -> tuple[int, Piece] | None:
    """Where the envelope that ends at `end` begins. `spans` keeps the tags of the block once they were looked for."""
    if envelope.tag is None:
        begin = _last_words(text[:end], envelope)
    elif text[end - 1 : end] != ">":
        return None
    else:
        if envelope.name not in spans:
            spans[envelope.name] = _spans(text, envelope.tag)
        begin = spans[envelope.name].get(end)
    if begin is None or not _begins_line(text, begin):
        return None
    return begin, Piece(envelope.author, text[begin:end], envelope.reason, envelope.name)


def _spans(text: str, tag: re.Pattern[str]) -> dict[int, int]:
    """The tags of one name that are closed: where each ends, and where it begins."""
    opened: list[int] = []
    found: dict[int, int] = {}
    for hit in tag.finditer(text):
        if hit["empty"]:
            continue
        if not hit["close"]:
            opened.append(hit.start())
        elif opened:
            found[hit.end()] = opened.pop()
    return found


def _last_words(text: str, envelope: Envelope) -> int | None:
    hits = [hit.start() for hit in envelope.opens.finditer(text) if _begins_line(text, hit.start())][-TRAILING_LIMIT:]
    fits = (at for at in hits if (hit := envelope.whole.match(text, at)) and hit.end() == len(text))
    return next(fits, None)


def _begins_line(text: str, at: int) -> bool:
    before = text[max(0, at - INDENT) : at].rstrip(" \t")
    return before[-1:] == "\n" or (not before and at < INDENT)


def _join_commands(front: Sequence[Piece]) -> tuple[Piece, ...]:
    """Neighbouring parts of one slash command as it was typed: `/name arguments`."""
    joined: list[Piece] = []
    parts: dict[str, str] = {}
    for piece in [*front, Piece(Author.INJECTED, "")]:
        if piece.name.startswith("command-"):
            parts[piece.name] = piece.text
            continue
        if parts:
            name = parts.get("command-name") or parts.get("command-message", "")
            typed = f"{name} {parts.get('command-args', '')}".strip()
            joined.append(Piece(Author.COMMAND, typed, "slash command", "command-name"))
            parts = {}
        if piece.reason:
            joined.append(piece)
    return tuple(joined)
