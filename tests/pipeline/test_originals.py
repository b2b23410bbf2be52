"""What an earlier run met in another session is not met again: forks, resumed sessions, logs of prompts."""

from __future__ import annotations

import base64
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline import review
from pipeline.contents import contents
from pipeline.extraction import extract
from pipeline.formats import gemini_cli
from pipeline.formats.copies import without_copies
from pipeline.formats.documents import members
from pipeline.formats.find import Found
from pipeline.formats.lines import records, split
from pipeline.formats.session import Author, Session, Turn
from pipeline.model import OfflineDoor
from pipeline.originals import FIELD, MOST, SIZE, Originals, only_lost
from pipeline.rehearsal import Rehearsal
from store.changes import PutRow
from store.view import View
from tests.pipeline.formats.writing import dump, source
from tests.pipeline.review_desk import NOW, desk

pytestmark = pytest.mark.usefixtures("stopped_clock")

DECIDED = "We decided to use Postgres 16 for the billing service."
LATER = "We decided to use Redis 8 for the queue."


def session(name: str, *said: tuple[str, str], format: str = "claude-code", **more: Any) -> Session:
    """A session of the person's own records: (id, text) each."""
    turns = [Turn(seq, ref, Author.TYPED, text, NOW + seq) for seq, (ref, text) in enumerate(said, 1)]
    return Session(format, name, f"/t/{name}.jsonl", turns, project="/home/ada/work/api", **more)


def run(bank: Rehearsal, *sessions: Session, **more: Any) -> None:
    extract(sessions, bank, OfflineDoor(), **more)


def sightings(bank: Rehearsal) -> dict[str, list[str]]:
    found = review.queue(bank.view(), NOW)
    return {one.statement + ".": [seen.session for seen in one.sightings] for one in found}


def inherited(found: Session) -> list[bool]:
    return [turn.inherited for turn in found.turns]


def test_a_fork_that_is_extracted_in_a_later_run_is_no_second_sighting() -> None:
    """And what was typed after the fork is evaluated as its own."""
    bank = desk()
    run(bank, session("one", ("r1", DECIDED)))
    run(bank, session("fork", ("r1", DECIDED), ("r2", LATER)))
    assert sightings(bank) == {DECIDED: ["claude-code/one"], LATER: ["claude-code/fork"]}


def test_the_original_is_the_copy_when_its_fork_was_extracted_first() -> None:
    bank = desk()
    run(bank, session("fork", ("r1", DECIDED), ("r2", LATER)))
    run(bank, session("one", ("r1", DECIDED)))
    assert sightings(bank) == {DECIDED: ["claude-code/fork"], LATER: ["claude-code/fork"]}


def test_the_same_words_in_a_record_of_another_id_are_said_again() -> None:
    bank = desk()
    run(bank, session("one", ("r1", DECIDED)))
    run(bank, session("two", ("r9", DECIDED)))
    assert sightings(bank) == {DECIDED: ["claude-code/one", "claude-code/two"]}


def test_a_record_of_another_tool_or_with_other_words_is_no_copy() -> None:
    bank = desk()
    run(bank, session("one", ("r1", DECIDED)))
    originals = Originals(bank.view())
    assert inherited(originals.marked(session("two", ("r1", LATER)))) == [False]
    assert inherited(originals.marked(session("two", ("r1", DECIDED), format="codex"))) == [False]
    assert inherited(originals.marked(session("two", ("r1", DECIDED)))) == [True]


def test_a_session_that_has_grown_is_not_a_copy_of_itself() -> None:
    bank = desk()
    run(bank, session("one", ("r1", DECIDED)))
    grown = session("one", ("r1", DECIDED), ("r2", LATER))
    assert inherited(Originals(bank.view()).marked(grown)) == [False, False]
    run(bank, grown)
    assert sightings(bank) == {DECIDED: ["claude-code/one"], LATER: ["claude-code/one"]}
    run(bank, session("fork", ("r2", LATER)))
    assert sightings(bank)[LATER] == ["claude-code/one"]


def test_records_that_are_told_by_their_place_prove_nothing() -> None:
    bank = desk()
    run(bank, session("one", ("line 1", DECIDED)))
    run(bank, session("two", ("line 1", DECIDED)))
    assert sightings(bank) == {DECIDED: ["claude-code/one", "claude-code/two"]}


def test_what_was_not_evaluated_is_not_kept() -> None:
    """A run that stops in the middle leaves the rest to whoever comes first."""
    found = session("one", ("r1", DECIDED), ("r2", LATER))
    originals = Originals(View.of(()))
    assert [len(base64.b64decode(originals.kept(found, through))) for through in (-1, 1, 2)] == [0, SIZE, 2 * SIZE]
    left = replace(found, turns=[replace(turn, abandoned=True) for turn in found.turns])
    assert originals.kept(left, 2) == ""


