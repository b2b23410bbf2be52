"""How far the reading of big transcripts is, on a terminal: a line on standard error that goes away again."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tui.literal import literal, one_line

WORTH = 8 << 20
"""Bytes from which on a person would wonder what goes on."""
_NAME = 40

Reading = Callable[[Path], Callable[[int], None] | None]
"""Gives what is told how many bytes of a file were read, None where nobody looks."""


def unseen(path: Path) -> None:
    """Nobody looks at how far it is."""


@contextmanager
def progress_of(files: Sequence[Path]) -> Iterator[Reading]:
    """Shows how far each of the files is, when standard error is a terminal and they are big enough."""
    sizes = {path: _size(path) for path in files}
    if not sys.stderr.isatty() or sum(sizes.values()) < WORTH:
        yield unseen
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("reading {task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeRemainingColumn(),
    )
    shown = Progress(*columns, console=Console(stderr=True), transient=True)
    task = shown.add_task("", total=sum(sizes.values()))
    before = 0

    def look(path: Path) -> Callable[[int], None]:
        nonlocal before
        start, before = before, before + sizes[path]
        shown.update(task, completed=start, description=literal(one_line(path.name, _NAME)))
        return lambda done: shown.update(task, completed=start + min(done, sizes[path]))

    with shown:
        yield look


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except (OSError, ValueError):
        return 0
