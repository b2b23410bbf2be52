"""Quotes are found where they stand, with what was said around them, and only the person's words count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline import review
from pipeline.formats.session import Author, Session, Turn
from pipeline.review.inspection import Check, inspect
from pipeline.review.source import Sources, excerpts, place_in
from store.changes import PutMemory
from store.errors import Cancelled
from store.memory import Quote
from store.secret import mask
from tests.pipeline.review_desk import NOW, desk, gap, item, memory, profile

TALK = (
    Turn(1, "a", Author.TYPED, "Where is the office? I live in Porto now."),
    Turn(2, "b", Author.TOOL, "I live in Porto now."),
    Turn(3, "c", Author.MODEL, "Noted."),
    Turn(4, "d", Author.TYPED, "token=ghp_" + "a1B2c3D4e5" * 4 + " and I like tea"),
    Turn(5, "e", Author.CHOSEN, "Postgres", question="Which database?"),
)
SESSION = Session("claude-code", "s-1", "talk.jsonl", TALK)


def _quote(ref: str, text: str, start: int = 0, end: int = 0) -> Quote:
    return Quote("s-1", ref, text, "claude-code", start, end)


@pytest.mark.parametrize(
    ("quote", "place"),
    [
        (_quote("a", "I live in Porto now", 21, 40), (0, 21, 40)),
        (_quote("a", "I live in  Porto", 0, 3), (0, 21, 36)),
        (_quote("event:1", "I live in Porto", 0, 0), (0, 21, 36)),
        (_quote("b", "I live in Porto", 0, 15), None),
        (_quote("a", "I live in Faro"), None),
        (_quote("gone", "I live in Porto"), None),
    ],
)
def test_the_words_are_found_at_their_record_and_only_in_what_the_person_wrote(
    quote: Quote, place: tuple[int, int, int] | None
) -> None:
    assert place_in(SESSION, quote) == place


def test_words_whose_secret_is_masked_are_found_by_their_place() -> None:
    text = TALK[3].text
    assert place_in(SESSION, _quote("d", mask(text), 0, len(text))) == (3, 0, len(text))


def test_an_excerpt_has_the_turns_of_the_conversation_around_it() -> None:
    (found,) = excerpts(SESSION, [_quote("d", "I like tea")]).values()
    assert found.turn.text[found.start : found.end] == "I like tea"
    assert found.before is not None and found.before.text == "Noted."
    assert found.after is not None and found.after.author is Author.CHOSEN


def test_of_a_long_turn_only_a_window_is_kept() -> None:
    long = Session("claude-code", "s-1", "x", (Turn(1, "a", Author.TYPED, "x" * 90_000 + "tea" + "y" * 90_000),))
    (found,) = excerpts(long, [_quote("a", "tea", 90_000, 90_003)]).values()
    assert found.turn.text[found.start : found.end] == "tea" and len(found.turn.text) == 4_003


def _world(tmp_path: Path) -> Any:
    path = tmp_path / "s-1.jsonl"
    lines = [
        {"type": "user", "uuid": f"u{n}", "sessionId": "s-1", "message": {"role": "user", "content": text}}
        for n, text in enumerate(("Deploys are frozen on Fridays", "I like tea"))
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    quotes = [
        {"session": "s-1", "format": "claude-code", "ref": "u0", "quote": "Deploys are frozen", "start": 0, "end": 18}
    ]
    seen = [{"sessionId": "s-1", "at": 1, "quotes": quotes}]
    rows = gap("Deploys are frozen", sightings=seen, state="ready")
    return path, desk(gaps=rows, sessions={"claude-code/s-1": {"path": str(path)}})


def test_inspecting_says_what_was_checked_just_now(tmp_path: Path) -> None:
    _, bank = _world(tmp_path)
    (key,) = bank.view().rows("gaps")
    found = inspect(bank.view(), item(bank, key), Sources())
    assert found.checks == (
        Check("good", "the quote is in the source, word for word"),
        Check("good", "typed by you, not by a tool, a document or a summary"),
        Check("good", "no secret found"),
    )
    assert found.plan is not None and found.refusal == ""


def test_one_reading_serves_every_quote_of_a_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pipeline.review import source

    _, bank = _world(tmp_path)
    real, read = source.read, []
    monkeypatch.setattr(source, "read", lambda *a, **k: (read.append(1), real(*a, **k))[1])
    sources = Sources()
    first, second = (
        Quote("s-1", ref, text, "claude-code", 0, len(text)) for ref, text in (("u0", "Deploys"), ("u1", "I like"))
    )
    found, missing = sources.look(bank.view(), [first], [second])
    again, _ = sources.look(bank.view(), [second])
    assert missing == "" and list(found) == [first] and list(again) == [second] and len(read) == 1


def test_a_transcript_that_changed_is_read_again_and_a_gone_one_is_said(tmp_path: Path) -> None:
    import os

    path, bank = _world(tmp_path)
    quote = Quote("s-1", "u0", "Deploys", "claude-code", 0, 7)
    sources = Sources()
    assert sources.look(bank.view(), [quote])[1] == ""
    path.write_text(path.read_text().replace("Deploys", "Releases"))
    os.utime(path, ns=(1, 1))
    assert sources.look(bank.view(), [quote]) == ({}, "the words are not at that place any more")
    path.unlink()
    assert sources.look(bank.view(), [quote]) == ({}, "the transcript is not there any more")


def test_a_large_transcript_is_not_read_in_passing(tmp_path: Path) -> None:
    _, bank = _world(tmp_path)
    quote = Quote("s-1", "u0", "Deploys", "claude-code", 0, 7)
    assert Sources(largest=10).look(bank.view(), [quote])[1] == "the transcript is too large to read in passing"


def test_reading_stops_when_the_person_has_moved_on(tmp_path: Path) -> None:
    _, bank = _world(tmp_path)
    with pytest.raises(Cancelled):
        Sources().look(bank.view(), [Quote("s-1", "u0", "Deploys", "claude-code")], cancelled=lambda: True)


def test_what_stands_against_a_proposal_is_said(tmp_path: Path) -> None:
    home = memory(1, "home: Lisbon", subject="home", type="PREF", owner="aria", scope="private")
    rows = profile("identity", "home", "Porto")
    rows |= profile("identity", "home", "Lisbon", state="confirmed", memory=home.id)
    bank = desk(home, profile=rows)
    key = next(key for key, row in rows.items() if row["state"] == "pending")
    found = inspect(bank.view(), item(bank, key), Sources())
    assert [check.words for check in found.checks if check.verdict == "bad"] == [
        "contradicts PREF home of aria, which is live"
    ]
    secret = desk(gaps=gap("the key is ghp_" + "a1B2c3D4e5" * 4, state="ready"))
    found = inspect(secret.view(), item(secret, next(iter(secret.view().rows("gaps")))), Sources())
    assert found.plan is None and "looks like" in found.refusal
    assert any(check.verdict == "bad" and "secret" in check.words for check in found.checks)


@pytest.mark.parametrize(
    ("subject", "more", "name"),
    [
        ("CI", {}, "FACT CI"),
        ("tea", {"type": "PREF", "scope": "private", "owner": "ana"}, "PREF tea of ana"),
        ("tea\n\x1b[2J now", {"type": "PREF", "scope": "private"}, "PREF tea \x1b[2J now"),
        ("", {}, "FACT 2026-11-30-0001"),
        ("x" * 200, {}, f"FACT {'x' * 60}"),
    ],
)
def test_a_memory_that_stands_against_a_proposal_is_named_by_type_subject_and_owner(
    subject: str, more: dict[str, Any], name: str
) -> None:
    kept = memory(1, "home: Lisbon", subject=subject, immutable=True, **more)
    bank = desk(kept)
    change = PutMemory(kept.id, {"statement": "home: Porto"}, base=kept.sha)
    bank.record(review.propose(bank.view(), [change], "aria", "", NOW, agent=False).rows)
    waiting = review.queue(bank.view(), NOW)[0]
    checks = inspect(bank.view(), waiting, Sources()).checks
    assert [check.words for check in checks if check.verdict == "bad"] == [f"{name} is protected"]
