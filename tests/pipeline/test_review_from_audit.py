"""Lines that an audit found lost wait in Review: the exact line is the evidence, nothing is claimed of its author."""

from __future__ import annotations

import pytest

from pipeline import review
from pipeline.context.audit.segments import Segment, segments
from pipeline.review.from_audit import Sending, send_lines
from pipeline.review.inspection import inspect
from pipeline.review.source import Sources
from store.view import View
from tests.pipeline.review_desk import NOW, desk

pytestmark = pytest.mark.usefixtures("stopped_clock")

SOURCE = "text pasted 2026-11-30 10:00"
TEXT = "chat\n  - 1. decided: Postgres 16 for billing  \nmust never push to main\nnote: key ghp_" + "example0" * 5


def send(view: View, text: str = TEXT) -> Sending:
    return send_lines(view, segments(text), SOURCE, "nova")


def test_each_line_waits_with_itself_as_evidence() -> None:
    bank = desk()
    sent = send(bank.view())
    assert sent.fates == ("filed", "filed", "secret")
    bank.commit(sent.changeset)
    first, second = sorted(review.queue(bank.view(), NOW), key=lambda one: one.statement)
    assert (first.statement, first.state, first.kind) == ("decided: Postgres 16 for billing", "ready", "remember")
    assert [(one.format, one.session, one.ref, one.text) for one in first.quotes] == [
        ("audit", SOURCE, "line 2", "  - 1. decided: Postgres 16 for billing  ")
    ]
    assert (second.fields["type"], second.fields["owner"]) == ("BOUND", "nova")
    bank.commit(review.approve(bank.view(), first))
    (memory,) = bank.view().live
    assert (memory.statement, memory.source) == ("decided: Postgres 16 for billing", "context_audit")
    assert memory.evidence == f"audit/{SOURCE}#line 2"


def test_nobody_is_said_to_have_written_it() -> None:
    bank = desk()
    bank.commit(send(bank.view()).changeset)
    found = inspect(bank.view(), review.queue(bank.view(), NOW)[0], Sources())
    words = [check.words for check in found.checks]
    assert words[0] == "the words are a line of a text that was audited; who wrote them is not known"
    assert not any("typed by you" in one or "word for word" in one for one in words)


def test_what_waits_or_is_known_or_was_rejected_is_not_proposed_again() -> None:
    bank = desk()
    bank.commit(send(bank.view()).changeset)
    assert send(bank.view()).fates == ("waits already", "waits already", "secret")
    assert send(bank.view()).changeset.changes == ()
    first, second = review.queue(bank.view(), NOW)
    bank.commit(review.reject(bank.view(), first))
    bank.commit(review.approve(bank.view(), second))
    assert sorted(send(bank.view()).fates[:2]) == ["known already", "rejected before"]


@pytest.mark.parametrize("text", ["\u200b\u200b\u200b\u200b", "must " * 500])
def test_a_line_that_is_no_single_fact_is_left(text: str) -> None:
    assert send_lines(desk().view(), [Segment(text, text, 1)], SOURCE, "nova").fates == ("no fact",)
