"""Sessions and the transcripts of any tool: found, taken from folders, read as what a person says that they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.screen import ModalScreen
from textual.widgets import Static

from store.bank import Bank
from tests.pipeline.formats.base_files import CODEX, GEMINI, OPENCLAW
from tests.pipeline.formats.writing import dump, user
from tests.tui.conftest import Opened
from tests.tui.screen import screen_text
from tests.tui.sessions_world import demo, go_to, nowhere, press, screen_of, sessions, until
from tui.options import DEMO

__all__ = ["demo", "nowhere"]
UUID = "019e3a10-5b7c-7d02-9c11-2f4e6a8b0c3d"


def put(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


async def test_sessions_of_every_tool_stand_in_the_list(
    bank: Bank, opened: Opened, nowhere: Path, own_folders: Path
) -> None:
    put(own_folders / ".codex" / "sessions" / "2026" / "05" / "18" / f"rollout-x-{UUID}.jsonl", dump(CODEX))
    put(own_folders / ".gemini" / "tmp" / "tide" / "chats" / "session-1.jsonl", dump(GEMINI))
    put(own_folders / ".openclaw" / "agents" / "main" / "sessions" / "7f3e.jsonl", dump(OPENCLAW))
    async with opened(bank, size=(140, 40)) as pilot:
        text = await sessions(pilot)
        assert all(f" {name} " in text for name in ("codex", "gemini-cli", "openclaw"))
        assert "019e3a10" in text and "tide" in text
        go_to(pilot, "7f3e")
        await press(pilot, "enter")
        await until(pilot, lambda: "first words" in screen_text(pilot.app))


async def test_a_folder_is_taken_as_the_transcripts_in_it(bank: Bank, opened: Opened, nowhere: Path) -> None:
    folder = nowhere / "backup"
    put(folder / "a.jsonl", dump([user("the first", "u1")]))
    put(folder / "b.json", json.dumps([{"role": "user", "content": "x"}]).encode())
    put(folder / "users.json", json.dumps([{"role": "user", "content": "x"}]).encode())
    async with opened(bank) as pilot:
        await sessions(pilot)
        screen_of(pilot).ask_for_file(str(folder))
        await press(pilot, "enter")
        await until(pilot, lambda: len(screen_of(pilot).items) == 2)
        assert {Path(item.path).name for item in screen_of(pilot).items} == {"a.jsonl", "b.json"}


async def test_a_folder_without_a_transcript_is_one_sentence_in_the_box(
    bank: Bank, opened: Opened, nowhere: Path
) -> None:
    (nowhere / "empty").mkdir()
    async with opened(bank, size=(140, 40)) as pilot:
        await sessions(pilot)
        screen_of(pilot).ask_for_file(str(nowhere / "empty"))
        await until(pilot, lambda: isinstance(pilot.app.screen, ModalScreen))
        await press(pilot, "enter")
        fault = pilot.app.screen.query_one("#fault", Static)
        await until(pilot, lambda: "empty is a folder without a transcript; give one" in str(fault.render()))
        assert screen_of(pilot).items == ()


async def test_a_file_is_read_as_the_format_that_a_person_names_and_stays_so(
    bank: Bank, opened: Opened, nowhere: Path
) -> None:
    """Its content says messages; the person says Claude Code, and every later look goes by that."""
    record = user("Remember that the quay closes at nine.", "u1") | {"role": "user", "content": "not this"}
    path = put(
        nowhere / "claude" / "projects" / "-home-x" / "s1.jsonl", dump([{"role": "user", "content": "x"}, record])
    )
    async with opened(bank, size=(140, 40)) as pilot:
        await sessions(pilot)
        go_to(pilot, "s1")
        await press(pilot, "f")
        await press(pilot, *"claude-code", "enter")
        await until(pilot, lambda: bool(screen_of(pilot).contents))
        assert screen_of(pilot).read_as == {str(path): "claude-code"}
        assert "Remember that the quay closes at" in screen_text(pilot.app)
        await press(pilot, "R")
        await until(pilot, lambda: "claude-code/s1" in bank.view().rows("sessions"))
        (item,) = screen_of(pilot).items
        assert (item.format, item.path) == ("claude-code", str(path))


async def test_prompts_whose_transcripts_are_all_there_say_so(bank: Bank, opened: Opened, nowhere: Path) -> None:
    put(nowhere / "claude" / "projects" / "-home-x" / "s1.jsonl", dump([user("x", "u1")]))
    line = {"display": "x", "pastedContents": {}, "timestamp": 1777629600000, "project": "/home/x", "sessionId": "s1"}
    put(nowhere / "claude" / "history.jsonl", dump([line]))
    async with opened(bank, size=(140, 40)) as pilot:
        await sessions(pilot)
        go_to(pilot, "history")
        await press(pilot, "enter")
        await until(
            pilot, lambda: "history.jsonl: the transcripts of all these prompts are there." in screen_text(pilot.app)
        )


async def test_a_fault_in_a_person_s_table_leaves_the_built_in_formats(
    bank: Bank, opened: Opened, nowhere: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pipeline.formats.table import own_file

    put(own_file(), b'[format.codex]\nplaces = ["logs"]\n')
    put(nowhere / "claude" / "projects" / "-home-x" / "s1.jsonl", dump([user("x", "u1")]))
    async with opened(bank) as pilot:
        assert "s1" in await sessions(pilot)


async def test_a_demo_shows_its_own_transcripts_and_nothing_of_a_person_s_own_places(
    demo: Bank, opened: Opened, tmp_path: Path
) -> None:
    from pipeline.formats.table import own_file

    lies = put(tmp_path / "logs" / "my-own.jsonl", dump(CODEX))
    put(own_file(), f'[format.codex]\nplaces = ["{lies.parent.as_posix()}/*.jsonl"]\n'.encode())
    async with opened(demo, size=(140, 40)) as pilot:
        assert "my-own" in await sessions(pilot)
    async with opened(demo, size=(140, 40), name=DEMO) as pilot:
        text = await sessions(pilot)
        assert "my-own" not in text and "5b1f0c2e" in text
