"""A provider that misbehaves costs its time-out and nothing else: no hang, no process left, no thread, no pipe."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from pipeline.context.provider.process import STDERR_KEPT, STDOUT_CAP, Run, environment, run

SPARE = 3.0
"""Seconds that a loaded machine may take on top of a limit."""
PATIENT = 20_000
MARK = "import os, sys, time, signal, subprocess; open('pids', 'a').write(f'{os.getpid()}\\n')\n"
SLEEPER = (
    '[sys.executable, \'-c\', \'import os, time; open("pids", "a").write(f"{os.getpid()}\\\\n"); time.sleep(60)\']'
)

STUCK = {
    "sleeps": "time.sleep(60)",
    "reads and sleeps": "sys.stdin.read(); time.sleep(60)",
    "ignores the gentle signals": (
        "[signal.signal(s, signal.SIG_IGN) for s in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]; time.sleep(60)"
    ),
    "closes its pipes and lives on": "[os.close(n) for n in (0, 1, 2)]; time.sleep(60)",
    "spins": "while True: pass",
    "leaves a child with the pipe and exits": f"subprocess.Popen({SLEEPER})",
    "waits for a child that waits": f"subprocess.run({SLEEPER})",
    "talks for ever on stderr": "while True: sys.stderr.write('x' * 4096)",
    "answers a byte at a time": "while True: os.write(1, b' '); time.sleep(0.01)",
    "stops itself": "os.kill(os.getpid(), signal.SIGSTOP)",
}


def _run(
    home: Path, script: str, timeout_ms: int = PATIENT, stdin: bytes = b"{}", cancel: threading.Event | None = None
) -> Run:
    (home / "p.py").write_text(MARK + script)
    return run([sys.executable, "p.py"], home, environment(home), stdin=stdin, timeout_ms=timeout_ms, cancel=cancel)


def _gone(home: Path) -> bool:
    """Whether every process that marked itself is dead within the spare time."""
    until = time.monotonic() + SPARE
    pids = [int(line) for line in (home / "pids").read_text().split()] if (home / "pids").exists() else []
    while any(_lives(pid) for pid in pids):
        if time.monotonic() > until:
            return False
    return True


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    try:
        return not stat.exists() or stat.read_text().rsplit(")", 1)[-1].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture(autouse=True)
def _nothing_stays_open() -> object:
    """No thread and no file descriptor is left by a test."""
    threads, files = threading.active_count(), _open_files()
    yield
    assert threading.active_count() <= threads
    assert _open_files() <= files


def _open_files() -> int:
    folder = next((Path(name) for name in ("/proc/self/fd", "/dev/fd") if Path(name).is_dir()), None)
    return len(list(folder.iterdir())) if folder else 0


@pytest.mark.parametrize("how", STUCK)
def test_a_stuck_provider_is_given_up_at_its_deadline_and_leaves_no_process(how: str, tmp_path: Path) -> None:
    began = time.monotonic()
    went = _run(tmp_path, STUCK[how], timeout_ms=250)
    assert time.monotonic() - began < 0.25 + SPARE
    assert went.end == "timeout"
    assert _gone(tmp_path)


def test_an_endless_answer_is_cut_off_at_the_cap(tmp_path: Path) -> None:
    went = _run(tmp_path, "while True: os.write(1, b'x' * 65536)")
    assert (went.end, len(went.stdout)) == ("too_much", STDOUT_CAP + 1)
    assert _gone(tmp_path)


def test_taking_the_question_back_ends_the_process_at_once(tmp_path: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    began = time.monotonic()
    went = _run(tmp_path, "time.sleep(60)", cancel=cancel)
    assert went.end == "cancelled"
    assert time.monotonic() - began < SPARE
    assert _gone(tmp_path)


def test_a_large_question_and_a_large_answer_pass_each_other(tmp_path: Path) -> None:
    """Neither side waits for the other: the program writes while the question is still coming."""
    went = _run(tmp_path, "os.write(1, b'y' * 200_000)\nprint(len(sys.stdin.read()), end='')", stdin=b"q" * 1_000_000)
    assert went.end == "ended"
    assert went.stdout == b"y" * 200_000 + b"1000000"


@pytest.mark.parametrize("script", ["", "os.close(0)", "sys.stdin.read(10)"])
def test_a_program_that_does_not_read_the_question_has_not_failed(script: str, tmp_path: Path) -> None:
    went = _run(tmp_path, f"{script}\nprint('ok', end='')", stdin=b"q" * 1_000_000)
    assert (went.end, went.code, went.stdout) == ("ended", 0, b"ok")


def test_only_the_first_diagnostics_are_kept(tmp_path: Path) -> None:
    went = _run(tmp_path, "sys.stderr.write('a' * 10_000 + 'b' * 500_000)")
    assert (went.end, went.stderr) == ("ended", b"a" * STDERR_KEPT)


def test_exit_codes_and_signals_are_told_apart(tmp_path: Path) -> None:
    assert _run(tmp_path, "sys.exit(7)").code == 7
    assert _run(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)").code == -signal.SIGKILL


def test_a_background_helper_that_let_go_of_the_pipes_may_stay(tmp_path: Path) -> None:
    """A program may keep a server running: only what holds the pipes or outlives the deadline is killed."""
    went = _run(
        tmp_path, f"null = subprocess.DEVNULL\nsubprocess.Popen({SLEEPER}, stdin=null, stdout=null, stderr=null)"
    )
    assert went.end == "ended"
    for pid in map(int, (tmp_path / "pids").read_text().split()):
        if _lives(pid):
            os.kill(pid, signal.SIGKILL)


def test_a_program_that_cannot_start_says_the_systems_code(tmp_path: Path) -> None:
    env = environment(tmp_path)
    plain = tmp_path / "plain"
    plain.write_text("echo")
    refused = {
        "ENOENT": run(["/nonexistent/provider"], tmp_path, env, stdin=b"", timeout_ms=PATIENT),
        "EACCES": run([str(plain)], tmp_path, env, stdin=b"", timeout_ms=PATIENT),
        "UnicodeEncodeError": run(["\ud800"], tmp_path, env, stdin=b"", timeout_ms=PATIENT),
    }
    assert {code: (went.end, went.reason) for code, went in refused.items()} == {
        code: ("not_started", code) for code in refused
    }
    assert run(["true"], tmp_path / "gone", env, stdin=b"", timeout_ms=PATIENT).reason == "ENOENT"


def test_a_script_without_a_first_line_is_the_shells_and_relative_to_the_home(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    script = tmp_path / "bin" / "answer"
    script.write_text('echo "$1"')
    script.chmod(0o755)
    for command, env in (
        (["bin/answer", "a b"], environment(tmp_path)),
        (["answer", "a b"], {**environment(tmp_path), "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}),
    ):
        went = run(command, tmp_path, env, stdin=b"", timeout_ms=PATIENT)
        assert (went.end, went.stdout) == ("ended", b"a b\n")


def test_a_stopped_clock_stops_durations_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDESK_NOW", "2026-11-30T10:00:00+00:00")
    assert _run(tmp_path, "time.sleep(0.01)").duration_ms == 0
    monkeypatch.delenv("MEMDESK_NOW")
    assert _run(tmp_path, "time.sleep(0.01)").duration_ms >= 10
