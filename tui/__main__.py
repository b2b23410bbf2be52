"""`memdesk` and `python -m tui`: the way in for people and scripts."""

from __future__ import annotations

import gc
import io
import os
import sys

STARTING = 50_000
"""New objects before garbage is looked for: what starting makes stays, so looking through it is time lost."""


def main() -> None:
    """Run the command that the arguments name and exit with its code."""
    gc.set_threshold(STARTING)
    _open_closed()
    from tui.cli.main import run

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a script is told its codes
    sys.exit(run(sys.argv[1:]))


def _open_closed() -> None:
    """Give a program that was started with closed streams empty ones: a file must not take their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open until the end


if __name__ == "__main__":
    main()
