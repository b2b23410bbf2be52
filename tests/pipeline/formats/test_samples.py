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

FORMATS = {
    "claude-code": "claude-code",
    "codex": "codex",
    "gemini-cli": "gemini-cli",
    "opencode": "opencode",
    "chatgpt": "chatgpt",
    "claude-ai": "claude-ai",
    "openai-messages": "openai",
    "dsh": "dsh",
    "letta-af": "letta",
    "openclaw": "openclaw",
    "hermes": "hermes",
}
"""Folders of samples, and the format that each is read as."""
NO_TRANSCRIPTS = ("memories.json", "MEMORY.md", "USER.md")
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
    "shell command": Author.COMMAND,
    "summary": Author.SUMMARY,
    "session_meta.source.subagent is set": Author.OTHER_AGENT,
    "abandoned branch": Author.TYPED,
    "rewound": Author.TYPED,
    "file content": Author.DOCUMENT,
    "attachment text": Author.DOCUMENT,
    "compaction": Author.SUMMARY,
    "tool result": Author.TOOL,
    "session ses_db2 has parent_id": Author.OTHER_AGENT,
}
"""Who wrote what has such a reason; all else is injected. What is typed here stands on a branch that was left."""


def samples() -> list[Any]:
    """The packaged samples, and all of a folder named by MEMDESK_SAMPLES."""
    roots = [DATA / "transcripts", *filter(None, [os.environ.get("MEMDESK_SAMPLES")])]
    found = {}
    for root in map(Path, roots):
        for folder in FORMATS:
            expected = root / folder / "expected.json"
            for name, want in json.loads(expected.read_text("utf-8")).items() if expected.is_file() else ():
                if not name.endswith(NO_TRANSCRIPTS):
                    found[f"{folder}/{name}"] = (root / folder / name, want)
    return [pytest.param(path, want, id=name) for name, (path, want) in sorted(found.items())]


def _reasons(sessions: tuple[Session, ...], ref: str) -> set[tuple[Author, str]]:
    return {(turn.author, turn.reason) for one in sessions for turn in one.turns if turn.ref == ref}


@pytest.mark.parametrize(("path", "want"), samples())
def test_a_sample_reads_as_expected(path: Path, want: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDESK_NOW", NOW)
    sessions = read(path)
    kept = [turn for one in sessions for turn in one.turns if turn.author in EVIDENCE_AUTHORS and not turn.abandoned]
    assert [(turn.ref, turn.text) for turn in kept] == [(_ref(item), item["text"]) for item in want["user_texts"]]
    asked = {item["ref"]: item["question"] for item in want["user_texts"] if "question" in item}
    assert {turn.ref: turn.question for turn in kept if turn.ref in asked} == asked
    assert {turn.ref for turn in kept if turn.author is Author.CHOSEN} == {
        item["ref"] for item in want["user_texts"] if "kind" in item
    }
    for item in want.get("excluded", []):
        _check_excluded(sessions, item, want["user_texts"])
    marks = {turn.seq: turn.ref for one in sessions for turn in one.turns}
    told = [ref.split(" ")[0] if ref.startswith("msg_") else ref for ref in want.get("compaction", [])]
    assert [marks[seq] for one in sessions for seq in one.compactions] == told
    assert [item for one in sessions for item in one.damage] == want.get("bad_lines", [])
    assert {one.format for one in sessions} == {FORMATS[_folder(path)]}
    _check_identity(sessions, want)


def _ref(item: dict[str, Any]) -> str:
    """The record's reference without a word about the part of it."""
    return str(item["ref"]).partition(" (")[0].removesuffix(" head")


def _folder(path: Path) -> str:
    return next(part for part in path.parts if part in FORMATS)


def _check_excluded(sessions: tuple[Session, ...], item: dict[str, Any], own: list[dict[str, Any]]) -> None:
    """What must not count as the person's is there, with its author and a reason in the words of the sample.

    A record that is named here and among the person's texts holds both.
    """
    found = _reasons(sessions, _ref(item))
    if _ref(item) in map(_ref, own):
        found -= {(Author.TYPED, ""), (Author.CHOSEN, "")}
    for author, reason in found:
        assert item["why"].startswith(reason)
        assert author is BY_REASON.get(reason, Author.INJECTED)
    assert found or "no text" in item["why"]


def _check_identity(sessions: tuple[Session, ...], want: dict[str, Any]) -> None:
    """The session that the sample is about, its project, and whose it is; sub-agents may stand beside it."""
    (session, *others) = [one for one in sessions if one.subagent == want.get("subagent", False)]
    assert len(others) + 1 == want.get("conversations", 1)
    own = session.parent if session.subagent and session.format == "claude-code" else session.id
    assert own == want.get("session_id", own).split(" (")[0]
    assert session.project == want.get("project", session.project).removeprefix("(hash only) ")


def test_the_packaged_samples_are_all_there() -> None:
    """One of every format whose samples are invented; those of DSH are others' and stay outside."""
    found = {str(sample.id).partition("/")[0] for sample in samples()}
    assert found >= set(FORMATS) - {"dsh"}


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
