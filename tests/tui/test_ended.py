"""A workbench that is ended from outside leaves nothing behind, in a real terminal."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from tests.tui.terminal import MEMDESK, Terminal


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGHUP])
def test_a_demo_that_is_ended_from_outside_leaves_nothing(tmp_path: Path, ending: signal.Signals) -> None:
    with Terminal([*MEMDESK, "demo"], env={"TMPDIR": str(tmp_path)}) as terminal:
        terminal.wait_for("Green tea before noon", 60)
        assert list(tmp_path.glob("memdesk-demo-*"))
        os.kill(terminal.pid, ending)
        assert terminal.wait(60) == 128 + ending
    assert not list(tmp_path.glob("memdesk-demo-*"))
    assert b"\x1b[?1049l" in terminal.output


def test_a_workbench_whose_terminal_is_closed_ends(tmp_path: Path) -> None:
    with Terminal([*MEMDESK, "demo"], env={"TMPDIR": str(tmp_path)}) as terminal:
        terminal.wait_for("Green tea before noon", 60)
        terminal.close()
        assert terminal.wait(60) == 128 + signal.SIGHUP
    assert not list(tmp_path.glob("memdesk-demo-*"))
