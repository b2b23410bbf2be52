"""The log: warnings for whoever mends things, rotated, in the user's log folder, never entry text."""

from __future__ import annotations

import logging
from pathlib import Path

from store.places import log_home

NAME = "memdesk.log"
SIZE = 512 * 1024
"""Bytes after which the log file is put aside; one older file is kept."""


def log_file() -> Path:
    """Where the log is."""
    return log_home() / NAME


def start_log() -> None:
    """Send the warnings of Memdesk to the log file; a folder that cannot be written leaves them unsaid."""
    logger = logging.getLogger("memdesk")
    if any(handler.name == NAME for handler in logger.handlers):
        return  # others may listen besides
    logger.propagate = False
    from logging.handlers import RotatingFileHandler  # not on the way to the first frame

    try:
        log_file().parent.mkdir(parents=True, exist_ok=True)
        handler: logging.Handler = RotatingFileHandler(log_file(), maxBytes=SIZE, backupCount=1, encoding="utf-8")
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    handler.set_name(NAME)
    handler.setLevel(logging.WARNING)
    logger.addHandler(handler)
