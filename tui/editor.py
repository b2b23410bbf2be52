"""A text in the person's own editor: with the workbench out of the way until it is closed, or from a command."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from store.errors import BadInput, StorageFailure

if TYPE_CHECKING:
    from textual.app import App

Run = Callable[[list[str]], int]
"""Runs a command line until it ends and says with which code; raises `OSError` when it cannot be started."""


def command(environ: Mapping[str, str] | None = None) -> list[str]:
    """The editor's words from `VISUAL`, else `EDITOR`, else `vi`; raises `BadInput` when they cannot be read."""
    environ = os.environ if environ is None else environ
    written = environ.get("VISUAL") or environ.get("EDITOR") or "vi"
    try:
        words = shlex.split(written)
    except ValueError:
        words = []
    if not words:
        raise BadInput(f"$EDITOR is {written!r}, which is no command; set it to your editor.")
    return words


def run_here(words: list[str]) -> int:
    """Run the editor in this terminal."""
    return subprocess.run(words, check=False).returncode


def edit(app: App[Any], data: bytes, name: str) -> str | None:
    """`edited`, while the workbench waits."""
    return edited(data, name, partial(_suspended, app))


def edited(data: bytes, name: str, run: Run = run_here) -> str | None:
    """What the editor made of a file's bytes, or None when they are as they were.

    `name` is the name of the temporary file, so that the editor knows what it is. Raises `BadInput` when there is no
    such editor, it failed, left no file, or saved what is no UTF-8 (then it says where that is kept); `StorageFailure`
    when no file can be made.
    """
    words = command()
    with tempfile.TemporaryDirectory(prefix="memdesk-") as folder:
        path = Path(folder, name)
        try:
            path.write_bytes(data)
        except OSError as error:
            raise StorageFailure(f"No file for the editor: {error.strerror}.") from error
        code = _code([*words, str(path)], run)
        saved = path.read_bytes() if path.is_file() else None
    if code:
        kept = f" {keep(saved, name)}" if saved not in {None, data} else ""
        raise BadInput(f"{words[0]!r} ended with code {code}; nothing was changed.{kept}")
    if saved is None:
        raise BadInput("The editor left no file; nothing was changed.")
    try:
        return None if saved == data else saved.decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput(f"What the editor saved is no UTF-8 text; nothing was changed. {keep(saved, name)}") from error


def keep(saved: bytes, name: str) -> str:
    """Put what an editor saved, and no memory can take, into a file of its own; the sentence that says where.

    `name` is that of the memory's file.
    """
    try:
        handle, path = tempfile.mkstemp(suffix=Path(name).suffix, prefix="memdesk-")
        with os.fdopen(handle, "wb") as file:
            file.write(saved)
    except OSError as error:
        return f"It could not be kept elsewhere either: {error.strerror}."
    return f"What you saved is kept in {path}."


def _code(words: list[str], run: Run) -> int:
    try:
        return run(words)
    except OSError as error:
        raise BadInput(f"{words[0]!r} cannot be started ({error.strerror}); set $EDITOR to your editor.") from error


def _suspended(app: App[Any], words: list[str]) -> int:
    from textual.app import SuspendNotSupported

    try:
        with app.suspend():
            return run_here(words)
    except SuspendNotSupported as error:
        raise BadInput("An editor cannot be started from here; use e to edit in place.") from error
