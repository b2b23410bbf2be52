"""What the detail says of one memory: its text, what it rests on, where it comes from, why it stands where it does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

from textual.content import Content

from store.access import path_owner
from store.memory import Memory
from store.usage import totals
from store.view import View
from tui.dates import ago, day, moment, said
from tui.text import content, count, fields, line, lines, literal, one_line, preview

if TYPE_CHECKING:
    from pipeline.recall.filtering.spans import Sought
    from pipeline.recall.hits import Hit
    from store.changes import Committed

GLANCE = 4_000
"""Characters shown while the detail follows the cursor; a longer text is shown when the detail is entered."""
READ = 64_000
"""Characters shown in an entered detail; what is longer is read in the editor (`decisions.md` §3.4)."""
HISTORY_SHOWN = 30
MARKS = 200
"""Places of one text that are marked."""
LABEL = 12
"""Cells of the names before facts and of the times before changes."""
MUTED = "$text-muted"
HEAD = "bold $text-primary"


@dataclass(frozen=True, slots=True)
class Detail:
    """What is known about the memory under the cursor; `history` is None until it was looked up."""

    memory: Memory
    view: View
    today: date
    sought: Sought | None = None
    """What is marked in the text."""
    history: Sequence[Committed] | None = None
    hit: Hit | None = None
    why: bool = False
    full: bool = False
    width: int = 80
    titled: bool = True
    """Whether the title is a line of the text (wide) or the rule above it."""


def title(memory: Memory) -> Content:
    """Its file's name, type, who reads it, what protects it."""
    owner = path_owner(memory.path) or memory.owner
    reads = f"private to {one_line(owner, 60)}" if memory.scope == "private" and owner else one_line(memory.scope, 20)
    words = [one_line(memory.name.removesuffix(".md"), 80), one_line(memory.type, 20), reads]
    words += ["immutable"] if memory.immutable else []
    words += [memory.state] if memory.state != "live" else []
    return line((words[0], "bold"), "   ", "   ".join(words[1:]))


def show(detail: Detail) -> Content:
    """The whole detail as one text."""
    parts = [title(detail.memory), Content("")] if detail.titled else []
    if detail.why:
        parts += [*_why(detail), Content("")]  # asked for by key: seen at once, however little room there is
    parts += _text(detail)
    parts += _facts(detail)
    if detail.history:
        parts += [Content(""), line(("HISTORY", HEAD)), *history_lines(detail.history[:HISTORY_SHOWN], detail.width)]
    return lines(parts)


def _text(detail: Detail) -> list[Content]:
    memory = detail.memory
    parts = [content(one_line(memory.subject, 400), "bold")] if memory.subject else []
    if not memory.has_front_matter:
        parts.append(content("This file has no front matter; e gives it one.", "$text-warning"))
    text, left = preview(_whole(memory), READ if detail.full else GLANCE)
    parts.append(_marked(literal(text), detail.sought))
    if left:
        how = "E opens all of it" if detail.full else "enter shows more"
        parts.append(line((f"{left:,} more characters; {how}", MUTED)))
    return parts


def _whole(memory: Memory) -> str:
    """The text a person reads: the statement, and the body where it says something else."""
    if not memory.has_front_matter:
        return memory.body
    body = memory.body.strip("\n")
    if not body or " ".join(body.split()) == " ".join(memory.statement.split()):
        return memory.display
    return f"{memory.statement}\n\n{body}"


def _marked(text: str, sought: Sought | None) -> Content:
    shown = Content(text)
    if sought is None:
        return shown
    from pipeline.recall.filtering.spans import spans  # its patterns are not for the first frame

    for start, end in spans(text, sought)[:MARKS]:
        shown = shown.stylize("bold underline $text-primary", start, end)
    return shown


