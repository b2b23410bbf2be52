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
from tests.pipeline.context.worlds import NOW, hooks, pagings, requests, views


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


def test_other_budgets_limits_and_focuses_begin_with_the_same_lines_and_another_reader_does_not() -> None:
    pref = Memory(
        "p", "private/nova/prefs/p.md", "", "PREF", "tea", "green tea before noon", scope="private", owner="nova"
    )
    view = View.of([pref])
    first, tight, other = (
        assemble(view, request)
        for request in (
            Request("nova", now=NOW),
            Request("nova", now=NOW, budget=100, limit=1, focus="tea", explain=True),
            Request("rhea", now=NOW),
        )
    )
    assert tight.opening is first.opening and tight.lines[: len(first.opening.lines)] == tuple(first.opening.lines)
    assert "green tea before noon" in first.profile.text and "green tea" not in other.text
