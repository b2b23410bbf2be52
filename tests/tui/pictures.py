"""The pictures of the README, taken from the demo: `make screenshots` writes them, a test says when they are stale.

A picture is an SVG and the text of the same screen beside it. Pictures are compared as text (`decisions.md` §8.6).
"""

from __future__ import annotations

import asyncio
import hashlib
import html
import os
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

from rich.cells import cell_len
from textual.pilot import Pilot

from pipeline.context.request import Request
from tests.tui.conftest import settle
from tests.tui.context_world import quiet
from tests.tui.screen import screen_text
from tui.app import Workbench
from tui.demo.build import build_demo, demo_places
from tui.options import Options
from tui.screens.context_inputs import Inputs

FOLDER = Path(__file__).parents[2] / "screenshots"
NOW = "2026-11-30T14:02:00+00:00"
SIZES = ((80, 24), (140, 40))
FONTS = "'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', monospace"


@dataclass(frozen=True, slots=True)
class Picture:
    """One picture: the screen, and the keys pressed on it; `first` are pressed on the Bank before."""

    mode: str
    keys: Sequence[str] = ()
    first: Sequence[str] = ()


PICTURES = (
    Picture("bank", ("j", "j")),
    Picture("review", ("j", "j", "j")),
    Picture("context", ("enter", "H", "y", "equals_sign", *"5000", "enter", *"jjjjjjjjjjjjj")),
    Picture("sessions", ()),
    Picture("health", ("H",), first=("j", "x", "j", "x", "u", "j", "p")),
)


def taken(picture: Picture, size: tuple[int, int]) -> tuple[str, str]:
    """The text and the SVG of a picture, from a demo made for it alone."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home) / "demo"
        variables = {"HOME": home, "MEMDESK_NOW": NOW, "TZ": "UTC", "XDG_STATE_HOME": f"{home}/state"}
        with patch.dict(os.environ, variables), patch.object(Inputs, "request", _anywhere), demo_places(folder):
            return asyncio.run(_take(picture, size, folder))


_request = Inputs.request


def _anywhere(inputs: Inputs, home: str) -> Request:
    """The request without the names of this machine, whose lengths count against a budget."""
    return replace(_request(inputs, home), host="heron", memory_home="~/demo/bank")


async def _take(picture: Picture, size: tuple[int, int], folder: Path) -> tuple[str, str]:
    app = Workbench(build_demo(folder), options=Options(watch=False, remember=False))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        await _press(pilot, picture.first)
        app.open_screen(picture.mode)
        await settle(pilot)
        await _press(pilot, picture.keys)
        found = screen_text(app), app.export_screenshot(title="Memdesk")
        await _leave(pilot)
    return found


async def _press(pilot: Pilot[int], keys: Sequence[str]) -> None:
    for key in keys:
        await pilot.press(key)
        await quiet(pilot)


async def _leave(pilot: Pilot[int]) -> None:
    assert isinstance(pilot.app, Workbench)
    pilot.app.desk.close(5.0)


def offline(svg: str) -> str:
    """The SVG without web fonts, and with wide text as wide as it is: it counts characters, not cells."""
    svg = re.sub(r"@font-face\s*{.*?}", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family:\s*Fira Code[^;]*;", f"font-family: {FONTS};", svg)
    svg = re.sub(r"(<text [^>]*?)textLength=\"([\d.]+)\"([^>]*>)([^<]*)(</text>)", _straight, svg)
    return re.sub(r"terminal-\d+-", "t-", re.sub(r"[ \t]+\n", "\n", svg))


def _straight(match: re.Match[str]) -> str:
    opening, length, rest, text, closing = match.groups()
    plain = html.unescape(text)
    if not plain:
        return match.group()
    return f'{opening}textLength="{float(length) / len(plain) * cell_len(plain):.2f}"{rest}{text}{closing}'


def mark(text: str) -> str:
    """The comment that ties an SVG to the text of its screen."""
    return f"<!-- screen {hashlib.sha256(text.encode()).hexdigest()} -->"


def places(picture: Picture, size: tuple[int, int]) -> tuple[Path, Path]:
    """Where the text and the SVG of a picture are kept."""
    stem = f"{picture.mode}-{size[0]}x{size[1]}"
    return FOLDER / f"{stem}.txt", FOLDER / f"{stem}.svg"


def main() -> None:
    """Write every picture."""
    FOLDER.mkdir(exist_ok=True)
    for picture in PICTURES:
        for size in SIZES:
            text, svg = taken(picture, size)
            text_place, svg_place = places(picture, size)
            text_place.write_text(text + "\n", encoding="utf-8")
            svg_place.write_text(offline(svg).rstrip() + "\n" + mark(text) + "\n", encoding="utf-8")
            print(svg_place.relative_to(FOLDER.parent))


if __name__ == "__main__":
    main()
