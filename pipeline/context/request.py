"""What a context pack is asked for, and which requests cannot be answered (`spec/context.md` §1)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from pipeline.context.layouts.chat import Chat
from pipeline.recall.scores import HALF_LIVES
from store import clock
from store.access import safe_id
from store.errors import BadInput, NotPermitted

DEFAULT_LIMIT = 10
LAYOUTS = ("yotta", "memora")
"""The layouts by name; each stands in a module of that name."""


@dataclass(frozen=True, slots=True)
class Notice:
    """One finding of the doctor: `critical` findings lock destructive writes (`spec/context.md` §10)."""

    text: str
    critical: bool = False


@dataclass(frozen=True, slots=True)
class Request:
    """Everything that decides a pack besides the bank and the hook.

    `agent` is who asks and whose rights count; `owner` whose identity and profile are shown ("" for the agent's own).
    `budget` is in the unit of the `layout`, 0 or less for the layout's own. `profile` is the text of the owner's stored
    profile file and `profile_day` the date of that file. `half_lives` are days by type (`spec/bank.md` §11.1).
    `notices` are the doctor's findings on the user bank. `chat` is what a layout of messages is given besides the bank.
    """

    agent: str
    owner: str = ""
    focus: str = ""
    limit: int = DEFAULT_LIMIT
    budget: int = 0
    years: tuple[str, ...] = ()
    explain: bool = False
    now: datetime = field(default_factory=clock.now)
    project: str = ""
    host: str = ""
    memory_home: str = ""
    profile: str = ""
    profile_day: str = ""
    notices: tuple[Notice, ...] = ()
    half_lives: Mapping[str, float] = field(default_factory=lambda: HALF_LIVES)
    paging: bool | None = None
    """Whether a provider pages the pack: True and False as said, None where there is one and a budget (§22)."""
    layout: str = LAYOUTS[0]
    chat: Chat = Chat()  # noqa: RUF009

    @property
    def shown(self) -> str:
        """The identity that the pack is about."""
        return self.owner or self.agent

    @property
    def lives(self) -> tuple[tuple[str, float], ...]:
        """The half-lives as something that a cache can be keyed by."""
        return tuple(sorted(self.half_lives.items()))

    @property
    def today(self) -> str:
        """The local date of `now`, as the bank writes dates."""
        return self.now.date().isoformat()


def check(request: Request) -> None:
    """Refuse what cannot be answered, in the order of `spec/context.md` §1.

    Raises `NotPermitted` without a usable identity (exit 3), `BadInput` for a bad year or a negative limit (exit 2).
    """
    if not request.agent:
        raise NotPermitted("The pack holds private memories: say for whom it is made, with `--as AGENT`.")
    for name in (request.agent, request.shown):
        if not safe_id(name):
            raise NotPermitted(f"{name!r} cannot be an identity; use a name without slashes, at most 128 characters.")
    check_years(request.years)
    check_layout(request.layout)
    if request.limit < 0:
        raise BadInput(f"A limit of {request.limit} says nothing; give the number of memories for each section.")


def check_layout(name: str) -> None:
    """Refuse a layout that there is not (`BadInput`)."""
    if name not in LAYOUTS:
        raise BadInput(f"There is no layout {name!r}; choose one of {', '.join(LAYOUTS)}.")


def check_years(years: Iterable[str]) -> None:
    """Refuse a year that is not exactly four digits (`BadInput`)."""
    for year in years:
        if not re.fullmatch(r"[0-9]{4}", year):
            raise BadInput(f"{year!r} is no year; write four digits, like 2026.")
