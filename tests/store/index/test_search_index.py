"""The search index: whatever happened to it, it answers as one that was made afresh."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from filelock import FileLock
from hypothesis import given
from hypothesis import strategies as st

from store.index.search import container
from store.index.search.building import build
from store.index.search.doc import Doc
from store.index.search.files import load, put_arrays, save
from store.index.search.index import SearchIndex
from tests.store.index.worlds import WORDS, answers, standing

TEXTS = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
DOCS = st.builds(
    Doc,
    key=st.sampled_from([f"facts/{at}.md" for at in range(8)]),
    mark=st.just("0"),
    text=TEXTS,
    session=st.sampled_from(["", "a/1", "b/2"]),
    at=st.integers(-2, 3),
    owner=st.sampled_from(["", "aria", "lan"]),
    day=st.sampled_from([0, 20261001]),
)


@given(
    first=st.lists(DOCS, max_size=8),
    steps=st.lists(st.tuples(st.one_of(DOCS, st.integers(0, 7)), st.integers(1, 3)), max_size=12),
)
def test_property_an_index_that_grew_and_shrank_answers_as_one_made_afresh(
    first: list[Doc], steps: list[tuple[Doc | int, int]]
) -> None:
    """Each step goes on from one of the last states, and leaves all of them as they were."""
    known = {doc.key: doc for doc in first}
    states = [(SearchIndex(build(list(known.values()))), known)]
    for step, back in steps:
        index, known = states[-min(back, len(states))]
        key = f"facts/{step}.md" if isinstance(step, int) else step.key
        gone = [row] if (row := standing(index).get(key)) is not None else []
        known = {name: doc for name, doc in known.items() if name != key}
        if isinstance(step, Doc):
            known[key] = step
        states.append((index.changed(gone, [step] if isinstance(step, Doc) else []), known))
    for index, known in states[-4:]:
        assert answers(index) == answers(SearchIndex(build(list(known.values()))))


@given(docs=st.lists(DOCS, max_size=8, unique_by=lambda doc: doc.key))
def test_property_an_index_from_a_file_answers_as_before(
    docs: list[Doc], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "cache" / "search"
    segment = build(docs)
    assert save(segment, path)
    loaded = load(path)
    assert loaded is not None
    assert answers(SearchIndex(loaded)) == answers(SearchIndex(segment))


@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_property_a_damaged_file_is_no_index(place: float, bit: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "damaged" / "search"
    whole = build([Doc("facts/1.md", "0", "harbour ferry"), Doc("facts/2.md", "0", "小熊灯塔", "a/1", 3, "aria")])
    save(whole, path)
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= 1 << bit
    path.write_bytes(data)
    assert load(path) is None


@pytest.mark.parametrize("damage", ["cut", "empty", "foreign", "gone"])
def test_a_file_that_is_cut_foreign_or_gone_is_no_index(damage: str, tmp_path: Path) -> None:
    path = tmp_path / "search"
    save(build([Doc("facts/1.md", "0", "harbour")]), path)
    data = path.read_bytes()
    path.write_bytes({"cut": data[:-100], "empty": b"", "foreign": b"SQLite format 3" * 90, "gone": b""}[damage])
    if damage == "gone":
        path.unlink()
    assert load(path) is None


def test_a_file_that_is_replaced_while_it_is_opened_is_one_or_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "search", tmp_path / "other"
    first, second = [Doc("facts/1.md", "0", "harbour")], [Doc(f"facts/{at}.md", "0", f"ferry {at}") for at in range(9)]
    assert save(build(first), path)
    assert save(build(second), other)
    read = container._header

    def replaced(file: BinaryIO) -> Any:
        found = read(file)
        other.replace(path)
        return found

    monkeypatch.setattr(container, "_header", replaced)
    loaded = load(path)
    assert loaded is not None
    assert answers(SearchIndex(loaded)) == answers(SearchIndex(build(first)))


def test_a_damage_that_leaves_the_numbers_of_the_first_lines_the_same_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "search"
    save(build([Doc("facts/1.md", "0", "harbour")]), path)
    path.write_bytes(path.read_bytes().replace(b"\n{", b"\v{", 1))
    assert load(path) is None


def test_the_copy_of_a_program_that_is_at_it_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = tmp_path / "search.new"
    theirs.write_bytes(b"half of theirs")
    with FileLock(tmp_path / "search.lock"):
        assert not put_arrays(tmp_path / "search", "kind", {}, {})

    def refused(*_rest: object, **_more: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("store.index.search.files.FileLock", refused)
    assert not put_arrays(tmp_path / "search", "kind", {}, {})
    assert theirs.read_bytes() == b"half of theirs"


def test_a_full_disk_keeps_no_half_of_an_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: BinaryIO, *_rest: object) -> None:
        file.write(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("store.index.search.files.write_arrays", full)
    assert not save(build([Doc("facts/1.md", "0", "harbour")]), tmp_path / "search")
    assert not [file for file in tmp_path.iterdir() if file.stat().st_size]
