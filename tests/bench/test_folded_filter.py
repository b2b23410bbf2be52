"""The plain filter that recall is measured against does its work: what is measured is no straw man."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.view import View
from tests.bench.folded_filter import Selection, Texts, select
from tests.conformance.memories import make

TEXTS = Texts.of(
    View.of(
        [
            make("tea", "Green tea before noon", owner="ana", tags=("drinks",)),
            make("Port", "Staging listens on 8081"),
            make("Straße", "Die STRASSE ist 8081 m lang"),
        ]
    )
)


@pytest.mark.parametrize(
    ("typed", "places"),
    [("", [0, 1, 2]), ("EEN", [0]), ("8081", [1, 2]), ("8081 strasse", [2]), ("drinks ana", [0]), ("nothing", [])],
)
def test_words_are_found_anywhere(typed: str, places: list[int]) -> None:
    assert list(select(TEXTS, typed).indices) == places


def test_typing_on_looks_only_at_what_is_left() -> None:
    assert list(select(TEXTS, "8081", Selection(("80",), [1])).indices) == [1]


@given(st.text("te80 s", max_size=8), st.integers(0, 8))
def test_property_looking_at_what_is_left_gives_the_same(typed: str, cut: int) -> None:
    before = select(TEXTS, typed[:cut])
    assert list(select(TEXTS, typed, before).indices) == list(select(TEXTS, typed).indices)
