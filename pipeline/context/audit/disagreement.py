"""Where a line and a memory that share their words state different numbers, or deny different things (ctx-D19)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pipeline.context.audit.negations import negations, same_denials
from pipeline.context.audit.opposites import opposite_words
from pipeline.context.audit.quantities import Quantity, measured, same_quantity

_SENTENCE_END = re.compile(r"[。！？；;!?\n]|\.(?=\s|\Z)")


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that a line and a memory do not agree on: what the line states, and what the memory states.

    For a `number` the values that the other has not, weekdays, months and units among them; for a `negation` the words
    that are denied ("" for none); for an `opposite` the two words.
    """

    kind: Literal["number", "negation", "opposite"]
    here: str
    there: str


def differences(line: str, subject: str, statement: str) -> tuple[Difference, ...]:
    """What stands in the way of saying that a memory with this subject and statement holds the line.

    Every number of the line must be the memory's, in the same order, and what is denied must be the same: in the
    statement, in subject and statement together, or in the sentence of the memory that the line is a part of. What only
    the memory says besides is no difference. In doubt there is one: a fact that counts as kept is not looked at again.
    """
    found = (_numbers(line, subject, statement), _denied(line, subject, statement), _opposite(line, subject, statement))
    return tuple(filter(None, found))


def _numbers(line: str, subject: str, statement: str) -> Difference | None:
    mine, stated = measured(line), measured(statement)
    whole = measured(f"{subject} {statement}")
    # The subject's numbers count only beside all of the statement's, or a changed one could be found in the subject.
    same = _within(mine, stated) or (_within(stated, mine) and _within(mine, whole))
    if same and not _cuts_a_number(line, f"{subject} {statement}"):
        return None
    return Difference("number", _words(_rest(mine, whole) or mine), _words(_rest(whole, mine)))


def _within(part: Sequence[Quantity], whole: Sequence[Quantity]) -> bool:
    """Whether the quantities of the part are those of the whole, in their order."""
    rest = iter(whole)
    return all(any(same_quantity(one, other) for other in rest) for one in part)


def _rest(some: Sequence[Quantity], others: Sequence[Quantity]) -> list[Quantity]:
    """What is left of some quantities without the others."""
    left = list(others)
    found: list[Quantity] = []
    for one in some:
        same = next((other for other in left if same_quantity(one, other)), None)
        if same is None:
            found.append(one)
        else:
            left.remove(same)
    return found


def _words(found: Sequence[Quantity]) -> str:
    return ", ".join(f"{value} {unit}".strip() for value, unit in found)


def _cuts_a_number(line: str, text: str) -> bool:
    """Whether the line is a part of the text only so that it begins or ends inside a number."""
    places = [*_places(line, text)]
    return bool(places) and all(_inside(text, place) or _inside(text, place + len(line)) for place in places)


def _inside(text: str, at: int) -> bool:
    return bool(re.search(r"\d[.,]?\Z", text[max(0, at - 2) : at]) and re.match(r"[.,]?\d", text[at : at + 2]))


def _places(line: str, text: str) -> Iterator[int]:
    at = text.find(line) if line else -1
    while at >= 0:
        yield at
        at = text.find(line, at + 1)


def _denied(line: str, subject: str, statement: str) -> Difference | None:
    mine, text = negations(line), f"{subject} {statement}"
    regions = [statement, text, *(_sentences(text, at, at + len(line)) for at in _places(line, text))]
    if not any(same_denials(negations(region), mine) for region in regions):
        return Difference("negation", ", ".join(mine), ", ".join(negations(text)))
    return None


def _opposite(line: str, subject: str, statement: str) -> Difference | None:
    pair = opposite_words(line, f"{subject} {statement}")
    return Difference("opposite", *pair) if pair else None


def _sentences(text: str, start: int, end: int) -> str:
    """The sentences of the text that a span lies in."""
    before = [found.end() for found in _SENTENCE_END.finditer(text, 0, start)]
    after = _SENTENCE_END.search(text, max(start, end - 1))
    return text[before[-1] if before else 0 : after.end() if after else len(text)]
