"""Edits touch the lines that they mean to touch and no others (`decisions.md` §8.4)."""

from __future__ import annotations

import difflib
from typing import Any

import pytest

from store.errors import BadInput
from store.vault.entry import edit, parse

FILE = (
    b"---\n"
    b"type: FACT\n"
    b"subject:   staging\n"
    b"# a comment: kept\n"
    b"statement: Runs on kestrel\n"
    b"a line without a key\n"
    b"created: 2026-08-30\n"
    b"updated: 2026-08-30\n"
    b"tags: []\n"
    b"team: core\n"
    b"access_count: 0\n"
    b"---\n"
    b"\n"
    b"Runs on\n"
    b"kestrel\n"
)


def diff(before: bytes, after: bytes) -> list[str]:
    """The changed lines, `-` gone and `+` new, with their line ends."""
    lines = difflib.ndiff(before.decode().splitlines(True), after.decode().splitlines(True))
    return [line[0] + line[2:] for line in lines if line[0] in "+-"]


def edited(data: bytes = FILE, updated: str = "", **fields: Any) -> list[str]:
    return diff(data, edit(data, fields, updated=updated))


def test_one_field_changes_one_line_and_updated() -> None:
    """The space after the colon stays as the person had it."""
    assert edited(subject="prod", updated="2026-11-30") == [
        "-subject:   staging\n",
        "+subject:   prod\n",
        "-updated: 2026-08-30\n",
        "+updated: 2026-11-30\n",
    ]


def test_counters_can_move_without_updated() -> None:
    """A use is no edit."""
    assert edited(access_count=1) == ["-access_count: 0\n", "+access_count: 1\n"]


def test_values_that_the_file_has_touch_nothing() -> None:
    """Not even `updated`."""
    fields = {"subject": "staging", "tags": (), "weight": 1.0, "source": "", "label": None, "team": "core"}
    assert edit(FILE, fields, updated="2026-11-30") == FILE


def test_a_new_statement_becomes_the_body_that_said_the_same() -> None:
    """The blank line before the body stays; the body carries the line breaks, the line does not."""
    after = edit(FILE, {"statement": "Runs on\nosprey"})
    assert b"\nstatement: Runs on osprey\n" in after
    assert after.endswith(b"---\n\nRuns on\nosprey\n")


def test_a_body_that_differs_is_edited_on_its_own() -> None:
    """The statement leaves it alone, and it leaves the statement alone."""
    data = FILE.replace(b"Runs on\nkestrel\n", b"Other words\n")
    assert edited(data, statement="New") == ["-statement: Runs on kestrel\n", "+statement: New\n"]
    assert edited(data, body="Third words") == ["-Other words\n", "+Third words\n"]


def test_only_the_line_breaks_of_a_statement_changed() -> None:
    """Its line stays, its text below gets them; without any line break nothing is joined behind one's back."""
    assert edit(FILE, {"statement": "Runs\non kestrel"}) == FILE.replace(b"Runs on\nkestrel", b"Runs\non kestrel")
    assert edit(FILE, {"statement": "Runs on kestrel"}) == FILE


def test_a_missing_key_gets_its_place() -> None:
    """After the last key that stands before it (`spec/bank.md` §3.3); unknown keys go last."""
    after = edit(FILE, {"weight": 2, "confidence": 0.9, "label": "insight", "nick": "x"}).decode().splitlines()
    assert after[1:14] == [
        "type: FACT",
        "subject:   staging",
        "# a comment: kept",
        "statement: Runs on kestrel",
        "confidence: 0.9",
        "a line without a key",
        "created: 2026-08-30",
        "updated: 2026-08-30",
        "tags: []",
        "weight: 2",
        "team: core",
        "access_count: 0",
        "label: insight",
    ]
    assert after[14] == "nick: x"


def test_none_removes_a_key() -> None:
    """Every line of it, and nothing when there is none."""
    assert edited(team=None) == ["-team: core\n"]
    assert edit(FILE, {"source": None, "weight": None}, updated="2026-11-30") == FILE
    twice = FILE.replace(b"team: core\n", b"team: core\nteam: again\n")
    assert edited(twice, team=None) == ["-team: core\n", "-team: again\n"]


def test_of_a_repeated_key_the_last_line_counts() -> None:
    """It is the one that was read, so it is the one that changes."""
    data = FILE.replace(b"team: core\n", b"scope: public\nteam: core\nscope: private\n")
    assert edited(data, scope="public") == ["-scope: private\n", "+scope: public\n"]


