"""What lies in a bank's folder now: a scan that parses only what changed (`storage.md` §6)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from store.memory import Memory, Problem
from store.vault.disk import Disk, Signature
from store.vault.layout import Twins


@dataclass(frozen=True, slots=True)
class Seen:
    """One entry file as last read. `memory` is the last good version; `problem` why there is none.

    `trusted`: an equal signature means equal bytes (not within 2 s of the scan). `missed`: scans without the file.
    """

    signature: Signature
    sha: str
    memory: Memory | None
    problem: Problem | None = None
    trusted: bool = True
    missed: int = 0


@dataclass(frozen=True, slots=True)
class Scan:
    """The result: `files` by present path, `changed` paths (new or other bytes), `gone` paths, `unsettled` paths
    (half written or missing for the first time: look again soon), problems, twins, encrypted file count."""

    files: Mapping[str, Seen]
    memories: Mapping[str, Memory]
    """By id, all states; the shallower copy of a duplicate is left out (`spec/bank.md` §2.6)."""
    changed: frozenset[str]
    gone: frozenset[str]
    unsettled: tuple[str, ...]
    problems: tuple[Problem, ...]
    twins: tuple[Twins, ...]
    encrypted: int


def scan(
    disk: Disk,
    root: Path,
    previous: Mapping[str, Seen] | None = None,
    *,
    order: Sequence[str] | None = None,
    ids: Mapping[str, str] | None = None,
) -> Scan:
    """Walk the bank. `order`: paths of a valid `index.json`; given (may be empty) all ordinals are dealt anew, None
    keeps those of `previous` and appends new files in path order. `ids`: path → id where a file does not lie where
    it was made (renames). Never raises for one file; raises `StorageFailure` when the root cannot be read."""


def settled(
    disk: Disk,
    root: Path,
    previous: Mapping[str, Seen] | None = None,
    *,
    order: Sequence[str] | None = None,
    ids: Mapping[str, str] | None = None,
    wait: Callable[[float], None] | None = None,
) -> Scan:
    """`scan`, repeated up to three times 50 ms apart while files are half written or just vanished."""


def to_cache(files: Mapping[str, Seen]) -> bytes: ...
def from_cache(data: bytes) -> dict[str, Seen] | None:
    """None when the cache is damaged or of another version."""
