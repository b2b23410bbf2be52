"""Every memory has one fate, the fates add up, and each says what would change it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.context.fate import Fate
from pipeline.context.fates import Fates
from pipeline.context.pack import assemble
from pipeline.context.report import explained
from pipeline.context.request import LAYOUTS, Request
from store.errors import UnknownMemory
from store.memory import Memory, Problem
from store.view import View
from tests.pipeline.context.worlds import NOW, answered, hooks, paged, pagings, requests, views


def fact(name: str, day: str = "2026-11-01", **fields: object) -> Memory:
    path = f"facts/{name}.md"
    plain: dict[str, object] = {"subject": name, "statement": f"statement of {name}", "created": day, "updated": day}
    return Memory(id=path, path=path, sha="", **{**plain, **fields})  # type: ignore[arg-type]


def bank(*memories: Memory) -> View:
    return View.of([replace(memory, ordinal=at) for at, memory in enumerate(memories)])


def only(fates: Fates, outcome: str) -> Iterator[Fate]:
    return (fate for fate in fates if fate.outcome == outcome)


@given(st.data())
def test_property_the_counts_add_up_to_the_live_memories(data: st.DataObject) -> None:
    view, request = data.draw(views()), data.draw(requests(LAYOUTS))
    hook = data.draw(hooks(view, request))
    fates = Fates(assemble(view, request, hook, data.draw(pagings(view, request, hook))))
    rows = list(fates)
    assert len({fate.id for fate in rows}) == len(rows) == len(fates)
    assert Counter(fate.outcome for fate in rows) == Counter(fates.counts.outcomes)
    assert fates.counts.total == fates.counts.live == len(view.live)
    assert all(fates.of(fate.id) == fate for fate in rows)


@given(st.data())
def test_property_a_record_says_what_the_pack_shows(data: st.DataObject) -> None:
    """What is included or always has a line; what is not has none; the record's place is the line's section."""
    view, request = data.draw(views()), data.draw(requests(LAYOUTS))
    hook = data.draw(hooks(view, request))
    pack = assemble(view, request, hook, data.draw(pagings(view, request, hook)))
    lines = {(entry, line.section) for line in pack.lines for entry in line.entries}
    shown = {name for name, _ in lines}
    for fate in Fates(pack):
        assert fate.stands == (fate.id in shown)
        assert not fate.stands or (fate.id, fate.section) in lines
        assert fate.outcome != "budget" or fate.shortfall > 0
        assert fate.shortfall == 0 or fate.outcome in {"budget", "block_full", "evicted", "unlisted", "paged_out"}


@given(st.data())
def test_property_neither_hook_nor_paging_takes_out_what_is_protected(data: st.DataObject) -> None:
    view, request = data.draw(views()), data.draw(requests())
    every = tuple(memory.path for memory in view.live)
    pack = assemble(view, request, answered(every, every), paged(every, {"drop": list(every)}))
    kept = {fate.id for fate in Fates(pack) if fate.outcome == "always"}
    assert kept == {m.id for m in (*pack.standing.bounds, *pack.standing.commits)}
    assert {line.entry for line in pack.lines if line.section in {"5", "6"} and line.entry} == kept


@given(st.data())
def test_property_what_comes_back_makes_the_first_pack_again(data: st.DataObject) -> None:
    """Answers that take all out and then ones that take nothing leave the pack as it was, but for their lines."""
    view, request = data.draw(views()), data.draw(requests(LAYOUTS))
    request = replace(request, budget=0, explain=False)
    first = assemble(view, request)
    files = tuple(memory.path for memory in view.live)
    everything = {"drop": list(files), "order": list(reversed(files)), "complete": True}
    assemble(view, request, answered(files, files), paged(files, everything))
    again = assemble(view, request, answered(files, ()), paged(files, {"drop": [], "order": [], "complete": True}))
    lines = [line.text for line in again.lines]
    told = 6 if again.layout.tells_hook else 2
    assert lines[:2] + lines[told:] == [line.text for line in first.lines]
    assert again.included == first.included
    assert not Fates(again).repaged


def twin_paths(view: View) -> set[str]:
    return {path for path, count in Counter(memory.path for memory in view.live).items() if count > 1}


@given(st.data())
def test_property_a_larger_limit_lets_in_what_its_record_says(data: st.DataObject) -> None:
    """`needs_limit` N: with N there is a place for it, with N − 1 there is none (the budget left aside)."""
    view, request = data.draw(views()), replace(data.draw(requests()), budget=0)
    hook = data.draw(hooks(view, request))
    paging = data.draw(pagings(view, request, hook))
    for fate in islice(only(Fates(assemble(view, request, hook, paging)), "over_limit"), 4):
        if fate.needs_limit is None:  # the other bank's file of that path is shown first, whatever the limit
            assert fate.memory.path in twin_paths(view)
            continue
        for limit, tried in ((fate.needs_limit, True), (fate.needs_limit - 1, False)):
            pack = assemble(view, replace(request, limit=limit), hook, paging)
            places = [(attempt.section, attempt.rank) for attempt in pack.attempts if attempt.memory.id == fate.id]
            assert bool(places) is tried
            assert not tried or (fate.section, fate.rank) in places


@given(views(), requests())
def test_property_no_limit_lets_in_an_overflowing_summary(view: View, request: Request) -> None:
    whole = assemble(view, replace(request, budget=0, limit=50))
    tried = {attempt.memory.id for attempt in whole.attempts}
    assert not {fate.id for fate in only(Fates(assemble(view, request)), "summary_overflow")} & tried


def test_an_evicted_memory_keeps_the_place_it_would_have_had() -> None:
    view = bank(fact("a", "2026-11-03"), fact("b", "2026-11-02"), fact("c", "2026-11-01"))
    request = Request("nova", limit=1, now=NOW)
    files = tuple(memory.path for memory in view.live)
    fates = Fates(assemble(view, request, answered(files, ("facts/a.md",))))
    rows = [(fate.memory.subject, fate.outcome, fate.place, fate.moved_up) for fate in fates]
    assert rows == [("a", "evicted", "3 (1)", False), ("b", "included", "3 1", True), ("c", "included", "4 1", True)]
    assert fates.of("facts/a.md").sent is True
    assert fates.counts.moved_up == 2


def test_a_memory_over_the_limit_says_which_limit_it_needs() -> None:
    view = bank(*(fact(f"n{day:02}", f"2026-11-{day:02}") for day in range(20, 0, -1)))
    fates = Fates(assemble(view, Request("nova", limit=3, now=NOW)))
    needs = [fate.needs_limit for fate in only(fates, "over_limit")]
    assert needs == sorted(needs)  # type: ignore[type-var]
    assert [fate.place for fate in only(fates, "over_limit")][:2] == ["4 (3)", "4 (4)"]
    assert fates[-1].outcome == "over_limit"
    assert fates[0:2] == [fates[0], fates[1]]
    with pytest.raises(IndexError):
        fates[len(fates)]


def test_a_summary_beyond_the_limit_needs_a_limit_and_the_fourth_none() -> None:
    view = bank(*(fact(f"s{n}", f"2026-10-0{n}", source="consolidate") for n in range(1, 6)))
    fates = Fates(assemble(view, Request("nova", limit=2, now=NOW)))
    rows = [(fate.memory.subject, fate.outcome, fate.needs_limit) for fate in fates]
    assert rows == [
        ("s5", "included", None),
        ("s4", "included", None),
        ("s3", "over_limit", 3),
        ("s2", "summary_overflow", None),
        ("s1", "summary_overflow", None),
    ]


def test_a_record_names_the_other_places_where_the_text_still_shows() -> None:
    told = fact("told", statement="the cache lives in redis")
    summary = fact("sum", source="consolidate", body="- the cache lives in redis")
    view = bank(told, summary)
    request = Request("nova", limit=5, now=NOW, profile="it says: the cache lives in redis")
    files = tuple(memory.path for memory in view.live)
    fates = Fates(assemble(view, request, answered(files, ("facts/told.md",), applied=False)))
    assert fates.also_visible_in(fates.of("facts/told.md")) == ("2", "summary of facts/sum.md")


def test_a_memory_that_was_not_sent_says_why() -> None:
    bound = replace(fact("rule"), type="BOUND", id="bounds/rule.md", path="bounds/rule.md")
    view = bank(bound, fact("old"), fact("new"))
    request = Request("nova", now=NOW)
    fates = Fates(assemble(view, request, answered(("facts/new.md",), (), truncated=True)))
    assert {fate.memory.subject: (fate.sent, fate.unsent) for fate in fates} == {
        "new": (True, ""),
        "old": (False, "beyond_500"),
        "rule": (False, "protected"),
    }


def test_files_that_could_not_be_read_are_counted_apart() -> None:
    view = View.of([fact("a")], problems=[Problem("facts/broken.md", "no"), Problem("index.json", "no")])
    counts = Fates(assemble(view, Request("nova", now=NOW))).counts
    assert (counts.unseen["not_indexed"], counts.total, counts.live) == (1, 1, 1)


def test_nobody_is_told_of_a_memory_that_may_not_be_read() -> None:
    secret = Memory(id="private/rhea/prefs/x.md", path="private/rhea/prefs/x.md", sha="", type="PREF", scope="private")
    fates = Fates(assemble(View.of([secret]), Request("nova", now=NOW)))
    with pytest.raises(UnknownMemory):
        fates.of("private/rhea/prefs/x.md")
    assert fates.counts.unseen["unreadable"] == 1


@given(st.data())
def test_property_the_explained_report_lists_every_record_once(data: st.DataObject) -> None:
    view, request = data.draw(views()), data.draw(requests(LAYOUTS))
    hook = data.draw(hooks(view, request))
    found = explained(assemble(view, request, hook, data.draw(pagings(view, request, hook))))
    counts = dict(found["decisions"]["counts"])
    unseen = sum(counts[key] for key in ("unreadable", "outside_year", "other_project"))
    assert len(found["decisions"]["items"]) + unseen == counts["live"] == len(view.live)
    assert found["schema"] == found["schemaVersion"] == 1
