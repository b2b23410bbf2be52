"""Suggestions at the desk: what approving one writes, shown against the file that is there (`spec/memora.md` §11.6)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from pipeline.extract.reflection.suggestion import Suggestion
from pipeline.extract.reflection.suggestion_rows import KIND, read_suggestion, setting_change, there
from store import clock
from store.changes import Change, PutRow, PutSettingFile, Row
from store.errors import BadInput, SecretFound
from store.fields import revision
from store.secret import secrets_among
from store.setting_file import SUGGESTED, split_keywords
from store.view import View

EDITABLE = ("label", "subject", "statement", "description", "keywords")
"""Fields of a suggestion that a person may change first: its kind, name, content, description and keywords."""
KINDS = SUGGESTED
"""What a suggestion may become."""


@dataclass(frozen=True, slots=True)
class Suggested:
    """What a waiting row shows of a suggestion. `conflict` is the path of the file that approval would replace."""

    fields: Mapping[str, Any] = field(default_factory=dict)
    changes: tuple[Change, ...] = ()
    confidence: float | None = None
    conflict: str | None = None
    reason: str = ""


def suggested(view: View, row: Row, created: int) -> Suggested | None:
    """A suggestion against the setting files as they are now; None for another row or a damaged one.

    `created` is milliseconds: the time that the file would carry, until it is approved.
    """
    one = read_suggestion(row)
    if one is None:
        return None
    try:
        old, change = there(view, one), setting_change(view, one, datetime.fromtimestamp(created / 1000, UTC))
    except BadInput:
        old, change = None, None
    replaced = old.path if old is not None and change is not None else None
    reason = f"would replace {replaced}" if replaced else one.reason
    return Suggested(_fields(one), (change,) if change else (), one.confidence, replaced, reason)


def _fields(one: Suggestion) -> dict[str, Any]:
    fields = {
        "label": one.kind,
        "subject": one.name,
        "statement": one.content,
        "description": one.description,
        "keywords": one.keywords,
    }
    return {name: value for name, value in fields.items() if value}


def approved(
    view: View, row: Row, edits: Mapping[str, Any], *, seen: str | None, keep_both: bool, allow_secrets: bool
) -> tuple[tuple[Change, ...], bool]:
    """The changes that accept a suggestion, and whether the person changed its words.

    `edits` are of `EDITABLE`. The file that is there is replaced only when it is the one that was `seen` (the path of
    the conflict), or written beside with `keep_both`. Raises `BadInput`, `SecretFound`.
    """
    first = read_suggestion(row)
    if first is None:
        raise BadInput("This suggestion is damaged and cannot be carried out; reject it.")
    one = _edited(first, edits)
    own = one != first
    kinds = secrets_among((one.name, one.content, one.description, *one.keywords))
    if kinds and not (own and allow_secrets):
        raise SecretFound(kinds)
    change = setting_change(view, one, clock.now(), beside=keep_both)
    if change is not None and change.base is not None and change.path != seen:
        raise BadInput(f"There is a file {change.path} already; give it another name, or look at the difference first.")
    done = {"state": "approved", "decidedAt": clock.millis(), "path": change.path if change else None}
    return (*((change,) if change else ()), PutRow("proposals", str(row["id"]), done, revision(row))), own


def _edited(one: Suggestion, edits: Mapping[str, Any]) -> Suggestion:
    strange = sorted(edits.keys() - set(EDITABLE))
    if strange:
        raise BadInput(f"A suggestion has no {strange[0]}; its fields are {', '.join(EDITABLE)}.")
    words = edits.get("keywords", one.keywords)
    return replace(
        one,
        kind=str(edits.get("label", one.kind)),
        name=str(edits.get("subject", one.name)).strip(),
        content=str(edits.get("statement", one.content)).strip(),
        description=" ".join(str(edits.get("description", one.description)).split()),
        keywords=split_keywords(words) if isinstance(words, str) else tuple(map(str, words)),
    )


def diff_of(view: View, change: PutSettingFile) -> tuple[str, str]:
    """The whole text of the file before and after a change; "" where there is none."""
    old = view.setting_files.get(change.path)
    return (old.text if old is not None else ""), change.text or ""


__all__ = ["EDITABLE", "KIND", "KINDS", "Suggested", "approved", "diff_of", "suggested"]
