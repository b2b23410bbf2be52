"""Which turns a run goes over: those that nobody evaluated, the whole session again, or some in between."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from pipeline.contents import Contents
from pipeline.extract.rerun import Span
from pipeline.extraction import WHOLE
from tui.literal import count

NEW = "new turns"
WHOLE_AGAIN = "the whole session again"
FROM = "some turns"

_TYPED = re.compile(r"\s*(\d{1,9})\s*(?:-|to|\s)\s*(\d{1,9})\s*", re.IGNORECASE)


def span_choices(contents: Sequence[Contents]) -> Mapping[str, str]:
    """What can be chosen, with a word about each."""
    new = sum(one.new for one in contents)
    return {
        NEW: f"from the last run to the end, {count(new, 'message')} of yours" if contents else "from the last run on",
        WHOLE_AGAIN: "nothing counts twice, what you rejected stays rejected",
        FROM: "from one turn to another",
    }


def readable(typed: str) -> str:
    """What is wrong with two turns as a person types them; "" when nothing is."""
    hit = _TYPED.fullmatch(typed)
    if hit is None:
        return "Give two turns, the first and the last: 12 40."
    return "" if int(hit[1]) <= int(hit[2]) else "The first turn comes before the last: 12 40."


def parsed(typed: str) -> Span:
    """The span of two turns, both included."""
    hit = _TYPED.fullmatch(typed)
    assert hit is not None, "checked by `readable`"
    return Span(max(-1, int(hit[1]) - 1), int(hit[2]))


def span_words(spans: Sequence[Span]) -> str:
    """The chosen turns in words; "" for the new ones."""
    if not spans:
        return ""
    first = spans[0]
    return WHOLE_AGAIN if first == WHOLE else f"turns {first.after + 1} to {first.through}"
