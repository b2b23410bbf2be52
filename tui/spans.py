"""Which turns a run goes over: those that nobody evaluated, the whole session again, or some in between."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pipeline.contents import Contents
from pipeline.extract.rerun import Span
from pipeline.extraction import WHOLE
from pipeline.formats.session import Session
from tui.literal import count

NEW = "new turns"
WHOLE_AGAIN = "the whole session again"
FROM = "some turns"

SHAPE = "12-40"
"""How two turns are written, in every place that asks for them."""

_TYPED = re.compile(r"\s*(\d{1,9})\s*(?:-|\u2013|to|\s)\s*(\d{1,9})\s*", re.IGNORECASE)


def span_choices(contents: Sequence[Contents]) -> Mapping[str, str]:
    """What can be chosen, with a word about each."""
    new = sum(one.new for one in contents)
    return {
        NEW: f"from the last run to the end, {count(new, 'message')} of yours" if contents else "from the last run on",
        WHOLE_AGAIN: "nothing counts twice, what you rejected stays rejected",
        FROM: "from one turn to another",
    }


def readable(typed: str, turns: int | None = None) -> str:
    """What is wrong with two turns as a person types them; "" when nothing is.

    `turns` is how many the session has, None where that is not known yet.
    """
    hit = _TYPED.fullmatch(typed)
    if hit is None:
        return f"Give two turns, the first and the last: {SHAPE}."
    first, last = int(hit[1]), int(hit[2])
    if first == 0:
        return f"Turns count from 1: {SHAPE}."
    if first > last:
        return f"The first turn comes before the last: {SHAPE}."
    return "" if turns is None or first <= turns else f"There {_are(turns)}."


def parsed(typed: str) -> Span:
    """The span of two turns, both included, counted from 1."""
    hit = _TYPED.fullmatch(typed)
    assert hit is not None, "checked by `readable`"
    return Span(int(hit[1]) - 1, int(hit[2]))


def _are(turns: int) -> str:
    return f"are {turns:,} turns: give some of 1-{turns}" if turns > 1 else "is one turn: 1-1" if turns else "are none"


def reaching(sessions: Sequence[Session], spans: Sequence[Span]) -> tuple[list[Session], str]:
    """The sessions that have some of the turns asked for, and a sentence about those that end before them."""
    after = min((span.after for span in spans), default=-1)
    ended = [session for session in sessions if session.last_seq <= after]
    if not ended:
        return list(sessions), ""
    kept = [session for session in sessions if session.last_seq > after]
    if len(ended) == 1:
        (one,) = ended
        return kept, f"Turn {after + 1:,} of {one.key} was asked for, but there {_are(one.last_seq)}."
    longest = max(session.last_seq for session in ended)
    return kept, (
        f"{len(ended):,} sessions end before turn {after + 1:,} and are left out; the longest of them has "
        f"{count(longest, 'turn')}."
    )


def span_words(spans: Sequence[Span]) -> str:
    """The chosen turns in words; "" for the new ones."""
    if not spans:
        return ""
    first = spans[0]
    return WHOLE_AGAIN if first == WHOLE else f"turns {first.after + 1} to {first.through}"
