"""Which provider is asked, how its process is run, and what its answer counts as (`spec/context.md` §17, §19, §20)."""

from __future__ import annotations

import json
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

from pipeline.context.provider.configuration import provider_home, read_configuration
from pipeline.context.provider.hook import question
from tests.conformance.context_checks import check
from tests.conformance.context_world import (
    BEHAVIOUR,
    CASES,
    EVICT_NEWEST,
    NOTHING,
    PATIENT,
    Ran,
    area,
    bank,
    request_of,
    run,
    script_of,
    write_home,
)

BY_HAND = {"HK-CFG-07", "HK-CFG-10", "HK-CFG-11", "HK-CFG-12", "HK-CFG-13", "HK-RUN-01", "HK-RUN-03", "HK-RUN-07"}
VARIANTS = ("provider_json_variants", "stdout_variants")


def _variants(name: str) -> list[str | None]:
    given = CASES[name]["given"]
    return next((list(given[key]) for key in VARIANTS if key in given), [None])


RUNS = [(name, variant) for name in area("provider.") if name not in BY_HAND for variant in _variants(name)]


def _ran(name: str, tmp_path: Path, variant: str | None = None, script: str | None = None) -> Ran:
    case = CASES[name]
    given = case["given"]
    configured = given.get("provider_json_variants", {}).get(variant, given.get("provider_json"))
    stdout = given.get("stdout_variants", {}).get(variant) if variant else None
    written = script_of(given.get("provider", {"stdout": NOTHING}), stdout) if script is None else script
    home = write_home(tmp_path / "home", configured, written, None if "timeout" in name else PATIENT)
    command = case["when"].get("command") or case["when"]["each variant"]
    return run(bank(given), request_of(command, given), home)


@pytest.mark.parametrize(("name", "variant"), RUNS, ids=[f"{name} {variant or ''}".strip() for name, variant in RUNS])
def test_a_provider_is_configured_run_and_understood(name: str, variant: str | None, tmp_path: Path) -> None:
    """Every claim of the case about configuration, process and answer."""
    ran = _ran(name, tmp_path, variant)
    check(CASES[name]["then"], ran, variant or "")


@pytest.mark.parametrize("variant", CASES["HK-CFG-07"]["given"]["provider_json_variants"])
def test_the_timeout_is_rounded_and_held_within_bounds_HK_CFG_07(variant: str, tmp_path: Path) -> None:
    case = CASES["HK-CFG-07"]
    home = write_home(tmp_path, case["given"]["provider_json_variants"][variant], "", timeout_ms=None)
    provider = read_configuration(home).provider
    assert provider is not None
    assert provider.timeout_ms == case["then"]["effective_timeout_ms"][variant]


def test_only_the_first_able_provider_is_asked_HK_CFG_10(tmp_path: Path) -> None:
    case = CASES["HK-CFG-10"]
    home = tmp_path / "home"
    home.mkdir()
    (home / "first.py").write_text("import sys; sys.stdin.read(); sys.exit(4)")
    (home / "second.py").write_text(f"open('second-started', 'w'); print('{EVICT_NEWEST}')")
    providers = [
        {"id": name, "capabilities": ["memory.hook"], "command": [sys.executable, f"{name}.py"], "timeout_ms": PATIENT}
        for name in ("first", "second")
    ]
    (home / "provider.json").write_text(json.dumps({"schema": 1, "providers": providers}))
    ran = run(bank(case["given"]), request_of(case["when"]["command"], case["given"]), home)
    check(case["then"], ran)
    assert ran.hook.note == "The provider ended with exit code 4."


BYTES: dict[str, bytes | None] = {
    "BOM": b'\xef\xbb\xbf{"schema": 1, "providers": []}',
    "empty file": b"",
    "trailing comma": b'{"schema":1,"providers":[],}',
    "a folder named provider.json": None,
    "top level list": b"[]",
    "top level null": b"null",
    "providers is an object": b'{"schema":1,"providers":{}}',
}


