"""`context`: the pack as an agent gets it, and as a program reads it."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from store.bank import Bank
from store.stored_profile import stored_profile
from tests.cli.desk import Desk, call, tree

KILN = "facts/2026/10/2026-10-12-0001.md"
TONE = "private/aria/prefs/2026/10/2026-10-12-0001.md"
REFUSED = {"schema": 1, "hook": None}


@pytest.fixture
def filled(desk: Desk) -> Desk:
    desk.remember("FACT", "kiln", "Fires at 1240 C")
    desk.remember("PREF", "tone", "brief answers", "--owner", "aria")
    desk.remember("PREF", "tempo", "walks at noon", "--owner", "lan")
    return desk


def uses_of(desk: Desk, id: str) -> str:
    """The days on which the ledger counts uses of a memory."""
    bank = Bank.open(desk.root, read_only=True)
    return str(bank.view().rows("usage").get(id, {}).get("hit_days", ""))


def test_the_pack_is_the_agents_own(filled: Desk) -> None:
    answer = filled("context", "--as", "aria")
    assert (answer.code, answer.err) == (0, "")
    assert "Fires at 1240 C" in answer.out
    assert "brief answers" in answer.out
    assert "walks at noon" not in answer.out


def test_a_program_reads_exactly_three_keys(filled: Desk) -> None:
    found = filled.json("context", "--as", "aria").json
    assert list(found) == ["schema", "hook", "text"]
    assert found["text"] == filled("context", "--as", "aria").out.removesuffix("\n")
    assert found["hook"]["status"] == "not_installed"


def test_explained_it_reads_every_fate_too(filled: Desk) -> None:
    found: dict[str, Any] = filled.json("context", "--as", "aria", "--explain").json
    assert list(found) == ["schema", "hook", "text", "schemaVersion", "decisions", "budget", "provider", "hidden"]
    assert (found["schema"], found["schemaVersion"]) == (1, 1)
    counts = found["decisions"]["counts"]
    assert counts["live"] == 3
    assert counts["live"] == sum(number for name, number in counts.items() if name != "live")
    assert {item["file"] for item in found["decisions"]["items"]} >= {KILN, TONE}


def test_explained_for_a_person_every_memory_has_a_line_and_the_counts_add_up(filled: Desk) -> None:
    lines = filled("context", "--as", "aria", "--explain").out.splitlines()
    assert [line.split()[0] for line in lines if KILN in line and "reason:" not in line] == ["included"]
    assert lines[-1].startswith("3 live memories: ")
    assert sum(int(part.split()[-1]) for part in lines[-1].partition(": ")[2].split(", ")) == 3


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), 3),
        (("--as", "x/y"), 2),
        (("--as", "aria", "--year", "26"), 2),
        (("--as", "aria", "--limit", "-3"), 2),
        (("--as", "aria", "--limit", "abc"), 2),
        (("--as", "aria", "--limit", "0"), 2),
        (("--as", "aria", "--budget", "abc"), 2),
        (("--as", "aria", "--budget", "-5"), 2),
        (("--as", "aria", "--owner", "x/y"), 3),
    ],
)
def test_a_refusal_is_the_block_that_programs_know(filled: Desk, words: tuple[str, ...], code: int) -> None:
    answer = filled("context", *words, "--json")
    assert (answer.code, answer.json) == (code, REFUSED)
    plain = filled("context", *words)
    assert (plain.code, plain.out) == (code, "")
    assert plain.err == answer.err
    assert plain.err.count("\n") == 1


def test_without_a_bank_it_is_that_block_as_well() -> None:
    answer = call(["context", "--as", "aria", "--json"])
    assert (answer.code, answer.json) == (2, REFUSED)


@pytest.mark.parametrize(
    ("words", "uses"),
    [
        ((), 1),
        (("--json",), 1),
        (("--explain",), 0),
        (("--dry-run",), 0),
        (("--no-usage",), 0),
        (("--profile",), 0),
        (("--read-only",), 0),
    ],
)
def test_only_the_real_pack_counts_as_a_use(filled: Desk, words: tuple[str, ...], uses: int) -> None:
    assert filled("context", "--as", "aria", *words).code == 0
    assert uses_of(filled, KILN) == ("u2026-10-12:1" if uses else "")


def test_a_preview_changes_no_file_and_makes_no_profile(filled: Desk) -> None:
    before = tree(filled.root)
    for words in ((), ("--profile",), ("--explain",), ("--dry-run",)):
        assert filled("context", "--as", "aria", *words).code == 0
    assert tree(filled.root) == before


def test_the_profile_alone(filled: Desk) -> None:
    answer = filled("context", "--as", "aria", "--profile")
    assert answer.out.splitlines()[0] == "# 画像：aria"
    assert "- brief answers（confidence 1 · 未访问）" in answer.out.splitlines()
    found = filled.json("context", "--as", "aria", "--profile").json
    assert (found["owner"], found["profile"]) == ("aria", answer.out.removesuffix("\n"))
    other = filled("context", "--as", "aria", "--profile", "--owner", "lan")
    assert (other.code, other.out) == (3, "")


def test_a_profile_of_nothing_is_told(filled: Desk) -> None:
    answer = filled("context", "--as", "nobody", "--profile")
    assert (answer.code, answer.out) == (0, "")
    assert answer.err == "nobody has no private memories; there is no profile yet.\n"


def test_the_profile_that_another_engine_stored_is_printed_with_its_age_in_the_report(filled: Desk) -> None:
    path = filled.root / "private" / "aria" / "profile.md"
    path.write_text("# 画像：aria\n\n更新日期：2026-09-12\n\nas another engine wrote it\n\n", encoding="utf-8")
    answer = filled("context", "--as", "aria", "--no-hook")
    assert "as another engine wrote it\n```" in answer.out
    path.unlink()
    assert "as another engine wrote it" not in filled("context", "--as", "aria", "--no-hook").out


def test_an_agent_whose_name_is_too_long_for_a_folder_gets_its_pack(filled: Desk) -> None:
    agent = "東" * 128
    answer = filled("context", "--as", agent, "--no-hook")
    assert (answer.code, answer.err) == (0, "")
    assert f"- agent_id: {agent}" in answer.out.splitlines()


def test_a_stored_profile_outside_the_bank_is_not_read(filled: Desk) -> None:
    secret = filled.root.parent / "secret.md"
    secret.write_text("not of this bank")
    (filled.root / "private" / "aria" / "profile.md").symlink_to(secret)
    assert "not of this bank" not in filled("context", "--as", "aria").out


def test_a_stored_profile_without_end_is_not_read(filled: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = filled.root / "private" / "aria" / "profile.md"
    path.write_text("aria likes tea")
    assert "aria likes tea" in filled("context", "--as", "aria").out
    os.truncate(path, 2 << 20)
    monkeypatch.setattr("store.stored_profile.Disk.read", lambda *_: pytest.fail("it is read"))
    assert stored_profile(filled.root, "aria") == ("", "")


def provider(home: Path, evict: str) -> None:
    """A provider, installed in `home`, that evicts one file."""
    home.mkdir()
    answer = json.dumps({"ok": True, "data": {"evict": [evict]}})
    (home / "provider.py").write_text(f"import sys\nsys.stdin.read()\nprint({answer!r})\n")
    command = [sys.executable, str(home / "provider.py")]
    one = {"id": "pruner", "capabilities": ["memory.hook"], "command": command, "timeout_ms": 10_000}
    (home / "provider.json").write_text(json.dumps({"schema": 1, "providers": [one]}))


def test_what_the_hook_evicts_is_out_of_the_pack_and_named(
    filled: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider(tmp_path / "home", KILN)
    monkeypatch.setenv("YOTTA_PROVIDER_HOME", str(tmp_path / "home"))
    found = filled.json("context", "--as", "aria").json
    hook = found["hook"]
    assert (hook["status"], hook["provider_id"], hook["applied"], hook["evicted"]) == ("active", "pruner", True, [KILN])
    assert "Fires at 1240 C" not in found["text"]
    (item,) = [
        item
        for item in filled.json("context", "--as", "aria", "--explain").json["decisions"]["items"]
        if item["file"] == KILN
    ]
    assert item["outcome"] == "evicted"
    assert "Fires at 1240 C" in filled("context", "--as", "aria", "--no-hook").out


def test_the_hook_is_not_asked_when_it_is_switched_off(filled: Desk) -> None:
    found = filled.json("context", "--as", "aria", "--no-hook").json
    assert found["hook"] == {
        "status": "not_requested",
        "provider_id": "",
        "applied": False,
        "evicted": [],
        "dropped": [],
        "note": "",
    }


def test_a_number_that_is_none_is_named_with_what_is_one(filled: Desk) -> None:
    said = {
        "--limit=12 lines": "--limit cannot be '12 lines'; give a whole number, 1 or more.\n",
        "--limit=0": "--limit cannot be '0'; give a whole number, 1 or more.\n",
        "--budget=-5": "--budget cannot be '-5'; give a whole number, 0 or more.\n",
    }
    assert {word: filled("context", "--as", "aria", word).err for word in said} == said
    assert filled("context", "--as", "aria", "--budget", "0", "--limit", "1").code == 0


def test_focus_budget_and_limit_shape_the_pack(filled: Desk) -> None:
    assert "## 2.6" in filled("context", "--as", "aria", "--focus", "kiln").out
    assert "Fires at 1240 C" not in filled("context", "--as", "aria", "--budget", "200").out
    filled.remember("FACT", "glaze", "celadon")
    counts = [filled("context", "--as", "aria", "--limit", limit).out.count("- [FACT] ") for limit in ("1", "2", "10")]
    assert counts == [1, 2, 2]
