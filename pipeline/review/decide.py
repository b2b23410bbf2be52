"""The decisions of a person as changesets: approve and reject (`spec/extraction.md` §24.2).

Each carries the revision of the row that was read, so the bank refuses a second decision on it (`decisions.md` §4.4).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pipeline.extract.canonical import collapse
from pipeline.extract.facets.facet import Facets, of_person
from pipeline.extract.facets.times import as_written
from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import put_gap
from pipeline.extract.ledger.known import known
from pipeline.extract.ledger.serialised import from_rows
from pipeline.extract.profile.rows import (
    SINGLE,
    ProfileRow,
    all_profile,
    choose,
    conflicting,
    put_profile,
    read_profile,
)
from pipeline.review.by_hand import follow, lifted, stones
from pipeline.review.rows import DECIDED, gap_of, graves, row_of
from pipeline.review.setting import KIND as SUGGESTION
from pipeline.review.setting import approved
from pipeline.review.suggested import profile_fields, with_owner
from pipeline.review.waiting import Waiting
from store.changes import Change, Changeset, MoveMemory, NewId, Origin, PutMemory, PutRow, Row
from store.clock import millis
from store.errors import AlreadyDecided, BadInput, Changed, SecretFound
from store.secret import mask, secrets_among
from store.view import View

KEY = "memory"
"""Key of the memory that an approval makes, inside its changeset."""
TEXTS = ("statement", "subject", "body")
"""Fields that hold a person's words, as against labels and dates."""
ONE_VALUE = "Who you are has one value per field; approve this one to replace the other, or reject it."
CHOICE = "field"
"""The edit that chooses which field an open profile fact belongs to."""


def approve(
    view: View,
    item: Waiting,
    *,
    edits: Mapping[str, Any] | None = None,
    keep_both: bool = False,
    origin: Origin = "screen",
    allow_secrets: bool = False,
) -> Changeset:
    """The changeset that accepts a proposal: the memory and the row, together.

    `edits` are fields of the memory that replace the proposed ones; `field` among them chooses the field of an open
    profile fact. In a profile conflict the old memory goes to the trash unless `keep_both`. What the bank says already
    is not stored twice. `allow_secrets` is the person's answer for text that they wrote themselves; proposed text with
    a secret is refused whatever they answer. Raises `AlreadyDecided`, `SecretFound`, `BadInput`.
    """
    if item.state in ("rejected", "archived"):
        raise BadInput("This was rejected or put away; restore it first, then approve it.")
    row = row_of(view, item)
    edits = dict(edits or {})
    if item.kind == SUGGESTION:
        changes, own = approved(view, row, edits, seen=item.conflict, keep_both=keep_both, allow_secrets=allow_secrets)
        return _approval(item, changes, origin, own, allow_secrets)
    if CHOICE in edits:
        item = _chosen(view, item, str(edits.pop(CHOICE)))
    own = any(name in edits and edits[name] != item.fields.get(name) for name in TEXTS)
    fields = _fields(view, item, edits, allow_secrets and own)
    if item.table == "gaps":
        changes = _gap_changes(view, item, fields)
    elif item.table == "profile":
        changes = _profile_changes(view, item, fields, keep_both)
    else:
        changes = _proposal_changes(view, item, row, edits)
    return _approval(item, changes, origin, own, allow_secrets)


def _approval(item: Waiting, changes: tuple[Change, ...], origin: Origin, own: bool, allow_secrets: bool) -> Changeset:
    """The changeset of an approval; only text of the person's `own` may hold what looks like a secret."""
    allowed = allow_secrets and own
    reason = f"approve {item.named}"
    return Changeset(changes, reason, origin, evidence=item.quotes, allow_secrets=allowed, proposed=not own)


def reject(view: View, item: Waiting, reason: str = "", origin: Origin = "screen") -> Changeset:
    """The changeset that refuses a proposal for good, so that it does not return; a secret in the reason is masked."""
    row_of(view, item)
    now, reason = millis(), mask(reason)
    fields: dict[str, Any] = {"state": "rejected", "rejectedAt": now, "rejectReason": reason or None}
    changes: list[Change] = []
    if item.table == "gaps":
        gap = gap_of(view, item)
        changes.append(put_gap(replace(gap.woken(), state="rejected", updated_at=now), **fields))
        changes += stones(graves(item, gap), now, reason or "rejected")
    else:
        changes.append(PutRow(item.table, item.key, fields, rev=item.rev))
    told = f": {reason}" if reason else ""
    return Changeset(tuple(changes), f"reject {item.named}{told}", origin)


def _chosen(view: View, item: Waiting, field: str) -> Waiting:
    """The open profile fact once the person said which field it belongs to."""
    if field not in item.choices:
        raise BadInput(f"{field!r} is not one of {', '.join(item.choices) or 'its fields'}; choose one of those.")
    fact = choose(_fact(view, item), field)
    return replace(item, fields=profile_fields(view, fact), choices=(field,))


def _fields(view: View, item: Waiting, edits: Mapping[str, Any], allow_secrets: bool) -> dict[str, Any]:
    """The fields of the memory, the statement on one line, checked for secrets, times and being there at all."""
    fields = {**item.fields, **edits}
    if fields.get("type") != item.fields.get("type"):
        fields = with_owner(view, {k: v for k, v in fields.items() if k in edits or k not in ("scope", "owner")})
    text = str(fields.get("statement") or "")
    if edits.get("when"):
        fields["when"] = as_written(str(edits["when"]))
    if "\n" in text.strip() and "body" not in edits:
        fields["body"] = text.strip()
    if makes_memory := any(isinstance(change, PutMemory) for change in item.changes):
        fields["statement"] = collapse(text)
    if makes_memory and not fields["statement"]:
        raise BadInput("There is no text left to remember; write a statement, or reject it.")
    added = edits if item.kind in ("edit", "change") else fields
    kinds = secrets_among(str(added.get(name) or "") for name in TEXTS)
    if kinds and not allow_secrets:
        raise SecretFound(kinds)
    return {name: value for name, value in fields.items() if value not in (None, "")}


