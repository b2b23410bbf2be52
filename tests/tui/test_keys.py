"""No key means two things, each is carried out by somebody, and a person may change them."""

from __future__ import annotations

import pytest
from textual.keys import _get_key_aliases

from tests.tui.readme_keys import README, written
from tui import keys
from tui.app import Workbench
from tui.options import PLACES
from tui.widgets.pane import Pane
from tui.widgets.rows import Rows


def test_no_key_means_two_things_on_one_screen() -> None:
    assert keys.twice() == []


def test_ids_are_unique_and_every_place_exists() -> None:
    ids = [key.id for key in keys.KEYS]
    assert len(ids) == len(set(ids))
    places = {keys.EVERYWHERE, keys.LISTS, keys.TEXT, *keys.SCREENS}
    assert {place for key in keys.KEYS for place in key.where} <= places


@pytest.mark.parametrize("place", [place.mode for place in PLACES])
def test_every_key_of_a_screen_is_carried_out_by_somebody(place: str) -> None:
    screen = next(one for one in PLACES if one.mode == place).load()
    actors = (screen, Rows, Pane, Workbench)
    for key in keys.on_screen(place):
        if not key.id.startswith(keys.SCREEN):
            assert any(callable(getattr(actor, key.method, None)) for actor in actors), key.id


def test_every_hint_is_a_key_that_can_be_pressed_there() -> None:
    for place in keys.SCREENS:
        pressed = {key.id for key in keys.on_screen(place)}
        assert {key.id for key in keys.hints(place)} <= pressed


def test_nothing_relies_on_keys_that_terminals_cannot_tell_apart() -> None:
    pressed = {one for key in keys.KEYS for one in key.keys.split(",")}
    assert not pressed & set(keys.LOST)
    assert not any(one.startswith("alt+") or one in {"shift+enter", "ctrl+enter"} for one in pressed)


def test_keys_have_the_names_people_know() -> None:
    assert [keys.name(key) for key in ("ctrl+p", "question_mark", "space", "pagedown", "x")] == [
        "^p",
        "?",
        "space",
        "page down",
        "x",
    ]


def test_a_person_can_give_a_key_another_place() -> None:
    assert keys.check({"item.trash": "Z,delete"}) == ({"item.trash": "Z,delete"}, [])


def test_two_keys_can_be_exchanged() -> None:
    own = {"item.trash": "e", "item.edit": "x"}
    assert keys.check(own) == (own, [])


@pytest.mark.parametrize(
    ("id", "pressed", "says"),
    [
        ("item.thrash", "d", "'item.thrash' is no key that can be set"),
        ("item.trash", "n", "n would mean both item.new and item.trash"),
        ("item.trash", "ctrl+m", "many terminals send enter for it"),
        ("item.trash", "", "item.trash needs the name of a key"),
    ],
)
def test_a_key_that_cannot_be_used_is_explained(id: str, pressed: str, says: str) -> None:
    good, problems = keys.check({id: pressed})
    assert good == {}
    assert len(problems) == 1 and says in problems[0]


def test_the_table_for_help_and_readme_has_every_key() -> None:
    assert len(keys.table()) == len(keys.KEYS)
    assert ("item.trash", "x delete", "to the trash, no question", "bank, context") in keys.table("bank")


def test_every_key_name_is_one_that_textual_knows() -> None:
    for key in keys.KEYS:
        for one in key.keys.split(","):
            assert one and _get_key_aliases(one)


def test_the_readme_names_every_key() -> None:
    """After a change of the keys: `python -m tests.tui.readme_keys`."""
    readme = README.read_text(encoding="utf-8")
    assert readme == written(readme)
    assert all(f"| {key.does} |" in readme for key in keys.KEYS if not key.id.startswith(keys.SCREEN))
