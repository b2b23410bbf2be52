"""DSH session logs: the source of an event decides, not its text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import zstandard

from pipeline.formats import dsh
from pipeline.formats.lines import records, split
from pipeline.formats.read import read as read_file
from pipeline.formats.session import Author, Session
from store.errors import BadInput
from tests.pipeline.formats.writing import authors, dump, source, texts

HEADER = {
    "type": "session",
    "version": 0,
    "id": "d1",
    "createdAt": 1783600629539,
    "cwd": "/home/dev/x",
    "delegationDepth": 0,
}
CASES = Path(__file__).parents[2] / "conformance" / "cases" / "extraction-cases.jsonl"


def event(seq: int, kind: str, **data: Any) -> dict[str, Any]:
    return {"type": kind, "seq": seq, "time": 1783600629600 + seq, "data": data}


def said(seq: int, text: str, kind: str = "user", **more: Any) -> dict[str, Any]:
    blocks = [{"type": "text", "text": text}]
    return event(seq, "user/message", content=blocks, source={"kind": kind} | more, role="user") | {
        "surfaceOp": "append"
    }


def read(*lines: dict[str, Any], header: dict[str, Any] | None = None) -> Session:
    data = dump([HEADER | (header or {}), *lines])
    (session,) = dsh.read(records(split([data])), source("session.jsonl"))
    return session


def frames(*groups: list[dict[str, Any]]) -> bytes:
    return b"".join(zstandard.ZstdCompressor(write_checksum=True).compress(dump(group)) for group in groups)


def test_only_a_message_whose_source_is_the_person_is_typed() -> None:
    session = read(
        said(0, "mine </system-reminder> whole"),
        said(1, "hook", "plugin", plugin="hooks"),
        said(2, "checkpoint", "plugin", plugin="compact"),
        said(3, "goal", "goal"),
        said(4, "note", "model"),
        said(5, "stdin", "tool"),
        event(6, "user/message", content=[{"type": "text", "text": "nobody"}]),
        event(
            7,
            "assistant/message",
            message={"content": [{"type": "reasoning", "text": "r"}, {"type": "text", "text": "ok"}]},
        ),
        event(8, "tool/call", name="sh", arguments='{"a":1}'),
        event(
            9,
            "tool/result",
            message={"content": [{"type": "tool-result", "content": [{"type": "text", "text": "42"}]}]},
        ),
        event(10, "session/title", title="A title"),
    )
    assert authors(session) == [
        ("typed", "mine </system-reminder> whole"),
        ("injected", "hook"),
        ("summary", "checkpoint"),
        ("injected", "goal"),
        ("model", "note"),
        ("tool", "stdin"),
        ("injected", "nobody"),
        ("model", "ok"),
        ("tool", 'sh {"a":1}'),
        ("tool", "42"),
        ("summary", "A title"),
    ]
    assert [(turn.seq, turn.ref) for turn in session.turns[:2]] == [(0, "seq 0"), (1, "seq 1")]
    assert session.turns[1].reason == "source.kind=plugin hooks"
    assert session.damage == ()


def test_packed_rows_count_as_the_events_they_stand_for() -> None:
    packed = {"type": "text-chunks", "seq0": 1, "time0": 1, "data": {"dt": [0], "texts": ["a", "b"]}}
    called = {"type": "tool-call-chunks", "seq0": 3, "time0": 1, "data": {"dt": [], "args": ["{"]}}
    session = read(said(0, "x"), packed, called, said(4, "y"))
    assert (session.damage, texts(session)) == ((), ["x", "y"])
    gap = read(said(0, "x"), packed, said(5, "y"), said(2, "z"))
    assert [item.reason for item in gap.damage] == ["events 3 to 4 are missing", "event 2 stands after event 5"]
    assert texts(gap) == ["x", "y", "z"]


def test_a_gap_after_a_damaged_line_is_told_once() -> None:
    data = dump([HEADER, said(0, "x")]) + b"{broken\n" + dump([said(2, "y")])
    (session,) = dsh.read(records(split([data])), source("session.jsonl"))
    assert [item.line for item in session.damage] == [3]


def test_an_event_without_a_number_is_kept_and_told() -> None:
    line = said(1, "y")
    del line["seq"]
    session = read(said(0, "x"), line, said(2, "z"))
    assert [(turn.seq, turn.text) for turn in session.turns] == [(0, "x"), (1, "y"), (2, "z")]
    assert [item.line for item in session.damage] == [3]


def test_turns_group_what_belongs_to_one_exchange() -> None:
    session = read(event(0, "turn/start", turn=3), said(1, "x"), event(2, "turn/end", turn=3), said(3, "y"))
    assert [turn.turn for turn in session.turns] == [3, None]


@pytest.mark.parametrize("header", [{"origin": "subagent"}, {"delegationDepth": 1}])
def test_a_sub_agent_holds_no_words_of_a_person(header: dict[str, Any]) -> None:
    reply = event(1, "assistant/message", message={"content": [{"type": "text", "text": "r"}]})
    session = read(said(0, "task"), reply, header=header | {"parentSession": "d0"})
    assert authors(session) == [("other agent", "task"), ("other agent", "r")]
    assert (session.subagent, session.parent) == (True, "d0")


def test_what_a_fork_inherited_belongs_to_its_parent() -> None:
    session = read(said(0, "old"), said(1, "old too"), said(2, "new"), header={"parentSession": "d0", "seedLength": 2})
    assert [(turn.text, turn.inherited) for turn in session.turns] == [("old", True), ("old too", True), ("new", False)]
    assert session.parent == "d0"


def test_a_compaction_is_marked_and_what_it_replaced_stays_evidence() -> None:
    summary = said(3, "summary", "plugin", plugin="compact") | {"surfaceOp": {"op": "replace", "start": 0, "end": 0}}
    session = read(said(0, "x"), event(1, "compaction/start"), event(2, "compaction/summary"), summary)
    assert session.compactions == (2,)
    assert [turn.abandoned for turn in session.turns if turn.author is Author.TYPED] == [False]


def test_a_message_that_the_person_replaced_is_abandoned() -> None:
    edited = said(2, "tabs") | {"surfaceOp": {"op": "replace", "start": 0, "end": 1}}
    session = read(said(0, "spaces"), said(1, "why"), edited, said(3, "more"))
    assert [(turn.text, turn.abandoned) for turn in session.turns] == [
        ("spaces", True),
        ("why", True),
        ("tabs", False),
        ("more", False),
    ]


def test_the_same_event_twice_counts_once() -> None:
    session = read(said(0, "x"), said(0, "x"), said(0, "changed"))
    assert texts(session) == ["x", "changed"]


@pytest.mark.parametrize(("version", "shown"), [(1, "1"), (None, "null"), ("0", "0"), (False, "false")])
def test_another_version_is_refused(version: Any, shown: str, tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(dump([HEADER | {"version": version}]))
    with pytest.raises(BadInput, match=f"version {shown}; only version 0"):
        read_file(path)


def test_a_log_without_its_header_is_refused() -> None:
    with pytest.raises(BadInput, match="no session header"):
        dsh.read(records(split([dump([said(0, "x")])])), source("session.jsonl"))
    with pytest.raises(BadInput, match="holds no session header"):
        dsh.read(records(split([b"{\n"])), source("session.jsonl"))


def test_a_compressed_log_reads_like_the_plain_one(tmp_path: Path) -> None:
    groups = [[HEADER], [said(0, "x"), said(1, "y")], [said(2, "z")]]
    packed, plain = tmp_path / "session.jsonl.zstd", tmp_path / "session.jsonl"
    packed.write_bytes(frames(*groups))
    plain.write_bytes(dump([line for group in groups for line in group]))
    told: list[int] = []
    (session,), (same,) = read_file(packed, progress=told.append), read_file(plain)
    assert (session.turns, session.id, session.damage) == (same.turns, "d1", ())
    assert told[-1] == packed.stat().st_size


@pytest.mark.parametrize("lost", [1, 4, 9, 40])
def test_a_torn_last_frame_is_normal_and_the_frames_before_it_are_read(tmp_path: Path, lost: int) -> None:
    path = tmp_path / "session.jsonl.zstd"
    whole = frames([HEADER], [said(0, "x"), said(1, "y")], [said(2, "z" * 40)])
    path.write_bytes(whole[:-lost])
    (session,) = read_file(path)
    assert texts(session)[:2] == ["x", "y"]
    assert all("incomplete" in item.reason for item in session.damage)


def test_a_damaged_frame_ends_the_log_with_a_word(tmp_path: Path) -> None:
    path = tmp_path / "session.jsonl.zstd"
    path.write_bytes(frames([HEADER], [said(0, "x")]) + b"no frame at all")
    (session,) = read_file(path)
    assert [item.reason for item in session.damage] == ["the compressed data is damaged from here on"]
    other = tmp_path / "other.zst"
    other.write_bytes(frames([{"a": 1}]))
    with pytest.raises(BadInput, match="Zstandard data, but no session log"):
        read_file(other)


def cases() -> list[Any]:
    found = [json.loads(line) for line in CASES.read_text("utf-8").splitlines()]
    raw = [case for case in found if "rawEvents" in case["given"] and case["when"]["op"] == "project"]
    return [pytest.param(case, id=case["id"]) for case in raw]


@pytest.mark.parametrize("case", cases())
def test_raw_events_project_as_the_case_says(case: dict[str, Any]) -> None:
    shown = [
        {"seq": item.seq, "role": item.role, "author": item.author, "time": item.time}
        | ({} if item.text is None else {"text": item.text})
        | ({} if item.turn is None else {"turn": item.turn})
        for item in dsh.project(case["given"]["rawEvents"])
    ]
    assert shown == case["then"]["entries"]


def test_both_projection_cases_are_there() -> None:
    assert [param.id for param in cases()] == ["EX-001", "EX-002"]