def _gap_changes(view: View, item: Waiting, fields: Mapping[str, Any]) -> tuple[Change, ...]:
    gap, now = gap_of(view, item), millis()
    text = str(fields["statement"])
    edited = text != gap.content
    there = known(view, text, str(fields.get("project") or ""))
    own = gap_id(gap.content)
    aliases = (*gap.aliases, own) if edited and own not in gap.identities else gap.aliases
    covered = replace(
        gap.woken(),
        state="covered",
        content=text,
        aliases=aliases,
        updated_at=now,
        covered_at=now,
        covered_by="bank" if there else "human",
        edited=gap.edited or edited,
        facets=_with_own_tags(item, gap.facets, fields),
    )
    kept = put_gap(covered, approvedBy="human", memory=there or NewId(KEY))
    free = lifted(view, graves(item, covered))
    return (kept, *free) if there else (PutMemory(None, fields, key=KEY), kept, *free)


def _with_own_tags(item: Waiting, facets: Facets, fields: Mapping[str, Any]) -> Facets:
    """The facets with the tags that the person changed as keys of theirs (`spec/extraction.md` §25)."""
    tags = tuple(fields.get("tags") or ())
    return of_person(facets, tags) if facets.keys and tags != tuple(item.fields.get("tags") or ()) else facets


def _profile_changes(view: View, item: Waiting, fields: Mapping[str, Any], keep_both: bool) -> tuple[Change, ...]:
    fact = _fact(view, item)
    if len(item.choices) == 1:
        fact = choose(fact, item.choices[0])
    if keep_both and fact.category in SINGLE:
        raise BadInput(ONE_VALUE)
    old = None if keep_both else conflicting(view, tuple(all_profile(view)), fact)
    if old is not None and old.memory != item.conflict and not item.choices:
        raise Changed(f"{old.value} is confirmed by now; look at what this would replace, then decide again.")
    changes, memory = _profile_memory(view, fact, fields)
    if old is not None and old.memory != memory:
        gone = replace(old, state="superseded")
        changes += [MoveMemory(old.memory, "trashed"), put_profile(gone, supersededBy=fact.id)]
    confirmed = replace(fact, state="confirmed", postponed=False, choices=())
    changes.append(put_profile(confirmed, memory=memory, approvedBy="human", supersededBy=None))
    return (*changes, *lifted(view, [fact.key]))


def _fact(view: View, item: Waiting) -> ProfileRow:
    fact = read_profile(item.key, view.rows("profile").get(item.key, {}))
    if fact is None:
        raise AlreadyDecided(DECIDED)
    return fact


def _profile_memory(view: View, fact: ProfileRow, fields: Mapping[str, Any]) -> tuple[list[Change], str | NewId]:
    """The memory that will hold the fact: one that says so already, the one that held it before, or a new one."""
    there = known(view, str(fields["statement"]), str(fields.get("project") or ""))
    if there is not None:
        return [], there
    before = view.memories.get(fact.memory)
    if before is not None and before.state != "live" and not before.immutable:
        changed = {name: value for name, value in fields.items() if getattr(before, name, None) != value}
        back: list[Change] = [MoveMemory(before.id, "live")]
        return back + ([PutMemory(before.id, changed)] if changed else []), before.id
    return [PutMemory(None, fields, key=KEY)], NewId(KEY)


def _proposal_changes(view: View, item: Waiting, row: Row, edits: Mapping[str, Any]) -> tuple[Change, ...]:
    """An agent's changes with the person's edits in the first memory; forgetting sets its tombstone, too."""
    done: dict[str, Any] = {"state": "approved", "decidedAt": millis()}
    changes: list[Change] = []
    for change in from_rows(row.get("changes")):
        _check_there(view, change)
        if isinstance(change, MoveMemory):
            changes += [change, *follow(view, change, millis(), item.reason or "forgotten")]
        elif not isinstance(change, PutMemory):
            changes.append(change)
        elif isinstance(put := _edited(view, change, edits), PutMemory):
            changes.append(put)
            done["memory"] = NewId(put.key) if put.id is None else put.id
        else:
            done["memory"] = put
        edits = {} if isinstance(change, PutMemory) else edits
    return (*changes, PutRow("proposals", item.key, done, rev=item.rev))


def _check_there(view: View, change: Change) -> None:
    """An edit or a forgetting of a memory that went to the trash meanwhile is stale: nothing of it would be seen."""
    memory = view.memories.get(change.id) if isinstance(change, PutMemory | MoveMemory) and change.id else None
    leaves = isinstance(change, PutMemory) or (isinstance(change, MoveMemory) and change.state == "trashed")
    if memory is not None and memory.state == "trashed" and leaves:
        raise Changed(f"{memory.name} was forgotten meanwhile; put it back first, or reject this.")


def _edited(view: View, change: PutMemory, edits: Mapping[str, Any]) -> PutMemory | str:
    """The proposed memory with the person's edits, or the id of a memory that says the same already."""
    fields = {**change.fields, **edits}
    if "statement" in fields:
        fields["statement"] = collapse(str(fields["statement"]))
    if change.id is None and change.text is None:
        there = known(view, str(fields.get("statement", "")), str(fields.get("project") or ""))
        if there is not None:
            return there
    text = None if edits else change.text
    return replace(change, fields=fields, text=text, key=change.key or KEY)
