"""What the detail says of a chat: its segments, each with its size, its share of the budget, and why (§16.3)."""

from __future__ import annotations

from textual.content import Content

from pipeline.context.assembled import Segment, segments
from tui.screens.bank_detail import HEAD, MUTED
from tui.screens.context_build import Preview
from tui.screens.context_words import SECTIONS
from tui.text import content, line, one_line

MOST = 40
"""Segments of each list that are shown; the others are counted."""


def chat(preview: Preview) -> list[Content]:
    """What stands in the chat, in its order, and what does not, each with its reason."""
    told = segments(preview.pack)
    stands, out = [one for one in told if one.stands], [one for one in told if not one.stands]
    rows = [content("What is sent, message by message; the oldest of the conversation are cut first.")]
    rows += [Content(""), line(("SEGMENTS", HEAD)), *_listed(stands)]
    return [*rows, Content(""), line(("LEFT OUT", HEAD)), *_listed(out)] if out else rows


def _listed(found: list[Segment]) -> list[Content]:
    rows = [row for segment in found[:MOST] for row in _segment(segment)]
    return [*rows, content(f"and {len(found) - MOST:,} more", MUTED)] if len(found) > MOST else rows


def _segment(segment: Segment) -> list[Content]:
    name = SECTIONS[segment.section]
    size = f"{segment.tokens:>7,} tokens" + (f"  {segment.share:>6.1%}" if segment.stands else "")
    origins = ", ".join(one_line(origin, 80) for origin in segment.origins[:3])
    more = f" and {len(segment.origins) - 3:,} more" if len(segment.origins) > 3 else ""
    why = f"{segment.why}: {origins}{more}" if origins else segment.why
    return [line((f"{name:<22}", "bold"), size), content(f"  {one_line(why, 400)}", MUTED)]
