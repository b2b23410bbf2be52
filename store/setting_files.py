"""The setting files of an open bank: read whole, written and taken back like memories (`decisions.md` §4.12).

Their bytes before and after stand in frames, history and objects like a memory's; they are never entries of the vault.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from store import guard
from store.changes import Changeset, PutSettingFile
from store.draft import Draft, Plan, setting_draft
from store.errors import BadInput, Changed, MemdeskError, NotPermitted, StorageFailure
from store.memory import Problem
from store.objects import sha_of
from store.setting_file import FOLDER, FOLDERS, SettingFile, check_setting_path, is_setting_name, read_setting
from store.state import State
from store.vault.disk import Disk, Found

APPROVAL = "Setting files are written when a person approves them; an agent can only propose one."


def read_folder(disk: Disk, root: Path) -> tuple[dict[str, SettingFile], tuple[Problem, ...]]:
    """Every setting file of a bank by its path, and what could not be read; a folder that is not there is empty.

    A link that leads out of the bank is not followed.
    """
    files: dict[str, SettingFile] = {}
    problems: list[Problem] = []
    for path, found in _listed(disk, root, problems):
        try:
            if found.signature is None or not _inside(root, path):
                raise BadInput("The link leads out of the bank and is not followed.")
            data = disk.read(root / path)
            files[path] = read_setting(path, data, sha_of(data))
        except MemdeskError as error:
            problems.append(Problem(path, str(error)))
    return files, tuple(problems)


def _listed(disk: Disk, root: Path, problems: list[Problem]) -> Iterator[tuple[str, Found]]:
    try:
        names = {found.name for found in disk.scandir(root / FOLDER)}
        for folder in FOLDERS.values():
            if folder.partition("/")[0] in names:
                for found in disk.scandir(root / FOLDER / folder):
                    if not found.is_folder and is_setting_name(found.name):
                        yield f"{FOLDER}/{folder}/{found.name}", found
    except StorageFailure as failure:
        problems.append(Problem(FOLDER, str(failure)))


def _inside(root: Path, path: str) -> bool:
    return os.path.realpath(root / path).startswith(os.path.realpath(root) + os.sep)


def look(state: State) -> bool:
    """Read the folder again; whether anything is different. A file that is behind the journal is left as committed."""
    files, problems = read_folder(state.disk, state.root)
    for path in state.waiting:
        files.pop(path, None)
        if path in state.setting_files:
            files[path] = state.setting_files[path]
    if files == state.setting_files and problems == state.setting_problems:
        return False
    state.setting_files, state.setting_problems = files, problems
    state.revision += 1
    return True


def plan_setting(plan: Plan, changeset: Changeset, change: PutSettingFile) -> None:
    """Work out one setting file: compared with what is there now, checked for secrets.

    Raises `NotPermitted` for an agent, `Changed` when the file is not the one that was decided on, `BadInput` and
    `SecretFound` for what cannot be written.
    """
    if changeset.agent is not None:
        raise NotPermitted(APPROVAL)
    path = check_setting_path(change.path)
    draft = setting_draft(plan, path) or _new(plan, path)
    if (None if draft.data is None else sha_of(draft.data)) != change.base:
        raise Changed(_difference(path, change.base))
    before = "" if draft.data is None else draft.data.decode("utf-8", "replace")
    guard.check_secrets(changeset, before, change.text or "")
    draft.path, draft.data = (None, None) if change.text is None else (path, _bytes(change.text))


def _new(plan: Plan, path: str) -> Draft:
    return plan.drafts.setdefault(path, Draft(path, None, None, None, None))


def _bytes(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise BadInput("The text holds half a character; clean it and try again.") from error


def _difference(path: str, base: str | None) -> str:
    if base is None:
        return f"There is a file {path} already; look at the difference, then decide again."
    return f"{path} was changed meanwhile; look at the difference, then decide again."
