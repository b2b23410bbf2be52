"""What Health knows of a bank: its files, its ledger, what was kept aside, its history and its trash."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pipeline.review.left_out import failures
from store.bank import Bank, Kept, LedgerStatus
from store.changes import Committed
from store.view import View
from tui.text import count

Level = Literal["good", "look", "bad"]
GONE = "the folder is gone: put it back, then press c"
MOVED = "If it was moved, leave with q and open the bank where it is now. What is shown here was read before."
MOST_CHANGES = 2_000
"""Changes that are listed; older ones are in `memdesk log`."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: how it stands, in words, and what `enter` does about it ("" for nothing)."""

    name: str
    level: Level
    words: str
    todo: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that the screen shows, taken at one moment."""

    view: View
    status: LedgerStatus
    kept: Sequence[Kept]
    changes: Sequence[Committed]
    checks: Sequence[Check]
    gone: bool = False
    """Whether the bank's folder is not there any more."""


def look(bank: Bank, reading_only: str = "") -> Report:
    """Look at a bank; reads its history, so it is called on a thread. Writes nothing."""
    view, status, aside = bank.view(), bank.status(), bank.conflicts()
    changes = bank.history(limit=MOST_CHANGES)
    kept = [one for one in aside if not _used(one, view, changes)]
    gone = not Path(bank.path).is_dir()
    if gone:
        return Report(view, status, kept, changes, _without_folder(view), gone)
    checks = (
        _memories(view),
        _files(view),
        _ledger(status, damaged=bank.damaged),
        _kept(kept, used=bool(aside)),
        _writing(bank, reading_only),
        _undo(changes),
        *_left_out(view),
    )
    return Report(view, status, kept, changes, checks)


def _used(one: Kept, view: View, changes: Sequence[Committed]) -> bool:
    """Whether a text that was kept aside got into its memory since, and that was not taken back."""
    memory = view.memories.get(one.id)
    if memory is not None and memory.sha == one.sha:
        return True
    return any(
        effect.id == one.id and effect.sha_after == one.sha and change.undone_by is None and change.at >= one.at
        for change in changes
        for effect in change.files
    )


def _without_folder(view: View) -> tuple[Check, ...]:
    """What can be said of a bank whose folder is gone: nothing about the files that were in it."""
    return (
        Check("memories", "look", f"as they were read last: {_memories(view).words}"),
        Check("files", "bad", GONE),
        Check("writing", "bad", "nothing can be changed while it is gone"),
    )


def _memories(view: View) -> Check:
    kinds = Counter(memory.type for memory in view.live)
    parts = [f"{number:,} {kind}" for kind, number in sorted(kinds.items())]
    rest = f"; {len(view.archived):,} archived, {len(view.trashed):,} in the trash"
    return Check("memories", "good", (", ".join(parts) or "none yet") + rest)


def _files(view: View) -> Check:
    if not view.problems:
        return Check("files", "good", "all of them can be read")
    return Check("files", "look", f"{count(len(view.problems), 'file')} with a problem", "enter see them")


def _ledger(status: LedgerStatus, damaged: str) -> Check:
    if damaged:
        return Check("ledger", "bad", damaged, "enter repair it")
    if not status.exists:
        return Check("ledger", "good", "none yet; the first change makes it")
    size = f"{(status.journal + status.snapshot) / 1024:,.0f} KiB"
    words = f"sound; {size}, generation {status.generation}, frame {status.last_frame:,}"
    if status.waiting:
        return Check("ledger", "look", f"{words}; {count(status.waiting, 'text')} not in their files yet")
    if status.quarantined:
        words += f"; {count(status.quarantined, 'damaged file')} in quarantine"
    return Check("ledger", "good", words)


def _kept(kept: Sequence[Kept], *, used: bool) -> Check:
    if not kept and used:
        return Check("conflicts", "good", "none: what was kept aside is in its memory")
    if not kept:
        return Check("conflicts", "good", "none: no two edits ever met")
    return Check("conflicts", "look", f"{count(len(kept), 'text')} kept aside where two edits met", "enter see them")


def _writing(bank: Bank, reading_only: str) -> Check:
    reason = bank.read_only or reading_only
    if reason:
        return Check("writing", "look", reason)
    return Check("writing", "good", "every change is on the disk before it is shown as done")


def _left_out(view: View) -> Sequence[Check]:
    """What runs did not get through; nothing where they got through everything."""
    found = failures(view)
    words = f"{count(len(found), 'range')} that no run got through"
    return (Check("sessions", "look", words, "F on Sessions lists them"),) if found else ()


def _undo(changes: Sequence[Committed]) -> Check:
    if not changes:
        return Check("undo", "good", "nothing was changed yet")
    more = "at least " if len(changes) == MOST_CHANGES else ""
    return Check("undo", "good", f"{more}{count(len(changes), 'change')} kept, each can be taken back")
