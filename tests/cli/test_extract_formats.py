"""`extract` takes files, exports, archives and folders of any tool, and says what it takes them for."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline.extraction import extract
from pipeline.formats.read import read
from pipeline.model import OfflineDoor
from store.bank import Bank
from tests.cli.desk import Desk
from tests.pipeline.formats.base_files import CODEX
from tests.pipeline.formats.writing import DATA, dump, user

REMEMBER = "Remember that the staging host is called kestrel-3."


def put(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def keys(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [(one["session"], one["format"]) for one in found["sessions"]]


def test_a_folder_stands_for_its_transcripts_and_each_is_told_by_its_content(desk: Desk, tmp_path: Path) -> None:
    put(tmp_path / "in" / "a.jsonl", dump([user(REMEMBER, "u1")]))
    put(tmp_path / "in" / "b.jsonl", dump(CODEX))
    put(tmp_path / "in" / "notes.md", b"# none\n")
    found = desk.json("extract", str(tmp_path / "in"), "--offline").json
    assert keys(found) == [("claude-code/s1", "claude-code"), ("codex/c1", "codex")]
    said = desk("extract", str(tmp_path / "in"), "--offline")
    assert f"{tmp_path / 'in'}: a Claude Code transcript (1), a Codex rollout (1)" in said.err


def test_an_export_is_taken_as_the_archive_that_it_came_in(desk: Desk, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.write(DATA / "transcripts" / "claude-ai" / "conversations.json", "conversations.json")
        archive.writestr("users.json", "[]")
    answer = desk("extract", str(tmp_path / "export.zip"), "--offline")
    assert answer.err.startswith(f"{tmp_path / 'export.zip'}: a Claude.ai export, zipped\n")
    assert answer.code == 0


def test_a_person_may_know_better_than_the_content(desk: Desk, tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", dump([{"role": "user", "content": "x"}, user(REMEMBER, "u1")]))
    (found,) = keys(desk.json("extract", str(path), "--offline", "--dry-run", "--yes").json)
    assert (found[0].partition("@")[0], found[1]) == ("openai/a", "openai")
    taken = desk.json("extract", str(path), "--offline", "--dry-run", "--format", "claude-code").json
    assert keys(taken) == [("claude-code/s1", "claude-code")]
    wrong = desk("extract", str(path), "--offline", "--format", "word")
    assert (wrong.code, wrong.err.count("\n")) == (2, 1)
    assert wrong.err.startswith("'word' is no format; the formats are claude-code, dsh, codex,")


def test_prompts_of_a_session_that_was_read_are_not_read_again(desk: Desk, tmp_path: Path) -> None:
    transcript = put(tmp_path / "s1.jsonl", dump([user(REMEMBER, "u1")]))
    lines = [
        {"display": REMEMBER, "pastedContents": {}, "timestamp": 1777629600000, "project": "/x", "sessionId": name}
        for name in ("s1", "lost")
    ]
    history = put(tmp_path / "history.jsonl", dump(lines))
    desk.json("extract", str(transcript), "--offline")
    assert keys(desk.json("extract", str(history), "--offline").json) == [("claude-history/lost", "claude-history")]


def test_a_fork_that_is_given_later_adds_no_second_sighting(desk: Desk, tmp_path: Path) -> None:
    said = "We decided to use Postgres 16 for the billing service."
    put(tmp_path / "one.jsonl", dump([user(said, "u1", sessionId="one")]))
    put(tmp_path / "fork.jsonl", dump([user(said, "u1", sessionId="fork")]))
    for name in ("one", "fork"):
        desk.json("extract", str(tmp_path / f"{name}.jsonl"), "--offline")
    (waiting,) = desk.json("review", "--all").json["proposals"]
    assert {quote["session"] for quote in waiting["evidence"]} == {"one"}


def test_a_table_of_a_person_s_own_is_used_and_a_fault_in_it_told(
    desk: Desk, tmp_path: Path, own_folders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from pipeline.formats.table import own_file

    own = '[format.harbour]\nwhat = "a harbour log"\n[format.harbour.fields]\ntext = "said"\n'
    put(own_file(), f'{own}[[told]]\nformat = "harbour"\nhas = ["said"]\n'.encode())
    path = put(tmp_path / "x.log", json.dumps({"said": REMEMBER}).encode() + b"\n" + json.dumps({"said": "x"}).encode())
    assert desk("extract", str(path), "--offline").err.startswith(f"{path}: a harbour log\n")
    put(own_file(), b"[format.harbour]\nfiles = 1\n")
    answer = desk("extract", str(path), "--offline")
    assert answer.code == 2
    assert "formats.toml line 2: files is not known here" in answer.err


def chat(path: Path, *words: str) -> Path:
    return put(path, json.dumps([{"role": "user", "content": one} for one in words]).encode())


def states(found: dict[str, Any]) -> list[tuple[str, int]]:
    return [(one["state"], one["found"]) for one in found["sessions"]]


def test_lists_of_one_name_in_two_folders_are_two_sessions(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither is taken for the other, and the words of both are there to be shown."""
    chat(tmp_path / "t1" / "chat.json", REMEMBER)
    chat(tmp_path / "t2" / "chat.json", "Remember that the printer is called heron.")
    monkeypatch.chdir(tmp_path)
    found = desk.json("extract", "t1", "t2", "--offline", "--yes").json
    assert states(found) == [("pending", 1), ("pending", 1)]
    assert len({key for key, _ in keys(found)}) == 2
    quoted = {one["evidence"][0]["session"] for one in found["proposals"]}
    assert quoted == {key.removeprefix("openai/") for key, _ in keys(found)}


