"""A machine for every test, and a stopped clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pipeline.context.loaded.disk import NOW, Machine


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """A home folder with a project that is a repository."""
    monkeypatch.setenv("MEMDESK_NOW", NOW)
    project = tmp_path / "home" / "tidepool"
    (project / ".git").mkdir(parents=True)
    return Machine(tmp_path / "home", project)
