"""What became of a proposal that could not be decided: the bank moved on, says it already, or refuses its words."""

from __future__ import annotations

from pipeline.extract.ledger.gaps import read_gap
from pipeline.review.waiting import Waiting
from store.called import called
from store.changes import MoveMemory, PutMemory, PutRow, PutSettingFile
from store.errors import AlreadyDecided, MemdeskError, SecretFound
from store.fields import text
from store.view import View
from tui.screens.review_detail import title
from tui.text import one_line

OUTCOMES = {
    "rejected": "was rejected already",
    "archived": "was put away already",
    "approved": "was approved already",
    "confirmed": "was approved already",
    "covered": "is in the bank already",
    "postponed": "was put off already",
    "superseded": "was replaced by another value",
}
"""What a row's state says of a proposal that was still shown as waiting."""
WRITES = (PutMemory, MoveMemory, PutSettingFile)


def became(view: View, item: Waiting, error: MemdeskError) -> MemdeskError:
    """The same refusal, saying what became of this one proposal and what to do."""
    if isinstance(error, SecretFound):
        return SecretFound(error.kinds, f"proposal {title(item)}", "edit it, or reject it")
    return AlreadyDecided(f"{title(item)} {_outcome(view, item)}.") if isinstance(error, AlreadyDecided) else error


def _outcome(view: View, item: Waiting) -> str:
    row = view.rows(item.table).get(item.key)
    if row is None:
        return _merged(view, item) or "is gone: it was merged with another one, or taken back"
    if item.table == "gaps":
        gap = read_gap(item.key, row)
        state = gap.state if gap is not None else ""
        postponed = gap is not None and gap.postponed is not None
        words = OUTCOMES.get(state, OUTCOMES["postponed"] if postponed else "")
    else:
        words = OUTCOMES.get(text(row, "state"), "")
    return f"{words}; nothing was changed" if words else "has changed since: look at it again, then decide"


def _merged(view: View, item: Waiting) -> str:
    """Into what a fact was merged that is not there any more."""
    identity = item.key.rpartition("|")[2]
    for key, row in view.rows("gaps").items():
        if identity in (row.get("aliases") or ()) and row.get("project", "") == item.project:
            gap = read_gap(key, row)
            return f"was merged into {one_line(gap.content, 60)}" if gap is not None else ""
    return ""


def nothing_new(view: View, changes: object) -> str:
    """Which memory says it already, when approving leaves no second copy; "" when something is written."""
    every = tuple(changes) if isinstance(changes, tuple | list) else ()
    if any(isinstance(change, WRITES) for change in every):
        return ""
    rows = [change.fields for change in every if isinstance(change, PutRow)]
    memory = next((found for row in rows if (found := view.memories.get(str(row.get("memory"))))), None)
    return called(memory.id) if memory is not None else ""
