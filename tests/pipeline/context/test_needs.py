"""What it would take for a memory to get in: said so that doing it does it."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.context.fates import Fates
from pipeline.context.needs import Needs, needs
from pipeline.context.pack import Pack, assemble
from pipeline.context.report import explained
from pipeline.context.request import Request
from pipeline.context.whatif import next_with_budget
from store.joined import joined
from tests.pipeline.context.test_fates import bank, fact
from tests.pipeline.context.worlds import NOW, answered, hooks, requests, views

VIEW = bank(fact("a", "2026-11-03"), fact("b", "2026-11-02", statement="b" * 90), fact("c", "2026-11-01"))
FILES = tuple(memory.path for memory in VIEW.live)


def need(pack: Pack, name: str) -> Needs | None:
    fates = Fates(pack)
    return needs(fates, fates.of(f"facts/{name}.md"), next_with_budget(pack, 12))


@settings(max_examples=max(20, settings().max_examples // 6))
@given(st.data())
def test_property_doing_what_is_needed_lets_it_in(data: st.DataObject) -> None:
    """Where it is said to be enough, it is; and nothing is needed for what is in."""
    view, request = data.draw(views()), data.draw(requests())
    pack = assemble(view, request, data.draw(hooks(view, request)))
    fates, more = Fates(pack), next_with_budget(pack, 12)
    for fate in fates:
        found = needs(fates, fate, more)
        assert not (found and fate.stands)
        if found is None or not found.exact:
            continue
        asked = replace(
            request,
            limit=found.limit if found.limit is not None else request.limit,
            budget=found.budget if found.budget is not None else request.budget,
        )
        # Without the hook some stand in no list at all: those of the other bank with the same path.
        done = Fates(assemble(view, asked, None if found.hook else pack.hook)).of(fate.id)
        assert done.stands or done.outcome in {"duplicate", "summary_overflow"}


def test_a_refused_memory_needs_a_budget() -> None:
    free = assemble(VIEW, Request("nova", limit=3, now=NOW))
    start = next(line.used_before for line in free.lines if line.entry == "facts/b.md")
    found = need(assemble(VIEW, Request("nova", limit=3, now=NOW, budget=start + 20)), "b")
    assert found == Needs(budget=start + len("- [FACT] b: ") + 90)


def test_one_that_stands_behind_others_needs_a_limit() -> None:
    pack = assemble(VIEW, Request("nova", limit=1, now=NOW))
    assert need(pack, "c") == Needs(limit=2)
    assert need(pack, "a") is None
    assert need(assemble(VIEW, Request("nova", limit=1, now=NOW, budget=5000)), "c") == Needs(limit=2, exact=False)


def test_one_that_the_hook_took_needs_another_decision_of_it_and_the_rest_besides() -> None:
    evicts = answered(FILES, ("facts/a.md", "facts/c.md"))
    pack = assemble(VIEW, Request("nova", limit=1, now=NOW), evicts)
    assert need(pack, "a") == Needs("evicted")
    assert need(pack, "c") == Needs("evicted", limit=2)
    lists = answered(FILES, (), ("facts/a.md",))
    assert need(assemble(VIEW, Request("nova", limit=1, now=NOW), lists), "a") == Needs("unlisted")


def test_nothing_lets_in_what_the_hook_took_and_another_banks_file_of_the_same_path_would_keep_out_anyway() -> None:
    summary = fact("a", tags=("consolidate", "summary"))
    both = joined(bank(summary), bank(fact("a")))
    pack = assemble(both, Request("nova", limit=0, now=NOW), answered(("facts/a.md",), ("facts/a.md",)))
    fates = Fates(pack)
    assert [fate.outcome for fate in fates] == ["evicted", "evicted"]
    assert [needs(fates, fate) for fate in fates] == [Needs("evicted", limit=1), None]


def test_a_program_reads_it_with_each_decision() -> None:
    start = next(
        line.used_before
        for line in assemble(VIEW, Request("nova", limit=3, now=NOW)).lines
        if line.entry == "facts/b.md"
    )
    told = explained(assemble(VIEW, Request("nova", limit=2, now=NOW, budget=start + 20)))
    found = {item["subject"]: item.get("needs") for item in told["decisions"]["items"]}
    assert found["b"] == {"budget": start + len("- [FACT] b: ") + 90, "exact": True}
    assert found["a"] is None
    evicts = answered(FILES, ("facts/c.md",))
    told = explained(assemble(VIEW, Request("nova", limit=1, now=NOW), evicts))
    found = {item["subject"]: item.get("needs") for item in told["decisions"]["items"]}
    assert found["c"] == {"hook": "evicted", "limit": 2, "exact": True}
