"""Transcripts that Claude Code is about to delete, with age and the day on which they go (`spec/formats.md` §2.1)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path

from pipeline.context.loaded.loaded import Loss, counted
from pipeline.context.loaded.places import Places, cleanup_days, shown
from pipeline.formats.find import Found, search
from pipeline.formats.table import Formats, packaged
from store import clock

NAME = "claude-transcripts"
SOON = 7
"""Days before its deletion from which a transcript is told."""
MOST = 500
FORMAT = "claude-code"


@dataclass(frozen=True, slots=True)
class Expiring:
    """The transcripts that go soon, the next first, and what is to be said besides."""

    losses: tuple[Loss, ...]
    notes: tuple[str, ...] = ()


def expiring(places: Places, *below: Path, project: Path | None = None) -> Expiring:
    """What goes within a week, of all projects or of those in the folders `below`; nothing is read.

    `project` is where Claude Code is started next: its settings count.

    Sub-agents' transcripts go with the session that started them, and are not told apart.
    """
    days = cleanup_days(places.claude, project)
    formats = Formats({FORMAT: packaged().get(FORMAT)})
    looked = search(places.home, {"CLAUDE_CONFIG_DIR": str(places.claude)}, formats)
    mains = (one for one in looked.found if one.path.parent.name != "subagents")
    there = [one for one in mains if not below or any(folder in one.path.parents for folder in below)]
    limit = clock.today() + timedelta(days=SOON)
    due = sorted(
        ((day, one) for one in there if (day := _day(one, days)) <= limit), key=lambda pair: (pair[0], pair[1].path)
    )
    losses = [_loss(one, day, places, days) for day, one in due[:MOST]]
    notes = [] if looked.complete else ["Looking for transcripts took too long; there may be more that go soon."]
    notes += [f"{len(due) - MOST:,} more transcripts go within {SOON} days."] if len(due) > MOST else []
    return Expiring(tuple(losses), tuple(notes))


def _day(one: Found, days: int) -> date:
    """The day from which on Claude Code deletes it: so many days after it was last written."""
    try:
        return (_written(one) + timedelta(days=days)).date()
    except OverflowError:
        return date.max


def _written(one: Found) -> datetime:
    return datetime.fromtimestamp(one.modified / 1000, tz=clock.now().tzinfo)


def _loss(one: Found, day: date, places: Places, days: int) -> Loss:
    left, age = (day - clock.today()).days, max(0, (clock.today() - _written(one).date()).days)
    goes = f"goes on {day.isoformat()}, in {counted(left, 'day', 'days')}"
    when = goes if left > 0 else "goes when Claude Code starts next"
    title = f"{when}; written last {counted(age, 'day', 'days')} ago"
    name = shown(one.path, places.projects, places.home)
    todo = f"Extract what is worth keeping (memdesk extract FILE), copy it, or raise cleanupPeriodDays (now {days})."
    return Loss("expiring", NAME, title, todo, one.path, name, day=day.isoformat(), age=age)
