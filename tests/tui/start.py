"""Start the main job in a real terminal: the demo opens, shows its memories and what waits, and ends on `q`."""

from __future__ import annotations

from tests.tui.terminal import MEMDESK, Terminal


def main() -> None:
    """Open the demo, visit the review queue, leave."""
    with Terminal([*MEMDESK, "demo"], columns=100, rows=30) as terminal:
        terminal.wait_for("Green tea before noon", 30)
        terminal.send("2")
        terminal.wait_for("WOULD CHANGE", 30)
        terminal.send("q")
        code = terminal.wait(30)
    if code != 0:
        raise SystemExit(f"The demo ended with {code}.")


if __name__ == "__main__":
    main()
