"""What one pack has that another has not, line by line and memory by memory (`spec/context.md`, part G)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Literal, NamedTuple

from pipeline.context.budget import Line, places
from pipeline.context.opening import Opening
from pipeline.context.pack import Pack

Sign = Literal[" ", "-", "+"]


class Changed(NamedTuple):
    """A line of either pack: `-` only in the first, `+` only in the second."""

    sign: Sign
    line: Line


@dataclass(frozen=True, slots=True)
class Moved:
    """A memory that stands in another section than before."""

    id: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Difference:
    """From one pack to another: all lines with their signs, the memories that came, went or moved, and the units."""

    lines: tuple[Changed, ...]
    entered: tuple[str, ...]
    left: tuple[str, ...]
    moved: tuple[Moved, ...]
    units: int
    """Units that the second pack uses more before its exempt part (negative: fewer)."""

    @property
    def changed(self) -> bool:
        """Whether the packs differ in any line."""
        return any(changed.sign != " " for changed in self.lines)


def difference(before: Pack, after: Pack) -> Difference:
    """How `after` differs from `before`."""
    first = _openings(before.opening, after.opening)
    rest = _lines(before.lines[len(before.opening.lines) :], after.lines[len(after.opening.lines) :])
    return _difference(before.places, after.places, (*first, *rest), after.bar.used - before.bar.used)


def of_lines(before: Sequence[Line], after: Sequence[Line], more: int) -> Difference:
    """How lines differ from earlier ones, which need be no pack any more; they use `more` units more than those."""
    return _difference(places(before), places(after), tuple(_lines(before, after)), more)


@lru_cache(maxsize=4)
def _openings(before: Opening, after: Opening) -> tuple[Changed, ...]:
    """How one opening differs from another, told again as long as the packs begin alike: with the hook, against today.

    No line of an opening stands in a section behind it, so what follows can be compared for itself.
    """
    if before is after:
        return tuple(Changed(" ", line) for line in after.lines)
    return tuple(_lines(before.lines, after.lines))


def _difference(old: Mapping[str, str], new: Mapping[str, str], lines: tuple[Changed, ...], more: int) -> Difference:
    both = (name for name in new if name in old and old[name] != new[name])
    return Difference(
        lines=lines,
        entered=tuple(name for name in new if name not in old),
        left=tuple(name for name in old if name not in new),
        moved=tuple(Moved(name, old[name], new[name]) for name in both),
        units=more,
    )


def _lines(old: Sequence[Line], new: Sequence[Line]) -> list[Changed]:
    """Equal ends are set aside first: a difference costs what differs, not what the packs have in common."""
    return _between_ends(old, new, _compare)


def _between_ends(
    old: Sequence[Line], new: Sequence[Line], compare: Callable[[Sequence[Line], Sequence[Line]], list[Changed]]
) -> list[Changed]:
    start, end = _common(old, new)
    last_old, last_new = len(old) - end, len(new) - end
    middle = compare(old[start:last_old], new[start:last_new])
    return [*(Changed(" ", line) for line in new[:start]), *middle, *(Changed(" ", line) for line in new[last_new:])]


def _common(old: Sequence[Line], new: Sequence[Line]) -> tuple[int, int]:
    most = min(len(old), len(new))
    start = next((at for at in range(most) if _key(old[at]) != _key(new[at])), most)
    rest = most - start
    end = next((at for at in range(rest) if _key(old[-1 - at]) != _key(new[-1 - at])), rest)
    return start, end


def _key(line: Line) -> tuple[str, str]:
    return line.section, line.text


def _compare(old: Sequence[Line], new: Sequence[Line]) -> list[Changed]:
    matcher = SequenceMatcher(None, _keys(old), _keys(new), autojunk=False)
    changed: list[Changed] = []
    for tag, first, last, start, end in matcher.get_opcodes():
        if tag == "equal":
            changed += [Changed(" ", line) for line in new[start:end]]
        else:
            changed += _between_ends(old[first:last], new[start:end], _exchanged)
    return changed


def _exchanged(old: Sequence[Line], new: Sequence[Line]) -> list[Changed]:
    return [*(Changed("-", line) for line in old), *(Changed("+", line) for line in new)]


def _keys(lines: Sequence[Line]) -> list[tuple[str, str, str]]:
    """What the lines are compared by. Empty ones stand everywhere and would be held against all others: each goes by
    the line above it."""
    above = ["", *(line.text for line in lines[:-1])]
    return [(*_key(line), "" if line.text else before) for line, before in zip(lines, above, strict=False)]
