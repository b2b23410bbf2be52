"""Lines of a file that may be growing, broken or huge."""

from __future__ import annotations

import io
import json
import tracemalloc
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.formats import claude_code, lines
from pipeline.formats.lines import (
    NOT_JSON,
    NOT_OBJECT,
    NOT_UTF8,
    TORN,
    Item,
    Line,
    Record,
    Whole,
    chunks,
    records,
    split,
)
from pipeline.formats.session import Damage
from store.errors import Cancelled
from tests.pipeline.formats.writing import source


def parsed(data: bytes, **options: bool) -> list[Item]:
    return list(records(split([data]), **options))


def cut(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


@given(st.binary(max_size=300), st.lists(st.integers(0, 1000), max_size=8), st.integers(1, 40))
def test_property_lines_are_the_same_however_the_file_is_cut(data: bytes, places: list[int], limit: int) -> None:
    whole = list(split([data], limit))
    assert list(split(cut(data, places), limit)) == whole
    assert [line.size for line in whole] == [len(part) for part in data.split(b"\n")][: len(whole)]
    assert all(
        line.data == (data[line.offset : line.offset + line.size] if line.size <= limit else b"") for line in whole
    )


@given(st.lists(st.dictionaries(st.text(), st.text(), max_size=3), max_size=5))
def test_property_whole_records_come_back_as_they_were(values: list[dict[str, str]]) -> None:
    values = [{key.replace("\x00", ""): text.replace("\x00", "") for key, text in value.items()} for value in values]
    data = b"".join(json.dumps(value).encode() + b"\n" for value in values)
    assert [item.data for item in parsed(data) if isinstance(item, Record)] == values
    assert parsed(data)[-1] == Whole(len(data))


def test_a_line_over_the_limit_is_skipped_and_the_next_is_read() -> None:
    data = [b'{"a":"', *[b"x" * 1000] * 50, b'"}\n{"b":1}\n']
    found = list(records(split(data, 10_000), limit=10_000))
    assert found == [
        Damage(1, 0, "a line of 50,008 bytes was left out, as one may have 10,000; shorten it in a copy of the file"),
        Record(2, 50_009, {"b": 1}),
        Whole(50_017),
    ]


def test_a_huge_line_is_skipped_in_constant_memory() -> None:
    tracemalloc.start()
    found = list(records(split(b"x" * (1 << 20) for _ in range(64))))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    reason = "a line of 67,108,864 bytes was left out, as one may have 16,777,216; shorten it in a copy of the file"
    assert found == [Damage(1, 0, reason), Whole(0)]
    assert peak < 40 << 20


@pytest.mark.parametrize("value", ["1", '"text"', "null", "[1]"])
def test_json_that_is_no_object_is_damage(value: str) -> None:
    assert parsed(value.encode() + b"\n") == [Damage(1, 0, NOT_OBJECT), Whole(len(value) + 1)]


def test_a_list_is_a_record_where_lists_are_expected() -> None:
    assert parsed(b"[1]\n", lists=True) == [Record(1, 0, {"messages": [1]}), Whole(4)]


def test_an_object_without_its_newline_is_read_but_its_line_may_grow() -> None:
    assert parsed(b'{"a":1}\n{"b":2}') == [Record(1, 0, {"a": 1}), Record(2, 8, {"b": 2}), Whole(8)]


def test_half_a_record_before_a_whole_one_is_told_with_its_place() -> None:
    assert parsed(b'  {"a":"x{"b":{"c":1}}\n') == [Damage(1, 2, NOT_JSON), Record(1, 9, {"b": {"c": 1}}), Whole(23)]


def test_what_a_torn_record_quotes_is_not_taken_for_a_record() -> None:
    """A sub-agent's prompt nested in a progress note must not become a message because its note was cut."""
    torn = b'{"type":"progress","data":{"message":{"type":"user","message":{"role":"user","content":"x"}}'
    assert parsed(torn + b"\n") == [Damage(1, 0, NOT_JSON), Whole(len(torn) + 1)]
    half = b'{"a":"half'
    assert [type(item) for item in parsed(half + torn + b"\n")] == [Damage, Whole]


def test_whole_records_before_a_torn_one_on_the_last_line_are_read() -> None:
    assert parsed(b'{"a":1}{"b":') == [Record(1, 0, {"a": 1}), Damage(1, 7, TORN), Whole(0)]


def test_nul_bytes_inside_a_record_are_left_out() -> None:
    assert parsed(b'{"a":"x\x00y\\u0000z"}\x00\x00\r\n')[0] == Record(1, 0, {"a": "xyz"})


def test_bytes_that_are_no_utf8_are_shown_and_told() -> None:
    assert parsed(b'{"a":"\xff"}\n') == [Record(1, 0, {"a": "\ufffd"}), Damage(1, 0, NOT_UTF8), Whole(10)]
    assert parsed('{"a":"\ufffd"}\n'.encode()) == [Record(1, 0, {"a": "\ufffd"}), Whole(12)]


def test_nesting_without_end_is_damage_like_any_other() -> None:
    assert parsed(b"[" * 100_000 + b"\n") == [Damage(1, 0, NOT_JSON), Whole(100_001)]
    deep = b'{"a":' * 100_000 + b"1" + b"}" * 100_000
    assert [type(item) for item in parsed(deep + b"\n")][-1] is Whole


def test_a_number_of_ten_thousand_digits_is_damage() -> None:
    assert parsed(b'{"a":' + b"9" * 10_000 + b"}\n") == [Damage(1, 0, NOT_JSON), Whole(10_007)]


def test_a_broken_line_full_of_braces_is_given_up_in_time() -> None:
    assert [type(item) for item in parsed(b'{"a' * 400_000 + b"\n")] == [Damage, Whole]


def test_blank_lines_are_no_damage() -> None:
    assert parsed(b"\n \r\n\xef\xbb\xbf\n\t\n") == [Whole(10)]


def test_the_reader_tells_how_far_it_is_and_stops_when_asked() -> None:
    told: list[int] = []
    data = b"x" * 600_000
    assert b"".join(chunks(io.BytesIO(data), progress=told.append)) == data
    assert told == [262_144, 524_288, 600_000]
    with pytest.raises(Cancelled, match="stopped"):
        list(chunks(io.BytesIO(data), progress=told.append, cancelled=lambda: len(told) > 4))
    assert told[3:] == [262_144, 524_288]


def test_an_empty_input_has_no_lines() -> None:
    assert list(split([])) == []
    assert list(split([b"", b"a\n", b""])) == [Line(1, 0, b"a", 1, ended=True)]


def test_a_file_of_rubbish_is_told_without_filling_the_memory() -> None:
    (session,) = claude_code.read(records(split([b"x\n" * 5_000])), source())
    assert len(session.damage) == 1_001
    assert session.damage[-1] == Damage(0, 0, "4000 further places are damaged")
    assert session.read_to == 10_000


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-99, 99)
    | st.text(st.sampled_from('ab"\\u0d8é缓🚢\ud800\x00 '), max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner, max_size=3),
    max_leaves=6,
)


@given(JSON, st.booleans(), st.sampled_from(["", " ", "\r", "x", '{"b":1}', "\x00"]), st.booleans())
def test_property_the_short_way_for_plain_lines_reads_what_the_long_way_reads(
    value: object, ascii_only: bool, behind: str, ended: bool
) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only) + behind
    line = Line(7, 100, text.encode("utf-8", "surrogatepass"), len(text), ended)
    found = list(records([line]))
    assert found[:-1] == list(lines._parse(line, False))
    assert isinstance(found[-1], Whole)
