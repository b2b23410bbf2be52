"""Looking at a bank's folder: the first time, and again after others may have changed it (`storage.md` §6)."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from store import history, outside, setting_files
from store.cached import Cached, read_cache
from store.changes import Event, FileEffect
from store.errors import StorageFailure
from store.index.yotta import read_order
from store.layered import Layered
from store.memory import Memory, Problem
from store.state import State
from store.vault import layout
from store.vault.disk import Missing
from store.vault.layout import Numbers
from store.vault.scan import Scan, Seen, scan, settled

FROZEN_FROM = 5000
"""Files from which the memories read at the start are left out of garbage collections, which would be felt."""


@contextmanager
def _uncollected() -> Iterator[None]:
    """Without garbage collection, which would look through ten thousand new memories again and again."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def open_folder(state: State, cache: Path | None) -> int:
    """Read the folder with what an earlier session left in `cache`; the number of files that it did not know."""
    with _uncollected():
        unknown = first_look(state, read_cache(state, cache) if cache else None)
        if len(state.files) >= FROZEN_FROM:
            gc.freeze()
        return unknown


def first_look(state: State, cached: Cached | None) -> int:
    """Read the folder for the first time; the number of files that the cache did not know."""
    order = read_order(state.root, disk=state.disk) or ()
    previous = cached.files if cached else {}
    found = scan(state.disk, state.root, previous, order=order, ids=state.aliases())
    if any(path in previous or not found.files[path].memory for path in found.unsettled):
        found = settled(state.disk, state.root, previous, order=order, ids=state.aliases())
    if cached is not None and state.journal.generation and state.base <= cached.frame <= state.seen:
        _find_renames(state, found, previous)
        _note_all(state, found, previous)
    _adopt(state, found, _with_names(state, dict(found.files)))
    state.numbers = Numbers.of(_names(state))
    return len(found.changed) + len(found.gone)


def _names(state: State) -> Iterator[str]:
    """Every path that is or was given to a memory."""
    past = (f"{folder}/1970-01-01-{number:04d}.md" for folder, number in state.past_numbers.items())
    told = history.paths_in(history.from_row(row) for row in state.rows(history.TABLE).values())
    return chain(state.files, state.aliases(), state.known, past, told)


def look_again(state: State, previous: Mapping[str, Seen]) -> Scan:
    """Scan against what was known; runs without any lock."""
    with _uncollected():
        return settled(state.disk, state.root, previous, ids=state.aliases())


def take(state: State, found: Scan, previous: Mapping[str, Seen]) -> list[Event]:
    """Take in a scan, but for paths that were written meanwhile; what others changed is noted and told."""
    touched = _younger(state, found)
    changed = (found.changed | found.gone) - touched
    files = dict(found.files)
    for path in touched:
        files.pop(path, None)
        if path in state.files:
            files[path] = state.files[path]
    for path in changed:
        if (seen := state.files.get(path)) is not None and seen.memory is not None:
            state.keep_replaced(seen.memory)
    _find_renames(state, found, previous)
    ids = _note_all(state, found, previous, touched)
    state.touched.clear()
    told = [Event("outside", (), (), "Another program changed this bank.")] if setting_files.look(state) else []
    if not changed:
        state.files = files
        return told
    _adopt(state, found, _with_names(state, files))
    for path in changed & files.keys():
        state.numbers = state.numbers.with_path(path)
    state.revision += 1
    return [Event("outside", ids, (), "Another program changed this bank.")] if ids else told


def _younger(state: State, found: Scan) -> set[str]:
    """Paths that we know better than the scan: written since it began, or still behind the journal."""
    for path, op in list(state.waiting.items()):
        seen = found.files.get(path)
        if path not in state.touched and (seen.sha if seen else None) == op.new:
            del state.waiting[path]
    return state.touched | state.waiting.keys()


