"""Three-way merge of an entry: front matter by key, body by lines (`storage.md` §6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import NamedTuple

from store.errors import BadInput
from store.vault.front import Front, decode, key_of, raw_values, split, with_values
from store.vault.scalars import read_int

LATER_WINS = frozenset({"updated", "last_accessed"})
"""Dates that both edits move: the later one is true of the merged text."""
ADDED_UP = frozenset({"access_count", "feedback_net"})
"""Counters that both edits raise: both raises count."""
COMPARED = 4_000_000
"""Products of line counts up to which changed middles are compared line by line; beyond, they are one hunk."""


@dataclass(frozen=True, slots=True)
class Clash:
    """What two edits changed differently: front-matter keys, and body lines of the base (1-based, inclusive).

    A range whose end lies before its start is a place between two lines. `loose` is set when front-matter lines
    without a key differ.
    """

    keys: tuple[str, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()
    loose: bool = False

    @property
    def message(self) -> str:
        """What overlaps, in words for a person."""
        parts = [f"the {key}" for key in self.keys]
        parts += [_place(first, last) for first, last in self.lines]
        if self.loose:
            parts.append("the comments of the front matter")
        return f"Both edits changed {', '.join(parts)}; choose one of the two texts."


class Hunk(NamedTuple):
    """Lines `start` to `end` (0-based, exclusive) of the base become `lines`."""

    start: int
    end: int
    lines: tuple[str, ...]


def merge(base: bytes, ours: bytes, theirs: bytes) -> bytes | Clash:
    """Both edits of `base` in one text, built on the bytes of `theirs`; or what overlaps.

    Line ends do not count as a difference; the merged text has those of `theirs`.
    """
    if ours in {base, theirs}:
        return theirs
    if theirs == base:
        return ours
    try:
        pieces = [split(decode(data, "surrogateescape")) for data in (base, ours, theirs)]
    except BadInput:
        return Clash(lines=((1, max(1, len(base.splitlines()))),))
    front = _merged_front(*pieces)
    body = _merged_body(*(piece.body for piece in pieces), newline=pieces[2].newline)
    if isinstance(front, Clash) or isinstance(body, Clash):
        found = [part for part in (front, body) if isinstance(part, Clash)]
        return Clash(
            tuple(key for part in found for key in part.keys),
            tuple(place for part in found for place in part.lines),
            any(part.loose for part in found),
        )
    return replace(front, body=body).text.encode("utf-8", "surrogateescape")


def _merged_front(base: Front, ours: Front, theirs: Front) -> Front | Clash:
    """The front matter with both edits, as a `Front` whose body is still theirs."""
    plain = [_plain(front) for front in (base, ours, theirs)]
    if plain[0] == plain[1] or plain[1] == plain[2]:
        return theirs
    if plain[0] == plain[2]:
        return replace(ours, body=theirs.body)
    olds, mine, others = (raw_values(front.lines or ()) for front in (base, ours, theirs))
    if ours.lines is None or theirs.lines is None:
        return Clash(keys=tuple(key for key in olds if mine.get(key) != others.get(key)))
    changes: dict[str, str | None] = {}
    clashing = []
    for key in {**olds, **mine}:
        old, mine_now, theirs_now = olds.get(key), mine.get(key), others.get(key)
        if mine_now in {old, theirs_now}:
            continue
        if theirs_now == old:
            changes[key] = mine_now
        elif (joined := _joined(key, old, mine_now, theirs_now)) is not None:
            changes[key] = joined
        else:
            clashing.append(key)
    old_loose, my_loose, their_loose = (_loose(front) for front in (base, ours, theirs))
    loose = my_loose not in (old_loose, their_loose)
    if clashing or loose:
        return Clash(keys=tuple(clashing), loose=loose)
    return with_values(theirs, changes)


def _joined(key: str, old: str | None, ours: str | None, theirs: str | None) -> str | None:
    """The value that holds both edits of a key, for the few keys that have one."""
    if ours is None or theirs is None:
        return None
    if key in LATER_WINS:
        return max(ours, theirs)
    if key in ADDED_UP:
        return str(read_int(ours) + read_int(theirs) - read_int(old or ""))
    return None


def _merged_body(base: str, ours: str, theirs: str, *, newline: str) -> str | Clash:
    """The body with both edits."""
    lines = [_body_lines(text) for text in (base, ours, theirs)]
    if lines[1] in (lines[0], lines[2]):
        return theirs
    mine, others = hunks(lines[0], lines[1]), hunks(lines[0], lines[2])
    clashing = tuple(_range(hunk, lines[0]) for hunk in mine if any(_overlap(hunk, other) for other in others))
    if clashing:
        return Clash(lines=clashing)
    merged = list(lines[0])
    for hunk in sorted({*mine, *others}, key=lambda hunk: (hunk.start, hunk.end), reverse=True):
        merged[hunk.start : hunk.end] = hunk.lines
    return newline.join(merged)


def hunks(old: Sequence[str], new: Sequence[str]) -> list[Hunk]:
    """What turns one list of lines into another, in order."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    before, after = old[head : len(old) - tail], new[head : len(new) - tail]
    if not before and not after:
        return []
    if len(before) * len(after) > COMPARED:
        return [Hunk(head, head + len(before), tuple(after))]
    codes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [Hunk(head + a, head + b, tuple(after[c:d])) for tag, a, b, c, d in codes if tag != "equal"]


def _common(first: Sequence[str], second: Sequence[str]) -> int:
    """How many lines two lists share at their start."""
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count


def _overlap(first: Hunk, second: Hunk) -> bool:
    """Whether two hunks are different and touch the same lines, or put something at the same place."""
    if first == second:
        return False
    if first.start == first.end or second.start == second.end:
        inserted, other = (first, second) if first.start == first.end else (second, first)
        if other.start == other.end:
            return inserted.start == other.start
        return other.start < inserted.start < other.end
    return first.start < second.end and second.start < first.end


def _range(hunk: Hunk, lines: Sequence[str]) -> tuple[int, int]:
    return min(hunk.start + 1, len(lines)), hunk.end


def _place(first: int, last: int) -> str:
    if last < first:
        return f"the text before line {first}"
    return f"line {first}" if first == last else f"lines {first} to {last}"


def _plain(front: Front) -> list[str] | None:
    return None if front.lines is None else [line.rstrip("\r\n") for line in front.lines]


def _loose(front: Front) -> list[str]:
    """The lines without a key: comments and leftovers."""
    return [line.rstrip("\r\n") for line in front.lines or () if not key_of(line)]


def _body_lines(text: str) -> list[str]:
    """Lines without their ends; the empty last one stands for a final newline."""
    return text.replace("\r\n", "\n").split("\n")
