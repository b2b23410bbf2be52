"""Questions with known evidence: does it come back, and how much better than from plain BM25?

Every conversation is a bank of its own; then all of them stand together among generated others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from tests.bench.recall.engines.engine import NotMeasured
from tests.bench.recall.metrics import DEPTH, Asked, Quality, judge, mean
from tests.bench.recall.questions import ADVERSARIAL, DataSet, Told, read, together
from tests.bench.recall.rankers import MEANING, PLAIN, PROTOTYPE, PROTOTYPE_MEANING, RANKERS, WORDS
from tests.bench.recall.standing import Standing
from tests.bench.report import Line

FLOORS: Mapping[str, Mapping[str, float]] = {
    "dialogue": {"recall5": 0.72, "recall10": 0.80, "mrr": 0.62},
    "facts": {"recall5": 0.71, "mrr": 0.69},
}
"""What the product reaches with meaning, each conversation a bank of its own, by the kind of the set."""
AMONG: Mapping[str, Mapping[str, float]] = {"dialogue": {"recall5": 0.71}}
"""The same with all of them among generated others."""
AIMED_LIFT = {"dialogue": 1.6, "facts": 1.35}
SHORT = {"recall5": "R@5", "recall10": "R@10", "mrr": "MRR", "ndcg10": "nDCG@10"}
ROUNDING = 0.0005
"""Figures of three places are compared as they are shown."""

Answers = list[Asked]


def measure(standing: Standing, files: Sequence[Path]) -> Iterator[Line]:
    """The lines of each file."""
    for data in map(read, files):
        yield from _alone(standing, data)
        yield from _among(standing, data)


def _alone(standing: Standing, data: DataSet) -> Iterator[Line]:
    found = {name: _asked(standing, name, data.banks) for name in RANKERS}
    where = f"{data.kind} ({data.name})"
    for name, answers in found.items():
        if isinstance(answers, NotMeasured):
            yield _missing(f"{where}, {name}", name, answers)
        else:
            limits = _limits(data, name, found)
            yield _line("recall-quality", f"{where}, {name}", answers, found[PLAIN], limits, data.kind)
    yield from _by_category(where, {name: answers for name, answers in found.items() if isinstance(answers, list)})


def _among(standing: Standing, data: DataSet) -> Iterator[Line]:
    told = together(data.banks, standing.rows, standing.count)
    where = f"{data.kind} ({data.name}) among {len(told.rows):,}"
    found = {name: _asked(standing, name, (told,)) for name in (PLAIN, WORDS, MEANING)}
    for name, answers in found.items():
        if isinstance(answers, NotMeasured):
            yield _missing(f"{where}, {name}", name, answers)
        else:
            limits = AMONG.get(data.kind, {}) if name == MEANING else {}
            yield _line("recall-among", f"{where}, {name}", answers, found[PLAIN], limits, data.kind)


def _asked(standing: Standing, name: str, banks: Sequence[Told]) -> Answers | NotMeasured:
    """Every question of every bank, put to a ranker of that bank."""
    answers: Answers = []
    try:
        for bank in banks:
            ask = RANKERS[name](bank.rows, standing)
            answers += [Asked(one.category, judge(ask(one.text, DEPTH), one.right)) for one in bank.questions]
    except NotMeasured as missing:
        return missing
    return answers


def _limits(data: DataSet, name: str, found: Mapping[str, Answers | NotMeasured]) -> Mapping[str, float]:
    """What the figures must reach: fixed floors, and the prototype in the same run."""
    if name == WORDS:
        return _figures(found[PROTOTYPE])
    if name != MEANING:
        return {}
    if data.kind != "chinese":
        return FLOORS.get(data.kind, {})
    figures, questions = _figures(found[PROTOTYPE_MEANING]), sum(len(bank.questions) for bank in data.banks)
    return {figure: value - 1 / questions for figure, value in figures.items()}  # one question may be lost


def _figures(answers: Answers | NotMeasured) -> Mapping[str, float]:
    quality = None if isinstance(answers, NotMeasured) else mean(answers, _counted)
    return {} if quality is None else asdict(quality)


def _counted(category: int) -> bool:
    return category != ADVERSARIAL


def _line(
    name: str, subject: str, answers: Answers, plain: Answers | NotMeasured, limits: Mapping[str, float], kind: str
) -> Line:
    quality = mean(answers, _counted) or Quality(0, 0, 0, 0)
    figures, base = asdict(quality), _figures(plain)
    lift = quality.recall5 / base["recall5"] if base.get("recall5") else 0.0
    aim = f", aim {AIMED_LIFT[kind]}" if kind in AIMED_LIFT and limits else ""
    passed = all(figures[figure] >= floor - ROUNDING for figure, floor in limits.items()) if limits else None
    limit = "≥ " + ", ".join(f"{SHORT[figure]} {floor:.3f}" for figure, floor in limits.items()) if limits else ""
    counted = f"{sum(_counted(one.category) for one in answers)} of {len(answers)} questions"
    values = f"{quality} (R@5 {lift:.2f} × plain{aim})"
    return Line(name, f"{subject}: R@5/R@10/MRR/nDCG@10", values, limit, passed, counted)


def _by_category(where: str, found: Mapping[str, Answers]) -> Iterator[Line]:
    for category in sorted({one.category for answers in found.values() for one in answers}):
        shown, counted = [], ""
        for name, answers in found.items():
            quality = mean(answers, category.__eq__)
            if quality is not None:
                shown.append(f"{name} {quality.recall5:.3f}/{quality.recall10:.3f}")
                counted = f"{sum(one.category == category for one in answers)} of {len(answers)} questions"
        apart = " (adversarial, apart)" if category == ADVERSARIAL else ""
        yield Line(
            "recall-category",
            f"{where}, category {category}{apart}: R@5/R@10",
            "; ".join(shown),
            counted=counted,
        )


def _missing(subject: str, name: str, why: NotMeasured) -> Line:
    fails = None if name in {PROTOTYPE, PROTOTYPE_MEANING} else False
    return Line("recall-quality", subject, f"not measured: {why}", "", fails)
