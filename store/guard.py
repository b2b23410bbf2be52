"""What a commit refuses: writing for others, protected memories, secrets, impossible types (`decisions.md` §1–4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from store.access import Reader, may_read, may_write, path_owner
from store.changes import Changeset
from store.errors import BadInput, NotPermitted, SecretFound, unknown_memory
from store.memory import DEFAULT_SCOPES, Memory
from store.secret import find_secrets
from store.settings import SETTINGS, only_in_workbench
from store.vault.layout import check_type

DECISIONS = frozenset({"proposals", "profile", "gaps", "tombstones", "settings", "relations", "aliases"})
"""Tables that hold what a person decides; an agent's changeset may not touch them (`decisions.md` §1.3)."""
PROPOSED = frozenset({"proposals", "profile", "gaps"})
"""Tables whose rows hold text that a model or an agent wrote."""
WORKBENCH_ONLY = frozenset(setting.key for setting in SETTINGS if setting.workbench_only)
"""Settings that only the workbench switches (`decisions.md` §4.12)."""
TEXT_FIELDS = frozenset({"subject", "statement", "body", "content", "text", "quote", "question", "reason", "value"})
"""Fields of ledger rows that hold text of people or models, as against ids and hashes."""


def check_agent(changeset: Changeset, agents_write: bool) -> None:
    """An agent's changeset needs the setting `agents_write`; without it, agents propose (`decisions.md` §1.2)."""
    if changeset.agent is not None and not agents_write:
        raise NotPermitted(
            f"{changeset.agent} may only propose on this bank; send it to review, "
            "or switch agents_write on in the workbench."
        )


def check_reach(memory: Memory, agent: str | None, grants: Mapping[str, tuple[str, ...]]) -> None:
    """An agent changes only what it may read and what lies under its own name (`spec/bank.md` §6.7)."""
    if agent is None:
        return
    if not may_read(memory, Reader(agent, grants)):
        raise unknown_memory(memory.id, agent)
    check_path(memory.path, agent)


def check_path(path: str, agent: str | None) -> None:
    """The write gate of `spec/bank.md` §6.7 for a path that a change writes to."""
    check_owner(path_owner(path), agent)


def check_owner(owner: str, agent: str | None) -> None:
    """An agent writes under no other owner's name; "" is nobody's."""
    if not may_write(owner, agent):
        raise NotPermitted(f"{agent} may not write under another owner's name; leave it to {owner}.")


def check_unprotected(memory: Memory, fields: Iterable[str] | None) -> None:
    """Nothing but the protection itself may change on a protected memory (`decisions.md` §2.8)."""
    if memory.immutable and (fields is None or set(fields) != {"immutable"}):
        raise NotPermitted(
            f"{memory.name} is protected; press p, or run `memdesk edit {memory.id} --unprotect`, first."
        )


def check_leaving(memory: Memory, state: str, agent: str | None) -> None:
    """A BOUND is never archived, and forgotten only by hand (`spec/bank.md` §5, `decisions.md` §2.8)."""
    if state == "live" or memory.state != "live":
        return
    check_unprotected(memory, None)
    if memory.type == "BOUND" and (state == "archived" or agent is not None):
        raise NotPermitted(f"{memory.name} is a BOUND; only a person can forget it, by hand, and it is never archived.")


def check_kind(type: str, scope: str) -> None:
    """Private is what lies under an owner, public what lies under `facts` (bank-D15, bank-D33, `decisions.md` §2.2)."""
    check_type(type)
    if scope and scope != DEFAULT_SCOPES[type]:
        better = "make it a PREF" if type == "FACT" else "make it a FACT"
        raise BadInput(f"A {type} is always {DEFAULT_SCOPES[type]}; leave the scope out, or {better}.")


def check_rows(changeset: Changeset, tables: Iterable[tuple[str, str]]) -> None:
    """Who may change which rows; `tables` are (table, key) pairs."""
    for table, key in tables:
        if table == "history":
            raise BadInput("History cannot be rewritten; undo the change instead.")
        if changeset.agent is not None and table in DECISIONS:
            raise NotPermitted("Deciding is a person's act; an agent can only propose.")
        if table == "settings" and key in WORKBENCH_ONLY and changeset.origin not in {"screen", "library"}:
            raise only_in_workbench(key)


def check_secrets(changeset: Changeset, before: str, after: str) -> None:
    """Refuse text that a change adds and that looks like a secret (`decisions.md` §4.6).

    A line that was there before does not count, nor does a line that replaces one with a secret of the same kind. A
    person's own text may pass once they have answered (`allow_secrets`); proposed text never. Raises `SecretFound`.
    """
    old, new = before.splitlines(), after.splitlines()
    known = set(old)
    added = "\n".join(line for line in new if line not in known)
    kinds = find_secrets(added) if added else ()
    if kinds and old:
        still = set(new)
        gone = find_secrets("\n".join(line for line in old if line not in still))
        kinds = tuple(kind for kind in kinds if kind not in gone)
    proposed = changeset.proposed or changeset.agent is not None
    if kinds and (proposed or not changeset.allow_secrets):
        todo = "take it out" if proposed else "take it out, or confirm that it may be stored"
        raise SecretFound(kinds, todo=todo)


def texts(value: Any, key: str = "") -> Iterator[str]:
    """The texts of people and models in a ledger row, without ids, hashes and numbers."""
    if isinstance(value, str):
        if key in TEXT_FIELDS:
            yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from texts(item, name)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from texts(item, key)
