"""Where a forked or spawned rollout of Codex stops to repeat its parent (`spec/formats.md` §3.1, rule 7).

A fork begins with the parent's lines, written anew with new times. Its own lines begin with the first turn that the
parent does not have, and one file has to tell by itself which that is:

1. newer versions say at which `ordinal` the own history begins;
2. ids of turns are UUIDs of version 7, which hold when they were made: a turn made before the fork is the parent's;
3. older versions copy all lines at once, so that the first pause between lines ends the copy;
4. where nothing of this is there, the last turn of the file is taken as its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from pipeline.formats.content import mapping, string
from pipeline.formats.times import EARLIEST, instant

PAUSE = 250
"""Milliseconds between two lines from which on they were not copied at once."""

_UUID7 = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_STARTS = ("subagent_history_start_ordinal", "forked_from_ordinal_exclusive")


@dataclass(slots=True)
class Lineage:
    """What the lines of a rollout say about its parent, gathered while they go by."""

    now: int
    meta: dict[str, Any] = field(default_factory=dict)
    """The file's own `session_meta`: the first."""
    copied_from: str = ""
    """The id in a later `session_meta`, which was copied with the parent's lines."""
    _context: int | None = None
    """Where the latest turn begins, and where the first that was made after the fork."""
    _own: int | None = None
    _undated: bool = False
    _first: int | None = None
    _last: int | None = None
    _together: int = 0
    _pause: int | None = None
    _numbered: bool = False
    _answered: int = 0
    _begun: bool = False

    @property
    def id(self) -> str:
        """The id of the session, "" when its header has none."""
        return string(self.meta.get("id")) or string(self.meta.get("session_id"))

    @property
    def parent(self) -> str:
        """The session that this one was forked or spawned from, "" for none that is known."""
        source = mapping(mapping(self.meta.get("source")).get("subagent"))
        spawned = string(mapping(source.get("thread_spawn")).get("parent_thread_id"))
        told = string(self.meta.get("forked_from_id")) or string(self.meta.get("parent_thread_id")) or spawned
        return told or self.copied_from

    def header(self, payload: dict[str, Any]) -> None:
        """Takes in a `session_meta`. One with the own id again (a resumed session) says nothing new."""
        if not self.meta:
            self.meta = payload
            return
        named = string(payload.get("id")) or string(payload.get("session_id"))
        if named and named != self.id:
            self.copied_from = self.copied_from or named

    def line(self, timestamp: Any, place: int) -> None:
        """Takes in the time of a line; `place` counts the turns before it."""
        if not self.meta or self._pause is not None:
            return
        at, _ = instant(timestamp, self.now)
        if at is None:
            return
        self._first = at if self._first is None else self._first
        if self._last is not None and at - self._last > PAUSE:
            self._pause = place
        else:
            self._together += 1
        self._last = at

    def context(self, turn_id: Any, place: int) -> None:
        """Takes in a `turn_context`. Older versions write the prompt of a turn before it, newer ones behind it."""
        self._context = place if self._begun else self._answered
        made, created = _made(string(turn_id)), self._created()
        self._undated = self._undated or made is None or created is None
        if self._own is None and made is not None and created is not None and made >= created:
            self._own = self._context
        self._begun = True

    def answered(self, place: int) -> None:
        """Notes that the model, a tool or an abort ended the prompts before `place`."""
        self._answered, self._begun = place, False

    def copied_line(self, record: dict[str, Any]) -> bool:
        """Whether the line itself says that it repeats the parent's."""
        if (ordinal := _whole(record.get("ordinal"))) is not None:
            self._numbered = True
            if (start := self._start()) is not None and ordinal < start:
                return True
        return mapping(record.get("metadata")).get("inherited_user_message") is True

    def inherited(self, count: int) -> int:
        """How many of the `count` turns of the session, from the first on, repeat the parent's."""
        told = self._numbered and self._start() is not None
        if told or not (self.copied_from or self.meta.get("forked_from_id")):
            return 0
        if self._context is not None and not self._undated:
            return count if self._own is None else self._own
        if self._together > 1 and self._last != self._first:
            return count if self._pause is None else self._pause
        return self._context or 0

    def _created(self) -> int | None:
        """When the session began, by its id or its header."""
        return _made(self.id) or instant(self.meta.get("timestamp"), self.now)[0]

    def _start(self) -> int | None:
        """The ordinal at which the own history begins, where the header says so."""
        base = mapping(self.meta.get("history_base")).get("end_ordinal_exclusive")
        told = (*(self.meta.get(key) for key in _STARTS), base)
        return next((start for value in told if (start := _whole(value)) is not None), None)


def _made(identity: str) -> int | None:
    """When an id was made, milliseconds since 1970; None for ids that do not say so (RFC 9562, version 7)."""
    found = _UUID7.fullmatch(identity)
    at = int(found[1] + found[2], 16) if found else 0
    return at if at >= EARLIEST else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
