"""A machine of its own for these tests: a home folder, a project, and files in both."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pipeline.context.loaded.loaded import Cited, Loaded, Loss, Piece
from pipeline.context.loaded.loss import LossReport, loss_report
from pipeline.context.loaded.places import Places, places, slug

NOW = "2026-11-30T12:00:00+00:00"


@dataclass(frozen=True)
class Machine:
    """A home folder and a project below it."""

    home: Path
    project: Path

    @property
    def places(self) -> Places:
        return places(self.home, {})

    @property
    def memory(self) -> Path:
        """Claude Code's memory folder of the project."""
        return self.home / ".claude" / "projects" / slug(self.project) / "memory"

    def report(self, path: Path | None = None, here: Path | None = None) -> LossReport:
        return loss_report(path, here=here, home=self.home, environ={})

    def transcript(self, name: str, written: str) -> Path:
        path = put(self.memory.parent / f"{name}.jsonl", "{}\n")
        at = datetime.fromisoformat(written).timestamp()
        os.utime(path, (at, at))
        return path


def put(path: Path, text: str | bytes) -> Path:
    """Write a file with the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def told(loaded: Loaded) -> list[tuple[str, str, str]]:
    """Fate, file and lines of every piece."""
    return [(piece.fate, piece.name, piece.lines) for piece in loaded.pieces]


def piece(loaded: Loaded, name: str) -> Piece:
    """The only piece of a file."""
    (found,) = [one for one in loaded.pieces if one.name == name]
    return found


def of(report: LossReport, kind: str) -> list[tuple[str, str]]:
    """Place and title of every loss of a kind."""
    return [(loss.place, loss.title) for loss in report.losses if loss.kind == kind]


def cited(loss: Loss) -> list[tuple[str, int, str]]:
    """File, number and text of the lines of a loss."""
    return [(line.name, line.line, line.text) for line in loss.lines if isinstance(line, Cited)]


def tree(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder with its bytes and the time of its last change."""
    files = (path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}
