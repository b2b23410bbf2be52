"""What the global options of a call say; apart from how they are read, for the way that needs no reading."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

COMPLETING = "_MEMDESK_COMPLETE"
"""Set by a shell that asks for completions instead of running the command."""


@dataclass
class Options:
    """What the global options say: the bank, the agent spoken for, and how to answer."""

    bank: str | None = None
    agent: str | None = None
    json: bool = False
    read_only: bool = False
    no_mouse: bool = False
    project: bool = False
    verbose: bool = False


def plain(arguments: Sequence[str]) -> str | None:
    """The path of a call that says nothing but which bank to open ("" for the default one), None for any other."""
    rest = list(arguments[1:] if arguments[:1] == ["open"] else arguments)
    named = arguments[:1] == ["open"] and len(rest) == 1 and not rest[0].startswith("-")
    if COMPLETING in os.environ or (rest and not named):
        return None
    return rest[0] if named else ""
