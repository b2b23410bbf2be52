"""A new bank to work on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.desk import Desk, new_desk


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return new_desk(tmp_path)
