"""Who may read and write which memory (`spec/bank.md` §6.6–6.7, with bank-D15: the path's owner wins)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from store.memory import Memory

SAFE_ID_LENGTH = 128


@dataclass(frozen=True, slots=True)
class Reader:
    """Who looks: the person (`agent` None) sees everything of a plain bank; an agent what it may read.

    `grants` maps a reader's name to the owners that it may read (`grants.json`).
    """

    agent: str | None = None
    grants: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def safe_id(name: str) -> bool:
    """Whether a name can be an identity or an owner: 1–128 characters, no path, no control (`spec/bank.md` §6.1)."""
    if not 1 <= len(name) <= SAFE_ID_LENGTH or name in {".", ".."}:
        return False
    return not any(char in "/\\" or ord(char) < 0x20 for char in name)


def path_owner(path: str) -> str:
    """The owner that a bank-relative path names (`private/<owner>/…`), or "" for public places.

    Understands the archive's and the trash's copies of such paths as well.
    """
    parts = path.split("/")
    if parts[0] == ".trash":
        parts = parts[2:]
    elif parts[0] == ".archive":
        parts = parts[1:]
    return parts[1] if len(parts) > 2 and parts[0] == "private" else ""


def may_read(memory: Memory, reader: Reader) -> bool:
    """The read decision of `spec/bank.md` §6.6; below `private/` the path's owner and private scope apply."""
    if reader.agent is None:
        return True
    owner = path_owner(memory.path)
    if not owner:
        if memory.scope == "public" or not memory.owner:
            return True
        owner = memory.owner
    return owner == reader.agent or owner in reader.grants.get(reader.agent, ())


def may_write(owner: str, agent: str | None) -> bool:
    """The write gate of `spec/bank.md` §6.7: an agent may not write under another owner's name."""
    return agent is None or not owner or owner == agent
