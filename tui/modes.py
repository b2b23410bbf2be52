"""Where the person is: which screens there are, which one is seen, and how to come to another."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from rich.segment import Segment, Segments
from textual.screen import Screen

from tui.desk import Desk
from tui.looks import Looks
from tui.options import PLACES, Options, Place
from tui.remember import Remembered
from tui.screens.frame import Framed
from tui.screens.too_small import TooSmall, too_small

if TYPE_CHECKING:
    from textual.geometry import Size

    from tui.bench import Bench

NOWHERE = "nowhere"
"""The mode under the welcome screen when the bank that was shown cannot be read after all."""


class Modes(Looks):
    """The screens of the open bank, one mode each."""

    def __init__(self, options: Options | None = None) -> None:
        super().__init__(options)
        self.desk: Desk
        self.places: tuple[Place, ...] = ()
        self.remembered = Remembered("", lasting=False)
        self.faults = 0
        """How often something happened that was not foreseen."""

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
        return place.load()(cast("Bench", self))

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

    def cover(self, size: Size) -> None:
        """Cover a window of this size when it is too small, and uncover it when it is not any more."""
        covered = isinstance(self.screen, TooSmall)
        if too_small(size) and not covered:
            self.push_screen(TooSmall())
        elif covered and not too_small(size):
            self.pop_screen()

    # --- what was not foreseen

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
