"""`extract`, `review`, `approve` and `reject`: from a transcript to the bank, by a person."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.desk import Desk, switch, tree

TYPED = "Remember that the staging host is kestrel-3."


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """A Claude Code session in which a person asks to remember something and names a liking."""
    records = [
        {
            "type": "user",
            "uuid": f"u-{number}",
            "sessionId": "s-1",
            "timestamp": f"2026-10-12T10:0{number}:00.000Z",
            "cwd": "/home/dev/tide",
            "message": {"role": "user", "content": text},
        }
        for number, text in enumerate((TYPED, "My name is Sam. I prefer small pull requests."))
    ]
    path = tmp_path / "s-1.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.fixture
def waiting(desk: Desk, transcript: Path) -> dict[str, dict[str, Any]]:
    """What the offline rules find in it, by content."""
    found = desk.json("extract", str(transcript), "--offline").json
    return {one["content"]: one for one in found["proposals"]}


def proposals(desk: Desk, *words: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = desk.json("review", *words).json["proposals"]
    return found


def test_extract_files_what_the_person_said_with_the_exact_words(desk: Desk, transcript: Path) -> None:
    before = tree(desk.root)
    found = desk.json("extract", str(transcript), "--offline").json
    assert list(found) == ["schema", "proposals", "refused", "sessions", "usage", "unreadable", "dry_run"]
    staging = next(one for one in found["proposals"] if "kestrel-3" in one["content"])
    assert list(staging) == ["id", "kind", "content", "state", "evidence"]
    (quote,) = staging["evidence"]
    assert quote["quote"] in TYPED
    assert (quote["ref"], quote["format"]) == ("u-0", "claude-code")
    assert tree(desk.root) == before


def test_a_dry_run_keeps_nothing(desk: Desk, transcript: Path) -> None:
    found = desk.json("extract", str(transcript), "--offline", "--dry-run").json
    assert found["dry_run"] is True
    assert any("kestrel-3" in one["content"] for one in found["proposals"])
    assert proposals(desk) == []
    assert not (desk.root / ".memdesk").exists()


def test_reading_a_transcript_again_adds_nothing(desk: Desk, transcript: Path, waiting: dict[str, Any]) -> None:
    again = desk.json("extract", str(transcript), "--offline").json
    assert again["proposals"] == []
    assert len(proposals(desk, "--all")) == len(waiting)
    assert desk("extract", str(transcript), "--offline").out.splitlines()[-1] == "Nothing new."


def test_a_file_that_is_no_transcript_is_one_sentence(desk: Desk, tmp_path: Path, transcript: Path) -> None:
    alone = desk("extract", str(tmp_path / "missing.jsonl"), "--offline")
    assert (alone.code, alone.out, alone.err.count("\n")) == (2, "", 1)
    both = desk("extract", str(tmp_path / "missing.jsonl"), str(transcript), "--offline", "--json")
    assert both.code == 2
    assert len(both.json["unreadable"]) == 1
    assert any("kestrel-3" in one["content"] for one in both.json["proposals"])


def test_offline_and_a_model_are_two_ways(desk: Desk, transcript: Path) -> None:
    answer = desk("extract", str(transcript), "--offline", "--model", "x/y")
    assert (answer.code, answer.err) == (2, "--offline uses no model; leave out one of the two.\n")


def test_review_shows_each_proposal_over_the_words_it_rests_on(desk: Desk, waiting: dict[str, Any]) -> None:
    lines = desk("review").out.splitlines()
    at = next(number for number, line in enumerate(lines) if "kestrel-3" in line and line.startswith("ready"))
    assert lines[at + 1].strip().startswith('"')
    found = desk.json("review").json
    assert found["ready"] == int(desk("review", "--count").out)
    assert {one["content"] for one in found["proposals"]} <= set(waiting)


def staging(waiting: dict[str, dict[str, Any]]) -> str:
    return str(next(one["id"] for one in waiting.values() if "kestrel-3" in one["content"]))


def test_approve_commits_memory_and_decision_together(desk: Desk, waiting: dict[str, Any]) -> None:
    id = staging(waiting)
    answer = desk("approve", id, tty=True)
    assert answer.code == 0
    (memory,) = desk.json("list").memories
    assert (memory["type"], memory["source"]) == ("FACT", "memory_extract")
    assert "kestrel-3" in memory["statement"]
    assert id not in [one["id"] for one in proposals(desk)]
    assert desk("undo").code == 0
    assert desk.json("list").memories == []
    assert id in [one["id"] for one in proposals(desk)]


def test_approve_with_changes(desk: Desk, waiting: dict[str, Any]) -> None:
    words = ("--statement", "Staging is kestrel-3", "--type", "pref", "--owner", "aria", "--subject", "staging")
    assert desk("approve", staging(waiting), *words, tty=True).code == 0
    (memory,) = desk.json("list").memories
    fields = ("type", "owner", "subject", "statement")
    assert [memory[name] for name in fields] == ["PREF", "aria", "staging", "Staging is kestrel-3"]


def test_approving_several_is_one_change(desk: Desk, waiting: dict[str, Any]) -> None:
    ids = [one["id"] for one in proposals(desk)]
    assert len(ids) >= 2
    found = desk("approve", *ids, "--owner", "sam", "--json", tty=True)
    assert (found.code, len(found.json["changes"])) == (0, 1)
    assert len(desk.json("list").memories) == len(ids)
    assert desk("undo").code == 0
    assert (desk.json("list").memories, len(proposals(desk))) == ([], len(ids))


def test_one_text_is_for_one_proposal(desk: Desk, waiting: dict[str, Any]) -> None:
    ids = [one["id"] for one in proposals(desk)]
    answer = desk("approve", *ids, "--statement", "x", tty=True)
    assert (answer.code, len(proposals(desk))) == (2, len(ids))


def test_rejecting_is_remembered(desk: Desk, transcript: Path, waiting: dict[str, Any]) -> None:
    id = staging(waiting)
    assert desk("reject", id, "--reason", "wrong host", tty=True).code == 0
    assert id not in [one["id"] for one in proposals(desk, "--all")]
    copy = transcript.with_name("s-2.jsonl")
    copy.write_text(transcript.read_text().replace("s-1", "s-2").replace("u-", "w-"), encoding="utf-8")
    desk.json("extract", str(copy), "--offline")
    assert not any("kestrel-3" in one["content"] for one in proposals(desk, "--all"))
    assert desk.json("log").json["changes"][0]["reason"].endswith(": wrong host")


def test_a_second_decision_is_told(desk: Desk, waiting: dict[str, Any]) -> None:
    id = staging(waiting)
    assert desk("approve", id, tty=True).code == 0
    answer = desk("reject", id, tty=True)
    assert (answer.code, answer.out) == (4, "")
    assert answer.err == f"{id} was decided already; `memdesk log` tells how.\n"


def test_rejecting_twice_is_told_too(desk: Desk, waiting: dict[str, Any]) -> None:
    id = staging(waiting)
    assert desk("reject", id, tty=True).code == 0
    for verb in ("reject", "approve"):
        answer = desk(verb, id, tty=True)
        assert (answer.code, answer.out) == (4, "")
        assert answer.err == f"{id} was rejected already; the workbench (2, then T) can bring it back.\n"


def test_deciding_needs_a_terminal(desk: Desk, waiting: dict[str, Any]) -> None:
    for verb in ("approve", "reject"):
        answer = desk(verb, staging(waiting))
        assert (answer.code, answer.out) == (3, "")
        assert answer.err.startswith("Deciding needs a terminal;")
        answer = desk(verb, staging(waiting), "--yes")
        assert (answer.code, answer.out) == (3, "")
        assert answer.err.startswith("This bank lets no script decide;")


def test_a_script_decides_where_the_bank_allows_it(desk: Desk, waiting: dict[str, Any]) -> None:
    switch(desk, scripted_decisions=True)
    assert desk("approve", staging(waiting)).code == 3
    assert desk("approve", staging(waiting), "--yes").code == 0
    assert desk.json("log").json["changes"][0]["origin"] == "script"


def test_an_unknown_proposal_is_one_sentence(desk: Desk) -> None:
    answer = desk("approve", "prop_nothing", tty=True)
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)
    assert "prop_nothing" in answer.err


def test_the_offline_rules_read_a_long_conversation_to_its_end(desk: Desk, tmp_path: Path) -> None:
    """They cost nothing, so that nothing is left for another run, and running again adds nothing."""
    talk = [{"role": "user", "content": f"Remember that service {n} listens on port {8000 + n}."} for n in range(100)]
    transcript = tmp_path / "talk.json"
    transcript.write_text(json.dumps(talk))
    first = desk.json("extract", str(transcript), "--offline", "--yes").json
    assert (len(first["proposals"]), first["sessions"][0]["more"]) == (100, False)
    assert desk.json("extract", str(transcript), "--offline").json["proposals"] == []


def test_an_edit_of_a_memory_that_was_forgotten_meanwhile_is_told(desk: Desk) -> None:
    id = desk.json("remember", "FACT", "staging", "kestrel-3").json["memories"][0]["id"]
    filed = desk.json("edit", id, "--statement", "kestrel-4", "--propose").json["proposals"][0]["id"]
    assert desk("forget", id).code == 0
    answer = desk("approve", filed, tty=True)
    assert answer.code == 4
    assert "was forgotten meanwhile; put it back first, or reject this." in answer.err
    assert desk.json("review").json["proposals"][0]["id"] == filed


def test_a_bank_for_reading_only_is_said_before_anything_is_evaluated(desk: Desk, transcript: Path) -> None:
    refused = desk("extract", str(transcript), "--offline", "--read-only")
    assert (refused.code, refused.out) == (3, "")
    assert "opened for reading only" in refused.err and "--dry-run" in refused.err
    assert desk("extract", str(transcript), "--offline", "--read-only", "--dry-run").code == 0


def test_words_and_session_names_of_several_lines_cannot_pass_for_rows(desk: Desk, tmp_path: Path) -> None:
    forged = "ready      fact      gap_0  approve me"
    said = f"Remember that the staging host is kestrel-3{chr(10)}{forged}"
    record = {"type": "user", "uuid": "u", "sessionId": f"s{chr(10)}{forged}", "timestamp": "2026-10-12T10:00:00.000Z"}
    path = tmp_path / "forged.jsonl"
    path.write_text(json.dumps(record | {"message": {"role": "user", "content": said}}) + "\n", encoding="utf-8")
    printed = [desk("extract", str(path), "--offline").out, desk("review", "--all").out]
    assert all("kestrel-3" in out and "approve me" in out for out in printed[1:])
    assert not [line for out in printed for line in out.splitlines() if line.startswith("ready      fact      gap_0")]


def test_a_secret_in_the_reason_of_a_rejection_is_kept_nowhere(desk: Desk, waiting: dict[str, Any]) -> None:
    token = "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
    chosen = next(iter(waiting.values()))["id"]
    rejected = desk("reject", chosen, "--reason", f"it names {token}", tty=True)
    assert rejected.code == 0 and "it names [REDACTED]" in rejected.out
    assert not [path for path in desk.root.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]


def test_an_approval_is_undone_though_another_session_said_the_same_since(
    desk: Desk, transcript: Path, waiting: dict[str, Any]
) -> None:
    chosen = [one["id"] for one in waiting.values()]
    assert desk("approve", *chosen, "--owner", "sam", tty=True).code == 0
    again = transcript.with_name("again.jsonl")
    again.write_text(transcript.read_text().replace('"s-1"', '"s-2"').replace('"u-', '"v-'), encoding="utf-8")
    assert desk.at("2026-10-13T09:00:00Z")("extract", str(again), "--offline").code == 0
    undone = desk("undo", tty=True)
    assert (undone.code, undone.err) == (0, "")
    assert set(chosen) <= {one["id"] for one in proposals(desk)}
