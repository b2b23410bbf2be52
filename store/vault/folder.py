"""Whether a folder is a bank, and what it is when it is none (`spec/bank.md` §1.6, `decisions.md` §3.1)."""

from __future__ import annotations

from pathlib import Path

from store.errors import StorageFailure
from store.vault.disk import Disk

MARKS = ("facts", "private", "keys", "index.json")
"""Any of these names makes a folder a bank."""
MEMORY_INDEX = "MEMORY.md"


def is_bank(folder: Path, disk: Disk | None = None) -> bool:
    """Whether a folder holds any of `facts`, `private`, `keys`, `index.json`; False when it cannot be read."""
    try:
        return any(found.name in MARKS for found in (disk or Disk()).scandir(folder))
    except StorageFailure:
        return False


def looks_like(folder: Path, disk: Disk | None = None) -> str:
    """What a folder that is no bank looks like and what can be done: one sentence for a person."""
    disk = disk or Disk()
    try:
        there = disk.signature(folder) is not None
    except StorageFailure as failure:
        return str(failure)
    if not there:
        return f"{folder} is not there; check the path, or make a bank with `memdesk init {folder}`."
    if not folder.is_dir():
        return f"{folder} is a file, not a folder; give the folder that holds `facts` and `private`."
    try:
        names = {found.name for found in disk.scandir(folder)}
    except StorageFailure as failure:
        return str(failure)
    return _described(folder, names)


def _described(folder: Path, names: set[str]) -> str:
    """The sentence for a folder that can be read, by the names in it."""
    if not names:
        return f"{folder} is empty; make a bank in it with `memdesk init {folder}`."
    if ".yottamemory" in names:
        return f"{folder} holds a bank in .yottamemory; open {folder / '.yottamemory'} instead."
    if sentence := _of_an_agent(folder, names):
        return sentence
    if ".git" in names:
        return f"{folder} is a git repository without a bank; make one in it with `memdesk init {folder}`."
    if ".obsidian" in names:
        return f"{folder} is a folder of notes, not a bank; make a bank elsewhere with `memdesk init PATH`."
    count = len(names)
    things = "one thing" if count == 1 else f"{count} things"
    return f"{folder} holds {things} but no bank (`facts` or `private`); check the path, or `memdesk init {folder}`."


def agents_folder(folder: Path, disk: Disk | None = None) -> str:
    """Why no bank is made in a folder that an agent goes on writing, in one sentence; "" for any other folder."""
    try:
        return _of_an_agent(folder, {found.name for found in (disk or Disk()).scandir(folder)})
    except StorageFailure:
        return ""


def _of_an_agent(folder: Path, names: set[str]) -> str:
    """The sentence for the memory folder of an agent, by the names in it."""
    if {"memory_summary.md", "raw_memories.md"} & names:
        return (
            f"{folder} looks like Codex's memory folder; a bank has its own folder: make one with `memdesk init PATH`."
        )
    if MEMORY_INDEX in names and "USER.md" in names:
        return f"{folder} looks like an agent's memory folder; a bank has its own: make one with `memdesk init PATH`."
    if MEMORY_INDEX in names:
        return (
            f"{folder} looks like a Claude auto-memory folder, which Claude goes on writing; "
            "make a bank elsewhere with `memdesk init PATH`."
        )
    return ""
