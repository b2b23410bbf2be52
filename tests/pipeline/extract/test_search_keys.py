"""The words that a fact is found by: cleaned, told apart, and found in a text by rule."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.extract.facets.search_keys import (
    KEY_TYPES,
    ORIGINS,
    SearchKey,
    clean_key,
    found_keys,
    key_rows,
    literal,
    read_keys,
    search_key,
    settled,
)


def llm(text: str, type: str = "concept") -> SearchKey:
    return SearchKey(text, type, "llm")


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        ("  release   day \n", "release day"),
        ("pnpm\u200b\u2060", "pnpm"),
        ("a\u202eb\x07c", "abc"),
        ("soft\u00adhyphen", "softhyphen"),
        ("e\u200b\u0301tude", "\u00e9tude"),
        ("\ufeff\u3000发布 日\u3000", "发布 日"),
        ("\u200b\t\x00", ""),
        ("\ud800x", "x"),
    ],
)
def test_a_key_has_no_hidden_characters_and_stands_on_one_line(raw: str, clean: str) -> None:
    assert clean_key(raw) == clean


@given(st.text(max_size=60))
def test_property_cleaning_a_key_twice_is_cleaning_it_once(raw: str) -> None:
    clean = clean_key(raw)
    assert clean_key(clean) == clean == clean.strip() == unicodedata.normalize("NFC", clean)
    assert not {unicodedata.category(char) for char in clean} & {"Cc", "Cf", "Cs"}
    json.dumps(clean).encode()
    clean.encode()


def test_a_key_of_nothing_too_long_or_with_a_secret_is_none() -> None:
    assert search_key("\u200b ", "concept", "llm") is None
    assert search_key("x" * 257, "concept", "llm") is None
    assert search_key("\U0001f600" * 129, "concept", "llm") is None
    assert search_key("x" * 256, "exact", "llm") == SearchKey("x" * 256, "exact", "llm")
    assert search_key("ghp" + "_" + "a" * 24, "code", "llm") is None


def test_where_keys_collide_the_person_goes_before_rules_and_rules_before_a_model_then_the_sharper_type() -> None:
    given = [llm("Deploy", "code"), SearchKey("deploy", "alias", "user"), SearchKey("DEPLOY", "exact", "deterministic")]
    assert settled(given) == (SearchKey("deploy", "alias", "user"),)
    types = [llm("x", type) for type in ("alias", "concept", "entity", "exact", "code")]
    assert [settled(types[:count])[0].type for count in range(1, 6)] == ["alias", "concept", "entity", "exact", "code"]
    assert settled([llm("first"), llm("FIRST")]) == (llm("first"),)


KEYS = st.builds(
    SearchKey, st.text("abAB ", min_size=1, max_size=3), st.sampled_from(KEY_TYPES), st.sampled_from(ORIGINS)
)


@given(st.lists(KEYS, max_size=30))
def test_property_the_keys_of_a_fact_are_few_distinct_and_the_best_ones_first(given: list[SearchKey]) -> None:
    kept = settled(given)
    assert len(kept) == min(16, len({key.text.casefold() for key in given}))
    assert [key.rank for key in kept] == sorted(key.rank for key in kept)
    assert settled(kept) == kept
    for key in kept:
        assert key.rank == min(other.rank for other in given if other.text.casefold() == key.text.casefold())


@pytest.mark.parametrize(
    ("content", "keys"),
    [
        ("We deploy to Fly.io with `make ship`.", [("Fly.io", "code"), ("make ship", "code")]),
        ("The cache lives in /var/lib/kiosk.", [("/var/lib/kiosk", "exact")]),
        ("我们决定用 Postgres 存事件，不用Kafka", [("Postgres", "entity"), ("Kafka", "entity")]),
        ("Postgres 是主库", [("Postgres", "entity")]),
        ("User Anna Schmidt prefers GitHub", [("Anna Schmidt", "entity"), ("GitHub", "entity")]),
        ("read src/app/main.py and/or pages/index.md", [("src/app/main.py", "exact"), ("pages/index.md", "exact")]),
        ("getUser() reads DATABASE_URL", [("getUser()", "code"), ("DATABASE_URL", "code")]),
        ("by user_id with --no-cache", [("user_id", "code"), ("--no-cache", "code")]),
        ('The service "blue heron" is the team\'s \'staging\' box', [("blue heron", "exact"), ("staging", "exact")]),
        ("see https://example.com/a_b/c.", [("https://example.com/a_b/c", "exact")]),
        ("书名《三体》在「书房」", [("三体", "exact"), ("书房", "exact")]),
        ("Der Stand ist in Zürich, Москва ist zu", [("Zürich", "entity"), ("Москва", "entity")]),
        ("Production deploys are frozen on Fridays. Always ask first.", []),
        ("24/7 since 1/2/2026, e.g. at noon", []),
        ("CI is slow and CI is red", [("CI", "entity")]),
        ("", []),
    ],
)  # fmt: skip
def test_code_paths_quoted_names_and_capitalised_names_are_found_in_a_text(
    content: str, keys: list[tuple[str, str]]
) -> None:
    found = found_keys(content)
    assert [(key.text, key.type) for key in found if key.text not in ("Der Stand",)] == keys
    assert {key.origin for key in found} <= {"deterministic"}


@given(st.text(max_size=200) | st.text("aA._/`\"'- :«《\n", max_size=200))
def test_property_a_key_that_is_found_stands_in_the_text_and_there_are_at_most_eight(content: str) -> None:
    found = found_keys(content)
    assert len(found) <= 8 and len({key.text.casefold() for key in found}) == len(found)
    assert all(key.text in clean_key(content) and key == search_key(key.text, key.type, key.origin) for key in found)


def test_a_long_text_without_any_key_is_gone_through_quickly() -> None:
    for text in ("/a" * 1_000, "a." * 1_000, "A" * 2_000, "a_" * 1_000, "'" * 2_000, "-" * 2_000, "Aa " * 660):
        assert len(found_keys(text)) <= 8


def test_a_models_exact_words_that_nobody_said_are_only_another_word_for_the_matter() -> None:
    assert literal(llm("Fly.io", "exact"), "we deploy to fly.io") == llm("Fly.io", "exact")
    assert literal(llm("Heroku", "entity"), "we deploy to fly.io", "yes") == llm("Heroku", "alias")
    assert literal(llm("hosting", "concept"), "we deploy to fly.io") == llm("hosting", "concept")
    assert literal(SearchKey("Heroku", "code", "user"), "") == SearchKey("Heroku", "code", "user")


def test_damaged_keys_of_a_row_are_left_out() -> None:
    good = SearchKey("pnpm", "code", "deterministic")
    damaged = [{"key": "x", "type": "colour", "origin": "llm"}, {"key": "", "type": "code", "origin": "llm"}, "x", {}]
    assert read_keys({"keys": [*damaged, *key_rows([good])]}) == (good,)
    assert read_keys({"keys": 3}) == () == read_keys({})


@given(st.lists(KEYS, max_size=20))
def test_property_keys_come_back_from_their_rows(given: list[SearchKey]) -> None:
    kept = settled(key for raw in given if (key := search_key(raw.text, raw.type, raw.origin)) is not None)
    assert read_keys({"keys": json.loads(json.dumps(key_rows(kept)))}) == kept
