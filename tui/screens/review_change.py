"""What approval would change, line by line: what goes begins with `-`, what comes with `+`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.content import Content

from pipeline.review.setting import diff_of
from pipeline.review.waiting import Waiting
from store.changes import Change, MoveMemory, PutMemory, PutSettingFile
from store.memory import Memory
from store.view import View
from tui.dates import day
from tui.screens.review_rows import lead_and_text
from tui.text import content, line, one_line
from tui.widgets.diff import diff, row_diff

MUTED = "$text-muted"
SHOWN = ("type", "label", "subject", "statement", "owner", "project", "scope", "tags", "body", "immutable", "weight")
"""Fields that a difference shows, in this order."""
CHARACTERS = 600
MOVES = {"trashed": ("-", "$text-warning", "to the trash"), "archived": ("-", "$text-warning", "to the archive")}
BACK = ("+", "$text-success", "back to the bank")


def changes(view: View, item: Waiting, plan: Sequence[Change]) -> list[Content]:
    """One or more lines for each memory that these changes touch."""
    moves = [change for change in plan if isinstance(change, MoveMemory)]
    puts = [change for change in plan if isinstance(change, PutMemory)]
    if item.conflict and puts and puts[0].id is None:
        return _replaced(view, item.conflict, puts[0])
    if files := [change for change in plan if isinstance(change, PutSettingFile)]:
        return [row for change in files for row in _file(view, change)]
    rows = [row for change in moves for row in _moved(view, change)]
    rows += [row for change in puts for row in _put(view, change)]
    return rows or [_nothing(view, plan)]


def _file(view: View, change: PutSettingFile) -> list[Content]:
    """A setting file line by line against the one that is there."""
    before, after = diff_of(view, change)
    what = "replaces what is there" if before else "a new file"
    return [line((one_line(change.path, 200), "bold"), (f"   {what}", MUTED)), *diff(before, after).split("\n")]


def _replaced(view: View, id: str, put: PutMemory) -> list[Content]:
    old = view.memories.get(id)
    if old is None:
        return _put(view, put)
    since = f"   in the bank since {day(old.created)}; to the trash" if old.created else ""
    gone, come = _said(old.type, old.subject, old.statement), _said_by(put.fields)
    both = row_diff([gone], [come]).split("\n")
    return [Content.assemble(both[0], (since, MUTED)), *both[1:]]


def _moved(view: View, change: MoveMemory) -> list[Content]:
    memory = view.memories.get(change.id)
    sign, style, words = MOVES.get(change.state, BACK)
    if memory is None:
        return [line((f"{sign} {one_line(change.id, 200)}", style), (f"   {words}", MUTED))]
    said = _said(memory.type, memory.subject, memory.statement)
    since = f", in the bank since {day(memory.created)}" if memory.created else ""
    return [line((f"{sign} {said}", style), (f"   {words}{since}", MUTED))]


def _put(view: View, change: PutMemory) -> list[Content]:
    if change.id is None:
        return [line((f"+ {_said_by(change.fields)}", "$text-success"))]
    memory = view.memories.get(change.id)
    if memory is None:
        return [line((f"+ {_said_by(change.fields)}", "$text-success"))]
    rows = [
        line((memory.name.removesuffix(".md"), "bold"), (f"   {memory.type}   {one_line(memory.subject, 80)}", MUTED))
    ]
    if change.text is not None:
        return [*rows, content("+ the whole file would be another one", "$text-success")]
    for name in SHOWN:
        if name in change.fields and (before := getattr(memory, name)) != change.fields[name]:
            rows += _field(name, before, change.fields[name])
    others = sorted(name for name in change.fields if name not in SHOWN and hasattr(memory, name))
    if others:
        rows.append(content(f"  also {', '.join(others)}", MUTED))
    return rows


def _field(name: str, before: Any, after: Any) -> list[Content]:
    old, new = _value(before), _value(after)
    named = [f"{name}: {old}"] if old else []
    return row_diff(named, [f"{name}: {new}"] if new else []).split("\n")


def _nothing(view: View, plan: Sequence[Change]) -> Content:
    """The bank says it already: only the proposal is settled."""
    ids = (getattr(change, "fields", {}).get("memory") for change in plan)
    memory = next((found for id in ids if isinstance(id, str) and (found := view.memories.get(id))), None)
    where = f": {_name(memory)} says it already" if memory is not None else ""
    return content(f"= nothing in the bank{where}", MUTED)


def _name(memory: Memory) -> str:
    return f"{memory.name.removesuffix('.md')} ({one_line(memory.subject, 60)})"


def _said_by(fields: Any) -> str:
    return _said(str(fields.get("type", "")), str(fields.get("subject", "")), str(fields.get("statement", "")))


def _said(type: str, subject: str, statement: str) -> str:
    return f"{one_line(type, 20):<6} {''.join(lead_and_text(subject, statement))}"


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return one_line(", ".join(map(str, value)), CHARACTERS)
    return "" if value is None else one_line(str(value), CHARACTERS)
