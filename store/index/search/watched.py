"""A file that another program may replace, delete or damage at any moment: when it has to be looked at again."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

Stamp = tuple[int, int, int] | None
"""Inode, time of change in nanoseconds and size; None where no file is."""


class Watched:
    """Remembers which file lay at `path` when it was last looked at."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._seen: Stamp | str = "never"
        self.in_place = False
        """Whether the last change was one of the very file that lay there: who has mapped it sees it change."""

    @property
    def there(self) -> bool:
        """Whether a file lay there at the last look."""
        return isinstance(self._seen, tuple)

    def changed(self) -> bool:
        """Whether another file lies there than at the last look; this is a look."""
        stamp = stamp_of(self.path)
        before, self._seen = self._seen, stamp
        if stamp != before:
            self.in_place = isinstance(before, tuple) and stamp is not None and stamp[0] == before[0]
        return stamp != before

    def set_aside(self) -> None:
        """Delete the file if it is still the one last looked at: what cannot be used is told once, not each time."""
        if stamp_of(self.path) == self._seen:
            with suppress(OSError):
                self.path.unlink()
            self._seen = stamp_of(self.path)


def stamp_of(path: Path) -> Stamp:
    """What tells the file at `path` from others that lay or will lie there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
