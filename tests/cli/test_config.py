"""`config get` and `config set`: the person's settings and the bank's, each in its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.config import config_file
from store.settings import SETTINGS
from tests.cli.desk import Desk, call, new_desk, tree


def test_every_setting_is_listed_with_its_place_and_what_it_does(desk: Desk) -> None:
    lines = desk("config", "get").out.splitlines()
    assert [line.split()[0] for line in lines] == [setting.key for setting in SETTINGS]
    assert "mouse                         on          person: take the mouse in the workbench" in lines
    assert list(desk.json("config", "get").json["settings"]) == [setting.key for setting in SETTINGS]


@pytest.mark.parametrize("key", ["backup_gate", "write_consent", "usage_in_files", "maintain_forget_age"])
def test_what_nothing_uses_is_not_offered(desk: Desk, key: str) -> None:
    for words in (("get", key), ("set", key, "1")):
        answer = desk("config", *words)
        assert (answer.code, answer.out) == (2, "")
        assert answer.err.startswith(f"There is no setting '{key}'; ")


def test_a_persons_setting_goes_to_the_config_file_and_not_to_the_bank(desk: Desk) -> None:
    before = tree(desk.root)
    answer = desk("config", "set", "theme", "light")
    assert (answer.code, answer.out) == (0, "theme is light.\n")
    assert config_file().read_text() == 'theme = "light"\n'
    assert desk("config", "get", "theme").out == "light\n"
    assert tree(desk.root) == before
    assert desk.json("log").json["changes"] == []


def test_a_banks_setting_goes_to_its_ledger_and_can_be_undone(desk: Desk) -> None:
    assert desk.json("config", "set", "usage_query_slots", "5").json["settings"] == {"usage_query_slots": 5}
    assert not config_file().exists()
    assert desk("config", "get", "usage_query_slots").out == "5\n"
    assert desk.json("log").json["changes"][0]["reason"] == "set usage_query_slots"
    assert desk("undo").code == 0
    assert desk("config", "get", "usage_query_slots").out == "12\n"


@pytest.mark.parametrize("key", ["agents_write", "scripted_decisions"])
def test_who_decides_is_not_switched_by_a_command(desk: Desk, key: str) -> None:
    for tty in (True, False):
        answer = desk("config", "set", key, "on", tty=tty)
        assert (answer.code, answer.out) == (3, "")
        assert answer.err == f"{key} is switched only in the workbench: open it and use the command palette (ctrl+p).\n"
    assert desk("config", "get", key).out == "off\n"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("thema", "nord"), "There is no setting 'thema'; did you mean 'theme'."),
        (("mouse", "perhaps"), "mouse is on or off; 'perhaps' is neither."),
        (("window_messages", "0"), "window_messages must be at least 1 and at most 1000."),
    ],
)
def test_what_cannot_be_set_is_one_sentence(desk: Desk, words: tuple[str, str], sentence: str) -> None:
    answer = desk("config", "set", *words)
    assert (answer.code, answer.out, answer.err) == (2, "", sentence + "\n")
    assert not config_file().exists()


def test_settings_are_readable_without_a_bank_and_the_banks_are_defaults() -> None:
    assert call(["config", "get", "yotta_index"]).out == "off\n"
    assert call(["config", "get", "mouse"]).out == "on\n"
    assert call(["config", "set", "yotta_index", "on"]).code == 2
    assert call(["config", "get", "yotta_index", "--bank", "/nowhere/at/all"]).code == 2


def test_a_broken_config_file_is_told_with_its_line_and_the_command_goes_on(desk: Desk) -> None:
    config_file().parent.mkdir(parents=True)
    config_file().write_text("mouse = true\ntheme = \n")
    answer = desk("list")
    assert answer.code == 0
    assert answer.err == f"{config_file()} line 2 is not valid TOML; correct it, the defaults are used until then.\n"


def test_read_only_as_a_setting_holds_for_commands(desk: Desk) -> None:
    desk("config", "set", "read_only", "on")
    answer = desk("remember", "FACT", "kiln", "hot")
    assert (answer.code, answer.out) == (3, "")
    assert answer.err == (
        "The bank was opened for reading only; open it without --read-only and the setting read_only to write.\n"
    )


def test_thresholds_of_yottas_config_file_are_the_defaults(desk: Desk) -> None:
    home = Path.home() / ".yottamemory"
    home.mkdir()
    (home / "config.json").write_text('{"usage_query_slots": 3, "maintain_decay_halflife_FACT": 10}')
    assert desk("config", "get", "usage_query_slots").out == "3\n"
    assert desk("config", "get", "maintain_decay_halflife_FACT").out == "10\n"


def test_an_empty_value_is_said_to_be_none(tmp_path: Path) -> None:
    assert new_desk(tmp_path)("config", "set", "model", "").out == "model is not set.\n"


def test_config_alone_lists_every_setting(tmp_path: Path) -> None:
    desk = new_desk(tmp_path)
    assert desk("config").out == desk("config", "get").out != ""
