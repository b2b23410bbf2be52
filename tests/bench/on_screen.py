"""A measured program: the workbench on one bank, with a driver that notes when updates were ready to be written."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from textual import events
from textual.drivers.headless_driver import HeadlessDriver
from textual.screen import ModalScreen
from textual.widgets import Input

from pipeline.review.waiting import Waiting
from store.bank import Bank
from tests.tui.screen import screen_text
from tui.app import Workbench
from tui.options import Options
from tui.screens.context import ContextScreen
from tui.screens.context_build import Preview
from tui.screens.review import ReviewScreen

SIZE = (120, 36)
QUIET = 0.08
"""Seconds without an update after which the screen counts as settled."""
NAMES = {"/": "slash", "+": "plus", "-": "minus"}
"""What Textual calls the keys that are no letters."""
MARK = re.compile(r"berth-\d+")
"""The word of a proposal in the banks of `queues.py`."""
STALL = 0.004
"""A turn of the event loop that took longer was busy, not quiet."""


class Noting(HeadlessDriver):
    """Encodes like a terminal's driver, and keeps the instant instead of the bytes."""

    written: list[float]
    sent: list[str]

    @property
    def is_headless(self) -> bool:
        """Updates are encoded."""
        return False

    def write(self, data: str) -> None:
        """An update is ready for the terminal."""
        if "\x1b[" in data and len(data) > len("\x1b[?2026h\x1b[?2026l"):
            self.written.append(perf_counter())
            self.sent.append(data)


class Probe:
    """Presses keys as the driver would, and times the updates that follow."""

    def __init__(self, app: Workbench) -> None:
        self.app = app
        self.written: list[float] = []
        self.sent: list[str] = []
        self.presented: list[float] = []
        """When each preview of a pack was there to be drawn."""
        self.longest = 0.0
        """Seconds of the longest turn of the event loop since it was asked for."""

    async def press(self, key: str) -> tuple[float, float]:
        """One key: seconds until the first update was ready, and until the last one before all was quiet."""
        assert self.app._driver is not None
        self.written.clear()
        self.sent.clear()
        start = perf_counter()
        self.app._driver.send_message(events.Key(NAMES.get(key, key), key if len(key) == 1 else None))
        busy = await self._wait(start)
        while perf_counter() - max(self.written[-1], busy) < QUIET or not self._idle():
            busy = await self.turn(busy)
        return self.written[0] - start, self.written[-1] - start

    async def ask(self, key: str) -> None:
        """One key that brings up a question, whose asker waits for the answer."""
        assert self.app._driver is not None
        self.written.clear()
        self.app._driver.send_message(events.Key(key, key))
        start = perf_counter()
        while not isinstance(self.app.screen, ModalScreen) or perf_counter() - max([start, *self.written]) < QUIET:
            await self.turn(start)
            if perf_counter() - start > 10:
                raise RuntimeError(f"The key {key!r} asked nothing.")

    async def _wait(self, start: float) -> float:
        busy = start
        while not self.written:
            busy = await self.turn(busy)
            if perf_counter() - start > 10:
                raise RuntimeError("A key was pressed and the screen never changed.")
        return busy

    def _idle(self) -> bool:
        return all(worker.is_finished for worker in self.app.workers)

    async def turn(self, busy: float) -> float:
        """One turn of the event loop; the end of the latest one that was busy."""
        before = perf_counter()
        await asyncio.sleep(0.001)
        now = perf_counter()
        self.longest = max(self.longest, now - before)
        return now if now - before > STALL else busy

    async def settle(self) -> None:
        """Wait until rows are shown and nothing moves."""
        busy = perf_counter()
        while not self.written or perf_counter() - max(self.written[-1], busy) < 0.5 or not self._idle():
            busy = await self.turn(busy)


async def longest(probe: Probe) -> float:
    """Seconds of the longest turn of the event loop since this was asked last."""
    longest, probe.longest = probe.longest, 0.0
    return longest


async def indexed(probe: Probe) -> None:
    """Type a letter and wait until all memories are searched for it."""
    await probe.press("/")
    await probe.press("e")
    while probe.app.desk.search.partial:
        await asyncio.sleep(0.1)
    await probe.press("backspace")


async def press(probe: Probe, keys: Sequence[str]) -> list[tuple[float, float]]:
    """Press keys one after the other."""
    return [await probe.press(key) for key in keys]


async def agree(probe: Probe, asked: str, answer: str) -> None:
    """Press a key that asks, and the one that answers; wait until all that follows is there."""
    await probe.ask(asked)
    await probe.press(answer)


async def decide(probe: Probe, keys: Sequence[str]) -> list[tuple[float, float]]:
    """Press keys that decide: seconds until the update with the next proposal was ready, and until all was quiet."""
    return [await _decide(probe, key) for key in keys]


async def _decide(probe: Probe, key: str) -> tuple[float, float]:
    review = probe.app.framed
    assert isinstance(review, ReviewScreen)
    after = review.listed.get(review.listed.id(review.rows.cursor + 1))
    assert isinstance(after, Waiting)
    words = MARK.findall(after.statement)[-1]
    first, settled = await probe.press(key)
    at = next(at for at, data in enumerate(probe.sent) if words in data)
    return first + probe.written[at] - probe.written[0], settled


async def redraw(probe: Probe, keys: Sequence[str]) -> list[float]:
    """Press keys that try another pack: seconds until the update that draws it was ready."""
    return [await _redraw(probe, key) for key in keys]


async def _redraw(probe: Probe, key: str) -> float:
    start = perf_counter()
    await probe.press(key)
    while not (made := probe.presented[-1]) > start or not probe.written[-1] >= made:
        await probe.turn(start)
        if perf_counter() - start > 10:
            raise RuntimeError(f"The key {key!r} made no new pack.")
    return next(at for at in probe.written if at >= made) - start


def note_previews(presented: list[float]) -> None:
    """Note when the Context screen is given a preview to draw."""
    present = ContextScreen.present

    def noting(screen: ContextScreen, preview: Preview, because: str | None) -> None:
        presented.append(perf_counter())
        present(screen, preview, because)

    ContextScreen.present = noting  # type: ignore[method-assign,assignment]


async def shown(probe: Probe) -> str:
    """The screen as text."""
    return screen_text(probe.app)


REQUESTS: dict[str, Callable[..., Awaitable[Any]]] = {
    "press": press,
    "longest": longest,
    "indexed": indexed,
    "agree": agree,
    "decide": decide,
    "redraw": redraw,
    "shown": shown,
}


async def serve(probe: Probe) -> None:
    """Answer the requests of standard input while the workbench runs, then end it."""
    out = sys.stdout
    app = probe.app
    note_previews(probe.presented)
    app.driver_class = type("Driver", (Noting,), {"written": probe.written, "sent": probe.sent})
    running = asyncio.create_task(app.run_async(size=SIZE))
    await probe.settle()
    for box in app.screen.query(Input):
        box.cursor_blink = False
    while line := await asyncio.to_thread(sys.stdin.readline):
        what, *arguments = json.loads(line)
        answer = await REQUESTS[what](probe, *arguments)
        print(json.dumps(answer), file=out, flush=True)
    app.exit(0)
    await running


def main() -> None:
    """Open the workbench on the bank that the arguments name."""
    bank = Bank.open(Path(sys.argv[1]))
    options = Options(watch=False, remember=False)
    asyncio.run(serve(Probe(Workbench(bank, options=options))))


if __name__ == "__main__":
    main()
