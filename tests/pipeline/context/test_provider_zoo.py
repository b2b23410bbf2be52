"""However a provider misbehaves: one status, in time, the pack whole, no process left, and no word of it in a log."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.context.fates import Fates
from pipeline.context.pack import assemble
from pipeline.context.provider.hook import HookResult, ask
from pipeline.context.provider.paging import page
from pipeline.context.request import Request
from store.memory import Memory
from store.view import View
from tests.pipeline.context.worlds import NOW
from tests.pipeline.context.zoo import FORK, NEW, OLD, QUIET, RULE, SECRET, ZOO, Animal, cage, stuck

LINUX = Path("/proc/self/environ").exists()
SPARE = 3.0
"""Seconds that a loaded machine may take on top of a limit."""
FACTS = [
    Memory(NEW, NEW, "", subject="vault", statement=SECRET, created="2026-11-02", ordinal=0),
    Memory(OLD, OLD, "", subject="café", statement="closed on Mondays", created="2026-11-01", ordinal=1),
    Memory(RULE, RULE, "", type="BOUND", subject="rule", statement="never after ten", created="2026-11-01", ordinal=2),
]
VIEW, REQUEST = View.of(FACTS), Request("nova", budget=100_000, now=NOW)


def of_home(home: Path) -> list[int]:
    """The processes that were started with this provider home, whatever session they made of their own."""
    mark = f"YOTTA_PROVIDER_HOME={home}".encode()
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return found


def left_behind(home: Path) -> list[int]:
    """What still runs, after what was killed had the time to go."""
    until = time.monotonic() + SPARE
    while (left := of_home(home)) and time.monotonic() < until:
        os.sched_yield()
    return left


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """A place for a provider home; whatever is left of it afterwards goes."""
    yield tmp_path / "home"
    for pid in of_home(tmp_path / "home"):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def asked(home: Path, animal: Animal, caplog: pytest.LogCaptureFixture) -> HookResult:
    """Ask, and check what holds whatever the program did."""
    caplog.set_level(logging.DEBUG)
    cage(home, animal)
    began = time.monotonic()
    result = ask(VIEW, REQUEST, home)
    assert time.monotonic() - began < animal.limit / 1000 + SPARE
    assert left_behind(home) == []
    assert SECRET not in caplog.text
    audit = home / "provider-audit.jsonl"
    lines = audit.read_text(encoding="utf-8").splitlines() if audit.is_file() else []
    assert len(lines) <= 1 and SECRET not in "".join(lines)
    return result


@pytest.mark.parametrize("name", ZOO)
def test_a_misbehaving_provider_ends_in_its_status_and_the_pack_is_whole(
    name: str, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    animal = ZOO[name]
    result = asked(home, animal, caplog)
    assert (result.status, set(result.removed)) == (animal.status, set(animal.out))
    assert not animal.note or result.note == animal.note
    assert (result.note == "") == (animal.status == "active")
    fates = Fates(assemble(VIEW, REQUEST, result))
    stands = {NEW, OLD, RULE} - set(animal.out)
    assert {fate.id for fate in fates if fate.stands} == stands
    assert fates.counts.total == 3


def test_there_are_enough_of_them() -> None:
    assert len(ZOO) >= 60
    assert sum(animal.status == "timeout" for animal in ZOO.values()) >= 20


@pytest.mark.parametrize(
    ("name", "causes"),
    [
        ("evicts what it may not", {RULE: "protected", "private/rhea/prefs/x.md": "unknown"}),
        ("evicts other spellings", {"./" + NEW: "path_variant", f" {NEW}": "path_variant", "new.md": "path_variant"}),
        ("evicts another Unicode form", {"facts/cafe\u0301.md": "unicode_variant"}),
        ("is not UTF-8", {"facts/\ufffd.md": "unknown"}),
        ("evicts a lone surrogate", {"\ufffd": "unknown"}),
    ],
)
def test_each_name_that_does_not_count_says_why(
    name: str, causes: dict[str, str], home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    found = {dropped.name: dropped.cause for dropped in asked(home, ZOO[name], caplog).dropped}
    assert {name: found.get(name) for name in causes} == causes


def test_more_than_500_candidates_make_a_whitelist_count_for_nothing(home: Path) -> None:
    many = View.of(
        [
            Memory(f"facts/{n}.md", f"facts/{n}.md", "", subject=f"s{n}", created="2026-11-01", ordinal=n)
            for n in range(520)
        ]
    )
    cage(home, ZOO["selects nothing"])
    result = ask(many, REQUEST, home)
    assert (result.status, result.applied, result.truncated, len(result.sent)) == ("active", False, True, 500)
    assert "more than 500 candidates" in result.note


@pytest.mark.parametrize("name", ["is silent", "says half of it", "fails after a good answer", "floods stdout"])
def test_paging_fails_as_harmlessly(name: str, home: Path) -> None:
    animal = ZOO[name]
    cage(home, animal, "context.paging")
    result = page(VIEW, REQUEST, None, home)
    assert result is not None
    assert (result.status, result.applied) == (animal.status, False)
    assert {fate.id for fate in Fates(assemble(VIEW, REQUEST, None, result)) if fate.stands} == {NEW, OLD, RULE}
    assert left_behind(home) == []


def test_a_new_configuration_counts_for_the_next_question_only(home: Path) -> None:
    cage(home, ZOO["changes its own configuration"])
    assert ask(VIEW, REQUEST, home).status == "active"
    again = ask(VIEW, REQUEST, home)
    assert (again.status, again.note) == ("error", "provider.json is not valid: the top level must be an object.")


def test_what_was_written_lies_in_the_home_alone(home: Path, tmp_path: Path) -> None:
    cage(home, ZOO["writes files in its folder"])
    ask(VIEW, REQUEST, home)
    assert sorted(path.name for path in home.iterdir()) == [
        "notes.txt",
        "p.py",
        "provider-audit.jsonl",
        "provider.json",
    ]
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_a_server_that_let_go_of_everything_may_stay_after_a_good_answer(home: Path) -> None:
    """A program may keep a server running: it is told from a leftover by having closed all three pipes."""
    code = FORK.format(code="import time; time.sleep(60)")
    quiet = "child(stdin=null, stdout=null, stderr=null, start_new_session=True)"
    cage(home, Animal(f"{code}{QUIET}{quiet}; say('{{\"ok\": true}}')", "active"))
    assert ask(VIEW, REQUEST, home).status == "active"
    assert len(of_home(home)) == (1 if LINUX else 0)


def test_no_other_child_of_ours_is_ended_with_it(home: Path) -> None:
    """What another part of the program started meanwhile lives on."""
    cage(home, stuck("forever()"))
    other = os.spawnv(os.P_NOWAIT, "/bin/sleep", ["sleep", "60"])
    try:
        assert ask(VIEW, REQUEST, home).status == "timeout"
        assert os.waitpid(other, os.WNOHANG) == (0, 0)
    finally:
        os.kill(other, signal.SIGKILL)
        os.waitpid(other, 0)


def test_no_zombie_is_left(home: Path) -> None:
    """A program that was killed is fetched at once: the system knows no child of ours by its number."""
    cage(home, Animal(f"open('pid', 'w').write(str(os.getpid()))\n{ZOO['floods stdout'].script}", "error"))
    assert ask(VIEW, REQUEST, home).status == "error"
    with pytest.raises(ChildProcessError):
        os.waitpid(int((home / "pid").read_text()), os.WNOHANG)
