"""Opening the source of a proposal: which transcripts there are, and where in them the words stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from pipeline.formats.read import read
from pipeline.review.source import place_in, source_path
from store.errors import BadInput
from store.memory import Quote
from store.view import View
from tui.screens.transcript import Load, Opened
from tui.screens.transcript_rows import Span
from tui.text import one_line


def places(view: View, quotes: Sequence[Quote]) -> dict[str, str]:
    """The files that the quotes come from, each with its words; "" for quotes whose file is not known."""
    found: dict[str, str] = {}
    for quote in quotes:
        path = source_path(view, quote)
        if path not in found:
            found[path] = f"» {one_line(quote.text, 200)} «"
    if len(found) > 1:
        found.pop("", None)
    return found


def opened(path: str, quotes: Sequence[Quote]) -> Load:
    """What reads the transcript and finds the words in it."""
    return partial(_load, path, tuple(quotes))


def _load(path: str, quotes: Sequence[Quote], cancelled: Callable[[], bool]) -> Opened:
    sessions = read(path, cancelled=cancelled)
    names = {quote.session for quote in quotes}
    session = next((one for one in sessions if one.id in names), sessions[0] if sessions else None)
    if session is None:
        raise BadInput(f"There is no conversation in {path} any more.")
    spans: dict[int, list[Span]] = {}
    for quote in dict.fromkeys(quotes):
        if (quote.format, quote.session) != (session.format, session.id):
            continue
        if (place := place_in(session, quote)) is not None:
            spans.setdefault(place[0], []).append(place[1:])
    return session, spans
