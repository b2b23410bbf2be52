"""What is seen: the workbench and the commands.

Two things must be settled before Textual and Rich are imported, so they happen with this package: the frame rate, and
that a `NO_COLOR` without a value asks for nothing.
"""

from __future__ import annotations

import os
from collections.abc import MutableMapping

FRAMES_PER_SECOND = "120"
"""A letter typed is two frames, the box and the rows; at 120 a second the second one comes a third sooner."""


def settle_environment(environ: MutableMapping[str, str]) -> None:
    """Set the frame rate unless the person did, and drop an empty `NO_COLOR` (`decisions.md` §6.5)."""
    environ.setdefault("TEXTUAL_FPS", FRAMES_PER_SECOND)
    if environ.get("NO_COLOR") == "":
        del environ["NO_COLOR"]


settle_environment(os.environ)
