"""A journal line is read whole or not at all, whatever happened to its bytes (`storage.md` §4, 7, 9.3)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import frames, snapshot
from store.frames import FileOp, Frame, RowOp, encode, parse

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)
ROWS = st.dictionaries(st.text(), VALUES, max_size=4)
SHA = st.none() | st.text("0123456789abcdef", min_size=64, max_size=64)
NAMES = st.text().filter(lambda name: "/" not in name)
PATHS = st.builds(
    "{}/{}".format,
    st.sampled_from(["facts", "private/aria/prefs", ".trash/x"]),
    NAMES.filter(lambda name: name not in {"", ".", ".."} and "\0" not in name),
)
FILES = st.builds(
    FileOp, PATHS, SHA, SHA, st.none() | st.binary(), NAMES, st.integers(0, 0o7777), was=st.none() | st.binary()
)
OPS = st.builds(RowOp, st.text(), st.text(), st.none() | ROWS)


def frame(n: int, **rest: Any) -> Frame:
    return Frame(n, "2026-11-30T10:00:00.000Z", "host:1", "commit", **rest)


FRAMES = st.builds(
    lambda ops, files, done: frame(1, ops=tuple(ops), files=tuple(files), done=done),
    st.lists(OPS, max_size=3),
    st.lists(FILES, max_size=2),
    st.integers(0, 99),
)


def normal(one: Frame) -> Frame:
    """Modes and bytes of files without text are not written."""
    files = tuple(
        FileOp(f.path, f.old, f.new, f.data, f.tmp, f.mode if f.data is not None else 0o644, was=f.was)
        for f in one.files
    )
    return Frame(one.n, one.at, one.by, one.tx, one.ops, files, one.done)


@given(FRAMES)
def test_property_a_frame_reads_back_as_it_was_written(one: Frame) -> None:
    line = encode(one)
    assert line.count(b"\n") == 1
    assert parse(line, 0).frames == (normal(one),)


@given(FRAMES, st.data())
def test_property_a_cut_last_line_is_a_torn_tail_and_costs_no_earlier_frame(one: Frame, data: st.DataObject) -> None:
    first, line = (
        encode(frame(1)),
        encode(Frame(2, *(getattr(one, k) for k in ("at", "by", "tx", "ops", "files", "done")))),
    )
    cut = data.draw(st.integers(1, len(line) - 1))
    found = parse(first + line[:cut], 0)
    assert (found.frames, found.length, found.tail) == ((frame(1),), len(first), "torn")


def test_every_flipped_bit_of_a_frame_is_noticed() -> None:
    line = encode(frame(1, ops=(RowOp("gaps", "a", {"state": "open"}),)))
    for position in range((len(line) - 1) * 8):
        bad = bytearray(line)
        bad[position // 8] ^= 1 << position % 8
        assert parse(bytes(bad), 0).frames == ()


def test_a_flipped_bit_before_a_good_frame_is_damage_and_behind_the_last_one_a_torn_tail() -> None:
    lines = [encode(frame(n, ops=(RowOp("gaps", str(n), {"n": n}),))) for n in (1, 2, 3)]
    whole = b"".join(lines)
    for position in range(len(whole) - 1):
        bad = bytearray(whole)
        bad[position] ^= 0x10
        found = parse(bytes(bad), 0)
        in_last = position >= len(lines[0]) + len(lines[1])
        assert found.tail == ("torn" if in_last else "damaged"), position
        assert len(found.frames) == sum(position >= sum(map(len, lines[: n + 1])) for n in range(3))


@pytest.mark.parametrize("tail", [b"\0" * 4096, b"garbage", b"\n\n\n", b"00000000 2 {}\n", b"ffff", b"\xff" * 700])
def test_zero_pages_and_garbage_behind_the_last_frame_are_a_torn_tail(tail: bytes) -> None:
    good = encode(frame(1)) + encode(frame(2))
    found = parse(good + tail, 0)
    assert ([one.n for one in found.frames], found.length, found.tail) == ([1, 2], len(good), "torn")


def test_a_piece_of_an_older_journal_behind_the_last_frame_is_a_torn_tail() -> None:
    good = encode(frame(7)) + encode(frame(8))
    old = encode(frame(3)) + encode(frame(4))
    found = parse(good + old, 6)
    assert ([one.n for one in found.frames], found.tail) == ([7, 8], "torn")


def test_a_missing_frame_is_damage() -> None:
    found = parse(encode(frame(1)) + encode(frame(3)), 0)
    assert ([one.n for one in found.frames], found.tail) == ([1], "damaged")


def test_a_frame_of_a_newer_version_stops_the_reader_and_is_never_skipped() -> None:
    line = encode(frame(2, ops=(RowOp("gaps", "a", {}),)))
    text = line.split(b" ", 2)[2].strip().replace(b'["p",', b'["q",')
    newer = b"%08x %d %s\n" % (frames.binascii.crc32(text), len(text), text)
    found = parse(encode(frame(1)) + newer + encode(frame(3)), 0)
    assert ([one.n for one in found.frames], found.tail) == ([1], "newer")


@pytest.mark.parametrize(
    ("path", "rest"),
    [
        ("../outside.md", {}),
        ("/etc/passwd", {}),
        ("facts/../../outside.md", {}),
        ("facts/./x.md", {}),
        ("facts", {}),
        (".memdesk/CURRENT", {}),
        ("README.md", {}),
        ("facts/x.md", {"tmp": "../x.tmp"}),
        ("facts/x.md", {"new": "../../x"}),
        ("facts/x.md", {"old": "a"}),
    ],
)
def test_a_journal_from_elsewhere_cannot_name_a_file_outside_of_the_banks_folders(
    path: str, rest: dict[str, Any]
) -> None:
    """Text is hostile (`product.md`): a bank that somebody sends must not write anywhere when it is opened."""
    named = {"old": None, "new": "0" * 64, "data": b"x", **rest}
    line = encode(frame(2, files=(FileOp(path, **named),)))
    found = parse(encode(frame(1)) + line, 0)
    assert ([one.n for one in found.frames], found.tail) == ([1], "damaged")


@given(st.integers(0, 10**6), st.dictionaries(st.text(), st.dictionaries(st.text(), ROWS, max_size=3), max_size=3))
def test_property_a_snapshot_reads_back_as_it_was_written(n: int, tables: dict[str, dict[str, dict[str, Any]]]) -> None:
    tables = {
        name: {k: {f: v for f, v in row.items() if f != "_key"} for k, row in t.items()} for name, t in tables.items()
    }
    tables.pop("_meta", None)
    one = snapshot.Snapshot(n, tables, {"facts": 7})
    assert snapshot.decode(snapshot.encode(one)) == one


def test_every_flipped_bit_of_a_snapshot_is_noticed() -> None:
    data = snapshot.encode(snapshot.Snapshot(12, {"gaps": {"a": {"state": "open", "_rev": 3}}}, {"facts": 2}))
    for position in range(len(data) * 8):
        bad = bytearray(data)
        bad[position // 8] ^= 1 << position % 8
        assert snapshot.decode(bytes(bad)) is None, position
