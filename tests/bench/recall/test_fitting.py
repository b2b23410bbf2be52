"""Fitting the weights: what gains is kept, and a conversation that is left out has no say in its own weights."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pipeline.recall.formula.weights import WEIGHTS, Weights
from tests.bench.recall import fitting
from tests.bench.recall.fitting import Answer, Case, Judge, beside, cases_of, fitted, left_out, report
from tests.bench.recall.questions import read

TURNS = ("Where did you moor the ferry?", "At the old quay in Riva.", "The baker sells plum cake.", "It rains again.")


def liking(name: str, value: float, asked: list[Weights] | None = None) -> Answer:
    """Answers that are the better the nearer one constant is to a value."""

    def answer(weights: Weights) -> np.ndarray:
        if asked is not None:
            asked.append(weights)
        return np.array([1 / (1 + abs(getattr(weights, name) - value))] * 3 + [1.0])

    return answer


def test_a_constant_goes_on_while_that_gains_and_others_stay() -> None:
    best = fitted(Judge([Case("one", "dialogue", liking("owner", 3.0))]), [0])
    assert best.owner == pytest.approx(WEIGHTS.owner * (4 / 3) ** 3, rel=0.01)
    assert replace(best, owner=WEIGHTS.owner) == WEIGHTS


def test_what_no_question_asks_for_is_not_moved_and_counts_are_moved_by_one() -> None:
    assert fitted(Judge([Case("one", "dialogue", liking("own_word", 9.0))]), [0]) == WEIGHTS
    assert [one.reach for one in beside(WEIGHTS, "reach")] == [WEIGHTS.reach - 1, WEIGHTS.reach + 1]


def test_a_conversation_is_answered_by_weights_that_never_saw_it() -> None:
    cases = [
        Case("one", "dialogue", liking("owner", 3.0)),
        Case("one", "facts", liking("owner", 3.0)),
        Case("two", "dialogue", liking("owner", 0.5)),
    ]
    apart = left_out(Judge(cases))
    assert apart[0] == apart[1] == fitted(Judge(cases[2:]), [0])
    assert apart[2] == fitted(Judge(cases[:2]), [0, 1])
    assert apart[0].owner < WEIGHTS.owner < apart[2].owner


def test_when_the_time_is_over_nothing_new_is_tried_and_that_is_said() -> None:
    asked: list[Weights] = []
    lines = list(report(Judge([Case("one", "dialogue", liking("owner", 3.0, asked))], until=0.0)))
    assert set(asked) == {WEIGHTS}
    assert lines[-1] == "The time was over before every constant had been moved."


def test_facts_and_dialogue_of_one_conversation_are_left_out_together_and_the_figures_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting, "missing", lambda: "The extra semantic is not installed.")
    monkeypatch.setattr(fitting, "MOVES", (0.5,))
    files = [read(_file(tmp_path, name, one)) for name, one in (("dialogue", True), ("facts", False))]
    cases = cases_of(files, tmp_path)
    assert [(case.conversation, case.kind) for case in cases] == [
        ("a", "dialogue"),
        ("b", "dialogue"),
        ("a", "facts"),
        ("b", "facts"),
    ]
    lines = list(report(Judge(cases)))
    assert lines[0].startswith("present weights: dialogue 1.0000/1.0000/1.0000; facts 1.0000/")
    assert any(line.startswith("leaving one conversation out: dialogue 1.0000") for line in lines)
    assert "  without a: +0.0000 for it; nothing moved" in lines


def _file(folder: Path, name: str, together: bool) -> Path:
    suffix = "" if together else "-facts"
    conversations = [
        {
            "id": f"{id}{suffix}",
            "turns": [
                {
                    "id": f"t{at}",
                    "session": 1 if together else at,
                    "time": "2026-01-02",
                    "speaker": "mara",
                    "text": text,
                }
                for at, text in enumerate(TURNS)
            ],
            "questions": [{"category": 4, "question": "plum cake of the baker", "evidence": ["t2"]}],
        }
        for id in ("a", "b")
    ]
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"conversations": conversations}))
    return path
