"""Typing errors, and queries that nobody expects."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tests.bench.recall.engines.engine import Engine, NotMeasured
from tests.bench.recall.speed import not_measured
from tests.bench.recall.standing import SHOWN, Built, Standing, answered
from tests.bench.recall.typing import Typo, finds, hostile, typos
from tests.bench.report import MS, Line, percentile

TRIED = ("product", "prototype", "prototype-index", "tantivy")
"""The engines that mend what was typed."""
MENDED = 0.95
"""The share of mistyped words that are to be found."""
FIRST = 5
"""In so many first rows."""


def measure(standing: Standing) -> Iterator[Line]:
    """The lines about typing errors and hostile queries."""
    tried = typos(standing.rows)
    for name in TRIED:
        if name in standing.names:
            built = standing.built(name)
            yield (
                not_measured("recall-typo", name, built)
                if isinstance(built, NotMeasured)
                else _mended(name, built.engine, tried, standing)
            )
    yield _hostile(standing)


def _mended(name: str, engine: Engine, tried: list[Typo], standing: Standing) -> Line:
    answers = [answered(engine, typo.typed, FIRST) for typo in tried]
    found = sum(finds(typo, standing.rows, rows) for typo, (rows, *_) in zip(tried, answers, strict=True))
    seconds = [second for _, second, _ in answers]
    limit, passed = "", None
    if name == "product":
        limit, passed = f"≥ {MENDED:.0%}", found >= MENDED * len(tried)
    figures = f"{percentile(seconds, 50) * MS:.2f}/{percentile(seconds, 95) * MS:.2f} ms"
    values = f"{found} ({found / max(1, len(tried)):.1%}), p50/p95 {figures}"
    return Line("recall-typo", f"{name}: of {len(tried)} mistyped words found in {FIRST}", values, limit, passed)


@dataclass(frozen=True, slots=True)
class _Failure:
    query: str
    why: str


def _hostile(standing: Standing) -> Line:
    built = standing.built("product")
    if not isinstance(built, Built):
        return not_measured("recall-hostile", "product", built)
    queries = hostile()
    failures: list[_Failure] = []
    slowest = (0.0, "")
    for query in queries:
        try:
            found, second, _ = answered(built.engine, query)
        except Exception as error:
            failures.append(_Failure(query, repr(error)))
            continue
        slowest = max(slowest, (second, query))
        if len(set(found)) != len(found) or len(found) > SHOWN or not set(found) <= set(range(len(standing.rows))):
            failures.append(_Failure(query, "rows twice, too many, or none of the bank"))
    worst = f"slowest {slowest[0] * MS:.1f} ms: {slowest[1][:12]!r} of {len(slowest[1]):,} characters"
    first = f"; first: {failures[0].query!r}: {failures[0].why}" if failures else ""
    values = f"{len(failures)} errors, {worst}{first}"
    return Line(
        "recall-hostile", f"product: {len(queries)} hostile half-typed queries", values, "no error", not failures
    )
