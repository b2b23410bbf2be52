"""Keystrokes: the engines take turns, session by session, and each answers what was typed so far.

Times are shown as the clock tells them; ratios are of processor time, so that other programs weigh as little as they
can, with those of the clock beside.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tests.bench.recall.engines.engine import Engine, NotMeasured
from tests.bench.recall.standing import MEGABYTE, Built, Standing, answered, settle
from tests.bench.recall.typing import CLASSES, SESSIONS, Key, sessions
from tests.bench.report import MS, Line, middle, percentile

ROUNDS = 3
"""Rounds of sessions, each with sessions of its own, so that nothing is asked twice."""
SLOWER = {"fts5-prefix": 25.0, "tantivy": 4.0, "tinydb": 250.0, "prototype": 1.0, "prototype-index": 1.0}
"""How many times the product's p95 the others' must be at least."""
AIMS = {"fts5-prefix": 50.0, "tantivy": 5.0, "tinydb": 300.0}
FULL = 100_000
"""Rows from which on the limits of ratios hold: over fewer, others are nearer."""
GROWTH = 2.5
"""How often the p95 over a tenth of the rows the p95 over all may be."""


@dataclass(frozen=True, slots=True)
class Timed:
    """One keystroke: its class, seconds on the clock and of processor time."""

    of: str
    seconds: float
    cpu: float


def measure(standing: Standing) -> Iterator[Line]:
    """The lines about building and about keystrokes."""
    yield _bank(standing)
    engines = dict(standing.engines())
    yield from (_building(name, built) for name, built in engines.items())
    found = {name: built.engine for name, built in engines.items() if isinstance(built, Built)}
    rounds = typed_in_turns(found, [sessions(standing.rows, seed) for seed in range(ROUNDS)])
    for name, built in engines.items():
        yield not_measured("recall-key", name, built) if isinstance(built, NotMeasured) else _keys(name, rounds[name])
    yield from _classes(rounds)
    for name in SLOWER:
        yield _ratio(standing, name, engines.get(name), rounds)
    yield _growth(standing)


def typed_in_turns(
    engines: Mapping[str, Engine], rounds: Sequence[Sequence[Sequence[Key]]]
) -> dict[str, list[list[Timed]]]:
    """For each engine the keystrokes of each round; who begins changes from session to session."""
    order = list(engines.items())
    for _, engine in order:
        engine.search("warm", 1)
    settle()
    times: dict[str, list[list[Timed]]] = {name: [[] for _ in rounds] for name in engines}
    for at, typed in enumerate(rounds):
        counted = 0
        for session in typed:
            order.append(order.pop(0))
            for name, engine in order:
                _type(engine, session, counted, times[name][at])
            counted += len(session)
    return times


def _type(engine: Engine, session: Sequence[Key], counted: int, times: list[Timed]) -> None:
    """One session; of a slow engine only the keystrokes whose turn it is."""
    for at, key in enumerate(session, counted):
        if at % engine.every == 0:
            _, seconds, cpu = answered(engine, key.text)
            times.append(Timed(key.of, seconds, cpu))


def not_measured(line: str, name: str, why: NotMeasured) -> Line:
    """A missing engine fails its line; the prototype, which is no part of the project, only when it was named."""
    fails = False if not name.startswith("prototype") else None
    return Line(line, name, f"not measured: {why}", "", fails)


def _bank(standing: Standing) -> Line:
    characters = sum(len(row.text) for row in standing.rows)
    chinese = sum(not row.text.isascii() for row in standing.rows) / len(standing.rows)
    values = f"{characters / MEGABYTE:.1f} million characters, {chinese:.0%} with Chinese"
    return Line("recall-bank", f"{len(standing.rows):,} generated rows", values)


def _building(name: str, built: Built | NotMeasured) -> Line:
    if isinstance(built, NotMeasured):
        return not_measured("recall-build", name, built)
    aim = "aim ≤ 5 s, ≤ 45 MB" if name == "product" else ""
    values = f"{built.seconds:.1f} s ({built.cpu:.1f} of processor time), {built.size / MEGABYTE:.0f} MB"
    return Line("recall-build", f"{name}: build, disk", values, aim)


def _keys(name: str, rounds: Sequence[Sequence[Timed]]) -> Line:
    seconds = [one.seconds for times in rounds for one in times]
    figures = "/".join(f"{percentile(seconds, rank) * MS:.2f}" for rank in (50, 95, 99))
    own = percentile([one.cpu for times in rounds for one in times], 95) * MS
    aim = "aim p95 ≤ 1.5 ms" if name == "product" else ""
    counted = f"{len(seconds):,} keystrokes of {len(rounds)} × {SESSIONS} sessions"
    values = f"{figures} ms (p95 of processor time {own:.2f})"
    return Line("recall-key", f"{name}: keystroke p50/p95/p99", values, aim, None, counted)


def _classes(rounds: Mapping[str, Sequence[Sequence[Timed]]]) -> Iterator[Line]:
    for of in CLASSES:
        seconds = {name: [one.cpu for times in held for one in times if one.of == of] for name, held in rounds.items()}
        shown = (f"{name} {percentile(times, 95) * MS:.2f}" for name, times in seconds.items() if times)
        yield Line("recall-class", f"p95 of processor time, {of}", ", ".join(shown) + " ms")


def _ratio(
    standing: Standing, name: str, built: Built | NotMeasured | None, rounds: Mapping[str, Sequence[Sequence[Timed]]]
) -> Line:
    subject = f"keystroke p95, {name} over product"
    if name not in rounds or "product" not in rounds:
        why = built if isinstance(built, NotMeasured) else NotMeasured("it was left out.")
        return not_measured("recall-ratio", subject if "product" in rounds else "product", why)
    aim = f" (aim {AIMS[name]:g})" if name in AIMS else ""
    value, shown = _compared(rounds[name], rounds["product"])
    limit, passed = _limited(standing, f"≥ {SLOWER[name]:g} ×{aim}", value >= SLOWER[name])
    return Line("recall-ratio", subject, shown, limit, passed, f"middle of {len(rounds[name])}")


def _limited(standing: Standing, limit: str, passed: bool) -> tuple[str, bool | None]:
    """The limit and whether it was held; over fewer rows than it is for, nothing is judged, and it says so."""
    return (limit, passed) if standing.count >= FULL else (f"{limit}, of {FULL:,} rows", None)


def _compared(others: Sequence[Sequence[Timed]], own: Sequence[Sequence[Timed]]) -> tuple[float, str]:
    """The middle of the rounds' ratios of the p95 of processor time, and it in words with the clock's."""
    cpu, clock = (
        middle([_p95(other, of) / _p95(one, of) for other, one in zip(others, own, strict=True)])
        for of in ("cpu", "seconds")
    )
    return cpu, f"{cpu:.2f} × ({clock:.2f} × on the clock)"


def _p95(times: Sequence[Timed], of: str) -> float:
    return percentile([getattr(one, of) for one in times], 95)


def _growth(standing: Standing) -> Line:
    """The same sessions over a tenth of the rows and over all."""
    small, large = standing.built("product", max(1, standing.count // 10)), standing.built("product")
    if isinstance(small, NotMeasured) or isinstance(large, NotMeasured):
        return not_measured("recall-growth", "product", NotMeasured("the product could not be built."))
    typed = [sessions(standing.rows[: standing.count // 10], seed) for seed in range(10, 10 + ROUNDS)]
    rounds = typed_in_turns({"small": small.engine, "large": large.engine}, typed)
    value, shown = _compared(rounds["large"], rounds["small"])
    subject = f"keystroke p95, {standing.count:,} rows over {standing.count // 10:,}"
    limit, passed = _limited(standing, f"≤ {GROWTH} ×", value <= GROWTH)
    return Line("recall-growth", subject, shown, limit, passed, f"middle of {ROUNDS}")
