"""The insight cases and text primitives of `spec/memora.md` §5 and §8."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pipeline.extract.evidence import Record
from pipeline.extract.options import Options
from pipeline.extract.reflection.insight import Stored, classify, keep, read_insights
from pipeline.extract.reflection.reflector import Reflector
from pipeline.extract.stages import Reflect
from pipeline.extraction import extract
from pipeline.formats.session import Author, Session, Turn
from pipeline.model import OfflineDoor
from pipeline.reply import ModelProblem, Reply
from pipeline.segments import extract_keywords, score_by_keywords, slugify, truncate
from store.clock import today
from tests.conformance.memora_cases import cases, matches
from tests.pipeline.review_desk import desk, memory

FRESH = "0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"


class Replying(OfflineDoor):
    """A model that gives one reply about insights and counts how often it is asked."""

    def __init__(self, reply: str) -> None:
        self.reply, self.calls = reply, 0

    def reflect(self, question: Reflect, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        self.calls += 1
        return Reply(self.reply)


def said(text: str) -> Session:
    return Session("claude-code", "s", "/t/s.jsonl", (Turn(1, "line 1", Author.TYPED, text, 0, turn=1),))


def stored(case: Any) -> list[Stored]:
    return [
        Stored(one["id"], one["content"], one["score"], one.get("accessedAt", ""), one["source"])
        for one in case["given"]["stored"]
    ]


@pytest.mark.parametrize("name", ["MEM-INS-01", "MEM-INS-02"])
def test_utterances_that_say_nothing_are_skipped_and_no_others(name: str) -> None:
    case = cases()[name]
    found = ["extract" if classify(text).extract else "skip" for text in case["when"]["inputs"]]
    assert found == case["then"]["result"]


def test_mem_ins_03_what_an_insight_says_already_is_not_asked_about() -> None:
    case = cases()["MEM-INS-03"]
    (old,) = case["given"]["stored"]
    bank, door = desk(memory(1, old["content"], label=old["source"])), Replying('{"insight": "x"}')
    asked = Reflector(suggestions=False).question(bank.view(), (Record("event:1", case["when"]["user"], 1),), 0)
    assert asked is None and case["then"]["llm calls"] == 0
    extract([said(case["when"]["user"])], bank, door, Options())
    # suggestions may still be asked for in the same session; insights are not
    assert list(bank.view().rows("proposals")) == case["then"]["written"]


@pytest.mark.parametrize("number", range(4))
def test_mem_ins_04_a_reply_without_an_insight_writes_nothing(number: int) -> None:
    case = cases()["MEM-INS-04"]
    reply = [case["given"]["llm reply"], *case["then"]["also for replies"]][number]
    bank, door = desk(), Replying(reply)
    report = extract([said(case["when"]["user"])], bank, door, Options())
    assert (door.calls, report.sessions[0].problem, read_insights(reply)) == (1, "", ())
    assert list(bank.view().rows("proposals")) == case["then"]["written"] and bank.view().live == ()


def test_mem_ins_05_a_new_insight_has_its_score_and_a_name_from_its_tag() -> None:
    case = cases()["MEM-INS-05"]
    (insight,) = read_insights(case["given"]["llm reply"])
    (then,) = case["then"]["written"]
    made = keep(insight, [], "2026-03-01T00:00:00Z", FRESH)
    assert (made.label, made.content, made.score) == (then["source"], then["content"], pytest.approx(then["score"]))
    assert matches(then["id"], made.id) and matches(then["name"], made.name)
    assert made.tags == ("CI / Node!",)


def test_mem_ins_06_quality_gives_the_score_and_medium_is_the_rule() -> None:
    case = cases()["MEM-INS-06"]
    made = [keep(read_insights(reply)[0], [], "", FRESH) for reply in case["given"]["llm replies"]]
    assert [one.score for one in made] == pytest.approx(case["then"]["scores"])
    assert all(matches(case["then"]["name without tags"], one.name) for one in made)


def test_mem_ins_07_an_insight_that_is_known_strengthens_the_old_one() -> None:
    case = cases()["MEM-INS-07"]
    there, then = stored(case), case["then"]
    (insight,) = read_insights(case["given"]["llm reply"])
    kept = keep(insight, there, case["when"]["now"], FRESH)
    assert [kept.id] == then["returned ids"] and kept.id in {one.id for one in there}
    assert (kept.content, kept.accessed_at) == (then["insight:t"]["content"], then["insight:t"]["accessedAt"])
    assert kept.score == pytest.approx(then["insight:t"]["score"])
    (surer,) = read_insights(case["given"]["llm reply"].replace("medium", "high"))
    assert keep(surer, there, "", FRESH).score == pytest.approx(0.85)


def test_mem_txt_01_slugs_and_cut_texts() -> None:
    case = cases()["MEM-TXT-01"]
    assert [slugify(text) for text in case["given"]["inputs"]] == case["then"]["result"]
    for *given, wanted in case["then"]["truncate(text, n, suffix)"]:
        assert truncate(*given) == wanted


def test_mem_txt_03_keywords_once_and_in_lower_case() -> None:
    case = cases()["MEM-TXT-03"]
    assert [list(extract_keywords(text)) for text in case["given"]["inputs"]] == case["then"]["result"]


@pytest.mark.parametrize("name", ["MEM-TXT-04", "MEM-TXT-05"])
def test_keywords_are_counted_against_three(name: str) -> None:
    case = cases()[name]
    found = [score_by_keywords(text, keywords) for text, keywords in case["given"]["cases"]]
    assert found == pytest.approx(case["then"]["result"])


def test_mem_txt_06_the_day_is_the_local_one(monkeypatch: pytest.MonkeyPatch) -> None:
    case = cases()["MEM-TXT-06"]
    assert case["given"] == {"instant": "2026-07-01T17:30:00Z", "timezone": "Asia/Shanghai"}
    monkeypatch.setenv("MEMDESK_NOW", "2026-07-02T01:30:00+08:00")  # the same instant, reckoned there
    assert today().isoformat() == case["then"]["result"]


def test_a_word_list_is_read_as_json_says() -> None:
    assert read_insights(json.dumps([{"insight": "A"}, {"insight": "B", "quality": "low"}]))[1].score == 0.2
