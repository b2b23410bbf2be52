"""The runtime cases of `spec/extraction.md` §4: which events end a run, and what the end of a model call means."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from pipeline import litellm_worker
from pipeline.extract.identity import operation_id
from pipeline.extraction import extract
from pipeline.rehearsal import Rehearsal
from tests.conformance.extraction_cases import cases
from tests.conformance.extraction_desk import Script
from tests.pipeline.formats.test_dsh import event, read, said

_PROBLEMS = (
    "ContextWindowExceededError", "AuthenticationError", "NotFoundError", "BadRequestError", "RateLimitError",
    "Timeout",
)  # fmt: skip


def test_ex_130_only_summaries_of_compaction_end_runs_each_at_its_own_seq() -> None:
    case = cases()["EX-130"]
    log, seq = [], 3
    for name in case["given"]["sessionEvents"]:
        kind, _, own = name.partition("@")
        seq = int(own) if own else seq + 1
        log.append(said(seq, "CI runs on Buildkite.") if kind == "user/message" else event(seq, kind))
    bank = Rehearsal()
    door = Script([{"ok": {"status": "complete", "incidents": []}}])
    extract([session := read(*log)], bank, door)
    wanted = [operation_id(session.key, run["boundarySeq"]) for run in case["then"]["runs"]]
    assert list(bank.view().rows("receipts")) == wanted
    assert bank.view().rows("cursors")[session.key]["processedSeq"] == 12


def _litellm(row: dict[str, Any]) -> Any:
    """A litellm whose call ends as the case's row says."""

    async def acompletion(**given: Any) -> Any:
        if row.get("raises") == "AbortError":
            await asyncio.Event().wait()  # until the limit of the call aborts it
        if row.get("raises") == "TimeoutError":
            raise problems["Timeout"]
        if "raises" in row:
            raise ValueError
        message = SimpleNamespace(content=row["text"], refusal=None)
        return SimpleNamespace(choices=[SimpleNamespace(message=message, finish_reason=row["finish"])], usage=None)

    problems = {name: type(name, (Exception,), {"__init__": lambda self, *given: None}) for name in _PROBLEMS}
    return SimpleNamespace(acompletion=acompletion, completion_cost=lambda response: 0.0, **problems)


@pytest.mark.parametrize("number", range(8))
def test_ex_135_what_the_end_of_a_call_means(number: int) -> None:
    case = cases()["EX-135"]
    row, wanted = case["given"]["table"][number], case["then"]["outcomes"][number]
    request = {
        "id": "1",
        "model": "m",
        "messages": [],
        "timeout": 0.01 if row.get("raises") == "AbortError" else 60,
        "max_tokens": 9,
    }
    told: list[dict[str, Any]] = []
    asyncio.run(litellm_worker.answer(_litellm(row), request, told.append))
    assert [one.get("problem", "ok") for one in told] == [wanted]
    assert ("text" in told[0]) is (wanted == "ok")
