"""Where the person is and what a key does there: the part of the workbench that every screen stands on."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from rich.segment import Segment, Segments
from textual import on, work
from textual.app import App, SystemCommand
from textual.screen import ModalScreen, Screen

from store import clock
from store.view import View
from tui import keys
from tui.desk import Desk
from tui.messages import QueueFound, Task
from tui.options import PLACES, Options, Place, theme_for
from tui.remember import Remembered
from tui.screens.frame import Framed
from tui.screens.too_small import TooSmall
from tui.stylesheet import OnceParsed
from tui.theme import CHOICES, DEFAULTS, THEMES, plain
from tui.widgets.header import Tab

if TYPE_CHECKING:
    from textual.command import Provider
    from textual.theme import Theme

    from pipeline.review.following import Following

LEAVING = ("app.quit", "app.leave", "app.interrupt")
NOWHERE = "nowhere"
"""The mode under the welcome screen when the bank that was shown cannot be read after all."""
QUEUE_AFTER = 0.2
"""Seconds after which it is counted what waits: the first frame and the first keys do not wait for it."""


def _key_commands() -> type[Provider]:
    from tui.palette import KeyCommands

    return KeyCommands


def _memory_jump() -> type[Provider]:
    from tui.palette import MemoryJump

    return MemoryJump


class Bench(App[int], inherit_bindings=False):
    """The screens by mode, the themes, the person's own keys, and the keys that work everywhere."""

    TITLE = "Memdesk"
    CSS_PATH = "app.tcss"
    COMMANDS = {_key_commands, _memory_jump}  # noqa: RUF012
    BINDINGS = keys.bindings(keys.EVERYWHERE)

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(ansi_color=True if plain() else None)
        self.options = options or Options()
        self.desk: Desk
        self.places: tuple[Place, ...] = ()
        self.remembered = Remembered("", lasting=False)
        self.interrupted = False
        self.faults = 0
        """How often something happened that was not foreseen."""
        self.queue: Following | None = None
        self._following = False
        self.animation_level = "none"
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = theme_for(self.options.theme)
        self.stylesheet = OnceParsed(variables=self.get_css_variables())
        self._own_keys, self.key_problems = keys.check(self.options.keymap)
        self.set_keymap(self._own_keys)

    def get_theme(self, theme_name: str) -> Theme | None:
        """A theme by its name; Textual asks for every line that it draws, so the answer is looked up, not made."""
        return self._registered_themes.get(theme_name) or super().get_theme(theme_name)

    def delay_update(self, delay: float = 0.05) -> None:
        """Draw nothing while one screen gives way to another; before the first there is nothing that could flash."""
        if self.current_mode != self.DEFAULT_MODE:
            super().delay_update(delay)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Our own colour names for themes that do not know them."""
        return DEFAULTS

    def get_system_commands(self, screen: Screen[object]) -> Iterable[SystemCommand]:
        """What is no key: the themes."""
        for word, name in CHOICES.items():
            yield SystemCommand(f"Theme: {word}", "", partial(setattr, self, "theme", name))

    def open_places(self) -> None:
        """Make the screens known; each is built when it is first visited."""
        self.places = PLACES
        for place in self.places:
            self.add_mode(place.mode, partial(self._build, place))

    def close_places(self) -> None:
        """Leave every screen: the bank that was to be read cannot be."""
        self.add_mode(NOWHERE, Screen)
        self.switch_mode(NOWHERE)
        for place in self.places:
            self.remove_mode(place.mode)
        self.places = ()
        self.desk.close(0.0)

    def _build(self, place: Place) -> Framed:
        return place.load()(self)

    def fault(self, error: BaseException) -> str:
        """Something that was not foreseen: it is logged and counted; the sentence is for the person."""
        from tui.faults import report

        self.faults += 1
        return report(error)

    def _fatal_error(self) -> None:
        """Textual's way out of an unforeseen fault, without the traceback that prints every variable."""
        if self._exception is not None:
            self._exit_renderables.append(Segments([Segment(self.fault(self._exception) + "\n")]))
        self._close_messages_no_wait()

    # --- where we are

    @property
    def framed(self) -> Framed:
        """The screen of the open mode, also when a question stands over it."""
        screen = self.seen
        assert screen is not None, "asked for while the workbench was coming or going"
        return screen

    @property
    def seen(self) -> Framed | None:
        """The same; None while the workbench is coming or going, when news may still arrive."""
        stack = self._screen_stacks.get(self.current_mode, [])
        return next((screen for screen in reversed(stack) if isinstance(screen, Framed)), None)

    def visited(self) -> list[Screen[object]]:
        """Every screen there is, of all modes, the one that is seen first."""
        here = list(reversed(self.screen_stack))
        return here + [screen for stack in self._screen_stacks.values() for screen in stack if screen not in here]

    @property
    def has_bank(self) -> bool:
        """Whether a bank is open."""
        return bool(self.places)

    def tabs(self) -> list[Tab]:
        """The screens for the header."""
        ready = self.queue.counts.ready if self.queue is not None else 0
        return [Tab(place.mode, place.title, ready if place.mode == "review" else 0) for place in self.places]

    def pressed(self, key: keys.Key) -> str:
        """The key that runs this, as the person set it."""
        return keys.name(self._own_keys.get(key.id, key.keys).split(",")[0])

    def all_pressed(self, key: keys.Key) -> str:
        """All keys that run this, as the person set them."""
        return " ".join(map(keys.name, self._own_keys.get(key.id, key.keys).split(",")))

    def pressed_id(self, id: str) -> str:
        """The same, by the id."""
        return self.pressed(keys.BY_ID[id])

    def hint(self, id: str) -> str:
        """A key with its word, for a line: `u undo`."""
        key = keys.BY_ID[id]
        word = key.hint or self.places[int(id.removeprefix(keys.SCREEN)) - 1].title.lower()
        return f"{self.pressed(key)} {word}"

    def open_screen(self, mode: str) -> None:
        """Go to another screen; the others show the whole bank, so they wait until it is read."""
        if self.desk.view.is_head and mode != self.current_mode:
            self.framed.say("The bank is still being read; try again in a moment.")
            return
        self.switch_mode(mode)
        self.remembered.set("screen", mode)

    def jump(self, id: str) -> None:
        """Go to a memory, wherever we are."""
        self.open_screen("bank")
        self.call_after_refresh(self.framed.jump, id)

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

        try:
            self.post_message(QueueFound(follow(view, clock.millis(), before)))
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

    # --- keys

    def action_do(self, id: str) -> None:
        """A key was pressed."""
        self.act(id)

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
        shown = [key for key in own if self.exists(key)]
        self.push_screen(KeysHelp(framed.TITLE or framed.MODE, shown, self, framed.why_not), self._run_key)

    def exists(self, key: keys.Key) -> bool:
        """Whether a key means something in this workbench: there is no sixth screen until there is."""
        return not key.id.startswith(keys.SCREEN) or int(key.id.removeprefix(keys.SCREEN)) <= len(self.places)

    def does(self, key: keys.Key) -> str:
        """What a key does, with the name of the screen that it opens."""
        if not key.id.startswith(keys.SCREEN):
            return key.does
        return f"open {self.places[int(key.id.removeprefix(keys.SCREEN)) - 1].title}"

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
