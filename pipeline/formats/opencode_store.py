"""What both stores of opencode give: a session with its messages and their parts, read without a trace."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pipeline.formats import content
from pipeline.formats.content import clip, mapping
from pipeline.formats.lines import BOM, LINE_LIMIT
from pipeline.formats.session import Damage
from store.errors import Cancelled

Part = tuple[str, dict[str, Any]]
"""A message or a part: its id, and what is kept of it."""


@dataclass(slots=True)
class Meter:
    """Tells how many bytes were read, and asks whether to stop."""

    progress: Callable[[int], None] | None
    cancelled: Callable[[], bool] | None
    total: int = 0

    def stopped(self) -> bool:
        """Whether somebody stopped the reading."""
        return self.cancelled is not None and self.cancelled()

    def add(self, size: int) -> None:
        """Counts bytes. Raises `Cancelled` when somebody stopped the reading."""
        if self.stopped():
            raise Cancelled("Reading was stopped; nothing was kept of it.")
        self.total += size
        if self.progress is not None:
            self.progress(self.total)


@dataclass(slots=True)
class Stored:
    """A session as a store keeps it.

    `about` has the keys of a session file, `worktree` is the folder of its project. `messages` are in their order;
    `parts` gives those of a message in order of their ids. What cannot be read is added to `damage` meanwhile.
    """

    id: str
    path: Path
    about: dict[str, Any]
    worktree: str
    messages: list[Part]
    parts: Callable[[str], Iterable[Part]]
    damage: list[Damage] = field(default_factory=list)

    def damaged(self, what: str) -> None:
        """Keeps that something could not be read."""
        self.damage.append(Damage(0, 0, what))


def parsed(data: bytes | str | None) -> dict[str, Any] | None:
    """A JSON object, None when it is none."""
    text = data.removeprefix(BOM).decode("utf-8", "replace") if isinstance(data, bytes) else data or ""
    value = content.parsed(text.strip("\x00 \t\r\n"))
    return value if isinstance(value, dict) else None


def made(data: dict[str, Any]) -> float | None:
    """When a session or message was made, as it is kept (milliseconds), None when that is no time."""
    time = mapping(data.get("time")).get("created")
    return time if isinstance(time, int | float) and abs(time) < 1 << 53 else None


def in_order(messages: Iterable[Part]) -> list[Part]:
    """Messages as the tool itself orders them: by the time of their making, then by id; by id where a time is missing.

    Ids alone begin again every 795 days.
    """
    listed = sorted(messages, key=lambda message: message[0])
    times = [time for _, data in listed if (time := made(data)) is not None]
    if len(times) < len(listed):
        return listed
    return [listed[place] for place in sorted(range(len(listed)), key=times.__getitem__)]


def unread(kind: str, name: str) -> str:
    """What the damage says of a piece that is no JSON object."""
    return f"{kind} {clip(name, 80)} is no JSON object, or over {LINE_LIMIT >> 20} MiB"
