"""One run over one session, with a model whose answers are given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pipeline import review
from pipeline.extract.options import Options
from pipeline.extract.rerun import Span
from pipeline.extraction import ExtractReport, extract
from pipeline.formats.session import Author, Session, Turn
from pipeline.review import LeftOut
from tests.conformance.extraction_desk import Script
from tests.pipeline.review_desk import CI, NOW

ERROR: dict[str, Any] = {"err": "provider"}
UNSURE: dict[str, Any] = {"ok": {"status": "cannot_resolve"}}
NOTHING: dict[str, Any] = {"ok": {"status": "complete", "incidents": []}}


def session(*texts: str, name: str = "one", **more: Any) -> Session:
    """A session in which each typed text is a line of its own, numbered from 1."""
    turns = tuple(Turn(at, f"line {at}", Author.TYPED, text, NOW, turn=at) for at, text in enumerate(texts, 1))
    return Session("claude-code", name, f"{name}.jsonl", turns, project="/home/ada/work/api", **more)


def found(seq: int, quote: str, content: str = CI) -> list[dict[str, Any]]:
    """The two answers of a model that finds one fact."""
    cited = [{"sourceRef": f"event:{seq}", "quote": quote}]
    accepted = {"candidateId": "candidate_0", "status": "accepted", "content": content}
    proposed = {"status": "complete", "incidents": [{"content": content, "evidence": cited}]}
    return [{"ok": proposed}, {"ok": {"results": [accepted]}}]


def run(bank: Any, talk: Session, answers: list[dict[str, Any]], *spans: Span, **options: Any) -> ExtractReport:
    """One run over one session, of which every answer is asked for."""
    door = Script(list(answers))
    report = extract([talk], bank, door, replace(Options(), **options), spans=spans)
    assert door.answers == []
    return report


def given_up(bank: Any, talk: Session, answer: dict[str, Any] = ERROR) -> LeftOut:
    """The range that two failing runs leave out."""
    for _ in range(2):
        run(bank, talk, [answer])
    return review.failures(bank.view())[0]


TALK = session("CI runs on Buildkite.", "And lunch is at noon.")
