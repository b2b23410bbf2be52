"""Whole sample transcripts read exactly as their `expected.json` says."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pipeline.formats.read import read
from pipeline.formats.session import EVIDENCE_AUTHORS, Author, Session
from tests.pipeline.formats.writing import DATA, NOW

FOLDERS = ("claude-code", "dsh", "openai-messages")
BY_REASON = {
    "local command caveat": Author.INJECTED,
    "slash command": Author.COMMAND,
    "local command output": Author.TOOL,
    "tool_result": Author.TOOL,
    "tool": Author.TOOL,
    "task notification": Author.INJECTED,
    "attachment of another type": Author.INJECTED,
    "interrupt marker": Author.INJECTED,
    "shell passthrough": Author.COMMAND,
    "shell passthrough output": Author.TOOL,
    "hook feedback": Author.INJECTED,
    "compact summary": Author.SUMMARY,
    "sub-agent prompt": Author.OTHER_AGENT,
    "system": Author.INJECTED,
}


def samples() -> list[Any]:
    """The packaged samples, and all of a folder named by MEMDESK_SAMPLES."""
    roots = [DATA / "transcripts", *filter(None, [os.environ.get("MEMDESK_SAMPLES")])]
    found = {}
    for root in map(Path, roots):
        for folder in FOLDERS:
            expected = root / folder / "expected.json"
            for name, want in json.loads(expected.read_text("utf-8")).items() if expected.is_file() else ():
                found[f"{folder}/{name}"] = (root / folder / name, want)
    return [pytest.param(path, want, id=name) for name, (path, want) in sorted(found.items())]


def _reasons(sessions: tuple[Session, ...], ref: str) -> set[tuple[Author, str]]:
    return {(turn.author, turn.reason) for one in sessions for turn in one.turns if turn.ref == ref}


@pytest.mark.parametrize(("path", "want"), samples())
def test_a_sample_reads_as_expected(path: Path, want: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDESK_NOW", NOW)
    sessions = read(path)
    kept = [turn for one in sessions for turn in one.turns if turn.author in EVIDENCE_AUTHORS]
    assert [(turn.ref, turn.text) for turn in kept] == [(item["ref"], item["text"]) for item in want["user_texts"]]
    asked = {item["ref"]: item["question"] for item in want["user_texts"] if "question" in item}
    assert {turn.ref: turn.question for turn in kept if turn.ref in asked} == asked
    assert {turn.ref for turn in kept if turn.author is Author.CHOSEN} == {
        item["ref"] for item in want["user_texts"] if "kind" in item
    }
    for item in want.get("excluded", []):
        for author, reason in _reasons(sessions, item["ref"]):
            assert item["why"].startswith(reason)
            assert author is BY_REASON.get(reason, Author.INJECTED)
        assert _reasons(sessions, item["ref"])
    marks = {turn.seq: turn.ref for one in sessions for turn in one.turns}
    assert [marks[seq] for one in sessions for seq in one.compactions] == want.get("compaction", [])
    assert [item for one in sessions for item in one.damage] == want.get("bad_lines", [])
    assert len(sessions) == want.get("conversations", 1)
    if "project" in want:
        (session,) = sessions
        own = session.parent if session.subagent else session.id
        assert (own, session.project, session.subagent) == (
            want["session_id"].split(" (")[0],
            want["project"],
            want["subagent"],
        )


def test_the_packaged_samples_are_all_there() -> None:
    assert len(samples()) >= 4


def test_a_sub_agent_is_a_session_of_its_own_with_its_parent() -> None:
    """Both carry the parent's id in their records; as one session they would share a cursor."""
    (path,) = (DATA / "transcripts" / "claude-code").glob("*/*/subagents/agent-*.jsonl")
    (session,) = read(path)
    assert session.id == "7b1d6f0e-3a52-4c7e-9f21-5d0c8e4a1b02:agent-a1b2c3d"
    assert session.parent == "7b1d6f0e-3a52-4c7e-9f21-5d0c8e4a1b02"
    assert {turn.author for turn in session.turns} == {Author.OTHER_AGENT}


def test_conversations_in_one_file_have_names_of_their_own() -> None:
    names = [session.id for session in read(DATA / "transcripts" / "openai-messages" / "dialogs.jsonl")]
    assert names == ["dialogs:line 1", "dialogs:s2"]
