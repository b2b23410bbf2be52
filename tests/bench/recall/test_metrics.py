"""The arithmetic of quality, on lists that can be counted by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from tests.bench.recall.corpus import rows
from tests.bench.recall.metrics import Asked, Quality, judge, mean
from tests.bench.recall.plain import Plain
from tests.bench.recall.questions import read, together


def test_a_list_is_judged_by_the_places_of_what_was_looked_for() -> None:
    assert judge([7, 3], [7]) == Quality(1, 1, 1, 1)
    assert judge([1, 2, 3], [9]) == judge([], [9]) == Quality(0, 0, 0, 0)
    found = judge([0, 7, 1, 2, 3, 4, 8, 5], [7, 8, 9])
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert (found.recall5, found.recall10, found.mrr) == (1 / 3, 2 / 3, 1 / 2)
    assert found.ndcg10 == pytest.approx((1 / math.log2(3) + 1 / math.log2(8)) / best)


def test_behind_the_tenth_place_only_the_first_right_one_counts_and_none_behind_the_fiftieth() -> None:
    assert judge([*range(20), 99], [99]) == Quality(0, 0, 1 / 21, 0)
    assert judge([*range(50), 99], [99]).mrr == 0


def test_categories_are_averaged_apart() -> None:
    asked = [Asked(1, Quality(1, 1, 1, 1)), Asked(4, Quality(0, 1, 0, 0)), Asked(5, Quality(0, 0, 0, 0))]
    assert mean(asked, lambda category: category != 5) == Quality(0.5, 1, 0.5, 0.5)
    assert mean(asked, lambda category: category == 3) is None


def test_plain_bm25_prefers_rare_words_and_short_rows() -> None:
    bank = Plain(["the ferry leaves", "the harbour and the ferry and the long way home", "the market", "我们去市场"])
    assert bank.ask("ferry", 5) == [0, 1]
    assert bank.ask("the harbour", 5)[0] == 1
    assert bank.ask("市场", 5) == [3] and bank.ask("nothing", 5) == []


def test_a_conversation_is_a_bank_and_its_evidence_are_rows(tmp_path: Path) -> None:
    data = read(_file(tmp_path, [["a", "b"], ["c"]], ["who?", "where?"]))
    (bank,) = data.banks
    assert (data.kind, [row.text for row in bank.rows]) == ("dialogue", ["a", "b", "c [photo: a boat]"])
    assert bank.rows[0].session == bank.rows[1].session != bank.rows[2].session
    assert [(one.category, one.right) for one in bank.questions] == [(1, (0,)), (5, (1,))]


@pytest.mark.parametrize(
    ("turns", "asked", "kind"),
    [
        ([["a"], ["b"], ["c"]], ["who?"], "facts"),
        ([["我们", "你们"]], ["在哪里"], "chinese"),
        ([["我们", "你们"]], ["where?"], "across"),
        ([["a", "b"]], ["在哪里"], "across"),
    ],
)
def test_the_kind_of_a_set_is_told_from_what_it_holds(
    tmp_path: Path, turns: list[list[str]], asked: list[str], kind: str
) -> None:
    assert read(_file(tmp_path, turns, asked)).kind == kind


def test_all_banks_together_keep_their_evidence(tmp_path: Path) -> None:
    banks = read(_file(tmp_path, [["a", "b"], ["c"]], ["who?", "where?"])).banks
    told = together((*banks, *banks), rows(10), 14)
    assert len(told.rows) == 14 and len(told.questions) == 4
    assert [told.rows[at].text for one in told.questions for at in one.right] == ["a", "b", "a", "b"]


def _file(folder: Path, sessions: list[list[str]], asked: list[str]) -> Path:
    """A file with one conversation; the first questions are about the first turns."""
    turns: list[dict[str, Any]] = [
        {"id": f"{session}:{at}", "session": session, "time": "2026-01-02T10:00", "speaker": "mara", "text": text}
        for session, texts in enumerate(sessions)
        for at, text in enumerate(texts)
    ]
    if len(turns) == 3:
        turns[2]["caption"] = "a boat" if len(asked) == 2 else None
    questions = [
        {"category": (1, 5)[at], "question": text, "evidence": [turns[at]["id"], "gone"]}
        for at, text in enumerate(asked)
    ]
    questions.append({"category": 2, "question": "about nothing?", "evidence": ["gone"]})
    path = folder / "set.json"
    told = {"id": "one", "turns": turns, "questions": questions}
    path.write_text(json.dumps({"conversations": [told]}), encoding="utf-8")
    return path
