"""What Health says of one row: a check in full, what a change altered line by line, a memory in the trash."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from textual.content import Content

from store.bank import Bank, Kept
from store.changes import Committed, FileEffect, RowEffect
from store.errors import MemdeskError
from store.memory import Memory
from tui.dates import moment
from tui.screens.bank_detail import HEAD, MUTED
from tui.screens.health_report import MOVED, Check, Report
from tui.text import content, line, lines, one_line
from tui.widgets.diff import diff

VALUE = 400
"""Characters of a ledger value that are shown."""


def check_detail(check: Check, report: Report) -> Content:
    """A check in full, with the list behind it."""
    parts = [line((check.name, HEAD)), content(check.words)]
    if check.todo:
        parts.append(content(check.todo, MUTED))
    behind = {"files": _problems, "conflicts": _kept, "ledger": _ledger}.get(check.name)
    return lines([*parts, Content(""), *(behind(report) if behind else [])])


def _problems(report: Report) -> list[Content]:
    if report.gone:
        return [content(MOVED)]
    return [line((one_line(one.path), "bold"), "  ", one_line(one.message)) for one in report.view.problems]


def _kept(report: Report) -> list[Content]:
    return [line((moment(one.at), MUTED), "  ", one_line(one.path), "  ", one_line(one.why)) for one in report.kept]


def _ledger(report: Report) -> list[Content]:
    status = report.status
    facts = {
        "folder": str(status.folder),
        "journal": f"{status.journal:,} bytes",
        "snapshot": f"{status.snapshot:,} bytes",
    }
    facts |= {name: f"{number:,} rows" for name, number in sorted(status.counts.items()) if number}
    return [line((f"{name:<12}", MUTED), value) for name, value in facts.items()]


def change_detail(change: Committed, bank: Bank) -> Content:
    """What a change did: who, when, why, and each memory and row before and after. Reads files: for a thread."""
    by = f"{change.by}, {change.origin}" if change.by != change.origin else change.by
    parts = [
        line((f"change {change.number}", HEAD), f"   {moment(change.at)}   ", (one_line(by), MUTED)),
        content(change.reason),
    ]
    told = {"undone by": change.undone_by, "takes back": change.undoes, "makes again": change.redoes}
    parts += [line((f"{word} change {number}", MUTED)) for word, number in told.items() if number is not None]
    parts += [content(note) for note in change.notes]
    for effect in change.files:
        parts += [Content(""), *_file(effect, bank)]
    for row in change.rows:
        parts += [Content(""), *_row(row)]
    return lines(parts)


def _file(effect: FileEffect, bank: Bank) -> list[Content]:
    moved = effect.path_after if effect.path_after != effect.path_before else None
    head = [line((one_line(effect.id), "bold"))]
    if effect.state_before != effect.state_after:
        head.append(line((f"{effect.state_before or 'not there'} to {effect.state_after or 'gone'}", MUTED)))
    elif moved and effect.path_before:
        head.append(line((f"moved to {one_line(moved)}", MUTED)))
    if effect.sha_before == effect.sha_after:
        return head
    before, after = _text(bank, effect.sha_before), _text(bank, effect.sha_after)
    if before is None or after is None:
        return [*head, content("its text of then is no longer kept", MUTED)]
    return [*head, diff(before, after)]


def _text(bank: Bank, sha: str | None) -> str | None:
    if sha is None:
        return ""
    data = bank.bytes_at(sha)
    return None if data is None else data.decode("utf-8", "replace")


def _row(effect: RowEffect) -> list[Content]:
    head = line((f"{effect.table}  {one_line(effect.key)}", "bold"))
    names = sorted({*effect.before, *effect.after})
    return [head, *(_field(name, effect.before, effect.after) for name in names)]


def _field(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Content:
    return line((f"{name:<12}", MUTED), _value(before.get(name)), (" to ", MUTED), _value(after.get(name)))


def _value(value: Any) -> str:
    if value is None:
        return "nothing"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return one_line(text, VALUE)


def kept_detail(kept: Kept, bank: Bank) -> Content:
    """A text that was kept aside, against the memory as it is now. Reads files: for a thread."""
    whose = "What was written here" if kept.side == "ours" else "What another program wrote"
    parts = [
        line(("kept aside", HEAD), f"   {moment(kept.at)}   ", (one_line(kept.path), MUTED)),
        content(f"{whose}. {kept.why}"),
        content("p puts it into the memory, which u takes back; x drops it for good.", MUTED),
        Content(""),
    ]
    try:
        text = bank.kept_text(kept.file).decode("utf-8", "replace")
        live = bank.source(kept.id).decode("utf-8", "replace")
    except MemdeskError as error:
        return lines([*parts, content(str(error))])
    return lines([*parts, content("from the memory as it is now to the kept text", MUTED), diff(live, text)])


def trash_detail(memory: Memory) -> Content:
    """A memory in the trash."""
    return lines(
        [
            line((one_line(memory.subject) or memory.name, HEAD), "   ", (one_line(memory.type, 20), MUTED)),
            content(memory.display),
            Content(""),
            line(("was at", MUTED), f"  {one_line(memory.id)}"),
            line(("forgotten", MUTED), f"  {moment(memory.trashed_at)}" if memory.trashed_at else "  before"),
        ]
    )
