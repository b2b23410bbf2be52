"""A file is told by its content, and one that is none of ours gets a sentence that names it."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from pipeline.formats.detect import detect
from pipeline.formats.read import read
from store.errors import BadInput, Cancelled
from tests.pipeline.formats.writing import dump, texts, user


def write(tmp_path: Path, name: str, data: bytes) -> Path:
    path = tmp_path / name
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("line", "want"),
    [
        ({"type": "session", "version": 0, "delegationDepth": 0, "id": "x"}, "dsh"),
        ({"type": "session", "version": 3, "delegationDepth": 0}, "dsh"),
        ({"type": "session", "version": 3, "id": "x"}, "openclaw"),
        ({"timestamp": "x", "type": "response_item", "payload": {}}, "codex"),
        ({"type": "event_msg", "payload": {}, "sessionId": "s", "uuid": "u"}, "codex"),
        ({"sessionId": "x", "projectHash": "y"}, "gemini-cli"),
        ({"$set": {}}, "gemini-cli"),
        ({"$rewindTo": "x"}, "gemini-cli"),
        ({"sessionId": "s", "uuid": "u"}, "claude-code"),
        ({"type": "file-history-snapshot"}, "claude-code"),
        ({"type": "user", "message": {"content": "x"}}, "claude-code"),
        ({"role": "session_meta"}, "hermes"),
        ({"role": "user", "content": "x"}, "openai"),
        ({"messages": []}, "openai"),
        ([{"role": "user", "content": "x"}], "openai"),
        ({"type": "function_call_output", "output": ""}, "openai"),
        ({"display": "x", "pastedContents": {}, "timestamp": 1, "project": "/p"}, "claude-history"),
        ({"session_id": "x", "ts": 1, "text": "y"}, "codex-history"),
    ],
)
def test_a_line_tells_its_format_whatever_the_file_is_called(tmp_path: Path, line: Any, want: str) -> None:
    for name in ("rollout-1.jsonl", "conversations.jsonl", "x.md"):
        found = detect(write(tmp_path, name, dump([line, line])))
        assert (found.format, found.shape) == (want, "lines")


@pytest.mark.parametrize(
    ("value", "want", "shape"),
    [
        ([{"mapping": {}}], "chatgpt", "document"),
        ([{"uuid": "x", "chat_messages": []}], "claude-ai", "document"),
        ([{"role": "user", "parts": []}], "gemini-cli", "document"),
        ([{"sessionId": "x", "messageId": 0, "type": "user", "message": "y"}], "gemini-logs", "document"),
        ([{"role": "user", "content": "x"}], "openai", "document"),
        ({"messages": [{"role": "user"}]}, "openai", "document"),
        ({"agents": [], "blocks": []}, "letta", "document"),
        ({"core_memory": [], "messages": []}, "letta", "document"),
        (json.dumps({"agents": [], "blocks": []}), "letta", "document"),
        ({"sessionId": "x", "projectHash": "y", "messages": []}, "gemini-cli", "document"),
        ({"history": [{"role": "user", "parts": []}], "authType": "x"}, "gemini-cli", "document"),
        ({"id": "ses_1", "projectID": "p", "directory": "/x"}, "opencode", "path"),
        ({"session_id": "x", "messages": []}, "hermes", "document"),
    ],
)
def test_a_document_tells_its_format_on_one_line_and_on_several(
    tmp_path: Path, value: Any, want: str, shape: str
) -> None:
    for number, indent in enumerate((None, 1)):
        found = detect(write(tmp_path, f"{number}.json", json.dumps(value, indent=indent).encode()))
        assert (found.format, found.shape) == (want, shape)


def test_a_document_whose_first_member_is_longer_than_what_is_looked_at_is_told_all_the_same(tmp_path: Path) -> None:
    long = [{"title": "x", "create_time": 1.5, "mapping": {str(n): {"id": "y" * 1000} for n in range(2000)}}]
    assert detect(write(tmp_path, "a.json", json.dumps(long).encode())).format == "chatgpt"


def test_a_database_tells_its_format_by_its_tables(tmp_path: Path) -> None:
    for name, tables, want in (
        ("a.db", ("project", "session", "message", "part"), "opencode"),
        ("state.db", ("sessions", "messages", "schema_version"), "hermes"),
    ):
        with sqlite3.connect(tmp_path / name) as database:
            for table in tables:
                database.execute(f"CREATE TABLE {table}(id text)")
        database.close()
        before = (tmp_path / name).read_bytes()
        found = detect(tmp_path / name)
        assert (found.format, found.shape) == (want, "path")
        assert (tmp_path / name).read_bytes() == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.db", "state.db"]


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (dump([{"type": "entity", "entityType": "x"}]), "an MCP memory file"),
        (dump([{"relationType": "x"}] * 2), "an MCP memory file"),
        (json.dumps({"results": []}).encode(), "a mem0 export"),
        (json.dumps([{"id": "1", "memory": "x"}], indent=1).encode(), "a mem0 export"),
        (json.dumps({"apps": [], "memories": []}).encode(), "an OpenMemory backup"),
        (json.dumps([{"conversations_memory": "x"}]).encode(), "what Claude.ai remembers"),
        (json.dumps({"id": "msg_1", "sessionID": "ses_1", "role": "user"}).encode(), "a message of opencode"),
        (b"\x1f\x8brest", "a gzip file; unpack it first"),
        (b"---\nname: x\n---\n", "Markdown, not a transcript"),
        (b"# Title\n", "Markdown, not a transcript"),
        (b"just words", "text, not a transcript"),
        (b'{"a": 1}', "JSON of no known transcript"),
        (b"[" * 5000, "JSON of no known transcript"),
        (b"\x01\x00\x02", "binary data"),
    ],
)
def test_what_is_not_read_is_named(tmp_path: Path, data: bytes, what: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(write(tmp_path, "file", data))
    assert f"looks like {what}" in str(caught.value)
    tools = "Claude Code, DSH, Codex CLI, Gemini CLI, opencode, ChatGPT, Claude.ai, Letta, OpenClaw, Hermes"
    assert str(caught.value).endswith(
        f"; {tools} and OpenAI-style messages are read: if it is one of them, name it with --format."
    )


def test_a_list_with_an_object_a_line_is_one_document(tmp_path: Path) -> None:
    path = write(tmp_path, "a.json", b'[\n{"role": "user", "content": "x"},\n{"role": "user", "content": "y"}\n]\n')
    (session,) = read(path)
    assert (texts(session), session.damage) == (["x", "y"], ())


def test_the_person_may_say_what_it_is(tmp_path: Path) -> None:
    path = write(tmp_path, "a.jsonl", dump([{"kind": "own"}, {"text": "x"}]))
    (session,) = read(path, format="claude-code")
    assert (session.format, session.turns) == ("claude-code", ())
    both = write(tmp_path, "b.jsonl", dump([user("x") | {"role": "user", "content": "y"}]))
    assert [texts(read(both, format=name)[0]) for name in ("claude-code", "openai")] == [["x"], []]
    with pytest.raises(BadInput, match="'word' is no format; the formats are claude-code, dsh, codex, gemini-cli,"):
        read(path, format="word")


@pytest.mark.parametrize("data", [b"", b"\n\r\n ", b"\xef\xbb\xbf"])
def test_an_empty_file_is_an_empty_session(tmp_path: Path, data: bytes) -> None:
    (session,) = read(write(tmp_path, "s9.jsonl", data))
    assert (session.id, session.turns, session.damage, session.last_seq) == ("s9", (), (), 0)
    (named,) = read(write(tmp_path, "s9.jsonl", data), format="dsh")
    assert named.format == "dsh"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "missing", tmp_path / "pipe", Path("a\0b")):
        with pytest.raises(BadInput, match="give the path of a transcript"):
            read(path)


def test_reading_can_be_stopped_and_tells_how_far_it_is(tmp_path: Path) -> None:
    path = write(tmp_path, "s1.jsonl", dump([user("x" * 1000)] * 1000))
    told: list[int] = []
    assert len(read(path, progress=told.append)[0].turns) == 1000
    assert told[-1] == path.stat().st_size
    with pytest.raises(Cancelled):
        read(path, cancelled=lambda: True)
