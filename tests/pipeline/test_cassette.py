"""Answers are recorded once and replayed as often as wanted; a plan says before what a model would be shown."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from pipeline.bounded import BoundedDoor
from pipeline.cassette import CassetteDoor, RecordingDoor
from pipeline.extract.effects import Called, Calling, Told
from pipeline.extract.options import Options
from pipeline.extract.rerun import Span
from pipeline.extract.stages import Propose
from pipeline.extraction import WHOLE, extract
from pipeline.model import OfflineDoor
from pipeline.preview import plan
from pipeline.reply import ModelProblem, Reply, never
from pipeline.usage import NOTHING
from store.errors import BadInput
from tests.cli.desk import NOW as CLI_NOW
from tests.cli.desk import new_desk
from tests.pipeline.review_desk import desk
from tests.pipeline.scripted import write_talk
from tests.pipeline.test_extraction_runs import DECIDED, REMEMBER, session
from tui.fates import plan_words, rules_words
from tui.recording import recorder
from tui.screens.sessions_progress import flat
from tui.screens.sessions_queue import Job
from tui.screens.sessions_run import Run, after

pytestmark = pytest.mark.usefixtures("stopped_clock")

ZH = "请记住：港口代码总是四个大写字母。"
SECRET = "use ghp_" + "exampleexampleexample0123456789 once"


# --- cassettes


def test_what_was_recorded_is_replayed_to_the_same_end_at_another_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tape = tmp_path / "tape.jsonl"
    said = [session("one", REMEMBER, DECIDED, ZH)]
    first, again = desk(), desk()
    recorded = extract(said, first, RecordingDoor(OfflineDoor(), recorder(tape)))
    assert tape.stat().st_mode & 0o077 == 0
    monkeypatch.setenv("MEMDESK_NOW", "2027-01-01T10:00:00+00:00")
    replayed = extract(said, again, CassetteDoor(tape))
    assert [one.statement for one in replayed.proposals] == [one.statement for one in recorded.proposals]
    assert len(recorded.proposals) == 3 and replayed.usage.calls == recorded.usage.calls == 2
    assert set(again.view().rows("gaps")) == set(first.view().rows("gaps"))


def test_a_recording_never_takes_the_place_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "talk.jsonl").write_text("mine")
    with pytest.raises(BadInput, match="exists already"):
        recorder(tmp_path / "talk.jsonl")
    assert (tmp_path / "talk.jsonl").read_text() == "mine"


def test_lines_of_ones_own_answer_their_stage_in_order_and_then_nothing(tmp_path: Path) -> None:
    tape = tmp_path / "tape.jsonl"
    answer = {
        "status": "complete",
        "incidents": [{"content": "x", "evidence": [{"sourceRef": "event:1", "quote": ZH}]}],
    }
    verdict = {"results": [{"candidateId": "candidate_0", "status": "accepted", "content": "港口代码是四个字母。"}]}
    lines: list[dict[str, Any]] = [
        {"stage": "proposal", "answer": answer, "tokens_in": 7, "tokens_out": 3, "cost": 0.25},
        {"stage": "canonicalize", "text": json.dumps(verdict)},
    ]
    tape.write_text("\n".join(json.dumps(line) for line in lines) + "\n\n", encoding="utf-8")
    door = CassetteDoor(tape)
    report = extract([session("one", ZH)], desk(), door)
    assert [one.statement for one in report.proposals] == ["港口代码是四个字母。"]
    assert (report.usage.tokens_in, report.usage.cost, report.usage.unpriced) == (7, 0.25, 1)
    other = extract([session("two", DECIDED)], desk(), door)
    assert [(one.state, one.problem) for one in other.sessions] == [
        ("failed", "The cassette holds no answer to this call; record it again from the same transcript.")
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "line 1 is no answer"),
        ('{"stage": "proposal", "text": "x"}\n[]', "line 2 is no answer"),
        ('{"stage": "lunch", "text": "x"}', "line 1 is no answer"),
        ('{"stage": "proposal"}', "neither a text nor an answer"),
        ("[" * 100_000, "line 1 is no answer"),
    ],
)
def test_a_file_that_is_no_cassette_says_where(tmp_path: Path, text: str, words: str) -> None:
    tape = tmp_path / "tape.jsonl"
    tape.write_text(text)
    with pytest.raises(BadInput, match=words):
        CassetteDoor(tape)
    with pytest.raises(BadInput, match="cannot be read"):
        CassetteDoor(tmp_path / "none.jsonl")


def test_a_pipe_is_no_cassette_and_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(BadInput, match="is no file; give the path of a recorded cassette"):
        CassetteDoor(tmp_path / "pipe")


def test_the_command_replays_a_cassette_without_a_model(tmp_path: Path) -> None:
    tape, path = tmp_path / "tape.jsonl", write_talk(tmp_path / "talk.jsonl", (REMEMBER, ZH))
    found = new_desk(tmp_path)
    answer = {
        "status": "complete",
        "incidents": [{"content": "x", "evidence": [{"sourceRef": "event:3", "quote": ZH}]}],
    }
    tape.write_text(json.dumps({"stage": "proposal", "answer": answer}), encoding="utf-8")
    failed = found("extract", str(path), "--cassette", str(tape), "--json")
    assert failed.code == 5 and "holds no answer" in failed.json["sessions"][0]["problem"]
    both = found("extract", str(path), "--cassette", str(tape), "--offline")
    assert both.code == 2 and "--cassette answers in place of a model" in both.err
    bare = found("extract", str(path), "--record", str(tmp_path / "new.jsonl"))
    assert bare.code == 2 and "name one with --model" in bare.err
    assert CLI_NOW


# --- plans


class Modelled(OfflineDoor):
    """Answers as the rules do, and counts as a model."""

    rules = False


def test_rules_are_not_called_and_what_they_take_is_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is said of calls and tokens where there is no model."""
    told: list[Told] = []
    ticks = iter(range(0, 10**9, 250))
    monkeypatch.setattr("pipeline.extraction.millis", lambda: 1_800_000_000_000 + next(ticks))
    report = extract([session("one", REMEMBER)], desk(), OfflineDoor(), on_event=told.append)
    calls = [one for one in told if isinstance(one, Calling | Called)]
    assert len(calls) == 4 and all(one.rules for one in calls)
    assert (report.rules, report.usage) == (True, NOTHING)
    assert report.seconds == (next(ticks) - 250) / 1000 >= 0.25
    assert [rules_words(seconds) for seconds in (0.004, 1.25)] == ["the rules, in under 0.1 s", "the rules, in 1.2 s"]
    run = Run(Job("a", "a"))
    for one in calls:
        run = after(run, one)
    shown = [*run.log, *(line.plain for line in flat(run, 80, 5))]
    assert run.calls == 0 and not any("call" in line or "token" in line for line in shown)


