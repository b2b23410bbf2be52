"""`remember`: a new memory, or the same one again within its window (`spec/bank.md` §7, with bank-D05, D15, D33)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from store.changes import Changeset, Origin, PutMemory
from store.errors import BadInput, NotPermitted
from store.guard import check_kind
from store.index.per_base import PerBase
from store.memory import DEFAULT_SCOPES, Memory
from store.vault.layout import check_type, type_folder
from store.vault.scalars import flatten
from store.view import View

HINT_WORDS = (
    *("用户", "偏好", "喜欢", "关系", "称呼", "本人", "希望"),
    *("讨厌", "欣赏", "习惯", "忌讳", "介意", "不要", "别用"),
)
"""Words that make a FACT look like a preference (`spec/bank.md` §5.4)."""


def remember(
    view: View,
    fields: Mapping[str, Any],
    today: date,
    *,
    agent: str | None = None,
    origin: Origin = "library",
    allow_secrets: bool = False,
) -> Changeset:
    """The changeset that remembers something: a new memory, or an update of the one that says it already.

    `fields` are named as in `Memory`; needs `type`, `subject`, `statement`, and `owner` for what is private (an agent
    is its own owner). Raises `BadInput`, and `NotPermitted` for a memory in another's name (`spec/bank.md` §7.1).
    """
    wanted = _checked(fields, agent)
    same = find_duplicate(view, wanted, today)
    subject = flatten(str(wanted["subject"]))
    if same is None:
        change = PutMemory(None, {"created": today.isoformat(), **wanted}, key="new")
        return Changeset((change,), f"remember {subject}", origin, agent, allow_secrets=allow_secrets)
    changes = () if same.immutable else (PutMemory(same.id, _refreshed(same, wanted, today), base=same.sha, key="new"),)
    return Changeset(changes, f"remember {subject} again", origin, agent, allow_secrets=allow_secrets)


def _checked(fields: Mapping[str, Any], agent: str | None) -> dict[str, Any]:
    """The fields with their type's scope and their owner, in the order of checks of `spec/bank.md` §7.1."""
    kind = str(fields.get("type") or "").upper()
    check_type(kind)
    for name in ("statement", "subject"):
        if not flatten(str(fields.get(name) or "")):
            raise BadInput(f"The {name} is empty; say what to remember.")
    check_kind(kind, str(fields.get("scope") or ""))
    owner = str(fields.get("owner") or agent or "")
    if DEFAULT_SCOPES[kind] == "private":
        type_folder(kind, owner)
        if agent is not None and owner != agent:
            raise NotPermitted(f"{agent} may not remember in the name of {owner}; leave the owner out.")
    found = {**fields, "type": kind, "scope": DEFAULT_SCOPES[kind]}
    found.pop("owner", None)
    return found | ({"owner": owner} if owner else {})


def _refreshed(same: Memory, wanted: Mapping[str, Any], today: date) -> dict[str, Any]:
    """What a repeated `remember` changes: the date, what was missing, a higher weight (`spec/bank.md` §7.3)."""
    fields: dict[str, Any] = {"updated": today.isoformat()}
    for name in ("owner", "source"):
        if wanted.get(name) and not getattr(same, name):
            fields[name] = wanted[name]
    weight = wanted.get("weight")
    if isinstance(weight, int | float) and weight > max(same.weight, 0):
        fields["weight"] = weight
    return fields


def find_duplicate(view: View, fields: Mapping[str, Any], today: date) -> Memory | None:
    """The live memory in the window that has the same type, subject and statement, or None (`spec/bank.md` §7.2–7.3).

    The window: this month's folder, loose files of this year, loose files of the type's folder. Texts are compared
    flattened and healed, so that quotes and line breaks make no difference (bank-D05).
    """
    kind = str(fields.get("type") or "").upper()
    folder = type_folder(kind, str(fields.get("owner") or ""))
    key = _key(kind, str(fields.get("subject") or ""), str(fields.get("statement") or ""))
    found = [memory for memory in _candidates(view, key) if _in_window(memory, folder, today)]
    same = [memory for memory in found if _key(memory.type, memory.subject, memory.statement) == key]
    return min(same, key=lambda memory: memory.ordinal, default=None)


def _key(kind: str, subject: str, statement: str) -> tuple[str, str, str]:
    return kind, flatten(subject), flatten(statement)


def _in_window(memory: Memory, folder: str, today: date) -> bool:
    parent = memory.path.rpartition("/")[0]
    year, month = f"{folder}/{today:%Y}", f"{folder}/{today:%Y/%m}"
    return memory.state == "live" and (parent in {folder, year, month} or parent.startswith(f"{month}/"))


def _by_key(base: Mapping[str, Memory]) -> dict[int, tuple[str, ...]]:
    index: dict[int, tuple[str, ...]] = {}
    for memory in base.values():
        place = hash(_key(memory.type, memory.subject, memory.statement))
        index[place] = (*index.get(place, ()), memory.id)
    return index


_INDEX = PerBase(_by_key)


def _candidates(view: View, key: tuple[str, str, str]) -> list[Memory]:
    """Memories that may say the same, without a look at each: an index over the base, and all that changed since."""
    base, changed = view.memories.parts()
    ids = [id for id in _INDEX.of(base).get(hash(key), ()) if id not in changed]
    return [base[id] for id in ids] + [memory for memory in changed.values() if memory is not None]


def type_hint(kind: str, statement: str) -> str:
    """Advice for a FACT that sounds like a preference, "" for none; never a refusal (`spec/bank.md` §5.4)."""
    if kind != "FACT" or not any(word in statement for word in HINT_WORDS):
        return ""
    return "This sounds like somebody's preference; a PREF would keep it private."
