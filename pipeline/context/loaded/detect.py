"""Which layouts a folder holds: a project, an agent's own folder, or one memory folder, told by what stands in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pipeline.context.loaded.claude_folder import INDEX
from pipeline.context.loaded.claude_memory import claude_memory
from pipeline.context.loaded.codex import RAW, SUMMARY, codex_memories
from pipeline.context.loaded.gemini_memory import NAME as GEMINI_MEMORY
from pipeline.context.loaded.gemini_memory import gemini_memory
from pipeline.context.loaded.hermes import SEPARATOR, hermes
from pipeline.context.loaded.instructions import instructions
from pipeline.context.loaded.loaded import Loaded
from pipeline.context.loaded.places import Places, memory_folder, slugs
from pipeline.context.loaded.reading import (
    Room,
    Walk,
    closed,
    entries,
    inside,
    is_file,
    is_folder,
    is_link,
    read,
    there,
    walk,
)
from pipeline.context.loaded.tools import TOOLS

MOST_PROJECTS = 1_000
MOST_BELOW = 20_000
"""Names below a project that are looked at for further instruction files."""


@dataclass(frozen=True, slots=True)
class Detected:
    """The layouts of a folder, and sentences about what was too large to be looked at whole."""

    layouts: tuple[Loaded, ...]
    notes: tuple[str, ...] = ()


def detect(folder: Path, places: Places) -> Detected:
    """Every layout that is there, memories first. The folder itself is never changed, and no link out is followed."""
    memories = tuple(_memories(folder, places))
    found, notes = _instructions(folder, places, alone=all(one.name == GEMINI_MEMORY for one in memories))
    links = [memory for memory in _memory_folders(folder, places) if is_link(memory)]
    notes += tuple(f"{memory} is a link to another folder; name that one to look at it." for memory in links)
    return Detected((*memories, *found), notes + tuple(_closed(folder)))


def _closed(folder: Path) -> Iterator[str]:
    """The folders where a memory would be and nobody may look: what they hold is unknown, not lost."""
    projects = _folders(folder / "projects")
    memories = (here / "memory" for here in (folder, *_folders(folder), *projects))
    for here in (folder / "memories", folder / "projects", *projects, *memories):
        if is_folder(here) and (fault := closed(here)):
            yield unseen(here, fault)


def unseen(folder: Path, fault: str) -> str:
    """A sentence about a folder that was left out."""
    return f"{folder} cannot be looked into: {fault}; change that to see what is lost there."


def is_loaded(folder: Path, places: Places) -> bool:
    """Whether an agent loads anything of this folder: cheaper than `detect`, since hardly more than names is read."""
    if any(_kind(here, places) for here in (folder, folder / "memories")) or any(_memory_folders(folder, places)):
        return True
    own = any(folder == place and any(is_file(folder / name) for name in names) for place, names in _own(places))
    there_are = (folder / name for tool in TOOLS for name in tool.each if isinstance(name, str))
    rules = (folder / name.folder for tool in TOOLS for name in tool.each if not isinstance(name, str))
    return own or any(is_file(path) for path in there_are) or any(is_folder(path) for path in rules)


def _own(places: Places) -> Iterator[tuple[Path, tuple[str, ...]]]:
    for tool in TOOLS:
        for place, names in tool.own(places):
            yield place, tuple(name for name in names if isinstance(name, str))


def _memories(folder: Path, places: Places) -> Iterator[Loaded]:
    for here in (folder, folder / "memories"):
        match _kind(here, places):
            case "codex":
                yield codex_memories(here)
            case "hermes":
                yield hermes(here)
            case "claude":
                yield claude_memory(here, places)
    room = Room()
    for here in _memory_folders(folder, places):
        if not is_link(here):
            yield claude_memory(here, places, room=room)
    if (gemini := gemini_memory(folder)) is not None:
        yield gemini
    if (own := _of_project(folder, places)) is not None:
        yield claude_memory(own, places, folder, room)


def _kind(folder: Path, places: Places) -> str:
    """Whose memory a folder is itself: `codex`, `hermes`, `claude`, or nobody's."""
    names = _names(folder)
    if {SUMMARY, RAW} & names:
        return "codex"
    if _of_others(folder, names):
        return ""
    if _is_hermes(folder, names, places):
        return "hermes"
    return "claude" if INDEX in names else ""


