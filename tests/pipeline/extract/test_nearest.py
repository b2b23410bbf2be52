"""What comes nearest to a quote that stands nowhere is a passage of the evidence, found in any script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.extract.evidence import Record
from pipeline.extract.nearest import ENOUGH, nearest

EN = Record("event:1", "Well, we deploy to Fly.io on port 8443 since the spring, mostly on Tuesdays.", 1)
ZH = Record("event:2", "对了，我习惯用两个空格缩进，不用制表符。", 2)


@pytest.mark.parametrize(
    ("quote", "ref", "text"),
    [
        ("we deploy on Fly.io at port 8443", "event:1", "we deploy to Fly.io on port 8443"),
        ("We DEPLOY to fly.io", "event:1", "we deploy to Fly.io"),
        ("我习惯用四个空格缩进", "event:2", "我习惯用两个空格缩进"),
        ("用两个空格", "", "用两个空格"),
        ("用两个空格", "event:1", "用两个空格"),
    ],
)
def test_the_words_that_were_said_stand_beside_the_quote(quote: str, ref: str, text: str) -> None:
    found = nearest(quote, [EN, ZH], ref)
    assert found is not None and found.text == text
    assert found.source_ref == ("event:1" if text.isascii() else "event:2")


@pytest.mark.parametrize("quote", ["", "...", "I love cron more than tea", "完全不同的内容"])
def test_nothing_like_it_is_nothing(quote: str) -> None:
    assert nearest(quote, [EN, ZH]) is None


@given(st.text(max_size=60), st.lists(st.text(max_size=200), max_size=4))
def test_property_a_passage_is_a_slice_of_its_record_and_shares_enough(quote: str, texts: list[str]) -> None:
    records = [Record(f"event:{number}", text, number) for number, text in enumerate(texts)]
    found = nearest(quote, records)
    if found is not None:
        record = next(one for one in records if one.source_ref == found.source_ref)
        assert found.text and found.text in record.text and ENOUGH <= found.shared <= 1


@given(st.lists(st.sampled_from(["we", "deploy", "8443", "港", "口", "代码"]), min_size=1, max_size=40), st.data())
def test_property_words_of_the_record_itself_are_found_whole(words: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(words) - 1))
    quote = words[start : data.draw(st.integers(start + 1, len(words)))]
    found = nearest(" ".join(quote), [Record("event:1", " ".join(words), 1)])
    assert found is not None and found.shared == 1
    assert sorted(found.text.split()) == sorted(quote)
