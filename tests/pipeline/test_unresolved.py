"""Messages that nobody could make sense of: shown again beside what shares a word, and around what was asked for."""

from __future__ import annotations

import pytest

from pipeline import review
from pipeline.extraction import extract
from tests.conformance.extraction_desk import Script
from tests.pipeline.one_run import ERROR, NOTHING, TALK, UNSURE, found, given_up, session
from tests.pipeline.review_desk import DAY, NOW, desk

pytestmark = pytest.mark.usefixtures("stopped_clock")


def test_what_nobody_could_make_sense_of_is_shown_again_when_the_same_is_spoken_of() -> None:
    bank = desk()
    early = session("Orchid needs the red button twice.")
    given_up(bank, early, UNSURE)
    row = next(iter(bank.view().rows("unresolved").values()))
    assert (row["sessionId"], row["seq"], row["attempts"]) == ("claude-code/one", 1, 0)
    assert "Orchid" not in str(dict(row))
    later = session("Orchid needs the red button twice.", "Orchid is our printer.")
    door = Script(found(1, "Orchid needs the red button twice", "The printer Orchid needs the red button twice."))
    extract([later], bank, door)
    assert [record.source_ref for record in door.asked[0].records] == ["event:1", "event:2"]
    waiting = review.queue(bank.view(), NOW)
    assert [one.statement for one in waiting] == ["The printer Orchid needs the red button twice."]
    assert [quote.ref for quote in waiting[0].quotes] == ["line 1"]
    assert not bank.view().rows("unresolved")


def test_an_unresolved_message_is_shown_three_times_at_most_and_only_beside_what_shares_a_word() -> None:
    bank = desk()
    texts = ["Orchid needs the red button twice."]
    given_up(bank, session(*texts), UNSURE)
    shown = []
    for text in ("Lunch is at noon.", "Orchid hums.", "Orchid is loud.", "Orchid again.", "Orchid once more."):
        texts.append(text)
        door = Script([NOTHING])
        extract([session(*texts)], bank, door)
        shown.append([record.seq for record in door.asked[0].records])
    assert shown == [[2], [1, 3], [1, 4], [1, 5], [6]]
    assert not bank.view().rows("unresolved")


def test_a_failing_range_is_retried_without_what_was_shown_with_it() -> None:
    bank = desk()
    given_up(bank, session("Orchid needs the red button twice."), UNSURE)
    later = session("Orchid needs the red button twice.", "Orchid is our printer.")
    seen = []
    for answer in (UNSURE, NOTHING):
        door = Script([answer])
        extract([later], bank, door)
        seen.append([record.seq for record in door.asked[0].records])
    assert seen == [[1, 2], [2]]
    assert next(iter(bank.view().rows("unresolved").values()))["attempts"] == 1


def test_an_unresolved_message_that_was_changed_or_is_a_month_old_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for text, when in (("Orchid was renamed to Fern.", NOW), ("Orchid needs the red button twice.", NOW + 31 * DAY)):
        monkeypatch.setenv("MEMDESK_NOW", "2026-11-30T10:00:00+00:00")
        bank = desk()
        given_up(bank, session("Orchid needs the red button twice."), UNSURE)
        day = "2026-11-30" if when == NOW else "2026-12-31"
        monkeypatch.setenv("MEMDESK_NOW", f"{day}T10:00:01+00:00")
        door = Script([NOTHING])
        extract([session(text, "Orchid is our printer.")], bank, door)
        assert [record.seq for record in door.asked[0].records] == [2]


def test_a_range_given_up_for_another_reason_leaves_nothing_unresolved() -> None:
    bank = desk()
    given_up(bank, TALK, ERROR)
    assert not bank.view().rows("unresolved")


def test_a_long_message_is_shown_around_what_the_model_asked_for() -> None:
    filler = "and so on " * 1_000
    talk = session(f"{filler} the fallback host is called Orchid. {filler}")
    asked = {"ok": {"status": "search_required", "search": {"terms": ["fallback host"]}}}
    quote = "the fallback host is called Orchid"
    first, second = found(1, quote, "The fallback host is called Orchid.")
    door = Script([asked, first, second])
    extract([talk], bank := desk(), door)
    before, after = door.asked[0].records[0].text, door.asked[1].records[0].text
    assert quote not in before and quote in after and len(before) == len(after) == 4_000
    assert quote in door.asked[1].context
    waiting = review.queue(bank.view(), NOW)
    assert [one.quotes[0].text for one in waiting] == [quote]
