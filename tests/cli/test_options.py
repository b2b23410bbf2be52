"""What every command shares: global options, which bank, help, version, completion, and errors as one sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.desk import Answer, Desk, call, entry, new_desk, tree
from tui.cli.main import VERBS

FILE = "2026/10/2026-10-12-0001.md"


@pytest.fixture
def both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A user's bank and a project's in the working directory, each with a fact of the same name."""
    user = new_desk(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMDESK_BANK", str(user.root))
    assert call(["init", ".yottamemory"]).code == 0
    entry(user.root, f"facts/{FILE}", "8081", subject="port")
    entry(tmp_path / ".yottamemory", f"facts/{FILE}", "9090", subject="port")
    return Desk(None)


def sentence(answer: Answer, code: int, *parts: str) -> None:
    assert (answer.code, answer.out, answer.err.count("\n")) == (code, "", 1), answer
    for part in parts:
        assert part in answer.err


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb not in {"open", "demo"}])
def test_every_command_has_help_with_the_global_options(verb: str) -> None:
    answer = call([verb, "--help"])
    assert (answer.code, answer.err) == (0, "")
    for option in ("--bank", "--as", "--json", "--read-only", "--project"):
        assert option in answer.out


def test_help_lists_the_commands_in_their_order() -> None:
    lines = call(["--help"]).out.splitlines()
    listed = [line.split()[0] for line in lines[lines.index("Commands:") + 1 :] if line.startswith("  ")]
    assert [name for name in listed if name in VERBS] == list(VERBS)


def test_global_options_stand_before_or_after_the_command(tmp_path: Path) -> None:
    desk = new_desk(tmp_path)
    desk.remember("PREF", "tone", "brief", "--owner", "aria")
    bank = str(desk.root)
    before = call(["--bank", bank, "--as", "aria", "--json", "list"])
    after = call(["list", "--json", "--as", "aria", "--bank", bank])
    mixed = call(["--as", "aria", "list", "--bank", bank, "--json"])
    assert before.subjects == after.subjects == mixed.subjects == ["tone"]
    assert call(["--bank", "/nowhere", "list", "--bank", bank]).code == 0


def test_a_group_takes_them_at_every_place(tmp_path: Path) -> None:
    desk = new_desk(tmp_path)
    for words in (
        ["--json", "config", "get", "mouse"],
        ["config", "--json", "get", "mouse"],
        ["config", "get", "mouse", "--json"],
    ):
        assert call([*words, "--bank", str(desk.root)]).json["settings"] == {"mouse": True}


