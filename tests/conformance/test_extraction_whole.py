"""Extraction and review cases on the real bank: all or nothing across a crash, two sessions at once, decisions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline import review
from pipeline.extract.effects import Ask, Commit, Gate, Look, Record, Result
from pipeline.extract.effects import Snapshot as Trigger
from pipeline.extract.engine import execute
from pipeline.extract.ledger.gaps import all_gaps, gap_key
from pipeline.extract.options import Options
from pipeline.extract.work import Steps, Work
from pipeline.run import answered
from store.bank import Bank
from store.changes import PutRow
from store.errors import SecretFound
from store.vault.disk import Disk, Name
from tests.conformance.extraction_cases import cases, entries, entry, holds
from tests.conformance.extraction_desk import NOW, PROJECT, Desk, Script, citing, opened, reported, session_run

GAP = "gap_8d1473c6f338595a370171b5"
CI = "The project CI runs on Buildkite."


class Died(BaseException):
    """The process dies at this system call."""


class Mortal(Disk):
    """Dies at the k-th system call from when it is armed."""

    def __init__(self) -> None:
        self.left: int | None = None

    def step(self, call: str, path: Name) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise Died(call)


def _bank(folder: Path, case: Mapping[str, Any], disk: Disk | None = None) -> Bank:
    bank = Bank.create(folder, state_dir=folder.parent / "state", cache_dir=folder.parent / "cache", disk=disk)
    rows = [
        PutRow("gaps", gap_key(PROJECT, row["id"]), {**row, "project": PROJECT})
        for row in case["given"].get("gaps", [])
    ]
    bank.record(rows)
    return bank


def _reopen(folder: Path) -> Bank:
    return Bank.open(folder, state_dir=folder.parent / "state", cache_dir=folder.parent / "cache")


def test_ex_171_a_range_is_in_the_bank_as_a_whole_or_not_at_all_wherever_the_process_dies(tmp_path: Path) -> None:
    case = cases()["EX-171"]
    answers = case["given"]["model"][:2]
    seen = set()
    for at in range(400):
        folder, disk = tmp_path / str(at) / "bank", Mortal()
        bank = _bank(folder, case, disk)
        disk.left = at
        died = False
        try:
            session_run(bank, Script(list(answers)), case["given"], {"boundarySeq": 2})
        except Died:
            died = True
        disk.left = None
        bank = _reopen(folder)
        seen.add(_whole_or_nothing(bank))
        result = session_run(bank, Script(list(answers)), case["given"], {"boundarySeq": 2})
        assert reported(result)["items"] == [CI]
        assert [one.statement for one in bank.view().live] == case["then"]["afterRerun"]["bank"]
        receipts = [row["items"] for row in bank.view().rows("receipts").values()]
        assert receipts == [case["then"]["afterRerun"]["receiptItems"]]
        bank.close()
        if not died:
            break
    assert seen == {True, False} and at >= 10


def _whole_or_nothing(bank: Bank) -> bool:
    view = bank.view()
    gap = view.rows("gaps")[gap_key(PROJECT, GAP)]
    parts = {bool(view.live), bool(view.rows("cursors")), bool(view.rows("receipts")), gap["covered"] is True}
    assert len(parts) == 1
    return parts.pop()


def _waiting_engine(session: str, case: Mapping[str, Any], options: Options) -> Steps:
    found = tuple(entry(event) for event in case["given"]["sessions"][session])
    snapshot = Trigger(session, 2, PROJECT, "scripted")
    return execute(Work(snapshot, found, options, NOW, citing(session, found)))


def test_ex_169_two_sessions_that_read_the_ledger_before_either_writes_lose_no_sighting() -> None:
    case = cases()["EX-169"]
    desk = opened({})
    options = replace(Options(), review_mode="floor")
    engines = {name: _waiting_engine(name, case, options) for name in case["given"]["sessions"]}
    doors = {name: Script(list(case["given"]["modelPerSession"])) for name in engines}
    held: dict[str, Any] = {name: _until_write(engine, desk, doors[name]) for name, engine in engines.items()}
    results = [_finish(engines[name], held[name], desk, doors[name]) for name in engines]
    assert [result.status for result in results] == ["pending", "extracted"]
    gap = next(all_gaps(desk.view()))
    assert {one.session for one in gap.sightings} == {"s-1", "s-2"} and gap.state == "covered"
    assert [one.statement for one in desk.view().live] == case["then"]["bank"]
    assert desk.saves == 1


def _until_write(engine: Steps, desk: Desk, door: Script) -> Record | Commit:
    """Run one engine up to its write, on the ledger as it is now."""
    step = engine.send(None)
    while not isinstance(step, Record | Commit):
        step = engine.send(_answer(step, desk, door))
    return step


def _finish(engine: Steps, step: Any, desk: Desk, door: Script) -> Result:
    while True:
        try:
            step = engine.send(_answer(step, desk, door))
        except StopIteration as end:
            return end.value


def _answer(step: Any, desk: Desk, door: Script) -> Any:
    if isinstance(step, Ask | Gate | Look | Record | Commit):
        return answered(step, desk, door)
    return None


def test_ex_133_a_run_that_breaks_is_told_and_the_next_one_absorbs_the_repeat() -> None:
    case = cases()["EX-133"]
    desk, door = opened(case["given"]), Script(list(case["given"]["model"]))
    desk.begin("writeGap")
    with pytest.raises(Exception, match="writeGap"):
        session_run(desk, door, case["given"], {"boundarySeq": 2})
    desk.begin(None)
    second = session_run(desk, door, case["given"], {"boundarySeq": 2})
    holds(case["then"]["secondRun"], reported(second))
    assert [one.statement for one in desk.view().live] == case["then"]["bank"]


def test_ex_132_a_model_stream_that_raises_is_a_failing_provider_and_never_reaches_the_host() -> None:
    case = cases()["EX-132"]

    class Broken(Script):
        def _answer(self, stage: str, question: Any) -> Any:
            raise ValueError("stream")

    desk = opened(case["given"])
    result = session_run(desk, Broken([]), case["given"], {"boundarySeq": 2})
    assert result.reason == "failure: provider"
    holds(case["then"]["failure"], desk.view().rows("failures")["s-1"])


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDESK_NOW", "1970-01-01T02:46:40+00:00")  # 10,000,000 ms, the cases' own now


@pytest.mark.usefixtures("stopped")
def test_ex_144_approving_overrides_the_floor() -> None:
    case = cases()["EX-144"]
    desk = opened(case["given"])
    desk.commit(review.approve(desk.view(), review.find(desk.view(), GAP, NOW)))
    assert [one.statement for one in desk.view().live] == case["then"]["bank"]
    holds(case["then"]["gap"], desk.view().rows("gaps")[gap_key(PROJECT, GAP)])
    assert desk.view().live[0].source == case["then"]["bankRow"]["source"]


@pytest.mark.usefixtures("stopped")
def test_ex_145_a_secret_edit_leaves_the_row_open_and_a_clean_one_is_stored() -> None:
    case = cases()["EX-145"]
    desk = opened(case["given"])
    first, second = case["when"]
    item = review.find(desk.view(), GAP, NOW)
    with pytest.raises(SecretFound):
        review.approve(desk.view(), item, edits={"statement": first["content"]})
    desk.commit(review.approve(desk.view(), item, edits={"statement": second["content"]}))
    assert [one.statement for one in desk.view().live] == case["then"]["bank"]
    holds(case["then"]["gap"], desk.view().rows("gaps")[gap_key(PROJECT, GAP)])


@pytest.mark.usefixtures("stopped")
def test_ex_146_a_rejected_fact_gathers_no_sightings_and_is_never_shown_again() -> None:
    case = cases()["EX-146"]
    desk, door = opened(case["given"]), Script(list(case["given"]["model"]))
    desk.commit(review.reject(desk.view(), review.find(desk.view(), GAP, NOW)))
    result = session_run(desk, door, case["given"], {"boundarySeq": 2})
    holds(case["then"]["results"][1], reported(result))
    holds(case["then"]["gap"], desk.view().rows("gaps")[gap_key(PROJECT, GAP)])
    assert door.asked[0].open_gaps == () and desk.view().live == ()
    assert [(one.kind, one.gap) for one in result.audits] == [("suppressed", GAP)]


@pytest.mark.usefixtures("stopped")
def test_ex_147_restoring_brings_the_old_sightings_back() -> None:
    case = cases()["EX-147"]
    desk = opened(case["given"])
    desk.commit(review.restore(desk.view(), review.find(desk.view(), GAP, NOW)))
    holds(case["then"]["gap"], desk.view().rows("gaps")[gap_key(PROJECT, GAP)])


def test_ex_151_a_waiting_row_shows_have_need_expiry_and_the_words() -> None:
    case = cases()["EX-151"]
    given = dict(case["given"])
    quotes = [{**one, "session": one["sessionId"]} for one in given["evidence"][GAP]]
    row = {**given["gaps"][0], "sightings": [{**given["gaps"][0]["sightings"][0], "quotes": quotes}]}
    desk = opened({**given, "gaps": [row]})
    shown = [
        {
            "id": one.id,
            "content": one.statement,
            "state": one.state,
            "have": one.have,
            "need": one.need,
            "expiresAt": one.expires,
            "quotes": [
                {"sessionId": seen.session, "seq": quote["seq"], "quote": quote["quote"]}
                for seen in one.sightings
                for quote in seen.quotes
            ],
        }
        for one in review.queue(desk.view(), NOW)
    ]
    holds(case["then"]["rows"], shown)


def test_ex_152_paraphrases_are_suggested_as_links_and_nothing_is_merged() -> None:
    case = cases()["EX-152"]
    desk = opened(case["given"])
    found = review.links(desk.view(), case["when"]["threshold"])
    shown = [{"a": _id(one.first), "b": _id(one.second), "jaccard": one.similarity} for one in found]
    assert shown == case["then"]["suggestions"]
    assert len(desk.view().rows("gaps")) == 3


def _id(key: str) -> str:
    return key.rpartition("|")[2]


@pytest.mark.usefixtures("stopped")
def test_ex_148_merging_two_wordings_unites_their_sightings_and_makes_the_fact_ready() -> None:
    case = cases()["EX-148"]
    desk, step = opened(case["given"]), case["when"][0]
    view = desk.view()
    desk.commit(review.merge(view, review.find(view, step["from"], NOW), review.find(view, step["into"], NOW)))
    rows = desk.view().rows("gaps")
    assert list(rows) == [gap_key(PROJECT, step["into"])]
    holds(case["then"]["gap"], rows[gap_key(PROJECT, step["into"])])
    assert [row["id"] for row in rows.values() if row["state"] == "open"] == case["then"]["openGapIds"]
    assert [one.statement for one in desk.view().live] == case["then"]["bank"]


def test_undoing_an_approval_brings_the_proposal_back_on_the_real_bank(tmp_path: Path) -> None:
    bank = _bank(tmp_path / "bank", cases()["EX-144"])
    before = {key: dict(row) for key, row in bank.view().rows("gaps").items()}
    done = bank.commit(
        review.approve(bank.view(), review.find(bank.view(), GAP, NOW), edits={"statement": "CI is Buildkite."})
    )
    assert [one.statement for one in bank.view().live] == ["CI is Buildkite."]
    file = tmp_path / "bank" / done.files[0].id
    assert "CI is Buildkite." in file.read_text(encoding="utf-8")
    assert bank.view().rows("gaps")[gap_key(PROJECT, GAP)]["memory"] == done.files[0].id
    bank.undo(origin="screen")
    after = {key: dict(row) for key, row in bank.view().rows("gaps").items()}
    assert _bare(after) == _bare(before) and bank.view().live == () and not file.exists()
    assert [one.id for one in review.queue(bank.view(), NOW)] == [GAP]
    assert not bank.view().rows("tombstones")
    bank.redo(origin="screen")
    assert [one.statement for one in bank.view().live] == ["CI is Buildkite."]


def _bare(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    return {key: {name: value for name, value in row.items() if name != "_rev"} for key, row in rows.items()}


def test_undoing_a_rejection_lifts_its_tombstones_on_the_real_bank(tmp_path: Path) -> None:
    bank = _bank(tmp_path / "bank", cases()["EX-144"])
    bank.commit(review.reject(bank.view(), review.find(bank.view(), GAP, NOW), "wrong"))
    assert review.queue(bank.view(), NOW) == () and bank.view().rows("tombstones")
    bank.undo(origin="screen")
    assert [one.id for one in review.queue(bank.view(), NOW)] == [GAP] and not bank.view().rows("tombstones")


def test_the_entries_of_a_template_are_numbered_from_its_first_seq() -> None:
    template = {"eventsTemplate": {"count": 3, "by": "user", "text": "x", "firstSeq": 5}}
    assert [one.seq for one in entries(template)] == [5, 6, 7]
