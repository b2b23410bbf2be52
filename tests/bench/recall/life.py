"""An index's life: opened cold, added to, deleted from, and made anew while someone types."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from pipeline.recall.rebuilding import start_rebuild
from store.index.search.searching import file_of
from store.seed import seed
from tests.bench.banks import NOW, Unsynced
from tests.bench.child import Child
from tests.bench.recall.corpus import memories
from tests.bench.recall.engines.engine import Engine, NotMeasured
from tests.bench.recall.speed import not_measured
from tests.bench.recall.standing import MEGABYTE, SHOWN, Built, Standing, answered, settle
from tests.bench.recall.typing import Key, sessions
from tests.bench.report import MS, Line, middle, percentile

COLD = 3
"""Fresh processes that open an index."""
CHANGES = 20
WORST = 0.010
"""Seconds that no keystroke takes while the index is made anew."""
REBUILDS = 3
BETWEEN = 0.002
"""Seconds between two keystrokes: nobody types without a pause."""
OPEN_AIM = "aim ≤ 60 ms with numpy, ≤ 100 MB"
CHANGE_AIM = "aim ≤ 0.1, ≤ 0.01 ms"


def measure(standing: Standing) -> Iterator[Line]:
    """The lines; the last ones change what was built."""
    texts = [key.text for session in sessions(standing.rows, 20) for key in session]
    for name, built in standing.engines():
        if isinstance(built, NotMeasured):
            yield not_measured("recall-open", name, built)
        elif name != "prototype":  # it has no files of its own
            yield _opened(standing, name, built, texts[: len(texts) // built.engine.every])
    yield _rebuilt(standing)
    for name, built in standing.engines():
        if isinstance(built, Built) and built.engine.changes:
            yield _changed(standing, name, built.engine)


def _opened(standing: Standing, name: str, built: Built, texts: list[str]) -> Line:
    prototype = str(standing.prototype) if standing.prototype else None
    found: list[dict[str, Any]] = []
    for _ in range(COLD):
        with Child("recall.child", env=dict(os.environ)) as child:
            found.append(child.ask("cold", name, str(built.folder), prototype, texts))
    seconds, size = (min(one[what] for one in found) for what in ("seconds", "size"))
    with_numpy = ""
    if name in {"product", "prototype-index"}:
        numpy_seconds, numpy_size = (min(one[what] for one in found) for what in ("numpy_seconds", "numpy_size"))
        with_numpy = f" (numpy before: {numpy_seconds * MS:.0f} ms, {numpy_size / MEGABYTE:.0f} MB)"
    values = f"{seconds * MS:.1f} ms, {size / MEGABYTE:.0f} MB{with_numpy}"
    aim = OPEN_AIM if name == "product" else ""
    counted = f"best of {COLD} fresh processes, memory after {len(texts)} keystrokes"
    return Line("recall-open", f"{name}: open to first answer, memory", values, aim, None, counted)


def _rebuilt(standing: Standing) -> Line:
    """The same keystrokes while the product's own process makes the index of such a bank anew, several times.

    What counts is the middle of each one's times: other programs hold up one now and then, as they do without a
    rebuild, whose slowest stands beside.
    """
    built = standing.built("product")
    subject = "product: slowest usual keystroke while an index is made anew"
    if not isinstance(built, Built):
        return not_measured("recall-rebuild", "product", built)
    root = _bank(standing)
    keys = [key for session in sessions(standing.rows, 100) for key in session]
    times: dict[str, list[float]] = {key.text: [] for key in keys}
    settle()
    alone = max(seconds for _, seconds in _typed(built.engine, keys, _nothing))
    for _ in range(REBUILDS):
        file_of([root]).unlink(missing_ok=True)
        rebuilding = start_rebuild([root])
        for text, seconds in _typed(built.engine, keys, lambda rebuilding=rebuilding: not rebuilding.done()):
            times[text].append(seconds)
        rebuilding.wait()
        if rebuilding.problem or not file_of([root]).exists():
            why = rebuilding.problem or f"It ended as {rebuilding.progress}."
            return Line("recall-rebuild", subject, f"not made anew: {why}", f"≤ {WORST * MS:.0f} ms", False)
    usual = [middle(one) for one in times.values()]
    worst, p95 = percentile(usual, 100), percentile(usual, 95)
    every = [seconds for one in times.values() for seconds in one]
    once = f"slowest of all {percentile(every, 100) * MS:.1f}, without a rebuild {alone * MS:.1f}"
    values = f"{worst * MS:.1f} ms (p95 {p95 * MS:.1f}; {once})"
    counted = f"{len(usual):,} keystrokes, the middle of {len(every) / len(usual):.1f} times each"
    return Line("recall-rebuild", subject, values, f"≤ {WORST * MS:.0f} ms", worst <= WORST, counted)


def _bank(standing: Standing) -> Path:
    """The rows as a bank on disk."""
    root = standing.folder / "bank"
    (root / "facts").mkdir(parents=True)
    (root / "private").mkdir()
    fields = ("type", "owner", "tags", "created", "updated", "statement", "body")
    made = ({name: getattr(memory, name) for name in fields} for memory in memories(standing.rows))
    seed(root, (one | {"subject": one["statement"][:30], "source": "manual"} for one in made), NOW, Unsynced())
    return root


def _nothing() -> bool:
    return False


def _typed(engine: Engine, keys: list[Key], goes_on: Callable[[], bool]) -> Iterator[tuple[str, float]]:
    """All keys at least once, and again as long as the other process `goes_on`: each with its seconds on the clock."""
    at = 0
    while at < len(keys) or goes_on():
        text = keys[at % len(keys)].text
        yield text, answered(engine, text)[1]
        time.sleep(BETWEEN)
        at += 1


def _changed(standing: Standing, name: str, engine: Engine) -> Line:
    """Adding and deleting single rows, and the first answer after each."""
    times = 2 if engine.every > 1 else CHANGES
    added, deleted, after = [], [], []
    for at in range(times):
        row = replace(standing.rows[at], id=f"m{standing.count + at:06}")
        added.append(_seconds(lambda row=row: engine.add(row)))
        after.append(_seconds(lambda: engine.search("meeting", SHOWN)))
        deleted.append(_seconds(lambda at=at: engine.delete(at)))
        after.append(_seconds(lambda: engine.search("meeting", SHOWN)))
    values = "/".join(f"{middle(times_) * MS:.3f}" for times_ in (added, deleted, after))
    aim = CHANGE_AIM if name == "product" else ""
    return Line("recall-change", f"{name}: add/delete/first answer after", f"{values} ms", aim, None, f"{times} times")


def _seconds(act: Any) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start
