"""The demo's transcripts, usual places that are empty, and what a person does on the Sessions screen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline import review
from pipeline.transcripts import Transcript
from store import clock
from store.bank import Bank
from tests.tui.conftest import settle
from tests.tui.screen import screen_text
from tui.app import Workbench
from tui.demo.build import build_demo, places
from tui.screens.sessions import SessionsScreen


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bank]:
    """The demo's bank, its transcripts in the usual places."""
    folder = tmp_path / "demo"
    bank = build_demo(folder)
    for name, value in places(folder).items():
        monkeypatch.setenv(name, value)
    yield bank
    bank.close()


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Usual places that are not there."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "dsh"))
    return tmp_path


def bench(pilot: Any) -> Workbench:
    assert isinstance(pilot.app, Workbench)
    return pilot.app


def show(pilot: Any) -> str:
    text = screen_text(pilot.app)
    print(text)
    return text


def screen_of(pilot: Any) -> SessionsScreen:
    found = [screen for screen in bench(pilot).visited() if isinstance(screen, SessionsScreen)]
    assert found
    return found[0]


async def sessions(pilot: Any) -> str:
    bench(pilot).open_screen("sessions")
    await settle(pilot)
    return screen_text(pilot.app)


async def press(pilot: Any, *keys: str) -> str:
    await pilot.press(*keys)
    await settle(pilot)
    return show(pilot)


async def until(pilot: Any, true: Callable[[], bool]) -> None:
    for _ in range(5_000):
        if true():
            return
        await pilot.pause()
    raise AssertionError(screen_text(pilot.app))


def go_to(pilot: Any, beginning: str) -> Transcript:
    screen = screen_of(pilot)
    item = next(item for item in screen.items if item.name.startswith(beginning))
    assert screen.rows.go_to(item.id)
    return item


def waiting(bank: Bank) -> set[str]:
    return {one.statement for one in review.queue(bank.view(), clock.millis())}


def bytes_of(bank: Bank) -> dict[str, str]:
    root = Path(bank.view().root)
    files = [path for path in root.rglob("*") if path.is_file()]
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def claude(folder: Path, name: str, *texts: str, tail: bytes = b"") -> Path:
    """A transcript in which the person typed these texts."""
    path = folder / "projects" / "-home-mei-api" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, text in enumerate(texts):
        record = {"type": "user", "uuid": f"{name}-{number}", "sessionId": name, "cwd": "/home/mei/api"}
        record |= {"timestamp": f"2026-11-30T1{number % 10}:00:00.000Z"}
        lines.append(json.dumps(record | {"message": {"role": "user", "content": text}}, ensure_ascii=False))
    path.write_bytes("\n".join(lines).encode() + b"\n" + tail)
    return path
