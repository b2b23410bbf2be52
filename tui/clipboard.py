"""Copying that is honest: the system's own tool where there is one, else the terminal, which never answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from textual.app import App

REMOTE = ("SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT")


def with_tool(text: str, environ: Mapping[str, str]) -> bool:
    """Copy with the system's tool; False where there is none, or where it would be another machine's clipboard."""
    if any(environ.get(name) for name in REMOTE):
        return False
    import pyperclip

    try:
        pyperclip.copy(text)
    except (pyperclip.PyperclipException, OSError, ValueError):
        return False
    return True


def copy(app: App[Any], text: str, what: str, tool: Callable[[str, Mapping[str, str]], bool] = with_tool) -> str:
    """Copy `text` (called `what` in the answer); the sentence says only what can be known."""
    if tool(text, os.environ):
        return f"Copied {what}."
    app.copy_to_clipboard(text)
    return f"Sent {what} to the terminal's clipboard; it gives no answer, so look before you paste."
