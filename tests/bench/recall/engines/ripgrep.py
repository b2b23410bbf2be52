"""ripgrep over one file with a line for each row: a process for each word of each keystroke."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import ClassVar

from tests.bench.recall.corpus import Row
from tests.bench.recall.engines.engine import Engine, NotMeasured


class Ripgrep(Engine):
    """All words as they are, without case, in file order."""

    name: ClassVar[str] = "ripgrep"
    every: ClassVar[int] = 24
    changes: ClassVar[bool] = False

    def __init__(self) -> None:
        places = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", "")))
        found = shutil.which("rg", path=places)
        if found is None:
            raise NotMeasured("ripgrep is not installed; `make bench-recall` installs it.")
        self._program = found

    def build(self, rows: Sequence[Row], folder: Path) -> None:
        """Number, tab, text."""
        with (folder / "rows.txt").open("w", encoding="utf-8") as file:
            file.writelines(f"{at}\t{' '.join(row.text.split())}\n" for at, row in enumerate(rows))

    def open(self, folder: Path) -> None:
        """Nothing is opened before it is asked."""
        self._file = folder / "rows.txt"

    def search(self, text: str, k: int) -> Sequence[int]:
        """The lines that hold the first word, of these the ones that hold the next."""
        first, *others = text.split() or [""]
        if not first:
            return []
        lines = self._run(first, str(self._file))
        for word in others:
            lines = self._run(word, "-", lines)
        return [int(line.split(b"\t", 1)[0]) for line in islice(lines.splitlines(), k)]

    def _run(self, word: str, where: str, lines: bytes = b"") -> bytes:
        words = [self._program, "--no-config", "-N", "-i", "-F", "-e", word, where]
        return subprocess.run(words, input=lines, capture_output=True, check=False).stdout
