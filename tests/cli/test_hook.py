"""`hook check`: what is wrong with a provider, who would be asked, what one try gives; and paging as a command."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.desk import Desk, call, tree

KILN = "facts/2026/10/2026-10-12-0001.md"
ANSWER = {"ok": True, "data": {"evict": [KILN, "facts/none.md", 7], "drop": [KILN]}}
SCRIPT = "import sys; sys.stdin.read(); print('looked', file=sys.stderr); print({answer!r})"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The provider home that the commands find, empty."""
    folder = tmp_path / "provider"
    folder.mkdir()
    monkeypatch.setenv("YOTTA_PROVIDER_HOME", str(folder))
    return folder


def configure(home: Path, *entries: dict[str, Any], answer: Any = ANSWER) -> None:
    """A configuration of these entries, whose program prints an answer."""
    (home / "p.py").write_text(SCRIPT.format(answer=json.dumps(answer)), encoding="utf-8")
    plain = {"id": "hp", "capabilities": ["memory.hook", "context.paging"], "timeout_ms": 5000}
    plain["command"] = [sys.executable, "-S", "p.py"]
    whole = [{**plain, **entry} for entry in entries or ({},)]
    (home / "provider.json").write_text(json.dumps({"schema": 1, "providers": whole}), encoding="utf-8")


def lines_of(out: str) -> dict[str, str]:
    """The first line of each name."""
    rows = (line.partition("  ") for line in out.splitlines() if line and not line.startswith(" "))
    return {name: value.strip() for name, _, value in reversed(list(rows))}


def test_without_a_provider_nothing_is_wrong(home: Path) -> None:
    answer = call(["hook", "check"])
    assert (answer.code, answer.err) == (0, "")
    told = lines_of(answer.out)
    assert told["state"] == "no provider"
    assert told["memory.hook"] == "There is no provider.json."


def test_it_says_who_would_be_asked_and_why_and_starts_nothing(home: Path) -> None:
    configure(home, {"id": "pager", "capabilities": ["context.paging"]}, {}, {"id": "third"})
    answer = call(["hook", "check"])
    assert answer.code == 0
    told = lines_of(answer.out)
    assert told["provider 2"] == "hp: memory.hook, context.paging"
    hook = "hp is the first in the list that declares memory.hook; one more declares it and is not asked."
    assert told["memory.hook"] == hook
    assert told["context.paging"].startswith("pager is the first in the list that declares context.paging; 2 more")
    assert not (home / "provider-audit.jsonl").exists()


@pytest.mark.parametrize(
    ("entry", "field", "sentence"),
    [
        ({"timeout_ms": "600"}, "timeout_ms", "illegal timeout of provider hp"),
        ({"timeout_ms": 10**400}, "timeout_ms", "illegal timeout of provider hp"),
        ({"command": "python3 p.py"}, "command", "the command of provider hp must be a list of words"),
        ({"command": ["x", ""]}, "command", "illegal argument in the command of provider hp"),
        ({"capabilities": ["memory.hooks"]}, "capabilities", "unknown capability memory.hooks of provider hp"),
        ({"capabilities": []}, "capabilities", "the capabilities of provider hp are missing"),
        ({"id": ""}, "id", "the id of a provider is missing"),
    ],
)
def test_a_fault_is_told_with_its_provider_and_field(
    entry: dict[str, Any], field: str, sentence: str, home: Path
) -> None:
    configure(home, {"id": "good"}, entry)
    answer = call(["hook", "check", "--json"])
    assert answer.code == 1
    name = "" if field == "id" else "hp"
    fault = {"sentence": sentence, "provider": name, "number": 2, "field": field}
    assert (answer.json["fault"], answer.json["state"]) == (fault, "error")
    plain = call(["hook", "check"])
    assert plain.code == 1
    where = f"provider number 2 ({name}), field {field}" if name else f"provider number 2, field {field}"
    assert lines_of(plain.out)["where"] == where


