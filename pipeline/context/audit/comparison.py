"""What of a text that is about to be lost has landed in the bank, what is uncertain, and what is lost.

Pure: it compares and writes nothing (`spec/context.md` §14, §15, ctx-D19).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Literal

from pipeline.context.audit.coverage import Held, Holdings
from pipeline.context.audit.disagreement import Difference, differences
from pipeline.context.audit.segments import Segment, segments
from pipeline.context.request import Request, check
from pipeline.context.standing import stand
from pipeline.measure import cut_units, round3, units
from store.memory import Memory
from store.view import View

Status = Literal["landed", "uncertain", "missing"]
STATUSES: tuple[Status, ...] = ("missing", "uncertain", "landed")
SCHEMA = 1
UNCERTAIN_FROM = 0.6
"""Part of the least coverage from which a line is uncertain rather than missing."""
SUBJECT_UNITS, LEAST_SUBJECT = 20, 8
"""UTF-16 units of a suggested subject, and those that must stay when punctuation is taken from its end."""
_PLAIN_WORD = re.compile(r"[A-Za-z0-9_@%+=:,./][A-Za-z0-9_@%+=:,./-]*")


@dataclass(frozen=True, slots=True)
class Item:
    """One line and what became of it.

    `coverage` is the part of its words that the best memory has, 0..1. `memory` is that memory, None when nothing is
    shared. `differs` says what keeps a line from counting as landed though its words would do.
    """

    segment: Segment
    coverage: float
    by_words: Status
    memory: Memory | None = None
    differs: tuple[Difference, ...] = ()

    @property
    def text(self) -> str:
        """The line, without bullet and number."""
        return self.segment.text

    @property
    def status(self) -> Status:
        """What became of it: a changed number or negation is uncertain at most (ctx-D19)."""
        return "uncertain" if self.differs else self.by_words

    @property
    def matched(self) -> Memory | None:
        """The memory that holds the line, or would but for `differs`."""
        return self.memory if self.by_words == "landed" else None


@dataclass(frozen=True)
class Audit:
    """A text and what became of each of its lines that are worth keeping."""

    source: str
    min_coverage: float
    items: tuple[Item, ...]

    @cached_property
    def counts(self) -> Counter[Status]:
        """How many lines met each status."""
        return Counter(item.status for item in self.items)


def audit(view: View, request: Request, text: str, source: str = "inline", min_coverage: float = 0.5) -> Audit:
    """Compare a text with what the agent of `request` may read.

    `source` names where the text is from; `min_coverage`, above 0 and at most 1, is the part of a line's words that one
    memory must have. Raises what `check` raises.
    """
    check(request)
    found = segments(text)
    holdings = Holdings(stand(view, request).eligible, [segment.text for segment in found])
    items = tuple(_item(segment, holdings.of(segment.text), min_coverage) for segment in found)
    return Audit(source, min_coverage, items)


def _item(segment: Segment, held: Held, least: float) -> Item:
    by_words: Status = "missing"
    if held.coverage >= least:
        by_words = "landed"
    elif held.coverage > 0 and held.coverage >= UNCERTAIN_FROM * least:
        by_words = "uncertain"
    first = held.memories[0] if held.memories else None
    if by_words != "landed" or first is None:
        return Item(segment, held.coverage, by_words, first)
    # Several may hold it equally well; one that agrees is enough.
    agreed = next((memory for memory in held.memories if not _differences(segment, memory)), None)
    return Item(segment, held.coverage, by_words, agreed or first, () if agreed else _differences(segment, first))


def _differences(segment: Segment, memory: Memory) -> tuple[Difference, ...]:
    return differences(segment.text, memory.subject, memory.statement)


def report(done: Audit, more: Sequence[str] = ()) -> dict[str, Any]:
    """What `context --audit FILE --json` prints (`spec/context.md` §15); `more` are words for the suggested commands.

    Beyond the specification each item names the `nearest_file` with its subject, its `line` and what `differs`.
    """
    return {
        "schemaVersion": SCHEMA,
        "mode": "input",
        "source": done.source,
        "thresholds": {"min_coverage": done.min_coverage},
        "summary": {"candidates": len(done.items), **{name: done.counts[name] for name in sorted(STATUSES)}},
        "items": [_told(item, more) for item in done.items],
    }


def _told(item: Item, more: Sequence[str]) -> dict[str, Any]:
    matched, nearest = item.matched, item.memory
    return {
        "text": item.text,
        "status": item.status,
        "coverage": round3(item.coverage),
        "matched_file": matched.path if matched else "",
        "matched_subject": matched.subject if matched else "",
        "suggested_command": suggested_command(item.text, more) if item.status == "missing" else "",
        "line": item.segment.line,
        "nearest_file": nearest.path if nearest else "",
        "nearest_subject": nearest.subject if nearest else "",
        "differs": [asdict(one) for one in item.differs],
    }


def suggested_command(text: str, more: Sequence[str] = ()) -> str:
    """The command that would keep a line, safe to paste into a shell; `more` are further words for it (`--as`, …)."""
    said = _one_line(text).replace('"', "'")
    subject = suggested_subject(said)
    rest = ["--"] if subject.startswith("-") or said.startswith("-") else []
    words = ["memdesk", "remember", "FACT", *more, "--verify", *rest]
    return " ".join([*map(_quoted, words), _quoted(subject, always=True), _quoted(said, always=True)])


def suggested_subject(text: str) -> str:
    """What a line is about: what follows its first colon, else all of it, at most 20 units.

    Punctuation at its end goes where 8 units stay.
    """
    after = re.split("[:：]", text, maxsplit=1)[-1].strip() or text
    cut = cut_units(after, SUBJECT_UNITS).strip()
    end = len(cut)
    while end and (cut[end - 1].isspace() or unicodedata.category(cut[end - 1]).startswith("P")):
        end -= 1
    return cut[:end] if units(cut[:end]) >= LEAST_SUBJECT else cut


def _one_line(text: str) -> str:
    """The text without characters that act on a terminal when a command is pasted into it."""
    return "".join(" " if unicodedata.category(one) in ("Cc", "Zl", "Zp") else one for one in text)


def _quoted(word: str, always: bool = False) -> str:
    if not always and (_PLAIN_WORD.fullmatch(word) or word.startswith("--")):
        return word
    return "'" + word.replace("'", "'\\''") + "'"
