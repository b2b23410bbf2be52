"""Two programs that use the same memory at the same moment are both counted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from store import clock
from store.bank import Bank
from store.changes import Changeset, PutMemory
from store.usage import record_use
from tui.cli.main import run


def test_a_use_that_another_program_records_in_between_is_counted_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank = Bank.create(tmp_path / "bank")
    fields = {"type": "FACT", "subject": "ferry", "statement": "The first boat leaves at 05:40"}
    bank.commit(Changeset([PutMemory(None, fields)], "remember ferry"))
    ferry = bank.view().live[0].id
    original: Callable[..., int] = Bank.record
    others = [True]

    def record_after_another(self: Bank, rows: Sequence[Any]) -> int:
        if others and self is not bank:
            others.clear()
            original(bank, record_use(bank.view(), [ferry], "s", clock.today(), query="ferry"))
        return original(self, rows)

    monkeypatch.setattr(Bank, "record", record_after_another)
    assert run(["recall", "ferry", "--bank", str(tmp_path / "bank")]) == 0
    bank.refresh()
    assert bank.view().rows("usage")[ferry]["access_count"] == 2
    bank.close()
