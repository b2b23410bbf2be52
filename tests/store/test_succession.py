"""What a view lists is the same whether it follows another view or stands alone."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from store.layered import MERGE_AT, Layered
from store.memory import Memory, State
from store.succession import after
from store.view import View

STATES: tuple[State, ...] = ("live", "archived", "trashed")


def memory(number: int, text: str = "tea", state: State = "live", ordinal: int | None = None) -> Memory:
    place = number if ordinal is None else ordinal
    return Memory(f"facts/{number}.md", f"facts/{number}.md", text, subject=text, state=state, ordinal=place)


START = Layered({f"facts/{n}.md": memory(n, state=STATES[n % 3 if n > 9 else 0]) for n in range(20)})

PUT = st.builds(
    memory,
    st.integers(0, 25),
    st.sampled_from(("tea", "Coffee", "東京")),
    st.sampled_from(STATES),
    st.none() | st.integers(0, 25),
)
STEP = st.tuples(st.lists(PUT, max_size=4), st.lists(st.integers(0, 25), max_size=2), st.booleans())


@given(st.lists(STEP, max_size=8))
def test_property_lists_that_follow_are_the_lists_made_anew(
    steps: list[tuple[list[Memory], list[int], bool]],
) -> None:
    view = View(START)
    assert view.live
    for puts, drops, looks in steps:
        gone = tuple(f"facts/{number}.md" for number in drops)
        view = View(view.memories.with_changes({one.id: one for one in puts}, gone), before=view)
        alone = View(view.memories)
        if looks:
            assert sorted(view.live, key=lambda one: one.ordinal) == list(view.live)
            assert set(view.live) == set(alone.live)


def test_an_edit_costs_no_look_at_the_rest() -> None:
    """The same objects stand in the list."""
    first = View(START)
    known = first.live
    second = View(START.with_changes({"facts/3.md": memory(3, "Coffee")}), before=first)
    assert second.live[3].subject == "Coffee"
    assert all(one is other for at, (one, other) in enumerate(zip(second.live, known, strict=True)) if at != 3)


def test_views_that_nobody_looked_at_are_stepped_over() -> None:
    """Ten commits, one look: the lists come from the last view that was looked at."""
    view = View(START)
    assert view.live
    for number in range(10):
        view = View(view.memories.with_changes({f"facts/{number}.md": memory(number, "Coffee")}), before=view)
    assert [one.subject for one in view.live[:10]] == ["Coffee"] * 10


def test_a_new_base_and_a_place_that_two_claim_are_listed_anew() -> None:
    known = View(START)
    assert known.live
    lists = known._known_lists
    assert lists is not None
    many = {f"facts/{n}.md": memory(n) for n in range(30, 30 + MERGE_AT)}
    assert after(lists, START.with_changes(many)) is None
    assert after(lists, START.with_changes({"facts/99.md": memory(99, ordinal=3)})) is None
    twice = View(START.with_changes({"facts/99.md": memory(99, ordinal=3)}), before=known)
    assert [one.id for one in twice.live[3:5]] == ["facts/3.md", "facts/99.md"]


@given(
    st.lists(
        st.tuples(st.dictionaries(st.integers(0, 9), st.integers(), max_size=3), st.sets(st.integers(0, 9))), max_size=4
    ),
    st.booleans(),
)
def test_property_what_changed_between_two_maps_is_what_differs(
    steps: list[tuple[dict[int, int], set[int]]], merged: bool
) -> None:
    first: Layered[int, object] = Layered({n: object() for n in range(6)})
    last = first
    for put, drop in steps:
        last = last.with_changes({key: object() for key in put}, tuple(drop))
    last = Layered(dict(last.items())) if merged else last
    every = {*first, *last}
    assert set(last.changed(first)) == {key for key in every if first.get(key) is not last.get(key)}
