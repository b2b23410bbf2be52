"""A file is told by its content, and one that is none of ours gets a sentence that names it."""

from __future__ import annotations

import json
import os
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
        ({"sessionId": "s", "uuid": "u"}, "claude-code"),
        ({"type": "file-history-snapshot"}, "claude-code"),
        ({"type": "user", "message": {"content": "x"}}, "claude-code"),
        ({"role": "user", "content": "x"}, "openai"),
        ({"messages": []}, "openai"),
        ([{"role": "user", "content": "x"}], "openai"),
        ({"type": "function_call_output", "output": ""}, "openai"),
    ],
)
def test_a_line_tells_its_format_whatever_the_file_is_called(tmp_path: Path, line: Any, want: str) -> None:
    for name in ("rollout-1.jsonl", "conversations.json", "x.md"):
        assert detect(write(tmp_path, name, dump([line]))).format == want


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (dump([{"type": "session", "version": 3}]), "an OpenClaw session"),
        (dump([{"timestamp": "x", "type": "response_item", "payload": {}}]), "a Codex rollout"),
        (dump([{"sessionId": "x", "projectHash": "y"}]), "a Gemini CLI session"),
        (dump([{"$set": {}}]), "a Gemini CLI session"),
        (dump([{"type": "entity", "entityType": "x"}]), "an MCP memory file"),
        (dump([{"role": "session_meta"}]), "a Hermes session"),
        (json.dumps([{"mapping": {}}]).encode(), "a ChatGPT export"),
        (json.dumps([{"mapping": {}}], indent=1).encode(), "a ChatGPT export"),
        (json.dumps([{"chat_messages": []}], indent=1).encode(), "a Claude.ai export"),
        (json.dumps({"agents": [], "blocks": []}, indent=1).encode(), "a Letta agent file"),
        (json.dumps(json.dumps({"agents": [], "blocks": []})).encode(), "a Letta agent file"),
        (json.dumps({"results": []}).encode(), "a mem0 export"),
        (json.dumps([{"id": "1", "memory": "x"}], indent=1).encode(), "a mem0 export"),
        (json.dumps({"history": [{"parts": []}]}, indent=1).encode(), "a Gemini CLI checkpoint"),
        (b"SQLite format 3\x00rest", "a SQLite database"),
        (b"PK\x03\x04rest", "a zip archive; unpack it and give the file inside"),
        (b"---\nname: x\n---\n", "Markdown, not a transcript"),
        (b"# Title\n", "Markdown, not a transcript"),
        (b"just words", "text, not a transcript"),
        (b'{"a": 1}', "JSON of no known transcript"),
        (b"\x01\x00\x02", "binary data"),
    ],
)
def test_what_is_not_read_is_named(tmp_path: Path, data: bytes, what: str) -> None:
    with pytest.raises(BadInput) as caught:
        read(write(tmp_path, "file", data))
    assert f"looks like {what}. " in str(caught.value)


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
    with pytest.raises(BadInput, match="'word' is no format; the formats are claude-code, dsh, openai"):
        read(path, format="word")


@pytest.mark.parametrize("data", [b"", b"\n\r\n ", b"\xef\xbb\xbf"])
def test_an_empty_file_is_an_empty_session(tmp_path: Path, data: bytes) -> None:
    (session,) = read(write(tmp_path, "s9.jsonl", data))
    assert (session.id, session.turns, session.damage, session.last_seq) == ("s9", (), (), 0)
    (named,) = read(write(tmp_path, "s9.jsonl", data), format="dsh")
    assert named.format == "dsh"


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "missing", tmp_path / "pipe", Path("a\0b")):
        with pytest.raises(BadInput, match="give the path of a transcript"):
            read(path)


def test_reading_can_be_stopped_and_tells_how_far_it_is(tmp_path: Path) -> None:
    path = write(tmp_path, "s1.jsonl", dump([user("x" * 1000)] * 1000))
    told: list[int] = []
    assert len(read(path, progress=told.append)[0].turns) == 1000
    assert told[-1] == path.stat().st_size
    with pytest.raises(Cancelled):
        read(path, cancelled=lambda: True)