def _with_names(state: State, files: dict[str, Seen]) -> dict[str, Seen]:
    """The files, with the ids of those that another program renamed."""
    for path, id in state.renamed.items():
        seen = files.get(path)
        if seen is not None and seen.memory is not None:
            files[path] = replace(seen, memory=replace(seen.memory, id=id))
    return files


def _adopt(state: State, found: Scan, files: dict[str, Seen]) -> None:
    """Make these files the ones that are known; the shallower copies of duplicates are not shown."""
    hidden = {path for group in found.twins for path in group.paths if path not in group.kept}
    memories: dict[str, Memory] = {}
    for path, seen in files.items():
        if seen.memory is not None and path not in hidden:
            memories.setdefault(seen.memory.id, seen.memory)
    state.files, state.memories = files, Layered(memories)
    state.ordinal = max(state.ordinal, 1 + max((memory.ordinal for memory in memories.values()), default=-1))
    _take_surroundings(state, found)


def _find_renames(state: State, found: Scan, previous: Mapping[str, Seen]) -> None:
    """A file that vanished and another with the same bytes: renamed by another program (`storage.md` §6)."""
    gone = {seen.sha: seen for path in found.gone if (seen := previous.get(path)) and seen.memory and seen.sha}
    if not gone:
        return
    for path in sorted(found.changed - previous.keys()):
        seen = found.files.get(path)
        left = gone.pop(seen.sha, None) if seen is not None and seen.memory is not None else None
        if left is None or left.memory is None or state.known.get(path, "") == left.sha:
            continue
        if seen is not None and seen.memory is not None and seen.memory.id != left.memory.id:
            state.renamed[path] = left.memory.id


def _note_all(
    state: State, found: Scan, previous: Mapping[str, Seen], touched: set[str] | None = None
) -> tuple[str, ...]:
    """Note what a scan found and no frame of ours tells; the ids of the memories that it concerns."""
    before: dict[str, tuple[str, Seen]] = {}
    after: dict[str, tuple[str, Seen]] = {}
    for path in (found.changed | found.gone) - (touched or set()):
        now, was = found.files.get(path), previous.get(path)
        sha = now.sha if now else None
        if (was.sha if was else None) == sha or (path in state.known and state.known[path] == sha):
            continue
        if was is not None and was.memory is not None:
            before[was.memory.id] = (path, was)
        if now is not None and now.memory is not None:
            after[state.renamed.get(path, now.memory.id)] = (path, now)
    for id in {*before, *after}:
        outside.note(state, _effect(id, before.get(id), after.get(id)))
    return tuple({*before, *after})


def _effect(id: str, before: tuple[str, Seen] | None, after: tuple[str, Seen] | None) -> FileEffect:
    return FileEffect(
        id,
        before[0] if before else None,
        after[0] if after else None,
        before[1].sha if before else None,
        after[1].sha if after else None,
        layout.state_of(before[0]) if before else None,
        layout.state_of(after[0]) if after else None,
    )


def _take_surroundings(state: State, found: Scan) -> None:
    """Problems, and who reads whom."""
    twins = tuple(
        Problem(group.kept[0], f"It has the same name as {', '.join(group.paths[1:])}, with another text; keep one.")
        for group in found.twins
        if group.state != "duplicate"
    )
    state.problems = tuple(p for p in found.problems if not p.path.endswith(".enc")) + twins
    setting_files.look(state)
    state.grants = _grants(_json(state, "grants.json"))
    agents = _json(state, "agents.json").get("agents")
    owners = (item.name for item in state.disk.scandir(state.root / "private") if item.is_folder)
    state.agents = tuple(sorted({*owners, *(agents if isinstance(agents, dict) else ())}))


def _json(state: State, name: str) -> dict[str, Any]:
    try:
        found = orjson.loads(state.disk.read(state.root / name))
    except (Missing, StorageFailure, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _grants(document: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """`grants.json`: reader → owners that it may read (`spec/bank.md` §6.5); anything else in it is left out."""
    return {
        reader: tuple(owner for owner in owners if isinstance(owner, str))
        for reader, owners in document.items()
        if isinstance(owners, list)
    }
