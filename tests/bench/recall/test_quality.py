"""The lines about questions, over one small conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench.recall import quality
from tests.bench.recall.engines import product
from tests.bench.recall.rankers import MEANING, PLAIN, PROTOTYPE, WORDS
from tests.bench.recall.standing import Standing
from tests.bench.report import Line

TEXTS = (
    "Where did you moor the ferry?",
    "At the old quay in Riva.",
    "The baker sells plum cake on Sundays.",
    "My sister paints harbours in winter.",
    "The clock in the hall is slow again.",
    "We planted twelve pear trees.",
)
QUESTIONS = ((4, "Who paints harbours?", 3), (4, "plum cake on Sundays", 2), (5, "Who planted pear trees?", 5))


def test_every_ranker_answers_alone_and_among_others_or_is_said_not_to(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(product, "missing", lambda: "Recall by meaning needs the extra semantic.")
    lines = {line.subject: line for line in quality.measure(Standing(tmp_path, 40, None), [_file(tmp_path)])}
    for name in (PLAIN, WORDS):
        for where in ("dialogue (small)", "dialogue (small) among 40"):
            line = lines[f"{where}, {name}: R@5/R@10/MRR/nDCG@10"]
            assert line.values.startswith("1.000/1.000/1.000/1.000 (R@5 1.00 × plain")
            assert (line.counted, line.verdict) == ("2 of 3 questions", "")
    apart = lines["dialogue (small), category 5 (adversarial, apart): R@5/R@10"]
    assert f"{PLAIN} 1.000/1.000" in apart.values and apart.counted == "1 of 3 questions"
    _not_measured(lines[f"dialogue (small), {PROTOTYPE}"], "")
    _not_measured(lines[f"dialogue (small), {MEANING}"], "FAIL")
    _not_measured(lines[f"dialogue (small) among 40, {MEANING}"], "FAIL")


def test_a_floor_is_missed_by_a_figure_under_it_and_held_by_one_that_is_shown_as_equal() -> None:
    answers = [quality.Asked(1, quality.Quality(value, 1, 1, 1)) for value in (1, 0.4392)]
    held = quality._line("recall-quality", "set", answers, answers, {"recall5": 0.72, "mrr": 0.69}, "dialogue")
    assert (held.verdict, held.limit) == ("pass", "≥ R@5 0.720, MRR 0.690")
    assert quality._line("recall-quality", "set", answers, answers, {"recall5": 0.721}, "dialogue").verdict == "FAIL"


def _not_measured(line: Line, verdict: str) -> None:
    assert line.values.startswith("not measured: ") and line.verdict == verdict


def _file(folder: Path) -> Path:
    turns = [
        {"id": f"t{at}", "session": 1, "time": "2026-01-02T10:00", "speaker": "mara", "text": text}
        for at, text in enumerate(TEXTS)
    ]
    questions = [{"category": category, "question": text, "evidence": [f"t{at}"]} for category, text, at in QUESTIONS]
    path = folder / "small.json"
    path.write_text(json.dumps({"conversations": [{"id": "one", "turns": turns, "questions": questions}]}))
    return path
