"""What the list shows depends on the words in the box, never on how a person came to type them."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from store.memory import Memory
from store.view import View
from tui.screens.bank_find import Arranged, Asked, arrange
from tui.screens.bank_pool import CARRIED

TODAY = date(2026, 11, 30)
WORDS = ("tea", "black tea", "東京", "type:fact", "-coffee")


def memory(number: int, subject: str, state: str = "live") -> Memory:
    path = f"facts/2026/11/2026-11-30-{number:04d}.md"
    day = f"2026-11-{number % 28 + 1:02d}"
    return Memory(path, path, "0", subject=subject, created=day, state=state, ordinal=number)  # type: ignore[arg-type]


VIEW = View.of(
    [memory(n, ("tea", "black tea", "coffee", "東京 tea", "東京")[n % 5]) for n in range(20)]
    + [memory(n, "old tea", "trashed") for n in range(20, 24)]
)


def shown(arranged: Arranged) -> list[str]:
    return [arranged.rows.id(at) for at in range(len(arranged.rows))]


@given(
    st.lists(
        st.tuples(st.text("tea b京東-", max_size=5) | st.sampled_from(WORDS), st.booleans()), min_size=1, max_size=8
    )
)
def test_property_what_is_found_does_not_depend_on_what_was_typed_before(typed: list[tuple[str, bool]]) -> None:
    before = None
    for text, trash in typed:
        asked = Asked(text, trash=trash)
        before = arrange(VIEW, asked, TODAY, before)
        alone = arrange(VIEW, asked, TODAY)
        assert shown(before) == shown(alone)
        assert (before.total, before.found, before.order_words) == (alone.total, alone.found, alone.order_words)


def test_a_bank_that_changed_is_looked_through_again() -> None:
    one = arrange(VIEW, Asked("te"), TODAY)
    more = View.of([*VIEW.live, memory(30, "tea again")])
    assert len(arrange(more, Asked("te"), TODAY, one).rows) == len(one.rows) + 1


CHANGES = st.lists(
    st.tuples(st.sampled_from(("edit", "date", "add", "trash", "restore")), st.integers(0, 40), st.integers(1, 28)),
    min_size=1,
    max_size=6,
)


def changed(view: View, changes: list[tuple[str, int, int]]) -> View:
    """The view after some changes of one commit."""
    put: dict[str, Memory] = {}
    for what, number, day in changes:
        known = list({**view.memories, **put}.values())
        one = known[number % len(known)]
        if what == "edit":
            one = replace(one, statement=f"said {day}")
        elif what == "date":
            one = replace(one, updated=f"2026-11-{day:02d}")
        elif what == "add":
            one = memory(max(m.ordinal for m in known) + 1, f"new {day}")
        else:
            one = replace(one, state="trashed" if what == "trash" else "live")
        put[one.id] = one
    return View(view.memories.with_changes(put), before=view)


@given(st.lists(CHANGES, min_size=1, max_size=5))
def test_property_the_order_after_changes_is_the_one_of_a_bank_read_anew(
    commits: list[list[tuple[str, int, int]]],
) -> None:
    """Whatever was carried on from the order before; every memory is found at its row."""
    view = VIEW
    before = arrange(view, Asked(), TODAY)
    for changes in commits:
        view = changed(view, changes)
        before = arrange(view, Asked(), TODAY, before)
        assert shown(before) == shown(arrange(View.of(view.memories.values()), Asked(), TODAY))
        for at in range(len(before.rows)):
            assert before.rows.find(before.rows.id(at)) == at
        assert all(before.rows.find(one.id) is None for one in view.trashed)


def test_changes_far_apart_order_the_bank_anew() -> None:
    many = View.of([memory(n, "tea") for n in range(2 * CARRIED)])
    one = arrange(many, Asked(), TODAY)
    first, last = many.live[0], many.live[-1]
    apart = View(
        many.memories.with_changes({m.id: replace(m, updated="2026-12-01") for m in (first, last)}), before=many
    )
    assert shown(arrange(apart, Asked(), TODAY, one))[:2] == [first.id, last.id]
