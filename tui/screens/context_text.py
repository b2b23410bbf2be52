"""The pack's own lines as rows: each tied to its memory, with the lines that another pack has or has not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.context.difference import Changed, Difference, difference
from pipeline.context.pack import Pack
from pipeline.context.since import Since
from tui.baselines import note
from tui.text import count, cut, fit, one_line, width
from tui.widgets.rows import Piece

NEAR = 1
"""Unchanged lines shown around each change; the rest is one line that counts them."""
LONGEST = 1_000
SIGN_STYLES = {"-": "warn", "+": "good"}


@dataclass(frozen=True, slots=True)
class Shown:
    """One row: a line with its sign, what is said about it at the right, or a count of lines left out."""

    changed: Changed | None
    note: str = ""
    left_out: int = 0


class TextRows:
    """A row source over the lines of a pack. The id of a row is its number; `entry` is the memory that it shows."""

    def __init__(self, shown: Sequence[Shown]) -> None:
        self.shown = shown
        self._places: dict[str, int] = {}
        for at, row in enumerate(shown):
            for entry in row.changed.line.entries if row.changed is not None else ():
                self._places.setdefault(entry, at)

    def __len__(self) -> int:
        return len(self.shown)

    def id(self, index: int) -> str:
        """The number of the row."""
        return str(index)

    def find(self, id: str) -> int | None:
        """A row by its number."""
        return int(id) if id.isdigit() and int(id) < len(self.shown) else None

    def place(self, entry: str) -> int | None:
        """The first row that shows a memory."""
        return self._places.get(entry)

    @property
    def first_change(self) -> int:
        """The first changed line that shows a memory, else the first changed line, else the top."""
        changed = [at for at, row in enumerate(self.shown) if row.changed is not None and row.changed.sign != " "]
        return next((at for at in changed if self.entry(at)), changed[0] if changed else 0)

    def entry(self, index: int) -> str:
        """The memory of a row, "" for none."""
        changed = self.shown[index].changed if 0 <= index < len(self.shown) else None
        return changed.line.entry if changed is not None else ""

    def text(self, index: int) -> str:
        """The whole line of a row."""
        changed = self.shown[index].changed if 0 <= index < len(self.shown) else None
        return changed.line.text if changed is not None else ""

    def row(self, index: int, cells: int) -> Sequence[Piece]:
        """Sign, text, note."""
        shown = self.shown[index]
        if shown.changed is None:
            return [(fit(f"  {count(shown.left_out, 'line')} alike", cells), "muted")]
        sign, line = shown.changed.sign, shown.changed.line
        style = SIGN_STYLES.get(sign, "strong" if line.text.startswith("#") else "" if line.entry else "muted")
        note = shown.note if cells - width(shown.note) >= 40 else ""
        room = cells - 2 - (width(note) + 3 if note else 0)
        pieces = [(f"{sign} ", style), (fit(flat(line.text, room), room), style)]
        return [*pieces, ("  ", ""), (note, style or "muted"), (" ", "")] if note else pieces


def flat(text: str, room: int) -> str:
    """A line of a pack on one row, its indentation kept."""
    lead = len(text) - len(text.lstrip(" "))
    return cut(" " * min(lead, 8) + one_line(text, LONGEST), room)


def with_hook(unhooked: Pack, pack: Pack) -> TextRows:
    """The pack, and at their places the lines that it would have without the hook."""
    if unhooked is pack or not (pack.removed or pack.paged or pack.order):
        return TextRows([Shown(Changed(" ", line)) for line in pack.lines])
    told = difference(unhooked, pack)
    gone = dict.fromkeys(told.left, "only without the hook")
    come = dict.fromkeys(told.entered, "moved up")
    return TextRows([Shown(changed, _note(changed, gone, come)) for changed in told.lines])


def without_hook(hooked: Pack, pack: Pack) -> TextRows:
    """The pack with the hook turned off, and at their places the lines that the hook changes."""
    told = difference(hooked, pack)
    gone = dict.fromkeys(told.left, "only with the hook")
    come = dict.fromkeys(told.entered, "only without the hook")
    return TextRows([Shown(changed, _note(changed, gone, come)) for changed in told.lines])


def against(told: Difference) -> TextRows:
    """What differs from today's pack, with the unchanged lines around it."""
    gone = dict.fromkeys(told.left, "left") | {move.id: f"now in {move.after}" for move in told.moved}
    come = dict.fromkeys(told.entered, "came in") | {move.id: f"was in {move.before}" for move in told.moved}
    return changes(told, gone, come)


def since_rows(found: Since) -> TextRows:
    """What differs from a baseline, with the cause at each line."""
    gone = {item.id: note(item) if not item.after else "" for item in found.items}
    come = {item.id: note(item) for item in found.items}
    return changes(found.told, gone, come)


def changes(told: Difference, gone: Mapping[str, str], come: Mapping[str, str]) -> TextRows:
    """The changed lines with those around them; `gone` and `come` are what is said of memories at `-` and `+`."""
    near = _near(told.lines)
    rows: list[Shown] = []
    left_out = 0
    for at, changed in enumerate(told.lines):
        if at not in near:
            left_out += 1
            continue
        if left_out:
            rows.append(Shown(None, left_out=left_out))
            left_out = 0
        rows.append(Shown(changed, _note(changed, gone, come)))
    return TextRows([*rows, *([Shown(None, left_out=left_out)] if left_out else [])])


def _near(lines: Sequence[Changed]) -> set[int]:
    """The changed lines, the ones around them, and the headings of their sections."""
    heads: dict[str, int] = {}
    near: set[int] = set()
    for at, changed in enumerate(lines):
        if changed.line.text.startswith("## "):
            heads[changed.line.section] = at
        if changed.sign != " ":
            near.update(range(max(0, at - NEAR), at + NEAR + 1))
            near.update(heads[changed.line.section] for _ in range(changed.line.section in heads))
    return near


def _note(changed: Changed, gone: Mapping[str, str], come: Mapping[str, str]) -> str:
    if changed.sign == " ":
        return ""
    return (gone if changed.sign == "-" else come).get(changed.line.entry, "")
