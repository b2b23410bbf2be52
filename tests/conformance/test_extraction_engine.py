"""The engine, ledger, failure and crash cases of `spec/extraction.md`, each against the engine and its driver."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from pipeline.extract.effects import Snapshot
from pipeline.extract.gate import closed
from pipeline.extract.options import options
from store.errors import BadInput
from tests.conformance.extraction_cases import cases, holds, ids
from tests.conformance.extraction_desk import Desk, Died, Gatekeeper, Script, opened, reported, session_run

AREAS = (
    "engine", "gate", "idempotency", "budget", "localization", "failure", "crash", "ledger", "ledger.expiry",
    "ledger.citation", "ledger.dedupe", "ledger.off", "ledger.prompt", "beyond.citation", "beyond.scope",
    "beyond.dedupe", "beyond.tombstone", "beyond.retry", "beyond.split", "beyond.replay", "beyond.evidence",
    "beyond.localization", "beyond.policy", "beyond.gate", "beyond.drop",
)  # fmt: skip
KEYS = {
    "result", "results", "recovered", "bank", "cursors", "receipts", "failures", "gaps", "gap", "gapIdsOpen", "windows",
    "audit", "promptOpenGaps", "canonicalCandidates", "canonicalPromptObservedAt", "evidenceRefsShown",
    "anyPromptContains", "localizedPromptMustContain", "canonicalPromptMustContain", "writes", "calls", "gapReads",
    "gapsIn", "note",
}  # fmt: skip
"""What a case may expect, all of it looked at below."""
ELSEWHERE = {"EX-052", "EX-062", "EX-075"}
RUNS = [name for name in ids(*AREAS) if name not in ELSEWHERE] + ["EX-149", "EX-150", "EX-164"]


@pytest.mark.parametrize("name", RUNS)
def test_a_run_does_what_the_case_says(name: str) -> None:
    case = cases()[name]
    given, then = case["given"], case["then"]
    desk, door = opened(given), Script(list(given.get("model", [])))
    assert {key.partition(" ")[0] for key in then} <= KEYS
    steps = case["when"] if isinstance(case["when"], list) else [case["when"]]
    results = [_step(desk, door, given, step) for step in steps]
    assert desk.gap_reads == then.get("gapReads", desk.gap_reads)
    _results(then, results)
    _state(then, desk)
    _details(then, desk, door, results)


def _step(desk: Desk, door: Script, given: Mapping[str, Any], step: Mapping[str, Any]) -> Any:
    desk.writes.append("--")
    desk.begin(step.get("crashAfter"))
    gate = Gatekeeper(_gate(given, step), door)
    try:
        return session_run(desk, door, given, step, gate)
    except Died as death:
        return str(death)


def _gate(given: Mapping[str, Any], step: Mapping[str, Any]) -> Mapping[str, Any]:
    for stretch in given.get("gateTimeline", []):
        if step["boundarySeq"] <= stretch["untilSeq"]:
            return {} if stretch["gate"] == "allowed" else {"closedFromStart": stretch["gate"]}
    return given.get("gate", {})


def _results(then: Mapping[str, Any], results: Sequence[Any]) -> None:
    shown = [{"crashed": result} if isinstance(result, str) else reported(result) for result in results]
    if "result" in then:
        holds(then["result"], shown[-1], "result")
    if "results" in then:
        holds(then["results"], shown, "results")
    if "recovered" in then:
        holds(then["recovered"], shown[-1]["recovered"], "recovered")


def _state(then: Mapping[str, Any], desk: Desk) -> None:
    view = desk.view()
    if "bank" in then:
        assert [memory.statement for memory in view.live] == then["bank"]
    for table, column in (("cursors", "processedSeq"), ("receipts", None), ("failures", None)):
        if table in then:
            rows = {key: row[column] if column else row for key, row in view.rows(table).items()}
            assert set(rows) == set(then[table])
            holds(then[table], rows, table)
    for key, value in then.items():
        if key == "gaps":
            _gaps(value, list(view.rows("gaps").values()))
        elif key.startswith("gapsIn "):
            project = key.removeprefix("gapsIn ")
            _gaps(value, [row for row in view.rows("gaps").values() if row.get("project", "proj-a") == project])


def _gaps(expected: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> None:
    found = {row["id"]: row for row in rows}
    assert len(found) == len(rows) and set(found) == {row["id"] for row in expected}
    for row in expected:
        holds(row, found[row["id"]], row["id"])


def _details(then: Mapping[str, Any], desk: Desk, door: Script, results: Sequence[Any]) -> None:
    rows = desk.view().rows("gaps").values()
    last = results[-1]
    if "writes" in then:
        wanted = then["writes"] if isinstance(then["writes"], list) else []
        assert [name for name in desk.writes[1:] if name not in ("saveItem",)] == wanted
    if not isinstance(last, str) and last.reason != "blocked" and not last.reason.startswith("gate"):
        assert door.answers == []
    if "calls" in then:
        assert door.calls == then["calls"]
    if "gap" in then:
        holds(then["gap"], next(row for row in rows if row["id"] == then["gap"]["id"]), "gap")
    if "gapIdsOpen" in then:
        assert [row["id"] for row in rows if row.get("state") == "open"] == then["gapIdsOpen"]
    if "windows" in then:
        assert [list(window) for window in last.windows] == then["windows"]
    for note in then.get("audit", []):
        found = [{"kind": one.kind, "gapId": one.gap, "reason": one.reason} for one in last.audits]
        assert any(all(entry[key] == value for key, value in note.items()) for entry in found), found
    _asked(then, door)


def _asked(then: Mapping[str, Any], door: Script) -> None:
    if "promptOpenGaps" in then:
        shown = [{"id": gap.id, "content": gap.content, "sessions": gap.sessions} for gap in door.asked[0].open_gaps]
        assert shown == then["promptOpenGaps"]
    if "canonicalCandidates" in then:
        assert [one.id for one in door.asked[-1].candidates] == then["canonicalCandidates"]
    if "canonicalPromptObservedAt" in then:
        seen = [cited.observed_at for one in door.asked[-1].candidates for cited in one.evidence]
        assert seen == then["canonicalPromptObservedAt"]
    if "evidenceRefsShown" in then:
        assert [record.source_ref for record in door.asked[0].records] == then["evidenceRefsShown"]
    if "anyPromptContains" in then:
        wanted = then["anyPromptContains"]
        assert any(wanted["text"] in text for text in door.prompts) is wanted["expected"]
    for key, stage in (("localizedPromptMustContain", "localized"), ("canonicalPromptMustContain", "canonicalize")):
        for text in then.get(key, []):
            assert text in door.prompts[door.calls.index(stage)]


def test_ex_052_the_gate_reads_the_switch_first_and_then_whether_it_is_a_child_session() -> None:
    case = cases()["EX-052"]
    for row, wanted in zip(case["given"]["table"], case["then"]["outputs"], strict=True):
        config = {key: value for key, value in row.items() if key in ("enabled", "excludeSubagents")}
        snapshot = Snapshot("s-1", 1, origin=row.get("origin", ""), delegation_depth=row.get("delegationDepth", 0))
        reason = closed(options(config), snapshot)
        assert ({"allowed": False, "reason": reason} if reason else {"allowed": True}) == wanted


def test_ex_062_a_trigger_without_session_or_with_a_strange_boundary_is_refused_before_the_gate() -> None:
    case = cases()["EX-062"]
    for number, snapshot in enumerate(case["given"]["snapshots"]):
        desk, door = opened({}), Script([])
        gate = Gatekeeper({}, door)
        step = {"session": snapshot["sessionId"], "boundarySeq": snapshot["boundarySeq"]}
        result = session_run(desk, door, {}, step, gate)
        holds(case["then"]["results"][number], reported(result))
        assert gate.reads == 0 and desk.writes == []


@pytest.mark.parametrize("number", range(4))
def test_ex_075_problems_that_are_not_the_ranges_fault_leave_no_trace(number: int) -> None:
    case = cases()["EX-075"]
    given = {**case["given"], "model": [{"err": case["given"]["table"][number]}]}
    desk, door = opened(given), Script(list(given["model"]))
    result = session_run(desk, door, given, case["when"])
    holds(case["then"]["results"][number], reported(result))
    assert desk.writes == [] and not desk.view().rows("failures")


def test_the_cases_bank_refuses_only_what_it_is_told_to() -> None:
    desk = opened({"bankDrops": ["no"]})
    with pytest.raises(BadInput):
        desk.commit(_put("no"))
    desk.commit(_put("yes"))
    assert [memory.statement for memory in desk.view().live] == ["yes"]


def _put(text: str) -> Any:
    from store.changes import Changeset, PutMemory

    return Changeset((PutMemory(None, {"type": "FACT", "subject": "s", "statement": text}),), "try")
