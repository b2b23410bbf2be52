"""The demo bank under the Review screen, and what the tests do there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from textual import events

from tests.tui.screen import press
from tui.screens.review import ReviewScreen
from tui.screens.review_rows import Fold, ReviewRows

FACT = "Production deploys are frozen on Fridays"
CHINESE = "发布说明要先发中文，再发英文"
ONCE = "Lars will be in Porto from January"
NEW = "The browser tests need Node 22"
EDIT = "CI is Forgejo Actions"
FORGET = "旧办公室"
PNPM = "pnpm"
PORTO = "Porto"


async def narrowed(pilot: Any, words: str) -> str:
    """Choose what is shown, or in which order, by its words."""
    await press(pilot, "f")
    await paste(pilot, words)
    return await press(pilot, "enter")


async def paste(pilot: Any, text: str) -> str:
    """Paste into the box that has the keys: a word at once, where typing it is not what matters."""
    pilot.app.post_message(events.Paste(text))
    return await press(pilot)


def review(pilot: Any) -> ReviewScreen:
    """The Review screen."""
    screen = pilot.app.framed
    assert isinstance(screen, ReviewScreen)
    return screen


def proposal(pilot: Any) -> str:
    """What is shown of the proposal under the cursor, on one line."""
    return " ".join(review(pilot).detail.content.plain.split())


async def go_to(pilot: Any, words: str) -> str:
    """Put the cursor on the proposal that says this; folds are opened for it."""
    screen = review(pilot)
    folds = [row.id for row in screen.listed.rows if isinstance(row, Fold) and not row.opened]
    while (place := place_of(screen.listed, words)) is None and folds:
        assert screen.rows.go_to(folds.pop())
        await press(pilot, "enter")
    assert place is not None, words
    screen.rows.cursor = place
    return await press(pilot)


def place_of(rows: ReviewRows, words: str) -> int | None:
    """Where a proposal stands."""
    for at, row in enumerate(rows.rows):
        if not isinstance(row, Fold) and words in row.statement:
            return at
    return None


def shown(pilot: Any) -> list[str]:
    """The statements of the queue."""
    return [row.statement for row in review(pilot).listed.rows if not isinstance(row, Fold)]


def files(root: Path) -> Mapping[str, bytes]:
    """Every memory file of a bank."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*.md"))}


def rows_of(bank: Any) -> Mapping[tuple[str, str], dict[str, Any]]:
    """The rows that wait or were decided, without their revisions."""
    view = bank.view()
    return {
        (table, key): {name: value for name, value in row.items() if not name.startswith("_")}
        for table in ("gaps", "profile", "proposals", "tombstones")
        for key, row in view.rows(table).items()
    }


def reasons(bank: Any) -> list[str]:
    """The history's lines, newest first."""
    return [change.reason for change in bank.history()]
