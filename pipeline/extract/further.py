"""The facts of a range and what else it shows: insights and suggestions are asked for with the calls that are left.

They never come at a fact's expense: a failing call, or none left, only means that there are none.
"""

from __future__ import annotations

from dataclasses import replace

from pipeline.extract.effects import Ask, Audit, Called, Calling, Look
from pipeline.extract.findings import CALLS, Findings, gate
from pipeline.extract.findings import find as find_facts
from pipeline.extract.work import Asking, Range, Steps, Work
from pipeline.reply import ModelProblem

SKIPPED = "the calls of this range were used up for its facts"


def find(work: Work, span: Range) -> Steps:
    """The `Findings` of a range: facts first, then what further extractors ask; raises `Blocked` or `Failed`."""
    found = yield from find_facts(work, span)
    if work.asking is None or not found.records:
        return found
    return (yield from _asked(work, work.asking, found))


def _asked(work: Work, asking: Asking, found: Findings) -> Steps:
    question = asking.question((yield Look()), found.records, work.now)
    if question is None:
        return found
    if found.calls >= CALLS:
        return replace(found, audits=(*found.audits, Audit("reflection_skipped", "", SKIPPED)))
    session = work.snapshot.session
    yield from gate()
    yield Calling(session, "reflect", len(question.records), found.calls + 1, CALLS)
    answer = yield Ask("reflect", question)
    found = replace(found, calls=found.calls + 1)
    used = (answer.tokens_in, answer.tokens_out, answer.cost, answer.seconds)
    if isinstance(answer, ModelProblem):
        yield Called(session, "reflect", answer.kind, answer.message, 0, *used)
        yield from gate()
        return found
    reply = asking.answered(answer.text, question, work.snapshot.model)
    problem = ("", "") if reply.readable else ("schema", "The model's answer about insights cannot be read.")
    yield Called(session, "reflect", *problem, reply.count, *used)
    yield from gate()
    return replace(found, extractors=(reply,))
