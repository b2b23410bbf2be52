"""Places on this machine as a person writes them."""

from __future__ import annotations

from pathlib import Path


def at_home(path: str | Path) -> str:
    """The path with `~` for the person's own folder."""
    text = str(path)
    try:
        home = str(Path.home())
    except RuntimeError:  # nobody knows where home is
        return text
    return "~" + text[len(home) :] if text == home or text.startswith(home.rstrip("/") + "/") else text
