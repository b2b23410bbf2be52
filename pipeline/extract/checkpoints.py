"""The compactions of a session as the boundaries of its runs (`spec/extraction.md` §4, §25, "Recovery").

Earlier ones that were never processed are processed first, in order; what follows the last one is a run of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pipeline.extract.effects import Done, Look, Result
from pipeline.extract.engine import evaluate
from pipeline.extract.ledger.control import read_cursor, read_failure
from pipeline.extract.results import joined
from pipeline.extract.work import Steps, Work


def boundaries(compactions: Iterable[int], end: int, cursor: int = -1, frozen: int = -1) -> tuple[int, ...]:
    """The seqs at which runs end, ascending: each compaction behind the cursor, then the end of the session.

    A compaction inside a frozen range (`frozen` is its last seq) is none: the range is retried as a whole first.
    """
    marks = sorted({seq for seq in compactions if max(cursor + 1, frozen) <= seq < end})
    return (*marks, end)


def execute_session(work: Work, compactions: Sequence[int] = ()) -> Steps:
    """Evaluate a session up to the snapshot's boundary, checkpoint by checkpoint; stops at the first that cannot go on.

    Returns one `Result` and tells it with `Done`. The bound on windows holds for all of it together.
    """
    view = yield Look()
    failure = read_failure(view, work.snapshot.session)
    cursor, frozen = read_cursor(view, work.snapshot.session).seq, failure.through_seq if failure else -1
    results: list[Result] = []
    left = work.options.max_windows_per_run
    for boundary in boundaries(compactions, work.snapshot.boundary, cursor, frozen):
        if left < 1:
            results[-1] = replace(results[-1], more=True)
            break
        one = replace(
            work,
            snapshot=replace(work.snapshot, boundary=boundary),
            options=replace(work.options, max_windows_per_run=left),
        )
        result = yield from evaluate(one)
        results.append(result)
        left -= len(result.windows) + (len(result.recovered.windows) if result.recovered else 0)
        if result.status == "unavailable" or result.more:
            break
    found = joined(results)
    yield Done(work.snapshot.session, found)
    return found
