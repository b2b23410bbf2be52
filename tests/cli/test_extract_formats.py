"""`extract` takes files, exports, archives and folders of any tool, and says what it takes them for."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

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
    assert keys(desk.json("extract", str(path), "--offline", "--dry-run").json) == [("openai/a", "openai")]
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
