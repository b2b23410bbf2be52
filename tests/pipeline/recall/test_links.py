"""A turn of a conversation and the facts drawn from it: what finds one finds the other too."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from pipeline.recall.answering import ask
from pipeline.recall.explain import why
from pipeline.recall.filtering.query import parse
from pipeline.recall.formula.hybrid import rank_rows
from pipeline.recall.formula.sight import Sight
from pipeline.recall.found import find
from pipeline.recall.hits import Recall
from pipeline.recall.searchable import Searchable
from pipeline.recall.within import Within
from store.index.search.building import build
from store.index.search.doc import Doc, doc_of
from store.index.search.index import SearchIndex
from store.memory import Memory
from store.view import View

TODAY = date(2026, 10, 12)


def memory(name: str, text: str, evidence: str = "", **more: str) -> Memory:
    path = f"facts/{name}.md"
    return replace(Memory(path, path, name.ljust(64, "0"), statement=text, evidence=evidence), **more)  # type: ignore[arg-type]


TURN = memory("turn", "Oh that one, we took it in when the shelter closed.", "dsh/s1#event:4")
FACT = memory("fact", "Mara adopted a greyhound.", "dsh/s1#event:4")
AWAY = memory("away", "The ferry leaves at noon.", "dsh/s3#event:9")
OTHER = memory("other", "Somebody walks a dog by the river.", "dsh/s2#event:4")
ALL = (TURN, FACT, AWAY, OTHER)


def asked(memories: tuple[Memory, ...], query: str, agent: str | None = None) -> Recall:
    return ask(Searchable.of(View.of(memories)), query, Within(TODAY, agent))


def names(found: Recall) -> list[str]:
    return [hit.memory.id.removeprefix("facts/").removesuffix(".md") for hit in found.hits]


def score(found: Recall, of: Memory) -> float:
    return next((hit.final for hit in found.hits if hit.memory.id == of.id), 0.0)


def test_a_fact_that_is_found_brings_the_turn_that_it_was_drawn_from() -> None:
    found = asked(ALL, "greyhound")
    assert names(found) == ["fact", "turn"]
    assert score(found, TURN) == pytest.approx(0.4 * score(found, FACT))


def test_a_turn_that_is_found_brings_its_fact() -> None:
    assert names(asked(ALL, "shelter")) == ["turn", "fact"]


def test_turns_that_both_have_the_word_are_told_apart_by_their_facts() -> None:
    one = memory("one", "The shelter is full.", "dsh/s1#event:4")
    two = memory("two", "The shelter is full.", "dsh/s9#event:4")
    about = memory("about", "Dogs wait at the shelter.", "dsh/s9#event:4")
    assert names(asked((one, two, about), "dogs shelter")) == ["about", "two", "one"]


def test_it_is_the_same_while_a_person_types() -> None:
    found = find(Searchable.of(View.of(ALL)), parse("greyh"), "relevance", 10)
    assert len(found.rows) == found.count == 2


def test_the_turn_is_told_why_it_was_found() -> None:
    found = asked(ALL, "greyhound")
    said = {hit.memory.id: "\n".join(why(hit)) for hit in found.hits}
    assert "another memory of the same place in its session was found too" in said[TURN.id]
    assert "same place" not in said[FACT.id]


def test_the_best_of_several_facts_counts_and_they_raise_each_other() -> None:
    strong = memory("strong", "Greyhound.", "dsh/s1#event:4")
    alone, both = asked((TURN, strong), "greyhound"), asked((TURN, strong, FACT), "greyhound")
    assert names(both) == ["strong", "fact", "turn"]
    assert score(alone, TURN) / score(alone, strong) == pytest.approx(0.4)
    own = score(both, strong) - 0.4 * (score(both, FACT) - 0.4 * score(both, strong)) / (1 - 0.4**2)
    assert score(both, TURN) == pytest.approx(0.4 * own)


@pytest.mark.parametrize(
    ("one", "two", "linked"),
    [
        ("dsh/s1#event:4", "dsh/s1#event:4, dsh/s1#event:9", True),
        ("codex/s1#line 12", "codex/s1#line 12", True),
        ("claude-code/s1#0d2c-77ab4", "claude-code/s1#0d2c-77ab4", True),
        ("claude-code/s1#0d2c-77ab4", "claude-code/s1#9f3e-10cd4", False),
        ("dsh/s1#event:4", "dsh/s1#event:5", False),
        ("dsh/s1#event:4", "dsh/s2#event:4", False),
        ("dsh/s1", "dsh/s1", False),
        ("dsh/s1#", "dsh/s1#", False),
        ("", "", False),
    ],
)
def test_linked_is_what_names_the_same_turn(one: str, two: str, linked: bool) -> None:
    found = asked((memory("1", "the greyhound", one), memory("2", "somebody", two)), "greyhound")
    assert any("same place" in said for hit in found.hits for said in why(hit)) == linked


def test_what_an_agent_may_not_read_brings_nothing_and_is_not_brought() -> None:
    private = memory("private", "Mara adopted a greyhound.", "dsh/s1#event:4", scope="private", owner="mara")
    assert names(asked((TURN, private), "greyhound", "lan")) == []
    assert names(asked((TURN, private), "shelter", "lan")) == ["turn"]
    assert names(asked((TURN, private), "shelter", "mara")) == ["turn", "private"]


def test_a_private_turn_amid_a_session_is_not_shown_to_others() -> None:
    around = (memory("a", "We adopted a dog.", "dsh/s1#event:1"), memory("c", "How nice.", "dsh/s1#event:3"))
    secret = memory("b", "So it is.", "dsh/s1#event:2", scope="private", owner="mara")
    theirs, without = asked((*around, secret), "dog", "lan"), asked(around, "dog", "lan")
    assert names(theirs) == names(without) == ["a", "c"]
    assert [hit.final for hit in theirs.hits] == pytest.approx([hit.final for hit in without.hits])


def test_an_operator_leaves_out_what_a_link_would_bring() -> None:
    turn = replace(TURN, type="EVENT")
    assert names(asked((turn, replace(FACT, type="FACT")), "greyhound type:fact")) == ["fact"]


def test_a_fact_does_not_push_the_turns_of_its_session_apart() -> None:
    turns = [
        Doc(f"{at}", "0", text, "s", at) for at, text in enumerate(("did you adopt it?", "at the quay", "hm", "so"), 1)
    ]
    facts = [Doc(f"1{at}", "0", "something else was said", "s", 1) for at in range(5)]
    bare, full = (Sight(SearchIndex(build(docs))) for docs in (turns, turns + facts))
    places = {bank.index.key(row): int(place) for bank in (full,) for row, place in enumerate(bank.place)}
    assert [places[key] for key in ("1", "10", "14", "2", "3", "4")] == [0, 0, 0, 1, 2, 3]
    near, far = rank_rows(bare, "adopt", 9), rank_rows(full, "adopt", 9)
    told = {full.index.key(int(row)): float(score) for row, score in zip(far.rows, far.scores, strict=True)}
    ours = {bare.index.key(int(row)): float(score) for row, score in zip(near.rows, near.scores, strict=True)}
    rarer = far.words.terms[0].idf / near.words.terms[0].idf
    assert far.words.ideal / near.words.ideal == pytest.approx(rarer)
    assert {key: told[key] for key in ours} == pytest.approx(ours)


def test_a_fact_that_came_later_is_linked_as_one_of_a_fresh_index() -> None:
    fresh = Sight(SearchIndex(build([doc_of(one) for one in ALL])))
    late = SearchIndex(build([doc_of(one) for one in (TURN, AWAY, OTHER)])).changed([], [doc_of(FACT)])
    ours, theirs = (rank_rows(bank, "adopted greyhound", 9) for bank in (fresh, Sight(late)))
    assert [fresh.index.key(row) for row in ours.rows.tolist()] == [late.key(row) for row in theirs.rows.tolist()]
    assert ours.scores.tolist() == pytest.approx(theirs.scores.tolist())


def test_a_bank_without_sessions_has_no_links() -> None:
    bank = Sight(SearchIndex(build([Doc("1", "0", "a greyhound"), Doc("2", "0", "a boat")])))
    ranked = rank_rows(bank, "greyhound", 9)
    assert ranked.linked is None
    assert np.count_nonzero(ranked.scores) == 1
