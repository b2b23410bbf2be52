"""The life of a search index: whatever happens to a bank and to the file, it answers as one that was made afresh."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from store.index.search import files, searching
from store.index.search.building import build
from store.index.search.container import write_arrays
from store.index.search.files import save
from store.index.search.following import Followed, docs_of
from store.index.search.index import SearchIndex
from store.index.search.quotes import quotes_of
from store.index.search.searching import SET_ASIDE, Searching
from store.index.search.segment import Segment
from store.layered import Layered
from store.memory import Memory
from store.view import View
from tests.store.index.worlds import WORDS, answers, changed, memory, view
from tests.store.world import in_child

AT_ONCE, MOST_CHANGES = 6, 3
STEPS = 16
READERS = 2
"""The workbench, which follows the bank, and another one that looks only now and then."""

NAMES = st.sampled_from([f"n{at:02}" for at in range(12)])
MEMORIES = st.builds(
    memory,
    NAMES,
    st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join),
    st.sampled_from(["", "2026-10-01", "2026-10-02", "2026-10-03"]),
    evidence=st.sampled_from(["", "dsh/a#1", "dsh/a#2", "dsh/a#event", "dsh/b#1"]),
    owner=st.sampled_from(["", "aria", "lan"]),
)
PLACES = st.floats(0, 1)
"""Somewhere in a file, or in the life of a bank so far."""


class Killed(BaseException):
    """The program that saves an index ends here."""


def killed_after(share: float) -> Callable[..., None]:
    """Writes a share of the file, then ends."""

    def write(file: BinaryIO, *arrays: Any) -> None:
        whole = io.BytesIO()
        write_arrays(whole, *arrays)
        file.write(whole.getvalue()[: int(share * len(whole.getvalue()))])
        raise Killed

    return write


def built(state: View) -> Segment:
    """The segment that a rebuild makes of a view."""
    return build(docs_of(state.memories.values(), quotes_of(state)))


class Reader:
    """A program with the bank open, what it saw last, and whether it was told of a damaged file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.open()

    def open(self) -> None:
        """Begin, or begin again as after the program ended."""
        self.searching, self.told = Searching(self.path), False
        self.seen: tuple[Followed, View] | None = None


