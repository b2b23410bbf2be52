"""`config.toml` and the state file: what a person wrote stays as it was, and mistakes are told with their line."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.config import config_file, load_config, set_value
from store.desk_state import load_state, save_state, state_file
from store.errors import BadInput, StorageFailure
from store.places import folders
from store.vault.disk import Disk


def problems(text: str) -> list[str]:
    path = config_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return [problem.message.removeprefix(str(path)).strip() for problem in load_config().problems]


def test_without_a_file_every_setting_has_its_default() -> None:
    config = load_config()
    assert (config.values, config.problems) == ({}, ())
    assert (config.get("mouse"), config.get("window_messages"), config.keymap) == (True, 64, {})
    assert not config_file().exists()


def test_values_and_keys_are_read_in_every_way_toml_writes_them() -> None:
    assert problems('mouse = false\nmodel_timeout = 5\n[keymap]\n"item.trash" = "d"\nlist.up = "w"\n') == []
    config = load_config()
    assert (config.get("mouse"), config.get("model_timeout")) == (False, 5.0)
    assert config.keymap == {"item.trash": "d", "list.up": "w"}


def test_each_mistake_is_told_with_its_line_and_the_rest_is_used() -> None:
    text = """# mine
mose = true
mouse = "yes"
agents_write = true
openai_api_key = "x"
meaning_api_base = "localhost:11434"

[keymap]
"item.trash" = 3

[what]
ever = 1
"""
    assert problems(text) == [
        "line 2: There is no setting 'mose'; did you mean 'mouse'.",
        "line 3: mouse is true or false.",
        "line 4: agents_write belongs to a bank; set it with `memdesk config set agents_write VALUE`.",
        "line 5: openai_api_key is not read from here: keys for models come from the environment only.",
        "line 6: meaning_api_base is an address that begins with http:// or https://; 'localhost:11434' is none.",
        "line 9: keymap.item.trash needs text in quotes.",
        "line 12: There is no setting 'what.ever'; `memdesk config get` lists them all.",
    ]


def test_a_file_that_is_no_toml_sets_nothing_and_says_where_it_breaks() -> None:
    assert problems("mouse = false\nmodel = \n") == [
        "line 2 is not valid TOML; correct it, the defaults are used until then."
    ]
    assert load_config().get("mouse") is True
    with pytest.raises(BadInput, match="line 2 is not valid TOML; correct it first, nothing was set"):
        set_value("mouse", False)


def test_a_file_that_is_no_text_sets_nothing() -> None:
    problems("")
    config_file().write_bytes(b"\xff\xfe")
    (problem,) = load_config().problems
    assert problem.message.endswith("is not UTF-8 text; the defaults are used.")


def test_setting_one_value_keeps_comments_and_order() -> None:
    problems('# my settings\ntheme = "light" # dark\n\n[keymap] # mine\n"item.trash" = "d" # safer\n')
    set_value("theme", "terminal")
    set_value("mouse", False)
    set_value("keymap.item.trash", "x")
    set_value("keymap.list.up", "w")
    assert config_file().read_text(encoding="utf-8") == (
        '# my settings\ntheme = "terminal" # dark\nmouse = false\n\n[keymap] # mine\n'
        '"item.trash" = "x" # safer\n"list.up" = "w"\n'
    )


def test_a_key_written_as_nested_tables_is_changed_where_it_stands() -> None:
    problems('[keymap.item]\ntrash = "d"\n')
    set_value("keymap.item.trash", "x")
    assert config_file().read_text(encoding="utf-8") == '[keymap.item]\ntrash = "x"\n'


def test_the_first_setting_makes_the_file_for_its_owner_alone() -> None:
    set_value("read_only", True)
    assert config_file().read_text(encoding="utf-8") == "read_only = true\n"
    assert stat.S_IMODE(config_file().stat().st_mode) == 0o600
    assert [path.name for path in config_file().parent.iterdir()] == ["config.toml"]


@pytest.mark.parametrize(("key", "value"), [("mose", True), ("mouse", "on"), ("agents_write", True), ("api_key", "k")])
def test_what_cannot_be_set_leaves_no_file(key: str, value: object) -> None:
    with pytest.raises(BadInput):
        set_value(key, value)  # type: ignore[arg-type]
    assert not config_file().exists()


def test_a_folder_that_refuses_is_told_and_the_old_file_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    set_value("mouse", False)

    def full(disk: Disk, handle: int, data: memoryview) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Disk, "write", full)
    with pytest.raises(StorageFailure, match="no space left"):
        set_value("mouse", True)
    assert load_config().get("mouse") is False
    assert [path.name for path in config_file().parent.iterdir()] == ["config.toml"]


def test_every_folder_lies_in_the_persons_home() -> None:
    assert list(folders()) == ["config", "state", "cache", "log"]
    assert all(path.is_relative_to(Path.home()) for path in folders().values())


@given(st.text(max_size=80))
def test_fuzz_any_file_gives_settings_and_problems(text: str) -> None:
    path = config_file().with_name("fuzz.toml")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    config = load_config(path)
    assert all(config.get(key) == value for key, value in config.values.items())
    assert all(str(path) in problem.message for problem in config.problems)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=40))
def test_property_text_that_is_set_is_read_back(text: str) -> None:
    set_value("model", text)
    assert load_config().get("model") == text


STATES = st.dictionaries(
    st.text(), st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(), max_size=5
)


@given(STATES)
def test_property_state_survives_a_restart(state: dict[str, object]) -> None:
    save_state(state)
    assert load_state() == state


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"[" * 100_000])
def test_a_damaged_state_is_no_state(content: bytes) -> None:
    assert load_state() == {}
    state_file().parent.mkdir(parents=True)
    state_file().write_bytes(content)
    assert load_state() == {}
