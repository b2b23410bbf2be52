"""A process that dies at any system call of a run or a decision: the next one comes to the same end (§15, §23.8)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from pipeline import review
from pipeline.extract.effects import Snapshot
from pipeline.extract.evidence import Entry
from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import Gap, Sighting, gap_key, put_gap
from pipeline.extract.options import Options
from pipeline.extract.rerun import execute_spans
from pipeline.extract.stages import Canonicalize, Localize, Propose
from pipeline.extract.work import Work
from pipeline.reply import ModelProblem, Reply
from pipeline.review import Waiting
from pipeline.run import run
from store.bank import Bank
from store.changes import Changeset
from store.vault.disk import Disk
from store.view import View
from tests.conformance.extraction_desk import NOW, PROJECT, Desk, citing, session_run
from tests.conformance.test_extraction_engine import Died as Ended
from tests.conformance.test_extraction_whole import Died, Mortal

PNPM, BUILD, COFFEE = "Use pnpm for builds.", "The build needs pnpm.", "Coffee is at ten."
MOST = 400
"""System calls of one act at most."""


@pytest.fixture(autouse=True)
def stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDESK_NOW", "1970-01-01T02:46:40+00:00")  # 10,000,000 ms, the cases' own now


class Echo:
    """A model that proposes every message as it stands, or answers nothing but one thing."""

    def __init__(self, only: dict[str, Any] | None = None) -> None:
        self.only = only
        self.calls: list[str] = []

    def propose(self, question: Propose, cancelled: Any) -> Reply | ModelProblem:
        if self.only is not None:
            return Reply(json.dumps(self.only)) if self.only else ModelProblem("provider", "No.")
        found = [
            {"content": record.text, "evidence": [{"sourceRef": record.source_ref, "quote": record.text}]}
            for record in question.records
        ]
        return Reply(json.dumps({"status": "complete", "incidents": found}))

    def localize(self, question: Localize, cancelled: Any) -> Reply | ModelProblem:
        return ModelProblem("provider", "No.")

    def canonicalize(self, question: Canonicalize, cancelled: Any) -> Reply | ModelProblem:
        found = [
            {"candidateId": one.id, "status": "accepted", "content": one.evidence[0].quote}
            for one in question.candidates
        ]
        return Reply(json.dumps({"results": found}))


Act = Callable[[Bank], None]


def entries(*texts: str) -> tuple[Entry, ...]:
    return tuple(Entry(seq, "user", "user", text, seq, seq * 60_000) for seq, text in enumerate(texts, 1))


def mine(*texts: str, only: dict[str, Any] | None = None, **config: Any) -> Act:
    """A run over a session of these messages."""

    def act(bank: Any) -> None:
        given = {"config": config}
        session_run(bank, Echo(only), given, {"boundarySeq": len(texts)}, session_entries=entries(*texts))  # type: ignore[arg-type]

    return act


def by_hand(*texts: str) -> Act:
    """The first range that was left out, evaluated again."""

    def act(bank: Any) -> None:
        (one,) = review.failures(bank.view())
        found = entries(*texts)
        options = replace(Options(), review_mode="floor")
        work = Work(Snapshot("s-1", len(texts), PROJECT), found, options, NOW, citing("s-1", found))
        run(execute_spans(work, [review.again(one, halves=True)]), bank, Echo())

    return act


def decide(make: Callable[[View], Changeset]) -> Act:
    """A decision of a person."""
    return lambda bank: bank.commit(make(bank.view())) and None


def item(view: View, content: str) -> Waiting:
    return review.find(view, gap_key(PROJECT, gap_id(content)), NOW)


def rows(*found: Gap) -> Act:
    return lambda bank: bank.record([put_gap(one) for one in found]) and None


def row(content: str, session: str) -> Gap:
    return Gap(gap_id(content), PROJECT, content, sightings=(Sighting(session, NOW - 9),), updated_at=NOW - 9)


def all_of(*acts: Act) -> Act:
    def act(bank: Bank) -> None:
        for one in acts:
            one(bank)

    return act


TWO = rows(row(PNPM, "s-7"), row(BUILD, "s-8"))
JOIN = decide(lambda view: review.merge(view, item(view, BUILD), item(view, PNPM)))
UNSURE = {"status": "cannot_resolve"}


@dataclass(frozen=True)
class Scene:
    """What is there before, and what is done."""

    before: Act
    act: Act


SCENES = {
    "a fact waits": Scene(TWO, mine(COFFEE)),
    "a fact is stored": Scene(rows(row(COFFEE, "s-7")), mine(COFFEE)),
    "a merged fact is seen under its other name and stored": Scene(all_of(TWO, JOIN), mine(BUILD, COFFEE)),
    "three windows": Scene(rows(row(COFFEE, "s-7")), mine(PNPM, COFFEE, BUILD, maxEvidenceRecords=1)),
    "a range is frozen": Scene(TWO, mine(COFFEE, only={})),
    "a range is given up and its messages left unresolved": Scene(mine(COFFEE, only=UNSURE), mine(COFFEE, only=UNSURE)),
    "a frozen range is retried and the tail follows": Scene(mine(COFFEE, only={}), mine(COFFEE, PNPM)),
    "a left-out range is evaluated by hand in halves": Scene(
        all_of(mine(COFFEE, BUILD, only={}), mine(COFFEE, BUILD, only={})), by_hand(COFFEE, BUILD)
    ),
    "an old row goes to the archive": Scene(TWO, mine(COFFEE, gapLedgerMaxAgeMs=1)),
    "two facts are merged": Scene(TWO, JOIN),
    "a merged fact is split": Scene(
        all_of(TWO, JOIN), decide(lambda view: review.split(view, item(view, PNPM), gap_id(BUILD)))
    ),
    "a merged fact is approved": Scene(all_of(TWO, JOIN), decide(lambda view: review.approve(view, item(view, PNPM)))),
    "a merged fact is rejected": Scene(all_of(TWO, JOIN), decide(lambda view: review.reject(view, item(view, PNPM)))),
    "a fact is reworded": Scene(TWO, decide(lambda view: review.reword(view, item(view, PNPM), COFFEE))),
    "a frozen range is given up by hand": Scene(
        mine(COFFEE, only={}), decide(lambda view: review.give_up(view, review.failures(view)[0]))
    ),
}


def _open(folder: Path, disk: Disk | None = None) -> Bank:
    return Bank.open(folder, state_dir=folder.parent / "state", cache_dir=folder.parent / "cache", disk=disk)


def _prepared(base: Path, scene: Scene) -> Path:
    folder = base / "bank"
    bank = Bank.create(folder, state_dir=base / "state", cache_dir=base / "cache")
    scene.before(bank)
    bank.close()
    return folder


def _copy(folder: Path, to: Path) -> Path:
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(folder.parent, to)
    return to / folder.name


def _state(view: View) -> dict[str, Any]:
    """Everything but history, revisions, and what a receipt remembers of the run's own words."""
    tables = {name: table for name, table in view.tables.items() if name not in ("history", "usage") and len(table)}
    found: dict[str, Any] = {
        name: {key: {k: v for k, v in one.items() if k not in ("_rev", "result")} for key, one in table.items()}
        for name, table in tables.items()
    }
    return found | {"memories": sorted((one.id, one.statement, one.state) for one in view.memories.values())}