class Life(RuleBasedStateMachine):
    """One bank, its index on disk, the programs that read it, and one that rebuilds it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.view = View.of([])
        self.past = [self.view]
        self.broken = False
        self.readers = [Reader(path) for _ in range(READERS)]
        self.held: tuple[Followed, View] | None = None
        self._fresh: list[tuple[Mapping[str, Memory], View, Mapping[str, Any]]] = []

    # --- the bank

    def follow(self, put: Mapping[str, Memory], drop: tuple[str, ...] = ()) -> None:
        self.become(self.view.memories.with_changes(put, drop), self.view.tables)

    def become(self, memories: Layered[str, Memory], tables: Any) -> None:
        self.view = View(memories, tables, revision=self.view.revision + 1)
        self.past.append(self.view)

    def earlier(self, place: float) -> View:
        return self.past[round(place * (len(self.past) - 1))]

    @initialize(small=st.booleans(), found=st.lists(MEMORIES, min_size=8, max_size=12, unique_by=lambda one: one.id))
    def a_bank_is_there(self, small: bool, found: list[Memory]) -> None:
        found = found[: AT_ONCE - 1] if small else found
        self.become(Layered({one.id: one for one in found}), {})

    @rule(found=MEMORIES)
    def one_is_added_or_changed(self, found: Memory) -> None:
        self.follow({found.id: found})

    @rule(names=st.lists(NAMES, min_size=1, max_size=MOST_CHANGES, unique=True))
    def some_are_deleted(self, names: list[str]) -> None:
        self.follow({}, tuple(f"facts/{name}.md" for name in names))

    @rule(kept=NAMES, other=NAMES)
    def two_are_merged(self, kept: str, other: str) -> None:
        """The kept one says what both said, and the other goes to the trash."""
        first, second = (self.view.memories.get(f"facts/{name}.md") for name in (kept, other))
        if first is not None and second is not None and first is not second:
            whole = memory(kept, f"{first.statement} {second.statement}", first.created, owner=first.owner)
            self.follow({first.id: whole, second.id: replace(second, state="trashed")})

    @rule(found=st.lists(MEMORIES, min_size=MOST_CHANGES + 1, max_size=12, unique_by=lambda one: one.id))
    def many_are_imported(self, found: list[Memory]) -> None:
        self.follow({one.id: one for one in found})

    @rule(place=PLACES)
    def much_is_undone(self, place: float) -> None:
        self.become(self.earlier(place).memories, self.view.tables)

    @rule(anew=st.booleans())
    def the_overlay_becomes_a_new_base(self, anew: bool) -> None:
        """As it does after many changes; `anew`: the bank was also read from its files again."""
        same = {key: replace(one) if anew else one for key, one in self.view.memories.items()}
        self.become(Layered(same), self.view.tables)

    @rule(row=st.sampled_from("gh"), name=NAMES, words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=2))
    def a_person_is_quoted(self, row: str, name: str, words: list[str]) -> None:
        told = {"memory": f"facts/{name}.md", "sightings": [{"quotes": [{"quote": " ".join(words)}]}]}
        self.become(self.view.memories, {"gaps": self.view.rows("gaps").with_changes({row: told})})

    @rule(row=st.sampled_from("gh"))
    def a_quote_goes(self, row: str) -> None:
        self.become(self.view.memories, {"gaps": self.view.rows("gaps").with_changes({}, (row,))})

    # --- the other process

    @rule(place=st.one_of(st.just(1.0), PLACES))
    def it_is_rebuilt(self, place: float) -> None:
        """Of the present state, or of one that was the present when the rebuild began."""
        assert save(built(self.earlier(place)), self.path)
        self.broken = False

    @rule(share=PLACES, place=PLACES)
    def a_rebuild_is_killed(self, share: float, place: float) -> None:
        before = self.path.read_bytes() if self.path.exists() else None
        with pytest.MonkeyPatch.context() as patch, pytest.raises(Killed):
            patch.setattr(files, "write_arrays", killed_after(share))
            save(built(self.earlier(place)), self.path)
        self.path.with_name("search.lock").touch()
        assert (self.path.read_bytes() if self.path.exists() else None) == before
        assert {one.name for one in self.path.parent.iterdir()} <= {"search", "search.new", "search.lock"}

    @precondition(lambda self: self.readers[0].searching.wants_rebuild)
    @rule()
    def it_is_rebuilt_as_asked(self) -> None:
        self.it_is_rebuilt(1.0)
        (first, *_) = self.readers
        followed = self.look(first, self.view)
        assert (first.searching.partial, first.searching.wants_rebuild, followed.index.changes) == (0, False, 0)

    # --- the file

    @precondition(lambda self: self.path.exists() and not self.broken)
    @rule(how=st.sampled_from(["cut", "longer", "empty", "flipped", "in place"]), place=PLACES)
    def it_is_damaged(self, how: str, place: float) -> None:
        data = self.path.read_bytes()
        at = int(place * (len(data) - 1))
        flipped = data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :]
        other = data[:at] + bytes(one ^ 0x10 for one in data[at:])
        found = {"cut": data[:at], "longer": data + b"\0", "empty": b"", "flipped": flipped, "in place": other}[how]
        self.lay(found, in_place=how == "in place")

    @rule(what=st.sampled_from(["SQLite format 3", "other version", "vectors"]))
    def a_foreign_file_lies_there(self, what: str) -> None:
        file = io.BytesIO()
        if what == "SQLite format 3":
            file.write(b"SQLite format 3\0" * 90)
        else:
            write_arrays(file, files.KIND if what == "vectors" else "search 1", {"starts": built(self.view).starts}, {})
        self.lay(file.getvalue())

    @rule()
    def it_is_deleted(self) -> None:
        self.path.unlink(missing_ok=True)
        self.broken = False

    def lay(self, data: bytes, *, in_place: bool = False) -> None:
        """Another program puts this in the file's place, or writes over the file that others have mapped."""
        other = self.path if in_place else self.path.with_name("other")
        other.write_bytes(data)
        if in_place:
            self.held = None
            self.readers[1].open()  # what the first to look deletes, a second one cannot tell from a whole one
            os.utime(self.path, ns=(0, self.path.stat().st_mtime_ns + 1))  # that is, later than it was written
        other.replace(self.path)
        self.broken = True

    # --- who reads

    @rule(at=st.integers(0, READERS - 1))
    def a_reader_opens_the_bank_again(self, at: int) -> None:
        self.readers[at].open()

    @rule(place=st.one_of(st.just(1.0), PLACES))
    def the_other_reader_looks(self, place: float) -> None:
        self.look(self.readers[1], self.earlier(place))

    @rule(place=PLACES)
    def an_earlier_state_is_asked_for(self, place: float) -> None:
        """A search that began before the last changes, on a thread of its own."""
        self.look(self.readers[0], self.earlier(place))

    @rule()
    def a_long_search_begins(self) -> None:
        """It keeps what the workbench searches now, while the bank and the file go on."""
        self.held = self.look(self.readers[0], self.view), self.view

    def look(self, reader: Reader, view: View) -> Followed:
        """A reader asks for the index of a view: whether it gets the one it should, and is told what it should be."""
        reader.told, self.broken = reader.told or self.broken, False
        followed = reader.searching.of(view)
        reader.seen = followed, view
        self.sees(followed, view)
        assert reader.searching.notice == (SET_ASIDE if reader.told else "")
        shown, partial, wanted = followed.memories, reader.searching.partial, reader.searching.wants_rebuild
        assert all(view.memories[key] is found for key, found in shown.items())
        assert len(shown) == (partial or len(view.memories))
        assert wanted or (not partial and followed.index.changes <= MOST_CHANGES)
        assert not wanted or len(view.memories) > AT_ONCE
        return followed

    def sees(self, followed: Followed, view: View) -> None:
        """Who has this in hand is answered as by an index that is made of the same memories now."""
        assert answers(followed.index) == self.fresh(followed.memories, view)

    def fresh(self, shown: Mapping[str, Memory], view: View) -> Mapping[str, Any]:
        for memories, of, found in self._fresh:
            if memories is shown and of is view:
                return found
        found = answers(SearchIndex(build(docs_of(shown.values(), quotes_of(view)))))
        self._fresh = [(shown, view, found), *self._fresh[:3]]
        return found

    @invariant()
    def the_workbench_answers_for_the_present(self) -> None:
        self.look(self.readers[0], self.view)

    @invariant()
    def who_does_not_look_still_sees_what_it_saw(self) -> None:
        for seen in (self.readers[1].seen, self.held):
            if seen is not None:
                self.sees(*seen)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bank of more than a few memories counts as large, and a few changes as many."""
    monkeypatch.setattr(searching, "AT_ONCE", AT_ONCE)
    monkeypatch.setattr(searching, "MOST_CHANGES", MOST_CHANGES)


@pytest.mark.usefixtures("small")
def test_property_whatever_happens_an_index_answers_as_one_made_afresh(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    lives = max(1, settings.default.max_examples // 4)  # each is many steps, and each step asks everything
    run_state_machine_as_test(
        lambda: Life(tmp_path_factory.mktemp("index") / "search"),
        settings=settings(max_examples=lives, stateful_step_count=STEPS),
    )


@pytest.mark.usefixtures("small")
def test_a_bank_that_becomes_small_before_its_index_was_made_is_searched_whole(tmp_path: Path) -> None:
    state = view({f"n{at}": "harbour" for at in range(AT_ONCE + 2)})
    found = Searching(tmp_path / "search")
    found.of(state)
    assert (found.partial, found.wants_rebuild) == (AT_ONCE, True)
    state = changed(state, {}, ("n0", "n1", "n2"))
    assert answers(found.of(state).index) == answers(SearchIndex(built(state)))
    assert (found.partial, found.wants_rebuild) == (0, False)


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def overwritten(path: Path) -> None:
    path.write_bytes(b"\xff" * path.stat().st_size)


@pytest.mark.skipif(sys.platform == "win32", reason="a mapped file cannot be written over there")
@pytest.mark.parametrize("damage", [cut, overwritten])
def test_a_file_damaged_while_it_is_searched_ends_no_program_and_spoils_no_answer(
    damage: Callable[[Path], None], tmp_path: Path
) -> None:
    """A copy put back over it, say; what is mapped changes with the file. In a child, as touching it would be fatal."""
    path, state = tmp_path / "search", view({f"n{at}": "harbour ferry" for at in range(9)})
    assert save(built(state), path)

    def read() -> None:
        found = Searching(path)
        assert found.of(state).index.changes == 0
        damage(path)
        assert answers(found.of(state).index) == answers(SearchIndex(built(state)))
        assert (found.notice, path.exists()) == (SET_ASIDE, False)

    assert in_child(read) == 0