def test_a_dry_run_and_a_run_that_was_stopped_before_it_began_keep_nothing() -> None:
    bank = desk()
    run(bank, session("one", ("r1", DECIDED)), dry_run=True)
    run(bank, session("one", ("r1", DECIDED)), cancelled=lambda: True)
    assert bank.view().rows("sessions") == {}


def test_a_run_that_was_stopped_keeps_what_it_had_evaluated() -> None:
    bank = desk()
    stopped = False

    def hear(_: Any) -> None:
        nonlocal stopped
        stopped = "claude-code/one" in bank.view().rows("cursors")

    run(bank, session("one", ("r1", DECIDED)), on_event=hear, cancelled=lambda: stopped)
    assert stopped
    run(bank, session("fork", ("r1", DECIDED)))
    assert sightings(bank) == {DECIDED: ["claude-code/one"]}


def test_the_row_of_a_session_stays_small() -> None:
    found = session("one", *((f"r{number}", "x") for number in range(MOST + 50)))
    assert len(Originals(View.of(())).kept(found, MOST + 50)) == MOST * SIZE * 4 // 3


def test_a_damaged_row_is_passed_over() -> None:
    bank = desk()
    bank.record(
        [PutRow("sessions", f"claude-code/{number}", {FIELD: bad}) for number, bad in enumerate(["%", 7, "YQ=="])]
    )
    assert inherited(Originals(bank.view()).marked(session("two", ("r1", DECIDED)))) == [False]


def test_prompts_are_used_only_where_their_transcript_is_gone() -> None:
    """A transcript is there when it lies in a usual place, or a run has evaluated it."""
    bank = desk()
    run(bank, session("read", ("r1", DECIDED)))
    lying = Found(Path("/home/ada/.claude/projects/-home-ada-web/lying.jsonl"), "claude-code", 3, 5)
    logs = [session(name, ("line 1", LATER), format="claude-history") for name in ("read", "lying", "gone")]
    loose = [
        replace(logs[0], id=f"history:{project}", project=project)
        for project in ("/home/ada/work/api", "/home/ada/web", "/home/ada/old")
    ]
    kept = only_lost([*logs, *loose, session("new", ("r9", LATER))], bank.view(), [lying])
    assert [one.id for one in kept] == ["gone", "history:/home/ada/old", "new"]


def test_an_older_gemini_session_that_is_carried_on_as_lines_goes_on_where_it_was_evaluated() -> None:
    """The tool writes what it knew of the session, and then each of its messages, each as a line."""
    about = {"sessionId": "s-1", "projectHash": "abc"}
    told = ["Hello.", "What is new?", "Thank you.", DECIDED]
    messages = [{"id": f"m{n}", "type": "user" if n % 2 else "gemini", "content": text} for n, text in enumerate(told)]
    further = {"id": "m5", "type": "user", "content": LATER}
    older = gemini_cli.read_document(
        members([dump([about | {"messages": messages}])], gemini_cli.STREAMED), source("session-1.json")
    )
    lines = dump([about, *messages, {"$set": {"sessionId": "s-1"}}, further])
    newer = gemini_cli.read(records(split([lines])), source("session-1.jsonl"))
    assert [turn.seq for turn in newer[0].turns] == [*(turn.seq for turn in older[0].turns), 7]
    bank = desk()
    run(bank, *older)
    assert (contents(older[0], bank.view()).new, contents(newer[0], bank.view()).new) == (0, 1)
    run(bank, *newer)
    assert sightings(bank) == {DECIDED: ["gemini-cli/s-1"], LATER: ["gemini-cli/s-1"]}
    assert (contents(older[0], bank.view()).new, contents(newer[0], bank.view()).new) == (0, 0)
    both = desk()
    run(both, *without_copies((*older, *newer)))
    assert sightings(both) == sightings(bank)


def test_a_transcript_that_comes_back_is_known_by_its_prompts() -> None:
    bank = desk()
    run(bank, session("one", ("line 4", DECIDED), format="claude-history"))
    run(bank, session("one", ("r1", DECIDED), ("r2", LATER)))
    assert sightings(bank) == {DECIDED: ["claude-history/one"], LATER: ["claude-code/one"]}
    run(bank, session("two", ("r3", DECIDED)))
    assert sightings(bank)[DECIDED] == ["claude-history/one", "claude-code/two"]
