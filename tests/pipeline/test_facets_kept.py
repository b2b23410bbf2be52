"""Facets from a model's answer to the memory in the bank, merged, edited, approved; and when it was said."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pipeline import review
from pipeline.extract.effects import Audit
from pipeline.extract.facets.facet import NOT_SAID, Facets, facet_fields
from pipeline.extract.facets.search_keys import SearchKey
from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import Gap, Sighting, put_gap, read_gap, with_sighting
from pipeline.extract.offline.door import answer
from pipeline.extract.options import PORT, Options
from pipeline.extract.stages import Canonicalize
from pipeline.extraction import extract
from pipeline.formats.session import Author, Session, Turn
from pipeline.model import OfflineDoor
from pipeline.rehearsal import Rehearsal
from pipeline.reply import ModelProblem, Reply
from pipeline.review.inspection import Check, inspect
from pipeline.review.source import Sources
from store.bank import Bank
from store.errors import BadInput
from tests.pipeline.review_desk import DAY, NOW, desk, gap, item, memory, quote

pytestmark = pytest.mark.usefixtures("stopped_clock")

DECIDED = "We decided to move billing to Postgres 16 on Friday."
PLAN = "Billing moves to Postgres 16 on 4 December 2026."
SAID: dict[str, Any] = {
    "kind": "context",
    "subject": "Billing database",
    "statementType": "plan",
    "temporalType": "point",
    "eventStartedAt": "2026-12-04",
    "scope": "workspace",
    "keys": [{"key": "billing", "type": "concept"}, {"key": "MySQL", "type": "exact"}],
}
FRIDAY = Facets("context", "Billing database", "plan", "point", 1_796_342_400_000, None, "workspace")


class Knowing(OfflineDoor):
    """A model that finds what the offline rules find, words it as told and says more about it."""

    def __init__(self, content: str = PLAN, **said: Any) -> None:
        self.content, self.said = content, said
        self.asked: list[Canonicalize] = []

    def canonicalize(self, question: Canonicalize, cancelled: Callable[[], bool]) -> Reply | ModelProblem:
        self.asked.append(question)
        body = json.loads(answer(replace(question, facets=False)))
        told = self.said if question.facets else {}
        results = [one | {"content": self.content} | told if "content" in one else one for one in body["results"]]
        return Reply(json.dumps({"results": results}))


def session(name: str = "one", text: str = DECIDED, at: int = NOW - DAY) -> Session:
    turns = (Turn(1, f"{name}-u0", Author.TYPED, text, at, turn=0), Turn(2, "a0", Author.MODEL, "Noted.", at, turn=0))
    return Session("claude-code", name, f"{name}.jsonl", turns, project="/home/ada/work/api")


def run(bank: Any, *sessions: Session, door: OfflineDoor | None = None, **options: Any) -> Any:
    chosen = replace(Options(facets=True), **options)
    return extract(list(sessions or (session(),)), bank, door or Knowing(**SAID), chosen, parallel=1)


def only(bank: Any) -> review.Waiting:
    (found,) = review.queue(bank.view(), NOW)
    return found


def test_a_plan_that_a_model_dates_waits_as_a_commitment_with_its_day_and_its_tags() -> None:
    bank = desk()
    run(bank)
    waiting = only(bank)
    keys = (SearchKey("Postgres", "entity", "deterministic"), SearchKey("billing", "concept", "llm"))
    assert waiting.facets == replace(FRIDAY, keys=(*keys, SearchKey("MySQL", "alias", "llm")))
    assert {name: waiting.fields[name] for name in ("type", "subject", "when", "tags", "project")} == {
        "type": "COMMIT",
        "subject": "Billing database",
        "when": "2026-12-04",
        "tags": ("Postgres", "billing"),
        "project": "api",
    }


def test_without_the_option_nothing_is_asked_read_or_kept() -> None:
    bank, door = desk(), Knowing(**SAID)
    run(bank, door=door, facets=False)
    assert [one.facets for one in door.asked] == [False] and only(bank).facets == NOT_SAID
    assert not {"kind", "statementType", "temporalType", "keys", "scope"} & set(
        bank.view().rows("gaps")[only(bank).key]
    )
    assert not {"when", "tags"} & set(only(bank).fields)


def test_the_rules_alone_give_keys_and_a_named_day_with_the_option_and_nothing_without() -> None:
    text = "We decided to move billing to Postgres on 2026-12-04."
    bank, plain = desk(), desk()
    run(bank, session(text=text), door=OfflineDoor())
    run(plain, session(text=text), door=OfflineDoor(), facets=False)
    assert only(bank).facets.when == "2026-12-04" and only(bank).fields["tags"] == ("Postgres",)
    assert only(plain).facets == NOT_SAID and only(plain).statement == only(bank).statement


def test_a_facet_that_is_not_allowed_is_left_out_told_in_the_audit_and_costs_nothing_else() -> None:
    bank = desk()
    report = run(bank, door=Knowing(**{**SAID, "kind": "gossip", "eventStartedAt": "Friday"}))
    result = report.sessions[0].result
    wanted = "candidate_0: kind, eventStartedAt, temporalType"
    assert result.audits == (Audit("facet_ignored", "", wanted),) and result.calls == 2
    assert (only(bank).facets.kind, only(bank).facets.when, only(bank).facets.scope) == ("", "", "workspace")


def test_a_second_session_adds_what_it_knows_and_takes_nothing_away() -> None:
    bank = desk()
    run(bank)
    run(bank, session("two"), door=Knowing(kind="note"))
    assert (only(bank).have, only(bank).facets.kind) == (2, "note")
    assert (only(bank).facets.when, only(bank).facets.subject) == ("2026-12-04", "Billing database")


def test_facets_are_there_after_the_bank_was_closed_and_go_into_the_file(tmp_path: Path) -> None:
    place: dict[str, Any] = {"state_dir": tmp_path / "state", "cache_dir": tmp_path / "cache"}
    with closing(Bank.create(tmp_path / "bank", **place)) as bank:
        run(bank)
        before = only(bank).facets
    with closing(Bank.open(tmp_path / "bank", **place)) as bank:
        assert only(bank).facets == before and before.when == "2026-12-04"
        bank.commit(review.approve(bank.view(), only(bank), edits={"owner": "aria"}))
        (made,) = bank.view().live
        text = (tmp_path / "bank" / made.path).read_text()
        assert "\nwhen: 2026-12-04\n" in text and "\nobserved: 2026-11-29T10:00Z\n" in text
        assert (made.type, made.tags, made.observed) == ("COMMIT", ("Postgres", "billing"), "2026-11-29T10:00Z")
        assert made.evidence == "claude-code/one#one-u0"
        bank.undo(origin="library")
        assert list(bank.view().live) == [] and only(bank).facets == before


def test_a_host_that_stores_at_once_stores_the_facets_of_every_session_that_said_it() -> None:
    bank = Rehearsal(desk().view())
    port = {name: value for name, value in PORT.items() if name not in ("neutralize", "expired_rows")}
    run(bank, **port)
    run(bank, session("two", at=NOW), door=Knowing(kind="note"), **port)
    (made,) = bank.view().live
    assert (made.type, dict(made.extra)["when"], made.tags) == ("COMMIT", "2026-12-04", ("Postgres", "billing"))
    assert (made.evidence, made.observed) == ("claude-code/one#one-u0, claude-code/two#two-u0", "2026-11-30T10:00Z")


# --- decided by a person


def waiting_plan() -> Rehearsal:
    keys = (SearchKey("Postgres", "entity", "deterministic"), SearchKey("storage", "concept", "llm"))
    told = {name: value for name, value in facet_fields(replace(FRIDAY, keys=keys)).items() if value is not None}
    return desk(gaps=gap(PLAN, "s-1", project="api", state="ready", **told))


def test_the_day_can_be_corrected_or_taken_out_at_approval_and_must_be_a_day() -> None:
    for written, kept in (("2026-12-05 to 2026-12-06", "2026-12-05 to 2026-12-06"), ("", None)):
        bank = waiting_plan()
        bank.commit(review.approve(bank.view(), only(bank), edits={"when": written}))
        (made,) = bank.view().live
        assert dict(made.extra).get("when") == kept
    bank = waiting_plan()
    with pytest.raises(BadInput, match=r"^'soon' says no time; use a day \(2026-12-01\)"):
        review.approve(bank.view(), only(bank), edits={"when": "soon"})


def test_tags_that_a_person_chose_are_kept_as_their_own_keys() -> None:
    bank = waiting_plan()
    before = only(bank)
    bank.commit(review.approve(bank.view(), before, edits={"tags": ("money", "postgres")}))
    row = read_gap(before.key, bank.view().rows("gaps")[before.key])
    assert row is not None and [(key.text, key.origin) for key in row.facets.keys] == [
        ("money", "user"),
        ("postgres", "user"),
        ("storage", "llm"),
    ]


def test_a_new_wording_of_a_waiting_fact_has_new_keys() -> None:
    bank = waiting_plan()
    bank.commit(review.reword(bank.view(), only(bank), "Billing moves to CockroachDB."))
    assert [key.text for key in only(bank).facets.keys] == ["CockroachDB", "storage"]
    assert only(bank).facets.when == "2026-12-04"


def test_merged_facts_have_the_facets_of_both_and_a_split_gives_each_its_own_back() -> None:
    other = "The billing database changes."
    words: dict[str, Any] = {"scope": "global", "kind": "note"}
    keys = [{"key": "launch", "type": "alias", "origin": "llm"}]
    bank = waiting_plan()
    bank = desk(gaps={**bank.view().rows("gaps"), **gap(other, "s-2", project="api", keys=keys, **words)})
    plan, note = item(bank, gap_id(PLAN)), item(bank, gap_id(other))
    bank.commit(review.merge(bank.view(), plan, note))
    merged = item(bank, gap_id(other))
    assert (merged.facets.kind, merged.facets.scope, merged.facets.when) == ("note", "global", "2026-12-04")
    assert [key.text for key in merged.facets.keys] == ["Postgres", "storage", "launch"]
    bank.commit(review.split(bank.view(), merged, gap_id(PLAN)))
    assert item(bank, gap_id(PLAN)).facets == plan.facets and item(bank, gap_id(other)).facets == note.facets


# --- when it was said


def seen(name: str, at: int) -> dict[str, Any]:
    return {"sessionId": name, "at": NOW, "quotes": [quote(PLAN) | {"session": name, "at": at}]}


def test_a_fact_was_said_when_the_newest_of_all_its_sightings_was_after_a_merge_too() -> None:
    older = gap(PLAN, project="api", sightings=[seen("s-1", NOW - 9 * DAY), seen("s-2", NOW - 30 * DAY)])
    newer = gap("The billing database changes.", project="api", sightings=[seen("s-3", NOW - 2 * DAY)])
    bank = desk(gaps={**older, **newer})
    assert item(bank, gap_id(PLAN)).observed == "2026-11-21T10:00Z"
    other = item(bank, gap_id("The billing database changes."))
    bank.commit(review.merge(bank.view(), other, item(bank, gap_id(PLAN))))
    assert only(bank).observed == "2026-11-28T10:00Z"


def test_nothing_is_said_after_it_was_stored_and_without_a_time_nothing_is_claimed() -> None:
    bank = desk(gaps=gap(PLAN, sightings=[seen("s-1", NOW + DAY)]))
    assert only(bank).observed == "2026-11-30T10:00Z"
    bare = [{"sessionId": "s-1", "at": NOW, "quotes": [{"quote": PLAN, "session": "s-1"}]}]
    assert only(desk(gaps=gap(PLAN, sightings=bare))).observed == ""


def test_a_session_that_says_it_over_and_over_keeps_the_words_that_it_said_last() -> None:
    held = Gap(gap_id(PLAN), "", PLAN)
    for number in range(40):
        words = ({**quote(f"{PLAN} {number}"), "at": NOW + number},)
        held = replace(held, sightings=with_sighting(held, Sighting("s-1", NOW, quotes=words)))
    (row,) = held.sightings
    assert [one["at"] - NOW for one in row.quotes] == [*range(15), 39]
    assert len(put_gap(held).fields["sightings"][0]["quotes"]) == 16


@pytest.mark.parametrize(
    ("old", "told"),
    [
        ("2026-11-01T08:00Z", " and was said before this, on 2026-11-01"),
        ("2026-11-30T10:30Z", " and was said after this, on 2026-11-30"),
        ("2026-11-30T10:00Z", " and was said at the same time"),
        ("once", ""),
        ("", ""),
    ],
)
def test_of_two_facts_that_contradict_each_other_review_says_which_was_said_later(old: str, told: str) -> None:
    bank = desk(memory(1, "The office is in Porto.", extra=(("observed", old),) if old else ()), gaps=gap(PLAN))
    held = replace(only(bank), conflict=bank.view().live[0].id)
    checks = inspect(bank.view(), held, Sources()).checks
    assert Check("bad", f"contradicts FACT The office is in Porto., which is live{told}") in checks
