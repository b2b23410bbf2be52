"""What is marked in what was found: what of the query counted, as the memories write it."""

from __future__ import annotations

import pytest

from pipeline.recall.filtering.query import parse
from pipeline.recall.filtering.spans import spans
from pipeline.recall.found import find
from pipeline.recall.marked import marked
from pipeline.recall.searchable import Searchable
from store.view import View
from tests.conformance.memories import make

TEXTS = (
    "She goes to the park; they were walking and walked on.",
    "A film about the sea, and its filmmaker.",
    "Kenji books the ferry; then the theatre.",
    "部署窗口在周五。",
)
BANK = Searchable.of(View.of([make(str(at), text) for at, text in enumerate(TEXTS)]))


@pytest.mark.parametrize(
    ("query", "place", "parts"),
    [
        ("walks ", 0, ["walking", "walked"]),
        ("went ", 0, ["goes"]),
        ("the movie ", 1, ["film"]),
        ("film", 1, ["film", "film"]),
        ("kenjo ", 2, ["Kenji"]),
        ("the ferr", 2, ["ferr"]),
        ("the", 2, ["the", "the", "the", "the"]),
        ('"books the" sort:time', 2, ["books the"]),
        ("部署窗", 3, ["部署窗"]),
        ("type:fact", 2, []),
    ],
)
def test_other_forms_corrected_words_and_no_word_that_was_left_out(query: str, place: int, parts: list[str]) -> None:
    asked = parse(query)
    found = find(BANK, asked, "relevance", 10)
    wanted = marked(asked, found.ranked, BANK.followed.index)
    assert [TEXTS[place][start:end] for start, end in spans(TEXTS[place], wanted)] == parts
