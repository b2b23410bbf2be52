"""What a person says of themselves becomes a fact with just the words that matter."""

from __future__ import annotations

import pytest

from pipeline.extract.asked import asked_for
from pipeline.extract.profile.rules import facts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("I live in Porto now, an hour by train.", "home: Porto"),
        ("I know Postgres well, so skip the basics.", "expertise: Postgres"),
        ("I use Helix these days.", "tool: Helix"),
        ("I'm based in Lisbon too.", "home: Lisbon"),
    ],
)
def test_a_value_ends_before_the_word_that_says_since_when_or_how_well(text: str, value: str) -> None:
    assert [fact.value for fact in facts(text)] == [value]


def test_asking_to_remember_from_now_on_is_asking() -> None:
    text = "我叫梅。以后请记住：图标一律用二十像素网格。"
    assert asked_for(text, "以后请记住：图标一律用二十像素网格")
    assert not asked_for(text, "我叫梅")


@pytest.mark.parametrize(
    "text", ["把你记的关于我住址的内容都删掉吧。", "我住的地方的资料都清空吧", "我住所的照片发你了"]
)
def test_a_word_that_only_begins_like_a_home_is_none(text: str) -> None:
    assert facts(text) == ()
