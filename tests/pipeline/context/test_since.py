"""What changed since a baseline: who came in, who left, whose words changed, and why."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.context.baseline import baseline_of, from_document, to_document
from pipeline.context.difference import places
from pipeline.context.pack import assemble
from pipeline.context.request import Request
from pipeline.context.since import Since, Touched, since, touched_since
from pipeline.context.since_report import report
from store.changes import Committed, FileEffect
from store.errors import BadInput
from store.memory import Memory
from store.view import View
from tests.pipeline.context.test_fates import bank, fact
from tests.pipeline.context.worlds import NOW, answered, hooks, requests, views

ASKED = Request("nova", limit=2, now=NOW)
OLD = [fact("a", "2026-11-03"), fact("b", "2026-11-02"), fact("c", "2026-11-01")]


def told(found: Since) -> dict[str, tuple[str, str]]:
    """Kind and cause of every item, by the name of its memory."""
    return {item.id.removeprefix("facts/").removesuffix(".md"): (item.kind, item.cause) for item in found.items}


def touch(name: str, what: Any) -> dict[str, Touched]:
    return {f"facts/{name}.md": Touched(what, 9, "2026-11-30T10:00:00.000Z", "why")}


def without(*names: str) -> View:
    return bank(*(memory for memory in OLD if memory.name.removesuffix(".md") not in names))


@settings(max_examples=max(20, settings().max_examples // 12))
@given(st.data())
def test_property_a_baseline_is_kept_whole(data: st.DataObject) -> None:
    view, request = data.draw(views()), data.draw(requests())
    kept = baseline_of(assemble(view, request, data.draw(hooks(view, request))), "before", {"": 3})
    assert from_document(json.loads(json.dumps(to_document(kept)))) == kept


@settings(max_examples=max(20, settings().max_examples // 12))
@given(st.data())
def test_property_every_memory_that_changed_place_or_words_is_told_once(data: st.DataObject) -> None:
    view, asked = data.draw(views()), data.draw(requests())
    then = baseline_of(assemble(view, asked, data.draw(hooks(view, asked))), "before")
    later = data.draw(requests())
    pack = assemble(view, later, data.draw(hooks(view, later)))
    found = since(then, pack)
    old, new = places(then.lines), places(pack.lines)
    assert {item.id for item in found.items if item.kind == "came_in"} == set(new) - set(old)
    assert {item.id for item in found.items if item.kind == "left"} == set(old) - set(new)
    assert {item.id for item in found.items if item.kind == "moved"} <= {id for id in new if old.get(id, "") != new[id]}
    assert len({item.id for item in found.items}) == len(found.items)
    assert found.told.units == pack.bar.used - then.used
    assert [one["id"] for one in report(found)["items"]] == [item.id for item in found.items]


def test_the_same_pack_has_nothing_to_tell() -> None:
    pack = assemble(bank(*OLD), ASKED)
    found = since(baseline_of(pack, "before"), pack)
    assert (found.items, found.inputs, found.told.changed) == ((), (), False)
    assert report(found)["counts"] == {"came_in": 0, "left": 0, "reworded": 0, "moved": 0}


def test_a_memory_written_since_came_in_and_pushed_another_down() -> None:
    then = baseline_of(assemble(bank(*OLD), replace(ASKED, limit=1)), "before")
    pack = assemble(bank(fact("new", "2026-11-20"), *OLD), replace(ASKED, limit=1))
    found = since(then, pack, touch("new", "written"))
    assert told(found) == {"new": ("came_in", "written"), "b": ("left", "over_limit"), "a": ("moved", "room")}
    assert found.by_id["facts/new.md"].touched == touch("new", "written")["facts/new.md"]
    assert found.by_id["facts/b.md"].needs == 2
    assert found.by_id["facts/a.md"].before == "3" and found.by_id["facts/a.md"].after == "4"


@pytest.mark.parametrize("state", ["trashed", "archived"])
def test_what_was_put_away_left_because_of_that(state: Any) -> None:
    then = baseline_of(assemble(bank(*OLD), ASKED), "before")
    view = View.of([replace(OLD[0], state=state), *OLD[1:]])
    found = since(then, assemble(view, ASKED), touch("a", state))
    assert told(found)["a"] == ("left", state)
    gone = since(then, assemble(without("a"), ASKED))
    assert told(gone)["a"] == ("left", "removed")


def test_other_words_are_shown_with_those_before() -> None:
    then = baseline_of(assemble(bank(*OLD), ASKED), "before")
    view = bank(replace(OLD[0], statement="all new"), *OLD[1:])
    item = since(then, assemble(view, ASKED), touch("a", "edited")).by_id["facts/a.md"]
    assert (item.kind, item.cause, item.text_after) == ("reworded", "edited", "- [FACT] a: all new")
    assert item.text_before == f"- [FACT] a: {OLD[0].statement}"


def test_the_input_that_explains_it_is_named() -> None:
    view = bank(*OLD)
    then = baseline_of(assemble(view, ASKED), "before")
    fewer = since(then, assemble(view, replace(ASKED, limit=1)))
    assert told(fewer)["c"] == ("left", "limit")
    assert [(one.name, one.before, one.after) for one in fewer.inputs] == [("limit", 2, 1)]
    start = next(line.used_before for line in then.lines if line.entry == "facts/b.md")
    poor = since(then, assemble(view, replace(ASKED, budget=start)))
    assert told(poor)["b"] == ("left", "budget")
    focused = since(then, assemble(view, replace(ASKED, focus="c")))
    assert told(focused)["c"] == ("moved", "focus")


def test_two_inputs_may_only_explain_it_together() -> None:
    view = bank(*OLD, fact("long", "2026-11-20", statement="l" * 90))
    end = next(
        line.used_before + len(line.text)
        for line in assemble(view, replace(ASKED, limit=4)).lines
        if line.entry == "facts/c.md"
    )
    then = baseline_of(assemble(view, replace(ASKED, limit=1, budget=end - 1)), "before")
    found = since(then, assemble(view, replace(ASKED, limit=4, budget=end)))
    assert told(found)["c"] == ("came_in", "limit") or told(found)["c"] == ("came_in", "budget")


def test_what_the_hook_takes_out_or_lets_in_again_is_its_doing() -> None:
    view = bank(*OLD)
    files = tuple(memory.path for memory in view.live)
    hooked = assemble(view, ASKED, answered(files, ("facts/a.md",)))
    free = assemble(view, ASKED)
    assert told(since(baseline_of(free, "before"), hooked))["a"] == ("left", "evicted")
    back = since(baseline_of(hooked, "before"), free)
    assert told(back)["a"] == ("came_in", "hook")
    assert [(one.name, one.before, one.after) for one in back.inputs] == [("hook", "active", "not_requested")]


def test_another_agent_is_told_as_the_cause() -> None:
    secret = Memory(
        "private/nova/prefs/tea.md", "private/nova/prefs/tea.md", "", "PREF", "tea", "green", "private", "nova",
        created="2026-11-20",
    )  # fmt: skip
    view = bank(*OLD, secret)
    then = baseline_of(assemble(view, replace(ASKED, limit=4)), "before")
    found = since(then, assemble(view, replace(ASKED, limit=4, agent="rhea")))
    assert (found.by_id[secret.id].kind, found.by_id[secret.id].cause) == ("left", "agent")


def test_a_refusal_says_how_much_is_missing() -> None:
    then = baseline_of(assemble(bank(*OLD), replace(ASKED, budget=400)), "before")
    longer = bank(fact("a", "2026-11-03", statement="x" * 60), *OLD[1:])
    found = since(then, assemble(longer, replace(ASKED, budget=400)), touch("a", "edited"))
    refused = [item for item in found.items if item.cause == "over_budget"]
    assert all(item.needs and item.needs > 0 for item in refused)


# --- out of the history


def change(number: int, *effects: tuple[str, str | None, str | None, Any, Any]) -> Committed:
    files = tuple(
        FileEffect(id, "p" if before else None, "p" if after else None, before, after, state_before, state_after)
        for id, before, after, state_before, state_after in effects
    )
    return Committed(number, f"2026-11-30T10:0{number}:00.000Z", f"change {number}", "screen", "you", files)


def test_the_history_says_what_became_of_a_memory_since() -> None:
    history = [
        change(6, ("g", "1", None, "live", None)),
        change(5, ("e", "1", "1", "trashed", "live"), ("f", "1", "1", "live", "archived")),
        change(4, ("d", "1", "1", "live", "trashed"), ("a", "2", "3", "live", "live")),
        change(3, ("a", None, "2", None, "live"), ("b", "1", "2", "live", "live")),
        change(2, ("b", "0", "1", "live", "live"), ("c", "0", "1", "live", "live")),
    ]
    found = touched_since(history, 2, "user:")
    assert {id: (one.what, one.number) for id, one in found.items()} == {
        "user:a": ("written", 4),
        "user:b": ("edited", 3),
        "user:d": ("trashed", 4),
        "user:e": ("restored", 5),
        "user:f": ("archived", 5),
        "user:g": ("removed", 6),
    }


def test_a_change_that_was_taken_back_is_none() -> None:
    history = [change(4, ("a", "2", "1", "live", "live")), change(3, ("a", "1", "2", "live", "live"))]
    assert touched_since(history, 2) == {}


# --- damaged ones


@pytest.mark.parametrize(
    "spoil",
    [
        {"lines": [["3", "a"]]},
        {"lines": 7},
        {"inputs": {}},
        {"inputs": {"agent": 7}},
        {"inputs": {"agent": "a/b"}},
        {"inputs": {"agent": "ana", "colour": "red"}},
        {"used": "many"},
        {"used": float("inf")},
        {"hook": None},
        {"changes": []},
        {"made": None},
    ],
)
def test_a_damaged_baseline_is_refused_with_a_sentence(spoil: dict[str, Any]) -> None:
    document = to_document(baseline_of(assemble(bank(*OLD), ASKED), "before")) | spoil
    with pytest.raises(BadInput, match="'before' is damaged; delete it"):
        from_document(document)


def test_a_baseline_of_a_newer_version_is_left_to_it() -> None:
    document = to_document(baseline_of(assemble(bank(*OLD), ASKED), "before")) | {"schema": 2}
    with pytest.raises(BadInput, match="newer version"):
        from_document(document)