def _clean(folder: Path, act: Act, to: Path) -> list[dict[str, Any]]:
    """The states that an undisturbed act goes through, first and last included."""
    bank = _open(_copy(folder, to))
    states = [_state(bank.view())]
    bank.subscribe(lambda event: states.append(_state(bank.view())))
    act(bank)
    bank.close()
    return states


@pytest.mark.parametrize("name", SCENES)
def test_wherever_the_process_dies_all_of_a_step_is_there_or_nothing_and_the_next_run_comes_to_the_same_end(
    name: str, tmp_path: Path
) -> None:
    scene = SCENES[name]
    folder = _prepared(tmp_path / "base", scene)
    states = _clean(folder, scene.act, tmp_path / "clean")
    assert len(states) > 1 and states[0] != states[-1]
    found = set()
    for at in range(MOST):
        there, disk = _copy(folder, tmp_path / "try"), Mortal()
        bank = _open(there, disk)
        disk.left, died = at, False
        try:
            scene.act(bank)
        except Died:
            died = True
        disk.left = None
        bank = _open(there)
        state = _state(bank.view())
        assert state in states
        found.add(states.index(state))
        if state != states[-1]:
            scene.act(bank)
        assert _state(bank.view()) == states[-1]
        bank.close()
        if not died:
            break
    assert at < MOST - 1 and found == set(range(len(states)))


LATER = "an old row goes to the archive"
"""On a store that writes row by row a later run that settles something does this (§15, "during 6")."""
RUNS = [name for name, scene in SCENES.items() if scene.act.__qualname__.startswith("mine") and name != LATER]


@pytest.mark.parametrize("name", RUNS)
def test_on_a_store_that_writes_row_by_row_a_second_run_mends_what_the_first_left_half_done(name: str) -> None:
    """Each fact is stored once, each cursor ends where it should; a receipt may be missing (§15)."""
    scene = SCENES[name]
    whole = Desk(View.of(()))
    scene.before(whole)  # type: ignore[arg-type]
    written = len(whole.writes)
    scene.act(whole)  # type: ignore[arg-type]
    last = _state(whole.view())
    count = len(whole.writes) - written
    assert count > 0
    for at in range(count):
        desk = Desk(View.of(()))
        scene.before(desk)  # type: ignore[arg-type]
        desk.die_after = len(desk.writes) + at + 1
        with pytest.raises(Ended):
            scene.act(desk)  # type: ignore[arg-type]
        desk.die_after = None
        if "failures" not in last or not desk.view().rows("failures"):
            scene.act(desk)  # type: ignore[arg-type]
        after = _state(desk.view())
        assert after.get("cursors") == last.get("cursors")
        assert [one[1] for one in after["memories"]] == [one[1] for one in last["memories"]]
        assert _facts(after) == _facts(last)
        assert set(after.get("receipts", {})) <= set(last.get("receipts", {}))


def _facts(state: dict[str, Any]) -> dict[str, Any]:
    """The pending facts with their states and sessions."""
    return {
        key: (one["state"], sorted(seen["sessionId"] for seen in one["sightings"]))
        for key, one in state.get("gaps", {}).items()
    }
