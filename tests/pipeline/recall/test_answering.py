"""What an agent is answered over a bank, and why each hit stands where it does."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest

from pipeline.recall.answering import ask
from pipeline.recall.explain import why
from pipeline.recall.hits import Recall
from pipeline.recall.rank import Settings, rank
from pipeline.recall.searchable import Searchable
from pipeline.recall.within import Within
from store.memory import Memory
from store.view import View

TODAY = date(2026, 10, 12)
FERRY = Memory("facts/1.md", "facts/1.md", "a" * 64, statement="The ferries leave on Monday.", created="2026-10-01")
LIGHT = Memory("facts/2.md", "facts/2.md", "b" * 64, statement="灯塔在港口的北边。", created="2026-10-02")
TEA = Memory(
    "private/aria/prefs/1.md",
    "private/aria/prefs/1.md",
    "c" * 64,
    type="PREF",
    scope="private",
    owner="aria",
    statement="Likes tea on the ferry.",
    created="2026-10-03",
)
OLD = replace(FERRY, id="facts/0.md", path=".trash/facts/0.md", sha="d" * 64, state="trashed")
BANK = Searchable.of(View.of([FERRY, LIGHT, TEA, OLD]))


def asked(query: str, agent: str | None = None, **rest: object) -> Recall:
    return ask(BANK, query, Within(TODAY, agent), **rest)  # type: ignore[arg-type]


def ids(found: Recall) -> list[str]:
    return [hit.memory.id for hit in found.hits]


def test_live_memories_are_found_best_first_in_both_languages() -> None:
    assert ids(asked("ferry")) == ["private/aria/prefs/1.md", "facts/1.md"]
    assert ids(asked("灯塔")) == ["facts/2.md"]


def test_an_agent_finds_what_it_may_read_and_others_leave_no_trace() -> None:
    without = Searchable.of(View.of([FERRY, LIGHT]))
    for query in ("ferry", "tea", "aria likes tea on the ferry"):
        theirs = asked(query, "lan")
        alone = ask(without, query, Within(TODAY, "lan"))
        assert ids(theirs) == ids(alone)
        assert [hit.final for hit in theirs.hits] == [hit.final for hit in alone.hits]
    assert "private/aria/prefs/1.md" in ids(asked("tea", "aria"))


def test_operators_phrases_and_words_left_out_work_for_whoever_asks() -> None:
    assert ids(asked("ferry type:pref")) == ["private/aria/prefs/1.md"]
    assert ids(asked("ferry -tea")) == ["facts/1.md"]
    assert ids(asked('"ferries leave"')) == ["facts/1.md"]


def test_operators_without_words_give_what_passes_them() -> None:
    def found(query: str, agent: str | None = None, limit: int | None = None) -> Recall:
        return rank(BANK.view, query, Within(TODAY, agent), "hybrid", Settings(limit))

    assert ids(found("type:pref")) == ["private/aria/prefs/1.md"]
    assert set(ids(found("-tea"))) == {"facts/1.md", "facts/2.md"}
    assert ids(found("type:pref", "lan")) == []
    assert (len(found("type:fact", limit=1).hits), found("type:fact", limit=1).total) == (1, 2)
    assert not found("type:pref").wordless


def test_a_query_without_words_is_a_state_of_its_own() -> None:
    def found(query: str) -> Recall:
        return rank(BANK.view, query, Within(TODAY), "hybrid", Settings(searchable=BANK))

    assert found("!!!").wordless and found("!!!").notes
    assert not found("zebra").wordless


def test_whoever_asks_for_a_mistyped_word_is_told_which_was_meant_and_no_word_of_others() -> None:
    def told(query: str, agent: str | None = None) -> str:
        return rank(BANK.view, query, Within(TODAY, agent), "hybrid", Settings(searchable=BANK)).advice

    assert told("feries") == "No memory has 'feries' (perhaps ferries was meant)."
    assert told("liks tea") == "No memory has 'liks' (perhaps likes was meant)."
    assert told("liks tea", "lan") == ""
    assert told("ferry tea 灯台 zzzz") == ""


def test_the_limit_cuts_and_the_total_says_how_many_there_are() -> None:
    found = asked("ferry", limit=1)
    assert (len(found.hits), found.total, found.truncated) == (1, 2, True)


def test_why_names_the_word_its_form_and_what_the_query_asked_for() -> None:
    hit = next(hit for hit in asked("when does the ferry leave").hits if hit.memory.id == "facts/1.md")
    said = "\n".join(why(hit))
    assert "has 'ferries', a form of 'ferry'" in said
    assert "has 'leave'" in said
    assert "tells a time" in said
    assert hit.terms == ("ferry", "leave")


def test_why_names_the_irregular_form_and_the_word_that_means_the_same() -> None:
    bank = Searchable.of(View.of([replace(FERRY, statement="She goes by boat to see a film.")]))
    (hit,) = ask(bank, "who went to the movie", Within(TODAY)).hits
    said = "\n".join(why(hit))
    assert "has 'goes', a form of 'went'" in said
    assert "has 'film', which means about the same as 'movie'" in said


def test_the_parts_of_a_score_give_the_score() -> None:
    bank = Searchable.of(
        View.of(
            [
                replace(FERRY, evidence="dsh/s1#event:4", statement="When does the ferry leave?"),
                replace(LIGHT, evidence="dsh/s1#event:5", statement="On Monday, says aria.", owner="aria"),
                replace(TEA, evidence="dsh/s1#event:6"),
            ]
        )
    )
    for query in ("when does aria take the ferry", "ferry in October 2026", "tea"):
        for hit in ask(bank, query, Within(TODAY)).hits:
            added = sum(part.value for part in hit.parts if "+" in part.words)
            for part in hit.parts:
                added *= part.value if "×" in part.words else 1
            assert added == pytest.approx(hit.final, rel=1e-4)


def test_what_was_said_in_the_same_minute_hangs_together() -> None:
    said = (("observed", "2026-10-12T09:30:10Z"),)
    bank = Searchable.of(
        View.of(
            [
                replace(FERRY, statement="Adopted a dog.", extra=said),
                replace(LIGHT, statement="It is called Marlow.", extra=said),
                replace(TEA, statement="The boat is red.", extra=(("observed", "2026-10-12"),)),
            ]
        )
    )
    assert ids(ask(bank, "dog", Within(TODAY))) == ["facts/1.md", "facts/2.md"]
