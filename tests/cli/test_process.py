"""Memdesk as a real process: exit codes, pipes, a terminal, and how little a command loads."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.desk import NOW, Desk, call

ROOT = Path(__file__).parents[2]
HEAVY = ("textual", "litellm", "rich", "numpy", "watchfiles", "pypinyin", "yaml")
"""What no command needs that only reads or writes memories (`decisions.md` §8.3)."""


def command(desk: Desk, *words: str) -> list[str]:
    return [sys.executable, "-m", "tui", "--bank", str(desk.root), *words]


def process(desk: Desk, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "MEMDESK_NOW": NOW}
    return subprocess.run(
        command(desk, *words),
        cwd=ROOT,
        env=environ,
        input=stdin,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("list",), 0),
        (("show", "nowhere.md"), 2),
        (("frobnicate",), 2),
        (("show", "nowhere.md", "--as", "aria"), 3),
        (("--read-only", "remember", "FACT", "a", "b"), 3),
        (("approve", "prop_1"), 3),
    ],
)
def test_exit_codes_reach_the_shell(desk: Desk, words: tuple[str, ...], code: int) -> None:
    done = process(desk, *words)
    assert done.returncode == code
    assert done.stderr.count("\n") == (0 if code == 0 else 1)
    assert "Traceback" not in done.stderr


def test_stdin_feeds_a_statement_and_stdout_a_program(desk: Desk) -> None:
    done = process(desk, "remember", "FACT", "kiln", "-", "--json", stdin="烧到 1240 C\n")
    assert done.returncode == 0
    assert json.loads(done.stdout)["memories"][0]["statement"] == "烧到 1240 C"
    assert process(desk, "list").stdout.endswith("kiln: 烧到 1240 C\n")


def test_a_reader_that_goes_away_is_no_fault(desk: Desk) -> None:
    folder = desk.root / "facts" / "2026" / "10"
    folder.mkdir(parents=True)
    for number in range(1, 1500):
        text = f"---\ntype: FACT\nsubject: n{number}\nstatement: {'x' * 100}\n---\n"
        (folder / f"2026-10-12-{number:04}.md").write_text(text)
    for words in (("list",), ("list", "--json")):
        with subprocess.Popen(command(desk, *words), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as one:
            assert one.stdout is not None
            assert one.stderr is not None
            assert one.stdout.read(1)
            one.stdout.close()
            assert one.stderr.read() == b""
        assert one.returncode == 0


def test_a_person_at_a_terminal_decides(desk: Desk) -> None:
    proposed = process(desk, "remember", "FACT", "kiln", "hot", "--as", "aria", "--json")
    (filed,) = json.loads(proposed.stdout)["proposals"]
    assert process(desk, "approve", filed["id"]).returncode == 3
    assert _in_terminal(desk, "approve", filed["id"]) == 0
    found = json.loads(process(desk, "log", "--json").stdout)["changes"]
    assert found[0]["origin"] == "terminal"
    assert json.loads(process(desk, "list", "--json").stdout)["memories"][0]["subject"] == "kiln"


def _in_terminal(desk: Desk, *words: str) -> int:
    """Run a command whose stdin is a terminal; its exit code."""
    outer, inner = pty.openpty()
    try:
        done = subprocess.run(
            command(desk, *words), cwd=ROOT, stdin=inner, capture_output=True, timeout=60, check=False
        )
    finally:
        os.close(outer)
        os.close(inner)
    return done.returncode


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("remember", "FACT", "a", "b"),
        ("show", "x"),
        ("review",),
        ("log",),
        ("config", "get"),
        ("--version",),
        ("context", "--as", "aria"),
    ],
)
def test_a_command_loads_nothing_of_the_workbench(desk: Desk, words: tuple[str, ...]) -> None:
    script = (
        "import sys\nfrom tui.cli.main import run\nrun(sys.argv[1:])\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "--bank", str(desk.root), *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stderr.splitlines()[-1] == "[]"


def test_the_shells_completion_knows_commands_and_options(desk: Desk) -> None:
    for typed, at, expected in (("memdesk rec", 1, "recall"), ("memdesk list --sta", 2, "--state")):
        environ = {**os.environ, "_MEMDESK_COMPLETE": "bash_complete", "COMP_WORDS": typed, "COMP_CWORD": str(at)}
        script = "from tui.__main__ import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env=environ,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert f"plain,{expected}" in done.stdout.splitlines()


def test_output_that_cannot_hold_a_script_escapes_it(desk: Desk) -> None:
    desk.remember("FACT", "窑", "烧到 1240 C")
    environ = {**os.environ, "PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0"}
    done = subprocess.run(
        command(desk, "list"), cwd=ROOT, env=environ, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\u7a91: \\u70e7\\u5230 1240 C" in done.stdout


@pytest.mark.parametrize("words", [(), ("open",), ("demo",)])
def test_the_workbench_needs_a_terminal(desk: Desk, words: tuple[str, ...]) -> None:
    done = process(desk, *words)
    sentence = "The workbench needs a terminal; from a script use a command, such as `memdesk list --json`.\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, "", sentence)


def test_an_interrupted_call_ends_as_shells_expect(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tui.cli.read.lying", stop)
    answer = call(["--bank", str(desk.root), "list"])
    assert (answer.code, answer.out) == (130, "")


@pytest.mark.parametrize(("closed", "code"), [((0,), 0), ((1,), 0), ((2,), 0), ((0, 1, 2), 0)])
def test_a_command_works_with_closed_streams_as_a_daemon_leaves_them(
    desk: Desk, closed: tuple[int, ...], code: int
) -> None:
    streams = " ".join(f"{number}>&-" if number else "<&-" for number in closed)
    words = [*command(desk, "remember", "FACT", "kiln", "cools slowly")]
    environ = {**os.environ, "MEMDESK_NOW": NOW}
    done = subprocess.run(["sh", "-c", f'"$@" {streams}', "sh", *words], cwd=ROOT, env=environ, timeout=60, check=False)
    assert done.returncode == code
    assert desk.json("list").subjects == ["kiln"]


FULL = Path("/dev/full")


@pytest.mark.parametrize(
    "words", [("list",), ("list", "--json"), ("show", "2026-10-12-0001", "--raw")] if FULL.exists() else []
)
def test_output_that_cannot_be_written_is_one_sentence(desk: Desk, words: tuple[str, ...]) -> None:
    desk.remember("FACT", "kiln", "cools slowly")
    environ = {**os.environ, "MEMDESK_NOW": NOW}
    with FULL.open("wb") as full:
        done = subprocess.run(
            command(desk, *words), cwd=ROOT, env=environ, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False
        )
    assert (done.returncode, done.stderr) == (
        5,
        b"The output could not be written: no space left on device; what was asked for is done.\n",
    )