def test_a_plan_shows_windows_evidence_masks_and_waiting_facts_and_writes_nothing() -> None:
    bank = desk()
    extract([session("old", DECIDED)], bank, OfflineDoor())
    view = bank.view()
    said = [session("one", REMEMBER, SECRET, ZH)]
    made = plan(said, bank, Modelled(), Options(window_messages=2))
    assert bank.view() is view
    assert [(one.after, one.through, len(one.records), one.masked) for one in made.windows] == [
        (-1, 4, 2, 1),
        (4, 6, 1, 0),
    ]
    assert (made.calling, made.messages, made.masked, made.calls) == (2, 3, 1, (4, 6))
    first = made.windows[0]
    assert [gap.content for gap in first.open_gaps] == [DECIDED.rstrip(".")]
    assert "[REDACTED]" in first.evidence and "ghp_" not in first.prompt and first.evidence in first.prompt
    assert made.tokens > sum(one.tokens for one in made.windows) > 0
    assert dict(made.states or {}) == {"claude-code/one": "skipped"}
    by_rules = plan(said, bank, OfflineDoor(), Options(window_messages=2))
    assert (by_rules.calls, by_rules.tokens) == ((0, 0), 0)
    assert by_rules.windows == tuple(replace(one, tokens=0) for one in made.windows)
    assert plan_words(made).startswith("2 windows, 3 messages of yours, 4 to 6 calls, about ")
    assert plan_words(by_rules) == "2 windows, 3 messages of yours, 1 secret masked"


def test_a_plan_of_what_was_evaluated_is_empty_and_of_a_span_is_not() -> None:
    bank = desk()
    said = [session("one", REMEMBER, DECIDED, ZH)]
    extract(said, bank, OfflineDoor())
    assert plan(said, bank, OfflineDoor()).calling == 0
    assert plan(said, bank, OfflineDoor(), spans=(WHOLE,)).messages == 3
    (window,) = plan(said, bank, OfflineDoor(), spans=(Span(2, 4),)).windows
    assert [record.source_ref for record in window.records] == ["event:3"]


def test_going_over_a_session_again_counts_nothing_twice_and_moves_no_cursor_back() -> None:
    bank = desk()
    said = [session("one", REMEMBER, DECIDED, ZH)]
    extract(said, bank, OfflineDoor())
    before = {name: dict(bank.view().rows(name)) for name in ("cursors", "gaps")}
    report = extract(said, bank, Modelled(), spans=(WHOLE,))
    assert report.usage.calls == 2 and not report.failed
    after = {name: dict(bank.view().rows(name)) for name in ("cursors", "gaps")}
    assert after["cursors"]["claude-code/one"]["processedSeq"] == before["cursors"]["claude-code/one"]["processedSeq"]
    assert {key: len(row["sightings"]) for key, row in after["gaps"].items()} == {
        key: len(row["sightings"]) for key, row in before["gaps"].items()
    }


# --- calls at a time


class Counting(OfflineDoor):
    """Counts the calls that are under way, and lets each wait for the test."""

    def __init__(self) -> None:
        self.under_way, self.most, self.go_on = 0, 0, Event()
        self.begun = Event()

    def propose(self, question: Propose, cancelled: Any) -> Reply | ModelProblem:
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        self.begun.set()
        self.go_on.wait(30)
        self.under_way -= 1
        return super().propose(question, cancelled)


def test_no_more_calls_than_allowed_and_one_that_waits_can_be_cancelled() -> None:
    inner = Counting()
    door, question, stop = BoundedDoor(inner, 1), Propose((), 0), Event()
    first = Thread(target=lambda: door.propose(question, never))
    first.start()
    assert inner.begun.wait(30)
    waiting: list[Reply | ModelProblem] = []
    second = Thread(target=lambda: waiting.append(door.propose(question, stop.is_set)))
    second.start()
    stop.set()
    second.join(30)
    assert waiting == [ModelProblem("aborted", "The call was stopped.")]
    inner.go_on.set()
    first.join(30)
    assert isinstance(door.propose(question, never), Reply) and inner.most == 1
