"""What the Context screen says of paging: what came of asking, in a sentence."""

from __future__ import annotations

from pipeline.context.provider.exchange import Exchange
from pipeline.context.provider.paged import PagingResult
from tui.screens.context_words import failure
from tui.text import count, one_line


def done(told: Exchange | None) -> object:
    """What of an answer is news when it is another one."""
    order = told.order if isinstance(told, PagingResult) else ()
    return None if told is None else (told.status, told.removed, order)


def paged_sentence(paging: PagingResult | None) -> str:
    """What came of asking, as a sentence; "" when nobody was asked."""
    if paging is None or not paging.shows:
        return ""
    if sentence := failure(paging):
        return f"Paging: {sentence}"
    if not paging.applied:
        return f"{one_line(paging.provider, 40)} paged nothing."
    dropped = f"paged out {count(len(paging.drop), 'memory', 'memories')}" if paging.drop else ""
    ordered = f"put {len(paging.order):,} first" if paging.order else ""
    return f"{one_line(paging.provider, 40)} {' and '.join(filter(None, [dropped, ordered]))}."
