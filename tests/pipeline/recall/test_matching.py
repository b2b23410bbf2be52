"""Matching: the quick way gives what the plain reading of the specification gives, and says why."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.recall.engines.matching import MatchPart, match_parts, match_score, prepare
from pipeline.recall.engines.yotta import recall
from pipeline.recall.explain import as_json, explain_hit, explain_memory, why
from store.errors import BadInput
from store.index.pinyin import pinyin_tokens
from store.index.tokens import SYNONYMS, edit_distance, entry_tokens, joined, token_map, tokenize
from store.memory import Memory
from store.view import View
from tests.conformance.memories import TODAY, make

DAY = date.fromisoformat(TODAY)
PIECES = ["cache", "cahce", "policy", "polic", "memory", "cli", "ab", "kestrel", "7", "备份", "记忆", "记录", "偏好"]
PIECES += ["缓", "喜欢", " ", "-", "é", "ms", "bf", "beifen", "abc", "v2"]
SENTENCES = st.lists(st.sampled_from(PIECES) | st.text(alphabet="abc 记忆", max_size=4), max_size=5).map(" ".join)


def plain_score(memory: Memory, text: str) -> float:
    """`spec/bank.md` §10.3, read word by word."""
    query = text.lower()
    weights = token_map(memory.subject, memory.statement, memory.tags)
    tokens = tokenize(query)
    letters = [token for token in tokens if token.isascii() and token.isalpha()]
    score = sum(weights.get(token, 0) for token in tokens)
    synonyms = {other for token in tokens for other in SYNONYMS.get(token, ())} - set(tokens)
    score += sum(0.5 * weights.get(other, 0) for other in synonyms)
    score += sum(0.4 * weights.get(token, 0) for token in pinyin_tokens(query))
    score += sum(0.4 * weights.get(kind + token, 0) for token in letters for kind in ("py:", "pyi:"))
    for token in letters:
        if len(token) >= 3:
            score += sum(0.4 * weights.get("pyi:" + token[at : at + 2], 0) for at in range(len(token) - 1))
    if score == 0 and query in joined(memory.subject, memory.statement, memory.tags).lower():
        return 1
    if score == 0:
        for token in tokens:
            for other, weight in weights.items():
                long = len(token) >= 4 and len(other) >= 4 and ":" not in other
                if long and edit_distance(token, other) <= 2:
                    return 0.3 * weight
    return score


@given(SENTENCES, SENTENCES, st.lists(st.sampled_from(PIECES), max_size=2), st.lists(SENTENCES, min_size=1, max_size=3))
def test_property_the_score_is_that_of_the_specification(
    subject: str, statement: str, tags: Sequence[str], queries: Sequence[str]
) -> None:
    memory = make(subject, statement, tags=tuple(tags), id="facts/one.md")
    for text in queries:
        if text.strip():
            assert match_score(entry_tokens(memory), prepare(text)) == pytest.approx(plain_score(memory, text))


@given(st.text(max_size=30), st.text(max_size=30))
def test_fuzz_any_text_can_be_asked_and_searched(text: str, query: str) -> None:
    found = recall([make(text, text, id="facts/one.md")], query, today=DAY)
    assert found.total in {0, 1}


def parts(memory: Memory, text: str) -> list[MatchPart]:
    return match_parts(entry_tokens(memory), prepare(text))


def test_a_query_that_comes_back_remembers_nothing_of_the_last_memory() -> None:
    query = prepare("policee cahce")
    first, second = make("cache", id="facts/1.md"), make("police", id="facts/2.md")
    assert [match_score(entry_tokens(memory), query) for memory in (first, second, first)] == [0.9, 0.9, 0.9]


def test_fuzzy_takes_the_first_word_of_the_query_then_the_first_of_the_memory() -> None:
    """`spec/bank.md` §10.3: query order then map order; numbers stand first in the map."""
    memory = make("1234 cache", "policy poilcy 1235")
    (part,) = parts(memory, "poolcy cahce")
    assert (part.kind, part.term, part.found, part.adds) == ("fuzzy", "poolcy", "policy", 0.3)
    (part,) = parts(memory, "1239")
    assert (part.found, round(part.adds, 3)) == ("1234", 0.9)


def test_each_part_is_told_in_words() -> None:
    memory = make("界面偏好", "喜欢深色主题")
    (hit,) = recall([memory], "偏爱 sszt", today=DAY).hits
    lines = why(hit)
    assert lines == (
        "has '偏好', which means '偏爱' (+1.5)",
        "has '喜欢', which means '偏爱' (+0.5)",
        "has the pinyin initials 'ss' of 'sszt' (+0.16)",
        "has the pinyin initials 'sz' of 'sszt' (+0.16)",
        "has the pinyin initials 'zt' of 'sszt' (+0.16)",
        "utility 0.62, 100% of the range of these hits",
    )
    assert hit.terms == ("偏爱", "sszt")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("cache", "has 'cache' (+3)"),
        ("ach", "contains 'ach' (+1)"),
        ("cahce", "has 'cache', close to 'cahce' (+0.9)"),
        ("备分", "sounds like 'bf' (+0.16)"),
        ("beifen", "is spelt 'beifen' in pinyin (+0.16)"),
    ],
)
def test_the_words_for_each_kind_of_match(text: str, words: str) -> None:
    (hit,) = recall([make("cache 备份")], text, today=DAY).hits
    assert words in why(hit)


def test_a_report_is_plain_values() -> None:
    (hit, _) = recall([make("port", "8081"), make("ports", "9000 port", created="2020-01-01")], "port", today=DAY).hits
    report = as_json(explain_hit(hit, TODAY))
    assert (report["ranker"], report["score"], report["final"], report["terms"]) == ("yotta", 3, 1, ("port",))
    assert [(part["name"], part["value"], part["term"], part["found"]) for part in report["parts"]] == [
        ("exact", 3, "port", "port"),
        ("match_share", 1, "", ""),
        ("utility_share", 1, "", ""),
        ("utility", 0.62, "", ""),
    ]
    assert report["why"] == ("has 'port' (+3)", "utility 0.62, 100% of the range of these hits")
    assert report["memory"]["utility"]["total"] == 0.62
    assert (report["memory"]["half_life"], report["memory"]["age"], report["memory"]["standing"]) == (730, 0, "keep")


@pytest.mark.parametrize(
    ("fields", "standing"),
    [
        ({"immutable": True, "created": "2020-01-01", "weight": 0.01}, "immutable"),
        ({"type": "BOUND", "owner": "aria", "created": "2020-01-01", "weight": 0.01}, "bound"),
        ({"created": "2025-10-11", "weight": 0.2}, "forget candidate"),
        ({"created": "2025-10-12", "weight": 0.2}, "archive candidate"),
        ({"created": "2026-04-15", "weight": 0.2}, "keep"),
        ({"created": "2025-01-01"}, "keep"),
    ],
)
def test_where_care_of_the_bank_would_put_it(fields: dict[str, object], standing: str) -> None:
    """`spec/bank.md` §13.3: strictly older than 365 and 180 days, utility below 0.12 and 0.35."""
    report = explain_memory(make("vpn", **fields), TODAY)  # type: ignore[arg-type]
    assert report.standing == standing


def test_a_bound_has_no_half_life() -> None:
    assert explain_memory(make("prod", type="BOUND", owner="aria"), TODAY).half_life is None


def test_filters_of_recall() -> None:
    fact = make("port", "8081", created="2025-03-01", owner="aria")
    other = make("port", "9000", created="2026-03-01", owner="lan", project="kiln")
    preference = make("port", "high ones", type="PREF", owner="aria", created="")
    view = View.of([fact, other, preference])

    def found(**options: object) -> set[str]:
        return {hit.memory.statement for hit in recall(view, "port", today=DAY, **options).hits}  # type: ignore[arg-type]

    assert found() == {"8081", "9000", "high ones"}
    assert found(type="pref") == {"high ones"}
    assert found(years=["2025"]) == {"8081"}
    assert found(years=["2025", "2026"]) == {"8081", "9000", "high ones"}
    assert found(owner="aria") == {"8081", "high ones"}
    assert found(project="kiln") == {"8081", "9000", "high ones"}
    assert found(project="desk") == {"8081", "high ones"}


@pytest.mark.parametrize("year", ["25", "20255", "abcd", "", "２０２５"])
def test_a_year_that_is_none_is_refused(year: str) -> None:
    with pytest.raises(BadInput, match="A year has four digits, like 2026"):
        recall([], today=DAY, years=[year])


def test_counters_of_the_ledger_count_in_the_order() -> None:
    quiet, used = make("port", "8081", created="2026-01-01"), make("port", "9000", created="2026-01-01")
    row = {"access_count": 20, "last_accessed": TODAY}
    hits = recall(View.of([quiet, used], {"usage": {used.id: row}}), "port", today=DAY).hits
    assert [hit.memory.statement for hit in hits] == ["9000", "8081"]
    assert hits[0].memory.access_count == 20