def _is_hermes(folder: Path, names: frozenset[str], places: Places) -> bool:
    if not {INDEX, "USER.md"} & names:
        return False
    known = folder == places.hermes / "memories" or folder.parent.name == ".hermes"
    return known or "USER.md" in names or SEPARATOR in (line.strip() for line in read(folder / INDEX, folder).lines)


def _of_others(folder: Path, names: frozenset[str]) -> bool:
    """OpenClaw's workspace and Maka's file are called the same and know no such limits (`spec/formats.md` §14)."""
    if "SOUL.md" in names or ("memory" in names and not is_file(folder / "memory" / INDEX)):
        return True
    return any("<!-- maka-memory:" in line for line in read(folder / INDEX, folder).lines)


def _memory_folders(folder: Path, places: Places) -> Iterator[Path]:
    """Claude Code's memory folders below a folder: one project's, those of all projects, or those of a whole home."""
    patterns = (folder, *(_folders(folder)), *_folders(folder / "projects"))
    for here in patterns:
        memory = here / "memory"
        if is_folder(memory) and _holds_memory(memory, places):
            yield memory


def _holds_memory(memory: Path, places: Places) -> bool:
    names = _names(memory)
    below = inside(memory, places.projects) and any(name.endswith(".md") for name in names)
    return INDEX in names or below


def _of_project(folder: Path, places: Places) -> Path | None:
    """The auto memory of a project, where Claude Code keeps it: under the name of its main checkout, or as set."""
    if any(inside(folder, own) for own in (places.claude, places.codex, places.hermes, places.gemini)):
        return None
    if (moved := memory_folder(places)) is not None:
        return moved if _is_project(folder) and is_file(moved / INDEX) else None
    own = (places.projects / name / "memory" for name in slugs(folder))
    return next((memory for memory in own if is_folder(memory) and not is_link(memory)), None)


def _instructions(folder: Path, places: Places, *, alone: bool) -> tuple[tuple[Loaded, ...], tuple[str, ...]]:
    """What each tool loads for the folder; of an agent's own folder what it loads for every project."""
    for tool in TOOLS:
        if any(folder == own for own, _ in tool.own(places)):
            own_only = instructions(tool, None, places)
            return ((own_only,) if own_only else ()), ()
    if not alone and not _is_project(folder):
        return (), ()
    below = _below(folder, places)
    files = {path for path in below.files if path.parent != folder}
    found = (instructions(tool, folder, places, files) for tool in TOOLS)
    notes = () if below.complete else (f"Below {folder} only the first {MOST_BELOW:,} names were looked at.",)
    return tuple(loaded for loaded in found if loaded is not None), notes


def _below(folder: Path, places: Places) -> Walk:
    if inside(places.home, folder):
        return Walk(())  # the home folder is no project, and everything lies below it
    names = tuple(name for tool in TOOLS for name in tool.names)
    listed = walk(folder, names, most=MOST_BELOW)
    return Walk(tuple(path for path in listed.files if path.name in names), listed.complete)


def _is_project(folder: Path) -> bool:
    each = partial(lambda name: there(folder / name))
    return any(each(name) for tool in TOOLS for name in tool.each if isinstance(name, str)) or each(".git")


def _folders(folder: Path) -> list[Path]:
    return [folder / one.name for one in entries(folder, MOST_PROJECTS) if one.is_dir(follow_symlinks=False)]


def _names(folder: Path) -> frozenset[str]:
    return frozenset(one.name for one in entries(folder))
