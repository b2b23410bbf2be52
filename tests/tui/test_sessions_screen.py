"""Sessions as a person uses it: see what there is, read it, try it, run it, stop it."""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline import review
from pipeline.model import ModelProblem, OfflineDoor, Reply
from pipeline.transcripts import Transcript
from store import clock
from store.bank import Bank
from tests.tui.conftest import Opened, settle
from tests.tui.screen import screen_text
from tui.app import Workbench
from tui.demo.build import build_demo, places
from tui.screens.sessions import SessionsScreen

HOSTILE = "Remember that [@click=app.quit]x[/] [/] [red]y \x1b]52;c;aGk=\x07 \u202eabc stays."


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bank]:
    """The demo's bank, its transcripts in the usual places."""
    folder = tmp_path / "demo"
    bank = build_demo(folder)
    for name, value in places(folder).items():
        monkeypatch.setenv(name, value)
    yield bank
    bank.close()


@pytest.fixture
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Usual places that are not there."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("DSH_HOME", str(tmp_path / "dsh"))
    return tmp_path


def _bench(pilot: Any) -> Workbench:
    assert isinstance(pilot.app, Workbench)
    return pilot.app


def _show(pilot: Any) -> str:
    text = screen_text(pilot.app)
    print(text)
    return text


def _screen(pilot: Any) -> SessionsScreen:
    found = [screen for screen in _bench(pilot).visited() if isinstance(screen, SessionsScreen)]
    assert found
    return found[0]


async def _sessions(pilot: Any) -> str:
    _bench(pilot).open_screen("sessions")
    await settle(pilot)
    return screen_text(pilot.app)


async def _press(pilot: Any, *keys: str) -> str:
    await pilot.press(*keys)
    await settle(pilot)
    return _show(pilot)


async def _until(pilot: Any, true: Callable[[], bool]) -> None:
    for _ in range(2_000):
        if true():
            return
        await pilot.pause(0.01)
    raise AssertionError(screen_text(pilot.app))


def _go_to(pilot: Any, beginning: str) -> Transcript:
    screen = _screen(pilot)
    item = next(item for item in screen.items if item.name.startswith(beginning))
    assert screen.rows.go_to(item.id)
    return item


def _waiting(bank: Bank) -> set[str]:
    return {one.statement for one in review.queue(bank.view(), clock.millis())}


def _bytes(bank: Bank) -> dict[str, str]:
    root = Path(bank.view().root)
    files = [path for path in root.rglob("*") if path.is_file()]
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def _claude(folder: Path, name: str, *texts: str, tail: bytes = b"") -> Path:
    """A transcript in which the person typed these texts."""
    path = folder / "projects" / "-home-mei-api" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for number, text in enumerate(texts):
        record = {"type": "user", "uuid": f"{name}-{number}", "sessionId": name, "cwd": "/home/mei/api"}
        record |= {"timestamp": f"2026-11-30T1{number % 10}:00:00.000Z"}
        lines.append(json.dumps(record | {"message": {"role": "user", "content": text}}, ensure_ascii=False))
    path.write_bytes("\n".join(lines).encode() + b"\n" + tail)
    return path


# --- looking


async def test_the_three_unread_transcripts_are_listed_and_no_file_is_read_for_it(
    demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: Any, **named: Any) -> Any:
        raise AssertionError("a transcript was read without being asked for")

    monkeypatch.setattr("tui.screens.sessions_queue.read", refuse)
    monkeypatch.setattr("tui.screens.sessions_acts.read", refuse)
    async with opened(demo, size=(80, 24)) as pilot:
        lines = (await _sessions(pilot)).splitlines()
    assert len(lines) == 24
    assert lines[1].endswith("5 sessions   3 with something new")
    assert lines[2].startswith(" model  offline rules; `memdesk config set model NAME`")
    assert lines[5].startswith(">. 8f2e7d10  today 11:00 claude ferrytime      -    -   -  new")
    assert lines[6].startswith(" . tea-house 29 Nov      openai                -    -   -  new")
    assert lines[7].startswith(" . d41a5c77  28 Nov      dsh    nightboat      -    -   -  new")
    assert lines[8].startswith(" + 5b1f0c2e  27 Nov      claude ferrytime      3    3   0  settled")
    assert "Nobody has read it yet: enter shows what it holds" in lines[13]
    assert lines[23].startswith(" enter open  R run  D dry run  c stop  n read a file  o conversation  y copy")


