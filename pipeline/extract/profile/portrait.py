"""The profile as a section of a prompt: what a person has confirmed about themselves (`spec/memora.md` §7.5).

It is made from the rows each time, so it is never behind a decision (§7.6).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from pipeline.extract.ledger.known import alive
from pipeline.extract.profile.rows import ProfileRow, all_profile
from store.view import View

Language = Literal["zh", "en"]
_LABELS: Mapping[Language, Mapping[str, str]] = {
    "zh": {"identity": "身份", "preference": "偏好", "expertise": "专长", "habit": "习惯", "history": "历史"},
    "en": {
        "identity": "Identity",
        "preference": "Preferences",
        "expertise": "Expertise",
        "habit": "Habits",
        "history": "History",
    },
}
_SHAPE: Mapping[Language, tuple[str, str, str]] = {
    "zh": ("【用户画像】", "：", "，"),
    "en": ("[About the user]", ": ", ", "),
}
"""Header, what stands after a label, and between values."""


def confirmed(view: View) -> tuple[ProfileRow, ...]:
    """The confirmed facts whose memories are live, in the order of the ledger."""
    return tuple(row for row in all_profile(view) if row.state == "confirmed" and alive(view, row.memory))


def portrait(rows: Iterable[ProfileRow], language: Language = "zh") -> str:
    """One line per category in order of first appearance, without the fields of the values; "" for no row."""
    header, after, between = _SHAPE[language]
    labels = _LABELS[language]
    values: dict[str, list[str]] = {}
    for row in rows:
        values.setdefault(row.category, []).append(" ".join(row.captured.split()))
    lines = [f"- {labels.get(category, category)}{after}{between.join(said)}" for category, said in values.items()]
    return "\n".join([header, *lines]) if lines else ""
