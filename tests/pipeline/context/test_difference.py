"""What a change would alter, line by line, and what more budget would bring."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pipeline.context.budget import Line
from pipeline.context.difference import Moved, difference, of_lines
from pipeline.context.fates import Fates
from pipeline.context.pack import assemble, without_hook
from pipeline.context.provider.configuration import Configuration
from pipeline.context.provider.hook import HookResult
from pipeline.context.report import budget_block, hook_block, provider_block
from pipeline.context.request import Request
from pipeline.context.whatif import budget_ended, next_with_budget, status_cost
from pipeline.measure import units
from store.view import View
from tests.pipeline.context.test_fates import bank, fact
from tests.pipeline.context.worlds import NOW, answered, hooks, requests, views


@given(st.data())
def test_property_a_difference_holds_both_packs(data: st.DataObject) -> None:
    """Without the `+` lines it is the first pack, without the `-` lines the second."""
    view, request = data.draw(views()), data.draw(requests())
    first, second = assemble(view, request), assemble(view, data.draw(requests()), data.draw(hooks(view, request)))
    found = difference(first, second)
    assert [c.line.text for c in found.lines if c.sign != "+"] == [line.text for line in first.lines]
    assert [c.line.text for c in found.lines if c.sign != "-"] == [line.text for line in second.lines]
    assert found.changed == (first.text != second.text)
    assert not set(found.entered) & set(found.left)


def test_between_a_change_at_the_top_and_one_at_the_end_a_long_text_stays_alike() -> None:
    """Also where every other line is empty, as in the profile of a pack."""
    told = [text for number in range(3_000) for text in (f"- entry {number}", "")]
    before = tuple(Line(text, "2", "", 0, 1) for text in ["title", *told, "- last", ""])
    after = tuple(Line(text, "2", "", 0, 1) for text in ["title", "- status", "", *told[:-2], "- last", ""])
    changed = [(one.sign, one.line.text) for one in of_lines(before, after, 0).lines if one.sign != " "]
    assert changed == [("+", "- status"), ("+", ""), ("-", ""), ("-", "- entry 2999")]


def test_switching_the_hook_off_shows_what_came_back() -> None:
    view = bank(fact("a", "2026-11-03"), fact("b", "2026-11-02"), fact("c", "2026-11-01"))
    files = tuple(memory.path for memory in view.live)
    pack = assemble(view, Request("nova", limit=1, now=NOW), answered(files, ("facts/a.md",)))
    found = difference(without_hook(pack), pack)
    assert (found.left, found.entered) == (("facts/a.md",), ("facts/c.md",))
    assert found.moved == (Moved("facts/b.md", "4", "3"),)
    assert next(change.line.entry for change in found.lines if change.sign == "-") == "facts/a.md"


def test_a_larger_budget_says_what_it_would_bring() -> None:
    view = bank(fact("long", "2026-11-03", statement="l" * 300), fact("s", "2026-11-01"))
    free = assemble(view, Request("nova", limit=5, now=NOW))
    start = next(line.used_before for line in free.lines if line.entry == "facts/long.md")
    pack = assemble(view, Request("nova", limit=5, now=NOW, budget=start + 60))
    assert pack.included == ("facts/s.md",)
    assert budget_ended(pack) == start
    (more, *_) = next_with_budget(pack)
    larger = assemble(view, replace(pack.request, budget=more.budget))
    assert set(more.entered) == set(larger.included) - set(pack.included) == {"facts/long.md"}
    less = assemble(view, replace(pack.request, budget=more.budget - 1))
    assert less.included == pack.included
    assert next_with_budget(free) == ()
    assert budget_block(pack)["next"][0]["budget"] == more.budget


@given(views(), requests())
def test_property_the_next_budget_is_the_least_that_alters_the_pack(view: View, request: Request) -> None:
    pack = assemble(view, request)
    for more in next_with_budget(pack, steps=1):
        assert more.entered
        assert assemble(view, replace(request, budget=more.budget - 1)).included == pack.included
        assert assemble(view, replace(request, budget=more.budget)).included != pack.included


def test_the_status_line_of_a_failed_hook_says_what_it_cost() -> None:
    view = bank(fact("a"))
    plain = assemble(view, Request("nova", now=NOW))
    end = next(line.used_before + units(line.text) for line in plain.lines if line.entry == "facts/a.md")
    failed = answered(("facts/a.md",), (), status="timeout", note="The provider timed out.")
    pack = assemble(view, Request("nova", now=NOW, budget=end), failed)
    assert Fates(pack).of("facts/a.md").outcome == "budget"
    cost = status_cost(pack)
    assert cost.pushed_out == ("facts/a.md",)
    assert assemble(view, Request("nova", now=NOW, budget=end + cost.units), failed).included == ("facts/a.md",)
    assert assemble(view, Request("nova", now=NOW, budget=end + cost.units - 1), failed).included == ()
    assert status_cost(plain).units == 0


def test_a_pack_that_asked_nobody_says_so_in_its_report() -> None:
    pack = assemble(View.of([]), Request("nova", now=NOW))
    assert hook_block(pack.hook)["status"] == "not_requested"
    assert provider_block(pack) is None
    absent = HookResult("not_installed", Configuration("not_installed", "There is no provider.json.", Path("/h")))
    again = assemble(View.of([]), Request("nova", now=NOW), absent)
    assert again.text == pack.text
    assert (provider_block(again) or {})["reason"] == "There is no provider.json."
