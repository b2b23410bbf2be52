"""What every screen stands on: where we are, what a key does there, and what waits for the person."""

from __future__ import annotations

import gc
from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual import on, work

from store import clock
from store.view import View
from tui.asking import Asking, asks
from tui.keyboard import Keyboard
from tui.messages import QueueFound
from tui.options import Options
from tui.theme import CHOICES
from tui.widgets.header import Tab

if TYPE_CHECKING:
    from pipeline.review.following import Following

QUEUE_AFTER = 0.2
"""Seconds after which it is counted what waits: the first frame and the first keys do not wait for it."""


class Bench(Keyboard):
    """Counts what waits, on a thread, whenever the bank has moved on."""

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self.queue: Following | None = None
        self._following = False
        self.typed: dict[tuple[str, str], Mapping[str, str]] = {}
        """What stood in forms, or was saved in an editor, and could not be written: by the id of the key that opens it
        again and the memory's id ("" for a new one)."""

    def tabs(self) -> list[Tab]:
        """The screens for the header."""
        ready = self.queue.counts.ready if self.queue is not None and not self.desk.gone else 0
        return [Tab(place.mode, place.title, ready if place.mode == "review" else 0) for place in self.places]

    # --- what the palette offers besides keys

    def choose_theme(self, word: str) -> None:
        """Another theme, until the workbench is left."""
        self.theme = CHOICES[word]
        self.framed.say(f"Theme {word}, for now; `memdesk config set theme {word}` keeps it.")

    @asks
    def switch(self, key: str) -> Asking:
        """Switch a setting of the bank on, after a question, or off."""
        from store.settings import bank_change, bank_value
        from tui.switches import SWITCHES
        from tui.widgets.confirm import Confirm

        words, question = SWITCHES[key]
        on = not bank_value(self.desk.view, key)
        if not on or (yield Confirm(question, "switch it on", "leave it off")):
            change, state = bank_change(key, on, workbench=True), "on" if on else "off"
            self.desk.commit([change], f"switch {key} {state}", f"{words}: {state}.")

    # --- what waits for the person

    def follow_queue(self) -> None:
        """The bank moved on, or is shown for the first time: find out what waits, unless that is known."""
        if self.desk.view.is_head:
            return  # its ledger comes with the bank
        if self.queue is None and self.framed.MODE != "review":
            self.set_timer(QUEUE_AFTER, self._find)
        elif self.queue is None or self.queue.view is not self.desk.view:
            self._find()

    def _find(self) -> None:
        if not self._following:
            self._following = True
            self._find_queue(self.desk.view, self.queue)

    @work(thread=True, group="queue", description="what waits", exit_on_error=False)
    def _find_queue(self, view: View, before: Following | None) -> None:
        from pipeline.review.following import follow
        from pipeline.review.nearby import read_waiting

        try:
            self.post_message(QueueFound(follow(view, clock.millis(), before)))
            if before is None:
                read_waiting(view)
                gc.freeze()  # thousands of proposals mostly stay: looking through them for garbage would cost keys
        except Exception:
            self._following = False
            raise

    @on(QueueFound)
    def _queue_found(self, message: QueueFound) -> None:
        self.queue, self._following = message.queue, False
        framed = self.seen
        if framed is None:
            return
        if framed.is_mounted:
            framed.show_queue(message.queue)
            framed.show_frame()
        self.follow_queue()
