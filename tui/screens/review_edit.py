"""The form of a proposal, the edits that it means, and who a private memory may belong to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pipeline.extract.facets.times import WHEN, read_span
from pipeline.review.decide import CHOICE, TEXTS
from pipeline.review.setting import KIND as SUGGESTION
from pipeline.review.setting import KINDS
from pipeline.review.waiting import Waiting
from store.access import path_owner, safe_id
from store.changes import PutMemory
from store.memory import MemoryType
from store.secret import find_secrets
from store.view import View
from tui.screens import bank_edit
from tui.text import count, one_line
from tui.widgets.form import Field, changed


def makes_memory(item: Waiting) -> bool:
    """Whether approval would write a memory whose fields can be changed first."""
    return any(isinstance(change, PutMemory) and change.text is None for change in item.changes)


def can_be_edited(item: Waiting) -> bool:
    """Whether there are fields that a person can change before approving."""
    return makes_memory(item) or item.kind == SUGGESTION


def needs_owner(item: Waiting) -> bool:
    """Whether approval would make a private memory that belongs to nobody yet."""
    new = any(isinstance(change, PutMemory) and change.id is None for change in item.changes)
    private = str(item.fields.get("type", "")) in bank_edit.TYPES and item.fields.get("type") != MemoryType.FACT
    return new and private and not str(item.fields.get("owner") or "").strip()


def owners(view: View) -> dict[str, str]:
    """The names that a private memory may belong to, the busiest first, with how much belongs to each."""
    live = Counter(owner for memory in view.live if (owner := path_owner(memory.path) or memory.owner))
    names = sorted({*view.agents, *live}, key=lambda name: (-live[name], name))
    return {name: count(live[name], "private memory", "private memories") for name in names}


def _suggestion_fields(item: Waiting) -> tuple[Field, ...]:
    """The fields of the setting file that approval would write."""
    fields = item.fields
    label = str(fields.get("label", ""))
    return (
        Field("label", "kind", label if label in KINDS else KINDS[0], "choice", KINDS),
        Field("subject", "name", str(fields.get("subject", "")), placeholder="the name of its file"),
        Field("statement", "content", str(fields.get("statement", "")), "text"),
        Field("description", "about", str(fields.get("description", "")), placeholder="in one line, what it is for"),
        Field(
            "keywords", "keywords", ", ".join(map(str, fields.get("keywords", ()))), placeholder="separated by commas"
        ),
    )


def check_of(item: Waiting) -> Callable[[Mapping[str, str]], str]:
    """What looks through a filled form of this proposal: a sentence, or "" when it can be approved."""
    return _check_suggestion if item.kind == SUGGESTION else check


def _check_suggestion(values: Mapping[str, str]) -> str:
    if not values["statement"].strip():
        return "There is no text left to keep; write what it says, or go back and reject it."
    return "" if values["subject"].strip() else "It needs a name: its file is called so."


def check_owner(name: str) -> str:
    """What is wrong with a name, as a sentence; "" when it can be an owner."""
    if safe_id(name):
        return ""
    return f"{one_line(name, 40)!r} cannot be an owner: no slash, no control characters, at most 128 characters."


def fields_of(item: Waiting, view: View, owner: str) -> tuple[Field, ...]:
    """The fields of what approval would make; `owner` stands in where none is proposed."""
    if item.kind == SUGGESTION:
        return _suggestion_fields(item)
    fields = item.fields
    kind = str(fields.get("type", ""))
    private = kind != MemoryType.FACT
    form = [
        Field("statement", "statement", str(fields.get("statement", "")), "text"),
        Field("subject", "subject", str(fields.get("subject", "")), placeholder="a few words: what it is about"),
        Field("type", "type", kind if kind in bank_edit.TYPES else bank_edit.TYPES[0], "choice", bank_edit.TYPES),
        Field(
            "owner",
            "owner",
            str(fields.get("owner") or (owner if private else "")),
            placeholder=", ".join(list(owners(view))[:6]) or "the agent it belongs to",
        ),
        Field("label", "label", str(fields.get("label", "")), placeholder="free: what kind of thing it is"),
        Field("project", "project", str(fields.get("project", "")), placeholder="empty: of every project"),
        Field("tags", "tags", ", ".join(map(str, fields.get("tags", ()) or ())), placeholder="separated by commas"),
    ]
    if fields.get("when") or item.facets.statement_type == "plan":
        form.append(Field("when", "when", str(fields.get("when", "")), placeholder="2026-12-01, or 2026-12-01 to ..."))
    if len(item.choices) > 1:
        form.insert(0, Field(CHOICE, "it is the", item.choices[0], "choice", item.choices))
    return tuple(form)


def check(values: Mapping[str, str]) -> str:
    """What is wrong with a filled form, as a sentence; "" when it can be approved."""
    if not values["statement"].strip():
        return "There is no text left to remember; write a statement, or go back and reject it."
    if not values["subject"].strip():
        return "A memory needs a subject: a few words that say what it is about."
    owner = values["owner"].strip()
    if values["type"] != MemoryType.FACT and not owner:
        return f"A {values['type']} belongs to someone: name its owner, or make it a FACT."
    if read_span(values.get("when", "")) is None:
        return f"The form cannot tell when that is; {WHEN}."
    return check_owner(owner) if owner else ""


def edits_of(item: Waiting, form: Sequence[Field], values: Mapping[str, str]) -> dict[str, Any]:
    """The fields that a person gave another value than the proposed one."""
    edits: dict[str, Any] = {name: value.strip() for name, value in changed(form, values).items()}
    if item.kind == SUGGESTION:
        return edits
    if "tags" in edits:
        edits["tags"] = tuple(tag.strip() for tag in values["tags"].split(",") if tag.strip())
    owner = values["owner"].strip()
    if values["type"] == MemoryType.FACT:
        edits.pop("owner", None)
    elif owner != str(item.fields.get("owner") or ""):
        edits["owner"] = owner
    if len(item.choices) > 1:
        edits[CHOICE] = values[CHOICE]
    return edits


def secrets_in(edits: Mapping[str, Any]) -> tuple[str, ...]:
    """The kinds of secrets that a person's own words look like."""
    return tuple(dict.fromkeys(kind for name in TEXTS for kind in find_secrets(str(edits.get(name) or ""))))
