"""A project whose agent files lose something of three kinds, for the command line and for the screen."""

from __future__ import annotations

from pathlib import Path

from pipeline.context.loaded.places import slug

RED = "- \x1b[31mred\x1b[0m [bold]b[/bold] \u202etext [x](gone.md)"
"""A line that is cut, with signs that would act on a terminal and a link that leads nowhere."""


def lossy_project(home: Path) -> Path:
    """Write the project in a home: an index three lines too long, and rules that contradict each other."""
    folder = home / "tidepool"
    (folder / ".git").mkdir(parents=True)
    (folder / "CLAUDE.md").write_text("- Use tabs for indentation\n", encoding="utf-8")
    (folder / "CLAUDE.local.md").write_text("- Use spaces for indentation\n", encoding="utf-8")
    memory = home / ".claude" / "projects" / slug(folder) / "memory"
    memory.mkdir(parents=True)
    lines = [f"- line {number}" for number in range(1, 202)]
    (memory / "MEMORY.md").write_text("\n".join([*lines, RED, "- last"]), encoding="utf-8")
    return folder
