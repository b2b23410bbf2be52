"""One large JSON document, member by member."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

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
