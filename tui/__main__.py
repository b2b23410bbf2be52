"""`memdesk` and `python -m tui`: the way in for people and scripts."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command that the arguments name and exit with its code."""
    from tui.cli.main import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
