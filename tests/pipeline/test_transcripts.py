"""The list of transcripts: what is new, what has grown, what failed, told from names, sizes, times and the ledger."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipeline.contents import LENGTH, WORDS, after_run, contents
from pipeline.formats.copies import Copies
from pipeline.formats.find import Found
from pipeline.formats.session import Author, Session, Turn
from pipeline.rehearsal import Rehearsal
from pipeline.transcripts import Transcript, facts_of, known_paths, opened, transcripts
from store.changes import PutRow
from store.view import View

HOME = "/home/mei/.claude/projects/-home-mei-api"


def file(name: str, size: int = 10, modified: int = 500, format: str = "claude-code") -> Found:
    return Found(Path(f"{HOME}/{name}.jsonl"), format, size, modified)


def view(*rows: tuple[str, str, dict[str, Any]]) -> View:
    bank = Rehearsal()
    bank.record([PutRow(table, key, fields) for table, key, fields in rows])
    return bank.view()


def row(name: str = "one", **more: Any) -> tuple[str, str, dict[str, Any]]:
    fields = {"format": "claude-code", "id": name, "path": f"{HOME}/{name}.jsonl", "project": "api", "lastRun": 400}
    fields |= {"found": 2, "kept": 1, "out": 1, "state": "pending", "size": 10, "modified": 500}
    return "sessions", f"claude-code/{name}", fields | more


def only(*given: Any, rows: Any = ()) -> Transcript:
    (found,) = transcripts(view(*rows), given, {})
    return found


FAILURE = {
    "sessionId": "claude-code/one",
    "fromSeq": 0,
    "throughSeq": 2,
    "coverageHash": "x",
    "operationId": "o",
    "attempts": 1,
    "failureClass": "provider",
    "failedAt": 1,
}


@pytest.mark.parametrize(
    ("fields", "size", "modified", "state"),
    [
        ({}, 10, 500, "settled"),
        ({"found": 0, "kept": 0, "out": 0, "state": "skipped"}, 10, 500, "nothing"),
        ({}, 12, 600, "grown"),
        ({}, 10, 600, "grown"),
        ({"size": None, "modified": None}, 10, 399, "settled"),
        ({"size": None, "modified": None}, 10, 401, "grown"),
        ({"state": "new", "lastRun": None}, 10, 500, "new"),
        ({"more": True}, 10, 500, "more"),
        ({"state": "left alone"}, 10, 500, "left alone"),
        ({"state": "failed", "reason": "blocked"}, 10, 500, "failed"),
        ({"state": "failed", "reason": "failure: provider"}, 10, 500, "given up"),
        ({"state": "failed", "reason": "failure: provider"}, 12, 500, "grown"),
    ],
)
def test_the_state_of_a_file_beside_its_row(fields: dict[str, Any], size: int, modified: int, state: str) -> None:
    assert only(file("one", size, modified), rows=[row(**fields)]).state == state


def test_a_frozen_range_can_be_tried_once_more() -> None:
    rows = [row(state="failed", reason="failure: provider", problem="No."), ("failures", "claude-code/one", FAILURE)]
    found = only(file("one"), rows=rows)
    assert (found.state, found.problem, found.to_read) == ("retry", "No.", True)


def test_a_file_that_nobody_has_read_is_new_and_takes_its_project_from_its_neighbours() -> None:
    found = transcripts(view(row("one")), [file("two", modified=900), file("one")], {})
    assert [(one.name, one.state, one.project, one.key) for one in found] == [
        ("two", "new", "api", ""),
        ("one", "settled", "api", "claude-code/one"),
    ]
    assert only(file("one")).project == "api"  # the end of the folder's name is all that is known


def test_a_session_whose_file_has_moved_is_found_by_its_identity() -> None:
    moved = row("one", path="/old/one.jsonl")
    found = only(file("one"), rows=[moved])
    assert (found.key, found.path, found.state) == ("claude-code/one", f"{HOME}/one.jsonl", "settled")


def test_a_file_that_is_gone_keeps_its_line_and_stands_where_it_was_last_run() -> None:
    found = only(rows=[row()])
    assert (found.there, found.when, found.state, found.id) == (False, 400, "settled", f"{HOME}/one.jsonl")


def test_several_sessions_of_one_file_are_lines_of_their_own() -> None:
    path = "/exports/dialogs.jsonl"
    rows = [row(name, path=path, format="openai") for name in ("a", "b")]
    found = transcripts(view(*rows), [], {path: (10, 500)})
    assert {one.id for one in found} == {"claude-code/a", "claude-code/b"}
    assert known_paths(view(*rows)) == (path,)


def test_message_lists_are_doubtful_until_the_person_called_them_theirs() -> None:
    def listed(**more: Any) -> Transcript:
        return only(rows=[row(format="openai", state="new", lastRun=None, found=None, kept=None, out=None, **more)])

    assert listed().doubtful and not listed(ours=True).doubtful
    assert not only(rows=[row(format="openai")]).doubtful


def test_damaged_rows_are_shown_as_far_as_they_go() -> None:
    damaged = ("sessions", "claude-code/one", {"path": 7, "found": "many", "lastRun": 5, "state": None, "why": [1]})
    found = only(rows=[damaged])
    assert (found.id, found.name, found.found, found.why) == ("claude-code/one", "claude-code/one", None, {})


def session(*turns: Turn, name: str = "one") -> Session:
    return Session("claude-code", name, f"{HOME}/{name}.jsonl", turns, project="/home/mei/api", size=10, modified=500)


def typed(seq: int, text: str, ref: str = "") -> Turn:
    return Turn(seq, ref or f"u{seq}", Author.TYPED, text)


def test_a_named_session_stays_in_the_list_and_one_that_was_run_keeps_its_row() -> None:
    rows = opened(view(row("one")), [session(name="one"), session(name="two")])
    assert [(one.key, "state" in one.fields, one.fields["ours"]) for one in rows] == [
        ("claude-code/one", False, True),
        ("claude-code/two", True, True),
    ]


def test_contents_count_authors_and_tell_what_is_new_with_secrets_masked() -> None:
    turns = [typed(1, "old"), Turn(2, "a", Author.MODEL, "yes"), typed(3, "token=ghp_exampleexampleexample0123456789")]
    cursor = ("cursors", "claude-code/one", {"sessionId": "claude-code/one", "processedSeq": 2, "updatedAt": 1})
    found = contents(session(*turns), view(cursor))
    assert (found.typed, found.new, found.cursor, found.last_seq, found.project) == (2, 1, 2, 3, "api")
    assert [(one.text, one.new) for one in found.said] == [("token=[REDACTED]", True)]
    moved = ("cursors", "claude-code/one", {"sessionId": "claude-code/one", "processedSeq": 3, "updatedAt": 1})
    assert (after_run(found, view(moved)).new, after_run(found, view(cursor)).new) == (0, 1)


def test_contents_of_a_long_session_stay_small() -> None:
    found = contents(session(*(typed(seq, "x" * 100_000) for seq in range(1, 500))), View.of(()))
    assert (len(found.said), found.more_said, len(found.said[0].text)) == (WORDS, 499 - WORDS, LENGTH)


def test_copies_are_known_across_sessions_that_come_one_after_the_other() -> None:
    copies = Copies()
    first = copies.marked(session(typed(1, "hello", "r1"), name="a"))
    second = copies.marked(session(typed(1, "hello", "r1"), typed(2, "new", "r2"), name="b"))
    assert [turn.inherited for turn in first.turns] == [False]
    assert [turn.inherited for turn in second.turns] == [True, False]


def test_facts_of_a_session_come_with_their_words_and_what_became_of_them() -> None:
    quote = {"session": "one", "format": "claude-code", "ref": "u1", "quote": "ferries leave at nine", "at": 1}
    gap = {"id": "gap_1", "content": "Ferries leave at nine.", "covered": True, "state": "covered", "updatedAt": 1}
    gap |= {"sightings": [{"sessionId": "claude-code/one", "at": 1, "quotes": [quote]}], "project": "api"}
    found = facts_of(view(row(), ("gaps", "api/gap_1", gap)), only(rows=[row()]))
    assert [(one.text, one.state, one.quotes[0].text) for one in found] == [
        ("Ferries leave at nine.", "kept", "ferries leave at nine")
    ]
