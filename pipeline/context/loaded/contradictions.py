"""Statements of one context that contradict each other, where rules can tell (`spec/formats.md` §13).

Four signs, over statements that otherwise say the same: one of them denies, a number differs, one word stands against
its opposite, or a preference is turned round. What is doubtful is not told.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from pipeline.context.audit.negations import affirmed
from pipeline.context.audit.opposites import contrary
from pipeline.context.loaded.compared import Place, Said, alike, likely, together
from pipeline.context.loaded.loaded import Loss
from pipeline.extract.words import content_words

SAME = 0.75
"""Part of the other content words that two statements share when they are about the same."""
_FILLER = frozenset(
    (
        *("do", "doe", "must", "should", "can", "may", "always", "alway", "please", "will"),
        *("use", "using", "used", "be", "are", "every", "any", "all"),
    )
)
"""Words that say whether or how much, not what."""
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_LABEL = re.compile(r"\b(?:issue|pr|note|step|task|chapter|section|line|ticket|part|phase|day|week|no)\.?\s*$")
MOST_ALIKE = 3
"""More statements than this that differ in numbers alone are a numbered list, wherever it stands."""
_PREFER = re.compile(
    r"(?P<yes>[\w.+#/-]{1,40}),? (?:not|never|instead of|rather than|over|and not|but not) (?P<no>[\w.+#/-]{1,40})"
)
ADVICE = (
    "Make them agree, or say in one of them where it holds; the file that is nearer is loaded last and mostly wins."
)


def contradictions(items: Sequence[Said]) -> tuple[list[Loss], frozenset[frozenset[Place]]]:
    """The contradictions in order, and the places of each pair."""
    found: list[Loss] = []
    pairs: set[frozenset[Place]] = set()
    texts = Counter(_skeleton(plain) for plain in {one.plain for one in items})
    lists = frozenset(text for text, number in texts.items() if number > MOST_ALIKE)
    for first, second in _candidates(items):
        sign = _sign(first, second, lists)
        if sign and frozenset((first.place, second.place)) not in pairs:
            pairs.add(frozenset((first.place, second.place)))
            found.append(_loss(first, second, sign))
    return found, frozenset(pairs)


def _candidates(items: Sequence[Said]) -> Iterator[tuple[Said, Said]]:
    """Pairs that one agent can be given together, and that are no two items of one list."""
    for first, second in likely(items):
        one, other = first.statement, second.statement
        listed = one.file == other.file and one.section == other.section
        meet = together(first, second) and not first.agents.isdisjoint(second.agents) and first.plain != second.plain
        if meet and (not listed or first.denies != second.denies):
            yield first, second


def _sign(first: Said, second: Said, lists: frozenset[str]) -> str:
    """By which rule they contradict each other, in words; "" when none tells. `lists` are numbered ones."""
    if _turned(first, second):
        return "what one prefers the other puts second"
    mine, theirs = _about(first), _about(second)
    if first.denies != second.denies:
        return "one says so, the other not" if mine and alike(mine, theirs) >= SAME else ""
    if _skeleton(first.plain) not in lists and _letters(first) and _other_number(first.plain, second.plain):
        return "they give different numbers"
    left = frozenset(first.plain.split()) - frozenset(second.plain.split())
    right = frozenset(second.plain.split()) - frozenset(first.plain.split())
    if len(left) == len(right) == 1:
        one, other = *left, *right
        return f"{one} against {other}" if contrary(one, other) else ""
    return ""


def _turned(first: Said, second: Said) -> bool:
    mine = {(one["yes"], one["no"]) for one in _PREFER.finditer(first.plain)}
    theirs = {(one["no"], one["yes"]) for one in _PREFER.finditer(second.plain)}
    return bool(mine & theirs)


def _other_number(mine: str, theirs: str) -> bool:
    """Whether two texts differ in one number alone, and that is an amount and no date, and numbers no thing."""
    if _skeleton(mine) != _skeleton(theirs):
        return False
    pairs = zip(_NUMBER.finditer(mine), _NUMBER.finditer(theirs), strict=True)
    differing = [one for one, other in pairs if one[0] != other[0]]
    if len(differing) != 1:
        return False
    before, after = mine[: differing[0].start()], mine[differing[0].end() :]
    return not (before.endswith(("#", "-", "/")) or after.startswith(("-", "/")) or _LABEL.search(before))


def _skeleton(text: str) -> str:
    return _NUMBER.sub("#", text)


def _about(one: Said) -> frozenset[str]:
    return content_words(affirmed(one.plain)) - _FILLER


def _letters(one: Said) -> bool:
    return any(not word.isdigit() for word in one.words)


def _loss(first: Said, second: Said, sign: str) -> Loss:
    one = first.statement
    told = (one.cited, second.statement.cited)
    return Loss("contradiction", first.layout, sign, ADVICE, one.file, one.name, one.line, one.line, told)
