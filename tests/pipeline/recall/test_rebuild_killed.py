"""A rebuild is killed at any moment while others search: nobody sees anything but whole states of the bank."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from itertools import count
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.recall.rebuild import rebuild
from store.index.search.building import build
from store.index.search.following import Followed, docs_of
from store.index.search.index import SearchIndex
from store.index.search.quotes import quotes_of
from store.index.search.searching import Searching, file_of
from store.view import View
from tests.pipeline.recall.test_rebuild import WAIT, bank, litter, quiet, view_of
from tests.store.index.worlds import answers
from tests.store.world import in_child

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")

KNOWN = {"search.new", "entries", "head"}
"""What may lie beside an index; the copy once, however many are killed."""


def answers_afresh(followed: Followed, view: View) -> bool:
    """Whether an index answers as one that is made of the same view now."""
    fresh = SearchIndex(build(docs_of(view.memories.values(), quotes_of(view))))
    return answers(followed.index) == answers(fresh)


def say(root: Path, word: str) -> None:
    """Another program writes over a memory of the bank."""
    first = next((root / "facts").rglob("*0000.md"))
    other = first.with_name("other")
    other.write_text(f"---\ntype: FACT\nstatement: harbour {word}\n---\nharbour {word}\n", encoding="utf-8")
    other.replace(first)


def reading(root: Path, ended: Event, told: Connection) -> None:
    """A program that searches the bank as it is, again and again; tells the file's index once it is of just that."""
    searching, last = Searching(file_of([root])), ""
    while not ended.is_set():
        view = view_of(root)
        followed = searching.of(view)
        assert answers_afresh(followed, view)
        assert (searching.notice, searching.partial) == ("", 0)
        word = next(one.statement for one in view.memories.values() if one.name.endswith("0000.md"))
        if followed.index.changes == 0 and word != last:
            told.send(word)
            last = word


class Reading:
    """`reading` in a process of its own."""

    def __init__(self, root: Path) -> None:
        fork = multiprocessing.get_context("fork")
        self.ended = fork.Event()
        self.hears, tells = fork.Pipe(duplex=False)
        self.process = fork.Process(target=reading, args=(root, self.ended, tells))
        self.process.start()
        tells.close()

    def hear(self) -> str:
        """What it tells next."""
        assert self.hears.poll(WAIT)
        return str(self.hears.recv())

    def end(self) -> int | None:
        """End it; its exit code."""
        self.ended.set()
        self.process.join(WAIT)
        self.hears.close()
        return self.process.exitcode


def run_until(root: Path, stage: str) -> int:
    """A rebuild that gets a `kill -9` as soon as it tells a stage; its exit code."""
    command = [sys.executable, "-m", "pipeline.recall.rebuild", str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if f'"{stage}"' in line and stage != "done":
                process.kill()
    return process.returncode


def test_two_readers_answer_for_the_present_while_rebuilds_run_and_are_killed(tmp_path: Path) -> None:
    root = bank(tmp_path / "bank", 30)
    assert rebuild([root], quiet)
    readers = [Reading(root), Reading(root)]
    try:
        assert [reader.hear() for reader in readers] == ["harbour number0"] * 2
        for stage in ("reading", "words"):
            say(root, stage)
            assert run_until(root, stage) in (-signal.SIGKILL, 0)
            assert run_until(root, "done") == 0
            assert [reader.hear() for reader in readers] == [f"harbour {stage}"] * 2
    finally:
        assert [reader.end() for reader in readers] == [0, 0]
    assert litter(file_of([root])) <= KNOWN


def calling(since: str, at: Callable[[int], None]) -> None:
    """Call `at` with 1, 2, … at each call of a function from the first of `since` on, and at each return."""
    found = 0

    def call(frame: FrameType, _event: str, _argument: object) -> None:
        nonlocal found
        if found or frame.f_code.co_name == since:
            found += 1
            at(found)

    sys.setprofile(call)


def killed_after(calls: int, since: str, root: Path) -> int:
    """Rebuild in a child that gets a `kill -9` after so many calls; its exit code."""

    def at(found: int) -> None:
        if found == calls:
            os.kill(os.getpid(), signal.SIGKILL)

    def work() -> None:
        calling(since, at)
        rebuild([root], quiet)

    return in_child(work)


def calls_of(since: str, root: Path) -> int:
    """How many calls a rebuild is made of, about, when something changed."""
    found: list[int] = []
    say(root, since)
    before = sys.getprofile()
    calling(since, found.append)
    try:
        rebuild([root], quiet)
    finally:
        sys.setprofile(before)
    return len(found)


def test_property_a_rebuild_killed_at_any_moment_spoils_no_answer_and_the_next_one_ends_it(tmp_path: Path) -> None:
    root, rounds, codes = bank(tmp_path / "bank", 4), count(1), Counter[int]()
    assert rebuild([root], quiet)
    calls = {since: calls_of(since, root) for since in ("rebuild", "put_arrays")}
    file = file_of([root])
    open_one = Searching(file)

    @settings(max_examples=max(1, settings.default.max_examples // 4))
    @given(since=st.sampled_from(list(calls)), share=st.floats(0, 1))
    def check(since: str, share: float) -> None:
        before = view_of(root)
        held = open_one.of(before)
        say(root, f"round{next(rounds)}")
        codes[killed_after(1 + int(share * calls[since]), since, root)] += 1
        view = view_of(root)
        assert answers_afresh(held, before), "who still looks at the earlier state sees it"
        for searching in (open_one, Searching(file)):
            assert answers_afresh(searching.of(view), view)
            assert searching.notice == ""
        assert litter(file) <= KNOWN
        assert rebuild([root], quiet)
        assert (answers_afresh(open_one.of(view), view), open_one.of(view).index.changes) == (True, 0)
        assert litter(file) <= KNOWN - {"search.new"}

    check()
    assert codes.keys() <= {-signal.SIGKILL, 0}
    assert codes[-signal.SIGKILL]
