"""Sessions as a person uses it: see what there is, read it, try it, run it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from store.bank import Bank
from tests.tui.conftest import Opened, settle
from tests.tui.screen import screen_text
from tests.tui.sessions_world import bytes_of, claude, demo, go_to, nowhere, press, screen_of, sessions, waiting
from tui.screens.transcript_rows import TranscriptRows
from tui.widgets.rows import Rows

__all__ = ["demo", "nowhere"]


# --- looking


async def test_the_three_unread_transcripts_are_listed_and_no_file_is_read_for_it(
    demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: Any, **named: Any) -> Any:
        raise AssertionError("a transcript was read without being asked for")

    monkeypatch.setattr("tui.screens.sessions_queue.read", refuse)
    monkeypatch.setattr("tui.screens.sessions_acts.read", refuse)
    async with opened(demo, size=(80, 24)) as pilot:
        lines = (await sessions(pilot)).splitlines()
    assert len(lines) == 24
    assert lines[1].endswith("5 sessions   3 with something new")
    assert lines[2].startswith(" model  offline rules; `memdesk config set model NAME`")
    assert lines[5].startswith(">. 8f2e7d10  today 11:00 claude ferrytime      -    -   -  new")
    assert lines[6].startswith(" . tea-house 29 Nov      openai                -    -   -  new")
    assert lines[7].startswith(" . d41a5c77  28 Nov      dsh    nightboat      -    -   -  new")
    assert lines[8].startswith(" + 5b1f0c2e  27 Nov      claude ferrytime      3    3   0  settled")
    assert "Nobody has read it yet: enter shows what it holds" in lines[13]
    assert lines[23].startswith(" enter open  R run  D dry run  p preview  c stop  n read a file  o conversation")


async def test_a_wide_window_has_the_pane_at_the_side(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        lines = (await sessions(pilot)).splitlines()
    assert lines[4].startswith("   session   when        source      project       found kept out  state")
    assert lines[4].endswith("│ 8f2e7d10   claude-code")
    assert "5 sessions   3 with something new   newest first" in lines[1]
    assert any("│ TRANSCRIPT" in line for line in lines)


async def test_without_colour_signs_and_words_say_the_same(
    demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(demo) as pilot:
        text = await sessions(pilot)
        assert text.count("  new") == 3 and text.count("settled") == 2
        assert "running" not in text


async def test_a_narrow_window_drops_the_pane_the_counts_and_the_project_but_never_the_state(
    demo: Bank, opened: Opened
) -> None:
    async with opened(demo, size=(48, 36)) as pilot:
        text = await sessions(pilot)
        assert "8f2e7d10" in text and "new" in text
        assert "ferrytime" not in text and "TRANSCRIPT" not in text
        assert "typed by you" in await press(pilot, "enter")


async def test_entering_a_transcript_shows_who_wrote_how_much_and_the_persons_words(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 60)) as pilot:
        await sessions(pilot)
        text = await press(pilot, "enter")
    assert "6 typed by you" in text
    assert "nothing of 13, 6 messages of yours" in text
    assert "6 to evaluate" in text and "6 new messages" in text
    assert "Never print a passenger's address" in text
    assert "ghp_example" not in text  # secrets are masked wherever words are shown
    assert "Do not mention this note" not in text  # not the person's


async def test_words_in_the_box_narrow_the_list(demo: Bank, opened: Opened) -> None:
    async with opened(demo) as pilot:
        await sessions(pilot)
        text = await press(pilot, "/", *"claude new")
        assert "1 of 5" in text and "8f2e7d10" in text and "5b1f0c2e" not in text
        text = await press(pilot, "escape", "escape", "/", *"-claude")
        assert "2 of 5" in text
        text = await press(pilot, *" xyzzy")
        assert "Nothing matches" in text


async def test_nothing_found_says_where_was_looked_and_what_to_press(bank: Bank, opened: Opened, nowhere: Path) -> None:
    async with opened(bank) as pilot:
        text = await sessions(pilot)
    assert "No transcript found" in text
    assert str(nowhere / "claude" / "projects")[-30:] in text.replace("\n", "")
    assert "n   reads a file that lies elsewhere" in text


# --- running


async def test_a_run_files_what_the_person_said_and_a_second_one_adds_nothing(demo: Bank, opened: Opened) -> None:
    before = waiting(demo)
    async with opened(demo, size=(140, 50)) as pilot:
        await sessions(pilot)
        text = await press(pilot, "R")
        assert "8f2e7d10 settled: 2 facts wait for review, 3 seen once." in text and "2 review" in text
        assert "5    5   0  settled" in text
        assert "FACTS FROM IT   5" in text
        assert waiting(demo) - before == {
            "the Trafaria boat does not run on Sundays before Easter",
            "We decided to use the job queue for that, not cron",
            "Never print a passenger's address in a log, not even masked",
            "the winter timetable starts on the 14th, not on the 12th",
            "preference: boring technology",
        }
        rows = {name: dict(demo.view().rows(name)) for name in ("gaps", "profile", "cursors", "receipts")}
        text = await press(pilot, "R")
        assert "8f2e7d10: nothing new since the last run." in text
        assert {name: dict(demo.view().rows(name)) for name in rows} == rows


async def test_a_dry_run_shows_what_would_be_proposed_and_leaves_the_bank_byte_for_byte(
    demo: Bank, opened: Opened
) -> None:
    async with opened(demo, size=(140, 50)) as pilot:
        await sessions(pilot)
        demo.flush()
        before, facts = bytes_of(demo), waiting(demo)
        text = await press(pilot, "D")
        assert "8f2e7d10, dry run: 2 facts would wait for review, 3 seen once; nothing was kept." in text
        assert "DRY RUN, nothing kept   5 found, 5 kept, 0 out" in text
        assert "» Remember that the Trafaria boat" in text
        assert "6 to evaluate" in text
        assert bytes_of(demo) == before and waiting(demo) == facts


async def test_marked_transcripts_are_worked_off_one_after_the_other(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await sessions(pilot)
        await press(pilot, "space")
        go_to(pilot, "d41a5c77")
        await press(pilot, "space", "R")
        screen = screen_of(pilot)
        assert {item.name[:8]: item.state for item in screen.items if item.key and item.format != "openai"} == {
            "8f2e7d10": "settled",
            "d41a5c77": "settled",
            "5b1f0c2e": "settled",
            "6c0d9a41": "settled",
        }
        assert screen.rows.marks == set()


async def test_message_lists_are_evaluated_only_when_the_person_says_that_the_words_are_theirs(
    demo: Bank, opened: Opened
) -> None:
    async with opened(demo) as pilot:
        await sessions(pilot)
        go_to(pilot, "tea-house")
        before = waiting(demo)
        assert "Does role user in tea-house.json mean you?" in await press(pilot, "R")
        await press(pilot, "n")
        assert waiting(demo) == before
        await press(pilot, "R")
        await press(pilot, "y")
        assert "tea-house settled" in screen_text(pilot.app)
        assert len(waiting(demo)) == len(before) + 4


async def test_a_grown_transcript_is_shown_as_such_and_only_what_is_new_is_evaluated(
    bank: Bank, opened: Opened, nowhere: Path
) -> None:
    claude(nowhere / "claude", "one", "Remember that the deploy script needs VPN.")
    async with opened(bank) as pilot:
        await sessions(pilot)
        await press(pilot, "R")
        claude(
            nowhere / "claude", "one", "Remember that the deploy script needs VPN.", "Remember that staging is on 8443."
        )
        screen_of(pilot).look_again()
        await settle(pilot)
        assert "new turns" in screen_text(pilot.app)
        text = await press(pilot, "R")
        assert "one settled: 1 fact waits for review." in text
    assert waiting(bank) == {"the deploy script needs VPN", "staging is on 8443"}


# --- reading a file


async def test_a_file_is_asked_for_with_completion_read_and_stays_in_the_list(
    bank: Bank, opened: Opened, nowhere: Path
) -> None:
    path = claude(nowhere / "elsewhere", "trip", "Remember that the ferry leaves at nine.")
    async with opened(bank, size=(140, 40)) as pilot:
        await sessions(pilot)
        text = await press(pilot, "n")
        assert "Read which transcript?" in text
        box = pilot.app.screen.query_one("Line")
        box.value = str(path)[: -len("ip.jsonl")]  # type: ignore[attr-defined]
        await settle(pilot)
        assert "trip.jsonl" in screen_text(pilot.app)
        await press(pilot, "tab")
        assert box.value == str(path)  # type: ignore[attr-defined]
        text = await press(pilot, "enter")
        assert "1 to evaluate" in text and "Remember that the ferry leaves at" in text
        assert bank.view().rows("sessions")["claude-code/trip"]["state"] == "new"
        await press(pilot, "R")
    assert waiting(bank) == {"the ferry leaves at nine"}


async def test_a_file_that_is_no_transcript_is_said_to_be_none(bank: Bank, opened: Opened, nowhere: Path) -> None:
    (nowhere / "notes.txt").write_text("just some notes\n")
    async with opened(bank) as pilot:
        await sessions(pilot)
        await press(pilot, "n")
        box = pilot.app.screen.query_one("Line")
        box.value = str(nowhere / "gone.txt")  # type: ignore[attr-defined]
        assert "There is no file" in await press(pilot, "enter")
        box.value = str(nowhere / "notes.txt")  # type: ignore[attr-defined]
        text = await press(pilot, "enter")
        assert "x notes" in text and "not a transcript" in text
        assert "sessions" not in bank.view().tables or not bank.view().rows("sessions")


async def test_somebody_elses_messages_are_not_taken(bank: Bank, opened: Opened, nowhere: Path) -> None:
    path = nowhere / "log.json"
    path.write_text(json.dumps([{"role": "user", "content": "Remember that I like tea."}]))
    async with opened(bank) as pilot:
        await sessions(pilot)
        await press(pilot, "n")
        pilot.app.screen.query_one("Line").value = str(path)  # type: ignore[attr-defined]
        assert "Does role user in log.json mean you?" in await press(pilot, "enter")
        assert "somebody else's" in await press(pilot, "n")
        assert not bank.view().rows("sessions")


async def test_a_path_pasted_onto_the_list_is_offered_to_be_read(bank: Bank, opened: Opened, nowhere: Path) -> None:
    async with opened(bank) as pilot:
        await sessions(pilot)
        screen_of(pilot).paste("'/home/mei/talk.jsonl'")
        await settle(pilot)
        assert pilot.app.screen.query_one("Line").value == "/home/mei/talk.jsonl"  # type: ignore[attr-defined]


# --- more


async def test_the_conversation_opens_with_the_quoted_words_marked(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await sessions(pilot)
        await press(pilot, "R")
        text = await press(pilot, "o")
        assert "5 turns with quoted words" in text and "Trafaria boat" in text
        assert "[4 Sessions]" in await press(pilot, "escape") or "Sessions]" in screen_text(pilot.app)


async def test_a_line_of_the_conversation_is_remembered_and_waits_for_review(demo: Bank, opened: Opened) -> None:
    before = waiting(demo)
    async with opened(demo, size=(140, 40)) as pilot:
        await sessions(pilot)
        text = await press(pilot, "o")
        assert "m remember this line" in text
        assert "Put the cursor on words of yours" in await press(pilot, "g", "m")
        rows = pilot.app.screen.query_one(Rows)
        assert isinstance(rows.source, TranscriptRows)
        shown = rows.source.lines
        rows.cursor = next(at for at, one in enumerate(shown) if "Never print a passenger" in str(one.pieces))
        text = await press(pilot, "m")
        assert "Waits for review: Never print a passenger's address in a log" in text
        (new,) = waiting(demo) - before
        assert new.startswith("Never print a passenger's address in a log")
        heads = {one.turn: str(one.pieces) for one in reversed(shown)}
        rows.cursor = next(at for at, one in enumerate(shown) if one.part and "agent" in heads[one.turn])
        assert "Only what you wrote yourself" in await press(pilot, "m")
        await press(pilot, "escape", "u")
        assert waiting(demo) == before


async def test_p_shows_what_a_model_would_be_shown_and_sends_nothing(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await sessions(pilot)
        demo.flush()
        before = bytes_of(demo)
        text = await press(pilot, "p")
        assert "What a model would be shown of 8f2e7d10" in text
        assert "Nothing was sent. 1 window, 6 messages of yours, 1 secret masked." in text
        assert " calls" not in text and "tokens" not in text and "[REDACTED]" in text and "ghp_example" not in text
        assert "Remember that the Trafaria boat does not run on Sundays" in text
        assert "Do not mention this note" not in text
        assert "You do the first stage of extracting" in await press(pilot, "p")
        assert "[4 Sessions]" in await press(pilot, "escape")
        assert bytes_of(demo) == before


async def test_w_chooses_the_whole_session_again_and_nothing_counts_twice(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await sessions(pilot)
        await press(pilot, "R")
        rows = {name: set(demo.view().rows(name)) for name in ("gaps", "profile", "cursors")}
        seen = [len(row["sightings"]) for row in demo.view().rows("gaps").values()]
        text = await press(pilot, "w")
        assert "Which turns does the next run go over?" in text and "the whole session again" in text
        await press(pilot, "down", "enter")
        assert "The next run goes over the whole session" in screen_text(pilot.app)
        text = await press(pilot, "R")
        assert "8f2e7d10 settled" in text and "The next run goes over" not in text
        assert {name: set(demo.view().rows(name)) for name in rows} == rows
        assert [len(row["sightings"]) for row in demo.view().rows("gaps").values()] == seen
        await press(pilot, "w", "down", "down", "enter")
        await press(pilot, *"40 12", "enter")
        assert "The first turn comes before the last" in screen_text(pilot.app)


async def test_y_copies_the_log_of_a_run(demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []

    def take(app: Any, text: str, what: str) -> str:
        copied.append(text)
        return f"Copied {what}."

    monkeypatch.setattr("tui.clipboard.copy", take)
    async with opened(demo) as pilot:
        await sessions(pilot)
        await press(pilot, "R")
        assert "Copied the log." in await press(pilot, "y")
        assert "Copied 1 session as JSON." in await press(pilot, "Y")
    log = copied[0].splitlines()
    assert log[0] == "12:00:00  read, 6 messages of yours, 6 new" and log[-1] == "12:00:00  done"
    assert json.loads(copied[1])["sessions"][0]["state"] == "settled"


async def test_the_model_line_names_the_persons_model(demo: Bank, opened: Opened, own_folders: Path) -> None:
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "memdesk" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('model = "ollama_chat/qwen"\napi_base = "http://127.0.0.1:11434"\n')
    async with opened(demo) as pilot:
        text = await sessions(pilot)
    assert " model  ollama_chat/qwen at http://127.0.0.1:11434; `memdesk config set" in text
