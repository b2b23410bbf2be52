"""`memdesk review --count` for a prompt: what the command says, at the price of a glance."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.review import counts, find, follow, postpone, queue, reject
from store import clock
from store.bank import Bank
from store.changes import Changeset
from tests.cli.desk import NOW, call
from tui.cli import counted
from tui.cli.counted import answer, asks_count
from tui.demo.build import build_demo

HEAVY = {"textual", "rich", "litellm", "click", "pipeline.review", "store.bank", "tinydb", "hypothesis"}


@pytest.fixture
def bank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bank]:
    """The demo's bank: seven are ready, one was seen once."""
    for name in ("CACHE", "STATE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MEMDESK_NOW", NOW)
    monkeypatch.chdir(tmp_path)
    made = build_demo(tmp_path / "demo")
    yield made
    made.close()


def glance(*words: str) -> str | None:
    """What is said without opening anything; None when the command has to look."""
    asked = asks_count(["review", "--count", *words])
    assert asked is not None
    return answer(asked)


def slow(bank: Bank) -> str:
    """What the command itself says."""
    return call(["--bank", str(bank.path), "review", "--count"]).out.strip()


def test_it_says_what_the_command_says_also_after_decisions_and_undo(bank: Bank) -> None:
    words = ("--bank", str(bank.path))
    assert glance(*words) == slow(bank) == "7"
    one = queue(bank.view(), clock.millis())[0]
    bank.commit(reject(bank.view(), one))
    assert glance(*words) == slow(bank) == "6"
    bank.undo(origin="screen")
    assert glance(*words) == slow(bank) == "7"
    assert json.loads(glance(*words, "--json") or "") == {"schema": 1, "proposals": [], "ready": 7}


def test_the_last_answer_is_kept_until_something_is_written(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    real = counted._counted
    monkeypatch.setattr(counted, "_counted", lambda *given: looked.append(1) or real(*given))
    words = ("--bank", str(bank.path))
    assert [glance(*words) for _ in range(3)] == ["7", "7", "7"] and len(looked) == 1
    bank.commit(reject(bank.view(), queue(bank.view(), clock.millis())[0]))
    assert [glance(*words) for _ in range(2)] == ["6", "6"] and len(looked) == 2
    for file in (counted._place(bank.path),):
        file.write_text("[no JSON", encoding="utf-8")
    assert glance(*words) == "6" and len(looked) == 3


def test_what_was_put_off_until_a_day_counts_again_on_that_day(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("--bank", str(bank.path))
    fact = next(
        one for one in follow(bank.view(), clock.millis()).waiting if (one.kind, one.state) == ("fact", "ready")
    )
    bank.commit(postpone(bank.view(), fact, clock.millis() + 3 * 86_400_000))
    assert glance(*words) == slow(bank) == "6" and glance(*words) == "6"
    monkeypatch.setenv("MEMDESK_NOW", NOW.replace("10-12", "10-15"))
    assert glance(*words) == "7" == str(counts(bank.view(), clock.millis()).ready)


def test_a_bank_without_a_ledger_has_nothing_waiting_and_gets_none(tmp_path: Path, bank: Bank) -> None:
    (tmp_path / "plain" / "facts").mkdir(parents=True)
    assert glance("--bank", str(tmp_path / "plain")) == "0"
    assert not (tmp_path / "plain" / ".memdesk").exists()


def test_the_project_and_the_default_bank_are_those_of_the_command(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDESK_BANK", str(bank.path))
    (Path.cwd() / ".yottamemory" / "facts").mkdir(parents=True)
    assert glance() == "7" and glance("--project") == "0"
    monkeypatch.setenv("MEMDESK_BANK", str(bank.path / "nowhere"))
    assert glance() == "0", "the project's is the only one"


@pytest.mark.parametrize(
    "words",
    [
        ["review"],
        ["review", "--count", "--as", "ana"],
        ["review", "--count", "--state", "open"],
        ["review", "--count", "--count"],
        ["review", "--count", "--bank", ""],
        ["review", "--count", "--bank", "x", "--project"],
        ["list", "--count"],
        ["--count", "--bank", "review"],
    ],
)
def test_any_other_call_is_left_to_the_command(words: list[str]) -> None:
    assert asks_count(words) is None


def test_no_bank_keys_or_damage_are_left_to_the_command(tmp_path: Path, bank: Bank) -> None:
    assert glance("--bank", str(tmp_path / "nowhere")) is None
    journal = next((bank.path / ".memdesk").glob("journal-*.jsonl"))
    journal.write_bytes(b"{damaged\n" + journal.read_bytes())
    assert glance("--bank", str(bank.path)) is None
    (bank.path / "keys").mkdir()
    assert glance("--bank", str(bank.path)) is None


def test_a_cache_folder_that_refuses_changes_nothing(
    bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert glance("--bank", str(bank.path)) == "7" and glance("--bank", str(bank.path)) == "7"


CHECK = """
import sys
from tui.__main__ import main
try:
    main()
finally:
    sys.stderr.write(" ".join(sorted(sys.modules)))
"""


def test_a_prompt_pays_for_no_screen_no_model_and_no_bank(bank: Bank) -> None:
    command = [sys.executable, "-c", CHECK, "review", "--count", "--bank", str(bank.path)]
    for _ in range(2):  # once counting, once from what was counted
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, env=dict(os.environ))
        assert ran.stdout == "7\n" and not HEAVY & set(ran.stderr.split())


def test_narrowed_and_by_agents_it_counts_what_is_listed(bank: Bank) -> None:
    listed = call(["--bank", str(bank.path), "review", "--state", "open", "--json"]).json["proposals"]
    assert [one["state"] for one in listed] == ["open"]
    assert call(["--bank", str(bank.path), "review", "--state", "open", "--count"]).out == "1\n"
    assert call(["--bank", str(bank.path), "review", "--kind", "fact", "--count"]).out == "2\n"
    assert call(["--bank", str(bank.path), "review", "--as", "kestrel", "--count"]).out == "2\n"
    fact = find(bank.view(), queue(bank.view(), clock.millis())[0].id, clock.millis())
    bank.commit(Changeset(reject(bank.view(), fact).changes, "reject"))
    listed = call(["--bank", str(bank.path), "review", "--state", "rejected", "--json"]).json["proposals"]
    assert [one["id"] for one in listed] == [fact.id]
