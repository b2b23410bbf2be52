"""Opening the source of a proposal: which transcripts there are, and where in them the words stand."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from pipeline.formats.read import read
from pipeline.review.from_audit import FORMAT as AUDITED
from pipeline.review.source import place_in, read_as, source_path
from store.errors import BadInput
from store.memory import Quote
from store.view import View
from tui.screens.review_detail import session_words
from tui.screens.transcript import Load, Opened
from tui.screens.transcript_rows import Span
from tui.text import one_line


def places(view: View, quotes: Sequence[Quote]) -> dict[str, tuple[str, str]]:
    """The transcripts of the quotes by a name for people, each with its file ("" when not known) and its words."""
    found: dict[str, tuple[str, str]] = {}
    for quote in quotes:
        path = source_path(view, quote)
        if all(path != known for known, _ in found.values()):
            name = session_words(quote)
            name = name if name not in found else f"{name} {len(found) + 1}"
            found[name] = path, f"» {one_line(quote.text, 200)} «"
    known = {name: place for name, place in found.items() if place[0]}
    return known or found


def not_known(quotes: Sequence[Quote]) -> str:
    """Why there is no transcript of the quotes to open, as a sentence."""
    if any(quote.format == AUDITED for quote in quotes):
        return "These words are a line of an audited text; only the line is kept."
    return "No transcript is known for these words; extract it again to open it here."


def opened(path: str, quotes: Sequence[Quote]) -> Load:
    """What reads the transcript and finds the words in it."""
    return partial(_load, path, tuple(quotes))


def _load(path: str, quotes: Sequence[Quote], cancelled: Callable[[], bool]) -> Opened:
    if not Path(path).is_file():
        raise BadInput(f"The transcript is not there any more; it was {path}.")
    sessions = read(path, format=read_as(quotes), cancelled=cancelled)
    names = {quote.session for quote in quotes}
    session = next((one for one in sessions if any(map(one.goes_by, names))), sessions[0] if sessions else None)
    if session is None:
        raise BadInput(f"There is no conversation in {path} any more.")
    spans: dict[int, list[Span]] = {}
    for quote in dict.fromkeys(quotes):
        if quote.format != session.format or not session.goes_by(quote.session):
            continue
        if (place := place_in(session, quote)) is not None:
            spans.setdefault(place[0], []).append(place[1:])
    return session, spans
