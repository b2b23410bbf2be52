"""`init`, `remember`, `edit`, `forget` and `restore` by a person."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from store.bank import Bank
from store.changes import Changeset
from store.vault.disk import NoSpace
from tests.cli.desk import Answer, Desk, call, tree

ID = "facts/2026/10/2026-10-12-0001.md"


@pytest.fixture
def kiln(desk: Desk) -> Desk:
    desk.remember("FACT", "kiln", "Fires at 1240 C")
    return desk


def text(desk: Desk, id: str = ID) -> str:
    return (desk.root / id).read_text(encoding="utf-8")


def refused(answer: Answer, sentence: str, code: int = 2) -> None:
    assert (answer.code, answer.out, answer.err) == (code, "", sentence + "\n")


def editor(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Make a script the person's editor; `$1` is the file that it is given."""
    path = folder / "editor.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("EDITOR", str(path))
    monkeypatch.delenv("VISUAL", raising=False)


def test_init_makes_a_plain_bank(tmp_path: Path) -> None:
    answer = call(["init", str(tmp_path / "new")])
    assert answer.code == 0
    assert (
        answer.out == f"Made a plain bank at {tmp_path / 'new'}; its files can be read by whoever reads the folder.\n"
    )
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == [
        *(".archive", ".gitignore", "README.md", "facts", "private"),
    ]
    assert call(["init", str(tmp_path / "new"), "--attach", "--json"]).json == {
        "schema": 1,
        "bank": str(tmp_path / "new"),
        "made": False,
        "encrypted": False,
    }


def test_init_without_a_path_makes_the_default_bank() -> None:
    assert call(["init", "--json"]).json["bank"] == str(Path.home() / ".yottamemory")
    assert call(["list"]).code == 0


def test_remember_says_what_it_made_and_how_to_take_it_back(desk: Desk) -> None:
    answer = desk("remember", "fact", "kiln", "Fires at 1240 C")
    assert answer.out.splitlines() == [
        f"FACT    {ID}  new",
        "Change 1: remember kiln. `memdesk undo` takes it back.",
    ]


def test_remember_as_json(desk: Desk) -> None:
    found = desk.json("remember", "FACT", "kiln", "Fires at 1240 C", "--tag", "a", "--tag", "b", "--weight", "2").json
    assert list(found) == ["schema", "memories", "changes"]
    assert (found["memories"][0]["id"], found["memories"][0]["tags"]) == (ID, ["a", "b"])
    assert found["changes"][0]["change"] == 1
    assert "\nweight: 2\n" in text(desk)


def test_a_statement_is_read_from_stdin(desk: Desk) -> None:
    desk.json("remember", "FACT", "kiln", "-", stdin="Fires at 1240 C\nfor 9 hours\n")
    assert "\nstatement: Fires at 1240 C for 9 hours\n" in text(desk)
    assert text(desk).endswith("---\nFires at 1240 C\nfor 9 hours\n")
    desk.json("edit", ID, "--statement", "-", stdin="1250 C\n")
    assert "\nstatement: 1250 C\n" in text(desk)


def test_what_is_remembered_twice_stays_one_memory(kiln: Desk) -> None:
    answer = kiln("remember", "FACT", "kiln", "Fires at 1240 C")
    assert (answer.code, answer.out) == (0, f"FACT    {ID}  unchanged\n")
    assert answer.err == "Nothing changed.\n"
    assert kiln.json("log").json["changes"][0]["change"] == 1


def test_remembering_by_hand_what_was_forgotten_brings_it_back(kiln: Desk) -> None:
    kiln.json("forget", ID)
    assert kiln.remember("FACT", "kiln", "Fires at 1240 C") == "facts/2026/10/2026-10-12-0002.md"


