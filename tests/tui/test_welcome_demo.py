"""The demo in a real terminal: by its command and from the welcome screen, under its name, gone afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.terminal import MEMDESK, Terminal
from tui.home import at_home


@pytest.mark.parametrize("words, keys", [(["demo"], ""), ([], "d")])
def test_the_demo_is_called_demo_and_leaves_nothing(tmp_path: Path, words: list[str], keys: str) -> None:
    home, temporary = tmp_path / "home", tmp_path / "tmp"
    home.mkdir()
    temporary.mkdir()
    env = {"HOME": str(home), "TMPDIR": str(temporary), "MEMDESK_BANK": "", "YOTTA_MEMORY_HOME": "", "COLUMNS": "80"}
    with Terminal([*MEMDESK, *words], columns=150, rows=30, env=env) as terminal:
        if keys:
            terminal.wait_for("look at the demo", 30)
            assert "There is no bank at ~/.yottamemory yet." in terminal.text()
            terminal.send(keys)
        terminal.wait_for("Green tea before noon", 30)
        terminal.wait_for(" demo   58 memories", 30)
        assert "memdesk-demo-" not in terminal.text()
        assert "Opening" not in terminal.text()
        terminal.send("4")
        terminal.wait_for("claude-code", 30)
        terminal.send("q")
        assert terminal.wait(30) == 0
    assert not list(temporary.glob("memdesk-demo-*"))
    assert not (home / ".yottamemory").exists()


def test_home_is_written_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ana")
    assert [at_home(path) for path in ("/home/ana/bank", "/home/ana", "/home/anabel/bank", "/srv/ana")] == [
        "~/bank",
        "~",
        "/home/anabel/bank",
        "/srv/ana",
    ]
