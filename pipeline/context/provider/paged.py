"""What a paging provider's answer does to a pack: whom it drops, and who comes first in the sections (§22)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from pipeline.context.focus import FocusHit
from pipeline.context.provider.answer import Cause, Dropped, Verdict, clean, names
from pipeline.context.provider.exchange import Exchange
from pipeline.context.standing import Standing, is_summary
from store.memory import Memory

NAMED_IN_NOTE = 5
"""Names of the answer that the note spells out; the list of all is `dropped`."""
LONGEST_NAME = 120


@dataclass(frozen=True, slots=True)
class PagingResult(Exchange):
    """One call of paging. `drop` are the files that it takes out, `order` those that it puts first, in that order.

    Both hold only files that were sent. `budget` is the one that was asked about, in UTF-16 units.
    """

    drop: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    budget: int = 0


@dataclass(frozen=True, slots=True)
class PagingVerdict(Verdict):
    """An applied answer of paging: what it drops and orders."""

    drop: tuple[str, ...] = ()
    order: tuple[str, ...] = ()


def apply_paging(
    data: Any, sent: Sequence[str], truncated: bool, cause_of: Callable[[str], Cause] = lambda name: "unknown"
) -> PagingVerdict:
    """What an active answer drops and orders of the candidates whose files were `sent` (`spec/context.md` §22).

    `drop` always counts; `order` only with `complete` true and when every candidate was sent. A name that was not
    sent is ignored and stands in the note; names are compared exactly.
    """
    if not isinstance(data, dict):
        said = () if data is None else ("`data` is not an object, so nothing was applied.",)
        return PagingVerdict(ignored=said)
    files = dict.fromkeys(sent)
    drop, foreign, invalid, ignored = names(data, "drop", files)
    order, strange, odd, unused = names(data, "order", files)
    why = _why_unordered(data, truncated)
    if why:
        order, strange, odd, unused = {}, [], [], [f"`order` was ignored: {why}"]
    every = dict.fromkeys((*foreign, *strange))
    safety = ["There are more than 500 candidates: the order was not applied, for safety."] if why and truncated else []
    return PagingVerdict(
        drop=tuple(drop),
        order=tuple(name for name in order if name not in drop),
        dropped=tuple(Dropped(clean(name), cause_of(name)) for name in every),
        invalid=(*invalid, *odd),
        ignored=(*ignored, *unused),
        applied=bool(drop or order),
        note=" ".join([*safety, *_foreign_note(list(every))]),
    )


def _why_unordered(data: dict[str, Any], truncated: bool) -> str:
    """Why the order of an answer does not count; "" when it does, or when there is none."""
    if not isinstance(data.get("order"), list):
        return ""
    if truncated:
        return "not every candidate was sent."
    return "" if data.get("complete") is True else "`complete` is not true."


def _foreign_note(foreign: Sequence[str]) -> list[str]:
    if not foreign:
        return []
    shown = ", ".join(clean(name)[:LONGEST_NAME] for name in foreign[:NAMED_IN_NOTE])
    more = f" and {len(foreign) - NAMED_IN_NOTE:,} more" if len(foreign) > NAMED_IN_NOTE else ""
    return [f"Names that were not sent are ignored: {shown}{more}."]


def summaries(standing: Standing, order: Sequence[str]) -> Iterator[Memory]:
    """What section 2.5 chooses from, those that the answer names first."""
    return _named_first(standing.summaries, order, standing, is_summary)


def newest(standing: Standing, order: Sequence[str]) -> Iterator[Memory]:
    """What section 3 chooses from, those that the answer names first."""
    return _named_first(standing.plain, order, standing, lambda memory: memory.id in standing.scores)


def most_valuable(standing: Standing, order: Sequence[str]) -> Iterator[Memory]:
    """What section 4 chooses from, those that the answer names first, the others by score (ctx-D21)."""
    return _named_first(standing.valued, order, standing, lambda memory: memory.id in standing.scores)


def hits(found: Sequence[FocusHit], order: Sequence[str]) -> list[FocusHit]:
    """The hits of section 2.6, those that the answer names first; nothing moves up into it (`decisions.md` §10.4)."""
    place = {file: at for at, file in enumerate(order)}
    return sorted(found, key=lambda hit: place.get(hit.memory.path, len(place)))


def _named_first(
    memories: Iterable[Memory], order: Sequence[str], standing: Standing, belongs: Callable[[Memory], bool]
) -> Iterator[Memory]:
    """Those that are named, then the others as they were.

    The named ones are found by their files: a look through the others would be one through the bank.
    """
    if not order:
        return iter(memories)
    named = [memory for file in order for memory in standing.at(file) if belongs(memory)]
    ids = frozenset(memory.id for memory in named)
    return chain(named, (memory for memory in memories if memory.id not in ids))
