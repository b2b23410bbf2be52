"""`memdesk` and `python -m tui`: the way in for people and scripts."""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Sequence

STARTING = 1_000_000
"""New objects before garbage is looked for: what starting makes stays, so looking through it is time lost."""


def main() -> None:
    """Run the command that the arguments name and exit with its code."""
    gc.set_threshold(STARTING)
    _open_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal that cannot show a script is told its codes
    sys.exit(_run(sys.argv[1:]))


def _run(arguments: Sequence[str]) -> int:
    """The workbench at once where nothing has to be parsed, else the command."""
    from tui.cli.asked import Options, plain

    if "--count" in arguments and _counted(arguments):
        return 0
    if (path := plain(arguments)) is None:
        from tui.cli.main import run

        return run(arguments)
    from tui.cli.workbench import open_workbench

    try:
        return open_workbench(Options(), path)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        from tui.cli.main import failed

        return failed(arguments, error)


def _counted(arguments: Sequence[str]) -> bool:
    """Print what `review --count` prints, at the price of a glance; False when the command has to look itself."""
    from tui.cli.counted import answer, asks_count

    asked = asks_count(arguments)
    said = answer(asked) if asked is not None else None
    if said is None:
        return False
    try:
        print(said, flush=True)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # whoever asked has gone
    except OSError:
        return False
    return True


def _open_closed() -> None:
    """Give a program that was started with closed streams empty ones: a file must not take their numbers."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - open until the end


if __name__ == "__main__":
    main()
