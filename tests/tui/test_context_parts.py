"""What the Context screen is made of: rows, lines, counts, the bar, and the words of its form."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.context.difference import difference
from pipeline.context.fates import Fates
from pipeline.context.pack import Pack, assemble, without_hook
from store.view import View
from tests.pipeline.context.worlds import hooks, requests, views
from tui.screens.context_counts import CountsLine, parts
from tui.screens.context_inputs import (
    MAKE,
    Inputs,
    agents,
    budget_of,
    check,
    check_budget,
    fields_of,
    less,
    more,
    preselected,
    read,
    step,
)
from tui.screens.context_rows import ALL, FIXED, MOVED, OUT, OUT_ORDER, UNSEEN_ROW, FateRows, choices
from tui.screens.context_text import TextRows, against, with_hook
from tui.screens.context_text import without_hook as hook_off
from tui.text import width
from tui.widgets.budget import BudgetBar, Part


@st.composite
def packs(draw: st.DrawFn) -> Pack:
    """A pack over a random bank, with any answer of a hook."""
    view = draw(views())
    request = draw(requests())
    return assemble(view, request, draw(hooks(view, request)))


# --- rows


# A random pack costs more than what is asked of it: each test asks several things of the same one.


@given(packs())
def test_property_each_memory_has_one_row_and_is_found_however_far_anybody_has_looked(pack: Pack) -> None:
    rows = FateRows(Fates(pack))
    ids = [rows.id(at) for at in range(len(rows))]
    assert ids[0] == FIXED
    memories = [id for id in ids if id != FIXED and not id.startswith(UNSEEN_ROW)]
    assert sorted(memories) == sorted(memory.id for memory in pack.standing.eligible)
    assert [rows.find(id) for id in ids] == list(range(len(rows)))
    assert rows.find("facts/none.md") is None
    for memory in pack.standing.eligible[:3]:
        unseen = FateRows(Fates(pack))
        place = unseen.find(memory.id)
        assert place is not None and unseen.id(place) == memory.id
    ahead, steps = FateRows(Fates(pack)), 0
    while ahead.look_ahead(2):
        steps += 1
    assert steps <= len(pack.standing.eligible)
    assert [ahead.id(at) for at in range(len(ahead))] == ids


@given(packs())
def test_property_the_outcomes_share_out_all_rows_and_the_counts_add_up_to_the_live_memories(pack: Pack) -> None:
    fates = Fates(pack)
    assert sum(part.number for part in parts(fates.counts)) == fates.counts.live == fates.counts.total
    there = choices(fates)
    shown: Counter[str] = Counter()
    for only in there:
        rows = FateRows(fates, only)
        ids = [rows.id(at) for at in range(len(rows))]
        if only not in {ALL, OUT, MOVED}:
            assert {fates.of(id).outcome for id in ids} == {only}
            shown.update(ids)
        if only == MOVED:
            assert all(fates.of(id).moved_up and fates.of(id).stands for id in ids)
        if only == OUT:
            order = [OUT_ORDER.index(fates.of(id).outcome) for id in ids if not id.startswith(UNSEEN_ROW)]
            assert order == sorted(order) and order
    assert shown == Counter(memory.id for memory in pack.standing.eligible)


@given(packs(), st.integers(20, 150))
def test_property_every_row_and_line_fills_its_width_exactly_and_a_line_knows_its_memory(
    pack: Pack, cells: int
) -> None:
    fates = FateRows(Fates(pack))
    for at in range(len(fates)):
        assert sum(width(text) for text, _ in fates.row(at, max(cells, 30))) == max(cells, 30)
    rows = with_hook(without_hook(pack), pack)
    assert isinstance(rows, TextRows)
    for at, shown in enumerate(rows.shown):
        assert sum(width(text) for text, _ in rows.row(at, cells)) == cells
        assert rows.entry(at) == shown.line.entry
    for id in pack.included:
        place = rows.place(id)
        assert place is not None and rows.entry(place) == id


@given(packs())
def test_property_the_text_pane_holds_both_packs_and_a_difference_leaves_out_only_what_is_alike(pack: Pack) -> None:
    plain = without_hook(pack)
    rows = with_hook(plain, pack)
    changed = rows.shown
    assert "\n".join(one.line.text for one in changed if one.sign != "-") == pack.text
    if pack.removed:
        assert "\n".join(one.line.text for one in changed if one.sign != "+") == plain.text
        turned = hook_off(pack, plain).shown
        assert "\n".join(one.line.text for one in turned if one.sign != "-") == plain.text
    told = difference(plain, pack)
    against_it = against(told)
    shown = [one for at, one in enumerate(against_it.shown) if at not in against_it.alike]
    assert [one for one in shown if one.sign != " "] == [one for one in told.lines if one.sign != " "]
    assert len(shown) + sum(against_it.alike.values()) == len(told.lines)


# --- the bar and the line of counts


class Sized(BudgetBar):
    """A bar that is drawn without a screen."""

    cells = 80

    @property
    def size(self):  # type: ignore[no-untyped-def]
        """As wide as `cells`."""
        from textual.geometry import Size

        return Size(self.cells, 2)


PARTS = st.lists(st.integers(0, 50_000), min_size=1, max_size=6)


@given(PARTS, st.integers(0, 100_000), st.integers(60, 200))
def test_property_the_bar_never_leaves_its_line_and_every_part_has_a_letter(
    sizes: list[int], budget: int, cells: int
) -> None:
    bar = Sized()
    bar.cells = cells
    named = [Part(letter, "summaries", size) for letter, size in zip("fpstcb", sizes, strict=False)]
    bar.show(named, budget, ["after it 1,234", "refused from 3,210 on"])
    text = bar.render().plain
    if not any(sizes):
        assert text == ""
        return
    first, second = text.split("\n")
    assert len(first) <= cells and len(second) <= cells
    drawn = first[first.index("[") + 1 : first.index("]")]
    assert "".join(dict.fromkeys(drawn.replace(".", ""))) == "".join(part.letter for part in named if part.size)
    assert ("." in drawn) <= (budget > sum(sizes))
    assert f"{sum(sizes):,}" in first


def test_a_legend_without_room_for_every_size_keeps_every_letter() -> None:
    bar = Sized()
    bar.cells = 60
    sizes = [100, 100, 1000, 1000, 10000, 10000]
    bar.show([Part(letter, "summaries", size) for letter, size in zip("fpstcb", sizes, strict=True)], 32200)
    legend = bar.render().plain.split("\n")[1]
    assert len(legend) <= 60
    assert legend.split() == ["f", "100", "p", "100", "s", "1,000", "t", "1,000", "c", "10,000", "b", "10,000", "."]


def test_the_bar_says_when_there_is_no_budget() -> None:
    bar = Sized()
    bar.show([Part("f", "fixed", 480), Part("t", "task", 560)], 0)
    first, second = bar.render().plain.split("\n")
    assert first.endswith("1,040, no budget") and "." not in first
    assert second == " f fixed 480  t task 560"


def test_the_counts_line_is_empty_before_there_is_a_pack() -> None:
    assert CountsLine().render().plain == ""


# --- inputs


@given(st.integers(0, 200_000))
def test_property_plus_and_minus_go_to_round_budgets_and_back(budget: int) -> None:
    larger = more(budget)
    assert budget < larger <= budget + step(budget) and larger % 50 == 0
    assert larger % step(budget) == 0
    assert less(larger) == max(larger - step(larger - 1), 100)
    assert 100 <= less(budget) <= max(budget, 100)


@pytest.mark.parametrize(
    ("text", "budget"), [("", 0), ("0", 0), ("4000", 4000), ("4,000", 4000), ("4 000", 4000), (" 12 ", 12)]
)
def test_a_budget_is_read_as_a_person_writes_it(text: str, budget: int) -> None:
    assert check_budget(text) == "" and budget_of(text) == budget


@pytest.mark.parametrize("text", ["-1", "many", "1.5", "٤", "99999999999999", "4e3"])
def test_what_is_no_budget_is_said(text: str) -> None:
    assert check_budget(text).startswith("A budget is a whole number of characters")


@given(
    st.builds(
        Inputs,
        st.sampled_from(("ana", "bo", "東京")),
        st.sampled_from(("", "birthday", "[red]x")),
        st.integers(0, 1_000_000),
        st.integers(1, 500),
    )
)
def test_property_a_form_that_is_not_touched_means_the_same_inputs(inputs: Inputs) -> None:
    values = {field.name: field.shown for field in fields_of(inputs, "on", View.of([]), with_last=True)}
    assert check(values) == "" and read(values) == inputs


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("agent", " ", "The pack holds private memories: say for which agent it is made."),
        ("agent", "a/b", "'a/b' cannot be an agent: no slash, at most 128 characters."),
        ("budget", "x", "A budget is a whole number of characters (in a chat: of tokens); empty for no limit."),
        ("limit", "0", "A limit is a whole number from 1 on: the memories of each section."),
    ],
)
def test_what_cannot_be_tried_is_said_in_a_sentence(field: str, value: str, sentence: str) -> None:
    values = {"agent": "ana", "focus": "", "budget": "", "limit": "10", "hook": "on", "then": MAKE}
    assert check(values | {field: value}) == sentence


@given(views())
def test_property_an_agent_is_preselected_only_when_there_is_no_choice(view: View) -> None:
    known = agents(view)
    assert preselected(view, "zoe") == "zoe"
    assert preselected(view, "") == (next(iter(known)) if len(known) == 1 else "")
    assert sum(known.values()) == sum(memory.path.startswith("private/") for memory in view.live)
