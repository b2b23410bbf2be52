"""Between the terminal and Textual: a paste is one text whatever it holds, and one that is closed holds up nothing.

Textual's parser looks for keys inside a paste too: an escape character in it makes keys of what follows, so that a
pasted `\\x1bx` moved a memory to the trash, and what is left of the text is put together in another order.
"""

from __future__ import annotations

import codecs
import os
import selectors
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, cast

from textual import constants, events
from textual._xterm_parser import XTermParser
from textual.driver import Driver
from textual.message import Message

START, END = "\x1b[200~", "\x1b[201~"
"""What a terminal puts around a paste."""
ESCAPE = "\x1b"
WAIT, CHUNK = 0.1, 4096
"""Seconds between two looks at keys that wait for their end, and the bytes that are read at once."""


class Parser(XTermParser):
    """Keys, mouse and answers of the terminal as Textual reads them; what stands in a paste is none of these."""

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._pasted: list[str] | None = None
        self._held, self._held_since = "", 0.0

    def feed(self, data: str) -> Iterable[Message]:
        """The events of what was read; "" stands for the end."""
        if not data:
            return super().feed(data)
        data, self._held = self._held + data, ""
        return self._events(data)

    def tick(self) -> Iterable[Message]:
        """What waited long enough for its end is what it looks like: an escape is the key."""
        if self._held and self._pasted is None and time.monotonic() - self._held_since >= constants.ESCAPE_DELAY:
            held, self._held = self._held, ""
            if held == ESCAPE:
                yield events.Key("escape", ESCAPE)
            else:
                yield from super().feed(held)
        yield from super().tick()

    def _events(self, data: str) -> Iterator[Message]:
        while data:
            if self._pasted is None:
                typed, start, data = data.partition(START)
                typed = typed if start else self._hold(typed, START)
                if typed:
                    yield from super().feed(typed)
                self._pasted = [] if start else None
                continue
            text, end, data = data.partition(END)
            self._pasted.append(text if end else self._hold(text, END))
            if end:
                yield events.Paste("".join(self._pasted).replace("\0", ""))
                self._pasted = None

    def _hold(self, text: str, mark: str) -> str:
        """The text without the beginning of a mark that it ends with: that waits for what is read next."""
        size = next((size for size in range(len(mark) - 1, 0, -1) if text.endswith(mark[:size])), 0)
        self._held, self._held_since = text[len(text) - size :], time.monotonic()
        return text[: len(text) - size]


class Screen:
    """The file that a terminal is written to. One that was closed takes everything and shows nothing.

    Else the thread that writes would end, and whoever writes more than its queue holds would wait for it for ever.
    """

    def __init__(self, file: Any) -> None:
        self._file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def write(self, text: str) -> int:
        """Write, as far as there is a terminal."""
        with suppress(OSError):
            self._file.write(text)
        return len(text)

    def flush(self) -> None:
        """Bring out what was written, as far as there is a terminal."""
        with suppress(OSError):
            self._file.flush()


def _read(number: int) -> bytes:
    """What the terminal has to say; nothing when it is closed."""
    try:
        return os.read(number, CHUNK)
    except OSError:
        return b""


def guarded(driver: type[Driver]) -> type[Driver]:
    """The driver of a terminal with this parser; any other one as it is."""
    try:
        from textual.drivers.linux_driver import LinuxDriver
    except ImportError:  # on Windows there is none
        return driver
    if driver is not LinuxDriver:
        return driver

    class Terminal(LinuxDriver):
        """Reads the terminal's bytes; those that are no UTF-8 become replacement characters."""

        def __init__(self, *arguments: Any, **more: Any) -> None:
            super().__init__(*arguments, **more)
            self._file = cast(Any, Screen(self._file))

        def run_input_thread(self) -> None:
            """Wait for input and hand on its events, until the terminal is left."""
            parser, decoder = Parser(self._debug), codecs.getincrementaldecoder("utf-8")("replace")
            with selectors.SelectSelector() as selector:
                selector.register(self.fileno, selectors.EVENT_READ)
                while not self.exit_event.is_set():
                    if selector.select(WAIT):
                        if not (read := _read(self.fileno)):
                            return  # the terminal was closed; the signal that says so ends the workbench
                        if text := decoder.decode(read):
                            self._hand_on(parser.feed(text))
                    self._hand_on(parser.tick())

        def _hand_on(self, found: Iterable[Message]) -> None:
            for event in found:
                self.process_message(event)

    return Terminal
