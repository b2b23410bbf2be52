"""Statements that stand in several places of what agents load: the same text, or nearly the same words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from pipeline.context.audit.quantities import quantities
from pipeline.context.loaded.compared import Place, Said, alike, likely, together
from pipeline.context.loaded.loaded import LINES_TOLD, Loss

NEARLY = 0.75
"""Part of all their content words that two statements share when they say nearly the same: the measure by which the
bank finds neighbours (`spec/extraction.md` §24.3), with a higher bar since this is a claim and no hint."""
LEAST = 4
"""Content words that a statement needs for that; shorter ones are compared as they stand only."""
STEM = 4
"""Letters at the beginning that two forms of one word share."""
TOGETHER = 5
"""From so many repetitions between the same two files on they are told as one."""
ADVICE = "Keep it where it belongs (the nearest file that all who need it load) and take it out elsewhere."


def repeated(items: Sequence[Said], apart: frozenset[frozenset[Place]] = frozenset()) -> list[Loss]:
    """What is said more than once, in the order of its first place; `apart` are pairs that contradict each other."""
    groups = _groups(items, apart)
    between: defaultdict[tuple[Path, ...], list[list[Said]]] = defaultdict(list)
    for group in groups:
        files = tuple(dict.fromkeys(one.statement.file for one in group))
        between[files].append(group)
    found: list[Loss] = []
    for files, many in between.items():
        copied = len(files) > 1 and len(many) >= TOGETHER
        found += [_copies(many)] if copied else map(_loss, many)
    return found


def _groups(items: Sequence[Said], apart: frozenset[frozenset[Place]]) -> list[list[Said]]:
    equal: defaultdict[str, list[Said]] = defaultdict(list)
    for one in items:
        equal[one.plain].append(one)
    leads: dict[Said, Said] = {}

    def leader(one: Said) -> Said:
        while (above := leads.get(one)) is not None:
            one = above
        return one

    for first, second in (*_same(equal), *_near(items, apart)):
        mine, theirs = leader(first), leader(second)
        if mine is not theirs:
            leads[theirs] = mine
    groups: defaultdict[Said, list[Said]] = defaultdict(list)
    for one in items:
        groups[leader(one)].append(one)
    return [group for group in groups.values() if len(group) > 1]


def _same(equal: dict[str, list[Said]]) -> Iterator[tuple[Said, Said]]:
    for many in equal.values():
        for at, second in enumerate(many[1:], 1):
            first = next((one for one in many[:at] if together(one, second)), None)
            if first is not None:
                yield first, second


def _near(items: Sequence[Said], apart: frozenset[frozenset[Place]]) -> Iterator[tuple[Said, Said]]:
    long = [one for one in items if len(one.words) >= LEAST]
    for first, second in likely(long):
        told_apart = first.plain == second.plain or frozenset((first.place, second.place)) in apart
        near = together(first, second) and alike(first.words, second.words) >= NEARLY
        if near and not told_apart and _reworded(first, second):
            yield first, second


def _reworded(first: Said, second: Said) -> bool:
    """Whether what one says besides is no other thing: it only adds words, or writes the same ones otherwise.

    Two lines of a list that differ in one word each (`api`, `web`) are two statements.
    """
    mine, theirs = first.words - second.words, second.words - first.words
    few, many = sorted((mine, theirs), key=len)
    same_word = all(any(one[:STEM] == other[:STEM] for other in many if len(one) >= STEM) for one in few)
    return same_word and quantities(first.plain) == quantities(second.plain) and first.denies == second.denies


def _loss(group: Sequence[Said]) -> Loss:
    first = group[0].statement
    exact = len({one.plain for one in group}) == 1
    files = len({one.statement.file for one in group})
    where = f"in {files:,} files" if files > 1 else "in one file"
    title = f"said {len(group):,} times {where}{'' if exact else ', in nearly the same words'}"
    told = tuple(one.statement.cited for one in group[:LINES_TOLD])
    more = max(0, len(group) - LINES_TOLD)
    return Loss("repeated", group[0].layout, title, ADVICE, first.file, first.name, first.line, first.line, told, more)


def _copies(many: Sequence[Sequence[Said]]) -> Loss:
    first = many[0][0].statement
    names = list(dict.fromkeys(one.statement.name for one in many[0]))
    title = f"{len(many):,} statements stand in {' and in '.join(names)}"
    places = [one.statement.cited for group in many for one in group]
    todo = "Keep one of the files and import it (@path) from the other, or make one a link to the other."
    told, more = tuple(places[:LINES_TOLD]), max(0, len(places) - LINES_TOLD)
    return Loss("repeated", many[0][0].layout, title, todo, first.file, first.name, 0, 0, told, more)
