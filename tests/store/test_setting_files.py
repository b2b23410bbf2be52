"""Rules, personas and skills as files: written and taken back like memories, never overwritten unseen (§11, §4.12)."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.bank import Bank
from store.changes import Change, PutRow, PutSettingFile
from store.errors import BadInput, Changed, Conflict, NotPermitted, SecretFound
from store.objects import sha_of
from store.setting_file import (
    SettingFile,
    check_name,
    parse_frontmatter,
    read_setting,
    render,
    serialize_frontmatter,
    setting_path,
    split_keywords,
)
from tests.store.world import KILLED, Fast, Killing, again, in_child, make, no_leftovers, put

PATH = "settings/rules/commit-style.md"
TEXT = "---\nid: rule:commit-style\nname: commit-style\n---\n\nUse imperative mood.\n"
OTHER = TEXT.replace("imperative mood", "the past tense")
NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return make(tmp_path)


def on_disk(bank: Bank, path: str = PATH) -> str | None:
    file = bank.path / path
    return file.read_text(encoding="utf-8") if file.exists() else None


def new() -> PutSettingFile:
    return PutSettingFile(PATH, TEXT)


def test_a_rule_is_written_shown_and_no_memory(bank: Bank) -> None:
    before = bank.view()
    committed = put(bank, new())
    shown = bank.view().setting_files[PATH]
    assert (shown.kind, shown.name, shown.body, shown.sha) == (
        "rule",
        "commit-style",
        "Use imperative mood.",
        sha_of(TEXT.encode()),
    )
    assert on_disk(bank) == TEXT
    assert (dict(before.setting_files), bank.view().live, committed.ids) == ({}, (), ())
    assert [(one.id, one.path_before, one.path_after) for one in committed.files] == [(PATH, None, PATH)]
    assert [one.number for one in bank.history(id=PATH)] == [committed.number]


def test_undo_takes_a_new_file_away_and_brings_the_earlier_text_back(tmp_path: Path, bank: Bank) -> None:
    put(bank, new())
    put(bank, PutSettingFile(PATH, OTHER, sha_of(TEXT.encode())))
    assert on_disk(bank) == OTHER
    bank.undo(origin="screen")
    assert (on_disk(bank), bank.view().setting_files[PATH].body) == (TEXT, "Use imperative mood.")
    bank.close()
    bank = again(tmp_path)
    bank.undo(origin="screen")
    assert (on_disk(bank), dict(bank.view().setting_files)) == (None, {})
    bank.redo(origin="screen")
    bank.redo(origin="screen")
    assert on_disk(bank) == OTHER
    put(bank, PutSettingFile(PATH, None, sha_of(OTHER.encode())))
    assert on_disk(bank) is None
    bank.undo(origin="screen")
    assert on_disk(bank) == OTHER


@pytest.mark.parametrize("base", [None, sha_of(b"something else")])
def test_a_file_that_is_there_is_never_overwritten_unseen(bank: Bank, base: str | None) -> None:
    file = bank.path / PATH
    file.parent.mkdir(parents=True)
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(Changed, match="look at the difference"):
        put(bank, PutSettingFile(PATH, TEXT, base), PutRow("gaps", "g", {"state": "x"}))
    assert (on_disk(bank), dict(bank.view().rows("gaps"))) == ("mine", {})


def test_undo_takes_away_the_folders_that_the_change_made_and_redo_makes_them_again(bank: Bank) -> None:
    put(bank, new())
    bank.undo(origin="screen")
    assert not (bank.path / "settings").exists()
    bank.redo(origin="screen")
    assert on_disk(bank) == TEXT
    bank.undo(origin="screen")
    assert not (bank.path / "settings").exists() and dict(bank.view().setting_files) == {}


def test_undo_leaves_folders_that_were_there_before_and_those_in_which_something_is(bank: Bank) -> None:
    (bank.path / "settings").mkdir()
    put(bank, new())
    bank.undo(origin="screen")
    assert (bank.path / "settings").is_dir() and not (bank.path / "settings" / "rules").exists()
    put(bank, new())
    note = bank.path / "settings" / "rules" / "note.txt"
    note.write_text("mine")
    bank.undo(origin="screen")
    assert note.read_text() == "mine" and on_disk(bank) is None


def test_undo_after_a_restart_knows_the_folders_too(tmp_path: Path, bank: Bank) -> None:
    put(bank, new())
    bank.close()
    reopened = again(tmp_path)
    reopened.undo(origin="screen")
    assert not (reopened.path / "settings").exists()


def test_the_text_that_another_program_wrote_comes_back_with_undo(bank: Bank) -> None:
    file = bank.path / PATH
    file.parent.mkdir(parents=True)
    file.write_text("mine", encoding="utf-8")
    bank.refresh()
    put(bank, PutSettingFile(PATH, TEXT, bank.view().setting_files[PATH].sha))
    assert on_disk(bank) == TEXT
    bank.undo(origin="screen")
    assert on_disk(bank) == "mine"


def test_undo_keeps_what_a_person_wrote_into_the_file_since(bank: Bank) -> None:
    put(bank, new())
    (bank.path / PATH).write_text(TEXT + "Mine.\n", encoding="utf-8")
    with pytest.raises(Conflict, match="was changed since"):
        bank.undo(origin="screen")
    assert on_disk(bank) == TEXT + "Mine.\n"


def test_edits_by_other_programs_are_noticed(tmp_path: Path, bank: Bank) -> None:
    told: list[str] = []
    bank.subscribe(lambda event: told.append(event.kind))
    folder = bank.path / "settings" / "personas"
    folder.mkdir(parents=True)
    (folder / "editor.md").write_text("---\nkeywords: draft，prose、text\n---\nEdits.", encoding="utf-8")
    bank.refresh()
    shown = bank.view().setting_files["settings/personas/editor.md"]
    assert (shown.kind, shown.name, shown.keywords) == ("persona", "editor", ("draft", "prose", "text"))
    assert told == ["outside"] and bank.knows(folder / "editor.md")
    bank.refresh()
    assert told == ["outside"]
    (folder / "editor.md").unlink()
    assert not bank.knows(folder / "editor.md")
    bank.refresh()
    assert dict(bank.view().setting_files) == {} and told == ["outside", "outside"]


def test_what_cannot_be_read_is_a_problem_and_hides_nothing_else(bank: Bank, tmp_path: Path) -> None:
    folder = bank.path / "settings" / "rules"
    folder.mkdir(parents=True)
    (folder / "good.md").write_text("Be brief.", encoding="utf-8")
    (folder / "bytes.md").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "away.md").write_text("outside", encoding="utf-8")
    (folder / "link.md").symlink_to(tmp_path / "away.md")
    bank.refresh()
    assert list(bank.view().setting_files) == ["settings/rules/good.md"]
    assert [one.path for one in bank.view().problems] == ["settings/rules/bytes.md", "settings/rules/link.md"]
    with pytest.raises(Changed):
        put(bank, PutSettingFile("settings/rules/link.md", TEXT))
    assert (tmp_path / "away.md").read_text(encoding="utf-8") == "outside"


@pytest.mark.parametrize(
    "path",
    [
        "settings/rules/../../etc.md",
        "settings/rules/a/b.md",
        "settings/other/a.md",
        "settings/rules/.md",
        "settings/rules/_draft.md",
        "settings/rules/README.md",
        "settings/rules/a b.md",
        "settings/rules/a.txt",
        "facts/a.md",
        "/settings/rules/a.md",
        "settings/rules/guardrails/a.md",
    ],
)
def test_nothing_is_written_outside_of_the_three_folders(bank: Bank, path: str) -> None:
    with pytest.raises(BadInput):
        put(bank, PutSettingFile(path, TEXT))
    assert not (bank.path / "settings").exists()


def test_an_agent_writes_no_setting_file_even_where_agents_write(bank: Bank) -> None:
    put(bank, PutRow("settings", "agents_write", {"value": True}))
    with pytest.raises(NotPermitted, match="only propose"):
        put(bank, new(), agent="aria")


def test_a_secret_is_refused(bank: Bank) -> None:
    with pytest.raises(SecretFound):
        put(bank, PutSettingFile(PATH, TEXT + "token=ghp_exampleexampleexample0123456789\n"), proposed=True)
    assert on_disk(bank) is None


def approval(text: str, base: str | None = None) -> tuple[Change, ...]:
    return PutSettingFile(PATH, text, base), PutRow("proposals", "s", {"state": text})


@pytest.mark.parametrize("half", [False, True], ids=["between calls", "in a write"])
def test_an_approval_killed_at_any_system_call_is_whole_or_not_at_all(tmp_path: Path, half: bool) -> None:
    first = make(tmp_path / "base", disk=Fast())
    put(first, *approval(TEXT))
    first.close()
    outcomes = set()
    for at in range(1, 500):
        there = tmp_path / "try"
        shutil.copytree(tmp_path / "base", there)
        disk = Killing(at, half=half)
        change = approval(OTHER, sha_of(TEXT.encode()))
        code = in_child(lambda: put(again(there, disk=disk), *change))  # type: ignore[func-returns-value] # noqa: B023
        assert code in {0, KILLED}
        bank = again(there, disk=Fast())
        state = bank.view().rows("proposals")["s"]["state"]
        assert (state, bank.view().setting_files[PATH].text) in ((TEXT, TEXT), (OTHER, OTHER))
        no_leftovers(bank)
        assert on_disk(bank) == state
        outcomes.add(state)
        shutil.rmtree(there)
        if code == 0:
            break
    assert outcomes == {TEXT, OTHER}


def test_texts_outlive_a_compaction_of_the_ledger(bank: Bank, tmp_path: Path) -> None:
    put(bank, new())
    put(bank, PutSettingFile(PATH, OTHER, sha_of(TEXT.encode())))
    put(bank, PutRow("gaps", "large", {"note": "x" * 400_000}))
    bank.close()
    bank = again(tmp_path)
    bank.undo(2, origin="screen")
    assert on_disk(bank) == TEXT


_LINES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), max_size=30).map(str.strip)


@given(st.dictionaries(_LINES.filter(lambda key: key and ":" not in key), _LINES.filter(bool)), st.text(max_size=60))
def test_property_front_matter_reads_back_as_written(fields: dict[str, str], body: str) -> None:
    text = f"---\n{serialize_frontmatter(fields)}\n---\n{body}"
    assert parse_frontmatter(text) == (fields, body)
    assert parse_frontmatter(text.replace("\n", "\r\n"))[0] == fields


@given(st.text(max_size=200))
def test_fuzz_any_text_reads_as_a_setting(text: str) -> None:
    data = text.encode("utf-8", "replace")
    found = read_setting("settings/rules/any.md", data, sha_of(data))
    assert found.name and found.body == found.body.strip()


@given(st.text(max_size=120))
def test_property_a_name_that_passes_stays_in_its_folder(name: str) -> None:
    try:
        path = setting_path("rule", name)
    except BadInput:
        return
    assert path == f"settings/rules/{check_name(name)}.md" and path.count("/") == 2 and ".." not in path
    assert len(path.rpartition("/")[2].encode()) <= 203


def test_values_of_several_lines_are_refused() -> None:
    for value in ("two\nlines", "two\rlines", "ends\n", "two\u2028lines"):
        with pytest.raises(BadInput):
            serialize_frontmatter({"description": value})
    with pytest.raises(BadInput):
        serialize_frontmatter({"a:b": "c"})


def test_a_new_file_says_what_it_is_and_how_it_is_found() -> None:
    text = render("skill", "plan", "Plan first.\n\n", 0.7, NOW, description="How to plan", keywords=("plan", "规划"))
    assert text == (
        "---\nid: skill:plan\nsource: skill\nname: plan\ndescription: How to plan\nkeywords: plan, 规划\nscore: 0.7\n"
        "createdAt: 2026-06-01T00:00:00Z\naccessedAt: 2026-06-01T00:00:00Z\n---\n\nPlan first.\n"
    )


def test_a_file_that_is_replaced_keeps_what_a_person_added() -> None:
    mine = "---\ntrigger: /plan/i\nname: plan\ncreatedAt: 2025-01-01T00:00:00Z\ntraits.calm: 0.9\n---\nOld."
    before = read_setting("settings/skills/plan.md", mine.encode(), "sha")
    fields, body = parse_frontmatter(render("skill", "plan", "New.", 0.8, NOW, before=before))
    assert list(fields)[:4] == ["trigger", "name", "createdAt", "traits.calm"]
    assert (fields["createdAt"], fields["accessedAt"], fields["score"], body.strip()) == (
        "2025-01-01T00:00:00Z",
        "2026-06-01T00:00:00Z",
        "0.8",
        "New.",
    )


def test_keywords_split_at_the_commas_of_both_scripts() -> None:
    assert split_keywords("a, b，c、d;e , a") == ("a", "b", "c", "d", "e")


def test_a_template_is_told_from_a_rule() -> None:
    def file(text: str) -> SettingFile:
        return read_setting("settings/rules/x.md", text.encode(), "")

    assert file("# Title\n\n> describe your rule here\n> one per line").template
    assert not file("# Title\n> quote\nReal rule text").template
    assert not file("> quote " + "x" * 200).template
