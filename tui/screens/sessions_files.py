"""What the Sessions screen looks up on a thread: sizes and times of files, and the model that the settings name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pipeline.transcripts import Transcript, known_paths
from store.config import load_config
from store.view import View
from tui.extracting import model_settings


def sizes(view: View) -> Mapping[str, tuple[int, int]]:
    """Bytes and times of the ledger's files that are still there."""
    found: dict[str, tuple[int, int]] = {}
    for path in known_paths(view):
        try:
            state = Path(path).stat()
        except (OSError, ValueError):
            continue
        found[path] = (state.st_size, state.st_mtime_ns // 1_000_000)
    return found


def named_file(path: str) -> Transcript:
    """A file that nobody has read yet and that is in no usual place."""
    try:
        state = Path(path).stat()
    except OSError:
        return Transcript(path, path, "", Path(path).stem, there=False)
    return Transcript(path, path, "", Path(path).stem, size=state.st_size, modified=state.st_mtime_ns // 1_000_000)


def model_words() -> str:
    """Which model is used, and how to change it."""
    settings = model_settings(load_config())
    if settings is None:
        return "offline rules; `memdesk config set model NAME` uses a language model"
    at = f" at {settings.api_base}" if settings.api_base else ""
    return f"{settings.model}{at}; `memdesk config set model ''` goes back to the offline rules"
