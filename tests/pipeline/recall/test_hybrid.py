"""Recall by the whole formula, over small banks: what a person who types and an agent that asks find first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pipeline.recall.formula import lexical
from pipeline.recall.formula.dates import When, when
from pipeline.recall.formula.hybrid import rank_rows
from pipeline.recall.formula.sight import Sight
from pipeline.recall.formula.wanted import Wanted, wanted
from store.index.search.building import build
from store.index.search.doc import Doc
from store.index.search.index import SearchIndex


def sight(*texts: str | Doc, hidden: tuple[str, ...] = ()) -> Sight:
    docs = [text if isinstance(text, Doc) else Doc(f"{at:03}", "0", text) for at, text in enumerate(texts)]
    index = SearchIndex(build(docs))
    seen = np.array([index.key(row) not in hidden for row in range(len(index))], np.bool_)
    return Sight(index, seen)


def found(bank: Sight, query: str, *, typing: bool = False, most: int = 10) -> list[str]:
    return [bank.index.key(row) for row in rank_rows(bank, query, most, typing=typing).rows.tolist()]


def test_another_form_of_a_word_is_found_but_the_word_itself_comes_first() -> None:
    assert found(sight("they were adopting a dog", "they adopt a dog", "a boat"), "adopt") == ["001", "000"]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    assert found(sight("the ferry at noon", "the ferry at night", "harbour at noon"), "ferry harbour")[0] == "002"


def test_the_word_that_is_typed_may_go_on_and_the_word_itself_comes_first() -> None:
    bank = sight("harbourmaster rules", "harbour rules", "a har of its own", "boats")
    assert found(bank, "har", typing=True)[0] == "002"
    assert set(found(bank, "harb", typing=True)) == {"000", "001"}
    assert found(bank, "harb ", typing=True) == []


def test_who_types_two_words_sees_entries_with_both_first() -> None:
    bank = sight("ferry ferry ferry ferry", "the harbour", "the ferry leaves the harbour after the long storm of May")
    assert found(bank, "ferry harbour", typing=True)[0] == "002"


@pytest.mark.parametrize("typed", ["habrour", "harbor", "harbouur", "uarbour", "hrbour"])
def test_a_mistyped_word_finds_the_one_that_was_meant(typed: str) -> None:
    assert found(sight("the harbour office", "a boat", "the market"), typed, typing=True)[:1] == ["000"]


@pytest.mark.parametrize("others", [(), ("a boat",), ("a boat", "the market")])
def test_a_mistyped_word_is_found_in_the_smallest_bank(others: tuple[str, ...]) -> None:
    assert found(sight("the harbour office", *others), "habrour ", typing=True) == ["000"]


def test_a_word_that_a_small_bank_has_once_is_not_taken_for_mistyped() -> None:
    assert found(sight("the deploy window", "the winter timetable", "a widget"), "wind", typing=True) == ["000"]


def test_other_forms_of_a_word_are_found_while_it_is_the_last_one_typed() -> None:
    bank = sight("she runs at dawn", "the harbour", "parties on the roof")
    assert found(bank, "running", typing=True) == ["000"]
    assert found(bank, "party", typing=True) == ["002"]


def test_a_word_that_was_guessed_counts_less_than_one_that_stands_there() -> None:
    bank = sight("addresses of passengers", "the office upstairs", *("a boat",) * 50)
    assert found(bank, "office adress", typing=True) == ["001", "000"]


def test_a_mistyped_word_is_found_among_many_names_that_begin_like_it() -> None:
    names = [f"ticket{at:04}" for at in range(600)]
    assert found(sight("the ticket of a family", *names), "tikcet ", typing=True)[0] == "000"


@pytest.mark.parametrize(
    "query", ["小明每年春天都去海边看老灯塔和渡轮因为那里很安静", " ".join(map("boat{}".format, range(40)))]
)
def test_a_letter_more_looks_up_few_terms_however_long_the_query(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    bank, look_up = sight(query, "a boat"), lexical._looked_up
    looked: list[str] = []

    def counted(seen: Sight, term: Wanted, *rest: Any, **more: Any) -> Any:
        looked.append(term.term)
        return look_up(seen, term, *rest, **more)

    monkeypatch.setattr(lexical, "_looked_up", counted)
    for end in range(1, len(query) + 1):
        looked.clear()
        found(bank, query[:end], typing=True)
        assert len(looked) <= 4


def test_an_agent_that_asks_is_not_corrected() -> None:
    assert found(sight("the harbour office"), "habrour") == []


def test_the_answer_beside_the_question_in_its_session_comes_first() -> None:
    turns = ("where did you adopt the dog?", "at the shelter in Riva", "nice", "yes", "so it goes", "well", "boats")
    bank = sight(*(Doc(f"{at:03}", "0", text, "s", at) for at, text in enumerate(turns)))
    assert found(bank, "adopt the dog") == ["001", "000", "002", "003"]


def test_no_words_come_over_from_another_session() -> None:
    bank = sight(Doc("000", "0", "adopt a dog", "s", 0), Doc("001", "0", "hm", "t", 0), Doc("002", "0", "so", "t", 1))
    assert found(bank, "adopt") == ["000"]


def test_an_entry_of_the_person_named_comes_first() -> None:
    bank = sight(Doc("000", "0", "likes tea", owner="aria"), Doc("001", "0", "likes tea", owner="lan"))
    assert found(bank, "what tea does Lan like")[0] == "001"
    assert found(bank, "what tea does aria like")[0] == "000"


def test_a_name_written_in_another_case_is_the_same_person() -> None:
    bank = sight(Doc("000", "0", "likes tea", owner="Aria"), Doc("001", "0", "likes tea too", owner="aria"))
    assert sorted(bank.owners["aria"].tolist()) == [0, 1]


def test_an_entry_of_the_day_named_comes_first() -> None:
    bank = sight(Doc("000", "0", "a walk", day=20260301), Doc("001", "0", "a walk", day=20260508))
    assert found(bank, "the walk on 8 May 2026")[0] == "001"
    assert found(bank, "a walk in March")[0] == "000"


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("on 8 May 2026", When(5, 8, 2026)),
        ("May 8th", When(5, 8)),
        ("in May", When(5)),
        ("she may in 8 cases", None),
        ("2026-05-08", When(5, 8, 2026)),
        ("2026年5月8日", When(5, 8, 2026)),
        ("5月8号", When(5, 8)),
        ("2026年5月", When(5, 0, 2026)),
        ("since September", When(9)),
        ("Sept 3", None),
        ("99月99日", None),
        ("version 2026-77", None),
    ],
)
def test_a_date_is_read_in_english_and_in_chinese(text: str, date: When | None) -> None:
    assert when(text) == date


@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("when does the ferry leave", "the ferry leaves on Monday"),
        ("渡轮什么时候开", "渡轮周一开"),
        ("who runs the ferry", "the ferry is run by Marlow"),
        ("how many boats has the ferry company", "the ferry company has seven boats"),
    ],
)
def test_what_the_query_asks_for_comes_first(query: str, answer: str) -> None:
    others = ("the ferry leaves as it likes", "渡轮不开", "the ferry is run by somebody", "the ferry company has boats")
    assert found(sight(*others, answer), query)[0] == "004"


def test_an_entry_that_only_asks_comes_after_one_that_tells() -> None:
    assert found(sight("is the ferry red?", "so the ferry is red"), "red ferry") == ["001", "000"]


def test_of_equal_entries_the_newer_comes_first() -> None:
    bank = sight(Doc("000", "0", "ferry", day=20250101), Doc("001", "0", "ferry", day=20260101))
    assert found(bank, "ferry") == ["001", "000"]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("小熊在灯塔下面等我", "灯塔"),
        ("小熊在灯塔下面等我", "灯"),
        ("Ｃａｆé au lait", "cafe"),
        ("ＡＰＩ 网关", "api"),
        ("the naïve résumé", "resume"),
        ("ship it 🚀 today", "🚀"),
        ("שלום עולם", "שלום"),
        ("مرحبا بالعالم", "مرحبا"),
        ("call getUserName() first", "username"),
        ("call getUserName() first", "getuser"),
        ("snake_case_name", "case"),
        ("see /etc/nginx/sites.conf", "nginx/sites"),
        ("Straße nach Köln", "strasse koln"),
        ("C", "c"),
    ],
)
def test_every_script_names_of_code_and_paths_are_found_as_they_are_typed(text: str, query: str) -> None:
    assert found(sight("other words 其他 的话", text), query, typing=True)[:1] == ["001"]


def test_stop_words_are_looked_for_when_there_is_nothing_else() -> None:
    assert [term.term for term in wanted("what is the harbour", typing=False)] == ["harbour"]
    assert [term.term for term in wanted("who is it", typing=False)] == ["who", "is", "it"]
    assert [term.term for term in wanted("harbour the", typing=True)] == ["harbour", "the"]


def test_what_a_reader_may_not_see_changes_nothing_that_is_seen() -> None:
    texts = (
        "the ferry at noon",
        "the harbour at noon",
        "ferry ferry",
        "harbour ferries for the ferryman",
        "ferry secret",
    )
    bare, masked = sight(*texts[:2]), sight(*texts, hidden=("002", "003", "004"))
    for query in ("ferry harbour", "ferry", "noon", "fery", "ferri", "secret", "secrte"):
        for typing in (True, False):
            ours, theirs = rank_rows(bare, query, 9, typing=typing), rank_rows(masked, query, 9, typing=typing)
            assert found(bare, query, typing=typing) == found(masked, query, typing=typing)
            assert ours.scores.tolist() == pytest.approx(theirs.scores.tolist())
            assert [term.instead for term in ours.words.terms] == [term.instead for term in theirs.words.terms]


def test_the_best_of_many_are_found_without_sorting_all() -> None:
    texts = [("ferry " * (at % 7) + "boat " * (at % 3) + "harbour") for at in range(5000)]
    bank = sight(*texts)
    best = rank_rows(bank, "ferry boat", 20, typing=True)
    every = rank_rows(bank, "ferry boat", 5000, typing=True)
    assert best.scores.tolist() == every.scores.tolist()[:20]
    assert best.total == every.total == sum("ferry" in text or "boat" in text for text in texts)


def test_nothing_is_found_among_nothing() -> None:
    for most in (0, 1, 10):
        assert found(sight(), "ferry", typing=True, most=most) == []
        assert found(sight("ferry"), "ferry", most=most) == ["000"][:most]
