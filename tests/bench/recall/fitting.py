"""`python -m tests.bench.recall.fitting FILE... [--minutes N]`: the weights of recall fitted on development files.

One constant after the other is moved a little up and down from where it stands, and stays where answers are better.
The figure that counts leaves one conversation out: its questions are answered by weights that were fitted on the
others. It stands beside that of the present weights; changes worth having are made by hand, in
`pipeline/recall/formula/weights.py`.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from pipeline.recall.encoding.bundled import missing
from pipeline.recall.filtering.passing import passing
from pipeline.recall.filtering.query import parse
from pipeline.recall.formula.factors import named
from pipeline.recall.formula.hybrid import rank_rows
from pipeline.recall.formula.meaning import Meaning
from pipeline.recall.formula.weights import WEIGHTS, Weights
from pipeline.recall.searchable import Searchable
from pipeline.recall.within import Within
from store.index.search.building import build
from store.index.search.following import bound, docs_of
from store.view import View
from tests.bench.recall.corpus import memories
from tests.bench.recall.engines.product import TODAY, similar_of
from tests.bench.recall.metrics import DEPTH, judge
from tests.bench.recall.questions import ADVERSARIAL, DataSet, Told, read

MOVES = (0.75, 4 / 3)
"""What a constant is multiplied by to look beside it."""
STEPS: Mapping[str, tuple[int, ...]] = {"reach": (-1, 1)}
"""What is added to a constant that counts."""
UNMOVED = frozenset({"own_word"})
"""Constants of typing, which no question asks for."""
LEAST = 0.0005
"""A move that gains less is not made."""
FIGURES = ("R@5", "R@10", "MRR")

Answer = Callable[[Weights], NDArray[np.float64]]
"""For weights the sums of the figures over the questions of a bank, and how many questions there are [4]."""


@dataclass(frozen=True, slots=True)
class Case:
    """The questions of one bank: which conversation it tells of, the kind of its file, and how they are answered."""

    conversation: str
    kind: str
    answer: Answer


@dataclass(frozen=True, slots=True)
class Judge:
    """How good weights are over some cases; what was answered once is kept. Past `until` nothing new is tried."""

    cases: Sequence[Case]
    until: float = float("inf")
    _known: dict[tuple[int, Weights], NDArray[np.float64]] = field(default_factory=dict)

    @property
    def late(self) -> bool:
        """Whether the time is over."""
        return time.monotonic() > self.until

    def tries(self, weights: Weights, cases: Iterable[int]) -> bool:
        """Whether there is time to answer with these weights, or nothing new to answer."""
        return not self.late or all((at, weights) in self._known for at in cases)

    def sums(self, at: int, weights: Weights) -> NDArray[np.float64]:
        """The sums of one case."""
        if (at, weights) not in self._known:
            self._known[at, weights] = self.cases[at].answer(weights)
        return self._known[at, weights]

    def figures(self, chosen: Mapping[int, Weights]) -> dict[str, list[float]]:
        """For each kind the mean R@5, R@10 and MRR over the questions of the chosen cases, each with its weights."""
        found: dict[str, NDArray[np.float64]] = {}
        for at, weights in chosen.items():
            found[self.cases[at].kind] = found.get(self.cases[at].kind, 0) + self.sums(at, weights)
        return {kind: (sums[:3] / sums[3]).tolist() for kind, sums in found.items()}

    def score(self, weights: Weights, cases: Iterable[int]) -> float:
        """The mean of all figures of all kinds."""
        return fmean(map(fmean, self.figures(dict.fromkeys(cases, weights)).values()))


def beside(weights: Weights, name: str) -> list[Weights]:
    """The weights with one constant a little less and a little more."""
    value = getattr(weights, name)
    found = [value + step for step in STEPS[name]] if name in STEPS else [round(value * move, 4) for move in MOVES]
    return [replace(weights, **{name: other}) for other in found if other > 0]


def fitted(judge: Judge, cases: Sequence[int], weights: Weights = WEIGHTS) -> Weights:
    """The weights that answer these cases best, one constant after the other; each goes on while that gains."""
    best, score = weights, judge.score(weights, cases)
    for name in Weights.__dataclass_fields__:
        going = name not in UNMOVED
        while going:
            tried = [(judge.score(one, cases), one) for one in beside(best, name) if judge.tries(one, cases)]
            found, other = max(tried, key=lambda pair: pair[0], default=(score, best))
            going = found > score + LEAST
            if going:
                best, score = other, found
    return best


def left_out(judge: Judge) -> dict[int, Weights]:
    """For each case weights that were fitted on the other conversations."""
    found: dict[int, Weights] = {}
    for conversation in dict.fromkeys(case.conversation for case in judge.cases):
        others = [at for at, case in enumerate(judge.cases) if case.conversation != conversation]
        weights = fitted(judge, others)
        found |= {at: weights for at, case in enumerate(judge.cases) if case.conversation == conversation}
    return found


def report(judge: Judge) -> Iterator[str]:
    """The lines of a fit: the present weights, those fitted on all, and the figure that leaves one out."""
    every = range(len(judge.cases))
    yield _line("present weights", judge.figures(dict.fromkeys(every, WEIGHTS)))
    best = fitted(judge, every)
    yield _line("fitted on all", judge.figures(dict.fromkeys(every, best)))
    yield f"  {_moved(best)}"
    if len({case.conversation for case in judge.cases}) > 1:
        apart = left_out(judge)
        yield _line("leaving one conversation out", judge.figures(apart))
        yield from _each(judge, apart)
    if judge.late:
        yield "The time was over before every constant had been moved."


def _each(judge: Judge, apart: Mapping[int, Weights]) -> Iterator[str]:
    """What leaving each conversation out gains for it."""
    for conversation in dict.fromkeys(case.conversation for case in judge.cases):
        own = [at for at, case in enumerate(judge.cases) if case.conversation == conversation]
        gain = judge.score(apart[own[0]], own) - judge.score(WEIGHTS, own)
        yield f"  without {conversation}: {gain:+.4f} for it; {_moved(apart[own[0]])}"


def _line(name: str, figures: Mapping[str, Sequence[float]]) -> str:
    told = "; ".join(f"{kind} " + "/".join(f"{value:.4f}" for value in values) for kind, values in figures.items())
    return f"{name}: {told} ({'/'.join(FIGURES)}), mean {fmean(map(fmean, figures.values())):.4f}"


def _moved(weights: Weights) -> str:
    pairs = ((name, getattr(WEIGHTS, name), getattr(weights, name)) for name in Weights.__dataclass_fields__)
    return ", ".join(f"{name} {old:g} → {new:g}" for name, old, new in pairs if old != new) or "nothing moved"


def cases_of(files: Sequence[DataSet], folder: Path) -> list[Case]:
    """A case for each bank of the files; vectors are made in `folder`.

    Banks of one conversation in several files are known by their names: `one` and `one-more` are.
    """
    names = sorted((bank.id for data in files for bank in data.banks), key=len)
    return [
        Case(next(name for name in names if f"{bank.id}-".startswith(f"{name}-")), data.kind, _answer(bank, folder))
        for data in files
        for bank in data.banks
    ]


def _answer(bank: Told, folder: Path) -> Answer:
    """The bank as the product has it, and its questions as an agent asks them."""
    view = View.of(memories(bank.rows))
    segment = build(docs_of(view.memories.values()))
    searchable = Searchable(view, bound(segment, view.memories))
    sight = searchable.sight_of(Within(TODAY), view.memories)
    places = {key: at for at, key in enumerate(view.memories)}
    similar = None if missing() else similar_of(folder / "search", segment, view)
    vectors = None if similar is None else similar.vectors.of(searchable.followed)
    asked = []
    for question in bank.questions:
        if question.category != ADVERSARIAL:
            query = parse(question.text)
            meaning = None
            if similar is not None and vectors is not None:
                meaning = Meaning(vectors, similar.questions.vector(query.words, named(sight, query.words)))
            flags = passing(searchable.columns, query) if query.narrows else None
            asked.append((query.words, flags, meaning, question.right))

    def answer(weights: Weights) -> NDArray[np.float64]:
        total = np.zeros(4)
        for words, flags, meaning, right in asked:
            ranked = rank_rows(
                sight, words, DEPTH, passing=flags, meaning=meaning, texts=searchable.text, weights=weights
            )
            found = judge([places[searchable.followed.index.key(row)] for row in ranked.rows.tolist()], right)
            total += (found.recall5, found.recall10, found.mrr, 1)
        return total

    return answer


def main() -> int:
    """Fit on the files that were named."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.recall.fitting", description=__doc__)
    parser.add_argument("data", type=Path, nargs="+", help="files of conversations with questions")
    parser.add_argument("--minutes", type=float, default=10, help="how long to look for better weights")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="memdesk-fitting-") as folder:
        cases = cases_of([read(path) for path in asked.data], Path(folder))
        if why := missing():
            print(f"By words alone: {why}", flush=True)
        for line in report(Judge(cases, time.monotonic() + asked.minutes * 60)):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    os.nice(10)
    sys.exit(main())
