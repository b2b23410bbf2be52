"""Settings: what each takes, where it is kept, and who may switch it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.changes import PutRow
from store.errors import BadInput, NotPermitted
from store.settings import (
    SETTINGS,
    bank_change,
    bank_value,
    check_value,
    half_lives,
    parse_value,
    setting_named,
    usage_settings,
)
from store.usage import UsageSettings
from store.view import View


def with_rows(**values: Any) -> View:
    return View.of([], {"settings": {key: {"value": value} for key, value in values.items()}})


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda setting: setting.key)
def test_every_setting_takes_its_own_default_and_has_words(setting: Any) -> None:
    assert check_value(setting, setting.default) == setting.default
    assert setting.words


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("mouse", "off", False),
        ("mouse", " Yes ", True),
        ("model_timeout", "1.5", 1.5),
        ("model_timeout", "30", 30.0),
        ("window_messages", "5", 5),
        ("theme", "dark", "dark"),
        ("usage_enabled", "no", True),
        ("usage_enabled", "0", False),
        ("usage_enabled", "false", False),
        ("keymap.item.trash", "x,delete", "x,delete"),
    ],
)
def test_words_become_values(key: str, text: str, value: Any) -> None:
    """The yotta thresholds keep that engine's reading: only `false` and `0` are off."""
    assert parse_value(setting_named(key), text) == value


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("mouse", "maybe", "mouse is on or off; 'maybe' is neither."),
        ("theme", "nord", "theme is dark, light, terminal or empty; 'nord' is none of these."),
        ("model_timeout", "soon", "model_timeout needs a number; 'soon' is none."),
        ("model_timeout", "nan", "model_timeout must be at least 0.1 and at most 3600."),
        ("window_messages", "2.5", "window_messages needs a whole number; '2.5' is none."),
        ("window_messages", "0", "window_messages must be at least 1 and at most 1000."),
        ("usage_query_slots", "-1", "usage_query_slots must be at least 0."),
        ("maintain_decay_halflife_FACT", "inf", "maintain_decay_halflife_FACT must be at least 0."),
    ],
)
def test_a_bad_value_is_refused_with_what_would_do(key: str, text: str, message: str) -> None:
    with pytest.raises(BadInput) as refused:
        parse_value(setting_named(key), text)
    assert str(refused.value) == message


def test_an_unknown_key_names_the_nearest() -> None:
    with pytest.raises(BadInput, match="There is no setting 'modle'; did you mean 'model'"):
        setting_named("modle")
    with pytest.raises(BadInput, match="lists them all"):
        setting_named("zzzz")
    with pytest.raises(BadInput):
        setting_named("keymap.")


@pytest.mark.parametrize("key", ["scripted_decisions", "agents_write"])
def test_who_decides_is_switched_only_in_the_workbench(key: str) -> None:
    with pytest.raises(NotPermitted, match="only in the workbench"):
        bank_change(key, True)
    assert bank_change(key, True, workbench=True) == PutRow("settings", key, {"value": True})


def test_a_setting_of_the_person_is_no_setting_of_the_bank() -> None:
    with pytest.raises(BadInput, match="not of the bank"):
        bank_change("theme", "nord")


def test_the_banks_value_stands_before_yottas_and_both_before_the_default() -> None:
    yotta = {"usage_query_slots": 3, "yotta_index": True}
    assert bank_value(with_rows(usage_query_slots=5), "usage_query_slots", yotta) == 5
    assert bank_value(View.of([]), "usage_query_slots", yotta) == 3
    assert bank_value(View.of([]), "usage_query_slots") == 12
    assert bank_value(View.of([]), "yotta_index", yotta) is False


def test_values_that_cannot_be_used_are_passed_over() -> None:
    yotta = {"usage_query_slots": -3, "usage_enabled": "false"}
    assert bank_value(with_rows(usage_query_slots="many"), "usage_query_slots", yotta) == 12
    assert bank_value(View.of([]), "usage_enabled", yotta) is False


def test_thresholds_of_the_yotta_config_reach_the_scores() -> None:
    yotta = {"usage_enabled": False, "usage_retention_days": 30, "maintain_decay_halflife_FACT": 10}
    assert usage_settings(View.of([]), yotta) == UsageSettings(False, 30, 12)
    assert half_lives(View.of([]), yotta | {"maintain_decay_halflife_PREF": 0}) == {
        "FACT": 10,
        "PREF": 365,
        "COMMIT": 90,
    }


@given(st.sampled_from(SETTINGS), st.text())
def test_fuzz_any_words_give_a_value_or_one_sentence(setting: Any, text: str) -> None:
    try:
        value = parse_value(setting, text)
    except BadInput as refused:
        assert str(refused).endswith(".")
    else:
        assert check_value(setting, value) == value
