"""One large JSON document, member by member."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.formats import documents
from pipeline.formats.documents import CUT_SHORT, Member, members
from pipeline.formats.session import Damage
from tests.pipeline.formats.test_lines import cut

TEXT = st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\x00"), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
LISTS = frozenset({"messages"})


def read(data: bytes, places: list[int] | None = None) -> list[Member | Damage]:
    return list(members(cut(data, places or []), LISTS))


@given(st.lists(VALUES, max_size=5), st.sampled_from([None, 1]), st.lists(st.integers(0, 500), max_size=6))
def test_property_a_list_comes_back_member_by_member(values: list[Any], indent: int | None, places: list[int]) -> None:
    data = json.dumps(values, indent=indent).encode()
    assert read(data, places) == [Member("", index, value) for index, value in enumerate(values)]


@given(st.dictionaries(TEXT | st.just("messages"), VALUES, max_size=5), st.lists(st.integers(0, 500), max_size=6))
def test_property_an_object_comes_back_with_its_lists_streamed(value: dict[str, Any], places: list[int]) -> None:
    want: list[Member] = []
    for key, item in value.items():
        if key in LISTS and isinstance(item, list) and item:
            want.extend(Member(key, index, part) for index, part in enumerate(item))
        else:
            want.append(Member(key, None, item))
    assert read(json.dumps(value, ensure_ascii=False).encode(), places) == want


@given(st.binary(max_size=200), st.lists(st.integers(0, 500), max_size=4))
def test_fuzz_any_bytes_end_in_members_or_one_damage(data: bytes, places: list[int]) -> None:
    found = read(data, places)
    assert [item for item in found if isinstance(item, Damage)] in ([], found[-1:])


@given(
    st.lists(TEXT | st.lists(VALUES, max_size=3) | st.dictionaries(TEXT, VALUES, max_size=3), max_size=6),
    st.integers(2, 40),
    st.sampled_from([",", " ,\n  "]),
    st.booleans(),
    st.lists(st.integers(0, 500), max_size=6),
)
def test_property_a_value_that_is_too_long_hides_no_other(
    values: list[Any], limit: int, between: str, ascii: bool, places: list[int]
) -> None:
    """Lists, objects and strings over the limit are left out and told by their place, whatever stands in them."""
    texts = [json.dumps(value, ensure_ascii=ascii) for value in values]
    starts = [len(f"[{''.join(text + between for text in texts[:index])}".encode()) for index in range(len(texts))]
    with patch.object(documents, "LINE_LIMIT", limit), patch.object(documents, "_STEP", 1):
        found = read(f"[{between.join(texts)}]".encode(), places)
    assert len(found) == len(values)
    for index, item in enumerate(found):
        if isinstance(item, Damage):
            assert len(texts[index]) > limit
            assert (item.line, item.offset) == (index + 1, starts[index])
            assert item.reason == left_out(len(texts[index]), limit)
        else:
            assert item == Member("", index, values[index]) and len(texts[index]) <= max(limit, 1)


def left_out(size: int, limit: int) -> str:
    what = f"a conversation or value of {size:,} characters"
    return f"{what} was left out, as one may have {limit:,}; shorten it in a copy of the file"


BYTES = list(range(4_000))
"""Cuts a document into its bytes, so that it is looked at as late as can be."""
LONG = json.dumps({"t\\": '"}[{', "text": ['\\"]}' * 9, {}, "\n" * 700]})


@pytest.fixture
def short_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.formats.documents.LINE_LIMIT", 100)
    monkeypatch.setattr("pipeline.formats.documents._STEP", 1)


@pytest.mark.usefixtures("short_limit")
def test_what_follows_a_long_value_is_read() -> None:
    skipped = left_out(len(LONG), 100)
    assert read(f'{{"a": {LONG}, "messages": [1, {LONG}, 2], "b": 3}}'.encode(), BYTES) == [
        Damage(0, 6, skipped),
        Member("messages", 0, 1),
        Damage(2, 6 + len(LONG) + 18, skipped),
        Member("messages", 2, 2),
        Member("b", None, 3),
    ]
    assert read(json.dumps("x" * 200).encode(), BYTES) == [Damage(0, 0, left_out(202, 100))]


@pytest.mark.usefixtures("short_limit")
@pytest.mark.parametrize(
    "data",
    [
        f"[1, {LONG[:-1]}",
        f"[1, {LONG[:-2]}, 2]",
        f"[1, {LONG[:-2]}}}, 2]",
        f"[1, {LONG[:-1]}], 2]",
        f"[1, {LONG} 2]",
        f"[1, {{x}}, {LONG}, 2]",
        f"[1, {'9' * 200}, 2]",
        f"[1, {'[' * 20_000}{']' * 20_000}, 2]",
    ],
)
def test_what_is_broken_and_long_ends_the_document(data: str) -> None:
    first, *others = read(data.encode(), BYTES)
    assert first == Member("", 0, 1)
    assert [item.reason for item in others[-1:] if isinstance(item, Damage)] == [CUT_SHORT]
    assert not [item for item in others if isinstance(item, Member)]


def test_a_conversation_of_any_length_is_skipped_in_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.formats.documents.LINE_LIMIT", 1 << 18)

    def pieces() -> Any:
        yield b'[1, {"messages": ['
        for _ in range(1_000):
            yield b'{"role": "user", "content": "' + b'\\n\\u00e9\\"x' * 2_000 + b'"}, '
        yield b"null]}, 2]"

    tracemalloc.start()
    found = list(members(pieces(), LISTS))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    skipped = Damage(2, 4, left_out(22_033_020, 1 << 18))
    assert found == [Member("", 0, 1), skipped, Member("", 2, 2)]
    assert peak < 8 << 20


def test_a_value_is_too_long_however_much_was_read_at_once() -> None:
    """Between one and two times the limit the whole value may be there already when it is first looked at."""
    with patch.object(documents, "LINE_LIMIT", 1_000):
        assert read(f'[1, "{"x" * 1_500}", 2]'.encode()) == [
            Member("", 0, 1),
            Damage(2, 4, left_out(1_502, 1_000)),
            Member("", 2, 2),
        ]
        assert read(f'"{"x" * 1_500}"'.encode()) == [Damage(0, 0, left_out(1_502, 1_000))]


def test_what_is_cut_short_is_told_after_what_was_whole() -> None:
    (first, second, damage) = read(b'[{"a": 1}, 2, {"b"')
    assert (first, second) == (Member("", 0, {"a": 1}), Member("", 1, 2))
    assert isinstance(damage, Damage)
    assert damage.reason == CUT_SHORT
    assert isinstance(read(b"[1] [2]")[-1], Damage)


def test_a_large_document_is_not_held_whole() -> None:
    part = json.dumps({"role": "user", "content": "x" * 10_000}).encode()

    def pieces() -> Any:
        yield b"["
        for _ in range(5_000):
            yield part + b","
        yield part + b"]"

    tracemalloc.start()
    count = sum(1 for _ in members(pieces(), LISTS))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 5_001
    assert peak < 4 << 20
