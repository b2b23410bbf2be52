"""The hook's answer, applied: what it takes out, what it cannot, and what is said of it (`spec/context.md` §21)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.context.layouts.sections import status_line
from pipeline.context.report import explained, report
from tests.conformance.context_checks import check
from tests.conformance.context_world import CASES, area, bank, request_of, run, script_of, section_lines, write_home

BY_HAND = {"HK-APP-11", "HK-APP-15", "HK-APP-18", "HK-APP-20"}


def _variants(name: str) -> list[tuple[str, str | None]]:
    variants: dict[str, str] = CASES[name]["given"].get("stdout_variants", {})
    return [(f"{name} {key}", key) for key in variants] or [(name, None)]


RUNS = [(name, variant) for name in area("hook.") if name not in BY_HAND for _, variant in _variants(name)]


def _ran(name: str, tmp_path: Path, variant: str | None = None) -> Any:
    case = CASES[name]
    given = case["given"]
    stdout = given["stdout_variants"][variant] if variant is not None else None
    home = write_home(tmp_path / "home", given["provider_json"], script_of(given.get("provider"), stdout))
    if "<provider home>/provider-audit.jsonl" in given.get("files", {}):
        (home / "provider-audit.jsonl").mkdir()
    return run(bank(given), request_of(case["when"]["command"], given), home)


@pytest.mark.parametrize(("name", "variant"), RUNS, ids=[f"{name} {variant or ''}".strip() for name, variant in RUNS])
def test_an_answer_takes_out_what_it_may_and_nothing_else(name: str, variant: str | None, tmp_path: Path) -> None:
    """Every claim of the case about the pack, the hook block, the trace and the request."""
    ran = _ran(name, tmp_path, variant)
    check(CASES[name]["then"], ran, variant or "")
    assert ran.fates.counts.total == ran.fates.counts.live


def test_a_long_statement_is_sent_cut_and_printed_whole_HK_APP_11(tmp_path: Path) -> None:
    ran = _ran("HK-APP-11", tmp_path)
    assert len(ran.payload["candidates"][0]["statement"]) == 2000
    assert len(section_lines(ran.pack, "3")[0]) == 2515
    assert ran.hook.cut == ("facts/2026-11-05-0001.md",)


def test_the_status_line_stands_before_the_identity_HK_APP_15(tmp_path: Path) -> None:
    case = CASES["HK-APP-15"]
    ran = run(
        bank(case["given"]),
        request_of(case["when"]["command"], case["given"]),
        write_home(tmp_path / "home", case["given"]["provider_json"], script_of({"exit": 2})),
    )
    lines = ran.pack.text.split("\n")
    assert lines[2].startswith(case["then"]["line_3_of_text_starts_with"])
    assert lines[3:5] == ["", "## 1. 身份"]
    assert lines[2] == status_line(ran.hook)
    assert "未生效" in lines[2]
    assert "普通记忆" in lines[2]


def test_the_audit_line_says_nothing_of_the_memories_HK_APP_18(tmp_path: Path) -> None:
    ran = _ran("HK-APP-18", tmp_path)
    then = CASES["HK-APP-18"]["then"]
    assert len(ran.audit) == then["audit_lines"]
    (line,) = ran.audit
    assert list(line) == then["keys"]
    assert {key: line[key] for key in ("capability", "provider_id", "status", "bytes_out")} == {
        key: then[key] for key in ("capability", "provider_id", "status", "bytes_out")
    }
    text = (ran.home / "provider-audit.jsonl").read_text()
    assert [word for word in then["contains_any_of"] if word in text] == []


def test_the_json_report_has_three_keys_HK_APP_20(tmp_path: Path) -> None:
    ran = _ran("HK-APP-20", tmp_path)
    then = CASES["HK-APP-20"]["then"]
    found = json.loads(json.dumps(report(ran.pack)))
    assert list(found) == then["top_keys"]
    assert found["schema"] == then["schema"]
    assert list(found["hook"]) == then["hook_keys"]
    assert found["hook"] == then["hook"]
    assert found["text"] == ran.pack.text
    assert section_lines(ran.pack, "2.5") == ["（还没有长期总结）"]


def test_the_trace_tells_what_was_chosen_and_the_items_tell_the_rest_EXP_01(tmp_path: Path) -> None:
    ran = _ran("EXP-01", tmp_path)
    then = CASES["EXP-01"]["then"]
    found = json.loads(json.dumps(explained(ran.pack), ensure_ascii=False))
    traced = found["text"].split("## 8. 选择解释（--explain）\n\n")[1].rstrip("\n").split("\n")
    assert traced == then["json_text_section_8"]
    assert [file for file in then["no_trace_line_for"] if any(file in line for line in traced)] == []
    outcomes = {item["file"]: item["outcome"] for item in found["decisions"]["items"]}
    assert outcomes["facts/2026/03/2026-03-02-0001.md"] == "evicted"
    assert list(found) == ["schema", "hook", "text", "schemaVersion", "decisions", "budget", "provider", "hidden"]
