"""The form of a memory, and the changeset that it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from store.access import path_owner, safe_id
from store.changes import PutMemory
from store.errors import BadInput
from store.memory import Memory, MemoryType
from store.vault.entry import parse
from store.vault.scalars import same_words
from store.view import View
from tui.widgets.form import Field, changed

BODY_LIMIT = 256 * 1024
"""Characters of a text beyond which it is edited in the editor only (`decisions.md` §3.4)."""

TYPES = tuple(kind.value for kind in MemoryType)


def fields_of(memory: Memory | None, view: View, owner: str = "") -> tuple[Field, ...]:
    """The fields of a memory, or of a new one that would belong to `owner`."""
    known = ", ".join(sorted({*view.agents, *owners(view)})[:6])
    if memory is None:
        memory = Memory("", "", "", owner=owner)
    kind = memory.type if memory.type in TYPES else TYPES[0]
    return (
        Field("subject", "subject", memory.subject, placeholder="a few words: what it is about"),
        Field("statement", "statement", memory.statement or _first_text(memory), "text"),
        Field("type", "type", kind, "choice", TYPES),
        Field(
            "owner", "owner", path_owner(memory.path) or memory.owner, placeholder=known or "the agent it belongs to"
        ),
        Field("tags", "tags", ", ".join(memory.tags), placeholder="separated by commas"),
        Field("label", "label", memory.label, placeholder="free: what kind of thing it is"),
    )


def owners(view: View) -> set[str]:
    """The names under which memories are kept."""
    return {owner for memory in view.live if (owner := path_owner(memory.path) or memory.owner)}


def check(values: Mapping[str, str], *, new: bool = False) -> str:
    """What is wrong with a filled form, as a sentence; "" when it can be saved."""
    if not values["statement"].strip():
        return "A memory needs a statement: one sentence that says what should be remembered."
    if new and not values["subject"].strip():
        return "A memory needs a subject: a few words that say what it is about."
    owner = values["owner"].strip()
    if values["type"] != MemoryType.FACT and not owner:
        return f"A {values['type']} belongs to someone: name its owner, or make it a FACT."
    if owner and not safe_id(owner):
        return f"{owner!r} cannot be an owner: no slash, no control characters, at most 128 characters."
    return ""


def edit_change(memory: Memory, fields: Sequence[Field], values: Mapping[str, str]) -> PutMemory | None:
    """The change that a form means: only the fields that the person altered, against the file that was read."""
    altered = _stored(changed(fields, values) if memory.has_front_matter else _filled(values))
    return PutMemory(memory.id, altered, base=memory.sha) if altered else None


def left_behind(memory: Memory, edited: str) -> bool:
    """Whether a person's whole text has another statement, over a body that still says the one from before.

    Only while it is saved is that known: a body may say something else than its statement on purpose.
    """
    try:
        after = parse(edited.encode("utf-8", "surrogateescape"), id=memory.id, path=memory.path)
    except (BadInput, UnicodeEncodeError):
        return False  # the store says what is wrong with it
    said = bool(memory.body) and same_words(memory.body, memory.statement)
    return said and same_words(after.body, memory.body) and not same_words(after.statement, memory.statement)


def new_change(values: Mapping[str, str]) -> PutMemory:
    """The change that makes a new memory."""
    return PutMemory(None, _stored(_filled(values)))


def _filled(values: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if value.strip()}


def _stored(values: Mapping[str, str]) -> dict[str, Any]:
    stored: dict[str, Any] = {name: value.strip() for name, value in values.items()}
    if "tags" in stored:
        stored["tags"] = tuple(tag.strip() for tag in values["tags"].split(",") if tag.strip())
    return stored


def _first_text(memory: Memory) -> str:
    """A file without front matter has no statement yet: its first line is offered (`decisions.md` §10.6)."""
    return next((text.strip() for text in memory.body.splitlines() if text.strip()), "")
