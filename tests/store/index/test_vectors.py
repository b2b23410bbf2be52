"""Vectors of entries: what is near is found, models never mix, and what did not change is not encoded again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import BadInput
from store.index.search.aligned import EXACT, POOL, Aligned, Late
from store.index.search.building import build
from store.index.search.following import bound, docs_of, follow
from store.index.search.meant import Meant
from store.index.search.strings import Strings
from store.index.search.vectors import (
    Gathering,
    Vectors,
    load_vectors,
    places,
    quantised,
    save_vectors,
    vectors_file,
    vectors_of,
)
from store.view import View
from tests.store.index.worlds import changed, view
from tests.store.world import in_child

MODEL = "made-up@1"


def unit(count: int, dim: int = 96, seed: int = 1) -> np.ndarray:
    drawn = np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32)
    return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)


def entries(count: int) -> tuple[Strings, Strings]:
    return Strings.of(f"facts/{at}.md" for at in range(count)), Strings.of(["m"] * count)


def made(vectors: np.ndarray, model: str = MODEL) -> Vectors:
    return vectors_of(model, entries(len(vectors)), *quantised(vectors))


def aligned(vectors: np.ndarray) -> Aligned:
    none = Late(np.zeros((0, vectors.shape[1]), np.int8), np.zeros(0, np.float32))
    return Aligned(made(vectors), none, np.arange(len(vectors)))


@pytest.mark.parametrize("dim", [1, 7, 64, 96, 384])
def test_a_cosine_by_small_numbers_is_the_cosine(dim: int) -> None:
    vectors, query = unit(50, dim), unit(1, dim, seed=2)[0]
    found = aligned(vectors).cosines(query, np.arange(50))
    assert np.abs(found - vectors @ query).max() < 0.02


def test_what_is_nearest_is_among_the_candidates_of_many() -> None:
    """Rows around a few subjects, as entries of a bank are."""
    subjects = unit(40, 256)
    noise = unit(4000, 256, seed=3)
    vectors = subjects[np.arange(4000) % 40] + 0.9 * noise
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    every = aligned(vectors.astype(np.float32))
    kept = 0
    for query in subjects[:20]:
        near = every.near(query)
        assert len(near.rows) < 3 * POOL < 4000
        kept += len(set(near.rows.tolist()) & set(np.argsort(-(vectors @ query))[:10].tolist()))
    assert kept >= 0.97 * 200


@pytest.mark.parametrize("count", [EXACT // 2, 3 * EXACT])
def test_what_may_not_be_seen_is_neither_found_nor_counted(count: int) -> None:
    vectors, query = unit(count), unit(1, seed=5)[0]
    mask = np.arange(count) % 3 != 0
    whole, own = aligned(vectors), aligned(vectors[mask])
    near = whole.near(query, mask)
    assert mask[near.rows].all()
    assert not whole.closeness(query, mask)[~mask].any()
    assert whole.usual(query, mask) == pytest.approx(own.usual(query), abs=1e-6)
    hidden = np.flatnonzero(~mask)
    assert not np.isin(whole.near(query, mask, also=hidden).rows, hidden).any()


def test_rows_that_words_found_are_measured_as_well() -> None:
    vectors, query = unit(3000), unit(1, seed=5)[0]
    every = aligned(vectors)
    far = int(np.argmin(vectors @ query))
    assert far not in every.near(query).rows
    near = every.near(query, also=np.array([far]))
    assert near.cosines[np.flatnonzero(near.rows == far)[0]] == pytest.approx(vectors[far] @ query, abs=0.02)


def test_a_row_without_a_vector_is_near_nothing() -> None:
    vectors = unit(3)
    every = Aligned(made(vectors), Late(np.zeros((0, 96), np.int8), np.zeros(0, np.float32)), np.array([2, -1, 0]))
    assert every.has.tolist() == [True, False, True]
    assert every.near(vectors[1]).rows.tolist() == [0, 2]
    assert every.cosines(vectors[0], np.array([0, 1, 2])).round(1).tolist()[1:] == [0.0, 1.0]
    assert every.closeness(vectors[0])[1] == 0


def test_a_query_of_another_dimension_is_refused_in_one_sentence() -> None:
    with pytest.raises(BadInput, match=r"gives 64 numbers a text where the kept vectors have 96: .*made anew\.$"):
        aligned(unit(4)).near(unit(1, 64)[0])


def test_a_file_gives_back_the_vectors_of_its_model_only(tmp_path: Path) -> None:
    index = tmp_path / "bank" / "search"
    vectors = made(unit(20))
    path = vectors_file(index, MODEL)
    assert save_vectors(vectors, path)
    found = load_vectors(path, MODEL)
    assert found is not None
    assert (list(found.keys), found.model) == (list(vectors.keys), vectors.model)
    assert all(np.array_equal(getattr(found, name), getattr(vectors, name)) for name in ("rows", "codes", "mean"))
    assert load_vectors(path, "another@1") is None
    assert vectors_file(index, "another@1") != path


def test_an_encoders_id_is_not_written_into_the_cache(tmp_path: Path) -> None:
    model = "litellm:openai/m at http://me:hunter2@host/v1"
    path = vectors_file(tmp_path / "search", model)
    save_vectors(made(unit(2), model), path)
    assert b"hunter2" not in path.read_bytes()
    assert load_vectors(path, model) is not None


@given(place=st.floats(0, 1, exclude_max=True), bit=st.integers(0, 7))
def test_property_damaged_vectors_are_none(place: float, bit: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = vectors_file(tmp_path_factory.getbasetemp() / "vectors" / "search", MODEL)
    save_vectors(made(unit(3)), path)
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= 1 << bit
    path.write_bytes(data)
    assert load_vectors(path, MODEL) is None


def test_files_of_models_long_out_of_use_go(tmp_path: Path) -> None:
    index = tmp_path / "search"
    for model in ("a", "b", "c", "d"):
        assert save_vectors(made(unit(2), model), vectors_file(index, model))
    left = [model for model in ("a", "b", "c", "d") if load_vectors(vectors_file(index, model), model)]
    assert left == ["c", "d"]
    assert len([path for path in tmp_path.iterdir() if path.suffix != ".lock"]) == 2


@given(data=st.data())
def test_property_vectors_brought_along_equal_those_made_afresh(data: st.DataObject) -> None:
    vectors = {(f"k{key}", mark): unit(1, 32, seed=key * 2 + (mark == "b"))[0] for key in range(6) for mark in "ab"}
    states = st.dictionaries(st.sampled_from([f"k{key}" for key in range(6)]), st.sampled_from("ab"))
    known: Vectors | None = None
    for state in data.draw(st.lists(states.map(lambda found: sorted(found.items())), min_size=1, max_size=4)):
        listed = Strings.of(key for key, _ in state), Strings.of(mark for _, mark in state)
        before = set() if known is None else set(zip(known.keys, known.marks, strict=True))
        gathering = Gathering(MODEL, listed, known)
        missing = gathering.missing.tolist()
        assert [state[at] for at in missing] == [entry for entry in state if entry not in before]
        if missing:
            gathering.take(missing, np.array([vectors[state[at]] for at in missing]))
        known = gathering.vectors()
        if state:
            fresh = vectors_of(MODEL, listed, *quantised(np.array([vectors[entry] for entry in state])))
            assert np.array_equal(known.rows, fresh.rows)
            assert np.array_equal(known.codes, fresh.codes)


def test_a_model_that_was_replaced_under_its_name_is_refused() -> None:
    gathering = Gathering(MODEL, entries(3), made(unit(2)))
    assert gathering.missing.tolist() == [2]
    with pytest.raises(BadInput, match="64 numbers a text where the kept vectors have 96"):
        gathering.take([2], unit(1, 64))


def test_half_of_the_vectors_can_be_kept_while_the_others_are_made() -> None:
    gathering = Gathering(MODEL, entries(4))
    gathering.take([0, 2], unit(2))
    half = gathering.vectors()
    assert list(half.keys) == ["facts/0.md", "facts/2.md"]
    assert places(half, entries(4)).tolist() == [0, -1, 1, -1]
    assert Gathering(MODEL, entries(4), half).missing.tolist() == [1, 3]


def test_without_entries_there_is_nothing_to_find() -> None:
    empty = Gathering(MODEL, entries(0), made(unit(2))).vectors()
    assert len(empty) == 0
    assert empty.dim == 96


TEXTS = {f"n{at}": f"harbour {at}" for at in range(5)}


def saved(index: Path, state: View, vectors: np.ndarray) -> None:
    """Vectors of a view in the file beside its index, in the order of the memories."""
    docs = docs_of(state.memories.values())
    listed = Strings.of(doc.key for doc in docs), Strings.of(doc.mark for doc in docs)
    assert save_vectors(vectors_of(MODEL, listed, *quantised(vectors)), vectors_file(index, MODEL))


def nearest(meant: Meant, followed: object, query: np.ndarray) -> str:
    found = meant.of(followed)  # type: ignore[arg-type]
    assert found is not None
    near = found.near(query)
    return followed.index.key(int(near.rows[np.argmax(near.cosines)]))  # type: ignore[attr-defined]


def test_vectors_follow_the_index_and_what_came_later_has_its_own(tmp_path: Path) -> None:
    state, vectors = view(TEXTS), unit(7)
    saved(tmp_path / "search", state, vectors[:5])
    followed = bound(build(docs_of(state.memories.values())), state.memories)
    meant = Meant(tmp_path / "search", MODEL)
    assert [nearest(meant, followed, vectors[at]) for at in range(5)] == list(state.memories)
    after = changed(state, {"n1": "a ferry", "new": "a boat"}, drop=("n0",))
    followed = follow(followed, after.memories)
    assert meant.lacking(followed) == 2
    missing = meant.missing(followed, 10)
    assert {key for key, _ in missing} == {"facts/n1.md", "facts/new.md"}
    meant.add(missing, vectors[5:])
    assert meant.lacking(followed) == 0
    assert [nearest(meant, followed, vector) for vector in vectors[5:]] == [key for key, _ in missing]
    assert nearest(meant, followed, vectors[4]) == "facts/n4.md"
    assert nearest(meant, followed, vectors[0]) != "facts/n0.md"


def test_an_index_in_memory_can_have_meaning_without_any_file() -> None:
    state, vectors = view(TEXTS), unit(5)
    followed = bound(build(docs_of(state.memories.values())), state.memories)
    meant = Meant(None, MODEL)
    assert meant.of(followed) is None
    missing = meant.missing(followed, 5)
    meant.add(missing, vectors)
    assert [nearest(meant, followed, vectors[at]) for at in range(5)] == [key for key, _ in missing]
    with pytest.raises(BadInput):
        meant.add(missing, unit(5, 64))


def test_new_vectors_in_the_file_are_used_and_damaged_ones_set_aside_with_a_sentence(tmp_path: Path) -> None:
    state, vectors = view(TEXTS), unit(5)
    followed = bound(build(docs_of(state.memories.values())), state.memories)
    index = tmp_path / "search"
    meant = Meant(index, MODEL)
    assert meant.of(followed) is None
    saved(index, state, vectors)
    assert nearest(meant, followed, vectors[3]) == "facts/n3.md"
    vectors_file(index, MODEL).unlink()
    vectors_file(index, MODEL).write_bytes(b"no vectors")
    assert nearest(meant, followed, vectors[3]) == "facts/n3.md"
    assert meant.notice.endswith("made anew.")
    assert not vectors_file(index, MODEL).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a mapped file cannot be cut there")
def test_vectors_that_are_cut_while_they_are_searched_end_no_program(tmp_path: Path) -> None:
    """In a child, as touching what is no longer there would be fatal."""
    state, vectors = view(TEXTS), unit(5)
    followed = bound(build(docs_of(state.memories.values())), state.memories)
    saved(tmp_path / "search", state, vectors)

    def ask() -> None:
        meant = Meant(tmp_path / "search", MODEL)
        assert nearest(meant, followed, vectors[3]) == "facts/n3.md"
        os.truncate(vectors_file(tmp_path / "search", MODEL), 100)
        assert meant.of(followed) is None
        assert (meant.lacking(followed), meant.notice.endswith("made anew.")) == (5, True)
        meant.add(meant.missing(followed, 5), vectors)
        assert meant.lacking(followed) == 0

    assert in_child(ask) == 0