def test_a_list_is_the_same_session_however_its_path_is_written_and_when_it_has_grown(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = chat(tmp_path / "t1" / "chat.json", REMEMBER)
    (tmp_path / "link").symlink_to(tmp_path / "t1")
    monkeypatch.chdir(tmp_path)
    first = desk.json("extract", "t1/chat.json", "--offline", "--yes").json
    assert states(first) == [("pending", 1)]
    for way in ("./t1/chat.json", "t1/../t1/chat.json", str(path), "link/chat.json"):
        again = desk.json("extract", way, "--offline", "--yes").json
        assert (states(again), keys(again)) == ([("nothing new", 0)], keys(first))
    chat(path, REMEMBER, "Remember that the printer is called heron.")
    grown = desk.json("extract", "link/chat.json", "--offline", "--yes").json
    assert (states(grown), keys(grown)) == ([("pending", 1)], keys(first))


def test_a_list_that_was_read_before_its_folder_counted_keeps_its_cursor(desk: Desk, tmp_path: Path) -> None:
    path = chat(tmp_path / "t1" / "chat.json", REMEMBER)
    other = chat(tmp_path / "t2" / "chat.json", REMEMBER)
    assert desk.bank is not None
    bank = Bank.open(desk.bank)
    extract([replace(one, place="") for one in read(path)], bank, OfflineDoor())
    bank.close()
    again = desk.json("extract", str(path), "--offline", "--yes").json
    assert (states(again), keys(again)) == ([("nothing new", 0)], [("openai/chat", "openai")])
    (key, _), *_ = keys(desk.json("extract", str(other), "--offline", "--yes").json)
    assert key.startswith("openai/chat@")


@pytest.mark.parametrize("more", [[], ["--json"], ["--dry-run"], ["--plan"]])
def test_without_a_terminal_a_message_list_is_nobodys_until_somebody_says_so(
    desk: Desk, tmp_path: Path, more: list[str]
) -> None:
    """Such lists are also other people's logs: a script has to say that they are the person's (exit code 2)."""
    path = chat(tmp_path / "chat.json", REMEMBER)
    refused = desk("extract", "--offline", str(path), *more)
    assert (refused.code, refused.err.splitlines()[-1]) == (
        2,
        f"{path} does not say whose words are in it; add --yes if role user is you.",
    )
    assert desk("extract", "--offline", str(path), *more, "--yes").code == 0


def test_a_message_list_that_was_called_ones_own_is_so_when_it_grows(desk: Desk, tmp_path: Path) -> None:
    path = chat(tmp_path / "chat.json", REMEMBER)
    assert desk("extract", "--offline", str(path), stdin="n\n", tty=True).code == 130
    assert desk("extract", "--offline", str(path), stdin="y\n", tty=True).code == 0
    chat(path, REMEMBER, "Remember that the printer is called heron.")
    assert states(desk.json("extract", "--offline", str(path)).json) == [("pending", 1)]
