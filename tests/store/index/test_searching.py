"""The index of an open bank: every memory is found at once, whatever happens to the file behind it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from store.index.search import searching
from store.index.search.building import build
from store.index.search.files import save
from store.index.search.following import Followed, docs_of
from store.index.search.searching import Searching, file_of
from store.joined import joined
from store.layered import Layered
from store.view import View
from tests.store.index.worlds import changed, memory, view

TEXTS = {f"n{at:02}": f"harbour word{at}" for at in range(30)}


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bank of more than twenty memories counts as large, more than five changes as many."""
    monkeypatch.setattr(searching, "AT_ONCE", 20)
    monkeypatch.setattr(searching, "MOST_CHANGES", 5)


def found(followed: Followed, word: str) -> set[str]:
    """The names of the memories that stand in the index and hold a word."""
    scores = followed.index.word(word)
    if scores is None:
        return set()
    rows = np.flatnonzero((scores > 0) & followed.index.alive).tolist()
    assert all(followed.memory(row).id == followed.index.key(row) for row in rows)
    return {followed.index.key(row).removeprefix("facts/").removesuffix(".md") for row in rows}


def everything(followed: Followed, state: View) -> None:
    """The index finds each memory of a view by its words, and nothing else."""
    assert found(followed, "harbour") == {name.removeprefix("facts/").removesuffix(".md") for name in state.memories}


def rebuilt(path: Path, state: View) -> None:
    assert save(build(docs_of(state.memories.values())), path)


def test_a_small_bank_needs_no_file(tmp_path: Path) -> None:
    state = view(TEXTS)
    searching = Searching(tmp_path / "search")
    everything(searching.of(state), state)
    assert (searching.partial, searching.wants_rebuild, searching.notice) == (0, False, "")
    assert not (tmp_path / "search").exists()


def test_the_same_view_costs_nothing_and_a_change_is_found_at_once(tmp_path: Path) -> None:
    state = view(TEXTS)
    searching = Searching(tmp_path / "search")
    first = searching.of(state)
    assert searching.of(state) is first
    after = changed(state, {"n01": "ferry", "new": "harbour boat"}, drop=("n02",))
    second = searching.of(after)
    assert (found(second, "ferry"), found(second, "boat"), found(second, "word2")) == ({"n01"}, {"new"}, set())
    assert found(first, "word2") == {"n02"}, "who still looks at the earlier state sees it"


@pytest.mark.usefixtures("small")
def test_a_large_bank_is_searched_by_its_newest_until_the_file_is_there(tmp_path: Path) -> None:
    state = View.of(memory(name, text, f"2026-10-{at + 1:02}") for at, (name, text) in enumerate(TEXTS.items()))
    searching = Searching(tmp_path / "search")
    assert found(searching.of(state), "harbour") == set(sorted(TEXTS)[10:])
    assert (searching.partial, searching.wants_rebuild) == (20, True)
    after = changed(state, {"n00": "harbour again"}, drop=("n29",))
    followed = searching.of(after)
    assert found(followed, "again") == {"n00"}
    assert "n29" not in found(followed, "harbour")
    rebuilt(tmp_path / "search", state)
    everything(searching.of(after), after)
    assert found(searching.of(after), "again") == {"n00"}
    assert (searching.partial, searching.wants_rebuild, searching.notice) == (0, False, "")


@pytest.mark.usefixtures("small")
def test_many_changes_ask_for_a_rebuild(tmp_path: Path) -> None:
    state = view(TEXTS)
    rebuilt(tmp_path / "search", state)
    searching = Searching(tmp_path / "search")
    searching.of(state)
    for at in range(6):
        assert not searching.wants_rebuild
        state = changed(state, {f"m{at}": "harbour more"})
        everything(searching.of(state), state)
    assert searching.wants_rebuild
    rebuilt(tmp_path / "search", state)
    everything(searching.of(state), state)
    assert not searching.wants_rebuild


@pytest.mark.usefixtures("small")
def test_a_file_of_long_ago_is_used_with_the_newest_of_what_came_since(tmp_path: Path) -> None:
    state = View.of(memory(name, text, f"2026-10-{at + 1:02}") for at, (name, text) in enumerate(TEXTS.items()))
    rebuilt(tmp_path / "search", View.of(list(state.memories.values())[:5]))
    searching = Searching(tmp_path / "search")
    assert found(searching.of(state), "harbour") == set(sorted(TEXTS)[:5]) | set(sorted(TEXTS)[10:])
    assert (searching.partial, searching.wants_rebuild) == (25, True)


@pytest.mark.usefixtures("small")
def test_of_a_bank_that_nothing_is_kept_of_all_is_searched_from_the_first_question_on() -> None:
    state = view(TEXTS)
    searching = Searching(None)
    everything(searching.of(state), state)
    for at in range(12):
        state = changed(state, {f"m{at}": "harbour more"})
        everything(searching.of(state), state)
    assert (searching.partial, searching.wants_rebuild) == (0, False)


@pytest.mark.usefixtures("small")
def test_a_small_bank_that_changes_a_lot_is_indexed_anew_in_memory(tmp_path: Path) -> None:
    state = view({"n00": "harbour"})
    searching = Searching(tmp_path / "search")
    for at in range(12):
        state = changed(state, {f"m{at}": f"harbour {at}"})
        followed = searching.of(state)
        everything(followed, state)
        assert followed.index.changes <= 6
    assert not searching.wants_rebuild


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("bytes_", [b"", b"SQLite format 3" * 90, None], ids=["empty", "foreign", "cut"])
def test_a_damaged_file_is_set_aside_with_one_sentence(bytes_: bytes | None, tmp_path: Path) -> None:
    state, path = view(TEXTS), tmp_path / "search"
    rebuilt(path, state)
    path.write_bytes(path.read_bytes()[:-100] if bytes_ is None else bytes_)
    searching = Searching(path)
    assert len(found(searching.of(state), "harbour")) == 20
    assert searching.notice == (
        "The search index was damaged or made by another version; it was set aside and is made anew."
    )
    assert searching.wants_rebuild
    rebuilt(path, state)
    everything(searching.of(state), state)
    assert not searching.wants_rebuild
    assert Searching(path).of(state) is not None


