"""A transcript too large for memory, in small: the same measurements over two megabytes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.formats.read import read
from pipeline.formats.session import Author
from tests.bench import large, large_file
from tests.bench.setting import Setting

GRACE = 3.0


def test_the_large_bench_measures_a_file_of_two_megabytes(tmp_path: Path) -> None:
    """Memory, progress, cancelling, and the evaluation that goes on where it ended when the file grows."""
    lines = {line.name: line for line in large.measure(Setting(tmp_path), 2 * large.MEGABYTE, rounds=1)}
    assert list(lines) == [
        f"large-{name}" for name in ("file", "memory", "progress", "speed", "cancel", "extract", "grown")
    ]
    assert all(lines[f"large-{name}"].passed for name in ("memory", "progress", "extract", "grown"))
    assert float(lines["large-cancel"].values.split()[0]) <= (large.STOP + GRACE) * 1000
    assert float(lines["large-speed"].values.split()[0]) > 0


def test_the_made_transcript_is_one_that_claude_code_could_have_written(tmp_path: Path) -> None:
    path = tmp_path / f"{large_file.SESSION}.jsonl"
    count = large_file.write(path, 300_000)
    raw = path.read_bytes().splitlines()
    assert 300_000 <= path.stat().st_size < 3_000_000
    assert len(raw) == count and all(len(line) <= large.MEGABYTE for line in raw)
    records = [json.loads(line) for line in raw]
    known = {None, *(record.get("uuid") for record in records)}
    assert {record["parentUuid"] for record in records if "uuid" in record} <= known
    (session,) = read(path)
    assert (session.format, session.id, session.damage) == ("claude-code", large_file.SESSION, ())
    assert {turn.author for turn in session.turns} == {Author.TYPED, Author.MODEL, Author.TOOL}
    assert not any(turn.abandoned or turn.inherited for turn in session.turns)


def test_the_made_transcript_is_the_same_each_time_and_grows_by_messages(tmp_path: Path) -> None:
    one, other = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    large_file.write(one, 50_000)
    large_file.write(other, 50_000)
    assert one.read_bytes() == other.read_bytes()
    before = sum(turn.author is Author.TYPED for turn in read(one)[0].turns)
    large_file.grow(one, 2)
    assert sum(turn.author is Author.TYPED for turn in read(one)[0].turns) == before + 2


@pytest.mark.parametrize(
    ("words", "size"), [("2MB", 2_000_000), ("1GB", 10**9), ("500kb", 500_000), ("1.5 MB", 1_500_000), ("77", 77)]
)
def test_a_size_may_be_given_with_a_unit(words: str, size: int) -> None:
    assert large.size_of(words) == size


@pytest.mark.parametrize("words", ["", "MB", "2TB", "-3MB", "two"])
def test_what_is_no_size_is_told(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        large.main([f"--size={words}"])
    assert "bytes, or a number with KB, MB or GB" in capsys.readouterr().err
