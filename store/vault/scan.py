"""What lies in a bank's folder now: a scan that parses only what changed (`storage.md` §6)."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from store.errors import MemdeskError
from store.memory import Memory, Problem
from store.vault.disk import Disk, Missing, Signature
from store.vault.entry import parse
from store.vault.front import decode, is_open
from store.vault.layout import Twins, judge, made_at, state_of, trashed_at, twin_groups
from store.vault.walk import Walked, walk

RACY_NS = 2_000_000_000
"""A file changed within 2 s of the scan may change again with the same signature (`storage.md` §6)."""
FRESH_NS = 50_000_000
"""A file changed within the last 50 ms may be half written (`storage.md` §6)."""
TRIES = 3


@dataclass(frozen=True, slots=True)
class Seen:
    """One entry file as last read. `memory` is its last good version; `problem` says what is wrong with the file.

    `trusted`: an equal signature means equal bytes, because the file had rested for 2 s. `missed` counts the scans
    that did not find it.
    """

    signature: Signature
    sha: str
    memory: Memory | None
    problem: Problem | None = None
    trusted: bool = True
    missed: int = 0


@dataclass(frozen=True, slots=True)
class Scan:
    """One look at the whole folder.

    `files` by present path, in walk order; `memories` by id in every state, without the shallower copies of a
    duplicate (`spec/bank.md` §2.6); `changed` are paths that are new or hold other bytes; `gone` are paths whose
    file is away for good; `unsettled` are those to look at again soon: half written, or missing for the first time.
    """

    files: Mapping[str, Seen]
    memories: Mapping[str, Memory]
    changed: frozenset[str]
    gone: frozenset[str]
    unsettled: tuple[str, ...]
    problems: tuple[Problem, ...]
    twins: tuple[Twins, ...]
    encrypted: int


@dataclass(slots=True)
class _Look:
    """A scan under way."""

    disk: Disk
    root: Path
    previous: Mapping[str, Seen]
    now: int
    files: dict[str, Seen] = field(default_factory=dict)
    changed: set[str] = field(default_factory=set)
    unsettled: list[str] = field(default_factory=list)


def scan(
    disk: Disk,
    root: Path,
    previous: Mapping[str, Seen] | None = None,
    *,
    order: Sequence[str] | None = None,
    ids: Mapping[str, str] | None = None,
) -> Scan:
    """Walk the bank and read what changed since `previous`.

    `order` are the paths of a valid `index.json`: given (it may be empty), every live memory gets its ordinal anew,
    first that order, then path order (`decisions.md` §3.6); None keeps the ordinals of `previous` and puts new files
    behind them in path order. `ids` maps a path to the id of its memory where that was made elsewhere (a rename).
    One bad file or folder is a problem in the result, never an error. Raises `StorageFailure` when the root itself
    cannot be listed.
    """
    walked = walk(disk, root)
    look = _Look(disk, root, previous or {}, disk.time_ns())
    names = _ids(walked.files, ids or {})
    ordinals = _ordinals(walked.files, look.previous, order)
    for path, signature in walked.files.items():
        if seen := _see(look, path, signature, names[path], ordinals.get(path, 0)):
            look.files[path] = seen
    gone = _keep_missing(look, walked)
    return _result(look, walked, gone)


def settled(
    disk: Disk,
    root: Path,
    previous: Mapping[str, Seen] | None = None,
    *,
    order: Sequence[str] | None = None,
    ids: Mapping[str, str] | None = None,
    wait: Callable[[float], None] = time.sleep,
) -> Scan:
    """`scan`, up to three times 50 ms apart while files are half written or have just vanished.

    `changed` and `gone` are those of all tries together.
    """
    found = scan(disk, root, previous, order=order, ids=ids)
    for _ in range(TRIES - 1):
        if not found.unsettled:
            break
        wait(FRESH_NS / 1e9)
        again = scan(disk, root, found.files, order=order, ids=ids)
        changed = (found.changed | again.changed) - again.gone
        found = replace(again, changed=changed, gone=(found.gone | again.gone) - again.files.keys())
    return found


def _ids(paths: Mapping[str, Signature], known: Mapping[str, str]) -> dict[str, str]:
    """The id of each file: where it was made; when two claim it, live wins over archive over the newest trash.

    A file that loses is named by where it lies, so ids stay unique.
    """
    rank = {"live": 0, "archived": 1, "trashed": 2}
    aside = [path for path in paths if path[0] == "."]
    aside.sort(reverse=True)
    aside.sort(key=lambda path: rank[state_of(path)])
    names: dict[str, str] = {}
    taken: set[str] = set()
    for path in (*(path for path in paths if path[0] != "."), *aside):
        name = known.get(path) or made_at(path)
        names[path] = path if name in taken else name
        taken.add(names[path])
    return names


def _ordinals(
    paths: Mapping[str, Signature], previous: Mapping[str, Seen], order: Sequence[str] | None
) -> dict[str, int]:
    """The ordinal of each live path. Byte order of UTF-8 is the order of code points, so strings compare right."""
    live = [path for path in paths if path[0] != "."]
    if order is not None:
        first = [path for path in dict.fromkeys(order) if path in paths and path[0] != "."]
        listed = set(first)
        return {path: n for n, path in enumerate((*first, *sorted(path for path in live if path not in listed)))}
    kept = {path: seen.memory.ordinal for path in live if (seen := previous.get(path)) and seen.memory}
    start = max(kept.values(), default=-1) + 1
    new = sorted(path for path in live if path not in kept)
    return kept | {path: start + n for n, path in enumerate(new)}


def _see(look: _Look, path: str, signature: Signature, id: str, ordinal: int) -> Seen | None:
    """One file: as it was when it did not change, else read again; None when it has just vanished."""
    before = look.previous.get(path)
    if before and before.trusted and before.signature == signature:
        return _placed(before, id, ordinal)
    trusted = abs(look.now - signature.mtime_ns) >= RACY_NS
    if path.endswith(".md.enc"):
        problem = Problem(path, "The file is encrypted and cannot be read here.")
        return _noted(look, path, Seen(signature, "", None, problem, trusted), before)
    try:
        data = look.disk.read(f"{look.root}/{path}")
    except Missing:
        return None
    except MemdeskError as error:
        kept = before.memory if before else None
        return Seen(signature, before.sha if before else "", kept, Problem(path, str(error)), trusted=False)
    sha = hashlib.sha256(data).hexdigest()
    if before and before.sha == sha and before.problem is None:
        return _placed(replace(before, signature=signature, trusted=trusted, missed=0), id, ordinal)
    return _read(look, path, data, Seen(signature, sha, None, None, trusted), (id, ordinal))


def _read(look: _Look, path: str, data: bytes, seen: Seen, place: tuple[str, int]) -> Seen:
    """A file with new bytes: parsed, or its last good version while it is half written."""
    before = look.previous.get(path)
    good = before.memory if before else None
    try:
        half = _half_written(data)
        memory = None if half and not data else _parsed(path, data, seen.sha, place)
    except MemdeskError as error:
        return _noted(look, path, replace(seen, memory=None, problem=Problem(path, str(error))), before)
    age = abs(look.now - seen.signature.mtime_ns)
    if age < (RACY_NS if half else FRESH_NS):
        look.unsettled.append(path)
    if before is not None and good is not None and (half or age < FRESH_NS):
        problem = Problem(path, half) if half else before.problem
        return replace(before, signature=seen.signature, problem=problem, trusted=seen.trusted, missed=0)
    problem = Problem(path, half) if half else None
    return _noted(look, path, replace(seen, memory=memory, problem=problem), before)


def _half_written(data: bytes) -> str:
    """What makes a file look half written, as a sentence; "" when nothing does."""
    if not data:
        return "The file is empty; restore it from the history or move it away."
    if data[:6].lstrip(b"\xef\xbb\xbf").startswith(b"---") and is_open(decode(data, "replace")):
        return "The front matter is never closed; add a line --- after it."
    return ""


def _parsed(path: str, data: bytes, sha: str, place: tuple[str, int]) -> Memory:
    return parse(
        data, id=place[0], path=path, state=state_of(path), ordinal=place[1], trashed_at=trashed_at(path), sha=sha
    )


def _placed(seen: Seen, id: str, ordinal: int) -> Seen:
    """What was seen, under the id and at the place that it has now."""
    memory = seen.memory
    if memory is not None and (memory.id != id or memory.ordinal != ordinal):
        seen = replace(seen, memory=replace(memory, id=id, ordinal=ordinal))
    return seen if not seen.missed else replace(seen, missed=0)


def _noted(look: _Look, path: str, seen: Seen, before: Seen | None) -> Seen:
    """The file as read now, marked as changed unless it says what it said."""
    if before is None or before.sha != seen.sha or before.signature != seen.signature:
        look.changed.add(path)
    return seen


def _keep_missing(look: _Look, walked: Walked) -> set[str]:
    """Files that were there before: kept once, and where a folder cannot be read; else gone (`storage.md` §6).

    A file whose bytes turned up elsewhere in this scan was moved, and is gone at once.
    """
    arrived = {look.files[path].sha for path in look.changed if look.files[path].sha}
    gone = set()
    for path, seen in look.previous.items():
        if path in look.files:
            continue
        if walked.hides(path):
            look.files[path] = seen
        elif seen.missed or not seen.memory or seen.sha in arrived:
            gone.add(path)
        else:
            look.files[path] = replace(seen, missed=1)
            look.unsettled.append(path)
    return gone


def _result(look: _Look, walked: Walked, gone: set[str]) -> Scan:
    """The scan, with ids unique and the copies of duplicates left out."""
    twins = _twins(look)
    hidden = {path for group in twins for path in group.paths if path not in group.kept}
    memories: dict[str, Memory] = {}
    for path, seen in look.files.items():
        if seen.memory is not None and path not in hidden and seen.memory.id not in memories:
            memories[seen.memory.id] = seen.memory
    problems = (*walked.problems, *(seen.problem for seen in look.files.values() if seen.problem))
    encrypted = sum(path.endswith(".md.enc") for path in look.files)
    return Scan(
        look.files,
        memories,
        frozenset(look.changed),
        frozenset(gone),
        tuple(look.unsettled),
        problems,
        twins,
        encrypted,
    )


def _twins(look: _Look) -> tuple[Twins, ...]:
    """The files of one identity in two layouts, compared by their bytes (`spec/bank.md` §2.6)."""
    owners = {
        path: seen.memory.owner if seen.memory else ""
        for path, seen in look.files.items()
        if path[0] != "." and not seen.missed
    }
    return tuple(judge(paths, {path: _bytes(look, path) for path in paths}) for paths in twin_groups(owners))


def _bytes(look: _Look, path: str) -> bytes | None:
    try:
        return look.disk.read(os.path.join(look.root, path))  # noqa: PTH118 - a bank-relative path
    except MemdeskError:
        return None
