"""The audit on the Context screen: what of a pasted text the bank holds, and the lost lines on their way to Review."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from textual import events

from pipeline import review
from store import clock
from store.bank import Bank
from tests.tui.conftest import MakeBank, Opened, settle
from tests.tui.context_world import MEMORIES, press, quiet, visit
from tests.tui.screen import screen_text
from tui.screens.context_audit import AuditPanel
from tui.screens.context_audit_rows import AuditRows

TEXT = "\n".join(
    (
        "# Decisions",
        "the birthday is on 15 May",
        "booked until the 16th",
        "- 1. order [red]eleven[/] cups of tea",
        "Kenji must buy candles",
        "note: the key is ghp_" + "a1B2c3D4e5" * 4,
    )
)
pytestmark = pytest.mark.usefixtures("quick_rounds")


@pytest.fixture
def bank(make_bank: MakeBank) -> Bank:
    """The birthday bank."""
    return make_bank(MEMORIES)


def panel(pilot: Any) -> AuditPanel:
    screen = pilot.app.screen
    assert isinstance(screen, AuditPanel)
    return screen


def told(pilot: Any) -> str:
    return " ".join(panel(pilot).pane.content.plain.split())


def statuses(pilot: Any) -> list[tuple[str, str]]:
    """Word and line of each row, as shown."""
    rows = panel(pilot).rows.source
    assert isinstance(rows, AuditRows)
    shown = [rows.row(at, 118) for at in range(len(rows))]
    return [(pieces[1][0].strip(), pieces[2][0].strip()) for pieces in shown]


async def audited(pilot: Any, text: str = TEXT) -> str:
    """Open the audit from the Context, paste a text as a terminal does and start it."""
    await visit(pilot)
    await press(pilot, "D")
    pilot.app.post_message(events.Paste(text.replace("\n", "\r")))
    await settle(pilot)
    return await press(pilot, "ctrl+s")


async def test_a_narrow_window_tells_all_counts(bank: Bank, opened: Opened) -> None:
    async with opened(bank, size=(40, 12)) as pilot:
        text = await audited(pilot)
        assert "5 lines worth keeping: 2 lost, 2 uncertain, 1 landed" in " ".join(text.replace("▌", " ").split())


@pytest.mark.parametrize("size", [(140, 40), (80, 24)])
async def test_each_line_is_lost_uncertain_or_landed_with_the_memory_that_holds_it(
    bank: Bank, opened: Opened, size: tuple[int, int]
) -> None:
    async with opened(bank, size=size) as pilot:
        text = await audited(pilot)
        assert "Audit   text pasted 2026-11-30 12:00   as ana" in text
        assert "5 lines worth keeping: 2 lost, 2 uncertain, 1 landed" in text
        assert statuses(pilot) == [
            ("lost", "order [red]eleven[/] cups of tea"),
            ("lost", "Kenji must buy candles"),
            ("uncertain", "the birthday is on 15 May"),
            ("uncertain", "note: the key is ghp_" + "a1B2c3D4e5" * 4),
            ("landed", "booked until the 16th"),
        ]
        assert "[red]eleven[/]" in text, "text is shown as it is"
        assert "line 4 of the text Lost. No memory that ana may read holds it; the nearest has" in told(pilot)
        await press(pilot, "j", "j")
        assert "Another number: 15, not 14. NEAREST FACT 2026-11-20-0001 FACT birthday: the birthday is" in told(pilot)
        await press(pilot, "j")
        assert "It looks like it holds a secret; it is not kept." in told(pilot)
        await press(pilot, "j")
        assert "Landed. A memory that ana may read says it. HELD BY FACT 2026-11-14-0007" in told(pilot)


async def test_marked_lines_wait_in_review_with_themselves_as_evidence(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await audited(pilot)
        text = await press(pilot, "space", "space", "j", "space", "m")
        assert "2 lines wait in Review now; 1 left out, for what looks like a secret." in text
        assert [word for word, _ in statuses(pilot)] == ["in review", "in review", "uncertain", "uncertain", "landed"]
        assert "2 lost, 2 uncertain, 1 landed, 2 of them in Review" in text
        waiting = review.queue(bank.view(), clock.millis())
        assert sorted(one.quotes[0].text for one in waiting) == [
            "- 1. order [red]eleven[/] cups of tea",
            "Kenji must buy candles",
        ]
        await press(pilot, "escape")
        text = await press(pilot, "2")
        assert " of text pasted 2026-11-30 12:00, author not known" in text
        assert "1 of 2   new memory, from an audit" in text
        assert "These words are a line of an audited text; only the line is kept." in await press(pilot, "o")
        await press(pilot, "u")
        assert review.queue(bank.view(), clock.millis()) == ()


async def test_what_has_landed_is_not_sent_and_kinds_are_shown_alone(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await audited(pilot)
        text = await press(pilot, "t", "t", "t")
        assert statuses(pilot) == [("landed", "booked until the 16th")]
        assert "only landed" in text
        text = await press(pilot, "m")
        assert "The bank holds it already" in text
        await press(pilot, "escape")
        assert len(statuses(pilot)) == 5
        await press(pilot, "escape")
        assert not isinstance(pilot.app.screen, AuditPanel)
        assert "audit of a line" not in str([change.reason for change in bank.history()])


async def test_a_file_is_audited_and_what_cannot_be_read_is_said(
    bank: Bank, opened: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "n.md").write_text("we decided: booked until the 16th\n", encoding="utf-8")
    async with opened(bank, size=(140, 40)) as pilot:
        await visit(pilot)
        assert "Paste the text that is about to be lost" in await press(pilot, "D", "ctrl+s")
        await press(pilot, "tab", *"nowhere")
        assert "There is no file 'nowhere'; name the text to audit." in await press(pilot, "ctrl+s")
        os.mkfifo(tmp_path / "pipe")
        for name, kind in ((".", "a folder"), ("pipe", "a pipe")):
            pilot.app.screen.query_one("#field-file").value = name  # type: ignore[attr-defined]
            assert f"{name!r} is {kind}; name one file" in await press(pilot, "ctrl+s")
        pilot.app.screen.query_one("#field-file").value = str(tmp_path / "n.md")  # type: ignore[attr-defined]
        assert "1 line worth keeping: 0 lost, 0 uncertain, 1 landed" in await press(pilot, "ctrl+s")
        text = await press(pilot, "n")
        assert "What is about to be lost?" in text and "n.md" in text


async def test_a_text_pasted_onto_the_panel_is_audited_and_enter_goes_to_the_memory(
    bank: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tui.screens.context_audit.MANY", 0)  # as a long text: its lines come first, Review later
    async with opened(bank) as pilot:
        await audited(pilot, "nothing here")
        assert "No line of it decides or promises something: nothing would be lost." in screen_text(pilot.app)
        panel(pilot).post_message(events.Paste("must skip\x1b[2J marzipan\x07\rnote: booked until the 16th"))
        await quiet(pilot)
        assert statuses(pilot) == [("lost", "must skip␛[2J marzipan␇"), ("landed", "note: booked until the 16th")]
        assert panel(pilot).text.text == "must skip␛[2J marzipan␇\nnote: booked until the 16th"
        await press(pilot, "G", "enter")
        assert pilot.app.current_mode == "bank"
        assert "lake house" in screen_text(pilot.app)


async def test_looking_changes_nothing(bank: Bank, opened: Opened) -> None:
    before = bank.view().revision
    async with opened(bank, read_only=True) as pilot:
        await audited(pilot)
        text = await press(pilot, "m")
        assert "opened with --read-only" in text
        assert bank.view().revision == before
