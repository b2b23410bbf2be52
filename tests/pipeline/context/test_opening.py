"""What packs begin with alike is written once, and never shown to whom it does not belong."""

from __future__ import annotations

from copy import copy
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pipeline.context.pack import Pack, assemble, tries
from pipeline.context.request import LAYOUTS, Request
from store.memory import Memory
from store.view import View
from tests.pipeline.context.worlds import NOW, answered, hooks, pagings, requests, views


def said(pack: Pack) -> tuple[object, ...]:
    """All that a pack tells."""
    return pack.lines, pack.attempts, pack.trace, pack.profile, pack.bar


@given(st.data())
def test_property_a_pack_is_the_same_whatever_the_view_was_asked_before(data: st.DataObject) -> None:
    view = data.draw(views())
    asked = data.draw(st.lists(requests(LAYOUTS), min_size=2, max_size=4))
    told = []
    for request in asked:
        hook = data.draw(hooks(view, request))
        told.append((request, hook, data.draw(pagings(view, request, hook))))
    packs = [assemble(view, *one) for one in told]
    for pack, one in zip(packs, told, strict=True):
        assert said(pack) == said(assemble(copy(view), *one))


@given(st.data(), st.integers(1, 2_000))
def test_property_another_budget_tries_what_a_pack_with_that_budget_tries(data: st.DataObject, budget: int) -> None:
    view, request = data.draw(views()), data.draw(requests(LAYOUTS))
    hook = data.draw(hooks(view, request))
    pack = assemble(view, request, hook)
    assert tuple(tries(pack, budget)) == assemble(view, replace(request, budget=budget), hook).attempts


def pref(name: str) -> Memory:
    """A private memory of nova."""
    path = f"private/nova/prefs/{name}.md"
    return Memory(path, path, "", "PREF", name, f"statement of {name}", scope="private", owner="nova")


def test_other_budgets_limits_and_focuses_begin_with_the_same_lines_and_another_reader_does_not() -> None:
    view = View.of([pref("tea")])
    first, tight, other = (
        assemble(view, request)
        for request in (
            Request("nova", now=NOW),
            Request("nova", now=NOW, budget=100, limit=1, focus="tea", explain=True),
            Request("rhea", now=NOW),
        )
    )
    assert tight.opening is first.opening and tight.lines[: len(first.opening.lines)] == tuple(first.opening.lines)
    assert "statement of tea" in first.profile.text and "statement of tea" not in other.text


def test_an_answer_that_takes_another_memory_out_begins_another_pack_though_it_says_the_same() -> None:
    view = View.of([pref("tea"), pref("milk")])
    files = tuple(memory.path for memory in view.live)
    no_tea, no_milk = (
        assemble(view, Request("nova", now=NOW), answered(files, (f"private/nova/prefs/{name}.md",)))
        for name in ("tea", "milk")
    )
    assert no_tea.lines[2] == no_milk.lines[2]
    assert "statement of tea" not in no_tea.text and "statement of milk" in no_tea.profile.text
    assert "statement of milk" not in no_milk.text and "statement of tea" in no_milk.profile.text
