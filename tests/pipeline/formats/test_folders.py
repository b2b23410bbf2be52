"""A folder that is given as a path stands for the transcripts in it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.formats.folders import transcripts_in
from pipeline.formats.read import files_of, read
from pipeline.formats.table import packaged
from store.errors import BadInput
from tests.pipeline.formats.writing import DATA, dump, texts, user

MESSAGES = [{"role": "user", "content": "mine"}]


def put(path: Path, data: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    return path


def inside(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in transcripts_in(folder, packaged())]


def test_a_project_of_claude_code_yields_its_sessions_and_sub_agents_wherever_it_was_copied(tmp_path: Path) -> None:
    lines = dump([user("x")])
    for name in ("b.jsonl", "a.jsonl", "a/subagents/agent-1.jsonl", "a/tool-results/big.jsonl"):
        put(tmp_path / "-home-x" / name, lines)
    put(tmp_path / "-home-x" / "memory" / "MEMORY.md", b"# x\n")
    assert inside(tmp_path / "-home-x") == ["a/subagents/agent-1.jsonl", "a.jsonl", "b.jsonl"]


def test_the_folders_above_a_tool_s_sessions_will_do_too(tmp_path: Path) -> None:
    name = "rollout-2026-05-18T07-30-01-019e3a10-5b7c-7d02-9c11-2f4e6a8b0c3d.jsonl"
    put(tmp_path / "backup" / "sessions" / "2026" / "05" / "18" / name, dump([{"payload": {}, "type": "session_meta"}]))
    put(tmp_path / "backup" / "history.jsonl", dump([{"session_id": "x", "ts": 1, "text": "y"}]))
    assert inside(tmp_path / "backup" / "sessions") == [f"2026/05/18/{name}"]
    assert inside(tmp_path / "backup") == ["history.jsonl", f"sessions/2026/05/18/{name}"]
    assert inside(tmp_path / "backup" / "sessions" / "2026" / "05" / "18") == [name]


def test_the_store_of_opencode_yields_sessions_and_none_of_its_pieces(tmp_path: Path) -> None:
    session = put(
        tmp_path / "storage" / "session" / "p" / "ses_1.json", {"id": "ses_1", "projectID": "p", "directory": "/x"}
    )
    put(
        tmp_path / "storage" / "message" / "ses_1" / "msg_1.json", {"id": "msg_1", "sessionID": "ses_1", "role": "user"}
    )
    put(tmp_path / "storage" / "part" / "msg_1" / "prt_1.json", {"id": "prt_1", "sessionID": "ses_1", "type": "text"})
    assert transcripts_in(tmp_path / "storage", packaged()) == (session,)
    with pytest.raises(BadInput, match="without a transcript"):
        transcripts_in(tmp_path / "storage" / "message" / "ses_1", packaged())


def test_an_unpacked_export_yields_its_conversations_and_never_the_account(tmp_path: Path) -> None:
    """The account's file would even be taken for messages."""
    for number in range(3):
        put(tmp_path / f"conversations-00{number}.json", [{"uuid": str(number), "chat_messages": []}])
    put(tmp_path / "users.json", MESSAGES)
    put(tmp_path / "memories.json", [{"conversations_memory": "x"}])
    put(tmp_path / "shared.html", b"<html>")
    assert inside(tmp_path) == [f"conversations-00{number}.json" for number in range(3)]


def test_all_sessions_of_a_folder_are_read(tmp_path: Path) -> None:
    put(tmp_path / "a.jsonl", dump([user("first")]))
    put(tmp_path / "b.json", [{"role": "user", "content": "second"}])
    put(tmp_path / "notes.txt", b"none")
    told: list[int] = []
    found = read(tmp_path, progress=told.append)
    assert [(one.format, texts(one)) for one in found] == [("claude-code", ["first"]), ("openai", ["second"])]
    assert told == sorted(told)
    assert told[-1] == sum((tmp_path / name).stat().st_size for name in ("a.jsonl", "b.json"))
    assert [Path(one.path).name for one in found] == ["a.jsonl", "b.json"]


def test_a_folder_without_a_transcript_is_one_sentence(tmp_path: Path) -> None:
    put(tmp_path / "notes.json", {"a": 1})
    put(tmp_path / "empty.jsonl", b"")
    with pytest.raises(BadInput, match="is a folder without a transcript"):
        read(tmp_path)


def test_a_file_stands_for_itself(tmp_path: Path) -> None:
    assert files_of(tmp_path / "missing.jsonl") == (tmp_path / "missing.jsonl",)


def test_the_packaged_samples_are_found_as_a_folder() -> None:
    folder = DATA / "transcripts" / "claude-code" / "-home-dev-tidepool"
    assert [path.name for path in transcripts_in(folder, packaged())] == [
        "agent-a1b2c3d.jsonl",
        "7b1d6f0e-3a52-4c7e-9f21-5d0c8e4a1b02.jsonl",
    ]
