"""The pack as an ordered list of segments: from what each is made, its size, and why (`spec/memora.md` §16.3)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from pipeline.context.budget import Line
from pipeline.context.draft import Attempt, Dropped
from pipeline.context.layouts.chat import Message
from pipeline.context.layouts.layout import Choice, Every
from pipeline.context.layouts.tokens import estimate_tokens
from pipeline.context.pack import Pack
from pipeline.measure import round3, units

WHY: Mapping[str, str] = {
    "profile": "facts about the person that were confirmed",
    "affect": "the mood that was given",
    "tools": "it closes the system message",
    "conversation": "it was said before",
    "summary": "it stands for the messages that were taken away",
    "placeholder": "it says how many messages were taken away",
    "recent": "the last rounds lost their places",
    "recall": "the words of the user bring it to mind",
    "input": "the words of the user",
}
"""Why a segment of a chat stands; what comes from a setting file says so itself."""
PICKED = "it lost its place, but weighs enough to be kept before those that did not"
ALWAYS, CHOSEN = "it stands in every pack", "it was chosen, as limit and budget allow"
REFUSED: Mapping[str, str] = {
    "duplicate": "it stands already",
    "budget": "there was no room for it",
    "block_full": "its block was full",
}


@dataclass(frozen=True, slots=True)
class Segment:
    """One stretch of the pack, or one that it has not (`stands`).

    `role` is whose message it is ("" in a document); `origins` are the memories and setting files that it comes from;
    `chars` are UTF-16 units, `tokens` estimated, `share` is the part of the budget that it takes, 0..1 (0 without one).
    """

    section: str
    role: str
    text: str
    origins: tuple[str, ...]
    chars: int
    tokens: int
    share: float
    stands: bool
    why: str


def segments(pack: Pack) -> tuple[Segment, ...]:
    """What stands, in the order of the pack, then what does not, in the order of the layout."""
    out = [*map(_of_dropped, pack.dropped), *_refused(pack)]
    out.sort(key=lambda segment: pack.layout.order[segment.section])
    return (*_standing(pack), *out)


def _standing(pack: Pack) -> Iterator[Segment]:
    lines = [line for line in pack.lines if line.message >= 0 or not pack.messages]
    place = next((line.message for line in lines if line.section == "placeholder"), 0)
    # By origin too: setting files are told one by one, also where they share a message.
    for (section, message, _), group in groupby(lines, key=lambda line: (line.section, line.message, line.origin)):
        part = list(group)
        size = sum(line.units for line in part)
        text = "\n".join(line.text for line in part)
        yield Segment(
            section=section,
            role=pack.messages[message].role if pack.messages else "",
            text=text,
            origins=tuple(dict.fromkeys(origin for line in part for origin in _origins(line))),
            chars=units(text),
            tokens=size if pack.messages else estimate_tokens(text),
            share=size / pack.budget if pack.budget else 0.0,
            stands=True,
            why=PICKED if 0 < message < place and section != "summary" else _why(pack, section, part),
        )


def _origins(line: Line) -> tuple[str, ...]:
    return (*line.entries, *((line.origin,) if line.origin else ()))


def _why(pack: Pack, section: str, lines: Sequence[Line]) -> str:
    told = next((pack.whys[line.origin] for line in lines if line.origin), "")
    if told or section in WHY:
        return told or WHY[section]
    rule = next(rule for rule in pack.layout.sections if rule.key == section)
    return CHOSEN if isinstance(rule, Choice) else "none of its kind is left out" if isinstance(rule, Every) else ALWAYS


def _of_dropped(out: Dropped) -> Segment:
    origins = (out.origin,) if out.origin else ()
    why = f"{out.why}: it needs a budget of {out.enough:,}" if out.enough else out.why
    size = estimate_tokens(out.text)
    return Segment(out.section, out.role, out.text, origins, units(out.text), size, 0.0, False, why)


def _refused(pack: Pack) -> Iterator[Segment]:
    """The memories that a section tried in vain."""
    lines = {rule.key: rule.line for rule in pack.layout.choices}
    for attempt in pack.attempts:
        if attempt.outcome != "included":
            text = lines[attempt.section](attempt.memory)
            why = _why_refused(attempt)
            role = "system" if pack.messages else ""
            origins, size = (attempt.memory.id,), estimate_tokens(text)
            yield Segment(attempt.section, role, text, origins, units(text), size, 0.0, False, why)


def _why_refused(attempt: Attempt) -> str:
    why = REFUSED[attempt.outcome]
    if attempt.outcome == "budget":
        return f"{why}: it needs a budget of {attempt.enough:,}"
    return f"{why}: {attempt.shortfall:,} characters too much" if attempt.outcome == "block_full" else why


def as_messages(pack: Pack) -> list[dict[str, Any]]:
    """The messages of a chat as an OpenAI-style list."""
    return [as_message(message) for message in pack.messages]


def as_message(message: Message) -> dict[str, Any]:
    """One message as an OpenAI-style list has it."""
    called = {"tool_calls": json.loads(message.arguments)} if message.arguments else {}
    answered = {"tool_call_id": message.answers} if message.answers else {}
    return {"role": message.role, "content": message.content, **called, **answered}


def as_values(pack: Pack) -> list[dict[str, Any]]:
    """The segments as plain values."""
    return [asdict(segment) | {"share": round3(segment.share)} for segment in segments(pack)]
