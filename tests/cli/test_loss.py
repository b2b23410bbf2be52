"""`context --loss`: what agents load from files and what is lost, without a bank and without an identity."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.desk import NOW, Answer, call
from tests.lossy import lossy_project


@pytest.fixture
def project(own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project with losses, in the working folder."""
    folder = lossy_project(own_folders)
    monkeypatch.chdir(folder)
    return folder


def loss(*words: str) -> Answer:
    return call(["context", "--loss", *words], environ={"MEMDESK_NOW": NOW})


def test_without_a_path_the_working_folder_and_the_usual_places_are_told(project: Path) -> None:
    answer = loss()
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert lines[0] == "3 lines are cut, 1 link leads nowhere, 1 contradiction."
    assert "  cut         MEMORY.md 201-203  68 bytes  past the first 200 lines" in lines
    assert "          MEMORY.md:203  - last" in lines
    assert "  loaded      CLAUDE.md 1  27 bytes  loaded at start" in lines
    assert "          CLAUDE.local.md:1  Use spaces for indentation" in lines


def test_nothing_in_a_file_acts_on_the_terminal(project: Path) -> None:
    answer = loss(".")
    assert "\x1b" not in answer.out
    assert "MEMORY.md:202  - ␛[31mred␛[0m [bold]b[/bold] �text [x](gone.md)" in answer.out
    assert "\x1b" not in loss("--json").out


def test_programs_read_one_object_and_the_path_may_stand_behind_the_options(project: Path) -> None:
    found = loss("--json").json
    assert list(found) == ["schema", "folder", "layouts", "losses", "counts", "cut_lines", "notes"]
    assert (found["schema"], found["folder"], found["cut_lines"]) == (1, None, 3)
    named = loss(str(project), "--json").json
    assert named == loss("--json", str(project)).json
    assert named["folder"] == str(project)
    assert [one["name"] for one in named["layouts"]] == ["claude-memory", "claude-instructions"]


def test_an_identity_another_path_and_a_folder_that_is_not_there_are_refused(project: Path) -> None:
    refused = loss("--as", "aria")
    assert (refused.code, refused.err) == (2, "--loss looks at files, whoever loads them; leave out --as.\n")
    assert loss(str(project / "gone")).code == 2
    assert "unexpected extra argument" in call(["context", "notes"]).err


def test_a_folder_that_no_agent_loads_is_said(project: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    answer = loss(str(tmp_path / "empty"))
    assert answer.code == 0
    assert answer.out.startswith("No agent that Memdesk knows loads anything of ")


def test_no_bank_is_made_or_asked_for(project: Path, own_folders: Path) -> None:
    loss()
    assert not (own_folders / ".yottamemory").exists()
    assert sorted(path.name for path in project.iterdir()) == [".git", "CLAUDE.local.md", "CLAUDE.md"]
