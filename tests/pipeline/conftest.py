"""What tests of the pipeline share: a clock that stands still, and one child process for all calls of a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.model import LitellmDoor, ModelSettings
from pipeline.worker import Worker
from tests.cli.desk import NOW, Desk, new_desk


@pytest.fixture
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is always the same morning."""
    monkeypatch.setenv("MEMDESK_NOW", "2026-11-30T10:00:00+00:00")


@pytest.fixture(scope="session")
def worker() -> Iterator[Worker]:
    """One child process for all calls of all tests: each start of litellm takes seconds."""
    shared = Worker()
    yield shared
    shared.close()


@pytest.fixture
def door(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> LitellmDoor:
    """A door to the shared child; each test points it at its own server."""
    shared = LitellmDoor(ModelSettings("openai/scripted"))
    monkeypatch.setattr(shared, "_worker", worker)
    return shared


@pytest.fixture
def lent(door: LitellmDoor, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of this test use the shared child."""

    def open_door(settings: ModelSettings | None) -> LitellmDoor:
        assert settings is not None
        door.settings = settings
        return door

    monkeypatch.setattr("tui.cli.extract.open_door", open_door)
    monkeypatch.setattr(door, "close", lambda: None)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A bank whose model is asked for facts alone, many messages at a time."""
    monkeypatch.setenv("MEMDESK_NOW", NOW)
    found = new_desk(tmp_path)
    for name in ("insights", "suggestions", "small_model"):
        assert found("config", "set", name, "off").code == 0
    return found