@pytest.mark.parametrize("words", [(), ("FACT",), ("FACT", "kiln")])
def test_too_few_words_are_refused(desk: Desk, words: tuple[str, ...]) -> None:
    answer = desk("remember", *words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.startswith("Missing argument '")
    assert "write `memdesk remember TYPE SUBJECT STATEMENT`" in answer.err


@pytest.mark.parametrize("weight", ["0", "-1", "heavy", "nan"])
def test_a_weight_is_a_positive_number(desk: Desk, weight: str) -> None:
    answer = desk("remember", "FACT", "kiln", "hot", "--weight", weight)
    assert answer.code == 2
    assert answer.err.count("\n") == 1
    assert desk.json("list").memories == []


TOKEN = "token ghp_" + "Q" * 36


def test_a_secret_is_stored_only_when_the_person_insists(desk: Desk) -> None:
    answer = desk("remember", "FACT", "ci", TOKEN)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.endswith("take it out, or add --secret-ok.\n")
    assert "QQQQ" not in answer.err
    assert desk.json("list").memories == []
    assert desk("remember", "FACT", "ci", TOKEN, "--secret-ok").code == 0


def test_an_edit_changes_what_it_names(kiln: Desk) -> None:
    answer = kiln("edit", ID, "--statement", "Fires at 1250 C", "--tag", "pottery")
    assert answer.out.splitlines()[0] == f"FACT    {ID}  updated"
    (memory,) = kiln.json("show", ID).memories
    assert (memory["statement"], memory["tags"], memory["subject"]) == ("Fires at 1250 C", ["pottery"], "kiln")


def test_a_fact_made_a_preference_moves_to_its_owner_and_keeps_its_id(kiln: Desk) -> None:
    kiln.json("edit", ID, "--type", "pref", "--owner", "aria")
    (memory,) = kiln.json("show", ID).memories
    assert (memory["id"], memory["path"]) == (ID, "private/aria/prefs/2026/10/2026-10-12-0001.md")
    assert not (kiln.root / ID).exists()


def test_a_preference_needs_an_owner_when_it_is_made_one(kiln: Desk) -> None:
    before = tree(kiln.root)
    answer = kiln("edit", ID, "--type", "PREF")
    assert answer.code == 2
    assert tree(kiln.root) == before


def test_a_protected_memory_is_changed_only_after_unprotecting(kiln: Desk) -> None:
    kiln.json("edit", ID, "--protect")
    for words in (("edit", ID, "--statement", "x"), ("forget", ID)):
        answer = kiln(*words)
        assert answer.code == 3
        assert f"`memdesk edit {ID} --unprotect`" in answer.err
    kiln.json("edit", ID, "--unprotect")
    assert kiln("forget", ID).code == 0


def test_the_editor_gets_the_whole_file(kiln: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor(tmp_path, monkeypatch, f'cp "$1" {tmp_path}/seen; sed -i s/1240/1260/ "$1"')
    before = text(kiln)
    answer = kiln("edit", ID)
    assert answer.code == 0, answer
    assert (tmp_path / "seen").read_text() == before
    assert text(kiln) == before.replace("1240", "1260")


def test_the_editor_keeps_line_ends_and_a_missing_last_one(
    kiln: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = b"\xef\xbb\xbf" + text(kiln).replace("\n", "\r\n").encode().removesuffix(b"\r\n")
    (kiln.root / ID).write_bytes(data)
    editor(tmp_path, monkeypatch, 'sed -i "s/subject: kiln/subject: oven/" "$1"')
    assert kiln("edit", ID).code == 0
    assert (kiln.root / ID).read_bytes() == data.replace(b"subject: kiln", b"subject: oven")


def test_what_an_editor_saved_is_kept_when_the_bank_cannot_take_it(
    kiln: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk: the text is somewhere else, and the first line says where."""

    def full(self: Bank, changeset: Changeset) -> None:
        raise NoSpace("There is no space left; free some and try again.")

    (tmp_path / "kept").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "kept"))
    editor(tmp_path, monkeypatch, 'sed -i s/1240/1260/ "$1"')
    before = text(kiln)
    monkeypatch.setattr(Bank, "commit", full)
    answer = kiln("edit", ID)
    (kept,) = (tmp_path / "kept").iterdir()
    assert answer.err.splitlines() == [
        f"What you saved is kept in {kept}.",
        "There is no space left; free some and try again.",
    ]
    assert (answer.code, answer.out) == (5, "")
    assert kept.read_text() == before.replace("1240", "1260") and text(kiln) == before


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("exit 3", "ended with code 3; nothing was changed.\n"),
        ('rm "$1"', "The editor left no file; nothing was changed.\n"),
    ],
)
def test_an_editor_that_fails_changes_nothing(
    kiln: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, sentence: str
) -> None:
    editor(tmp_path, monkeypatch, script)
    before = tree(kiln.root)
    answer = kiln("edit", ID)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.endswith(sentence)
    assert tree(kiln.root) == before


def test_without_an_editor_a_script_is_told_what_to_give(kiln: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EDITOR", raising=False)
    monkeypatch.delenv("VISUAL", raising=False)
    refused(kiln("edit", ID), "Nothing says what to change; give --statement or another option, or set $EDITOR.")


def test_an_editor_does_not_open_on_a_bank_that_cannot_be_written(
    kiln: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor(tmp_path, monkeypatch, f"touch '{tmp_path}/started'")
    answer = kiln("--read-only", "edit", ID)
    assert (answer.code, answer.out) == (3, "")
    assert answer.err.startswith("The bank was opened for reading only;")
    assert not (tmp_path / "started").exists()


def test_a_person_can_send_an_own_change_to_review(kiln: Desk) -> None:
    before = tree(kiln.root)
    found = kiln.json("edit", ID, "--statement", "1300 C", "--propose").json
    (proposal,) = found["proposals"]
    assert proposal["fate"] == "filed"
    assert tree(kiln.root) == before
    (waiting,) = kiln.json("review").json["proposals"]
    assert (waiting["id"], waiting["by"]) == (proposal["id"], "you")


def test_forget_and_restore(kiln: Desk) -> None:
    before = tree(kiln.root)
    answer = kiln("forget", ID, "--reason", "sold the kiln")
    moved, change = answer.out.splitlines()
    assert moved == f"FACT    {ID}  trashed"
    assert change.endswith(": sold the kiln. `memdesk undo` takes it back.")
    assert kiln.json("list").memories == []
    assert kiln.json("list", "--state", "trash").subjects == ["kiln"]
    assert kiln("restore", ID).out.splitlines()[0] == f"FACT    {ID}  live"
    assert tree(kiln.root) == before


def test_several_are_forgotten_as_one_change(kiln: Desk) -> None:
    other = kiln.remember("FACT", "glaze", "celadon")
    found = kiln.json("forget", ID, other, ID).json
    assert [memory["id"] for memory in found["memories"]] == [ID, other]
    (change,) = found["changes"]
    assert kiln("undo").code == 0
    assert len(kiln.json("list").memories) == 2
    assert change["reason"] == "forget 2 memories"


def test_one_unknown_among_several_forgets_none(kiln: Desk) -> None:
    refused(kiln("forget", ID, "nowhere.md"), "There is no memory 'nowhere.md'; use an id that `memdesk list` prints.")
    assert kiln.json("list").subjects == ["kiln"]


@pytest.mark.parametrize(
    "words",
    [
        ("list", "--state", "gone"),
        ("show",),
        ("show", ID, "again"),
        ("forget",),
        ("edit", ID, "statement"),
        ("undo", "1", "2"),
        ("undo", "first"),
        ("recall", "--ranker", "magic"),
        ("review", "me"),
        ("context", "me"),
        ("config", "get", "theme", "mouse"),
        ("config", "set", "theme"),
    ],
)
def test_wrong_use_is_one_sentence_with_the_right_one(kiln: Desk, words: tuple[str, ...]) -> None:
    before = tree(kiln.root)
    answer = kiln(*words)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.count("\n") == 1
    assert "--help`.\n" in answer.err
    assert tree(kiln.root) == before
