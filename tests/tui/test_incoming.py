"""A paste is text, whatever it holds: no escape character in it presses a key, and no byte ends the workbench."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import constants, events

from store.bank import Bank
from store.changes import Changeset, PutMemory
from tests.tui.terminal import MEMDESK, Terminal
from tui.incoming import END, START, Parser

PIECES = st.sampled_from(
    [*"ax \n", "\x1b", "\x1b[", "\x1b[A", "\x1bx", "\x1b[200", "[201~", "\x1b[5~", "\x9b", "図", "200~"]
)
PASTES = st.lists(PIECES, max_size=12).map("".join).filter(lambda text: END not in text)


def told(chunks: list[str]) -> list[str]:
    """The keys and the pasted texts that come of what was read."""
    parser = Parser()
    found = [event for chunk in chunks for event in parser.feed(chunk)]
    keys = [f"key {one.key}" for one in found if isinstance(one, events.Key)]
    return [*keys, *(one.text for one in found if isinstance(one, events.Paste))]


@given(PASTES, st.lists(st.integers(min_value=1, max_value=40)))
def test_fuzz_a_paste_is_the_text_that_was_pasted_however_it_is_read(text: str, cuts: list[int]) -> None:
    whole = f"j{START}{text}{END}k"
    places = [0, *sorted(cut for cut in set(cuts) if cut < len(whole)), len(whole)]
    chunks = [whole[at:to] for at, to in pairwise(places)]
    assert told(chunks) == ["key j", "key k", text]


def test_keys_are_keys_as_before_and_an_escape_waits_for_nothing_but_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(["\x1b[A", "\x1bOP", "\x1b", "[20~", "q"]) == ["key up", "key f1", "key f9", "key q"]
    monkeypatch.setattr(constants, "ESCAPE_DELAY", 0.0)
    parser = Parser()
    assert list(parser.feed("\x1b")) == []
    assert [one.key for one in parser.tick() if isinstance(one, events.Key)] == ["escape"]
    assert list(parser.tick()) == []


def test_a_paste_with_control_characters_is_shown_in_its_order_and_trashes_nothing(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "bank")
    bank.commit(Changeset([PutMemory(None, {"type": "FACT", "subject": "tea", "statement": "green"})], "remember tea"))
    bank.close()
    with Terminal([*MEMDESK, "--bank", str(tmp_path / "bank")], columns=100, rows=30) as terminal:
        terminal.wait_for("green", 60)
        terminal.send(f"{START}one \x1bx two \x1b[31mred\x1b[0m three{END}")
        terminal.wait_for("one ␛x two ␛[31mred␛[0m three", 30)
        os.write(terminal.master, b"\xff\x9b")
        terminal.send("\x1b")
        terminal.send("\x03")
        terminal.send("\x11")
        assert terminal.wait(30) == 0
    assert len(Bank.open(tmp_path / "bank", read_only=True).view().live) == 1