@pytest.mark.parametrize("variant", CASES["HK-CFG-11"]["given"]["provider_json_bytes_variants"])
def test_a_file_that_is_no_configuration_is_said_and_passed_over_HK_CFG_11(variant: str, tmp_path: Path) -> None:
    raw = BYTES[variant]
    if raw is None:
        (tmp_path / "provider.json").mkdir()
    else:
        (tmp_path / "provider.json").write_bytes(raw)
    case = CASES["HK-CFG-11"]
    ran = run(bank(CASES["HK-CFG-01"]["given"]), request_of(case["when"]["each variant"], case["given"]), tmp_path)
    check(case["then"], ran)
    assert ran.audit == []


def test_taking_the_provider_away_leaves_nothing_behind_HK_CFG_12(tmp_path: Path) -> None:
    given = CASES["HK-CFG-12"]["given"]
    view, request = bank(given), request_of("context --agent nova", given)
    home = write_home(tmp_path / "home", given["provider_json"], BEHAVIOUR[given["provider"]])
    first = run(view, request, home).pack.text.split("\n")
    (home / "provider.json").unlink()
    second = run(view, request, home).pack.text
    third = run(bank(given), request, tmp_path / "never").pack.text
    assert second == third
    assert first[2].startswith("- 扩展装载（memory.hook）: ")
    assert "\n".join(first[:2] + first[4:]) == third


def test_the_provider_home_is_trimmed_and_made_absolute_HK_CFG_13(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert provider_home({"YOTTA_PROVIDER_HOME": "   "}) == Path.home() / ".yottameta"
    assert provider_home({"YOTTA_PROVIDER_HOME": " rel/dir "}) == Path.cwd() / "rel/dir"


def test_the_request_holds_what_the_protocol_names_and_no_more_HK_RUN_01(tmp_path: Path) -> None:
    ran = _ran("HK-RUN-01", tmp_path)
    then = CASES["HK-RUN-01"]["then"]
    document = json.loads(ran.hook.request)
    assert json.loads((ran.home / "request.json").read_text(encoding="utf-8")) == document
    assert list(document) == then["request_keys"]
    assert (document["schema"], document["capability"]) == (then["schema"], then["capability"])
    again = json.loads(question(ran.view, ran.request).text)
    assert len({uuid.UUID(document["request_id"]), uuid.UUID(again["request_id"])}) == 2
    payload = document["payload"]
    assert list(payload) == then["payload_keys"]
    assert {key: payload[key] for key in ("agent", "budget", "focus", "truncated")} == {
        key: then[key] for key in ("agent", "budget", "focus", "truncated")
    }
    assert [list(candidate) for candidate in payload["candidates"]] == [then["candidate_keys"]] * 5
    assert [candidate["file"] for candidate in payload["candidates"]] == then["candidate_order"]


def test_the_process_gets_its_words_its_folder_and_a_short_environment_HK_RUN_03(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    then = CASES["HK-RUN-03"]["then"]
    monkeypatch.setenv("API_TOKEN", "t0ps3cret")
    monkeypatch.setenv("PYTHONPATH", "/x")
    monkeypatch.setenv("LANG", "C.UTF-8")
    ran = _ran("HK-RUN-03", tmp_path)
    seen: dict[str, Any] = json.loads((ran.home / "seen.json").read_text())
    assert ran.hook.status == "active"
    assert Path(seen["cwd"]).resolve() == ran.home.resolve()
    assert seen["argv"] == then["argv"]
    assert [name for name in then["env_has"] if name not in seen["env"]] == []
    assert [name for name in then["env_has_not"] if name in seen["env"]] == []
    assert seen["env"]["YOTTA_PROVIDER_HOME"] == str(ran.home)


PADDED = """
read()
start = b'{"ok": true, "data": {"evict": []}, "pad": "'
say(start + b"p" * (SIZE - len(start) - 2) + b'"}')
"""


@pytest.mark.parametrize("size", [262_144, 262_145])
def test_an_answer_of_exactly_the_cap_is_accepted_HK_RUN_07(size: int, tmp_path: Path) -> None:
    then = CASES["HK-RUN-07"]["then"]
    script = PADDED.replace("SIZE", str(size))
    ran = _ran("HK-RUN-07", tmp_path, script=script)
    variant = f"{size} bytes of valid JSON"
    check(then, ran, variant)
