"""A memory is found by the words of the person that it came from."""

from __future__ import annotations

from store.index.search.building import build
from store.index.search.following import bound
from store.index.search.quotes import quotes_of
from store.layered import Layered
from store.memory import Memory
from store.view import View

QUOTE = {"session": "s1", "format": "dsh", "ref": "event:4", "quote": "the vet is called Marlow"}
WALK = Memory("facts/1.md", "facts/1.md", "a" * 64, statement="The dog goes to a doctor.")


def rows_with(view: View, word: str) -> list[str]:
    followed = bound(build([]), view.memories, quotes_of(view))
    return [followed.index.key(int(row)) for row in followed.index.held(word)[0]]


def test_the_quotes_of_a_gap_of_a_fact_and_of_a_proposal_find_the_memory() -> None:
    for table, row in (
        ("gaps", {"sightings": [{"quotes": [QUOTE]}]}),
        ("profile", {"quotes": [QUOTE]}),
        ("proposals", {"quotes": [QUOTE]}),
    ):
        view = View.of([WALK], {table: {"k": {**row, "memory": "facts/1.md"}, "damaged": {"memory": 3, "quotes": [1]}}})
        assert rows_with(view, "marlow") == ["facts/1.md"]


def test_a_row_that_only_waits_finds_nothing() -> None:
    assert rows_with(View.of([WALK], {"gaps": {"k": {"sightings": [{"quotes": [QUOTE]}]}}}), "marlow") == []


def test_a_row_written_after_the_others_counts_too() -> None:
    rows = Layered({}).with_changes({"k": {"quotes": [QUOTE], "memory": "facts/1.md"}})
    assert rows_with(View(Layered({WALK.id: WALK}), {"profile": rows}), "marlow") == ["facts/1.md"]


def test_in_joined_banks_a_row_names_the_memory_of_its_own_bank() -> None:
    mine, theirs = (
        Memory("user:facts/1.md", "facts/1.md", "b" * 64),
        Memory("project:facts/1.md", "facts/1.md", "c" * 64),
    )
    view = View.of([mine, theirs], {"gaps": {"user:k": {"quotes": [QUOTE], "memory": "facts/1.md"}}})
    assert rows_with(view, "marlow") == ["user:facts/1.md"]
