"""What is known of a proposal besides its words: why it is not stored yet, who found it, what is not in the quote."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from pipeline.extract.facets.facet import Facets
from pipeline.extract.ledger.gaps import Gap, read_gap
from pipeline.review.from_audit import FORMAT as AUDITED
from pipeline.review.waiting import Waiting
from store import clock
from store.fields import text, whole
from store.view import View
from tui.dates import day, said
from tui.text import count, one_line

SESSIONS = 4
"""Sessions that are named; more are counted."""
STATEMENTS = {"fact": "a fact", "plan": "a plan", "prediction": "a prediction"}
SCOPES = {"global": "of every project", "workspace": "of this project"}
ORIGINS = {"user": "yours"}
"""What is said of a key: whose it is when it is the person's own, else its type."""
OPERATION = 16
"""Characters of an operation's name."""


def why(view: View, item: Waiting) -> list[tuple[str, str]]:
    """Headed sentences: why it is proposed, what is open about it, why it is not stored yet."""
    rows: list[tuple[str, str]] = []
    if item.reason and item.state != "conflict":
        rows.append(("WHY", one_line(item.reason, 600)))
    if len(item.choices) > 1:
        rows.append(("OPEN", f"the words may mean {' or '.join(item.choices)}; approving asks which"))
    return [*rows, *[row for row in (_state(view, item),) if row is not None], *_facets(item.facets)]


def _facets(facets: Facets) -> list[tuple[str, str]]:
    """What a model and the rules said that it is, and what finds it (`spec/extraction.md` §25)."""
    words = (STATEMENTS.get(facets.statement_type, ""), facets.kind, facets.when, SCOPES.get(facets.scope, ""))
    told = ", ".join(word for word in words if word)
    keys = ", ".join(f"{one_line(key.text, 60)} ({ORIGINS.get(key.origin, key.type)})" for key in facets.keys)
    return [row for row in (("IT IS", told), ("KEYS", keys)) if row[1]]


def _state(view: View, item: Waiting) -> tuple[str, str] | None:
    row = view.rows(item.table).get(item.key, {})
    if item.folded:
        until = f", else it is put away on {_day(item.expires)}" if item.expires is not None else ""
        more = item.need - item.have
        others = "one more session" if more == 1 else f"{more} more sessions"
        return "NOT YET", f"said in {item.have} of {item.need} sessions: it waits for {others}{until}"
    if item.state == "postponed":
        return "PUT OFF", _put_off(read_gap(item.key, row) if item.table == "gaps" else None)
    if item.state == "archived":
        return "PUT AWAY", "nobody decided in time; p brings it back"
    if item.state == "rejected":
        at, reason = whole(row, "rejectedAt"), one_line(text(row, "rejectReason"), 400)
        return "REJECTED", f"{_day(at) if at else 'by you'}{f': {reason}' if reason else ', without a reason'}"
    return None


def _put_off(gap: Gap | None) -> str:
    if gap is None or gap.postponed is None:
        return "until something new is known about it"
    until = gap.postponed_until
    return f"{_day(gap.postponed)}, until {_day(until) if until else 'something new is known about it'}"


def found(item: Waiting) -> list[str]:
    """Where it comes from: who found it, in which sessions and when; then the runs, where they are known."""
    models = dict.fromkeys(seen.model for seen in item.sightings if seen.model)
    by = ", ".join(one_line(model, 60) for model in models) or one_line(item.by, 60)
    names = [name for name in item.sessions if not name.startswith(f"{AUDITED}/")]
    where = _some(dict.fromkeys(name.rpartition("/")[2][:8] for name in names), "session")
    audit = "in an audit" if len(names) < len(item.sessions) else ""
    project = f"project {one_line(item.project, 60)}" if item.project else ""
    ago = said(item.observed)
    words = [f"by {by}" if by else "", where, audit, project, _since(item), f"said {ago}" if ago else ""]
    runs = dict.fromkeys(one_line(seen.operation, 200)[:OPERATION] for seen in item.sightings if seen.operation)
    rows = [", ".join(word for word in words if word), f"in run {', '.join(runs)}" if runs else ""]
    return [row for row in rows if row]


def _since(item: Waiting) -> str:
    if not item.created:
        return ""
    first, last = _day(item.created), _day(item.updated)
    return first if first == last or item.updated < item.created else f"{first} to {last}"


def _some(names: Iterable[str], what: str) -> str:
    listed = [one_line(name, 60) for name in names]
    if len(listed) > SESSIONS:
        return count(len(listed), what)
    return f"{what if len(listed) == 1 else what + 's'} {', '.join(listed)}" if listed else ""


def _day(at: int | None) -> str:
    return day(datetime.fromtimestamp((at or 0) / 1000, tz=clock.now().tzinfo).isoformat())
