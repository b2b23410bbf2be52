"""Folding: text is found whatever its case, accents, width and ligatures."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.index.search.signs import ALL, asks, signs
from store.index.search.words import fold, folded, hump_places, humps, words

SIGNS = st.text(st.sampled_from("aéＡｚ，。　…！é\u0301\u0338=ｶﾞが각ſßİﬁ备\u00a0Ως") | st.characters(), max_size=12)


@given(SIGNS)
def test_property_folding_is_what_unicode_says(text: str) -> None:
    """NFKC, case-folded, then without the marks that stand over letters."""
    plain = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    expected = unicodedata.normalize("NFC", "".join(sign for sign in plain if not "\u0300" <= sign <= "\u036f"))
    assert fold(text) == (text.lower() if text.isascii() else expected)


@given(SIGNS)
def test_property_every_folded_character_comes_from_somewhere_in_order(text: str) -> None:
    plain, origin = folded(text)
    assert plain == fold(text)
    places = list(range(len(plain))) if origin is None else origin
    assert len(places) == len(plain)
    assert places == sorted(places)
    assert all(0 <= at < len(text) for at in places)


@pytest.mark.parametrize(
    ("text", "plain", "origin"),
    [
        ("e\u0301a", "ea", [0, 2]),
        ("ｶﾞｽ", "ガス", [0, 2]),
        ("\u1112\u1161\u11ab", "한", [0]),
        ("ﬁx", "fix", [0, 0, 1]),
        ("绿茶", "绿茶", None),
    ],
)
def test_characters_that_join_come_from_the_first(text: str, plain: str, origin: list[int] | None) -> None:
    assert folded(text) == (plain, origin)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("getUserName", ["get", "User", "Name", "UserName"]),
        ("call parseHTTPBody2 now", ["parse", "HTTP", "Body", "2", "HTTPBody2", "Body2"]),
        ("plain Words HERE", []),
    ],
)
def test_the_parts_of_a_name_are_found_where_they_stand(text: str, parts: list[str]) -> None:
    assert [text[start:end] for start, end in hump_places(text)] == parts
    assert humps(text) == [part.lower() for part in parts]


@pytest.mark.parametrize(
    "text",
    ["Really? " + "word " * 40_000, "fooBar" + "abcdef01" * 25_000, "é " + "1" * 200_000, "é " + "a, b" * 50_000],
)
def test_a_text_of_any_kind_is_read_at_a_cost_of_its_length(text: str) -> None:
    """Twice as long a text must not take four times the steps: with those, this would run for minutes."""
    tokens = words(text)
    assert sum(map(len, tokens)) < 10 * len(text)
    assert 0 <= asks(text) <= ALL
    assert signs(text, tokens) >= 0


@pytest.mark.parametrize(
    ("text", "share"),
    [("What is it?", 1), ("是吗？", 1), ("What? No.", 5 / 9), ("It is.", 0), ("so?!", 1), ("?", 1), ("a\nb?", 0.5)],
)
def test_how_much_of_a_text_asks(text: str, share: float) -> None:
    assert asks(text) / ALL == pytest.approx(share, abs=0.01)
