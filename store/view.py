"""`View`: one immutable state of a bank. Everything in `pipeline` takes one, so previews are pure by construction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from store.access import Reader, may_read
from store.errors import AmbiguousMemory, unknown_memory
from store.layered import Layered
from store.memory import Memory, Problem
from store.setting_file import SettingFile
from store.succession import Lists, after

Tables = Mapping[str, Layered[str, Mapping[str, Any]]]
HEAD_REVISION = -2
"""The revision of a head: one that no bank has, so that the bank's own view replaces it."""
_EMPTY: Layered[str, Mapping[str, Any]] = Layered()


class View:
    """A snapshot: memories by id in every state, ledger rows by table, and what could not be read.

    A view is never changed; a commit makes the next one. `revision` grows with each. `unread` live memories are in the
    bank but not in this view: only a head has any. `before` is the view that this one follows: what was listed for it
    need not be listed again. `setting_files` are the bank's rules, personas and skills by path.
    """

    def __init__(
        self,
        memories: Layered[str, Memory],
        tables: Tables | None = None,
        *,
        revision: int = 0,
        problems: Sequence[Problem] = (),
        grants: Mapping[str, tuple[str, ...]] | None = None,
        agents: Sequence[str] = (),
        root: str = "",
        unread: int = 0,
        before: View | None = None,
        setting_files: Mapping[str, SettingFile] | None = None,
    ) -> None:
        self.memories = memories
        self.tables = tables or {}
        self.revision = revision
        self.problems = tuple(problems)
        self.grants = grants or {}
        self.agents = tuple(agents)
        self.root = root
        self.unread = unread
        self.setting_files = setting_files or {}
        self._lists = None if before is None else before._known_lists

    @property
    def is_head(self) -> bool:
        """Whether this is what an earlier session left, shown until the bank is read (`store/head.py`)."""
        return self.revision == HEAD_REVISION

    @classmethod
    def of(cls, memories: Iterable[Memory], tables: Mapping[str, Mapping[str, Any]] | None = None, **rest: Any) -> View:
        """A view over memories at hand, for tests and for joining; `tables` are plain dictionaries of rows."""
        rows = {name: Layered(dict(table)) for name, table in (tables or {}).items()}
        return cls(Layered({memory.id: memory for memory in memories}), rows, **rest)

    @cached_property
    def live(self) -> tuple[Memory, ...]:
        """The live memories in original order (`decisions.md` §3.6)."""
        before, self._lists = self._lists, None
        if before is not None and (lists := after(before, self.memories)) is not None:
            return lists.live
        return tuple(sorted((m for m in self.memories.values() if m.state == "live"), key=lambda m: m.ordinal))

    @property
    def _known_lists(self) -> Lists | None:
        """The lists of this view, or of the one before it when nobody has asked for these."""
        live: tuple[Memory, ...] | None = self.__dict__.get("live")
        return self._lists if live is None else Lists(self.memories, live)

    @cached_property
    def trashed(self) -> tuple[Memory, ...]:
        """The memories in the trash, newest first."""
        return tuple(
            sorted(
                (m for m in self.memories.values() if m.state == "trashed"), key=lambda m: m.trashed_at, reverse=True
            )
        )

    @cached_property
    def archived(self) -> tuple[Memory, ...]:
        """The archived memories in path order."""
        return tuple(sorted((m for m in self.memories.values() if m.state == "archived"), key=lambda m: m.path))

    def reader(self, agent: str | None) -> Reader:
        """The identity that reads this view as `agent` (None: the person)."""
        return Reader(agent, self.grants)

    def readable(self, agent: str | None) -> tuple[Memory, ...]:
        """The live memories that `agent` may read, in original order."""
        if agent is None:
            return self.live
        reader = self.reader(agent)
        return tuple(memory for memory in self.live if may_read(memory, reader))

    def rows(self, table: str) -> Layered[str, Mapping[str, Any]]:
        """The rows of a ledger table by key; each carries its revision as `_rev`."""
        return self.tables.get(table, _EMPTY)

    def setting(self, key: str, default: Any = None) -> Any:
        """A bank setting (ledger table `settings`)."""
        return self.rows("settings").get(key, {}).get("value", default)

    def resolve(self, reference: str) -> Memory:
        """The memory that a person's words name: an id, an alias, or an unambiguous file name, `.md` or not.

        The file name is the one it has now, or the one it was made under.

        Raises `UnknownMemory`, or `AmbiguousMemory` with the candidates (bank-D13, `decisions.md` §2.1).
        """
        found = self.memories.get(reference)
        if found is None and (alias := self.rows("aliases").get(reference)):
            found = self.memories.get(alias.get("id", ""))
        if found is not None:
            return found
        names = {reference, f"{reference}.md"}
        candidates = (
            [] if "/" in reference else [m for m in self.memories.values() if m.name in names or m.first_name in names]
        )
        live = [memory for memory in candidates if memory.state == "live"]
        candidates = live or candidates
        if len(candidates) == 1:
            return candidates[0]
        if not candidates:
            raise unknown_memory(reference)
        ids = [memory.id for memory in candidates]
        raise AmbiguousMemory(f"{reference!r} names {len(ids)} memories; give one of: {', '.join(ids)}.", ids)
