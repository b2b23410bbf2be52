"""The lines of a text that are worth keeping: decisions, rules, promises, next steps (`spec/context.md` §15)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipeline.context.provider.answer import JS_SPACE
from pipeline.measure import units

SHORTEST = 4
"""UTF-16 units that a line must have to say something."""
SECTIONS = ("决策", "下一步", "遗留问题", "decision", "next step", "remaining", "todo")
"""Headings under which every line counts, by their beginning and in any case."""
_CHINESE = "决定 敲定 约定 口径 红线 规则 承诺 下一步 待办 遗留 注意 以后 必须 不要"
_ENGLISH = "decision decided agreement policy rule commit todo remaining note must never"
SIGNALS = (*_CHINESE.split(), *_ENGLISH.split(), "next step")
"""Words that make a line count anywhere, as a part of it and in any case."""
_FENCE = "```"
_HEADING = re.compile(r"#{1,6}(?:\s+|(?=[^\x00-\x7f])|\Z)(.*)")
_BULLET = re.compile(r"\A[-*+]\s+")
_NUMBER = re.compile(r"\A\d+(?:、|[.)](?!\d))\s*")


@dataclass(frozen=True, slots=True)
class Segment:
    """One line worth keeping: `text` without bullet and number, `raw` as it stands there, `line` counted from 1."""

    text: str
    raw: str
    line: int


def segments(text: str) -> tuple[Segment, ...]:
    """The lines worth keeping, in order; one that says exactly the same as an earlier one is left out.

    Code between fences, headings, table rows and lines under `SHORTEST` units never are; any other line is when it
    stands under one of `SECTIONS` or holds one of `SIGNALS`.
    """
    found: dict[str, Segment] = {}
    in_code = in_section = False
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.strip(JS_SPACE)
        if line.startswith(_FENCE):
            in_code = not in_code
        elif in_code or not line or line.startswith("|"):
            continue
        elif heading := _HEADING.match(line):
            in_section = heading[1].casefold().startswith(SECTIONS)
        else:
            said = bare(line)
            if units(said) >= SHORTEST and (in_section or has_signal(said)):
                found.setdefault(said, Segment(said, raw.removesuffix("\r"), number))
    return tuple(found.values())


def bare(line: str) -> str:
    """A line without one leading bullet and then one leading number; `1.5` is no such number."""
    return _NUMBER.sub("", _BULLET.sub("", line))


def has_signal(text: str) -> bool:
    """Whether the text holds one of `SIGNALS`."""
    low = text.casefold()
    return any(word in low for word in SIGNALS)
