"""Two packs side by side: every line of both once, what only one gets marked, each line tied to its memory."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.context.beside import beside
from pipeline.context.difference import places
from pipeline.context.pack import assemble
from pipeline.context.request import Request
from store.memory import Memory
from store.view import View
from tests.pipeline.context.test_fates import fact
from tests.pipeline.context.worlds import NOW, hooks, requests, views


@settings(max_examples=max(20, settings().max_examples // 6))
@given(st.data())
def test_property_each_side_holds_its_pack_line_by_line(data: st.DataObject) -> None:
    view, request, other = data.draw(views()), data.draw(requests()), data.draw(requests())
    left, right = assemble(view, request, data.draw(hooks(view, request))), assemble(view, other)
    found = beside(left, right)
    assert [pair.left for pair in found.pairs if pair.left is not None] == list(left.lines)
    assert [pair.right for pair in found.pairs if pair.right is not None] == list(right.lines)
    for pair in found.pairs:
        there = (pair.left is not None, pair.right is not None)
        assert there == {"<": (True, False), ">": (False, True)}.get(pair.side, (True, True))
        if pair.left is not None and pair.right is not None:
            assert (pair.left.text == pair.right.text) == (pair.side == "=")
    assert {id for id, whose in found.whose.items() if whose != "right"} == set(places(left.lines))
    assert found.count("both") + found.count("left") + found.count("right") == len(found.whose)


def private(owner: str) -> Memory:
    path = f"private/{owner}/prefs/tea.md"
    return Memory(path, path, "", "PREF", "tea", f"{owner} likes it", "private", owner, created="2026-11-20")


def test_what_only_one_may_read_is_marked_and_is_nothing_to_the_other() -> None:
    view = View.of([fact("a", "2026-11-03"), private("nova"), private("rhea")])
    request = Request("nova", now=NOW)
    found = beside(assemble(view, request), assemble(view, replace(request, agent="rhea")))
    assert found.whose == {
        "facts/a.md": "both",
        "private/nova/prefs/tea.md": "left",
        "private/rhea/prefs/tea.md": "right",
    }
    sides = {pair.entry: pair.side for pair in found.pairs if pair.entry}
    assert sides == {"facts/a.md": "=", "private/nova/prefs/tea.md": "<", "private/rhea/prefs/tea.md": ">"}
    assert found.fate("private/nova/prefs/tea.md", "right") is None
    fate = found.fate("private/nova/prefs/tea.md", "left")
    assert fate is not None and fate.outcome == "included"
    faced = next(pair for pair in found.pairs if pair.left is not None and "agent_id" in pair.left.text)
    assert faced.side == "~" and faced.right is not None and faced.right.text == "- agent_id: rhea"
