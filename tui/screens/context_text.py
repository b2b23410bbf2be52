"""The pack's own lines as rows: each tied to its memory, with the lines that another pack has or has not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import compress
from operator import attrgetter
from types import MappingProxyType

from pipeline.context.budget import Line
from pipeline.context.difference import Changed, Difference, difference
from pipeline.context.pack import Pack
from pipeline.context.since import Since
from tui.baselines import note
from tui.text import count, cut, fit, one_line, width
from tui.widgets.rows import Piece

NEAR = 1
"""Unchanged lines shown around each change; the rest is one line that counts them."""
LONGEST = 1_000
LEFT_OUT = Changed(" ", Line("", "", "", 0, 0))
"""Stands for lines that are not shown."""
ENTRY = attrgetter("line.entry")
SIGN_STYLES = {"-": "warn", "+": "good"}


class TextRows:
    """A row source over the lines of a pack. The id of a row is its number; `entry` is the memory that it shows.

    `gone` and `come` are what is said of memories at `-` and at `+`, `alike` for how many lines a row `LEFT_OUT` is.
    Nothing is made for a row before it is drawn: a pack may have thousands.
    """

    def __init__(
        self,
        shown: Sequence[Changed],
        gone: Mapping[str, str],
        come: Mapping[str, str],
        alike: Mapping[int, int] = MappingProxyType({}),
    ) -> None:
        self.shown, self.alike = shown, alike
        self._notes = {"-": gone, "+": come}

    @property
    def has_notes(self) -> bool:
        """Whether something is said about any memory."""
        return any(self._notes.values())

    @cached_property
    def _places(self) -> dict[str, int]:
        places: dict[str, int] = {}
        for at in compress(range(len(self.shown)), map(ENTRY, self.shown)):
            for entry in self.shown[at].line.entries:
                places.setdefault(entry, at)
        return places

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
        changed = [at for at, one in enumerate(self.shown) if one.sign != " "]
        return next((at for at in changed if self.entry(at)), changed[0] if changed else 0)

    def _changed(self, index: int) -> Changed:
        return self.shown[index] if 0 <= index < len(self.shown) else LEFT_OUT

    def sign(self, index: int) -> str:
        """In which of the packs the line of a row stands."""
        return self._changed(index).sign

    def entry(self, index: int) -> str:
        """The memory of a row, "" for none."""
        return self._changed(index).line.entry

    def text(self, index: int) -> str:
        """The whole line of a row."""
        return self._changed(index).line.text

    def note(self, index: int) -> str:
        """What is said about the memory of a row, "" for nothing."""
        sign, line = self._changed(index)
        return self._notes.get(sign, {}).get(line.entry, "")

    def row(self, index: int, cells: int) -> Sequence[Piece]:
        """Sign, text, note."""
        if index in self.alike:
            return [(fit(f"  {count(self.alike[index], 'line')} alike", cells), "muted")]
        sign, line = self.shown[index]
        style = SIGN_STYLES.get(sign, "strong" if line.text.startswith("#") else "" if line.entry else "muted")
        note = self.note(index)
        note = note if cells - width(note) >= 40 else ""
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
        return TextRows(difference(pack, pack).lines, {}, {})
    told = difference(unhooked, pack)
    gone = dict.fromkeys(told.left, "only without the hook")
    return TextRows(told.lines, gone, dict.fromkeys(told.entered, "moved up"))


def without_hook(hooked: Pack, pack: Pack) -> TextRows:
    """The pack with the hook turned off, and at their places the lines that the hook changes."""
    told = difference(hooked, pack)
    gone = dict.fromkeys(told.left, "only with the hook")
    return TextRows(told.lines, gone, dict.fromkeys(told.entered, "only without the hook"))


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
    shown: list[Changed] = []
    alike: dict[int, int] = {}
    after = 0
    for at in [*sorted(_near(told.lines)), len(told.lines)]:
        if at > after:
            alike[len(shown)] = at - after
            shown.append(LEFT_OUT)
        shown += told.lines[at : at + 1]
        after = at + 1
    return TextRows(shown, gone, come, alike)


def _near(lines: Sequence[Changed]) -> set[int]:
    """The changed lines, the ones around them, and the headings of their sections."""
    near: set[int] = set()
    above: dict[str, int] = {}  # the latest change of each section
    heads: dict[str, int] = {}
    for at in [at for at, changed in enumerate(lines) if changed.sign != " "]:
        near.update(range(max(0, at - NEAR), min(len(lines), at + NEAR + 1)))
        section = lines[at].line.section
        back = range(at, above.get(section, -1), -1)
        heads[section] = next((at for at in back if _is_head(lines[at].line, section)), heads.get(section, at))
        above[section] = at
        near.add(heads[section])
    return near


def _is_head(line: Line, section: str) -> bool:
    return line.section == section and line.text.startswith("## ")
