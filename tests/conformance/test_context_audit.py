"""The audit of a text, and of what did not get into a pack, by the command (`spec/context.md` §14–§16, ctx-D19)."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from pipeline.context.audit.comparison import suggested_command
from pipeline.measure import units
from tests.cli.desk import Answer, Desk, entry, new_desk
from tests.conformance.context_world import BEHAVIOUR, CASES, EVICT_NEWEST, NEWEST, area, write_home

NOW = "2026-11-30T10:00:00+00:00"


@dataclass
class Audited:
    """The bank of a case, and its text beside it."""

    desk: Desk
    given: Mapping[str, Any]
    folder: Path
    options: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return str(self.given.get("input") or "\n".join(self.given.get("input_lines", ())))

    def run(self, command: str) -> Answer:
        """A command of the case file, said as this product says it: `--audit FILE`, `--as AGENT`."""
        words = [word for word in shlex.split(command.partition(",")[0].partition("(")[0]) if word != "--from"]
        if "input.md" in words:
            (self.folder / "input.md").write_text(self.text, encoding="utf-8")
        said = {"--agent": "--as", "input.md": str(self.folder / "input.md")}
        return self.desk(*[said.get(word, word) for word in words], *self.options, stdin=self.text)


def audited(name: str, folder: Path) -> Audited:
    """A case made ready: its memories in files, in their order."""
    given = CASES[name]["given"]
    desk = new_desk(folder).at(NOW)
    for one in given["entries"]:
        fields = {key: str(value) for key, value in one.items() if key not in ("file", "statement", "type", "subject")}
        if one["file"].startswith("private/"):
            fields["scope"] = "private"
        entry(desk.root, one["file"], one["statement"], kind=one["type"], subject=one["subject"], **fields)
    return Audited(desk, given, folder)


def check_items(then: Mapping[str, Any], found: Mapping[str, Any]) -> None:
    """Every claim about the items. `landed` is how much is held; what differs besides is uncertain (ctx-D19)."""
    items = found["items"]
    claims = {
        "item_texts": [item["text"] for item in items],
        "coverage": [item["coverage"] for item in items],
        "matched_file": [item["matched_file"] for item in items],
        "status": ["landed" if item["differs"] else item["status"] for item in items],
        "thresholds": found["thresholds"],
        "source": found["source"],
        "summary": found["summary"],
        "missing": found["summary"]["missing"],
    }
    assert all(item["status"] == "uncertain" for item in items if item["differs"])
    assert {name: claims[name] for name in claims if name in then} == {n: then[n] for n in claims if n in then}


@pytest.mark.parametrize("name", area("audit.segments", "audit.coverage"))
def test_what_is_worth_keeping_and_whether_it_is_kept(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    answer = audited(name, tmp_path).run(case["when"]["command"])
    assert answer.code == case["then"].get("exit_code", 0)
    check_items(case["then"], answer.json)


def test_a_changed_number_is_uncertain_and_says_so_AUD_02(tmp_path: Path) -> None:
    items = audited("AUD-02", tmp_path).run(CASES["AUD-02"]["when"]["command"]).json["items"]
    assert [item["status"] for item in items] == ["landed", "uncertain", "uncertain", "missing", "missing"]
    assert items[1]["differs"] == [{"kind": "number", "here": "30 min", "there": "15 min"}]


@pytest.mark.parametrize("name", area("audit.gate"))
def test_the_gate_decides_the_exit_code(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    ready = audited(name, tmp_path)
    answers = [ready.run(f"context --audit input.md --agent nova --json {gate}") for gate in case["when"]["commands"]]
    assert [answer.code for answer in answers] == case["then"]["exit_code"]
    assert {answer.json["summary"]["missing"] for answer in answers} == {case["then"]["missing"]}


@pytest.mark.parametrize("name", area("audit.command"))
def test_the_command_that_would_keep_a_line(name: str, tmp_path: Path) -> None:
    then = CASES[name]["then"]
    ready = audited(name, tmp_path)
    found = ready.run(CASES[name]["when"]["command"]).json
    check_items(then, found)
    commands = [shlex.split(item["suggested_command"]) for item in found["items"]]
    if then.get("command_has_no_inner_double_quote"):
        assert not any('"' in item["suggested_command"] for item in found["items"])
    for number, words in enumerate(commands, 1):
        for place, what in ((-2, "subject"), (-1, "statement")):
            assert words[place] == then.get(f"{what}_{number}", words[place])
        assert units(words[-2]) <= min(20, then.get(f"subject_{number}_units_at_most", 20))
        assert ready.desk(*words[1:]).code == 0  # what is suggested can be run


def test_text_in_a_suggested_command_runs_nothing_AUD_04() -> None:
    """Dollar signs, backticks, quotes, line ends and a leading dash stay text."""
    nasty = "must -- $(rm x) `id` 'a' \"b\" \\ \x1b[31m\rend"
    words = shlex.split(suggested_command(nasty, ("--as", "nova")))
    assert words[:6] == ["memdesk", "remember", "FACT", "--as", "nova", "--verify"]
    assert words[-1] == "must -- $(rm x) `id` 'a' 'b' \\  [31m end"
    assert shlex.split(suggested_command("--must keep"))[4:] == ["--", "--must keep", "--must keep"]


@pytest.mark.parametrize("name", area("audit.dropped"))
def test_what_did_not_get_into_the_pack_is_told_once_each(name: str, tmp_path: Path) -> None:
    case = CASES[name]
    answer = audited(name, tmp_path).run(case["when"]["command"])
    found, product = answer.json, case["then"]["product"]
    assert answer.code == case["then"]["exit_code"]
    assert (found["schema"], found["schemaVersion"], found["mode"]) == (1, 1, "dropped")
    number = product["distinct_files"]
    assert found["summary"] == {"dropped": number, "recallable": number, "unrecallable": 0}
    assert len({item["file"] for item in found["items"]}) == number
    assert all(list(item) == ["file", "reason", "recallable", "subject"] for item in found["items"])


def test_what_the_hook_took_out_is_among_it_AUD_05(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = provider_home_of(tmp_path)
    monkeypatch.setenv("YOTTA_PROVIDER_HOME", str(home))
    found = audited("AUD-05", tmp_path).run("context --audit --agent nova --json").json
    assert [(item["file"], item["reason"]) for item in found["items"]] == [(NEWEST, "evicted")]
    assert json.loads(EVICT_NEWEST)["data"]["evict"] == [NEWEST]


def provider_home_of(folder: Path) -> Path:
    """A home with a provider that evicts the newest FACT."""
    provider = {"id": "hp", "capabilities": ["memory.hook"], "command": ["<python>", "<provider>"]}
    return write_home(folder / "home", {"schema": 1, "providers": [provider]}, BEHAVIOUR["would evict the newest FACT"])
