"""The search index: whatever happened to it, it answers as one that was made afresh."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.index.search.building import build
from store.index.search.doc import Doc
from store.index.search.files import load, save
from store.index.search.index import SearchIndex
from store.index.search.threads import Threads

WORDS = (
    "harbour",
    "harbours",
    "ferry",
    "ferries",
    "ferried",
    "boat",
    "小熊",
    "灯塔",
    "灯",
    "Café",
    "getUserName",
    "→",
    "a",
)
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


def standing(index: SearchIndex) -> dict[str, int]:
    """The row of each entry that stands."""
    return {index.key(row): row for row in np.flatnonzero(index.alive).tolist()}


def answers(index: SearchIndex) -> dict[str, object]:
    """Everything that a ranker asks of an index, by the name of the entry."""
    rows = standing(index)

    def named(scores: np.ndarray | None) -> dict[str, float]:
        found = {} if scores is None else {key: float(scores[row]) for key, row in rows.items()}
        return {key: value for key, value in found.items() if value}

    threads = index.threads
    return {
        "words": [
            named(index.word(word)) for word in ("harbour", "ferries", "小熊", "灯", "cafe", "username", "user", "→")
        ],
        "prefixes": [named(index.prefix(head)) for head in ("h", "harb", "ferr", "灯", "小", "c", "g", "zz", "")],
        "forms": {form: found for form in index.forms("ferri") if (found := named(index.word(form)))},
        "owners": {
            name: {index.key(row) for row in found.tolist() if index.alive[row]} for name, found in index.owners.items()
        },
        "kinds": {
            key: (int(index.asks[row]), int(index.signs[row]), int(index.lengths[row])) for key, row in rows.items()
        },
        "days": {key: int(index.days[row]) for key, row in rows.items()},
        "threads": sorted(
            _by_place(index, threads, threads.sessions == session) for session in set(threads.sessions.tolist())
        ),
        "spelled": [term for _, term in index.spellings("harbuor", beginning=False) if named(index.word(term))],
    }


def _by_place(index: SearchIndex, threads: Threads, chosen: np.ndarray) -> list[list[str]]:
    """The names of a session's entries, place by place."""
    places = groupby(np.flatnonzero(chosen).tolist(), lambda at: int(threads.places[at]))
    return [[index.key(int(threads.rows[at])) for at in found] for _, found in places]


@given(first=st.lists(DOCS, max_size=8), steps=st.lists(st.one_of(DOCS, st.integers(0, 7)), max_size=12))
def test_property_an_index_that_grew_and_shrank_answers_as_one_made_afresh(
    first: list[Doc], steps: list[Doc | int]
) -> None:
    known = {doc.key: doc for doc in first}
    index = SearchIndex(build(list(known.values())))
    for step in steps:
        key = f"facts/{step}.md" if isinstance(step, int) else step.key
        gone = [row] if (row := standing(index).get(key)) is not None else []
        known.pop(key, None)
        if isinstance(step, Doc):
            known[key] = step
        index = index.changed(gone, [step] if isinstance(step, Doc) else [])
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
