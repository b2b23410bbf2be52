"""A person points at a line of theirs and it waits for review, with that line as its evidence."""

from __future__ import annotations

import pytest

from pipeline import review
from pipeline.extraction import extract
from pipeline.formats.session import Author, Session, Turn
from pipeline.model import OfflineDoor
from pipeline.review.from_turn import remember_words
from store.errors import BadInput
from tests.pipeline.review_desk import NOW, desk

pytestmark = pytest.mark.usefixtures("stopped_clock")

TEXT = "Thanks!\nRemember that the deploy script needs VPN.\n我们的港口代码总是四个字母\nok"
SECRET = "the key is ghp_" + "exampleexampleexample0123456789"


def turn(text: str = TEXT, author: Author = Author.TYPED, **more: bool) -> Turn:
    return Turn(3, "u3", author, text, NOW, **more)


def session(*turns: Turn, name: str = "talk") -> Session:
    return Session("claude-code", name, f"{name}.jsonl", turns, project="/home/ada/work/api")


def line(number: int, text: str = TEXT) -> tuple[int, int]:
    before = text.split("\n")[:number]
    start = sum(len(one) + 1 for one in before)
    return start, start + len(text.split("\n")[number])


@pytest.mark.parametrize(
    ("number", "statement", "quote"),
    [
        (1, "the deploy script needs VPN", "Remember that the deploy script needs VPN."),
        (2, "我们的港口代码总是四个字母", "我们的港口代码总是四个字母"),
    ],
)
def test_the_line_is_ready_with_itself_as_its_words(number: int, statement: str, quote: str) -> None:
    bank, said = desk(), turn()
    changeset, wording = remember_words(bank.view(), session(said), said, *line(number))
    bank.commit(changeset)
    (waiting,) = review.queue(bank.view(), NOW)
    assert (waiting.statement, waiting.state, wording) == (statement, "ready", statement)
    assert [(one.text, one.ref, TEXT[one.start : one.end]) for one in waiting.quotes] == [(quote, "u3", quote)]
    (row,) = bank.view().rows("gaps").values()
    assert row["approvedBy"] == "human" and row["project"] == "api" and row["explicit"] is True
    bank.commit(review.approve(bank.view(), waiting))
    assert [one.statement for one in bank.view().live] == [statement]


@pytest.mark.parametrize(
    ("said", "part", "words"),
    [
        pytest.param(turn(author=Author.MODEL), line(1), "Only what you wrote yourself", id="a model's"),
        pytest.param(turn(author=Author.TOOL), line(1), "Only what you wrote yourself", id="a tool's"),
        pytest.param(turn(abandoned=True), line(1), "Only what you wrote yourself", id="a branch that was left"),
        pytest.param(turn(inherited=True), line(1), "Only what you wrote yourself", id="copied"),
        pytest.param(turn(), line(3), "too little", id="two letters"),
        pytest.param(turn(SECRET), (0, len(SECRET)), "looks like it holds a secret", id="a secret"),
        pytest.param(turn("word " * 500), (0, 2_500), "too long", id="a page"),
    ],
)
def test_what_cannot_be_remembered_says_why(said: Turn, part: tuple[int, int], words: str) -> None:
    with pytest.raises(BadInput, match=words) as refused:
        remember_words(desk().view(), session(said), said, *part)
    assert "ghp_" not in str(refused.value)


def test_it_joins_what_a_run_found_and_what_was_rejected_comes_back() -> None:
    bank, said = desk(), turn("We decided to use Postgres 16 for the billing service.")
    extract([session(said, name="one")], bank, OfflineDoor())
    (waiting,) = review.queue(bank.view(), NOW)
    bank.commit(review.reject(bank.view(), waiting))
    assert review.queue(bank.view(), NOW) == () and bank.view().rows("tombstones")
    bank.commit(remember_words(bank.view(), session(said, name="two"), said, 0, len(said.text))[0])
    (again,) = review.queue(bank.view(), NOW)
    assert (again.key, again.state, again.have) == (waiting.key, "ready", 2)
    assert not bank.view().rows("tombstones")


def test_what_the_bank_keeps_is_not_asked_for_again() -> None:
    bank, said = desk(), turn("Remember that the deploy script needs VPN.")
    bank.commit(remember_words(bank.view(), session(said), said, 0, len(said.text))[0])
    bank.commit(review.approve(bank.view(), review.queue(bank.view(), NOW)[0]))
    with pytest.raises(BadInput, match="The bank says so already"):
        remember_words(bank.view(), session(said), said, 0, len(said.text))
