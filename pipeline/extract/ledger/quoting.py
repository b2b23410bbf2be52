"""A person's words as ledger rows keep them: where they stand, secrets masked (`spec/extraction.md` §24.1)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pipeline.extract.evidence import quotes
from pipeline.formats.session import Session
from store.fields import text, whole
from store.memory import Quote
from store.secret import mask


def quote_row(quote: Quote, seq: int) -> dict[str, Any]:
    """A quote as a row: `{session, format, ref, seq, quote, at, start, end}`, `question` only where there is one."""
    row: dict[str, Any] = {
        "session": quote.session,
        "format": quote.format,
        "ref": quote.ref,
        "seq": seq,
        "quote": mask(quote.text),
        "at": quote.at,
        "start": quote.start,
        "end": quote.end,
    }
    return row | {"question": mask(quote.question)} if quote.question else row


def read_quotes(rows: object) -> tuple[Quote, ...]:
    """The quotes of a row; what is damaged is left out."""
    entries = rows if isinstance(rows, list | tuple) else ()
    return tuple(_read(row) for row in entries if isinstance(row, Mapping) and isinstance(row.get("quote"), str))


def cite_session(session: Session, seq: int, quote: str) -> tuple[dict[str, Any], ...]:
    """The rows for a quote of one message of a transcript: the exact slices, or the words as given when none fits."""
    found = quotes(session, seq, quote)
    return tuple(quote_row(one, seq) for one in found) or (plain_row(session.identity, session.format, seq, quote),)


def plain_row(session: str, form: str, seq: int, quote: str, at: int | None = None) -> dict[str, Any]:
    """A quote as a row when only its record is known, not its place in it."""
    return {"session": session, "format": form, "ref": f"event:{seq}", "seq": seq, "quote": mask(quote), "at": at}


def sessions_of(rows: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Keys (`<format>/<session>`) of the sessions that quotes come from, each once."""
    named = ((text(row, "format"), text(row, "session")) for row in rows)
    return tuple(dict.fromkeys(f"{form}/{session}" for form, session in named if session))


def _read(row: Mapping[str, Any]) -> Quote:
    session, ref, words, form = (text(row, name) for name in ("session", "ref", "quote", "format"))
    start, end = whole(row, "start") or 0, whole(row, "end") or 0
    return Quote(session, ref, words, form, start, end, whole(row, "at"), text(row, "question"))
