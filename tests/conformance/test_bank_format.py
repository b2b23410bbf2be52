"""Conformance of the entry format, names and layout with `spec/bank.md`: one test per case, named by it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.errors import AmbiguousMemory
from store.memory import Memory
from store.vault.disk import Disk
from store.vault.entry import edit, parse, render
from store.vault.layout import Numbers, archive_path, judge, new_path, trash_path, twin_groups
from store.vault.scalars import split_tags
from store.vault.scan import scan
from store.view import View

CASES = Path(__file__).parent / "cases" / "bank-cases.jsonl"


def read(text: str, path: str = "facts/x.md") -> Memory:
    return parse(text.encode(), id=path, path=path)


def put(root: Path, path: str, text: str = "---\ntype: FACT\nstatement: s\n---\ns\n") -> str:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")
    return path


def next_path(root: Path, type: str, owner: str, day: str) -> str:
    return new_path(type, owner, day, Numbers.of(scan(Disk(), root).files))


def test_yb_008_archive_paths() -> None:
    """.archive/facts/2025/01/2025-01-14-0001.md; .archive/facts/2026-02-02-0009.md;
    .archive/private/lan/bounds/2026/02/2026-02-02-0001.md.enc"""
    assert archive_path("facts/2025/01/2025-01-14-0001.md") == ".archive/facts/2025/01/2025-01-14-0001.md"
    assert archive_path("facts/2026-02-02-0009.md") == ".archive/facts/2026-02-02-0009.md"
    assert (
        archive_path("private/lan/bounds/2026/02/2026-02-02-0001.md.enc")
        == ".archive/private/lan/bounds/2026/02/2026-02-02-0001.md.enc"
    )


def test_yb_009_one_identity_in_two_layouts(tmp_path: Path) -> None:
    """conflicts 1 naming both paths; two index entries; the new file is 2026-09-25-0005.md."""
    flat, layered = "facts/2026-09-25-0004.md", "facts/2026/09/2026-09-25-0004.md"
    for path, words in ((flat, "one"), (layered, "another")):
        put(tmp_path, path, f"---\ntype: FACT\nstatement: {words}\nowner: aria\n---\n{words}\n")
    found = scan(Disk(), tmp_path)
    assert [(twins.state, twins.paths) for twins in found.twins] == [("conflict", (layered, flat))]
    assert set(found.memories) == {flat, layered}
    assert next_path(tmp_path, "FACT", "aria", "2026-09-25") == "facts/2026/09/2026-09-25-0005.md"


def test_yb_010_tolerant_reading() -> None:
    """type FACT; subject "build: cache" (split at first colon); statement "keep 7 days" (one quote pair stripped); the
    colon-less line ignored; scope "private" (last wins); unknown key team kept; body "body"."""
    memory = read(
        "---\ntype: fact\nsubject: build: cache\nstatement: 'keep 7 days'\nnote to self\n"
        "scope: public\nscope: private\nteam: core\n---\nbody"
    )
    assert (memory.type, memory.subject, memory.statement) == ("FACT", "build: cache", "keep 7 days")
    assert (memory.scope, memory.extra, memory.body) == ("private", (("team", "core"),), "body")


def test_yb_011_block_lists_are_no_tags() -> None:
    """Empty list: block lists are not understood."""
    assert read("---\ntype: FACT\ntags:\n  - red\n  - blue\n---\nx\n").tags == ()


def test_yb_012_a_new_entry_to_the_byte() -> None:
    """Exactly the published text: no blank line after the fence; last_accessed, feedback_net, hit_* absent."""
    fields = {"type": "FACT", "subject": "tea", "statement": "green, 80 C", "created": "2026-10-12"}
    assert render({**fields, "source": "chat", "owner": "aria"}).decode() == (
        "---\ntype: FACT\nsubject: tea\nstatement: green, 80 C\nconfidence: 1\ncreated: 2026-10-12\n"
        "updated: 2026-10-12\ntags: []\nimmutable: false\nscope: public\nowner: aria\nsource: chat\nweight: 1\n"
        "access_count: 0\n---\ngreen, 80 C\n"
    )


@pytest.mark.parametrize(
    ("value", "tags"),
    [("[a, b ,, c]", ["a", "b", "c"]), ('["x"]', ['"x"']), ("solo", ["solo"]), ("[]", [])],
)
def test_yb_013_tags_by_upstream_rules(value: str, tags: list[str]) -> None:
    """["a","b","c"]; one tag consisting of x with its quotes; ["solo"]; []."""
    assert split_tags(value) == tags


def test_yb_014_five_rewrites_leave_quotes_and_the_last_newline() -> None:
    """statement stays byte-identical (no backslashes), body ends with exactly one newline after every rewrite."""
    data = b'---\ntype: FACT\nsubject: s\nstatement: say "hi" now\naccess_count: 0\n---\nline1\n'
    for hits in range(1, 6):
        data = edit(data, {"access_count": hits, "last_accessed": f"2026-10-{hits:02d}"})
        assert b'\nstatement: say "hi" now\n' in data
        assert data.endswith(b"---\nline1\n")
        assert parse(data, id="x", path="x").access_count == hits


def test_yb_015_one_sequence_per_type_tree(tmp_path: Path) -> None:
    """Name 2026-10-12-0008.md: numbering is global per type tree, ignores dates and non-matching names."""
    for path in ("facts/2026-08-30-0001.md", "facts/2026/09/2026-09-03-0007.md", "facts/2026/10/notes.md"):
        put(tmp_path, path)
    assert next_path(tmp_path, "FACT", "", "2026-10-12") == "facts/2026/10/2026-10-12-0008.md"


def test_yb_016_counters_per_owner_and_type(tmp_path: Path) -> None:
    """0005, 0003 and 0012: counters are per owner and type."""
    put(tmp_path, "private/aria/prefs/2026-09-01-0004.md")
    put(tmp_path, "private/lan/prefs/2026/09/2026-09-01-0011.md")
    put(tmp_path, "private/aria/bounds/2026/09/2026-09-01-0002.md")
    day = "2026-10-12"
    assert next_path(tmp_path, "PREF", "aria", day) == "private/aria/prefs/2026/10/2026-10-12-0005.md"
    assert next_path(tmp_path, "BOUND", "aria", day) == "private/aria/bounds/2026/10/2026-10-12-0003.md"
    assert next_path(tmp_path, "PREF", "lan", day) == "private/lan/prefs/2026/10/2026-10-12-0012.md"


def test_yb_017_a_number_in_the_trash_is_not_given_again(tmp_path: Path) -> None:
    """The new file must not be ...-0003.md; the first free number is 0004."""
    put(tmp_path, "facts/2026/10/2026-10-11-0002.md")
    put(tmp_path, trash_path("facts/2026/10/2026-10-12-0003.md", "2026-10-12T06-12-44-310Z"))
    assert next_path(tmp_path, "FACT", "", "2026-10-12") == "facts/2026/10/2026-10-12-0004.md"


def test_yb_018_a_name_in_two_folders_is_ambiguous(tmp_path: Path) -> None:
    """Refused as ambiguous, both candidates listed, nothing moved."""
    paths = ["facts/2026/10/2026-10-12-0001.md", "private/aria/prefs/2026/10/2026-10-12-0001.md"]
    for path in paths:
        put(tmp_path, path)
    view = View.of(scan(Disk(), tmp_path).memories.values())
    with pytest.raises(AmbiguousMemory) as refused:
        view.resolve("2026-10-12-0001.md")
    assert sorted(refused.value.candidates) == paths
    assert all((tmp_path / path).is_file() for path in paths)


def test_the_cases_of_this_file_stand_in_the_case_file() -> None:
    """Every case id that a test here carries is a case of the specification."""
    ids = {json.loads(line)["id"] for line in CASES.read_text(encoding="utf-8").splitlines()}
    mine = {name.split("_")[2] for name in globals() if name.startswith("test_yb_")}
    assert {f"YB-{number}" for number in mine} == {f"YB-{number:03d}" for number in range(8, 19)}
    assert {f"YB-{number}" for number in mine} <= ids


def test_copies_in_two_layouts_are_one_memory_when_they_say_the_same() -> None:
    """Same bytes but for line ends: a duplicate, and only the deepest path is kept (`spec/bank.md` §2.6)."""
    flat, layered = "facts/2026-09-25-0004.md", "facts/2026/09/2026-09-25-0004.md"
    (group,) = twin_groups({flat: "aria", layered: "aria", "facts/2026/08/2026-09-25-0004.md": "lan"})
    assert group == (layered, flat)
    found = judge(group, {flat: b"a\r\nb\r\n", layered: b"a\nb\n"})
    assert (found.state, found.kept) == ("duplicate", (layered,))
    assert judge(group, {flat: None, layered: b"a"}).state == "unverified"
