"""What was searched for is marked in the text as it is shown, whatever folding does to it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.recall.filtering.query import parse
from pipeline.recall.filtering.spans import Sought, Span, sought, spans
from store.index.search.words import fold, words
from tests.pipeline.recall.hostile import HOSTILE, TYPED


def marked(text: str, wanted: Sought | str) -> list[str]:
    return [text[start:end] for start, end in spans(text, wanted)]


@pytest.mark.parametrize(
    ("text", "query", "parts"),
    [
        ("Green tea before noon", "TEA gree", ["Gree", "tea"]),
        ("tea, teas and Tea.", "tea", ["tea", "tea", "Tea"]),
        ("a steam engine", "tea", []),
        ("Die STRAẞE und die Straße", "strasse", ["STRAẞE", "Straße"]),
        ("Straße", "stras", ["Straß"]),
        ("İstanbul", "i", ["İ"]),
        ("ﬁle file", "file", ["ﬁle", "file"]),
        ("ﬁle", "f", ["ﬁ"]),
        ("Café CAFÉ cafe\u0301s ＣＡＦＥ", "cafe", ["Café", "CAFÉ", "cafe\u0301", "ＣＡＦＥ"]),
        ("an naïve e\u0301", "e naive", ["naïve", "e\u0301"]),
        ("a tea", '"a tea" -a', ["a tea"]),
        ("green\n  tea greentea", '"green te', ["green\n  te", "green"]),
        ("ＧＲＥＥＮ　ｔｅａ", '"green tea"', ["ＧＲＥＥＮ　ｔｅａ"]),
        ("备份 每周演练", "周演练", ["周演练"]),
        ("演练和周演", "周演练", ["演练", "周演"]),
        ("的确 目的", "的", ["的", "的"]),
        ("tea 🍵 茶 →", "🍵 → 茶", ["🍵", "茶", "→"]),
        ("call myDataStore()", "data", ["Data"]),
        ("call myDataStore()", "datast", ["DataSt"]),
        ("call myDataStore()", "mydata", ["myData"]),
        ("getHTTPName get_http", "http", ["HTTP", "http"]),
        ("see /var/log-x.py", "var x.p", ["var", "x", "p"]),
        ("שלום עולם", "עול", ["עול"]),
        ("大阪ｶﾞｽの料金", "ガス", ["ｶﾞｽ"]),
        ("\u1112\u1161\u11ab\u1100\u116e\u11a8 말", "한국", ["\u1112\u1161\u11ab\u1100\u116e\u11a8"]),
        ("tea", "type:pref", []),
        ("tea", "", []),
        ("", "tea", []),
    ],
)
def test_what_is_marked_in_the_text(text: str, query: str, parts: list[str]) -> None:
    assert marked(text, query) == parts


def test_whole_words_that_stand_in_for_others_are_marked_whole_only() -> None:
    known = sought(parse("ferries"), also=["ferry", "boats"])
    assert marked("Ferry boats, ferryman, boat", known) == ["Ferry", "boats"]
    assert marked("myFerryBoats", Sought(words=frozenset({"ferry"}))) == ["Ferry"]


def test_of_two_beginnings_the_longer_is_marked() -> None:
    assert marked("tea teapot", "te teap") == ["te", "teap"]


# --- whatever the text

SIGNS = "aAsSßẞiİıﬁfFΣσςéÉe\u0301Ａｂ　备份演练🍵→ _-.\n"
LETTERS = st.text(alphabet=st.sampled_from(SIGNS), max_size=20)
WORDS = st.lists(
    st.sampled_from(
        ["Straße", "ﬁle", "ＣＡＦＥ", "cafe\u0301", "myDataStore", "备份演练", "演", "🍵", "İst", "tea", "שלום", "x1"]
    ),
    min_size=1,
    max_size=5,
    unique=True,
).map(" ".join)


def check(text: str, marks: list[Span]) -> None:
    """Inside the text, ascending, apart from each other."""
    edges = [edge for mark in marks for edge in mark]
    assert edges == sorted(set(edges))
    assert all(0 <= edge <= len(text) for edge in edges)


@given(LETTERS | WORDS | st.text(max_size=12), LETTERS | TYPED)
def test_property_marks_lie_inside_the_text_in_order(text: str, query: str) -> None:
    check(text, spans(text, query))


@given(WORDS | LETTERS, st.data())
def test_property_what_is_marked_begins_with_the_term_and_every_term_of_a_text_is_marked(
    text: str, data: st.DataObject
) -> None:
    """Each word, pair and part of a name that the index has of a text, whole or begun, is found in it and is it."""
    plain = words(text)
    if not plain:
        return
    term = data.draw(st.sampled_from(plain))
    begun = term[: data.draw(st.integers(1, len(term)))]
    kinds = [Sought(signs=frozenset({term}))] if not term[0].isalnum() or term[0] > "\u3000" else []
    kinds = kinds or [Sought(words=frozenset({term})), Sought(beginnings=frozenset({begun}))]
    for known in kinds:
        marks = spans(text, known)
        check(text, marks)
        wanted = next(iter(known.words | known.beginnings | known.signs))
        assert marks
        assert all(fold(text[start:end]).startswith(wanted) for start, end in marks)


@given(WORDS, st.data())
def test_property_a_phrase_of_the_text_is_marked_whole(text: str, data: st.DataObject) -> None:
    pieces = text.split(" ")
    first = data.draw(st.integers(0, len(pieces) - 1))
    last = data.draw(st.integers(first + 1, len(pieces)))
    phrase = " ".join(pieces[first:last])
    begins = len(" ".join([*pieces[:first], ""]))
    known = Sought(phrases=parse(f'"{phrase}"').phrases)
    assert any(start <= begins and begins + len(phrase) <= end for start, end in spans(text, known))


def test_hostile_queries_mark_without_error() -> None:
    text = "Green ｔｅａ, Straße 备份 每周演练 🍵 getUserName(src/user_name.py) cafe\u0301 ﬁle שלום"
    for query in HOSTILE:
        check(text, spans(text, query))
