"""Two banks in one view: the project's first, ids with their root, paths as they are."""

from __future__ import annotations

from store.joined import joined, split_id
from store.memory import Memory, Problem
from store.view import View


def _bank(*names: str, **rest: object) -> View:
    memories = [Memory(id=name, path=name, sha=name, ordinal=at) for at, name in enumerate(names)]
    return View.of(memories, **rest)  # type: ignore[arg-type]


def test_the_projects_memories_stand_first_and_keep_their_paths() -> None:
    view = joined(_bank("facts/b.md", "facts/a.md"), _bank("facts/a.md"))
    assert [(memory.id, memory.path) for memory in view.live] == [
        ("project:facts/b.md", "facts/b.md"),
        ("project:facts/a.md", "facts/a.md"),
        ("user:facts/a.md", "facts/a.md"),
    ]
    assert view.resolve("user:facts/a.md").sha == "facts/a.md"
    assert split_id("project:facts/b.md") == ("project", "facts/b.md")
    assert split_id("facts/b.md") == ("", "facts/b.md")


def test_rows_carry_their_root_and_settings_are_the_users() -> None:
    project = _bank(
        "facts/a.md", tables={"usage": {"facts/a.md": {"access_count": 1}}, "settings": {"k": {"value": 1}}}
    )
    user = _bank(
        "facts/a.md",
        tables={"aliases": {"old": {"id": "facts/a.md"}}, "settings": {"k": {"value": 2}}},
        problems=[Problem("facts/x.md", "no")],
        grants={"nova": ("rhea",)},
        agents=("nova",),
        root="/home/user/bank",
    )
    view = joined(project, user)
    assert dict(view.rows("usage")) == {"project:facts/a.md": {"access_count": 1}}
    assert view.resolve("user:old").id == "user:facts/a.md"
    assert view.setting("k") == 2
    assert view.grants == {"nova": ("rhea",)}
    assert view.problems == (Problem("user:facts/x.md", "no"),)
    assert (view.root, view.agents) == ("/home/user/bank", ("nova",))
