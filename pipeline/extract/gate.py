"""May a session be mined at all? (`spec/extraction.md` §16)."""

from __future__ import annotations

from pipeline.extract.effects import Snapshot
from pipeline.extract.options import Options


def closed(options: Options, snapshot: Snapshot) -> str:
    """Why the gate is closed for this trigger (`disabled`, `ineligible`), or "" when it is open."""
    if not options.enabled:
        return "disabled"
    child = snapshot.origin == "subagent" or snapshot.delegation_depth > 0
    return "ineligible" if options.exclude_subagents and child else ""
