"""`log` and `undo`, and what a bank under git shows of it all."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from store.publish import aside_for, temporary_for
from tests.cli.desk import Desk, tree

ID = "facts/2026/10/2026-10-12-0001.md"


@pytest.fixture
def kiln(desk: Desk) -> Desk:
    desk.remember("FACT", "kiln", "Fires at 1240 C")
    return desk


def reasons(desk: Desk, *words: str) -> list[str]:
    return [change["reason"] for change in desk.json("log", *words).json["changes"]]


def test_nothing_was_changed_yet(desk: Desk) -> None:
    assert desk("log").out == "Nothing was changed yet.\n"
    assert desk.json("log").json == {"schema": 1, "changes": []}
    answer = desk("undo")
    assert (answer.code, answer.out, answer.err.count("\n")) == (2, "", 1)


def test_the_log_is_newest_first_and_names_who_and_how(kiln: Desk) -> None:
    kiln("edit", ID, "--statement", "1250 C", tty=True)
    newest, oldest = kiln.json("log").json["changes"]
    assert (newest["reason"], newest["origin"], newest["by"]) == ("edit FACT 2026-10-12-0001", "terminal", "you")
    assert (oldest["reason"], oldest["origin"]) == ("remember kiln", "script")
    assert list(newest) == [
        *("change", "at", "reason", "origin", "by", "undoes", "undone_by", "notes", "memories", "rows"),
    ]
    assert kiln("log", "--limit", "1").out.splitlines()[0].split("  ")[-1] == "edit FACT 2026-10-12-0001"


def test_the_log_of_one_memory(kiln: Desk) -> None:
    kiln.remember("FACT", "glaze", "celadon")
    kiln.json("edit", ID, "--tag", "pottery")
    assert reasons(kiln, ID) == ["edit FACT 2026-10-12-0001", "remember kiln"]
    assert reasons(kiln, ID, "--limit", "1") == ["edit FACT 2026-10-12-0001"]
    assert kiln("log", "nowhere.md").code == 2


def test_undo_walks_back_and_redo_forward(kiln: Desk) -> None:
    states = [tree(kiln.root)]
    for statement in ("1250 C", "1260 C"):
        kiln.json("edit", ID, "--statement", statement)
        states.append(tree(kiln.root))
    for state in (states[1], states[0]):
        assert kiln("undo").code == 0
        assert tree(kiln.root) == state
    for state in (states[1], states[2]):
        assert kiln("undo", "--redo").code == 0
        assert tree(kiln.root) == state
    answer = kiln("undo", "--redo")
    assert (answer.code, answer.err.count("\n")) == (2, 1)


def test_a_change_is_undone_by_its_number(kiln: Desk) -> None:
    first = kiln.json("log").json["changes"][0]["change"]
    kiln.remember("FACT", "glaze", "celadon")
    found = kiln.json("undo", str(first)).json["changes"]
    assert [change["undoes"] for change in found] == [first]
    assert kiln.json("list").subjects == ["glaze"]
    assert [change["undone_by"] for change in kiln.json("log", "--limit", "9").json["changes"]][-1] == found[0][
        "change"
    ]
    assert kiln("undo", str(first)).code == 2
    assert kiln("undo", "999").code == 2
    both = kiln("undo", str(first), "--redo")
    assert (both.code, both.err) == (2, "--redo takes back the last undo; leave out the number.\n")


def test_an_undo_over_anothers_edit_of_the_same_line_is_refused_with_both_kept(kiln: Desk) -> None:
    kiln.json("edit", ID, "--statement", "1250 C")
    path = kiln.root / ID
    path.write_text(path.read_text().replace("1250 C", "1111 C"))
    answer = kiln("undo", "--json")
    assert answer.code == 4
    assert answer.json["error"]["message"]
    assert "1111 C" in path.read_text()


# --- under git -------------------------------------------------------------------------------------------------------


@pytest.fixture
def tracked(kiln: Desk) -> Desk:
    """The bank as a git repository in which everything is committed."""
    git(kiln.root, "init", "-q")
    commit(kiln.root)
    return kiln


def git(root: Path, *words: str) -> str:
    environ = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.quotePath=false")
    return subprocess.run(
        ["git", *identity, *words], cwd=root, env=environ, capture_output=True, text=True, check=True
    ).stdout


def commit(root: Path) -> None:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "state")


def diff(root: Path) -> list[str]:
    """What git would commit: the changed lines with their file, renames as such."""
    git(root, "add", "-A")
    lines = git(root, "diff", "--cached", "-U0", "-M").splitlines()
    kept = ("+", "-", "rename ", "new file", "deleted file")
    return [line for line in lines if line.startswith(kept)]


def test_what_is_only_there_while_a_file_is_written_is_not_added_to_git(tracked: Desk) -> None:
    """`git add -A` may be called at any moment."""
    folder = (tracked.root / ID).parent
    names = [temporary_for(ID), aside_for(ID), temporary_for("settings/rules/tea.md")]
    for path in (*(folder / name for name in names), tracked.root / "index.json.tmp"):
        path.write_text("half", encoding="utf-8")
    (tracked.root / ".index.lock").mkdir()
    (tracked.root / ".index.lock" / "owner.json").write_text("{}", encoding="utf-8")
    assert git(tracked.root, "status", "--porcelain", "-uall") == ""
    assert diff(tracked.root) == []


def test_git_shows_a_new_memory_as_one_new_file(tracked: Desk) -> None:
    id = tracked.remember("FACT", "glaze", "celadon")
    assert git(tracked.root, "status", "--porcelain", "-uall") == f"?? {id}\n"


def test_git_shows_just_the_edited_lines(tracked: Desk) -> None:
    tracked.at("2026-10-13T09:00:00+00:00").json("edit", ID, "--statement", "Fires at 1250 C")
    assert diff(tracked.root) == [
        f"--- a/{ID}",
        f"+++ b/{ID}",
        "-statement: Fires at 1240 C",
        "+statement: Fires at 1250 C",
        "-updated: 2026-10-12",
        "+updated: 2026-10-13",
        "-Fires at 1240 C",
        "+Fires at 1250 C",
    ]


def test_git_shows_a_forgotten_memory_as_gone_and_restored_as_never_gone(tracked: Desk) -> None:
    tracked.json("forget", ID)
    assert git(tracked.root, "status", "--porcelain", "-uall") == f" D {ID}\n"
    tracked.json("restore", ID)
    assert git(tracked.root, "status", "--porcelain", "-uall") == ""


def test_git_shows_an_approval_as_the_one_memory_and_its_undo_as_nothing(tracked: Desk) -> None:
    words = ("edit", ID, "--tag", "pottery", "--as", "aria")
    (filed,) = tracked.at("2026-10-13T09:00:00+00:00").json(*words).json["proposals"]
    assert diff(tracked.root) == []
    assert tracked.at("2026-10-13T09:00:00+00:00")("approve", filed["id"], tty=True).code == 0
    assert diff(tracked.root) == [
        f"--- a/{ID}",
        f"+++ b/{ID}",
        "-updated: 2026-10-12",
        "-tags: []",
        "+updated: 2026-10-13",
        "+tags: [pottery]",
    ]
    assert tracked("undo").code == 0
    assert diff(tracked.root) == []


def test_reading_and_counting_uses_leaves_git_clean(tracked: Desk) -> None:
    for words in (("list",), ("recall", "kiln"), ("context", "--as", "aria"), ("show", ID), ("review",), ("log",)):
        assert tracked(*words).code == 0
    assert git(tracked.root, "status", "--porcelain", "-uall") == ""
