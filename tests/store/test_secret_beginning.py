"""The beginning of a long text is masked as the whole text is, without a look at the rest."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store import secret
from store.secret import MASK, mask, mask_beginning

TOKEN = "gh" + "p_" + "a1B2" * 6
PIECES = (
    TOKEN,
    "gh" + "p_" + "a1B2`a1B2\u200ba1B2a1B2a1B2",
    "pass" + "word",
    "pass" + "word: ",
    "pass" + 'word is "a b 12',
    'c d"',
    "= 'x y z",
    "hunter22",
    "密码是 abcd1",
    "Authorization: Bearer ",
    "https://me:s3cretpw@host/?to" + "ken=abcd1234",
    "4012 8888 8888 1881",
    "4539 1488 0343 6467",
    "commit ",
    "0123456789abcdef" * 3,
    "e\u0301\u0327 ",
    "\u0301",
    "\n",
    "\r\n",
    "  ",
    "~~<~`",
    "wort 话 ",
    "plain words that go on for a while, ",
    "unbroken" * 6,
)
KEY = ("-----BEGIN RSA PRIVATE" + " KEY-----", "-----END RSA PRIVATE" + " KEY-----")


def masked(text: str) -> str:
    return unicodedata.normalize("NFC", mask(text))


@pytest.fixture
def _near(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rules read less far here than they may, so that short texts have a rest that is not looked at."""
    for name, value in (("_REACH", 60), ("_MARGIN", 0), ("_PASSES", 3)):
        monkeypatch.setattr(secret, name, value)


@pytest.mark.usefixtures("_near")
@given(st.lists(st.sampled_from((*PIECES, *KEY)), max_size=60), st.integers(1, 400), st.integers(0, 90))
def test_property_the_beginning_is_that_of_the_masked_text(pieces: list[str], points: int, longer: int) -> None:
    text = "".join(pieces) + "and more of this " * longer
    assert mask_beginning(text, points) == masked(text)[:points]


@pytest.mark.usefixtures("_near")
@given(st.lists(st.sampled_from(PIECES), max_size=60), st.integers(1, 400), st.lists(st.sampled_from((*PIECES, *KEY))))
def test_property_a_beginning_says_nothing_that_its_rest_could_change(
    pieces: list[str], points: int, rest: list[str]
) -> None:
    begun, whole = "".join(pieces), f"{''.join(pieces)} {''.join(rest)}"
    assert masked(whole).startswith(mask_beginning(begun, points, cut=True))


def test_a_long_text_is_looked_at_no_further_than_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"use {TOKEN} here, " + "and then some more of it\n" * 40_000
    looked: list[int] = []
    real = secret._masked
    monkeypatch.setattr(secret, "_masked", lambda part: looked.append(len(part)) or real(part))
    assert mask_beginning(text, 4_000) == (f"use {MASK} here, " + "and then some more of it\n" * 200)[:4_000]
    assert max(looked) < 40_000


@pytest.mark.parametrize("gap", [26_000, 27_990, 28_010, 60_000])
def test_secrets_around_the_end_of_what_is_looked_at_change_nothing_before_it(gap: int) -> None:
    text = "word " * (gap // 5) + f'password = "a b {TOKEN} c" {KEY[0]}\nabc\n{KEY[1]} ' + "x " * 3_000
    assert mask_beginning(text, 4_000) == masked(text)[:4_000]
    assert mask_beginning(text, gap + 60) == masked(text)[: gap + 60]
