"""`memdesk` and `python -m tui`: the way in for people and scripts."""

from __future__ import annotations

import gc
import io
import sys

STARTING = 50_000
"""New objects before garbage is looked for: what starting makes stays, so looking through it is time lost."""


def main() -> None:
    """Run the command that the arguments name and exit with its code."""
    gc.set_threshold(STARTING)
    from tui.cli.main import run

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a script is told its codes
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
