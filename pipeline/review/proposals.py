"""What agents and curation propose: changesets that wait in the ledger until a person decides (`decisions.md` §1.2)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import gap_key
from pipeline.extract.ledger.known import known
from pipeline.extract.ledger.quoting import quote_row
from pipeline.extract.ledger.serialised import from_rows, to_rows
from store.changes import Change, MoveMemory, PutMemory, PutRow, Row
from store.errors import BadInput, NotPermitted, SecretFound, unknown_memory
from store.fields import objects, revision, text, whole
from store.guard import check_owner, check_reach
from store.memory import Quote
from store.secret import secrets_among
from store.view import View

Filing = Literal["filed", "waits already", "rejected before", "known already"]


@dataclass(frozen=True, slots=True)
class AgentProposal:
    """One row of the table `proposals`."""

    id: str
    key: str
    rev: int
    kind: str
    by: str
    created: int
    state: str
    reason: str
    changes: tuple[Change, ...]
    quotes: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Proposed:
    """What filing a proposal comes to: its id, the rows for `Bank.record` (none when there is nothing to file)."""

    id: str
    fate: Filing
    rows: tuple[PutRow, ...] = ()


def all_proposals(view: View) -> Iterator[AgentProposal]:
    """Every readable proposal, in the order of the table; damaged ones are left out."""
    for key, row in view.rows("proposals").items():
        if (proposal := read_proposal(key, row)) is not None:
            yield proposal


def propose(
    view: View,
    changes: Sequence[Change],
    by: str,
    reason: str,
    now: int,
    *,
    quotes: Sequence[Quote] = (),
    kind: str = "",
    agent: bool = True,
) -> Proposed:
    """File changes for review on behalf of `by`: an agent, or with `agent` False the person or a part of Memdesk.

    The same changes are filed once, whoever proposes them again; what a person rejected or what the bank says already
    is not filed. `now` is milliseconds since 1970. Raises `NotPermitted` where the agent may not even propose (memories
    that it may not read, names of other owners), `SecretFound` for text that looks like a secret, `BadInput` for none.
    """
    if not changes:
        raise BadInput("There is nothing to propose; say what should change.")
    if agent:
        _check_reach(view, changes, by)
    _check_secrets(changes, reason)
    identity = proposal_id(changes)
    row = view.rows("proposals").get(identity)
    if fate := _settled(view, changes, row or {}):
        return Proposed(identity, fate)
    fields = {
        "id": identity,
        "kind": kind or kind_of(changes),
        "by": by,
        "created": now,
        "state": "waiting",
        "reason": reason,
        "changes": to_rows(changes),
        "quotes": [quote_row(quote, 0) for quote in quotes],
        **dict.fromkeys(("decidedAt", "memory", "rejectedAt", "rejectReason")),
    }
    return Proposed(identity, "filed", (PutRow("proposals", identity, fields, revision(row)),))


def _settled(view: View, changes: Sequence[Change], row: Row) -> Filing | None:
    """Why there is nothing to file, if there is nothing."""
    if row.get("state") in ("waiting", "postponed"):
        return "waits already"
    if row.get("state") == "rejected" or _forgotten(view, changes):
        return "rejected before"
    return "known already" if _says_already(view, changes) else None


def proposal_id(changes: Sequence[Change]) -> str:
    """The identity of a proposal: what it would change, not who wants it or from which state of the file."""
    bare = [{name: value for name, value in row.items() if name not in ("base", "key")} for row in to_rows(changes)]
    said = json.dumps(bare, ensure_ascii=False, sort_keys=True)
    return "prop_" + hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def kind_of(changes: Sequence[Change]) -> str:
    """The word for what these changes do: remember, edit, forget, restore, archive, or change for several."""
    kinds = {_kind(change) for change in changes} - {""}
    return kinds.pop() if len(kinds) == 1 else "change"


def _kind(change: Change) -> str:
    if isinstance(change, PutMemory):
        return "remember" if change.id is None else "edit"
    if isinstance(change, MoveMemory):
        return {"trashed": "forget", "live": "restore", "archived": "archive"}[change.state]
    return ""


def read_proposal(key: str, row: Row) -> AgentProposal | None:
    """A row of the table `proposals`, or None for a damaged one."""
    try:
        changes = from_rows(row.get("changes"))
    except BadInput:
        return None
    if not changes:
        return None
    return AgentProposal(
        id=key,
        key=key,
        rev=revision(row),
        kind=text(row, "kind") or kind_of(changes),
        by=text(row, "by"),
        created=whole(row, "created") or 0,
        state=text(row, "state") or "waiting",
        reason=text(row, "reason"),
        changes=changes,
        quotes=objects(row, "quotes"),
    )


def _check_reach(view: View, changes: Sequence[Change], by: str) -> None:
    """An agent proposes only about what it may read, and only for its own name."""
    for change in changes:
        if not isinstance(change, PutMemory | MoveMemory):
            raise NotPermitted("An agent can propose memories only, not settings or decisions.")
        memory = view.memories.get(change.id) if change.id is not None else None
        if memory is not None:
            check_reach(memory, by, view.grants)
        elif change.id is not None:
            raise unknown_memory(change.id, by)
        if isinstance(change, PutMemory):
            check_owner(str(change.fields.get("owner") or ""), by)


def _check_secrets(changes: Sequence[Change], reason: str) -> None:
    """A proposal with a secret is refused, whoever makes it (`decisions.md` §4.6)."""
    texts = [reason]
    for change in changes:
        if isinstance(change, PutMemory):
            texts += [change.text or "", *(str(value) for value in change.fields.values() if isinstance(value, str))]
    if kinds := secrets_among(texts):
        raise SecretFound(kinds, "proposal")


def _new_statements(changes: Sequence[Change]) -> list[tuple[str, str]]:
    return [
        (str(change.fields.get("statement", "")), str(change.fields.get("project") or ""))
        for change in changes
        if isinstance(change, PutMemory) and change.id is None and change.text is None
    ]


def _forgotten(view: View, changes: Sequence[Change]) -> bool:
    """Whether every memory that would be made was rejected or forgotten by the person (`spec/extraction.md` §24.4)."""
    new = _new_statements(changes)
    stones = view.rows("tombstones")
    dead = [gap_key(project, gap_id(statement)) in stones for statement, project in new]
    return bool(new) and len(new) == len(changes) and all(dead)


def _says_already(view: View, changes: Sequence[Change]) -> bool:
    new = _new_statements(changes)
    return bool(new) and len(new) == len(changes) and all(known(view, text, project) for text, project in new)
