"""Nothing slow stands between the person and the first frame."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from store.bank import Bank
from store.changes import Changeset, PutMemory
from store.head import write_head
from store.vault.disk import Disk

CHECK = """
import asyncio, sys
from pathlib import Path
from store.bank import Bank
from store.changes import Changeset, PutMemory
from tui.app import Workbench
from tui.options import Options

bank = Bank.create(Path(sys.argv[1]) / "bank")
bank.commit(Changeset([PutMemory(None, {"type": "FACT", "subject": "tea", "statement": "green"})], "remember"))

async def main():
    app = Workbench(bank, options=Options(remember=False, watch=False))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        strips = app.screen._compositor.render_strips()
        assert any("tea: green" in "".join(part.text for part in strip) for strip in strips)

asyncio.run(main())
print(sorted({"litellm", "numpy", "watchfiles", "pypinyin", "tomlkit", "click", "pyperclip"} & set(sys.modules)))
"""


def test_the_first_frame_needs_no_model_no_numbers_no_watcher_no_pinyin(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", CHECK, str(tmp_path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert set(eval(ran.stdout)) <= {"tomlkit"}


BEHIND_ROWS = """
import asyncio, sys, threading
from pathlib import Path
from store.head import read_head
from tui.app import Workbench
from tui.options import Options

head = read_head(Path(sys.argv[1]) / "head", Path(sys.argv[1]) / "bank")
gate = threading.Event()

async def main():
    app = Workbench(opener=gate.wait, options=Options(remember=False, watch=False, head=head))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        strips = app.screen._compositor.render_strips()
        assert any("tea: green" in "".join(part.text for part in strip) for strip in strips)
        print(sorted(set(sys.argv[2:]) & set(sys.modules)), flush=True)
        sys.stdout.flush()
        import os; os._exit(0)

asyncio.run(main())
"""
LATER = (
    *("store.bank", "store.changes", "store.commit", "store.journal", "store.vault.scan", "tinydb", "tomlkit", "click"),
    *("pipeline.recall.engines.yotta", "pipeline.context.pack", "textual.widgets._text_area"),
)


def test_rows_of_the_last_session_need_no_reader_no_writer_no_ledger_and_no_parser(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "bank", state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
    bank.commit(Changeset([PutMemory(None, {"type": "FACT", "subject": "tea", "statement": "green"})], "remember"))
    write_head(Disk(), tmp_path / "head", bank.view())
    command = [sys.executable, "-c", BEHIND_ROWS, str(tmp_path), *LATER]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert (ran.stdout, ran.returncode) == ("[]\n", 0), ran.stderr[-2000:]
