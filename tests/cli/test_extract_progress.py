"""While a big transcript is read, a terminal shows how far it is; a pipe, and a small file, show nothing."""

from __future__ import annotations

import io
from contextlib import redirect_stderr
from pathlib import Path

import pytest

from tests.cli.desk import Desk
from tests.pipeline.formats.writing import dump, user
from tui.cli import reading
from tui.cli.transcripts import read_given


class Terminal(io.StringIO):
    """Standard error that a person sits before."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    return Terminal()


def transcript(path: Path) -> str:
    path.write_bytes(dump([user("I live in Oslo.", f"u{number}") for number in range(50)]))
    return str(path)


def test_a_terminal_shows_how_far_a_big_file_is(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "WORTH", 1)
    with redirect_stderr(terminal):
        given = read_given([transcript(tmp_path / "a[b]\x1b.jsonl")], None)
    assert len(given.sessions) == 1
    shown = terminal.getvalue()
    size = (tmp_path / "a[b]\x1b.jsonl").stat().st_size / 1000
    assert "reading a[b]" in shown and f"{size:.1f}/{size:.1f} kB" in shown
    assert "\x1b.jsonl" not in shown
    assert shown.endswith("\x1b[1A\x1b[2K")


def test_a_small_file_shows_nothing_on_the_way(terminal: Terminal, tmp_path: Path) -> None:
    with redirect_stderr(terminal):
        read_given([transcript(tmp_path / "a.jsonl")], None)
    assert terminal.getvalue() == ""


def test_a_pipe_is_told_nothing_on_the_way(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "WORTH", 1)
    path = transcript(tmp_path / "a.jsonl")
    assert desk("extract", path, "--offline").err == f"{path}: a Claude Code transcript\n"


def test_several_files_are_one_line_that_never_goes_back(
    terminal: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "WORTH", 1)
    files = [Path(transcript(tmp_path / name)) for name in ("a.jsonl", "b.jsonl")]
    size = files[0].stat().st_size
    with redirect_stderr(terminal), reading.progress_of(files) as look:
        for path in files:
            told = look(path)
            assert told is not None
            told(size * 3)
    assert f"{size * 2 / 1000:.1f}/{size * 2 / 1000:.1f} kB" in terminal.getvalue()
