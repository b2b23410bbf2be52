"""The adapter and store cases of `spec/extraction.md` §18–19: what is saved, and how rows are read back."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from typing import Any

import pytest

from pipeline.extract.ledger import control
from pipeline.extract.ledger.control import Cursor, Failure, Receipt, put_cursor, put_failure, put_receipt
from pipeline.extract.ledger.gaps import Gap, Sighting, gap_key, put_gap, read_gap
from pipeline.extract.options import Options
from pipeline.extract.save import Adapted, Save, adapt, provenance, put_memory
from pipeline.rehearsal import Rehearsal
from store.changes import Changeset, DropRow, PutRow
from store.memory import TABLES
from store.view import View
from tests.conformance.extraction_cases import cases, holds
from tests.conformance.extraction_desk import PROJECT, SESSION, Desk, case_options, opened


def _adapted(case: Mapping[str, Any], desk: Desk) -> tuple[Adapted, ...]:
    """Adapt the items, let the bank refuse, adapt again without what it refused, and store the rest."""
    given, boundary = case["given"], case["when"]["boundarySeq"]
    chosen: Options = case_options(given)
    context = provenance(given.get("session", SESSION), boundary)
    facts = [
        (item["content"], Save(f"item/{number}", item["content"], PROJECT, SESSION, context, chosen.importance))
        for number, item in enumerate(given["items"])
    ]
    refused = [save.key for raw, save in facts if raw in given.get("bankRefuses", ())]
    found = adapt(desk.view(), facts, chosen, refused)
    memories = [put_memory(one.save) for one in found if one.save]
    desk.commit(Changeset(tuple(memories), context))
    return found


@pytest.mark.parametrize("name", ["EX-119", "EX-120", "EX-121", "EX-122", "EX-123"])
def test_each_item_has_one_outcome_in_order(name: str) -> None:
    case = cases()[name]
    desk, then = opened(case["given"]), case["then"]
    found = _adapted(case, desk)
    if "results" in then:
        holds(then["results"], [{"content": one.content, "outcome": one.outcome} for one in found])
    saves = [one.save for one in found if one.save]
    if "saves" in then:
        shown = [
            {
                "project": save.project,
                "content": save.content,
                "source": put_memory(save).fields["source"],
                "importance": save.importance,
                "sessionId": save.session,
            }
            for save in saves
        ]
        holds(then["saves"], shown)
    for word in then.get("saveContextMustMention", []):
        assert all(word in save.context for save in saves)
    if "bankSize" in then:
        assert len(desk.view().live) == then["bankSize"]


def test_ex_119_the_stored_memory_carries_its_source() -> None:
    desk = opened({})
    _adapted(cases()["EX-119"], desk)
    memory = desk.view().live[0]
    assert (memory.statement, memory.source, memory.project) == ("Uses Nix flakes.", "memory_extract", "proj-a")


def test_ex_124_the_control_unit_has_its_name_version_and_tables() -> None:
    then = cases()["EX-124"]["then"]
    assert (then["name"], then["version"]) == (control.UNIT, control.UNIT_VERSION)
    assert set(then["tablesAtLeast"]) <= set(control.TABLES) <= set(TABLES)


def test_ex_125_what_is_written_is_read_back_field_by_field() -> None:
    case = cases()["EX-125"]
    write = case["given"]["write"]
    gap = write["gap"]
    rows = [
        put_cursor(Cursor("s-1"), 12, 900),
        put_receipt(Receipt("memory_x", "s-1", "discarded", (), 901)),
        put_failure(Failure("s-2", 4, 9, "abc", "memory_y", 1, "schema", 902)),
        put_gap(Gap("gap_q1", "", gap["content"], sightings=(Sighting("s-1", 10),), updated_at=10)),
    ]
    view = _reopened(rows)
    for table, key, expected in (
        ("cursors", "s-1", write["cursor"]),
        ("receipts", "memory_x", write["receipt"]),
        ("failures", "s-2", write["failure"]),
        ("gaps", gap_key("", "gap_q1"), gap),
    ):
        holds(expected, view.rows(table)[key], table)
    assert control.read_cursor(view, "s-1") == Cursor("s-1", 12, 1)
    assert control.read_receipt(view, "memory_x") == Receipt("memory_x", "s-1", "discarded", (), 901)
    assert control.read_failure(view, "s-2") == Failure("s-2", 4, 9, "abc", "memory_y", 1, "schema", 902)
    assert control.read_cursor(view, "s-9") == Cursor("s-9")
    assert control.read_receipt(view, "memory_z") is None and control.read_failure(view, "s-9") is None


def _reopened(rows: list[PutRow]) -> View:
    """Write, close, reopen: everything goes through JSON once."""
    bank = Rehearsal()
    bank.record(rows)
    tables = {name: dict(table) for name, table in bank.view().tables.items()}
    return View.of((), json.loads(json.dumps(tables)))


def test_ex_126_deleting_what_is_not_there_is_no_fault() -> None:
    failure = {"throughSeq": 1, "coverageHash": "h", "operationId": "o", "attempts": 1, "failureClass": "schema"}
    bank = Rehearsal(View.of((), {"failures": {"s-1": failure, "s-2": failure}, "gaps": {"|gap_a": {}}}))
    bank.record([DropRow("failures", "s-1"), DropRow("gaps", "|gap_a"), DropRow("gaps", "|gap_missing")])
    assert list(bank.view().rows("failures")) == ["s-2"] and list(bank.view().rows("gaps")) == []


def test_ex_127_a_gap_written_twice_is_one_row() -> None:
    case = cases()["EX-127"]
    bank = Rehearsal()
    bank.record([put_gap(Gap("gap_q1", "", "x", updated_at=200))])
    covered = Gap("gap_q1", "", "x", "covered", updated_at=300, covered_at=300, rev=1)
    bank.record([put_gap(covered)])
    holds(case["then"]["gaps"], list(bank.view().rows("gaps").values()))


def test_ex_128_damaged_rows_read_as_absent() -> None:
    case = cases()["EX-128"]
    rows = copy.deepcopy(dict(case["given"]["rawRows"]))
    view = View.of((), rows)
    then = case["then"]
    assert control.read_cursor(view, "s-1") == Cursor("s-1") and then["cursor s-1"] is None
    assert control.read_receipt(view, "memory_x") is None and then["receipt memory_x"] is None
    failure = control.read_failure(view, "s-1")
    assert failure is not None
    holds(then["failure s-1"], {"fromSeq": failure.from_seq, "throughSeq": failure.through_seq})
    assert control.read_failure(view, "s-2") is None
    readable = [key for key, row in view.rows("gaps").items() if read_gap(key, row)]
    assert readable == then["gapIds"]


def test_ex_129_a_ledger_without_gaps_gets_them_and_keeps_its_rows() -> None:
    case = cases()["EX-129"]
    bank = Rehearsal(View.of((), case["given"]["rows"]))
    assert list(bank.view().rows("gaps")) == []
    bank.record([put_gap(Gap("gap_a", "", "x", updated_at=1))])
    assert control.read_cursor(bank.view(), "s-1").seq == case["then"]["cursor s-1"]["processedSeq"]
    assert list(bank.view().rows("gaps")) == ["|gap_a"]
    assert case["then"]["version"] == control.UNIT_VERSION
