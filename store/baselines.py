"""Named baselines of context packs: one file each in the user's state folder, never in a bank.

The store keeps the document, under one line with the few fields that a list shows; what it means is the pipeline's
business. A baseline holds the text of memories, so it is its owner's alone and named by a hash.
"""

from __future__ import annotations

import hashlib
import json
import os
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from store import places
from store.config import replace_file
from store.errors import BadInput, StorageFailure

FOLDER = "baselines"
LONGEST = 60
"""Characters of a name: it stands in one row with what is told about it."""


@dataclass(frozen=True, slots=True)
class Saved:
    """A baseline as a list shows it: its name, when it was made (ISO instant), for whom, and how many lines it has."""

    name: str
    made: str
    agent: str
    lines: int


def check_baseline_name(name: str) -> str:
    """The name as it is kept: composed, without outer spaces. Raises `BadInput` for one that no row could show."""
    name = unicodedata.normalize("NFC", name.strip())
    if not name or len(name) > LONGEST or not name.isprintable():
        raise BadInput(
            f"A baseline needs a name of 1 to {LONGEST} visible characters on one line; give it another one."
        )
    return name


def baseline_folder(root: Path) -> Path:
    """Where the baselines of the bank at `root` lie. Raises `StorageFailure` when that would be inside the bank."""
    folder = places.state_home() / FOLDER / places.bank_key(root)
    if Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(root)):
        raise StorageFailure(f"The state folder {places.state_home()} lies in the bank; set XDG_STATE_HOME elsewhere.")
    return folder


def save_baseline(root: Path, name: str, document: Mapping[str, Any]) -> bool:
    """Keep a document under a name, in one step; whether one of that name was replaced.

    Raises `BadInput` for a name that cannot be used, `StorageFailure` when the folder refuses: the earlier one stays.
    """
    name = check_baseline_name(name)
    path = _path(root, name)
    there = os.path.exists(path)  # noqa: PTH110 - Path.exists raises where it may not look
    head = {"name": name, "made": document.get("made"), "agent": document.get("agent")}
    head["lines"] = len(document.get("lines") or ())
    text = f"{json.dumps(head)}\n{json.dumps({**document, 'name': name}, ensure_ascii=False)}\n"
    replace_file(path, text.encode("utf-8", "surrogatepass"))
    return there


def load_baseline(root: Path, name: str, agent: str) -> dict[str, Any]:
    """The document of that name. Raises `BadInput` when there is none, or when its file is damaged.

    Its sentence names what is kept for `agent`, and nothing of the others'.
    """
    name = check_baseline_name(name)
    document = _read(_path(root, name), line=1)
    if document is None:
        known = ", ".join(repr(saved.name) for saved in baselines(root) if saved.agent == agent)
        there = f"choose one of {known}" if known else "save one first, with `memdesk context --save NAME`"
        raise BadInput(f"There is no baseline {name!r} that can be read; {there}.")
    return document


def delete_baseline(root: Path, name: str) -> None:
    """Take a baseline away. Raises `BadInput` when there is none, `StorageFailure` when the folder refuses."""
    path = _path(root, check_baseline_name(name))
    try:
        path.unlink()
    except FileNotFoundError as error:
        raise BadInput(f"There is no baseline {name!r}; nothing was deleted.") from error
    except OSError as error:
        raise StorageFailure(f"{path} cannot be deleted: {error.strerror}.") from error


def baselines(root: Path) -> tuple[Saved, ...]:
    """The baselines of a bank, newest first; files that cannot be read are left out."""
    heads = (_read(path, line=0) for path in _files(baseline_folder(root)))
    found = [saved for head in heads if head is not None and (saved := _saved(head)) is not None]
    return tuple(sorted(found, key=lambda saved: (saved.made, saved.name), reverse=True))


def _files(folder: Path) -> list[Path]:
    try:
        return list(folder.glob("*.json"))
    except OSError:  # nobody may look there
        return []


def _path(root: Path, name: str) -> Path:
    return baseline_folder(root) / f"{hashlib.sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:32]}.json"


def _read(path: Path, line: int) -> dict[str, Any] | None:
    """The head that a list shows (line 0), which costs no more however long the pack is, or the document (line 1)."""
    if not os.path.isfile(path):  # noqa: PTH113 - Path.is_file raises where it may not look; a pipe would hold us
        return None
    try:
        with path.open("rb") as file:
            found = next(islice(file, line, None), b"")
        value = json.loads(found)
    except (OSError, ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _saved(head: Mapping[str, Any]) -> Saved | None:
    name, made, agent, lines = (head.get(key) for key in ("name", "made", "agent", "lines"))
    if not (isinstance(name, str) and isinstance(made, str) and isinstance(agent, str) and isinstance(lines, int)):
        return None
    return Saved(name, made, agent, lines)
