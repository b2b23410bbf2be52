"""Where the files of a bank lie and how they are named (`spec/bank.md` §1.6, 2, 4, with bank-D06)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from store.memory import State


@dataclass(frozen=True, slots=True)
class Numbers:
    """Which file numbers were ever given: highest per type folder, and the numbers of each day.

    Made from every path known: live, archive, trash, history, aliases (bank-D06: a name is never given again).
    """

    highest: Mapping[str, int]
    days: Mapping[tuple[str, str], frozenset[int]]

    @classmethod
    def of(cls, paths: Iterable[str]) -> Numbers: ...
    def with_path(self, path: str) -> Numbers: ...


def type_folder(type: str, owner: str) -> str:
    """`facts`, or `private/<owner>/prefs` …"""


def new_path(type: str, owner: str, day: str, numbers: Numbers) -> str:
    """The path of a new memory. Raises `BadInput` for a bad owner, day or type, or when the day's 9,999 names are out."""


def made_at(path: str) -> str:
    """The id of a file by where it lies: without `.trash/<stamp>/`, `.archive/` and `.enc`."""


def state_of(path: str) -> State: ...
def archive_path(path: str, type: str = "") -> str:
    """§2.5; the caller makes it unique with `unused`."""


def stamp(instant: datetime) -> str:
    """Trash stamp `2026-10-08T06-12-44-310Z`."""


def trash_path(path: str, stamp: str) -> str: ...
def trashed_at(path: str) -> str:
    """ISO instant from a trash path, or ""."""


def unused(path: str, taken: Callable[[str], bool]) -> str:
    """`path`, or the first of `<stem>.2.md`, `<stem>.3.md` … that is free (bank-D39)."""


def is_entry_path(path: str) -> bool:
    """Whether a bank-relative path is an entry of the live tree (§2.3)."""


def is_bank(folder: Path) -> bool: ...
def looks_like(folder: Path) -> str:
    """One sentence on what a folder that is no bank looks like, and what to do."""


@dataclass(frozen=True, slots=True)
class Twins:
    """Files of one identity in two layouts (§2.6); `kept` are the paths that the index keeps."""

    state: Literal["duplicate", "conflict", "unverified"]
    paths: tuple[str, ...]
    kept: tuple[str, ...]


def twin_groups(owners: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Groups of live paths with one identity; `owners`: path → front-matter owner."""


def judge(paths: tuple[str, ...], data: Mapping[str, bytes], readable: Callable[[str], bool]) -> Twins: ...