def _facts(detail: Detail) -> list[Content]:
    """Where it comes from and how it was used: only what is known."""
    memory = totals(detail.view, detail.memory)
    rows: list[tuple[str, str]] = []
    if memory.evidence:
        rows.append(("rests on", memory.evidence))
    if ago_said := said(memory.observed):
        rows.append(("said", f"{ago_said}, {moment(memory.observed)}"))
    if memory.tags:
        rows.append(("tags", ", ".join(memory.tags)))
    rows += [(one_line(name, 40), value) for name, value in _origin(memory) if value]
    dates = [f"made {day(memory.created, detail.today)}"] if memory.created else []
    if memory.updated and memory.updated != memory.created:
        dates.append(f"changed {day(memory.updated, detail.today)}")
    if dates:
        rows.append(("dates", ", ".join(dates)))
    if memory.state == "trashed":
        rows.append(("trash", f"{ago(memory.trashed_at, detail.today)} here; r puts it back"))
    if memory.access_count:
        last = f", last {day(memory.last_accessed, detail.today)}" if memory.last_accessed else ""
        rows.append(("used", count(memory.access_count, "time") + last))
    rows.append(("file", memory.path))
    if memory.state == "live" and memory.path.removesuffix(".enc") != memory.id:
        rows.append(("was", f"{memory.id}, as the history calls it"))
    return [Content(""), *fields(rows, LABEL, detail.width)]


def _origin(memory: Memory) -> list[tuple[str, str]]:
    confidence = "" if memory.confidence in {None, 1.0} else f"{memory.confidence:g}"
    return [
        ("source", memory.source),
        ("label", memory.label),
        ("project", memory.project),
        ("confidence", confidence),
        *[pair for pair in memory.extra if pair[0] != "observed" or not said(pair[1])][:12],
    ]


def history_lines(changes: Sequence[Committed], cells: int) -> list[Content]:
    """Changes, one under the other: when, what, by whom, and whether it was taken back."""
    rows = []
    for change in changes:
        undone = f", taken back by {change.undone_by}" if change.undone_by else ""
        by = "" if change.by == "you" else f", {change.by}"
        rows.append((moment(change.at), f"{change.reason}  (change {change.number}{by}{undone})"))
    return fields(rows, LABEL, cells)


def _why(detail: Detail) -> list[Content]:
    """The parts that the ranker counted, or what keeps the memory, when nothing was ranked."""
    from pipeline.recall.explain import explain_hit, explain_memory
    from store.roots import read_yotta_config
    from store.settings import half_lives

    memory, today = totals(detail.view, detail.memory), detail.today.isoformat()
    lives = half_lives(detail.view, read_yotta_config())
    if detail.hit is not None:
        report = explain_hit(detail.hit, today, lives)
        head = f"WHY IT RANKS HERE   {report.final:g}"
        return [line((head, HEAD)), *(content(text) for text in report.why), *_standing(report.memory)]
    return [line(("WHY IT STANDS HERE", HEAD)), *_standing(explain_memory(memory, today, lives))]


def _standing(report: Any) -> list[Content]:
    life = "never ages" if report.half_life is None else f"half-life {report.half_life:g} days"
    numbers = f"importance {report.importance:g}   vitality {report.vitality:g}   age {report.age} days   {life}"
    return [content(numbers, MUTED), content(report.words, MUTED)]


def as_text(memories: Sequence[Memory]) -> str:
    """The text of memories, for the clipboard."""
    return "\n\n".join(_whole(memory) for memory in memories)


def as_json(memories: Sequence[Memory]) -> str:
    """Memories as JSON with the names of `decisions.md` §7, for the clipboard."""
    kept = (
        "id",
        "type",
        "label",
        "subject",
        "statement",
        "scope",
        "owner",
        "tags",
        "source",
        "created",
        "updated",
        "state",
    )
    rows = [{key: value for key, value in asdict(memory).items() if key in kept} for memory in memories]
    ordered = [{key: row[key] for key in kept} for row in rows]
    import json

    return json.dumps({"schema": 1, "memories": ordered}, ensure_ascii=False, indent=2)
