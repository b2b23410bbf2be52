"""The worked vault of `spec/bank.md` §24 through the commands: its published values, and its bytes."""

from __future__ import annotations

import difflib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.desk import Desk, tree
from tests.conformance.memories import VAULT

EXPECTED: dict[str, Any] = json.loads((VAULT.parent / "expected.json").read_bytes())
STAGING = "facts/2026-08-30-0001.md"
WEEKLY = "facts/2026/09/2026-09-03-0002.md"
REVIEW = "private/aria/prefs/2026/09/2026-09-05-0002.md"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    shutil.copytree(VAULT, tmp_path / "bank")
    return Desk(tmp_path / "bank")


def changed(before: dict[str, bytes], after: dict[str, bytes]) -> dict[str, list[str]]:
    """The lines that went and came, by file."""
    found: dict[str, list[str]] = {}
    for path in sorted(before.keys() | after.keys()):
        old, new = (texts.get(path, b"").decode().splitlines() for texts in (before, after))
        lines = [line for line in difflib.unified_diff(old, new, n=0, lineterm="") if line[:3] not in {"---", "+++"}]
        if shown := [line for line in lines if not line.startswith("@@")]:
            found[path] = shown
    return found


def test_list_gives_the_published_utility_and_importance(desk: Desk) -> None:
    memories = desk.json("list").memories
    assert len(memories) == EXPECTED["live_entries"]
    values = {memory["subject"]: [memory["utility"], memory["importance"]] for memory in memories}
    assert values == EXPECTED["values"]
    assert len(desk.json("list", "--state", "archive").memories) == EXPECTED["archived"]


@pytest.mark.parametrize("subject", EXPECTED["values"])
def test_show_gives_the_published_utility_and_importance(desk: Desk, subject: str) -> None:
    (id,) = [memory["id"] for memory in desk.json("list").memories if memory["subject"] == subject]
    answer = desk.json("show", id, "--explain").json
    (memory,) = answer["memories"]
    assert [memory["utility"], memory["importance"]] == EXPECTED["values"][subject]
    assert [answer["explain"]["utility"]["total"], answer["explain"]["importance"]] == EXPECTED["values"][subject]


@pytest.mark.parametrize("case", EXPECTED["recall_as_aria"], ids=lambda case: case["query"])
def test_recall_gives_the_published_scores(desk: Desk, case: dict[str, Any]) -> None:
    answer = desk.json("recall", case["query"], "--ranker", "yotta", "--explain", "--as", "aria")
    assert answer.json["ranker"] == "yotta"
    hits = answer.memories
    assert [[hit["subject"], hit["score"]] for hit in hits] == case.get("match", case.get("hits"))
    assert [hit["explain"]["score"] for hit in hits] == [hit["score"] for hit in hits]
    if "final" in case:
        assert [hit["final"] for hit in hits] == case["final"]
    if "by" in case:
        assert [part["name"] for part in hits[0]["explain"]["parts"] if part["words"]][:1] == [case["by"]]


def test_what_lan_keeps_private_is_seen_only_through_the_grant(desk: Desk) -> None:
    assert desk.json("recall", "jielun", "--ranker", "yotta", "--as", "aria").subjects == ["沟通风格"]
    (desk.root / "grants.json").unlink()
    assert desk.json("recall", "jielun", "--ranker", "yotta", "--as", "aria").memories == []


READING = (
    ("list",),
    ("list", "--as", "aria", "--json"),
    ("recall", "production"),
    ("recall", "备份", "--as", "aria"),
    ("recall", "--explain"),
    ("show", "2026-08-30-0001", "--explain"),
    ("context", "--as", "aria"),
    ("context", "--as", "lan", "--json"),
    ("context", "--as", "aria", "--profile"),
    ("review",),
    ("log",),
    ("config", "get"),
)


def test_no_reading_command_changes_a_byte_of_any_file(desk: Desk) -> None:
    before = tree(desk.root)
    for words in READING:
        assert desk(*words).code == 0, words
    assert tree(desk.root) == before


def test_looking_leaves_no_ledger_behind(desk: Desk) -> None:
    for words in (
        ("list",),
        ("show", STAGING, "--explain"),
        ("recall", "--explain"),
        ("context", "--as", "aria", "--explain"),
    ):
        assert desk(*words).code == 0
    assert not (desk.root / ".memdesk").exists()


@pytest.mark.parametrize("id", [path.relative_to(VAULT).as_posix() for path in sorted(VAULT.glob("[fp]*/**/*.md"))])
def test_saving_without_a_change_is_byte_identical(desk: Desk, id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tree(desk.root)
    memory = desk.json("show", id).memories[0]
    if not memory["immutable"]:
        assert desk("edit", id, "--subject", memory["subject"]).code == 0
        assert desk("edit", id, "--statement", memory["statement"]).code == 0
    monkeypatch.setenv("EDITOR", "true")
    answer = desk("edit", id)
    assert (answer.code, answer.out) == (0, "Nothing was changed.\n")
    assert tree(desk.root) == before


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (
            (STAGING, "--statement", "Staging runs on host kestrel-3, Postgres 17"),
            [
                "-statement: Staging runs on host kestrel-2, Postgres 16",
                "+statement: Staging runs on host kestrel-3, Postgres 17",
                "-updated: 2026-08-30",
                "+updated: 2026-10-12",
                "-Staging runs on host kestrel-2, Postgres 16",
                "+Staging runs on host kestrel-3, Postgres 17",
            ],
        ),
        (
            (WEEKLY, "--subject", "备份演练"),
            ["-subject: 备份", "+subject: 备份演练", "-updated: 2026-10-06", "+updated: 2026-10-12"],
        ),
        ((REVIEW, "--tag", "work"), ["-updated: 2026-09-05", "-tags: []", "+updated: 2026-10-12", "+tags: [work]"]),
        (
            (REVIEW, "--body", "Small pull requests, and why."),
            [
                "-updated: 2026-09-05",
                "+updated: 2026-10-12",
                "-Sam prefers small pull requests with a test plan",
                "+Small pull requests, and why.",
            ],
        ),
    ],
)
def test_an_edit_changes_only_the_lines_that_it_means(desk: Desk, words: tuple[str, ...], lines: list[str]) -> None:
    """The field's line, the body where it equalled the statement, and `updated` (`decisions.md` §8.4)."""
    before = tree(desk.root)
    assert desk("edit", *words).code == 0
    assert changed(before, tree(desk.root)) == {words[0]: lines}
    assert desk("undo").code == 0
    assert tree(desk.root) == before


def test_a_body_of_its_own_stays_when_the_statement_changes(desk: Desk) -> None:
    path = desk.root / STAGING
    path.write_text(path.read_text().replace("---\nStaging runs", "---\nIn full: staging runs"))
    before = tree(desk.root)
    assert desk("edit", STAGING, "--statement", "moved").code == 0
    assert changed(before, tree(desk.root))[STAGING] == [
        "-statement: Staging runs on host kestrel-2, Postgres 16",
        "+statement: moved",
        "-updated: 2026-08-30",
        "+updated: 2026-10-12",
    ]
