"""Extraction end to end: through litellm and a scripted server, through a real model where there is one, offline.

What can go wrong with a model ends in one sentence and a row that waits for its retry; nothing is lost and nothing is
kept that the person did not say (`spec/extraction.md` §13–15).
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pipeline import review
from pipeline.extract.evidence import entries, project_evidence
from pipeline.extract.stages import Propose
from pipeline.extraction import ExtractReport, extract
from pipeline.formats.read import read
from pipeline.formats.session import EVIDENCE_AUTHORS, Session
from pipeline.model import LitellmDoor, ModelSettings, OfflineDoor
from pipeline.reply import Reply, never
from store.bank import Bank
from tests.cli.desk import NOW, Answer, Desk, new_desk
from tests.pipeline.formats.test_samples import samples
from tests.pipeline.model_server import Answer as Scripted
from tests.pipeline.model_server import ModelServer, hangs, model_server, says
from tests.pipeline.review_desk import desk as rehearsed
from tests.pipeline.scripted import helpful, write_talk

KEY = "claude-code/talk"
SECRET = "ghp_exampleexampleexample0123456789"
SAID = (
    "Remember that the deploy script needs VPN.",
    f"For the test use token={SECRET} just this once.",
    "Harbour codes are always four letters.",
)


@pytest.fixture(autouse=True)
def stopped_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDESK_NOW", NOW)


@pytest.fixture
def talk(tmp_path: Path) -> Path:
    """A Claude Code transcript with a model's and a tool's words between those of the person."""
    return write_talk(tmp_path / "talk.jsonl", SAID)


def at(door: LitellmDoor, server: ModelServer, timeout: float = 30.0) -> LitellmDoor:
    """The shared door, pointed at a server."""
    door.settings = ModelSettings("openai/scripted", server.url, timeout)
    return door


def evaluate(talk: Path, bank: Any, door: LitellmDoor, cancelled: Any = never) -> ExtractReport:
    return extract(read(talk), bank, door, cancelled=cancelled)


def rows(bank: Any) -> dict[str, dict[str, Any]]:
    return {name: dict(bank.view().rows(name)) for name in ("cursors", "receipts", "failures", "gaps", "profile")}


def command(desk: Desk, server: ModelServer, talk: Path, *more: str) -> Answer:
    return desk("extract", str(talk), "--model", "openai/scripted", "--api-base", server.url, "--json", *more)


# --- the command


def test_the_command_files_what_the_model_finds_and_a_second_run_asks_nothing(tmp_path: Path, talk: Path) -> None:
    desk = new_desk(tmp_path)
    with model_server(helpful) as server:
        first = command(desk, server, talk)
        asked = len(server.requests)
        again = command(desk, server, talk)
        assert len(server.requests) == asked == 2  # facts and their check; a model on this machine is small
    assert first.code == 0, first
    proposals = {one["content"]: one for one in first.json["proposals"]}
    assert set(proposals) == {"Remember that the deploy scrip", "Harbour codes are always four"}
    assert proposals["Harbour codes are always four"]["evidence"][0]["ref"] == "u2"
    assert first.json["sessions"][0]["state"] == "pending"
    assert again.code == 0 and again.json["proposals"] == []
    assert again.json["sessions"][0]["state"] == "nothing new"
    ready = [one["content"] for one in desk.json("review").json["proposals"]]
    assert ready == ["Remember that the deploy scrip"]  # the other one was seen in one session only


@pytest.mark.usefixtures("lent")
def test_no_secret_and_no_word_of_the_agent_as_evidence_reaches_the_server(tmp_path: Path, talk: Path) -> None:
    with model_server(helpful) as server:
        assert command(new_desk(tmp_path), server, talk).code == 0
    sent = json.dumps(server.requests, ensure_ascii=False)
    assert SECRET not in sent and "ghp_" not in sent
    assert "token=[REDACTED]" in sent
    assert "unicorns" not in sent


@pytest.mark.usefixtures("lent")
def test_a_dry_run_asks_the_model_and_keeps_nothing(tmp_path: Path, talk: Path) -> None:
    desk = new_desk(tmp_path)
    with model_server(helpful) as server:
        answer = command(desk, server, talk, "--dry-run")
    assert len(answer.json["proposals"]) == 2 and answer.json["dry_run"] is True
    assert desk.json("review").json["proposals"] == []


@pytest.mark.usefixtures("lent")
@pytest.mark.parametrize(
    ("script", "words", "limit"),
    [
        pytest.param(
            says("Certainly! {not JSON"),
            "does not have the required shape: it is not one JSON object",
            "30",
            id="broken JSON",
        ),
        pytest.param(says("No.", finish="content_filter"), "The model refused to answer", "30", id="refusal"),
        pytest.param(hangs, "did not answer within 0.5 s", "0.5", id="timeout"),
    ],
)
def test_a_failing_model_is_one_sentence_and_the_next_run_loses_nothing(
    tmp_path: Path, talk: Path, script: Scripted, words: str, limit: str
) -> None:
    desk = new_desk(tmp_path)
    assert desk("config", "set", "model_timeout", limit).code == 0
    with model_server(script) as server:
        failed = command(desk, server, talk)
    assert failed.code == 5
    (session,) = failed.json["sessions"]
    assert session["state"] == "failed" and words in session["problem"]
    assert failed.json["proposals"] == []
    bank = Bank.open(desk.root)
    row = bank.view().rows("failures")[KEY]
    assert (row["attempts"], row["fromSeq"], row["throughSeq"]) == (1, 0, 6)
    assert not bank.view().rows("cursors") and not bank.view().rows("gaps")
    bank.close()
    assert desk("config", "set", "model_timeout", "30").code == 0
    with model_server(helpful) as server:
        retried = command(desk, server, talk)
    assert retried.code == 0 and len(retried.json["proposals"]) == 2
    assert not dict(Bank.open(desk.root).view().rows("failures"))


# --- the run itself


def test_an_invented_quote_falls_out_with_its_reason(door: LitellmDoor, talk: Path) -> None:
    made_up = {
        "content": "They love cron.",
        "evidence": [{"sourceRef": "event:1", "quote": "I love cron more than tea"}],
    }
    foreign = {"content": "Unicorns.", "evidence": [{"sourceRef": "event:2", "quote": "believes in unicorns"}]}
    body = {"status": "complete", "incidents": [made_up, foreign]}
    bank = rehearsed()
    with model_server(says(json.dumps({"answer": body}))) as server:
        report = evaluate(talk, bank, at(door, server))
    assert report.refused == (("not_verbatim", 1), ("unknown_source", 1))
    assert (report.sessions[0].found, report.sessions[0].kept, report.sessions[0].out) == (2, 0, 2)
    assert bank.view().rows("sessions")[KEY]["why"] == {"not_verbatim": 1, "unknown_source": 1}
    assert report.proposals == () and not bank.view().rows("gaps")


def test_two_failures_leave_the_messages_out_and_later_ones_are_evaluated(door: LitellmDoor, tmp_path: Path) -> None:
    bank, talk = rehearsed(), write_talk(tmp_path / "talk.jsonl", SAID[:1])
    with model_server(says("nonsense")) as server:
        for _ in range(2):
            assert evaluate(talk, bank, at(door, server)).failed
    found = rows(bank)
    assert found["failures"] == {} and found["cursors"][KEY]["processedSeq"] == 2
    assert [row["status"] for row in found["receipts"].values()] == ["discarded"]
    write_talk(talk, SAID)
    with model_server(helpful) as server:
        report = evaluate(talk, bank, at(door, server))
    assert [one.statement for one in report.proposals] == ["Harbour codes are always four"]


def test_stopping_hangs_up_on_the_server_and_leaves_no_trace(door: LitellmDoor, talk: Path) -> None:
    bank = rehearsed()
    before = rows(bank)
    with model_server(hangs) as server:
        report = evaluate(talk, bank, at(door, server), server.asked.is_set)
        assert server.hung_up.wait(10)
    assert [one.state for one in report.sessions] == ["stopped"] and not report.failed
    assert rows(bank) == before and not bank.view().rows("sessions")
    with model_server(helpful) as server:
        assert len(evaluate(talk, bank, at(door, server)).proposals) == 2


def test_a_server_that_is_not_there_does_not_stop_the_other_sessions(door: LitellmDoor, talk: Path) -> None:
    """The first call fails, the rest of the queue is answered."""
    other = write_talk(talk.with_name("other.jsonl"), ("Releases go out on Tuesdays.",))
    bank = rehearsed()
    with model_server(says("", finish="stop"), helpful) as server:
        sessions: list[Session] = [*read(talk), *read(other)]
        report = extract(sessions, bank, at(door, server), parallel=1)
    assert [one.state for one in report.sessions] == ["failed", "pending"]
    assert "empty answer" in report.sessions[0].problem
    assert [one.statement for one in report.proposals] == ["Releases go out on Tuesdays."]


# --- a real model, where one is at hand (`MEMDESK_TEST_API_BASE`, its name in `MEMDESK_TEST_MODEL`)

FACTS = {
    "VPN": "By the way, the deploy script only works from inside the VPN.",
    "8443": "The staging server listens on port 8443, production on 443.",
    "four": "Harbour codes are always exactly four upper-case letters.",
    "Ines": "Ines is on call for the night boat, not Lars.",
    "pnpm": "I prefer pnpm, npm is too slow on my machine.",
    "16": "We decided to use Postgres 16 for the billing service.",
    "两": "我习惯用两个空格缩进。",
}
PASSING = (
    "hi, can you look at the failing test in billing?",
    "can you rerun the linter?",
    "hm, wait a moment",
    "maybe we could try Redis some day?",
    "what does this function do?",
    "rename that variable to station_id",
    SAID[1],
)
TALK = (*(text for pair in zip(PASSING, FACTS.values(), strict=True) for text in pair), "show me the diff")
TALK = (*TALK, "thanks, looks good", "再跑一次测试", "ok", "is Kafka any good for this?", "great, commit it")

if os.environ.get("MEMDESK_TEST_API_BASE"):

    @pytest.fixture
    def real() -> Iterator[LitellmDoor]:
        name, base = os.environ.get("MEMDESK_TEST_MODEL", "openai/local"), os.environ["MEMDESK_TEST_API_BASE"]
        door = LitellmDoor(ModelSettings(name, base, 600.0, small=True))
        yield door
        door.close()

    @pytest.mark.real_llm
    def test_a_real_model_proposes_only_what_was_said(tmp_path: Path, real: LitellmDoor) -> None:
        """Of seven facts in twenty messages at least five wait for review, each on the person's exact words."""
        talk, bank = write_talk(tmp_path / "talk.jsonl", TALK), rehearsed()
        report = extract(read(talk), bank, real)
        assert not report.failed, [one.problem for one in report.sessions]
        quotes = [quote for one in report.proposals for quote in one.quotes]
        texts = {f"u{number}": text for number, text in enumerate(TALK)}
        assert len(TALK) == 20 and quotes and all(quote.text in texts[quote.ref] for quote in quotes)
        statements = [one.statement for one in report.proposals]
        found = {word for word in FACTS if any(word.casefold() in one.casefold() for one in statements)}
        print(f"{len(found)} of {len(FACTS)} facts in {len(statements)} proposals:", *statements, sep="\n  ")
        assert len(found) >= 5 and len(statements) <= 12
        assert not any("ghp_" in one or "unicorn" in one for one in statements)

    @pytest.mark.real_llm
    def test_a_real_model_can_be_stopped(tmp_path: Path, real: LitellmDoor) -> None:
        """A cancelled call leaves no trace, and the server answers the next one."""
        talk, bank = write_talk(tmp_path / "talk.jsonl", tuple(FACTS.values())), rehearsed()
        looks = iter(range(1_000_000))
        stopped = extract(read(talk), bank, real, cancelled=lambda: next(looks) > 60)
        assert [one.state for one in stopped.sessions] == ["stopped"]
        assert not bank.view().rows("failures") and not bank.view().rows("cursors")
        records = project_evidence(entries(read(talk)[0]))[:2]
        assert isinstance(real.propose(Propose(records, 0), never), Reply)