def test_extra_replaces_the_unknown_keys() -> None:
    """Those left out go, those changed change, comments are keys of their own."""
    data = FILE.replace(b"# a comment: kept\n", b"")
    assert edited(data, extra=(("nick", "x"),)) == ["-team: core\n", "+nick: x\n"]


def test_line_ends_mark_and_missing_last_newline_stay() -> None:
    """A file from Windows remains one."""
    data = b"\xef\xbb\xbf" + FILE.replace(b"\n", b"\r\n").rstrip(b"\r\n")
    after = edit(data, {"statement": "One\ntwo", "weight": 2}, updated="2026-11-30")
    assert after.startswith(b"\xef\xbb\xbf---\r\ntype: FACT\r\n")
    assert after.endswith(b"---\r\n\r\nOne\r\ntwo")
    assert after.count(b"\n") == after.count(b"\r\n")
    assert b"\r\nweight: 2\r\n" in after


def test_bytes_that_are_no_text_stay_as_they_are() -> None:
    """An edit elsewhere does not repair what it does not touch."""
    data = FILE.replace(b"team: core", b"team: caf\xe9")
    assert edit(data, {"subject": "x"}) == data.replace(b"staging", b"x")


def test_newlines_that_an_older_engine_piled_up_go_with_the_body_only() -> None:
    """Untouched while the body is untouched (bank-D04)."""
    data = FILE + b"\n\n\n"
    assert edit(data, {"subject": "x"}).endswith(b"kestrel\n\n\n\n")
    assert edit(data, {"body": "new"}).endswith(b"---\n\nnew\n")


def test_healing_is_written_only_with_the_field() -> None:
    """Setting the healed value is no change; another value is written raw."""
    data = FILE.replace(b"subject:   staging", rb"subject: the \\\"red\" one")
    assert edit(data, {"subject": 'the "red" one'}) == data
    assert b'\nsubject: a "blue" one\n' in edit(data, {"subject": 'a "blue" one'})


def test_a_body_is_added_after_a_fence_at_the_end_of_the_file() -> None:
    """The fence gets its line end."""
    assert edit(b"---\ntype: FACT\n---", {"body": "text"}) == b"---\ntype: FACT\n---\ntext\n"


def test_a_text_without_front_matter_gets_one_when_a_field_asks_for_it() -> None:
    """The text below stays byte for byte; uses and its own words do not ask."""
    assert edit(b"note\n", {"access_count": 3, "last_accessed": "2026-11-30"}, updated="2026-11-30") == b"note\n"
    assert edit(b"note\n", {"body": "other"}, updated="2026-11-30") == b"other\n"
    assert edit(b"\xef\xbb\xbfnote\r\n", {"subject": "s", "statement": "note"}, updated="2026-11-30") == (
        b"\xef\xbb\xbf---\r\ntype: FACT\r\nsubject: s\r\nstatement: note\r\ncreated: 2026-11-30\r\n"
        b"updated: 2026-11-30\r\n---\r\nnote\r\n"
    )


def test_front_matter_that_is_never_closed_is_not_written() -> None:
    """One sentence says how to mend it."""
    with pytest.raises(BadInput, match="never closed"):
        edit(b"---\ntype: FACT\nhalf", {"subject": "s"})
    assert edit(b"---\ntype: FACT\nhalf", {"access_count": 2}) == b"---\ntype: FACT\nhalf"


def test_a_plain_text_cannot_turn_into_front_matter() -> None:
    """Words that look like one would change what the file is."""
    with pytest.raises(BadInput, match="front matter"):
        edit(b"note\n", {"body": "---\nscope: public\n---\nx"})


def test_a_statement_too_long_for_the_front_matter_is_refused() -> None:
    """The file would not be readable afterwards."""
    with pytest.raises(BadInput, match="64 KiB"):
        edit(FILE, {"statement": "x" * 70_000})


def test_the_result_reads_as_what_was_asked() -> None:
    """All kinds of fields at once."""
    fields = {"tags": ("a, b", "c"), "immutable": True, "confidence": 0.5, "source": "'x'", "statement": "a\nb"}
    memory = parse(edit(FILE, fields), id="x", path="x")
    assert (memory.tags, memory.immutable, memory.confidence) == (("a, b", "c"), True, 0.5)
    assert (memory.source, memory.statement, memory.body) == ("'x'", "a b", "a\nb")
