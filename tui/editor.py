"""A text in the person's own editor, with the workbench out of the way until it is closed."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual.app import App, SuspendNotSupported

from store.errors import BadInput, StorageFailure


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


def edit(app: App[Any], data: bytes, name: str) -> str | None:
    """What the editor made of a file's bytes, or None when they are as they were.

    `name` is the name of the temporary file, so that the editor knows what it is. Raises `BadInput` when there is no
    such editor, it failed, or saved something that is no UTF-8; `StorageFailure` when the file cannot be made.
    """
    words = command()
    with tempfile.TemporaryDirectory(prefix="memdesk-") as folder:
        path = Path(folder, name)
        try:
            path.write_bytes(data)
        except OSError as error:
            raise StorageFailure(f"No file for the editor: {error.strerror}.") from error
        _run(app, [*words, str(path)])
        try:
            edited = path.read_bytes()
            return None if edited == data else edited.decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput("What the editor saved is no UTF-8 text; nothing was changed.") from error


def _run(app: App[Any], words: list[str]) -> None:
    try:
        with app.suspend():
            code = subprocess.run(words, check=False).returncode
    except SuspendNotSupported as error:
        raise BadInput("An editor cannot be started from here; use e to edit in place.") from error
    except OSError as error:
        raise BadInput(f"{words[0]!r} cannot be started ({error.strerror}); set $EDITOR to your editor.") from error
    if code:
        raise BadInput(f"{words[0]!r} ended with code {code}; nothing was changed.")