# --- offline, on every sample


@pytest.mark.parametrize(("path", "want"), samples())
def test_offline_only_typed_or_chosen_words_are_evidence_and_running_again_adds_nothing(
    tmp_path: Path, path: Path, want: dict[str, Any]
) -> None:
    desk = new_desk(tmp_path)
    first = desk("extract", str(path), "--offline", "--json", "--yes")
    assert first.code == 0, first
    own = {item["ref"]: item["text"] for item in want["user_texts"]}
    for proposal in first.json["proposals"]:
        assert proposal["evidence"], proposal
        for quote in proposal["evidence"]:
            assert quote["quote"] in own[quote["ref"]]
    excluded = {item["ref"] for item in want.get("excluded", [])} - set(own)
    assert not {quote["ref"] for one in first.json["proposals"] for quote in one["evidence"]} & excluded
    bank = Bank.open(desk.root)
    before = rows(bank)
    bank.close()
    again = desk("extract", str(path), "--offline", "--json", "--yes")
    assert again.code == 0 and again.json["proposals"] == []
    bank = Bank.open(desk.root)
    assert rows(bank) == before
    bank.close()


def test_the_samples_hold_something_to_propose(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The test above would pass on nothing: these are what the packaged samples give."""
    bank = rehearsed()
    sessions: list[Session] = []
    monkeypatch.delenv("MEMDESK_SAMPLES", raising=False)
    for sample in samples():
        path = sample.values[0]
        sessions += read(path) if isinstance(path, Path) else ()
    extract(sessions, bank, OfflineDoor(), parallel=1)
    waiting = review.queue(bank.view(), 0)
    own = [turn.text for one in sessions for turn in one.turns if turn.author in EVIDENCE_AUTHORS]
    assert {one.statement for one in waiting} == {
        "Charts must be readable without colour",
        "Harbour codes are always four letters, upper case",
        "Never accept three-letter codes",
        "Never run alembic downgrade on the shared database",
        "Our lab machines cannot upgrade before September 2026",
        "Our sprint ends on Wednesdays",
        "name: Ren",
    }
    assert all(any(quote.text in text for text in own) for one in waiting for quote in one.quotes)
