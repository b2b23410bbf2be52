"""Ranges of sessions that no run got through, as rows, and what is said of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from textual.content import Content

from pipeline.extract.evidence import Record
from pipeline.review.left_out import LeftOut
from store import clock
from tui.dates import moment
from tui.text import content, count, fit, line, one_line
from tui.widgets.rows import Piece

MUTED = "$text-muted"
SIGNS: Mapping[str, tuple[str, str]] = {"frozen": ("!", "warn"), "given up": ("x", "muted"), "denied": ("-", "muted")}
STATES: Mapping[str, str] = {
    "frozen": "failed once; the next run tries it once more",
    "given up": "given up; nothing tries it by itself",
    "denied": "written while memory was switched off",
}
CLASSES: Mapping[str, str] = {
    "provider": "the model could not be reached, or refused",
    "schema": "the model's answer could not be read",
    "evidence": "what the model quoted does not stand there",
    "localization": "the messages that it was about could not be found",
}
"""Why a range failed (`spec/extraction.md` §13), in words."""
WHEN, TURNS, SESSION = 14, 18, 10


def why(name: str) -> str:
    """A failure class in words."""
    return CLASSES.get(name, name)


def row_id(one: LeftOut) -> str:
    """What names a range in the list: one may be there twice, for two reasons."""
    return f"{one.state} {one.id}"


def turns(one: LeftOut) -> str:
    """`turns 15 to 36`."""
    first = max(1, one.after + 1)
    return f"turn {first:,}" if first == one.through else f"turns {first:,} to {one.through:,}"


def name(one: LeftOut) -> str:
    """The session in a few letters."""
    return one_line(one.session.rpartition("/")[2], 80)[:8]


class FailureRows:
    """A row source over ranges that were left out."""

    def __init__(self, items: Sequence[LeftOut]) -> None:
        self.items = items
        self._places = {row_id(one): at for at, one in enumerate(items)}

    def __len__(self) -> int:
        return len(self.items)

    def id(self, index: int) -> str:
        """The range's id."""
        return row_id(self.items[index])

    def find(self, id: str) -> int | None:
        """Where a range stands."""
        return self._places.get(id)

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """Sign, session, turns, when, and why it was left out."""
        one = self.items[index]
        sign, style = SIGNS[one.state]
        words = why(one.failure_class) or STATES[one.state]
        room = max(0, width - 2 - SESSION - TURNS - WHEN)
        return [
            (f"{sign} ", style),
            (fit(name(one), SESSION), "strong"),
            (fit(turns(one), TURNS), ""),
            (fit(_moment(one.at), WHEN), "muted"),
            (fit(words, room), "muted" if one.state != "frozen" else ""),
        ]


def told(one: LeftOut, records: Sequence[Record] | None, problem: str) -> Content:
    """What is known of a range, and the person's words in it: None while they are not read."""
    first = f"; before that: {why(one.first_class)}" if one.first_class not in ("", one.failure_class) else ""
    facts = [
        ("state", STATES[one.state]),
        ("why", f"{why(one.failure_class)}{first}" if one.failure_class else ""),
        ("tried", count(one.attempts, "time") if one.attempts else ""),
        ("project", one_line(one.project, 60)),
        ("file", one_line(one.path, 400) or "not known any more"),
    ]
    rows = [line((f"{head:<9}", MUTED), words) for head, words in facts if words]
    return Content("\n").join([*rows, Content(""), *_words(records, problem)])


def _words(records: Sequence[Record] | None, problem: str) -> list[Content]:
    if problem:
        return [content(problem, "$text-error")]
    if records is None:
        return [content("reading what was said there ...", MUTED)]
    if not records:
        return [content("Nothing in it was typed by you.", MUTED)]
    head = line(("WHAT YOU SAID THERE", "bold $text-primary"), ("   secrets masked, as a model would see it", MUTED))
    return [head, *(line((f"{record.seq:>5}  ", MUTED), one_line(record.text, 600)) for record in records)]


def _moment(at: int) -> str:
    return moment(datetime.fromtimestamp(at / 1000, tz=clock.now().tzinfo).isoformat()) if at else ""
