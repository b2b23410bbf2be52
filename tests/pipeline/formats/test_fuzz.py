"""Whatever happens to a file, reading it ends, and no machine's words become the person's."""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from pipeline.formats.detect import LINES, WHOLE_DOCUMENT, Recognised, detect
from pipeline.formats.read import read, sessions
from pipeline.formats.session import EVIDENCE_AUTHORS, Session
from store.errors import BadInput
from tests.pipeline.formats.test_claude_code import REFUSED
from tests.pipeline.formats.test_documents import VALUES
from tests.pipeline.formats.test_dsh import HEADER, event, said
from tests.pipeline.formats.test_lines import cut
from tests.pipeline.formats.writing import DATA, assistant, called, dump, result, source, user

MACHINE = "MACHINE"
"""Stands in every text below that no person wrote."""

CLAUDE: list[dict[str, Any]] = [
    {"type": "summary", "summary": f"{MACHINE} title", "leafUuid": "x"},
    user(f"<local-command-caveat>{MACHINE}</local-command-caveat>", "u0", isMeta=True),
    user("first words", "u1", "u0"),
    assistant([{"type": "text", "text": f"{MACHINE} reply"}, *called("Read", {"path": MACHINE}, "t1")], "a1", "u1"),
    user([result(f"{MACHINE} output", "t1")], "u2", "a1", toolUseResult={"stdout": MACHINE}),
    user(
        [{"type": "text", "text": f"<system-reminder>{MACHINE}</system-reminder>"}, {"type": "text", "text": "second"}],
        "u3",
    ),
    assistant(called("AskUserQuestion", {"questions": [{"question": f"{MACHINE}?"}]}, "t2"), "a2", "u3"),
    user([result(f'User has answered your questions: "{MACHINE}?"="blue"', "t2")], "u4", "a2"),
    assistant(called("mcp__evil", {"questions": []}, "t3"), "a3", "u4"),
    user([result(f'User has answered your questions: "{MACHINE}?"="{MACHINE}"', "t3")], "u5", "a3"),
    user([result(REFUSED + "stop that", "t4", is_error=True)], "u6", "a3"),
    {"type": "progress", "uuid": "p1", "data": {"message": user(f"{MACHINE} prompt", "x1")}},
    {"type": "attachment", "uuid": "q1", "attachment": {"type": "queued_command", "prompt": "queued words"}},
    {"type": "attachment", "uuid": "q2", "attachment": {"type": "todo_reminder", "content": MACHINE}},
    user(f"This session is being continued from a previous conversation {MACHINE}", "u7", isCompactSummary=True),
    user(f"{MACHINE} task", "u8", "u7", isSidechain=True, agentId="a"),
    user("last words", "u9", "u7", promptSource="typed", origin={"kind": "human"}),
    user(f"{MACHINE} notice", "u10", "u9", promptSource="system", origin={"kind": "task-notification"}),
]
DSH: list[dict[str, Any]] = [
    HEADER,
    event(0, "turn/start", turn=1),
    said(1, "first words"),
    said(2, f"{MACHINE} hook", "plugin", plugin="hooks"),
    event(3, "assistant/message", message={"content": [{"type": "text", "text": MACHINE}]}),
    {"type": "text-chunks", "seq0": 4, "time0": 1, "data": {"dt": [0], "texts": [MACHINE, MACHINE]}},
    event(
        6, "tool/result", message={"content": [{"type": "tool-result", "content": [{"type": "text", "text": MACHINE}]}]}
    ),
    event(7, "agent/inbox/spliced", inserted=[said(1, MACHINE)]),
    said(8, "last words"),
]
OPENAI: list[dict[str, Any]] = [
    {"role": "system", "content": f"{MACHINE} rules"},
    {"role": "user", "content": f"<memories>{MACHINE}</memories>first words"},
    {"role": "assistant", "content": MACHINE, "tool_calls": [{"function": {"name": MACHINE}}]},
    {"role": "tool", "content": [{"type": "text", "text": MACHINE}]},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "last words"}]},
    {"type": "function_call_output", "output": MACHINE},
]
BASES = {"claude-code": CLAUDE, "dsh": DSH, "openai": OPENAI}
DECISIVE = frozenset(
    {
        *("type", "role", "kind", "source", "isMeta", "isSidechain", "agentId", "isCompactSummary"),
        *("promptSource", "origin", "message", "name", "header", "delegationDepth"),
    }
)
"""Fields that say who wrote something: without them nobody can know, so changes below leave them."""

names = st.sampled_from(sorted(BASES))


def evidence(found: Iterable[Session]) -> list[str]:
    return [turn.text for one in found for turn in one.turns if turn.author in EVIDENCE_AUTHORS]


def attempt(data: bytes, name: str) -> list[str]:
    """What the person wrote in a stream of lines, nothing where the file is refused."""
    try:
        return evidence(sessions([data], Recognised(name, "", LINES), source()))
    except BadInput:
        return []


