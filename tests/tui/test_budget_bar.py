"""The mark in the budget bar: where the budget refused the first memory."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Size

from tui.widgets.budget import BudgetBar, Part


class Sized(BudgetBar):
    """A bar of 80 cells that is drawn without a screen."""

    @property
    def size(self) -> Size:
        """Two lines."""
        return Size(80, 2)


def drawn(bar: BudgetBar) -> str:
    """What stands between the brackets."""
    found = re.search(r"\[(.*)\]", bar.render().plain.split("\n")[0])
    assert found is not None
    return found[1]


def test_the_bar_shows_where_the_budget_ended() -> None:
    bar = Sized()
    bar.show([Part("f", "fixed", 500), Part("c", "corridor", 400)], 1000)
    plain = drawn(bar)
    bar.mark(700)
    marked = drawn(bar)
    assert marked.count("!") == 1 and marked.index("!") == round(len(plain) * 0.7)
    assert marked.replace("!", "c") == plain
    bar.mark(None)
    assert drawn(bar) == plain


@given(
    st.lists(st.integers(0, 3_000), min_size=1, max_size=6).filter(any), st.integers(0, 12_000), st.integers(0, 15_000)
)
def test_property_the_mark_takes_one_cell_and_no_part_loses_its_last_letter(
    sizes: list[int], budget: int, at: int
) -> None:
    bar = Sized()
    bar.show([Part(letter, "part", size) for letter, size in zip("fpstcb", sizes, strict=False)], budget)
    plain = drawn(bar)
    bar.mark(at)
    marked = drawn(bar)
    assert len(marked) == len(plain) and marked.count("!") <= 1
    assert all(mine in {its, "!"} for mine, its in zip(marked, plain, strict=True))
    assert set(plain) - {"."} <= set(marked)
