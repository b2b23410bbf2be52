"""A memory in the person's own editor, from the Bank."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from store.bank import Bank
from store.changes import Changeset, PutMemory
from store.vault.disk import NoSpace
from tests.tui.conftest import Opened
from tests.tui.screen import press


async def test_the_editor_edits_the_whole_file(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "editor.sh"
    script.write_text("#!/bin/sh\nsed -i 's/green/oolong/g' \"$1\"\n")
    script.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(script))
    monkeypatch.delenv("VISUAL", raising=False)
    async with opened(bank) as pilot:
        monkeypatch.setattr(type(pilot.app), "suspend", _no_terminal)
        assert "Saved the text of tea." in await press(pilot, "E")
    assert "oolong tea before noon" in bank.view().live[0].statement


@pytest.mark.parametrize("where, older", [("/^statement:/", True), ("", False), ("/^subject:/", False)])
async def test_a_statement_that_is_changed_over_its_old_text_is_told_of(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: str, older: bool
) -> None:
    """In the editor the text below the front matter is the person's own: it is left, and said to be the earlier one."""
    script = tmp_path / "editor.sh"
    script.write_text(f"#!/bin/sh\nsed -i '{where}s/green\\|tea$/oolong/g' \"$1\"\n")
    script.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(script))
    monkeypatch.delenv("VISUAL", raising=False)
    async with opened(bank, size=(160, 24)) as pilot:
        monkeypatch.setattr(type(pilot.app), "suspend", _no_terminal)
        text = " ".join((await press(pilot, "E")).split())
        assert "Saved the text of tea." in text
        assert ("The text below its --- still says the earlier statement;" in text) is older


async def test_an_editor_that_fails_changes_nothing_and_says_so(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    async with opened(bank) as pilot:
        monkeypatch.setattr(type(pilot.app), "suspend", _no_terminal)
        monkeypatch.setenv("EDITOR", "false")
        assert "'false' ended with code 1; nothing was changed." in await press(pilot, "E")
        monkeypatch.setenv("EDITOR", "no-such-editor-here")
        assert "'no-such-editor-here' cannot be started" in await press(pilot, "E")


async def test_what_an_editor_saved_comes_back_when_it_cannot_be_written(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The disk is full: `E` opens the editor with that text again, others' edits are joined with it."""
    script, real = tmp_path / "editor.sh", bank.commit
    script.write_text(f'#!/bin/sh\ncp "$1" {tmp_path}/seen\nsed -i \'s/green/oolong/g\' "$1"\n')
    script.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(script))
    monkeypatch.delenv("VISUAL", raising=False)

    def full(changeset: Changeset) -> Any:
        raise NoSpace("There is no space left; free some and try again.")

    async with opened(bank) as pilot:
        monkeypatch.setattr(type(pilot.app), "suspend", _no_terminal)
        monkeypatch.setattr(bank, "commit", full)
        text = " ".join((await press(pilot, "E")).split())
        assert "free some and try again. What you typed is kept: E opens it again." in text
        assert "What you typed last could not be saved." in await press(pilot, "q")
        await press(pilot, "n")
        monkeypatch.setattr(bank, "commit", real)
        id = bank.view().live[0].id
        bank.commit(Changeset([PutMemory(id, {"tags": ("drinks",)})], "tag tea"))
        assert "Saved the text of tea. Joined with an edit of" in " ".join((await press(pilot, "E")).split())
        assert "oolong" in (tmp_path / "seen").read_text()
        memory = bank.view().memories[id]
        assert memory.statement == "oolong tea before noon, coffee makes her jumpy" and memory.tags == ("drinks",)
        assert "oolong" in await press(pilot, "E") and "oolong" in (tmp_path / "seen").read_text()
        assert not pilot.app.typed  # type: ignore[attr-defined]


def _no_terminal(self: Any) -> Any:
    from contextlib import nullcontext

    return nullcontext()