@pytest.mark.parametrize(
    ("raw", "sentence", "field"),
    [
        ('{"schema": 1,\n "providers": [],}', "it is not JSON at line 2, column", ""),
        ("[]", "the top level must be an object", ""),
        ('{"schema": 2, "providers": []}', "schema must be the number 1", "schema"),
        ('{"schema": 1}', "providers must be a list", "providers"),
    ],
)
def test_a_fault_of_the_whole_file_is_told_with_its_place(raw: str, sentence: str, field: str, home: Path) -> None:
    (home / "provider.json").write_text(raw)
    found = call(["hook", "check", "--json"])
    assert found.code == 1
    fault = found.json["fault"]
    assert fault["sentence"].startswith(sentence)
    assert (fault["number"], fault["field"]) == (0, field)


@pytest.mark.parametrize("program", ["bin/none", f"bin/{'x' * 300}"])
def test_a_program_that_is_not_there_is_a_fault_before_it_is_asked(home: Path, program: str) -> None:
    configure(home, {"command": [program]})
    answer = call(["hook", "check"])
    assert answer.code == 1
    assert lines_of(answer.out)["fault"] == f"The program {program} of provider hp cannot be found or started."


def test_a_try_shows_status_time_bytes_names_and_stderr_and_writes_nothing(home: Path, desk: Desk) -> None:
    desk.remember("FACT", "kiln", "Fires at 1240 C")
    configure(home)
    before = tree(desk.root)
    answer = desk("hook", "check", "--try", "--as", "aria")
    assert (answer.code, answer.err) == (0, "")
    told = lines_of(answer.out)
    assert (told["status"], told["sent"]) == ("active", "1 memories, 0 private, 0 cut")
    assert told["takes out"] == "1"
    assert told["not taken"] == "facts/none.md: no such memory"
    assert told["stderr"] == "looked"
    assert "Fires at" not in answer.out
    assert tree(desk.root) == before
    found = desk.json("hook", "check", "--try", "--as", "aria").json["tried"]
    assert (found["status"], found["taken_out"], found["invalid"]) == ("active", [KILN], ["7"])
    assert found["dropped"] == [{"name": "facts/none.md", "cause": "unknown", "why": "no such memory"}]
    paged = desk.json("hook", "check", "--try", "--as", "aria", "--capability", "context.paging").json["tried"]
    assert (paged["status"], paged["taken_out"]) == ("active", [KILN])


def test_a_try_that_fails_is_exit_code_1_and_needs_an_agent(home: Path, desk: Desk) -> None:
    configure(home, answer=[])
    failed = desk("hook", "check", "--try", "--as", "aria")
    assert (failed.code, lines_of(failed.out)["status"]) == (1, "invalid_output")
    assert lines_of(failed.out)["note"] == "The provider's answer is not an object."
    nobody = desk("hook", "check", "--try")
    assert (nobody.code, nobody.out.strip()) == (3, "")
    assert "--as AGENT" in nobody.err


@pytest.mark.parametrize(
    ("words", "keys", "outcome"),
    [
        (("--budget", "2000"), ["schema", "hook", "paging", "text"], "active"),
        (("--budget", "2000", "--no-paging"), ["schema", "hook", "text"], ""),
        ((), ["schema", "hook", "text"], ""),
        (("--paging",), ["schema", "hook", "paging", "text"], "not_requested"),
        (("--budget", "2000", "--no-hook"), ["schema", "hook", "text"], ""),
        (("--budget", "2000", "--no-hook", "--paging"), ["schema", "hook", "paging", "text"], "active"),
    ],
)
def test_the_pack_is_paged_with_a_budget_unless_it_is_not_to_be(
    words: tuple[str, ...], keys: list[str], outcome: str, home: Path, desk: Desk
) -> None:
    desk.remember("FACT", "kiln", "Fires at 1240 C")
    configure(home, answer={"ok": True, "data": {"drop": [KILN]}})
    found = desk.json("context", "--as", "aria", *words).json
    assert list(found) == keys
    assert found.get("paging", {}).get("status", "") == outcome
    assert ("Fires at 1240 C" in found["text"]) is (outcome != "active")


def test_a_budget_that_is_no_number_is_refused_before_anything_is_asked(home: Path, desk: Desk) -> None:
    configure(home)
    answer = desk("hook", "check", "--try", "--as", "kestrel", "--budget", "abc")
    assert answer.code == 2 and answer.err.count("\n") == 1 and "give a whole number, 0 or more" in answer.err
    assert not (home / "provider-audit.jsonl").exists()
