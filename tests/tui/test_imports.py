"""Nothing slow stands between the person and the first frame."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
