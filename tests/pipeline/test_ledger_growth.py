"""Years of runs leave a small ledger; what a person decided, and what only the ledger knows, stays."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import review
from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import QUOTES, SIGHTINGS, Gap, Sighting, all_gaps, gap_key, put_gap, with_sighting
from pipeline.extract.ledger.retention import AT_ONCE, KEPT, SETTLED, SLIM, retained
from pipeline.extract.options import Options
from pipeline.extraction import extract
from pipeline.formats.session import Session
from pipeline.model import OfflineDoor
from pipeline.rehearsal import Rehearsal
from store.bank import Bank
from store.changes import DropRow, PutRow
from tests.pipeline.one_run import ERROR, NOTHING, run
from tests.pipeline.one_run import session as talk
from tests.pipeline.review_desk import CI, DAY, NOW, desk, gap, memory, quote

pytestmark = pytest.mark.usefixtures("stopped_clock")


def gone(path: str) -> bool:
    return False


def lies(path: str) -> bool:
    return True


def tidied(bank: Rehearsal, now: int = NOW, there: Any = lies) -> list[tuple[str, str, str]]:
    """What is let go of: what happens to which row."""
    rows = retained(bank.view(), now, there)
    bank.record(rows)
    return [("drop" if isinstance(one, DropRow) else "put", one.table, one.key) for one in rows]


def covered(content: str = CI, age: int = 0, **more: Any) -> dict[str, dict[str, Any]]:
    fields = {"state": "covered", "covered": True, "updatedAt": NOW - age, "coveredAt": NOW - age, **more}
    return gap(content, "s-1", "s-2", at=NOW - age, **fields)


def test_a_fact_in_the_bank_loses_its_quotes_after_three_months_and_its_row_after_a_year() -> None:
    bank = desk(memory(1, CI), gaps=covered(age=SETTLED + 1, memory=memory(1, CI).id))
    key = gap_key("", gap_id(CI))
    assert tidied(bank) == [("put", "gaps", key)]
    row = bank.view().rows("gaps")[key]
    assert [set(one) for one in row["sightings"]] == [{"sessionId", "at"}] * 2 and row["covered"] is True
    assert tidied(bank) == []
    assert tidied(bank, NOW + KEPT) == [("drop", "gaps", key)]


def test_a_younger_fact_is_left_alone() -> None:
    assert tidied(desk(memory(1, CI), gaps=covered(age=SETTLED, memory=memory(1, CI).id))) == []


def test_a_row_stays_for_ever_when_only_it_knows_which_memory_says_the_fact() -> None:
    other = memory(1, "Builds run on Buildkite.")
    bank = desk(other, gaps=covered(age=KEPT + 1, memory=other.id))
    assert [one[0] for one in tidied(bank)] == ["put"] and len(bank.view().rows("gaps")) == 1
    aliased = desk(memory(1, CI), gaps=covered(age=KEPT + 1, memory=memory(1, CI).id, aliases=["gap_other"]))
    assert [one[0] for one in tidied(aliased)] == ["put"]


def test_open_facts_of_every_project_go_to_the_archive_when_their_time_is_over_and_leave_it_after_a_year() -> None:
    bank = desk(gaps={**gap(CI, at=NOW - 91 * DAY, project="idle"), **gap("Lunch is at noon.")})
    key = gap_key("idle", gap_id(CI))
    assert tidied(bank) == [("put", "gaps", key)]
    assert [one.state for one in review.rejected(bank.view(), NOW)] == ["archived"]
    assert ("drop", "gaps", key) in tidied(bank, NOW + KEPT + 1)


def test_a_rejected_fact_is_suppressed_also_when_its_row_is_gone() -> None:
    bank = desk(gaps=gap(CI))
    bank.commit(review.reject(bank.view(), review.queue(bank.view(), NOW)[0], "no"))
    assert tidied(bank, NOW + KEPT + 1) == [("drop", "gaps", gap_key("", gap_id(CI)))]
    assert gap_key("", gap_id(CI)) in bank.view().rows("tombstones")


def test_receipts_go_after_three_months_and_those_of_ranges_left_out_after_a_year() -> None:
    bank = desk()
    run(bank, talk("One.", name="fine"), [NOTHING])
    for _ in range(2):
        run(bank, talk("One.", name="bad"), [ERROR])
    assert tidied(bank, NOW + SETTLED) == []
    assert [one[:2] for one in tidied(bank, NOW + SETTLED + 1)] == [("drop", "receipts")]
    assert len(review.failures(bank.view())) == 1
    assert [one[:2] for one in tidied(bank, NOW + KEPT + 1)] == [("drop", "receipts")]


def test_a_session_whose_receipt_is_gone_is_not_evaluated_again() -> None:
    bank = desk()
    run(bank, talk("One."), [NOTHING])
    tidied(bank, NOW + SETTLED + 1)
    assert not bank.view().rows("receipts")
    assert run(bank, talk("One."), []).sessions[0].state == "nothing new"


def test_a_cursor_is_kept_as_long_as_its_transcript_lies_there_and_a_year_longer() -> None:
    bank = desk()
    run(bank, talk("One."), [NOTHING])
    key = talk("One.").key
    assert all(one[1] == "receipts" for one in tidied(bank, NOW + 9 * KEPT, lies))
    assert tidied(bank, NOW + KEPT, gone) == []
    assert tidied(bank, NOW + KEPT + 1, gone) == [("drop", "cursors", key), ("drop", "sessions", key)]


def test_a_failure_behind_the_cursor_and_worn_out_messages_are_let_go_of() -> None:
    bank = desk()
    run(bank, talk("One."), [ERROR])
    key = talk("One.").key
    bank.record([PutRow("cursors", key, {"sessionId": key, "processedSeq": 1, "updatedAt": NOW})])
    bank.record([PutRow("unresolved", f"{key}|1", {"sessionId": key, "seq": 1, "said": "x", "at": NOW, "attempts": 3})])
    assert tidied(bank) == [("drop", "unresolved", f"{key}|1")]
    assert tidied(bank, NOW + SETTLED + 1) == [("drop", "failures", key)]


def test_tidying_goes_on_where_it_stopped() -> None:
    old = {key: row for number in range(AT_ONCE + 5) for key, row in gap(f"Fact {number}.", at=NOW - 91 * DAY).items()}
    bank = desk(gaps=old)
    assert (len(tidied(bank)), len(tidied(bank)), len(tidied(bank))) == (AT_ONCE, 5, 0)


@given(st.lists(st.integers(0, 200), max_size=200), st.integers(1, 40))
def test_property_a_row_never_holds_more_than_its_sightings_and_quotes(sessions: list[int], quotes: int) -> None:
    found = Gap("gap_a", "", CI)
    for at, name in enumerate(sessions):
        said = tuple({**quote(CI), "seq": seq} for seq in range(quotes))
        found = replace(found, sightings=with_sighting(found, Sighting(f"s-{name}", at, quotes=said)))
        found = replace(found, sightings=with_sighting(found, Sighting(f"s-{name}", at, quotes=said)))
    assert len(found.sightings) == min(SIGHTINGS, len(set(sessions))) or len(found.sightings) == SIGHTINGS
    assert all(len(one.quotes) <= max(QUOTES, quotes) for one in found.sightings)
    if sessions:
        assert found.sightings[0].session == f"s-{sessions[0]}"


def _day(number: int) -> str:
    return datetime.fromtimestamp((NOW + number * DAY) / 1000, UTC).isoformat()


def _said(number: int) -> Session:
    """A session of one day: what everybody says again, and something new."""
    return talk(f"Our CI runs on runner number {number}.", "We decided to use Postgres 16.", name=f"day-{number}")


def test_three_years_of_runs_leave_a_ledger_that_no_longer_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A session every tenth day, whose transcript is gone afterwards: rows and size stay where they were after two."""
    bank = desk()
    sizes = {}
    for number in range(0, 1_100, 10):
        monkeypatch.setenv("MEMDESK_NOW", _day(number))
        extract([_said(number)], bank, OfflineDoor(), Options())
        for one in review.queue(bank.view(), NOW + number * DAY):
            if one.state == "ready":
                bank.commit(review.approve(bank.view(), one))
        tables = {name: dict(rows) for name, rows in bank.view().tables.items()}
        sizes[number] = (sum(map(len, tables.values())), len(json.dumps(tables)))
    rows, size = sizes[730]
    assert rows > 50 and sizes[1_090][0] <= rows and sizes[1_090][1] <= size * 1.02
    (known,) = [one for one in all_gaps(bank.view()) if "Postgres" in one.content]
    assert known.state == "covered" and SLIM < len(known.sightings) <= SIGHTINGS and len(bank.view().live) == 1


def test_the_run_itself_tidies_the_ledger_and_a_dry_run_does_not(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "bank", state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
    bank.record([put_gap(Gap("gap_old", "idle", CI, sightings=(Sighting("s-1", NOW - 91 * DAY),), updated_at=1))])
    extract([], bank, OfflineDoor(), dry_run=True)
    assert bank.view().rows("gaps")["idle|gap_old"]["state"] == "open"
    extract([], bank, OfflineDoor())
    assert bank.view().rows("gaps")["idle|gap_old"]["state"] == "archived"
    assert bank.history() == []
    bank.close()


def test_the_banks_own_floor_decides_when_a_fact_is_ready() -> None:
    bank = desk(settings={"min_gap_evidence": {"value": 3, "_rev": 1}})
    for number in range(3):
        assert all(one.state == "open" for one in review.queue(bank.view(), NOW))
        extract([talk("We decided to use Postgres 16.", name=f"s{number}")], bank, OfflineDoor())
    assert [(one.state, one.have, one.need) for one in review.queue(bank.view(), NOW)] == [("ready", 3, 3)]