@pytest.mark.usefixtures("small")
def test_an_index_that_is_deleted_while_open_goes_on_answering_and_is_made_again(tmp_path: Path) -> None:
    state, path = view(TEXTS), tmp_path / "search"
    rebuilt(path, state)
    searching = Searching(path)
    everything(searching.of(state), state)
    path.unlink()
    state = changed(state, {"new": "harbour boat"})
    everything(searching.of(state), state)
    assert (searching.wants_rebuild, searching.notice) == (True, "")
    rebuilt(path, state)
    everything(searching.of(state), state)
    assert not searching.wants_rebuild


@pytest.mark.usefixtures("small")
def test_a_first_glance_at_a_few_memories_does_not_lose_the_file(tmp_path: Path) -> None:
    """What an earlier session left is shown before the bank is read (`store/head.py`)."""
    state, glance = view(TEXTS), view({name: TEXTS[name] for name in sorted(TEXTS)[:3]})
    rebuilt(tmp_path / "search", state)
    searching = Searching(tmp_path / "search")
    everything(searching.of(glance), glance)
    everything(searching.of(state), state)
    assert (searching.partial, searching.wants_rebuild, searching.of(state).index.changes) == (0, False, 0)


def test_two_banks_read_together_have_an_index_of_their_own(tmp_path: Path) -> None:
    roots = [tmp_path / "project", tmp_path / "user"]
    files = {file_of(roots, tmp_path), file_of(roots[:1], tmp_path), file_of(roots[1:], tmp_path)}
    assert len(files) == 3
    assert file_of(list(reversed(roots)), tmp_path) not in files
    both = joined(view({"a": "harbour"}), view({"a": "harbour", "b": "harbour"}))
    searching = Searching(file_of(roots, tmp_path))
    everything(searching.of(both), both)
    again = joined(view({"a": "harbour"}), view({"a": "harbour", "b": "harbour", "c": "harbour"}))
    everything(searching.of(again), again)


def test_quotes_under_a_memory_find_it_and_those_that_come_later_too() -> None:
    row = {"memory": "facts/n00.md", "sightings": [{"quotes": [{"quote": "spoken words"}]}]}
    state = view({"n00": "harbour", "n01": "harbour"})
    state = View(state.memories, {"gaps": Layered({"g": row})})
    searching = Searching(None)
    assert found(searching.of(state), "spoken") == {"n00"}
    later = {**row, "sightings": [*row["sightings"], {"quotes": [{"quote": "said again"}]}]}
    after = View(state.memories, {"gaps": state.rows("gaps").with_changes({"g": later}), "profile": Layered()})
    followed = searching.of(after)
    assert found(followed, "again") == found(followed, "spoken") == {"n00"}
    assert followed.index.changes == 2
    everything(followed, after)
    other = after.rows("gaps").with_changes({"h": {"state": "open"}})
    unrelated = View(after.memories, {**after.tables, "gaps": other})
    assert searching.of(unrelated).index.changes == 2
    gone = View(after.memories, {"gaps": after.rows("gaps").with_changes({}, ("g",))})
    assert found(searching.of(gone), "spoken") == set()


@pytest.mark.usefixtures("small")
def test_two_readers_and_rebuilds_at_once_see_whole_states_only(tmp_path: Path) -> None:
    path = tmp_path / "search"
    states = [view({f"n{at:02}": f"harbour round{turn}" for at in range(25)}) for turn in range(4)]
    rebuilt(path, states[0])
    wrong: list[str] = []
    done = threading.Event()

    def read(searching: Searching, mine: list[View]) -> None:
        turn = 0
        while not done.is_set() or turn < len(mine):
            state = mine[turn % len(mine)]
            followed = searching.of(state)
            turn += 1
            for at, other in enumerate(states):
                expected = set(map(_name, followed.memories)) if other is state else set()
                if found(followed, f"round{at}") != expected:
                    wrong.append(f"round{at} in turn {turn}")

    readers = [
        threading.Thread(target=read, args=(Searching(path), order)) for order in (states, list(reversed(states)))
    ]
    for reader in readers:
        reader.start()
    for turn in range(12):
        rebuilt(path, states[turn % 4])
    done.set()
    for reader in readers:
        reader.join()
    assert wrong == []


def _name(key: str) -> str:
    return key.removeprefix("facts/").removesuffix(".md")


def test_threads_may_share_one_index(tmp_path: Path) -> None:
    states = [view(TEXTS)]
    for at in range(20):
        states.append(changed(states[-1], {f"m{at}": "harbour more"}))
    searching = Searching(None)
    counts: Mapping[int, set[int]] = {at: set() for at in range(len(states))}

    def read(order: list[int]) -> None:
        for at in order:
            counts[at].add(len(found(searching.of(states[at]), "harbour")))

    orders = [list(range(21)), list(range(20, -1, -1)), [*range(0, 21, 2), *range(1, 21, 2)]]
    threads = [threading.Thread(target=read, args=(order,)) for order in orders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts == {at: {30 + at} for at in range(21)}


def test_a_memory_in_the_trash_is_in_the_index_as_well() -> None:
    trashed = replace(memory("gone", "harbour gone"), state="trashed")
    state = View.of([memory("here", "harbour here"), trashed])
    everything(Searching(None).of(state), state)
