"""What the best memories tell decides among them: something that few others tell, of the person who is asked about."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pipeline.recall.formula.hybrid import Ranked, rank_rows
from pipeline.recall.formula.sight import Sight
from store.index.search.building import build
from store.index.search.doc import Doc
from store.index.search.index import SearchIndex
from store.index.search.stems import stem

OFTEN = [Doc(f"often-{at:02}", "0", "She enjoys good support.") for at in range(4)]
SELDOM = [Doc(f"seldom-{at:02}", "0", f"boat{at}") for at in range(36)]
"""Beside these, a word of four rows is common and one of a single row is not."""


def fact(name: str, owner: str, text: str) -> Doc:
    return Doc(name, "0", f"{text}\n{owner}", owner=owner)


def asked(sight: Sight, query: str) -> Ranked:
    return rank_rows(sight, query, 10, texts=lambda row: DOCS[sight.index.key(row)].text)


DOCS: dict[str, Doc] = {}
"""What the banks of these tests hold, for their texts."""


def sight(*docs: Doc, hidden: tuple[str, ...] = ()) -> Sight:
    DOCS.update({doc.key: doc for doc in docs})
    index = SearchIndex(build(docs))
    return Sight(index, np.array([index.key(row) not in hidden for row in range(len(index))]))


def order(ranked: Ranked, seen: Sight, *names: str) -> list[str]:
    keys = [seen.index.key(row) for row in ranked.rows.tolist()]
    return [key for key in keys if key in names]


def test_what_tells_something_rare_comes_before_what_is_said_everywhere() -> None:
    plain = Doc("plain", "0", "The ferry she enjoys: good support.")
    telling = Doc("telling", "0", "The ferry she steers: copper rudder.")
    bank = sight(plain, telling, *OFTEN, *SELDOM)
    ranked = asked(bank, "the ferry")
    assert order(ranked, bank, "plain", "telling") == ["telling", "plain"]
    assert "common" in {factor.name for factor in ranked.beside}


def test_in_a_bank_where_every_word_is_common_nothing_changes() -> None:
    bank = sight(Doc("a", "0", "ferry one"), Doc("b", "0", "ferry two"))
    ranked = asked(bank, "ferry")
    assert all((factor.take(ranked.rows) == 1).all() for factor in ranked.beside)


def test_a_fact_of_the_person_asked_about_comes_before_one_that_tells_of_another_too() -> None:
    both = fact("both", "Aria", "Aria steers the ferry with Noor.")
    alone = fact("alone", "Aria", "Aria steers the ferry with skill.")
    noor = fact("noor", "Noor", "Noor sells boats.")
    bank = sight(both, alone, noor)
    assert order(asked(bank, "What does Aria steer?"), bank, "both", "alone") == ["alone", "both"]
    named = {factor.name for factor in asked(bank, "What do Aria and Noor steer?").beside}
    assert "other" not in named
    assert "other" not in {factor.name for factor in asked(bank, "who steers the ferry").beside}
    assert "other" not in {factor.name for factor in asked(bank, "Who does Aria steer the ferry with?").beside}


def test_a_chinese_name_joins_the_words_around_it_and_is_known_all_the_same() -> None:
    both, alone = fact("both", "小明", "小明喜欢和小红去看灯塔。"), fact("alone", "小明", "小明喜欢晚上去看灯塔。")
    bank = sight(both, alone, fact("other", "小红", "小红卖船。"))
    assert "other" in {factor.name for factor in asked(bank, "小红喜欢看灯塔吗").beside}
    assert order(asked(bank, "小明喜欢看什么"), bank, "both", "alone") == ["alone", "both"]


def test_who_speaks_may_call_the_other_by_name() -> None:
    turn = fact("turn", "Aria", "Noor, I steer the ferry!")
    bank = sight(turn, fact("noor", "Noor", "I sell boats."))
    assert "other" not in {factor.name for factor in asked(bank, "What does Aria steer?").beside}


def test_hidden_memories_make_no_word_common() -> None:
    hidden = tuple(doc.key for doc in OFTEN[1:])
    assert "support" in sight(*OFTEN, *SELDOM).common
    assert "support" not in sight(*OFTEN, *SELDOM, hidden=hidden).common


WORDS = ["ferry", "ferries", "harbour", "boat", "boats", "the", "小熊", "灯"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=4).map(" ".join)


@given(first=st.lists(TEXTS, max_size=6), later=st.lists(TEXTS, max_size=6), gone=st.sets(st.integers(0, 5)))
def test_property_words_are_common_whether_memories_came_early_or_late(
    first: list[str], later: list[str], gone: set[int]
) -> None:
    docs = [Doc(f"{at:02}", "0", text) for at, text in enumerate([*first, *later])]
    index = SearchIndex(build(docs[: len(first)])).changed([at for at in gone if at < len(first)], docs[len(first) :])
    left = [doc for at, doc in enumerate(docs) if at >= len(first) or at not in gone]
    common = Sight(index).common
    fresh = Sight(SearchIndex(build(left))).common
    assert {stem(word) for word in common} == {stem(word) for word in fresh}
