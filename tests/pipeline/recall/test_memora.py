"""Recall as Memora ranks it: words in both scripts, two channels, decoded texts, and who may see what."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pipeline.recall.engines.fusion import FUSIONS
from pipeline.recall.engines.memora import WORDLESS, recall, search, search_memories, searched_words
from pipeline.recall.engines.suggest import suggest
from pipeline.recall.engines.told import content_of, decoded, name_of, preview
from pipeline.recall.explain import as_json, explain_hit, why
from pipeline.recall.hits import Recall
from pipeline.recall.within import Within
from store.memory import Memory
from store.view import View
from tests.conformance.memories import TODAY, make

WITHIN = Within(date.fromisoformat(TODAY))
NOW = datetime(2026, 10, 12, 12, tzinfo=UTC)


def statements(found: Recall) -> list[str]:
    return [hit.memory.statement for hit in found.hits]


def scored(memories: Sequence[Memory], scores: Sequence[float]) -> View:
    """A bank whose ledger holds the scores."""
    rows = {memory.id: {"score": score} for memory, score in zip(memories, scores, strict=True)}
    return View.of(memories, {"usage": rows})


@given(st.text("数据库索引策略我们的了ab 7", min_size=2, max_size=12), st.data())
def test_property_any_part_of_two_characters_finds_the_memory(text: str, data: st.DataObject) -> None:
    """`spec/memora.md` §5: no dictionary is needed; stop words alone find nothing."""
    start = data.draw(st.integers(0, len(text) - 2))
    query = text[start : data.draw(st.integers(start + 2, len(text)))]
    assume(query.strip())
    found = search([make("note", text, id="facts/one.md")], query, WITHIN)
    assert (found.total == 0) == found.wordless == (not searched_words(query))


def test_stop_words_alone_are_no_query_and_beside_others_they_find_nothing() -> None:
    ours, index = make("我们", "我们的约定"), make("index", "数据库")
    assert search([ours, index], "的", WITHIN).notes == (WORDLESS,)
    assert statements(search([ours, index], "我们 数据库", WITHIN)) == ["数据库"]


def test_english_stop_words_count_for_a_person_and_not_for_a_recall() -> None:
    memories = [make("plan", "what to do"), make("day", "deploy on friday")]
    assert len(search(memories, "what about deploy", WITHIN).hits) == 2
    assert statements(recall(memories, "what about the deploy", WITHIN)) == ["deploy on friday"]
    assert recall(memories, "what about it", WITHIN).wordless


@pytest.mark.parametrize("query", ["", "  ", "？！", "🙂"])
def test_nothing_to_look_for_is_a_state_of_its_own_and_never_everything(query: str) -> None:
    found = recall([make("kiln")], query, WITHIN)
    assert (found.hits, found.wordless, found.notes) == ((), True, (WORDLESS,))


Pairs = st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from([0.3, 0.5, 0.9])), max_size=5)


@given(
    Pairs,
    st.lists(st.sampled_from("abcdef"), unique=True, max_size=6),
    st.integers(-1, 6),
    st.sampled_from(["linear", "rrf"]),
)
def test_property_fused_lists_hold_each_memory_once_and_the_best_of_all(
    meaning: list[tuple[str, float]], keyword: list[str], limit: int, strategy: Any
) -> None:
    scores = {id: at / 10 for at, id in enumerate("abcdef")}
    meaning = sorted(dict(meaning).items(), key=lambda pair: -pair[1])
    every = FUSIONS[strategy](meaning, keyword, scores, 99)
    assert sorted(one.id for one in every) == sorted({*keyword, *dict(meaning)})
    assert [one.fused for one in every] == sorted((one.fused for one in every), reverse=True)
    assert FUSIONS[strategy](meaning, keyword, scores, limit) == every[: max(limit, 0)]
    for one in every:
        assert one.keyword_rank == (keyword.index(one.id) + 1 if one.id in keyword else 0)
        assert one.similarity == dict(meaning).get(one.id, 0)


def test_every_part_of_a_hit_is_told() -> None:
    near, both = make("oven", "heats clay"), make("kiln", "fires clay")
    view = scored([near, both], [0.2, 0.8])
    channel = lambda query, among, top, least: [(near.id, 0.9), (both.id, 0.5), ("gone", 1.0)]  # noqa: E731
    found = recall(view, "the kiln", WITHIN, similar=channel)
    assert [why(hit) for hit in found.hits] == [
        (
            "number 1 of what means something similar",
            "similarity 0.9",
            "score 0.2",
            "0.6 of the similarity and 0.4 of the score make 0.62",
        ),
        (
            "has 'kiln'",
            "number 2 of what means something similar",
            "number 1 of what has the words",
            "similarity 0.5",
            "score 0.8",
            "0.6 of the similarity and 0.4 of the score make 0.62",
        ),
    ]
    report = as_json(explain_hit(found.hits[1], TODAY))
    assert (report["ranker"], report["score"], report["final"], report["terms"]) == ("memora", 0.8, 0.62, ("kiln",))
    ranked = recall(view, "the kiln", WITHIN, similar=channel, fusion="rrf")
    assert [hit.memory.subject for hit in ranked.hits] == ["kiln", "oven"]
    assert why(ranked.hits[0])[-1] == "its ranks together make 0.033"


def test_a_similarity_below_the_least_finds_nothing() -> None:
    memory = make("oven", "heats clay")
    for least, count in ((0.3, 1), (0.31, 0)):
        found = recall([memory], "kiln", WITHIN, similar=lambda *_: [(memory.id, 0.3)], least=least)
        assert len(found.hits) == count


def test_the_limit_and_the_number_of_all() -> None:
    memories = [make("kiln", f"note {number}") for number in range(12)]
    found = recall(memories, "kiln", WITHIN)
    assert (len(found.hits), found.total, found.truncated) == (5, 12, True)
    assert len(recall(memories, "kiln", WITHIN, limit=7).hits) == 7


def test_what_stands_in_the_prompt_already_takes_no_place() -> None:
    memories = [make("kiln", f"note {number}") for number in range(4)]
    found = recall(memories, "kiln", WITHIN, told={memories[0].id}, limit=3)
    assert statements(found) == ["note 1", "note 2", "note 3"]


def test_all_words_are_looked_for_before_the_cut() -> None:
    many = [make("alpha", f"note {number}") for number in range(30)]
    both = make("alpha", "beta")
    view = scored([*many, both], [*[0.9] * 30, 0.1])
    assert statements(search_memories(view, {"query": "alpha beta", "mode": "near"}, WITHIN)) == ["beta"]


def test_an_agent_finds_what_it_may_read() -> None:
    view = View.of([make("kiln", "public"), make("kiln", "of lan", type="PREF", owner="lan")])
    assert statements(recall(view, "kiln", Within(WITHIN.today, "aria"))) == ["public"]
    found = recall(view, "kiln", Within(WITHIN.today, "aria", everyone=True))
    assert (statements(found), found.denied) == (["public"], 1)
    assert statements(recall(view, "kiln", Within(WITHIN.today, "lan"))) == ["public", "of lan"]
    asked: list[str] = []
    recall(
        view,
        "kiln",
        Within(WITHIN.today, "aria"),
        similar=lambda _, among, *__: asked.extend(m.statement for m in among) or [],
    )
    assert asked == ["public"]


PROFILE = '{"category": "preference", "value": "偏好: 暗色", "fieldName": "偏好"}'
PROJECTION = '{"hash": "ab12", "structure": ["a", "b"], "decisions": []}\n\nHow the kiln is run.'
OLDER = "<!-- wp:hash ab12 -->\n<!-- wp:structure a|b -->\nHow the kiln is run."


@pytest.mark.parametrize(
    ("label", "stored", "told"),
    [
        ("profile", PROFILE, "偏好: 暗色"),
        ("profile", "偏好: 暗色", "偏好: 暗色"),
        ("profile", "{broken", "{broken"),
        ("work-projection", PROJECTION, "How the kiln is run."),
        ("work-projection", OLDER, "How the kiln is run."),
        ("work-projection", "How the kiln is run.", "How the kiln is run."),
        ("insight", PROFILE, PROFILE),
    ],
)
def test_stored_forms_are_read_as_a_person_reads_them(label: str, stored: str, told: str) -> None:
    memory = make("note", stored.split("\n", maxsplit=1)[0], body=stored, label=label)
    assert content_of(memory) == told
    assert decoded(memory) == ("" if told == stored else told)
    assert preview(memory, 5) == told[:5] + "…"


def test_words_are_found_in_what_is_told_and_in_the_names() -> None:
    fact = make("暗色", PROFILE, label="profile", extra=(("name", "Looks"),))
    assert name_of(fact) == "Looks"
    assert [len(search([fact], words, WITHIN).hits) for words in ("暗色", "looks", "category", "fieldName")] == [
        1,
        1,
        0,
        0,
    ]


def test_without_a_query_the_best_of_each_source_is_suggested() -> None:
    memories = [
        *(make("fact", f"fact {number}", created="2026-01-01") for number in range(5)),
        make("insight", "deep", label="insight", created="2026-01-01", extra=(("quality", "high"),)),
        make("rule", "always", label="rule"),
        make("tea", "green", type="PREF", owner="ana"),
    ]
    found = suggest(View.of(memories), "", WITHIN, NOW, limit=9)
    assert statements(found) == ["green", "deep", "fact 0", "fact 1", "fact 2"]
    assert [hit.parts[0].said for hit in found.hits] == [
        "recently accessed",
        "high score",
        *["suggested by FACT"] * 3,
    ]
    assert statements(suggest(View.of(memories), "", WITHIN, NOW)) == statements(found)
    assert statements(suggest(View.of(memories), "", WITHIN, NOW, excluded={"insight", "rule"}))[1] == "fact 0"


@pytest.mark.parametrize(("ago", "recency"), [(-3, 1.0), (0, 1.0), (15, 0.5), (30, 0.0), (90, 0.0)])
def test_recency_fades_within_thirty_days_and_a_date_to_come_is_no_more_than_now(ago: int, recency: float) -> None:
    memory = make("kiln", "note", created="")
    row = {"score": 0.5, "accessed_at": (NOW - timedelta(days=ago)).isoformat()}
    (hit,) = suggest(View.of([memory], {"usage": {memory.id: row}}), "", WITHIN, NOW).hits
    assert hit.number("recency") == recency
    assert hit.final == pytest.approx(0.35 + 0.3 * recency)


def test_a_suggestion_without_a_date_counts_as_old() -> None:
    (hit,) = suggest(View.of([make("kiln", "note", created="some day")]), "kiln", WITHIN, NOW).hits
    assert (hit.number("recency"), hit.final, hit.parts[0].said) == (0, 0.35, "related to the search")
