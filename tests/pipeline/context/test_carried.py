"""The standing of memories after a few changes is the one of a bank that is looked at anew."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.context import standing
from pipeline.context.request import Request
from pipeline.context.standing import stand
from store.layered import Layered
from store.memory import Memory
from store.view import View
from tests.pipeline.context.worlds import NOW, memories, requests

Change = Callable[[Memory], Memory]
EDITS: dict[str, Change] = {
    "text": lambda memory: replace(memory, statement=memory.statement + " more"),
    "date": lambda memory: replace(memory, updated="2026-11-30"),
    "made": lambda memory: replace(memory, created="2024-02-29"),
    "type": lambda memory: replace(memory, type="BOUND"),
    "tags": lambda memory: replace(memory, tags=("consolidate", "summary")),
    "owner": lambda memory: replace(memory, owner="rhea", scope="private"),
    "project": lambda memory: replace(memory, project="borealis"),
    "count": lambda memory: replace(memory, access_count=memory.access_count + 1),
    "forget": lambda memory: replace(memory, state="trashed"),
    "restore": lambda memory: replace(memory, state="live"),
}
Commit = list[tuple[str, int]]
COMMITS = st.lists(
    st.lists(st.tuples(st.sampled_from((*EDITS, "new", "used")), st.integers(0, 20)), min_size=1, max_size=4),
    min_size=1,
    max_size=4,
)


def committed(view: View, commit: Commit) -> View:
    """The next view."""
    put: dict[str, Memory] = {}
    used: dict[str, Any] = {}
    for what, number in commit:
        known = list({**view.memories, **put}.values())
        if what == "new" or not known:
            at = 100 + len(known)
            put[f"facts/{at}.md"] = Memory(f"facts/{at}.md", f"facts/{at}.md", "", subject="new", ordinal=at)
        elif what == "used":
            used[known[number % len(known)].id] = {"access_count": number}
        else:
            memory = known[number % len(known)]
            put[memory.id] = EDITS[what](memory)
    tables = {**view.tables, "usage": view.rows("usage").with_changes(used)}
    return View(view.memories.with_changes(put), tables, grants=view.grants, root=view.root, before=view)


def anew(view: View) -> View:
    """The same state as another bank."""
    tables = {name: Layered(dict(rows)) for name, rows in view.tables.items()}
    return View(Layered(dict(view.memories)), tables, grants=view.grants, root="anew")


@given(memories(), COMMITS, requests(), st.sampled_from(({}, {"nova": ("rhea",)})))
def test_property_a_standing_that_was_carried_on_is_the_one_made_anew(
    made: list[Memory], commits: list[Commit], request: Request, grants: dict[str, tuple[str, ...]]
) -> None:
    view = View.of(made, grants=grants, root="carried")
    stand(view, request)
    for commit in commits:
        view = committed(view, commit)
        carried, whole = stand(view, request), stand(anew(view), request)
        for field in fields(whole):
            assert getattr(carried, field.name) == getattr(whole, field.name), field.name


def test_after_a_few_changes_nothing_is_sorted_again_and_after_many_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[View] = []
    made = standing._stand

    def counted(view: View, request: Request) -> Any:
        calls.append(view)
        return made(view, request)

    monkeypatch.setattr(standing, "_stand", counted)
    request = Request("nova", now=NOW)
    paths = [f"facts/{at:04}.md" for at in range(200)]
    view = View.of([Memory(path, path, "", ordinal=at) for at, path in enumerate(paths)], root="counted")
    stand(view, request)
    few = committed(view, [("text", 3), ("forget", 5), ("new", 0), ("used", 7)])
    assert stand(few, request).live == 200 and calls == [view]
    many = committed(few, [("text", at) for at in range(100)])
    assert stand(many, request).live == 200 and calls == [view, many]
    granted = View(many.memories, many.tables, grants={"nova": ("rhea",)}, root="counted", before=many)
    assert stand(granted, request).live == 200 and calls == [view, many, granted]
