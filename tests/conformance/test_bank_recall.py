"""Bank cases: tokens, recall-score, rank, recall, and what others may read of it (`spec/bank.md` §9–10)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest

from pipeline.measure import round3
from pipeline.recall.engines.matching import match_score, prepare
from pipeline.recall.engines.yotta import recall
from pipeline.recall.scores import importance, utility
from store.index.tokens import entry_tokens, token_map, tokenize
from store.memory import Memory
from store.usage import record_use, totals
from store.view import View
from tests.conformance.memories import TODAY, VAULT, make, worked_vault

DAY = date.fromisoformat(TODAY)
CACHE = make("cache policy", "Evict the cache after 15 minutes; cache keys use v2", tags=("redis", "Cache"))
BACKUP = make("备份", "每周演练")
SURFACE = make("界面偏好", "喜欢深色主题")


def score(memory: Memory, query: str) -> float:
    return match_score(entry_tokens(memory), prepare(query))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("用 Redis 缓存", ["redis", "用", "缓存"]),
        ("API密钥v2", ["api", "v2", "密钥"]),
        ("发布窗口", ["发布", "布窗", "窗口"]),
        ("café", ["caf"]),
        ("ひらがな漢字", ["漢字"]),
        ("缓", ["缓"]),
    ],
)
def test_yb_034_tokenise(text: str, tokens: list[str]) -> None:
    """[redis, 用, 缓存]; [api, v2, 密钥]; [发布, 布窗, 窗口]; [caf]; [漢字]; [缓]."""
    assert tokenize(text) == tokens


def test_yb_035_token_map() -> None:
    """cache 7 (3+1+1+2), policy 3, redis 2, and 1 each for evict, the, after, 15, minutes, keys, use, v2. No pinyin."""
    ones = dict.fromkeys(("evict", "the", "after", "15", "minutes", "keys", "use", "v2"), 1)
    assert token_map(CACHE.subject, CACHE.statement, CACHE.tags) == {"cache": 7, "policy": 3, "redis": 2} | ones


def test_yb_036_pinyin_tokens_cross_the_boundary_of_subject_and_statement() -> None:
    """备份 3; 每周, 周演, 演练 1; 0.4 each for the pinyin tokens (windows cross the subject/statement boundary)."""
    sounds = ["py:beifen", "py:fenmei", "py:meizhou", "py:zhouyan", "py:yanlian"]
    initials = ["pyi:bf", "pyi:fm", "pyi:mz", "pyi:zy", "pyi:yl"]
    expected = {"备份": 3, "每周": 1, "周演": 1, "演练": 1} | dict.fromkeys([*sounds, *initials], 0.4)
    assert list(token_map("备份", "每周演练", ()).items()) == list(expected.items())


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("cache", 7),
        ("cache cache", 14),
        ("evict redis", 3),
        ("15", 1),
        ("polic", 1),
        ("policee", 0.9),
        ("minuets", 0.3),
    ],
)
def test_yb_037_score(query: str, expected: float) -> None:
    """7, 14, 3, 1, 1 (substring), 0.9 (fuzzy policy, 0.3×3), 0.3 (fuzzy minutes)."""
    assert score(CACHE, query) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [("备份", 3.32), ("周演练", 2.64), ("bfm", 0.32), ("beifen", 0.16), ("备", 1), ("bei", 0)],
)
def test_yb_038_score(query: str, expected: float) -> None:
    """3.32 (3 + 2×0.16), 2.64 (2 + 4×0.16), 0.32 (two initials windows), 0.16, 1 (substring), 0 (not a hit)."""
    assert score(BACKUP, query) == expected


@pytest.mark.parametrize(("query", "expected"), [("偏爱", 2.0), ("喜好", 2.16), ("偏好", 3.82), ("sszt", 0.48)])
def test_yb_039_score(query: str, expected: float) -> None:
    """2.0 (synonyms 1.5 + 0.5); 2.16 (same + initials xh); 3.82 (3 + synonym 0.5 + 0.16 + 0.16); 0.48 (ss, sz, zt)."""
    assert score(SURFACE, query) == expected


RANKED = (
    make("deploy window", "Production deploys happen on Thursday 14:00", created="2026-09-01"),
    make(
        "release notes",
        "Write the deploy summary before the window closes",
        created="2026-10-01",
        access_count=10,
        last_accessed="2026-10-10",
        feedback_net=1,
    ),
    make("rollback", "Rollback within the deploy window needs two approvals", created="2024-10-12", weight=0.8),
)


def test_yb_040_rank() -> None:
    """Scores A 6, B 2, C 2; utilities A 0.612, B 0.745, C 0.416; finals A 0.859, B 0.350, C 0.000; order A, B, C."""
    found = recall(RANKED, "deploy window", today=DAY)
    assert [hit.memory for hit in found.hits] == list(RANKED)
    assert [hit.score for hit in found.hits] == [6, 2, 2]
    assert [round3(hit.number("utility")) for hit in found.hits] == [0.612, 0.745, 0.416]
    assert [round3(hit.final) for hit in found.hits] == [0.859, 0.35, 0]
    first = found.hits[0]
    assert (first.number("match_share"), round3(first.number("utility_share"))) == (1, 0.598)


def test_yb_041_without_a_query_utility_orders() -> None:
    """All match scores 1; finals B 1.000, A 0.859, C 0.650; order B, A, C."""
    hits = recall(RANKED, today=DAY).hits
    assert [hit.memory.subject for hit in hits] == ["release notes", "deploy window", "rollback"]
    assert [hit.score for hit in hits] == [1, 1, 1]
    assert [round3(hit.final) for hit in hits] == [1, 0.859, 0.65]


def test_yb_042_a_single_hit_keeps_its_match_score() -> None:
    """Reported score is 3.32 (no normalisation for a single hit)."""
    (hit,) = recall([BACKUP, CACHE], "备份", today=DAY).hits
    assert (hit.score, hit.final) == (3.32, 3.32)


def test_yb_043_fifty_are_shown_unless_told_otherwise() -> None:
    """50 shown (truncated); 50; 20. Counters change only for the shown ones."""
    view = View.of(make("kiln", f"note {number}", ordinal=number) for number in range(60))
    found = recall(view, "kiln", today=DAY)
    assert (len(found.hits), found.total, found.truncated) == (50, 60, True)
    assert len(recall(view, "kiln", today=DAY, limit=0).hits) == 50
    assert len(recall(view, "kiln", today=DAY, limit=20).hits) == 20
    shown = [hit.memory.id for hit in found.hits]
    assert [row.key for row in record_use(view, shown, "s", DAY, query="kiln")] == shown


def test_yb_044_an_immutable_memory_is_never_counted() -> None:
    """Normal entry access_count 2, last_accessed today, updated unchanged; immutable entry untouched."""
    normal = make("kiln", "1240 C", created="2026-09-01")
    fixed = make("kiln", "never above 1300 C", created="2026-09-01", immutable=True)
    usage: dict[str, dict[str, object]] = {}
    for _ in range(2):
        view = View.of([normal, fixed], {"usage": usage})
        ids = [hit.memory.id for hit in recall(view, "kiln", today=DAY).hits]
        assert set(ids) == {normal.id, fixed.id}
        usage = usage | {row.key: dict(row.fields) for row in record_use(view, ids, "s", DAY, query="kiln")}
    view = View.of([normal, fixed], {"usage": usage})
    counted = totals(view, normal)
    assert (counted.access_count, counted.last_accessed, counted.updated) == (2, TODAY, "2026-09-01")
    assert totals(view, fixed) == fixed


KILN = make("kiln", "1240 C")
TEMPO = make("tempo", "walks at noon", type="PREF", owner="lan")


def test_yb_055_others_private_memories_vanish_or_are_counted() -> None:
    """FACT only, no hint; FACT and 1 denied; no hit, count 1; FACT and the same count, whatever the query."""
    view = View.of([KILN, TEMPO])

    def asked(query: str = "", **options: object) -> tuple[list[str], int]:
        found = recall(view, query, today=DAY, agent="aria", **options)  # type: ignore[arg-type]
        return [hit.memory.subject for hit in found.hits], found.denied

    assert asked() == (["kiln"], 0)
    assert asked(everyone=True) == (["kiln"], 1)
    assert asked("tempo", owner="lan") == ([], 1)
    assert asked("kiln", owner="lan") == (["kiln"], 1)


def test_yb_056_grants_go_one_way() -> None:
    """aria sees it; lan does not (grants are one-directional)."""
    view = View.of([TEMPO, make("tea", "green", type="PREF", owner="aria")], grants={"aria": ("lan",)})
    assert {hit.memory.owner for hit in recall(view, today=DAY, agent="aria").hits} == {"aria", "lan"}
    assert [hit.memory.owner for hit in recall(view, today=DAY, agent="lan").hits] == ["lan"]


def test_the_worked_vault_has_its_published_scores() -> None:
    """`spec/bank.md` §24: utility and importance of all eight live memories on 2026-10-12."""
    expected = json.loads((VAULT.parent / "expected.json").read_bytes())["values"]
    found = {
        memory.subject: [round3(utility(memory, TODAY)), round3(importance(memory, TODAY))]
        for memory in worked_vault().live
    }
    assert found == expected


@pytest.mark.parametrize(
    ("query", "scores", "finals"),
    [
        ("备份", [("备份", 3.32)], [3.32]),
        ("production", [("production data", 4), ("deploy window", 1)], [1, 0]),
        ("kestrl", [("staging host", 0.3)], [0.3]),
        ("jielun", [("沟通风格", 0.16)], [0.16]),
        ("uat", [], []),
    ],
)
def test_the_worked_vault_answers_as_published(
    query: str, scores: list[tuple[str, float]], finals: list[float]
) -> None:
    """`spec/bank.md` §24: recall as aria, who has a grant to lan's memories."""
    hits = recall(worked_vault(), query, today=DAY, agent="aria").hits
    assert [(hit.memory.subject, hit.score) for hit in hits] == scores
    assert [round3(hit.final) for hit in hits] == finals


def test_without_the_grant_the_worked_vault_hides_lans_preference() -> None:
    view = worked_vault()
    view.grants = {}
    assert recall(view, "jielun", today=DAY, agent="aria").hits == ()


def test_equal_hits_stand_newest_first_then_in_original_order() -> None:
    old, first, second = (make("port", "8081", created=day) for day in ("2026-01-01", TODAY, TODAY))
    steady = [replace(memory, type="BOUND") for memory in (old, first, second)]
    assert [hit.memory for hit in recall(steady, "port", today=DAY).hits] == [steady[1], steady[2], steady[0]]
