"""A birthday, two notes that a hook takes out, and the provider that does it: a real program in a real folder."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from store.bank import Bank
from tests.tui.conftest import settle
from tests.tui.screen import screen_text
from tui.app import Workbench
from tui.screens.context import ContextScreen
from tui.widgets.line import Line

HOSTILE = "[@click=app.quit]x[/] [/] [red]y \x1b]52;c;aGk=\x07 \u202eabc"
MEMORIES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("FACT", {"subject": "birthday", "statement": "the birthday is on 14 May", "created": "2026-11-20"}),
    ("FACT", {"subject": "party", "statement": "the birthday party was at the lake in 2019", "created": "2026-11-19"}),
    ("FACT", {"subject": "東京", "statement": "the birthday is kept at the office", "created": "2026-11-18"}),
    ("FACT", {"subject": "scarf", "statement": "she returned it in 2021", "created": "2026-11-17"}),
    ("FACT", {"subject": "present", "statement": "Kenji collects", "created": "2026-11-16"}),
    ("FACT", {"subject": "planning", "statement": "eleven points " * 20, "created": "2026-11-15"}),
    ("FACT", {"subject": "lake house", "statement": "booked until the 16th", "created": "2026-11-14"}),
    ("PREF", {"subject": "tea", "statement": "green tea before noon", "owner": "ana", "created": "2026-11-13"}),
    ("PREF", {"subject": "cake", "statement": "no marzipan", "owner": "bo", "created": "2026-11-12"}),
    ("BOUND", {"subject": "no surprise", "statement": "no surprise parties", "owner": "ana", "created": "2026-11-11"}),
    ("COMMIT", {"subject": "present", "statement": "bring it on the 14th", "owner": "ana", "created": "2026-11-10"}),
)
FORGETS = ("party", "scarf")

FORGETFUL = """
    import json, sys
    payload = json.load(sys.stdin)["payload"]
    evict = [one["file"] for one in payload["candidates"] if one["subject"] in {forgets!r}]
    print("looked at", len(payload["candidates"]), file=sys.stderr)
    json.dump({{"ok": True, "data": {{"evict": [*evict, "facts/old.md", 7, {{"a": 1}}]}}}}, sys.stdout)
"""
HANGS = "import time; time.sleep(60)"


def provider(
    folder: Path,
    script: str = "",
    *,
    timeout_ms: int = 5000,
    raw: str | None = None,
    capabilities: Sequence[str] = ("memory.hook",),
) -> Path:
    """A provider home whose program runs `script` (the forgetful one), or whose configuration is `raw`."""
    folder.mkdir(exist_ok=True)
    (folder / "forget.py").write_text(textwrap.dedent(script or FORGETFUL.format(forgets=FORGETS)), encoding="utf-8")
    entry = {
        "id": "forget-old",
        "capabilities": list(capabilities),
        "command": [sys.executable, "-S", "forget.py"],
        "timeout_ms": timeout_ms,
    }
    text = json.dumps({"schema": 1, "providers": [entry]}) if raw is None else raw
    (folder / "provider.json").write_text(text, encoding="utf-8")
    return folder


def screen(pilot: Any) -> ContextScreen:
    """The Context screen that is open."""
    assert isinstance(pilot.app, Workbench)
    framed = pilot.app.framed
    assert isinstance(framed, ContextScreen)
    return framed


async def quiet(pilot: Any) -> str:
    """Wait until the preview is made and the provider has answered; the screen's text."""
    for _ in range(2000):
        await settle(pilot)
        framed = pilot.app.framed
        if not (isinstance(framed, ContextScreen) and framed.busy and pilot.app.screen is framed):
            break
    return screen_text(pilot.app)


async def press(pilot: Any, *keys: str) -> str:
    """Press keys and wait; the screen's text."""
    await pilot.press(*keys)
    return await quiet(pilot)


async def visit(pilot: Any, *, agent: str = "ana", agree: str = "y") -> str:
    """Go to the screen, choose the agent by its first letters, let the hook ask and answer whether it may start."""
    assert isinstance(pilot.app, Workbench)
    pilot.app.open_screen("context")
    await quiet(pilot)
    if agent:
        await pilot.press("a")
        pilot.app.screen.query_one(Line).value = agent  # at once, as a paste
        await press(pilot, "enter")
    if agree and screen(pilot).withheld:
        await press(pilot, "H")
    return await press(pilot, agree) if agree else await quiet(pilot)


async def focused(pilot: Any) -> str:
    """Visit the screen and look at the pack of a session about the birthday."""
    await visit(pilot)
    await press(pilot, "/")
    screen(pilot).query_box.box.value = "birthday"  # at once, as a paste: one preview, not one for each letter
    return await press(pilot, "enter")


def row_of(text: str, word: str) -> str:
    """The row of the list that shows a word."""
    return next(line for line in text.splitlines() if re.match(r"^[ >*][-+#!=^~:?] ", line) and word in line)


def files(root: Path) -> dict[str, str]:
    """Every file of a folder with its fingerprint."""
    found = sorted(path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}


def id_of(bank: Bank, subject: str) -> str:
    """The id of the memory with this subject."""
    return next(memory.id for memory in bank.view().live if memory.subject == subject)


def counted(text: str) -> tuple[dict[str, int], int]:
    """The line of outcomes as numbers, and the total that it ends with."""
    line = next(line for line in text.splitlines() if " = " in line and "+ in" in line)
    parts, _, total = line.rpartition(" = ")
    parts = re.sub(r"\(\^.*?\)", "", parts)
    found = re.findall(r"[-+#!=~:?] ([a-z' ]+?) ([\d,]+)", parts)
    return {word: int(number) for word, number in found}, int(total.split()[0].replace(",", ""))
