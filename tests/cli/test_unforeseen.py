"""What nobody foresaw ends in one sentence; the log tells the place, and never a person's words."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.bank import Bank
from tests.cli.desk import new_desk
from tui.log import log_file


def test_a_fault_nobody_foresaw_is_one_sentence_and_its_words_stay_out_of_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> Bank:
        text = " ".join(["green", "tea"])
        raise RuntimeError(text)

    desk = new_desk(tmp_path)
    monkeypatch.setattr(Bank, "open", broken)
    answer = desk("list")
    assert (answer.code, answer.out) == (5, "")
    assert answer.err.startswith("Something unexpected went wrong (RuntimeError); where it happened is in ")
    assert answer.err.count("\n") == 1
    log = log_file().read_text(encoding="utf-8")
    assert "test_unforeseen.py" in log and " ".join(["green", "tea"]) not in log
