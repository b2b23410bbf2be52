"""`memdesk` and `memdesk open PATH` go straight to the workbench; every other call is parsed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tui.cli.asked import COMPLETING, plain


@pytest.mark.parametrize(
    ("arguments", "path"),
    [
        ([], ""),
        (["open"], ""),
        (["open", "notes"], "notes"),
        (["open", "--help"], None),
        (["open", "-h"], None),
        (["open", "notes", "--read-only"], None),
        (["open", "--", "-notes"], None),
        (["open", "one", "two"], None),
        (["notes"], None),
        (["list"], None),
        (["--version"], None),
        (["--read-only"], None),
    ],
)
def test_only_a_call_that_names_nothing_but_a_bank_is_plain(arguments: list[str], path: str | None) -> None:
    assert plain(arguments) == path


def test_a_shell_that_completes_is_answered_by_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(COMPLETING, "bash_complete")
    assert plain([]) is None
    assert plain(["open", "no"]) is None


def test_a_plain_call_that_fails_says_so_like_every_other(tmp_path: Path) -> None:
    """Without a terminal the workbench cannot open: one sentence, and the code for wrong use."""
    command = [sys.executable, "-m", "tui", "open", str(tmp_path)]
    ran = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60, check=False)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == "The workbench needs a terminal; from a script use a command, such as `memdesk list --json`.\n"
