"""Makes the demo in a folder: bank, provider, conversations, and what waits."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path

from pipeline.formats.table import packaged
from store import clock
from store.bank import Bank
from store.seed import seed
from tui.demo.agent_files import write_agent_files
from tui.demo.memories import memories
from tui.demo.transcripts import write_transcripts
from tui.demo.waiting import waiting_rows

PROVIDER_TIMEOUT_MS = 3000
"""Milliseconds that the demo's provider may take: it starts a Python, which takes its time on a slow machine."""


def build_demo(folder: Path) -> Bank:
    """Make the demo below `folder` (which must not hold one) and open its bank; nothing is written anywhere else.

    Raises `StorageFailure` when the folder cannot be written.
    """
    now = clock.now()
    state, cache = folder / "state", folder / "cache"
    Bank.create(folder / "bank", state_dir=state, cache_dir=cache).close()
    talks = write_transcripts(folder, now)
    write_agent_files(folder, now.date())
    seed(folder / "bank", memories(now.date(), {talk.name: talk for talk in talks}), now)
    _write_provider(folder / "provider")
    bank = Bank.open(folder / "bank", state_dir=state, cache_dir=cache)
    bank.record(waiting_rows(bank.view(), talks))
    return bank


@contextmanager
def demo_places(folder: Path) -> Iterator[None]:
    """For as long as it is open, the provider and the transcripts of this process are the demo's."""
    before = {name: os.environ.get(name) for name in places(folder)}
    os.environ.update(places(folder))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def places(folder: Path) -> Mapping[str, str]:
    """The variables that lead to the demo's provider and transcripts, and away from those of whoever looks at it."""
    elsewhere = dict.fromkeys(packaged().variables, str(folder / "elsewhere"))
    return elsewhere | {
        "YOTTA_PROVIDER_HOME": str(folder / "provider"),
        "CLAUDE_CONFIG_DIR": str(folder / "claude"),
        "DSH_HOME": str(folder / "dsh"),
    }


def _write_provider(home: Path) -> None:
    home.mkdir(parents=True)
    with as_file(files("tui.demo") / "provider.py") as script:
        shutil.copyfile(script, home / "tidy.py")
    provider = {
        "id": "tidy",
        "version": "1",
        "capabilities": ["memory.hook", "context.paging"],
        "command": [sys.executable, "-I", str(home / "tidy.py")],
        "timeout_ms": PROVIDER_TIMEOUT_MS,
    }
    (home / "provider.json").write_text(json.dumps({"schema": 1, "providers": [provider]}, indent=2), encoding="utf-8")
