"""Every case of the specifications is a test here or stands in `open.txt` with its reason, and never both."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
FAMILIES = "YB|EX|HK-(?:CFG|RUN|APP)|CTX-(?:SEC|BUD|DUP|FOC)|PRO|EXP|AUD|DIS|CON|DUP|CAP|RUL|MEM-[A-Z]{3}"
CASE = re.compile(rf"(?<![A-Z])({FAMILIES})-(\d{{2,3}})(?!\d)")


def ids(text: str) -> set[str]:
    """The case ids in a text or in the name of a function."""
    return {"-".join(pair) for pair in CASE.findall(text.upper().replace("_", "-"))}


def may_name_a_case() -> list[str]:
    """The test files with a case id in their text, and those here, whose ids may come from the case files."""
    files = [*HERE.glob("test_*.py"), *(file for file in HERE.parent.rglob("test_*.py") if file.parent != HERE)]
    return [str(file) for file in files if file.parent == HERE or ids(file.read_text(encoding="utf-8"))]


@cache
def covered() -> frozenset[str]:
    """The case ids in the names of all tests that are collected from such files."""
    options = "-m pytest --collect-only -q -o addopts= -p no:cacheprovider --assert plain"
    found = subprocess.run(
        [sys.executable, *options.split(), *may_name_a_case()],
        cwd=HERE.parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    return frozenset(id for line in found.stdout.splitlines() for id in ids(line.partition("::")[2]))


def listed() -> list[tuple[str, str]]:
    """The open cases with their reasons."""
    lines = (HERE / "open.txt").read_text(encoding="utf-8").splitlines()
    pairs = (line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#"))
    return [(pair[0], pair[1] if len(pair) == 2 else "") for pair in pairs]


def cases() -> set[str]:
    files = sorted((HERE / "cases").glob("*-cases.jsonl"))
    assert [file.name for file in files] == [
        f"{name}-cases.jsonl" for name in ("bank", "context", "extraction", "memora")
    ]
    lines = [line for file in files for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
    return {json.loads(line)["id"] for line in lines}


def test_every_case_is_tested_or_open_and_never_both() -> None:
    open_here = {id for id, _ in listed()}
    assert covered() & open_here == set()
    assert sorted(cases() - covered() - open_here) == []
    assert sorted((covered() | open_here) - cases()) == []


def test_each_open_case_is_listed_once_with_a_reason() -> None:
    assert [id for id, times in Counter(id for id, _ in listed()).items() if times > 1] == []
    assert [id for id, reason in listed() if len(reason) < 5 or not CASE.fullmatch(id)] == []
