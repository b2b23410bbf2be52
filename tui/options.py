"""How the workbench is started: what the person's settings and the command line say, and which screens there are."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, cast

from store.roots import default_root
from tui.theme import ANSI, CHOICES, DARK, LIGHT, plain

if TYPE_CHECKING:
    from pipeline.recall.encoding.chosen import Chosen
    from store.bank import Bank
    from store.view import View
    from tui.screens.frame import Framed


DEMO = "demo"
"""What the demo bank is called."""


@dataclass(frozen=True, slots=True)
class Place:
    """One screen: its mode, the name in the header, and where its class is, imported when it is first visited."""

    mode: str
    title: str
    where: str

    def load(self) -> type[Framed]:
        """The screen's class."""
        module, _, name = self.where.partition(":")
        return cast("type[Framed]", getattr(import_module(module), name))


PLACES: tuple[Place, ...] = (
    Place("bank", "Bank", "tui.screens.bank:BankScreen"),
    Place("review", "Review", "tui.screens.review:ReviewScreen"),
    Place("context", "Context", "tui.screens.context:ContextScreen"),
    Place("sessions", "Sessions", "tui.screens.sessions:SessionsScreen"),
    Place("health", "Health", "tui.screens.health:HealthScreen"),
)
"""The screens in the order of their numbers. Another one is its file, its stylesheet, its keys, and a line here."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the workbench is told when it starts.

    `keymap` maps key ids to keys, as the person set them. `theme` is `dark`, `light`, `terminal` or "" (chosen by
    the terminal). `notices` are sentences to say first (a broken setting). `place` is where a bank is or would be
    made, `opening` what is said while one takes long to open, `name` what the bank is called instead of its folder.
    `demo` makes and opens the demo bank for the welcome screen; without it the offer is absent.
    """

    read_only: bool = False
    mouse: bool = True
    keymap: Mapping[str, str] = field(default_factory=dict)
    theme: str = ""
    notices: tuple[str, ...] = ()
    place: Path = field(default_factory=lambda: default_root().path)
    head: View | None = None
    """What an earlier session left of the bank, to be shown while it is read."""
    opening: str = ""
    name: str = ""
    demo: Callable[[], Bank] | None = None
    watch: bool = True
    """Whether to notice what other programs do to the bank."""
    remember: bool = True
    """Whether to come back where the person was (not in the demo)."""
    encoder: Callable[[], Chosen] | None = None
    """What gives the encoder of the person's settings; without it a search is by words alone."""

    @property
    def in_demo(self) -> Options:
        """The same for the demo: its folder is nothing to name or to remember."""
        return replace(self, name=DEMO, remember=False)


def theme_for(word: str, environ: Mapping[str, str] | None = None) -> str:
    """The theme's name for the person's word, `NO_COLOR`, and what the terminal says about its background."""
    environ = os.environ if environ is None else environ
    if plain(environ):
        return ANSI
    if word in CHOICES:
        return CHOICES[word]
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT if background in {"7", "15"} else DARK