async def test_a_wide_window_has_the_pane_at_the_side(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        lines = (await _sessions(pilot)).splitlines()
    assert lines[4].startswith("   session   when        source      project       found kept out  state")
    assert lines[4].endswith("│ 8f2e7d10   claude-code")
    assert "5 sessions   3 with something new   newest first" in lines[1]
    assert any("│ TRANSCRIPT" in line for line in lines)


async def test_without_colour_signs_and_words_say_the_same(
    demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(demo) as pilot:
        text = await _sessions(pilot)
        assert text.count("  new") == 3 and text.count("settled") == 2
        assert "running" not in text


async def test_a_narrow_window_drops_the_pane_the_counts_and_the_project_but_never_the_state(
    demo: Bank, opened: Opened
) -> None:
    async with opened(demo, size=(48, 36)) as pilot:
        text = await _sessions(pilot)
        assert "8f2e7d10" in text and "new" in text
        assert "ferrytime" not in text and "TRANSCRIPT" not in text
        assert "typed by you" in await _press(pilot, "enter")


async def test_entering_a_transcript_shows_who_wrote_how_much_and_the_persons_words(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 60)) as pilot:
        await _sessions(pilot)
        text = await _press(pilot, "enter")
    assert "6 typed by you" in text
    assert "nothing of 13, 6 messages of yours" in text
    assert "6 to evaluate" in text and "6 new messages" in text
    assert "Never print a passenger's address" in text
    assert "ghp_example" not in text  # secrets are masked wherever words are shown
    assert "Do not mention this note" not in text  # not the person's


async def test_words_in_the_box_narrow_the_list(demo: Bank, opened: Opened) -> None:
    async with opened(demo) as pilot:
        await _sessions(pilot)
        text = await _press(pilot, "/", *"claude new")
        assert "1 of 5" in text and "8f2e7d10" in text and "5b1f0c2e" not in text
        text = await _press(pilot, "escape", "escape", "/", *"-claude")
        assert "2 of 5" in text
        text = await _press(pilot, *" xyzzy")
        assert "Nothing matches" in text


async def test_nothing_found_says_where_was_looked_and_what_to_press(bank: Bank, opened: Opened, nowhere: Path) -> None:
    async with opened(bank) as pilot:
        text = await _sessions(pilot)
    assert "No transcript found" in text
    assert str(nowhere / "claude" / "projects")[-30:] in text.replace("\n", "")
    assert "n   reads a file that lies elsewhere" in text


# --- running


async def test_a_run_files_what_the_person_said_and_a_second_one_adds_nothing(demo: Bank, opened: Opened) -> None:
    before = _waiting(demo)
    async with opened(demo, size=(140, 50)) as pilot:
        await _sessions(pilot)
        text = await _press(pilot, "R")
        assert "8f2e7d10 settled: 2 facts wait for review, 3 seen once." in text and "2 review" in text
        assert "5    5   0  settled" in text
        assert "FACTS FROM IT   5" in text
        assert _waiting(demo) - before == {
            "the Trafaria boat does not run on Sundays before Easter",
            "We decided to use the job queue for that, not cron",
            "Never print a passenger's address in a log, not even masked",
            "the winter timetable starts on the 14th, not on the 12th",
            "preference: boring technology",
        }
        rows = {name: dict(demo.view().rows(name)) for name in ("gaps", "profile", "cursors", "receipts")}
        text = await _press(pilot, "R")
        assert "8f2e7d10: nothing new since the last run." in text
        assert {name: dict(demo.view().rows(name)) for name in rows} == rows


async def test_a_dry_run_shows_what_would_be_proposed_and_leaves_the_bank_byte_for_byte(
    demo: Bank, opened: Opened
) -> None:
    async with opened(demo, size=(140, 50)) as pilot:
        await _sessions(pilot)
        demo.flush()
        before, waiting = _bytes(demo), _waiting(demo)
        text = await _press(pilot, "D")
        assert "8f2e7d10, dry run: 2 facts would wait for review, 3 seen once; nothing was kept." in text
        assert "DRY RUN, nothing kept   5 found, 5 kept, 0 out" in text
        assert "» Remember that the Trafaria boat" in text
        assert "6 to evaluate" in text
        assert _bytes(demo) == before and _waiting(demo) == waiting


async def test_marked_transcripts_are_worked_off_one_after_the_other(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await _sessions(pilot)
        await _press(pilot, "space")
        _go_to(pilot, "d41a5c77")
        await _press(pilot, "space", "R")
        screen = _screen(pilot)
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
        await _sessions(pilot)
        _go_to(pilot, "tea-house")
        before = _waiting(demo)
        assert "Does role user in tea-house.json mean you?" in await _press(pilot, "R")
        await _press(pilot, "n")
        assert _waiting(demo) == before
        await _press(pilot, "R")
        await _press(pilot, "y")
        assert "tea-house settled" in screen_text(pilot.app)
        assert len(_waiting(demo)) == len(before) + 4


async def test_a_grown_transcript_is_shown_as_such_and_only_what_is_new_is_evaluated(
    bank: Bank, opened: Opened, nowhere: Path
) -> None:
    _claude(nowhere / "claude", "one", "Remember that the deploy script needs VPN.")
    async with opened(bank) as pilot:
        await _sessions(pilot)
        await _press(pilot, "R")
        _claude(
            nowhere / "claude", "one", "Remember that the deploy script needs VPN.", "Remember that staging is on 8443."
        )
        _screen(pilot).look_again()
        await settle(pilot)
        assert "new turns" in screen_text(pilot.app)
        text = await _press(pilot, "R")
        assert "one settled: 1 fact waits for review." in text
    assert _waiting(bank) == {"the deploy script needs VPN", "staging is on 8443"}


# --- reading a file


async def test_a_file_is_asked_for_with_completion_read_and_stays_in_the_list(
    bank: Bank, opened: Opened, nowhere: Path
) -> None:
    path = _claude(nowhere / "elsewhere", "trip", "Remember that the ferry leaves at nine.")
    async with opened(bank, size=(140, 40)) as pilot:
        await _sessions(pilot)
        text = await _press(pilot, "n")
        assert "Read which transcript?" in text
        box = pilot.app.screen.query_one("Line")
        box.value = str(path)[: -len("ip.jsonl")]  # type: ignore[attr-defined]
        await settle(pilot)
        assert "trip.jsonl" in screen_text(pilot.app)
        await _press(pilot, "tab")
        assert box.value == str(path)  # type: ignore[attr-defined]
        text = await _press(pilot, "enter")
        assert "1 to evaluate" in text and "Remember that the ferry leaves at" in text
        assert bank.view().rows("sessions")["claude-code/trip"]["state"] == "new"
        await _press(pilot, "R")
    assert _waiting(bank) == {"the ferry leaves at nine"}


async def test_a_file_that_is_no_transcript_is_said_to_be_none(bank: Bank, opened: Opened, nowhere: Path) -> None:
    (nowhere / "notes.txt").write_text("just some notes\n")
    async with opened(bank) as pilot:
        await _sessions(pilot)
        await _press(pilot, "n")
        box = pilot.app.screen.query_one("Line")
        box.value = str(nowhere / "gone.txt")  # type: ignore[attr-defined]
        assert "There is no file" in await _press(pilot, "enter")
        box.value = str(nowhere / "notes.txt")  # type: ignore[attr-defined]
        text = await _press(pilot, "enter")
        assert "x notes" in text and "not a transcript" in text
        assert "sessions" not in bank.view().tables or not bank.view().rows("sessions")


async def test_somebody_elses_messages_are_not_taken(bank: Bank, opened: Opened, nowhere: Path) -> None:
    path = nowhere / "log.json"
    path.write_text(json.dumps([{"role": "user", "content": "Remember that I like tea."}]))
    async with opened(bank) as pilot:
        await _sessions(pilot)
        await _press(pilot, "n")
        pilot.app.screen.query_one("Line").value = str(path)  # type: ignore[attr-defined]
        assert "Does role user in log.json mean you?" in await _press(pilot, "enter")
        assert "somebody else's" in await _press(pilot, "n")
        assert not bank.view().rows("sessions")


async def test_a_path_pasted_onto_the_list_is_offered_to_be_read(bank: Bank, opened: Opened, nowhere: Path) -> None:
    async with opened(bank) as pilot:
        await _sessions(pilot)
        _screen(pilot).paste("'/home/mei/talk.jsonl'")
        await settle(pilot)
        assert pilot.app.screen.query_one("Line").value == "/home/mei/talk.jsonl"  # type: ignore[attr-defined]


# --- stopping and failing


class Slow(OfflineDoor):
    """A model that answers when the test lets it."""

    def __init__(self) -> None:
        self.asked, self.go_on = threading.Event(), threading.Event()
        self.calls = 0

    def propose(self, question: Any, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        self.calls += 1
        self.asked.set()
        while not self.go_on.wait(0.01):
            if cancelled():
                return ModelProblem("aborted", "The call was stopped.")
        return super().propose(question, cancelled)


class Failing(OfflineDoor):
    """A model that cannot be reached for the first call."""

    def __init__(self) -> None:
        self.calls = 0

    def propose(self, question: Any, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        self.calls += 1
        if self.calls == 1:
            return ModelProblem("provider", "The server of m cannot be reached; check that it runs.")
        return super().propose(question, cancelled)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    door = Slow()
    monkeypatch.setattr("tui.screens.sessions_runs.open_door", lambda settings: door)
    return door


async def test_c_stops_after_the_call_and_again_now(demo: Bank, opened: Opened, slow: Slow) -> None:
    cursors = dict(demo.view().rows("cursors"))
    async with opened(demo, size=(140, 40)) as pilot:
        await _sessions(pilot)
        await pilot.press("R")
        await _until(pilot, slow.asked.is_set)
        await _until(pilot, lambda: "running: propose" in screen_text(pilot.app))
        text = screen_text(pilot.app)
        assert "1 call   waiting for the answer" in text and "read             6 messages of yours" in text
        await pilot.press("c")
        await _until(pilot, lambda: "Stops after this call; c again stops now." in screen_text(pilot.app))
        assert _screen(pilot).going is not None
        await pilot.press("c")
        await _until(pilot, lambda: _screen(pilot).going is None)
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "8f2e7d10 was stopped; what was settled stands." in text and "stopped" in text
        assert "Nothing is running." in await _press(pilot, "c")
        slow.go_on.set()
        assert "8f2e7d10 settled" in await _press(pilot, "R")
    assert set(demo.view().rows("cursors")) - set(cursors) == {"claude-code/8f2e7d10-9c4b-4d3a-b5e6-0a1b2c3d4e5f"}


async def test_stopping_after_the_call_waits_for_its_answer_and_makes_no_other(
    demo: Bank, opened: Opened, slow: Slow
) -> None:
    async with opened(demo) as pilot:
        await _sessions(pilot)
        await pilot.press("R")
        await _until(pilot, slow.asked.is_set)
        await pilot.press("c")
        slow.go_on.set()
        await _until(pilot, lambda: _screen(pilot).going is None)
        await settle(pilot)
        assert slow.calls == 1 and "was stopped" in screen_text(pilot.app)


async def test_a_failing_model_is_one_sentence_and_the_rest_of_the_queue_goes_on(
    demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    door = Failing()
    monkeypatch.setattr("tui.screens.sessions_runs.open_door", lambda settings: door)
    async with opened(demo, size=(140, 40)) as pilot:
        await _sessions(pilot)
        await _press(pilot, "space")
        _go_to(pilot, "d41a5c77")
        await _press(pilot, "space", "R")
        screen = _screen(pilot)
        states = {item.name[:8]: item.state for item in screen.items}
        assert (states["d41a5c77"], states["8f2e7d10"]) == ("retry", "settled")  # the older one is first
        _go_to(pilot, "d41a5c77")
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "failed once: R again" in text
        assert "The server of m cannot be reached; check" in text
        assert "R tries it once more" in text
        await _press(pilot, "R")
        assert {item.name[:8]: item.state for item in screen.items}["d41a5c77"] == "settled"


async def test_leaving_during_a_run_asks_from_every_screen(demo: Bank, opened: Opened, slow: Slow) -> None:
    async with opened(demo) as pilot:
        await _sessions(pilot)
        await pilot.press("R")
        await _until(pilot, slow.asked.is_set)
        await pilot.press("1")
        await _until(pilot, lambda: "[1 Bank]" in screen_text(pilot.app))
        await pilot.press("q")
        await _until(pilot, lambda: "1 transcript is being read; what is settled stays." in screen_text(pilot.app))
        await pilot.press("y")
        await _until(pilot, lambda: pilot.app.return_code == 0)
    assert slow.calls == 1


# --- bad input


async def test_a_damaged_transcript_is_read_as_far_as_it_goes_and_says_so(
    bank: Bank, opened: Opened, nowhere: Path
) -> None:
    _claude(
        nowhere / "claude", "torn", "Remember that the deploy script needs VPN.", tail=b'\x00\xff broken\n{"type": "us'
    )
    async with opened(bank, size=(140, 50)) as pilot:
        await _sessions(pilot)
        text = await _press(pilot, "enter")
        assert "line 2" in text and "line 3" in text
        text = await _press(pilot, "escape", "R")
        assert "torn settled: 1 fact waits for review." in text
    assert _waiting(bank) == {"the deploy script needs VPN"}


async def test_hostile_text_is_shown_literally(bank: Bank, opened: Opened, nowhere: Path) -> None:
    _claude(nowhere / "claude", "[red]evil", HOSTILE)
    async with opened(bank, size=(140, 50)) as pilot:
        await _sessions(pilot)
        text = await _press(pilot, "enter")
        assert "[@click=app.quit]x[/] [/] [red]y" in text and "␛]52;c;aGk=␇" in text
        text = await _press(pilot, "escape", "R")
        assert "[red]evil" in text and "\u202e" not in text and "\x1b" not in text
        assert pilot.app.return_code is None


async def test_a_file_that_goes_away_keeps_its_line_and_says_so(bank: Bank, opened: Opened, nowhere: Path) -> None:
    path = _claude(nowhere / "claude", "one", "Remember that the deploy script needs VPN.")
    async with opened(bank, size=(140, 40)) as pilot:
        await _sessions(pilot)
        await _press(pilot, "R")
        path.unlink()
        _screen(pilot).look_again()
        await settle(pilot)
        text = screen_text(pilot.app)
        assert "settled, file gone" in text and "FACTS FROM IT   1" in text
        assert "1 file not there any more" in await _press(pilot, "R")


async def test_a_read_only_bank_can_be_tried_but_not_run(demo: Bank, opened: Opened) -> None:
    async with opened(demo, read_only=True) as pilot:
        await _sessions(pilot)
        assert "D tries it and keeps nothing. The workbench was opened" in await _press(pilot, "R")
        assert "dry run: 2 facts would wait for review" in await _press(pilot, "D")


# --- more


async def test_the_conversation_opens_with_the_quoted_words_marked(demo: Bank, opened: Opened) -> None:
    async with opened(demo, size=(140, 40)) as pilot:
        await _sessions(pilot)
        await _press(pilot, "R")
        text = await _press(pilot, "o")
        assert "5 turns with quoted words" in text and "Trafaria boat" in text
        assert "[4 Sessions]" in await _press(pilot, "escape") or "Sessions]" in screen_text(pilot.app)


async def test_y_copies_the_log_of_a_run(demo: Bank, opened: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    copied: list[str] = []

    def take(app: Any, text: str, what: str) -> str:
        copied.append(text)
        return f"Copied {what}."

    monkeypatch.setattr("tui.clipboard.copy", take)
    async with opened(demo) as pilot:
        await _sessions(pilot)
        await _press(pilot, "R")
        assert "Copied the log." in await _press(pilot, "y")
        assert "Copied 1 session as JSON." in await _press(pilot, "Y")
    log = copied[0].splitlines()
    assert log[0] == "12:00:00  read, 6 messages of yours, 6 new" and log[-1] == "12:00:00  done"
    assert json.loads(copied[1])["sessions"][0]["state"] == "settled"


async def test_the_model_line_names_the_persons_model(demo: Bank, opened: Opened, own_folders: Path) -> None:
    config = Path(os.environ["XDG_CONFIG_HOME"]) / "memdesk" / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('model = "ollama_chat/qwen"\napi_base = "http://127.0.0.1:11434"\n')
    async with opened(demo) as pilot:
        text = await _sessions(pilot)
    assert " model  ollama_chat/qwen at http://127.0.0.1:11434; `memdesk config set" in text
