"""What a key does: the nearest part that can carry it out is found, and the next key waits for what it opens."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from textual import events
from textual.screen import ModalScreen

from tui import keys
from tui.messages import Task
from tui.modes import Modes
from tui.options import Options
from tui.screens.frame import Framed
from tui.screens.too_small import TooSmall
from tui.widgets.line import takes_text, typed

if TYPE_CHECKING:
    from textual.command import Provider
    from textual.driver import Driver

LEAVING = ("app.quit", "app.leave", "app.interrupt")
STANDS = 1.0
"""Seconds that the next key waits at most for what the last one opens."""


def _key_commands() -> type[Provider]:
    from tui.palette import KeyCommands

    return KeyCommands


def _offers() -> type[Provider]:
    from tui.palette import Offers

    return Offers


def _memory_jump() -> type[Provider]:
    from tui.palette import MemoryJump

    return MemoryJump


class Keyboard(Modes, inherit_bindings=False):
    """The person's own keys, and the keys that work everywhere."""

    COMMANDS = {_key_commands, _offers, _memory_jump}  # noqa: RUF012
    BINDINGS = keys.bindings(keys.EVERYWHERE)

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self.interrupted = False
        self._own_keys, self.key_problems = keys.check(self.options.keymap)
        self.set_keymap(self._own_keys)

    def get_driver_class(self) -> type[Driver]:
        """The terminal's, which takes a paste for the one text that it is."""
        from tui.incoming import guarded

        return guarded(super().get_driver_class())

    # --- carrying out

    async def on_event(self, event: events.Event) -> None:
        """A key that is no text acts before the next one is looked at: what it opens is where that one goes.

        Text goes into the field that has the focus, as `typed` leaves it: one place for the fields of every screen.
        """
        if isinstance(event, events.Key) and not event.is_forwarded and not takes_text(self.focused):
            self.app_focus = True
            if await self._check_bindings(event.key, priority=True) or await self._check_bindings(event.key):
                return
        elif isinstance(event, events.Key) and not event.is_forwarded:
            event = typed(event)
        await super().on_event(event)

    async def action_do(self, id: str) -> None:
        """A key was pressed; the next one finds what it opened standing."""
        self.act(id)
        with suppress(TimeoutError):
            await asyncio.wait_for(self.screen._mounted_event.wait(), STANDS)

    def act(self, id: str) -> None:
        """Carry out a key: by the focused widget, the screen, or the app, whichever can."""
        screen = self.screen
        needs_bank = id.startswith("app.") and id not in LEAVING
        if (isinstance(screen, TooSmall) and id not in LEAVING) or (needs_bank and not self.has_bank):
            return
        self.interrupted = self.interrupted and id == "app.interrupt"
        framed = screen if isinstance(screen, Framed) else None
        if framed is not None and (reason := framed.why_not(id)):
            framed.say(reason)
            return
        actors = [self.focused, screen, *(framed.actors() if framed else ()), self]
        node = keys.handler(actors, id)
        if node is not None:
            getattr(node, keys.BY_ID[id].method)()
        elif id.startswith(keys.SCREEN) and (number := int(id.removeprefix(keys.SCREEN))) <= len(self.places):
            self.open_screen(self.places[number - 1].mode)

    def do_app_keys(self) -> None:
        """The help of this place."""
        from tui.widgets.keys_help import KeysHelp

        framed = self.framed
        own = sorted(keys.on_screen(framed.MODE), key=lambda key: framed.MODE not in key.where)
        own = [*(keys.of(keys.TEXT) if takes_text(framed.focused) else ()), *own]
        shown = [key for key in own if self.exists(key)]
        self.push_screen(KeysHelp(framed.TITLE or framed.MODE, shown, self, framed.why_not), self._run_key)

    def _run_key(self, id: str | None) -> None:
        if id is not None:
            self.call_after_refresh(self.act, id)

    def do_app_commands(self) -> None:
        """The command palette; not over a question, which is a place of its own."""
        from textual.command import CommandPalette

        if self.has_bank and not isinstance(self.screen, ModalScreen):
            self.push_screen(CommandPalette(placeholder="a command, or words of a memory"))

    def do_app_undo(self) -> None:
        """Take back the last change."""
        self.desk.put(Task("undo"))

    def do_app_redo(self) -> None:
        """Make it again."""
        self.desk.put(Task("redo"))

    def do_pane_next(self) -> None:
        """The next pane."""
        self.screen.focus_next()

    def do_pane_prev(self) -> None:
        """The pane before."""
        self.screen.focus_previous()

    # --- what they are called

    def pressed(self, key: keys.Key) -> str:
        """The key that runs this, as the person set it."""
        return keys.name(self._own_keys.get(key.id, key.keys).split(",")[0])

    def all_pressed(self, key: keys.Key) -> str:
        """All keys that run this, as the person set them."""
        return " ".join(map(keys.name, self._own_keys.get(key.id, key.keys).split(",")))

    def keys_of(self, id: str) -> list[str]:
        """The keys that run this, as the person set them, by Textual's names."""
        return [one.strip() for one in self._own_keys.get(id, keys.BY_ID[id].keys).split(",")]

    def pressed_id(self, id: str) -> str:
        """The same, by the id."""
        return self.pressed(keys.BY_ID[id])

    def hint(self, id: str) -> str:
        """A key with its word, for a line: `u undo`."""
        key = keys.BY_ID[id]
        word = key.hint or self.places[int(id.removeprefix(keys.SCREEN)) - 1].title.lower()
        return f"{self.pressed(key)} {word}"

    def exists(self, key: keys.Key) -> bool:
        """Whether a key means something in this workbench: there is no sixth screen until there is."""
        return not key.id.startswith(keys.SCREEN) or int(key.id.removeprefix(keys.SCREEN)) <= len(self.places)

    def does(self, key: keys.Key) -> str:
        """What a key does, with the name of the screen that it opens."""
        if not key.id.startswith(keys.SCREEN):
            return key.does
        return f"open {self.places[int(key.id.removeprefix(keys.SCREEN)) - 1].title}"
