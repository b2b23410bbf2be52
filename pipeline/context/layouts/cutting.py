"""Makes the messages of a chat from the lines of a draft and takes away whole ones when they are too long.

What a layout wrote is put down again in the order of `spec/memora.md` §16.2: system, the summary of what goes, what was
picked of it, the placeholder, the newest. Every line is counted anew, and what was recalled in vain says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from pipeline.context.budget import Line, Writer, one_line
from pipeline.context.draft import Draft, Dropped
from pipeline.context.layouts.chat import ROLES, Message
from pipeline.context.layouts.trim import Trim, placeholder, plan, put_together, summary
from pipeline.measure import cut_units

ROUNDS, LONGEST = 3, 200
"""Rounds that are told again when they were trimmed away, and the UTF-16 units of each message (§16.1)."""
SPEAKERS = {"user": "用户", "assistant": "助手"}


@dataclass(frozen=True, slots=True)
class Sheet:
    """One message with its section and its lines."""

    section: str
    message: Message
    lines: tuple[Line, ...]


def cut(draft: Draft) -> None:
    """Make `draft.messages`, within the budget; attempts and lines follow."""
    sheets = _sheets(draft)
    planned = _plan(draft, sheets)
    if planned.trimmed and (again := _recent(sheets, planned)) is not None:
        at = max(at for at, sheet in enumerate(sheets) if sheet.section == "conversation") + 1
        sheets.insert(at, again)
        planned = _plan(draft, sheets)
    if planned.trimmed:
        _put_down_again(draft, sheets, planned)
    else:
        draft.messages = tuple(sheet.message for sheet in sheets)


def _plan(draft: Draft, sheets: Sequence[Sheet]) -> Trim:
    return plan([sheet.message for sheet in sheets], draft.writer.budget)


def _sheets(draft: Draft) -> list[Sheet]:
    """The messages as they were written."""
    roles = [line for line in draft.writer.lines if line.message < 0 and line.text]
    written = [line for line in draft.writer.lines if line.message >= 0]
    sheets = []
    for number, group in groupby(written, key=lambda line: line.message):
        lines = tuple(group)
        said = Message(ROLES[roles[number].text.strip("[]")], "\n".join(line.text for line in lines))
        sheets.append(Sheet(lines[-1].section, draft.spoken.get(number, said), lines))
    return sheets


def _put_down_again(draft: Draft, sheets: Sequence[Sheet], planned: Trim) -> None:
    messages = [sheet.message for sheet in sheets]
    told = summary(messages, planned, draft.request.chat.summarise)
    made = _sheet("summary", told) if told else None
    kept = put_together(sheets, planned, made, _sheet("placeholder", placeholder(planned)))
    draft.writer = _counted(draft.writer, kept)
    draft.messages = tuple(sheet.message for sheet in kept)
    for at in planned.gone:
        if sheets[at].section != "recall":
            draft.dropped.append(_dropped(sheets[at], planned.enough[at]))
    _say_where(draft, next((planned.enough[at] for at in planned.gone if sheets[at].section == "recall"), 0))


def _dropped(sheet: Sheet, enough: int) -> Dropped:
    why = "there was no room for it"
    return Dropped(sheet.section, sheet.message.role, sheet.message.content, why, sheet.lines[0].origin, enough)


def _say_where(draft: Draft, enough: int) -> None:
    """The attempts with the places that their lines have now; `enough` is the budget that the recalled block needs."""
    places = {(line.section, entry): line.used_before for line in draft.writer.lines for entry in line.entries}
    for at, attempt in enumerate(draft.attempts):
        if attempt.outcome != "included":
            continue
        if (place := places.get((attempt.section, attempt.memory.id))) is not None:
            draft.attempts[at] = replace(attempt, used_before=place)
            continue
        missing = enough - draft.writer.budget
        draft.attempts[at] = replace(attempt, outcome="budget", shortfall=missing, enough=enough)


def _sheet(section: str, message: Message) -> Sheet:
    return Sheet(section, message, tuple(Line(part, section, "", 0, 0, 0) for part in message.content.split("\n")))


def _counted(before: Writer, sheets: Sequence[Sheet]) -> Writer:
    """The messages written one after the other, each line counted at its place."""
    writer = Writer(before.budget, before.measure)
    for sheet in sheets:
        writer.begin(sheet.lines[0].section, sheet.message.role)
        for at, line in enumerate(sheet.lines):
            if at and sheet.message.arguments and at == len(sheet.lines) - 1:
                writer.join()
            writer.add(line.section, line.text, line.entry, also=line.also, origin=line.origin)
    return writer


def _recent(sheets: Sequence[Sheet], planned: Trim) -> Sheet | None:
    """The last rounds of the conversation in short, when trimming took any of them from its place (§16.1, [W])."""
    spoken = [at for at, sheet in enumerate(sheets) if sheet.section == "conversation"]
    asked = [at for at in spoken if sheets[at].message.role == "user"][-ROUNDS:]
    last = [at for at in spoken if asked and at >= asked[0] and sheets[at].message.role in SPEAKERS]
    if not set(last) & {*planned.gone, *planned.picked}:
        return None
    said = [sheets[at].message for at in last if sheets[at].message.content]
    lines = [f"{SPEAKERS[one.role]}：{one_line(cut_units(one.content, LONGEST))}" for one in said]
    return _sheet("recent", Message("system", "\n".join(["【最近对话】", *lines])))
