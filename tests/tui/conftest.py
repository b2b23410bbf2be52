"""A real bank in a temporary folder, and the workbench on it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from store.bank import Bank
from store.changes import Changeset, PutMemory
from tui.app import Workbench
from tui.options import Options

NOW = "2026-11-30T12:00:00+00:00"
ROUND = 0.004
"""Seconds of a round of waiting."""
Row = tuple[str, str, str]
SAMPLE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("PREF", {"subject": "tea", "statement": "green tea before noon, coffee makes her jumpy", "owner": "ana"}),
    ("FACT", {"subject": "tea order", "statement": "Kenji orders for the Lisbon office", "created": "2026-11-01"}),
    ("FACT", {"subject": "東京の新しいオフィス", "statement": "has a tea room", "created": "2026-10-30"}),
    (
        "BOUND",
        {
            "subject": "Priya",
            "statement": "never black tea after noon",
            "owner": "ana",
            "created": "2026-10-12",
        },
    ),
    ("COMMIT", {"subject": "retro", "statement": "bring twelve boxes", "owner": "ana", "created": "2025-09-20"}),
)

MakeBank = Callable[..., Bank]
Home = Callable[..., Path]
Opened = Callable[..., AbstractAsyncContextManager[Pilot[int]]]


@pytest.fixture(autouse=True)
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is always the same noon."""
    monkeypatch.setenv("MEMDESK_NOW", NOW)


@pytest.fixture
def quick_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A round of waiting for an idle program takes 4 ms, not Textual's 20: two for each key, dozens in each test.

    For screens whose tests wait for what is said to be going on (`busy`), and for no timer that nobody tells of.
    """
    monkeypatch.setattr("textual._wait.SLEEP_GRANULARITY", ROUND)


@pytest.fixture
def make_bank(tmp_path: Path) -> MakeBank:
    """Makes a bank with these memories (type, fields)."""

    def make(memories: Sequence[tuple[str, dict[str, Any]]] = SAMPLE) -> Bank:
        bank = Bank.create(tmp_path / "bank", state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
        for kind, fields in memories:
            bank.commit(Changeset([PutMemory(None, {"type": kind, **fields})], f"remember {fields.get('subject', '')}"))
        return bank

    return make


@pytest.fixture
def bank(make_bank: MakeBank) -> Bank:
    """A bank with a few memories of all types."""
    return make_bank()


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bank]:
    """The demo's bank with eight waiting proposals."""
    from tui.demo.build import build_demo

    monkeypatch.setattr("tui.screens.review_look.INSPECT_AFTER", 0.001)
    bank = build_demo(tmp_path / "demo")
    yield bank
    bank.close()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """Makes the provider home that the workbench finds; until then there is no provider."""
    from tests.tui.context_world import provider

    def make(script: str = "", **rest: Any) -> Path:
        folder = provider(tmp_path / "provider", script, **rest)
        monkeypatch.setenv("YOTTA_PROVIDER_HOME", str(folder))
        return folder

    return make


@pytest.fixture
def quick_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """The provider is asked again 10 ms after the last key: for tests that are not about its waiting."""
    monkeypatch.setattr("tui.screens.context_hook.REST", 0.01)


@pytest.fixture
def opened() -> Opened:
    """Opens the workbench on a bank: `async with opened(bank, size=(80, 24)) as pilot`."""

    @asynccontextmanager
    async def open_workbench(bank: Any, size: tuple[int, int] = (80, 24), **options: Any) -> AsyncIterator[Pilot[int]]:
        app = Workbench(bank, options=Options(**{"watch": False, "remember": False, **options}))
        async with app.run_test(size=size) as pilot:
            await settle(pilot)
            yield pilot
            assert app.faults == 0
            if app.has_bank:
                app.desk.close(5.0)

    return open_workbench


async def settle(pilot: Pilot[int]) -> None:
    """Wait until nothing is looked for, written or drawn any more."""
    app = pilot.app
    assert isinstance(app, Workbench)
    calm = 0
    for _ in range(500):
        await pilot.pause()
        busy = app.has_bank and (app.desk.busy or app.desk.pending or app.desk.search.busy)
        still = not busy and all(worker.is_finished or worker.group in WAITING for worker in app.workers)
        calm = calm + 1 if still else 0
        if calm == CALM:
            return


CALM = 4
"""Rounds without anything going on after which nothing is expected any more."""

WAITING = frozenset({"default", "leaving"})
"""Groups of workers that wait for a person's answer."""
