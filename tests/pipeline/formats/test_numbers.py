"""Ids become numbers, and a tree of records keeps five bytes for each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.formats.branches import ABANDONED, BESIDE, LIVE, LOOSE, Tree
from pipeline.formats.numbers import Numbers
from store.errors import Cancelled


@given(st.lists(st.text(max_size=3) | st.integers(-3, 3), max_size=200))
def test_property_each_key_has_one_number_in_the_order_of_its_first_sight(keys: list[str | int]) -> None:
    numbers, known = Numbers(), dict.fromkeys(keys)
    order = {key: place for place, key in enumerate(known) if hash(key) not in {hash(k) for k in list(known)[:place]}}
    assert len({hash(key) for key in known}) == len(order)
    given_to = [numbers.of(key) for key in keys]
    again = [numbers.of(key) for key in keys]
    assert given_to == again == [numbers.find(key) for key in keys]
    assert len(numbers) == len(order)
    assert numbers.find(("never", "met")) == -1


def test_a_hundred_thousand_ids_keep_their_numbers_while_the_table_grows() -> None:
    numbers = Numbers()
    assert [numbers.of(f"id-{place}") for place in range(100_000)] == list(range(100_000))
    assert [numbers.find(f"id-{place}") for place in (0, 63, 64, 99_999)] == [0, 63, 64, 99_999]
    assert numbers.find("id-100000") == -1


def tree(*records: tuple[str, str, bool], last: str) -> dict[str, int]:
    ids = Numbers()
    grown = Tree(ids)
    for name, parent, prompt in records:
        grown.add(name, parent, prompt=prompt)
    grown.last = ids.find(last)
    places = grown.places()
    return {name: places[ids.find(name)] for name, _, _ in records}


def test_what_hangs_beside_the_live_branch_is_abandoned_from_its_first_prompt_on() -> None:
    found = tree(
        *(("a", "", True), ("b", "a", False), ("c", "b", True), ("d", "c", False)),
        *(("c2", "b", True), ("d2", "c2", False), ("side", "b", False), ("below", "side", False)),
        last="d2",
    )
    assert {name for name, place in found.items() if place == LIVE} == {"a", "b", "c2", "d2"}
    assert {name for name, place in found.items() if place == ABANDONED} == {"c", "d"}
    assert {name for name, place in found.items() if place == BESIDE} == {"side", "below"}


def test_rings_and_records_of_other_files_are_loose() -> None:
    found = tree(("a", "", True), ("x", "y", True), ("y", "x", False), ("far", "elsewhere", True), last="a")
    assert found == {"a": LIVE, "x": LOOSE, "y": LOOSE, "far": LOOSE}


def test_a_record_told_twice_keeps_its_first_parent() -> None:
    ids = Numbers()
    grown = Tree(ids)
    assert grown.add("a", "", prompt=True) == ids.find("a")
    assert grown.add("a", "b", prompt=False) is None
    assert (grown.number("a"), grown.number("b"), grown.number("never")) == (0, 1, -1)


def test_a_long_tree_can_be_cancelled() -> None:
    grown = Tree(Numbers())
    for place in range(20_000):
        grown.add(f"r{place}", f"r{place - 1}", prompt=False)

    def stop() -> None:
        raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        grown.places(stop)