def test_version(tmp_path: Path) -> None:
    assert call(["--version"]).out.startswith("memdesk ")
    lines = call(["--version", "--verbose", "--bank", str(tmp_path), "--as", "aria"]).out.splitlines()
    assert lines[1] == "identity    aria"
    assert lines[2] == f"bank        {tmp_path} (named by --bank)"
    assert [line.split()[0] for line in lines[3:]] == ["config", "state", "cache", "log"]
    found = call(["--version", "--json"]).json
    assert list(found) == ["schema", "version", "identity", "bank", "folders"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_a_script_for_the_shell(shell: str) -> None:
    answer = call(["--completion", shell])
    assert (answer.code, answer.err) == (0, "")
    assert "_MEMDESK_COMPLETE" in answer.out
    assert f"{shell}_complete" in answer.out


def test_completion_of_an_unknown_shell_is_refused() -> None:
    sentence(call(["--completion", "cmd"]), 2, "'bash', 'zsh', 'fish'")


# --- which bank ------------------------------------------------------------------------------------------------------


def test_without_a_bank_one_sentence_says_how_to_make_one() -> None:
    for words in (["list"], ["remember", "FACT", "a", "b"], ["review"], ["log"], ["undo"]):
        sentence(call(words), 2, str(Path.home() / ".yottamemory"), "memdesk init")
    assert not (Path.home() / ".yottamemory").exists()


def test_a_folder_that_is_no_bank_is_described(tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / ".obsidian").mkdir()
    sentence(call(["list", "--bank", str(tmp_path / "notes")]), 2, "is a folder of notes, not a bank")
    (tmp_path / "file").write_text("x")
    sentence(call(["list", "--bank", str(tmp_path / "file")]), 2, "is a file, not a folder")
    sentence(call(["list", "--bank", str(tmp_path / "gone")]), 2, "is not there; check the path")


def test_errors_for_programs_are_one_object(tmp_path: Path) -> None:
    answer = call(["list", "--json", "--bank", str(tmp_path / "gone")])
    assert answer.code == 2
    assert list(answer.json) == ["schema", "error"]
    assert list(answer.json["error"]) == ["message", "todo"]
    assert answer.err == f"{answer.json['error']['message']}; {answer.json['error']['todo']}\n"


def test_two_banks_are_read_as_one_the_projects_first(both: Desk) -> None:
    memories = both.json("list").memories
    assert [memory["id"] for memory in memories] == [f"project:facts/{FILE}", f"user:facts/{FILE}"]
    assert [memory["statement"] for memory in memories] == ["9090", "8081"]


def test_a_joined_id_names_the_memory_in_its_own_bank(both: Desk, tmp_path: Path) -> None:
    for root, statement in (("project", "9090"), ("user", "8081")):
        (memory,) = both.json("show", f"{root}:facts/{FILE}").memories
        assert (memory["id"], memory["statement"]) == (f"{root}:facts/{FILE}", statement)
    sentence(both("show", "2026-10-12-0001"), 2, f"project:facts/{FILE}", f"user:facts/{FILE}")
    (edited,) = both.json("edit", f"project:facts/{FILE}", "--statement", "9091").memories
    assert edited["id"] == f"project:facts/{FILE}"
    assert b"9091" in tree(tmp_path / ".yottamemory")[f"facts/{FILE}"]
    assert b"8081" in tree(tmp_path / "bank")[f"facts/{FILE}"]


def test_new_memories_go_to_the_users_bank_unless_the_project_is_named(both: Desk, tmp_path: Path) -> None:
    assert both.remember("FACT", "kiln", "hot") == "user:facts/2026/10/2026-10-12-0002.md"
    assert both.remember("FACT", "glaze", "celadon", "--project") == "project:facts/2026/10/2026-10-12-0002.md"
    assert "facts/2026/10/2026-10-12-0002.md" in tree(tmp_path / ".yottamemory")


def test_forgetting_in_both_banks_answers_once(both: Desk) -> None:
    found = both.json("forget", f"project:facts/{FILE}", f"user:facts/{FILE}").json
    assert [memory["id"] for memory in found["memories"]] == [f"project:facts/{FILE}", f"user:facts/{FILE}"]
    assert len(found["changes"]) == 2
    assert both.json("list").memories == []
    assert both("undo").code == 0
    assert [memory["id"] for memory in both.json("list").memories] == [f"user:facts/{FILE}"]
    assert both("undo", "--project").code == 0
    assert len(both.json("list").memories) == 2


def test_the_log_tells_both_banks_and_which_is_which(both: Desk) -> None:
    for number, id in enumerate((f"user:facts/{FILE}", f"project:facts/{FILE}", f"user:facts/{FILE}")):
        both.at(f"2026-10-13T10:0{number}:00+00:00").json("edit", id, "--tag", f"t{number}")
    lines = [line.split("  ") for line in both("log").out.splitlines()]
    assert [(cells[0].strip(), cells[-1]) for cells in lines] == [
        (root, "edit FACT 2026-10-12-0001") for root in ("user", "project", "user")
    ]
    found = both.json("log").json["changes"]
    assert [(change["bank"], change["memories"][0]["id"]) for change in found] == [
        (root, f"{root}:facts/{FILE}") for root in ("user", "project", "user")
    ]
    assert len(both("log", "--limit", "2").out.splitlines()) == 2
    assert both("log", "--project").out.splitlines()[0].startswith("project")
    assert [change["bank"] for change in both.json("log", "--project").json["changes"]] == ["project"]
    assert both.json("log", f"project:facts/{FILE}").json["changes"] == found[1:2]


def test_a_use_is_counted_in_the_bank_of_each(both: Desk) -> None:
    both.json("recall", "port")
    counts = [
        both.json("show", f"{root}:facts/{FILE}", "--explain").json["explain"]["access_count"]
        for root in ("project", "user")
    ]
    assert counts == [1, 1]


def test_a_bank_named_by_hand_is_read_alone(both: Desk, tmp_path: Path) -> None:
    assert [memory["id"] for memory in both.json("list", "--bank", str(tmp_path / "bank")).memories] == [
        f"facts/{FILE}"
    ]
    sentence(both("list", "--project", "--bank", str(tmp_path / "bank")), 2, "give one of them")


@pytest.mark.parametrize("name", [f"facts/{FILE}", Path(FILE).name, Path(FILE).stem])
def test_a_banks_name_stands_before_all_that_names_a_memory(both: Desk, name: str) -> None:
    """The short id is unambiguous once the bank is named, as the path is."""
    shown = both.json("show", f"project:{name}").memories
    assert [(one["id"], one["statement"]) for one in shown] == [(f"project:facts/{FILE}", "9090")]
    assert both.json("show", f"user:{name}").memories[0]["statement"] == "8081"
    assert both.json("show", f"user:{name}", "--project").memories[0]["statement"] == "8081"
    sentence(both("show", "project:2026-10-12-0999"), 2, "There is no memory 'project:2026-10-12-0999'")


def test_the_projects_bank_alone_is_read_and_written_only_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sentence(call(["list", "--project"]), 2, "memdesk init .yottamemory")
    assert call(["init", "--project"]).code == 0
    project = tmp_path / ".yottamemory"
    entry(project, f"facts/{FILE}", "9090", subject="port")
    assert call(["list", "--json"]).subjects == ["port"]
    sentence(call(["show", f"user:{Path(FILE).name}"]), 2, "There is no memory")
    before = tree(project)
    sentence(call(["remember", "FACT", "a", "b"]), 2, "add --project")
    assert tree(project) == before
    assert call(["remember", "FACT", "a", "b", "--project"]).code == 0


def test_a_home_that_holds_only_yottas_settings_is_no_bank_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    home = Path.home() / ".yottamemory"
    home.mkdir()
    (home / "config.json").write_text("{}")
    call(["init", "--project"])
    assert call(["list"]).code == 0


# --- the workbench ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words", [["--as", "aria"], ["--json"], ["open", "--as", "aria"], ["open", "x", "--bank", "y"]]
)
def test_the_workbench_is_a_persons(words: list[str]) -> None:
    answer = call(words)
    assert answer.code == 2
    assert answer.err.count("\n") == 1
    assert "leave out" in answer.err


def test_a_demo_is_made_in_a_new_folder(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    sentence(call(["demo", "--keep", str(tmp_path)]), 2, "is not empty; name a new folder")
