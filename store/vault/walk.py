"""Which entry files a bank's folder holds, in every state (`spec/bank.md` §2.3, 2.5, 14.1)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

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
    seen: set[str] = field(default_factory=set)
    """Real paths of the folders that were looked into: each once, whatever links lead there."""
    links: list[tuple[_Place, Step]] = field(default_factory=list)
    """Links to folders, with what looks into them: after all folders that lie in the bank by themselves."""


class _Place(NamedTuple):
    """A folder by its path in the bank, and where it really lies."""

    path: str
    real: str

    def inner(self, name: str) -> _Place:
        """A folder in it."""
        return _Place(f"{self.path}/{name}" if self.path else name, f"{self.real}{os.sep}{name}")


Step = Callable[["_Walk", "_Place"], None]


def walk(disk: Disk, root: Path) -> Walked:
    """The entry files of a bank: live ones first (facts, then each owner's), then archive and trash.

    A symbolic link that leads out of the root is not followed; one to a folder that is listed by its own name adds
    nothing. A folder that cannot be listed is a problem in the result. Raises `StorageFailure` when the root cannot be
    listed.
    """
    state = _Walk(disk, os.fspath(root), os.path.realpath(root))
    names = {found.name: found for found in disk.scandir(root)}
    if not names and disk.signature(root) is None:
        raise Missing(f"{root} is not there; check that its disk is connected.")
    top = _Place("", state.real)
    state.seen.add(state.real)
    _enter(state, top, names.get("facts"), _collect)
    _enter(state, top, names.get("private"), _owners)
    _enter(state, top, names.get(".archive"), _archive)
    _enter(state, top, names.get(".trash"), _trash)
    for place, step in state.links:  # grows while links lead to links
        _look_into(state, place, step)
    return state.found


def _archive(state: _Walk, place: _Place) -> None:
    """What was archived: its own `facts` and `private`, and folders of types (`spec/bank.md` §2.5)."""
    names = {found.name: found for found in _list(state, place)}
    _enter(state, place, names.get("facts"), _collect)
    _enter(state, place, names.get("private"), _owners)
    _types(state, place, names)


def _trash(state: _Walk, place: _Place) -> None:
    """Each forgetting has its folder."""
    for found in _list(state, place):
        _enter(state, place, found, _collect)


def _owners(state: _Walk, place: _Place) -> None:
    """Each owner's folder."""
    for found in _list(state, place):
        _enter(state, place, found, _owner)


def _owner(state: _Walk, place: _Place) -> None:
    _types(state, place, {found.name: found for found in _list(state, place)})


def _types(state: _Walk, place: _Place, names: Mapping[str, Found]) -> None:
    """The folders of the private types in one folder, in their order (`spec/bank.md` §2.3)."""
    for name in PRIVATE_FOLDERS:
        _enter(state, place, names.get(name), _collect)


def _collect(state: _Walk, place: _Place) -> None:
    """Every entry file below a folder, at any depth."""
    for found in _list(state, place):
        if found.is_folder:
            _enter(state, place, found, _collect)
        elif found.signature and is_entry_name(found.name):
            inner = f"{place.path}/{found.name}"
            if not found.is_link or _target(state, inner):
                state.found.files[inner] = found.signature


def _list(state: _Walk, place: _Place) -> list[Found]:
    """The names in a folder that text can hold; a folder that cannot be listed is noted."""
    path = place.path
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


def _enter(state: _Walk, above: _Place, found: Found | None, step: Step) -> None:
    """Look into a name that is a folder; into a link later, when it leads into the bank and not to where it lies."""
    if found is None or not found.is_folder:
        return
    place = above.inner(found.name)
    if not found.is_link:
        _look_into(state, place, step)
    elif (target := _target(state, place.path)) and not f"{above.real}{os.sep}".startswith(f"{target}{os.sep}"):
        state.links.append((place._replace(real=target), step))


def _look_into(state: _Walk, place: _Place, step: Step) -> None:
    if place.real not in state.seen:
        state.seen.add(place.real)
        step(state, place)


def _target(state: _Walk, path: str) -> str:
    """Where a link leads; "" when that is out of the bank, which is told."""
    target = os.path.realpath(f"{state.root}/{path}")
    if target.startswith(f"{state.real}{os.sep}"):
        return target
    state.found.problems.append(Problem(path, "The link leads out of the bank and is not followed."))
    return ""


def _is_text(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
