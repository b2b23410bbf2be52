"""Forks of Codex sessions: what repeats the parent belongs to the parent, and one file has to tell it by itself."""

from __future__ import annotations

import pytest

from pipeline.formats.session import Session
from tests.pipeline.formats.test_codex import Line, context, entered, meta, read, said

CHILD, PARENT = "019e3a10-5b7c-7d02-9c11-2f4e6a8b0c3d", "019e3a00-0000-7d02-9c11-2f4e6a8b0c3d"
OLD_TURN, OWN_TURN = "019e3a05-0000-7000-8000-000000000001", "019e3a11-0000-7000-8000-000000000002"


def inherited(session: Session) -> list[tuple[str, bool]]:
    return [(turn.text, turn.inherited) for turn in session.turns if turn.author == "typed"]


def test_a_fork_repeats_its_parent_up_to_the_first_turn_that_was_made_after_it() -> None:
    session = read(
        meta(CHILD, forked_from_id=PARENT),
        meta(PARENT, cwd="/elsewhere"),
        context(OLD_TURN),
        said("parent's"),
        context(OLD_TURN),
        said("parent's too"),
        context(OWN_TURN),
        said("own"),
        context(OWN_TURN),
        said("own too"),
    )
    assert inherited(session) == [("parent's", True), ("parent's too", True), ("own", False), ("own too", False)]
    assert (session.id, session.parent, session.project) == (CHILD, PARENT, "/home/dev/x")
    nothing = read(meta(CHILD), meta(PARENT), context(OLD_TURN), said("parent's"))
    assert inherited(nothing) == [("parent's", True)]
    assert nothing.parent == PARENT


def at(line_: Line, second: float) -> Line:
    return line_ | {"timestamp": f"2026-05-18T07:30:{second:06.3f}Z"}


def test_an_older_fork_repeats_its_parent_up_to_the_first_pause() -> None:
    session = read(
        at(meta("c2", forked_from_id="c1"), 1),
        at(meta("c1"), 1.001),
        at(said("parent's"), 1.002),
        at(context(""), 1.003),
        at(said("x", role="assistant"), 1.004),
        at(said("own"), 9),
        at(context(""), 9.001),
    )
    assert inherited(session) == [("parent's", True), ("own", False)]


@pytest.mark.parametrize("prompt_first", [False, True])
def test_a_fork_that_tells_nothing_else_owns_its_last_turn(prompt_first: bool) -> None:
    def turn(name: str, text: str) -> list[Line]:
        prompt = [said(text), entered(text)]
        answer = said("x", role="assistant")
        return [*prompt, context(name), answer] if prompt_first else [context(name), *prompt, answer]

    session = read(meta("c2", forked_from_id="c1"), meta("c1"), *turn("t1", "parent's"), *turn("t2", "own"))
    assert inherited(session) == [("parent's", True), ("own", False)]


def test_newer_forks_say_themselves_which_lines_they_repeat() -> None:
    session = read(
        meta("c2", forked_from_id="c1", forked_from_ordinal_exclusive=3),
        said("parent's") | {"ordinal": 2},
        said("own") | {"ordinal": 3},
        said("marked") | {"ordinal": 4, "metadata": {"inherited_user_message": True}},
    )
    assert inherited(session) == [("parent's", True), ("own", False), ("marked", True)]


def test_a_resumed_session_repeats_nothing() -> None:
    session = read(meta(), context("t1"), said("one"), meta(), context("t2"), said("two"))
    assert inherited(session) == [("one", False), ("two", False)]
    assert session.parent == ""
