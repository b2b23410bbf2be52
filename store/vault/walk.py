"""Which entry files a bank's folder holds, in every state (`spec/bank.md` §2.3, 2.5, 14.1)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from store.errors import StorageFailure
from store.memory import Problem
from store.vault.disk import Disk, Found, Missing, Signature
from store.vault.layout import PRIVATE_FOLDERS, is_entry_name


@dataclass(slots=True)
class Walked:
    """What a walk found: signatures by bank-relative path in walk order, and what could not be looked into."""

    files: dict[str, Signature] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    closed: list[str] = field(default_factory=list)
    """Folders that could not be listed: what was known below them is neither there nor gone."""

    def hides(self, path: str) -> bool:
        """Whether a path lies in a folder that could not be listed."""
        return any(path.startswith(f"{folder}/") for folder in self.closed)


@dataclass(slots=True)
class _Walk:
    disk: Disk
    root: str
    real: str
    found: Walked = field(default_factory=Walked)
    linked: set[str] = field(default_factory=set)
    """Real paths of the linked folders that were walked: each once, so a circle of links ends."""


def walk(disk: Disk, root: Path) -> Walked:
    """The entry files of a bank: live ones first (facts, then each owner's), then archive and trash.

    A symbolic link that leads out of the root is not followed. A folder that cannot be listed is a problem in the
    result. Raises `StorageFailure` when the root cannot be listed.
    """
    state = _Walk(disk, os.fspath(root), os.path.realpath(root))
    names = {found.name: found for found in disk.scandir(root)}
    if not names and disk.signature(root) is None:
        raise Missing(f"{root} is not there; check that its disk is connected.")
    _tree(state, "", names)
    if _enters(state, ".archive", names.get(".archive")):
        archived = {found.name: found for found in _list(state, ".archive")}
        _tree(state, ".archive/", archived)
        _types(state, ".archive", archived)
    if _enters(state, ".trash", names.get(".trash")):
        for found in _list(state, ".trash"):
            if _enters(state, f".trash/{found.name}", found):
                _collect(state, f".trash/{found.name}")
    return state.found


def _tree(state: _Walk, base: str, names: Mapping[str, Found]) -> None:
    """`facts` and the type folders of each owner below a base."""
    if _enters(state, f"{base}facts", names.get("facts")):
        _collect(state, f"{base}facts")
    if not _enters(state, f"{base}private", names.get("private")):
        return
    for found in _list(state, f"{base}private"):
        owner = f"{base}private/{found.name}"
        if _enters(state, owner, found):
            _types(state, owner, {inner.name: inner for inner in _list(state, owner)})


def _types(state: _Walk, path: str, names: Mapping[str, Found]) -> None:
    """The folders of the private types in one folder, in their order (`spec/bank.md` §2.3)."""
    for name in PRIVATE_FOLDERS:
        if _enters(state, f"{path}/{name}", names.get(name)):
            _collect(state, f"{path}/{name}")


def _collect(state: _Walk, path: str) -> None:
    """Every entry file below a folder, at any depth."""
    for found in _list(state, path):
        inner = f"{path}/{found.name}"
        if found.is_folder:
            if _enters(state, inner, found):
                _collect(state, inner)
        elif found.signature and is_entry_name(found.name) and _inside(state, inner, found):
            state.found.files[inner] = found.signature


def _list(state: _Walk, path: str) -> list[Found]:
    """The names in a folder that text can hold; a folder that cannot be listed is noted."""
    try:
        listed = state.disk.scandir(f"{state.root}/{path}")
    except StorageFailure as failure:
        state.found.problems.append(Problem(path, str(failure)))
        state.found.closed.append(path)
        return []
    good = [found for found in listed if _is_text(found.name)]
    if len(good) < len(listed):
        state.found.problems.append(Problem(path, "The folder holds names that are not UTF-8; rename those files."))
    return good


def _enters(state: _Walk, path: str, found: Found | None) -> bool:
    """Whether a name is a folder to walk."""
    return found is not None and found.is_folder and _inside(state, path, found)


def _inside(state: _Walk, path: str, found: Found) -> bool:
    """Whether a name may be followed: it is no link, or one that stays in the bank, leads to no folder that it lies in
    and is new to this walk."""
    if not found.is_link:
        return True
    target = os.path.realpath(f"{state.root}/{path}")
    if not target.startswith(f"{state.real}{os.sep}"):
        state.found.problems.append(Problem(path, "The link leads out of the bank and is not followed."))
        return False
    if found.is_folder:
        above = os.path.realpath(f"{state.root}/{path.rpartition('/')[0]}")
        if f"{above}{os.sep}".startswith(f"{target}{os.sep}"):
            return False
        fresh = target not in state.linked
        state.linked.add(target)
        return fresh
    return True


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