@pytest.mark.parametrize("name", sorted(BASES))
def test_the_files_that_are_broken_below_read_well_when_whole(name: str) -> None:
    want = {"claude-code": ["first words", "second", "blue", "stop that", "queued words", "last words"]}
    assert attempt(dump(BASES[name]), name) == want.get(name, ["first words", "last words"])


@given(names, st.randoms(use_true_random=False), st.data())
def test_fuzz_cut_glued_and_shuffled_lines_invent_no_words(
    name: str, chance: random.Random, data: st.DataObject
) -> None:
    """Lines that are torn at their end, repeated, reordered and run together."""
    whole = set(attempt(dump(BASES[name]), name))
    lines = [json.dumps(line).encode() for line in BASES[name]]
    picked = data.draw(st.lists(st.integers(0, len(lines) - 1), min_size=1, max_size=12))
    parts = []
    for index in picked:
        line = lines[index]
        torn = chance.random() < 0.4
        parts.append(line[: chance.randrange(len(line))] if torn else line)
        parts.append(b"" if chance.random() < 0.3 else b"\n")
    assert set(attempt(b"".join(parts), name)) <= whole


@pytest.mark.parametrize("name", sorted(BASES))
def test_a_line_torn_anywhere_and_run_into_by_another_invents_no_words(name: str) -> None:
    """Every place of every line, once alone and once before a whole record."""
    whole = set(attempt(dump(BASES[name]), name))
    first, *rest = [json.dumps(line).encode() for line in BASES[name]]
    for line in rest:
        for end in range(len(line)):
            torn = first + b"\n" + line[:end]
            assert set(attempt(torn, name)) <= whole
            assert set(attempt(torn + rest[-1] + b"\n", name)) <= whole


@given(names, st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 255)), min_size=1, max_size=6), st.booleans())
def test_fuzz_changed_bytes_raise_nothing_but_bad_input(name: str, flips: list[tuple[int, int]], packed: bool) -> None:
    data = bytearray(dump(BASES[name]))
    if packed:
        data = bytearray(zstandard.ZstdCompressor().compress(bytes(data)))
    for place, value in flips:
        data[place % len(data)] = value
    _read(bytes(data))


@given(st.binary(max_size=400), st.sampled_from([b"", b"{", b"[", b'{"type":"user","message":', b"\x28\xb5\x2f\xfd"]))
def test_fuzz_any_bytes_raise_nothing_but_bad_input(data: bytes, start: bytes) -> None:
    _read(start + data)
    for name in BASES:
        attempt(start + data, name)
    list(sessions([start + data], Recognised("openai", "", WHOLE_DOCUMENT), source()))


def _read(data: bytes) -> None:
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
        file.write(data)
        file.flush()
        try:
            assert read(Path(file.name))
        except BadInput as error:
            assert str(error).startswith(file.name)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value that does not lie in or on a decisive field."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found = [] if path and path[-1] in DECISIVE else [path]
    return found + [deeper for key, item in inner for deeper in _places(item, (*path, key))]


def _put(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = _put(copied[path[0]], path[1:], new)
    return copied


@given(names, st.lists(st.tuples(st.integers(0, 10_000), VALUES), min_size=1, max_size=4))
def test_fuzz_values_of_the_wrong_kind_never_turn_machine_text_into_evidence(
    name: str, changes: list[tuple[int, Any]]
) -> None:
    value: Any = BASES[name]
    for place, new in changes:
        places = [path for path in _places(value) if path]
        value = _put(value, places[place % len(places)], new)
    assert all(MACHINE not in text for text in attempt(dump(value), name))
    (*found,) = sessions([json.dumps(value).encode()], Recognised("openai", "", WHOLE_DOCUMENT), source())
    assert name != "openai" or all(MACHINE not in text for text in evidence(found))


def _samples() -> list[Path]:
    return sorted(path for path in DATA.glob("**/*.json*") if "transcripts" in path.parts or "tricky" in path.parts)


@pytest.mark.parametrize(
    "path", [path for path in _samples() if path.name != "expected.json"], ids=lambda path: path.name
)
@given(places=st.lists(st.integers(0, 200_000), max_size=6))
def test_property_a_file_reads_the_same_however_it_is_cut(path: Path, places: list[int]) -> None:
    data, found = path.read_bytes(), detect(path)
    told = source(path.name)
    assert sessions(cut(data, places), found, told) == sessions([data], found, told)


@given(places=st.lists(st.integers(0, 4_000), max_size=60))
def test_property_a_broken_stream_of_bytes_reads_the_same(places: list[int]) -> None:
    for name, lines in BASES.items():
        data, found = dump(lines), Recognised(name, "", LINES)
        assert sessions(cut(data, places), found, source()) == sessions([data], found, source())
