"""The lines of an audited text as rows, and all that is known of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual.content import Content

from pipeline.context.audit.comparison import STATUSES, Audit, Item, Status, suggested_command
from pipeline.review.from_audit import Sending, Sent
from store.called import called
from store.memory import Memory
from tui.audited import WORDS, difference_words
from tui.text import content, count, fit, line, lines, one_line
from tui.widgets.rows import Piece

MUTED = "$text-muted"
HEAD = "bold $text-primary"
SIGNS: Mapping[Status, tuple[str, str]] = {"missing": ("!", "bad"), "uncertain": ("~", "warn"), "landed": ("+", "good")}
WAITS = ("?", "accent", "in review")
"""Sign, style and word of a line that waits in Review already."""
WORD, HELD, LEAST_TEXT = 11, 34, 30
"""Cells of the word, of the memory beside the line, and of a line that leaves room for one."""
MOST = 600
"""Characters of a memory's statement that are shown."""
SENT: Mapping[Sent, str] = {
    "filed": "It can wait in Review.",
    "waits already": "It waits in Review.",
    "rejected before": "You rejected it in Review before.",
    "known already": "A memory that this agent may not read says it already.",
    "secret": "It looks like it holds a secret; it is not kept.",
    "no fact": "It is too short or too long to be one fact.",
}
"""What can become of a line in Review, as a sentence."""


class AuditRows:
    """A row source over the lines of an audit: what is lost first, then what is uncertain, then what has landed."""

    def __init__(self, done: Audit, fates: Mapping[int, Sent], only: Status | None = None) -> None:
        self.items = [item for name in STATUSES if only in (None, name) for item in done.items if item.status == name]
        self._fates = fates
        self._places = {self.id(at): at for at in range(len(self.items))}

    def __len__(self) -> int:
        return len(self.items)

    def id(self, index: int) -> str:
        """The number of the line in the text."""
        return str(self.items[index].segment.line)

    def find(self, id: str) -> int | None:
        """Where a line stands."""
        return self._places.get(id)

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """Sign, word, the line, and the memory that holds it or comes nearest."""
        item = self.items[index]
        sign, style, word = (*SIGNS[item.status], WORDS[item.status])
        if self._fates.get(item.segment.line) == "waits already":
            sign, style, word = WAITS
        held = HELD if width - 2 - WORD - HELD >= LEAST_TEXT else 0
        pieces = [(f"{sign} ", style), (fit(word, WORD), style)]
        pieces.append((fit(one_line(item.text), max(0, width - 2 - WORD - held)), ""))
        return [*pieces, ("  ", ""), (fit(_beside(item), held - 2), "muted")] if held else pieces


def _beside(item: Item) -> str:
    memory = item.memory
    if memory is None:
        return "nothing like it"
    subject = one_line(memory.subject or memory.statement, 60)
    return f"{_percent(item)}  {memory.type} {subject}" if item.status != "landed" else f"{memory.type} {subject}"


def _percent(item: Item) -> str:
    """The part of its words that one memory has; never 100 % for less than all."""
    return f"{int(item.coverage * 100)} %"


def told(item: Item, fate: Sent | None, agent: str, more: Sequence[str]) -> Content:
    """Everything about one line: itself, what became of it and why, the memory, and how it could be kept.

    `more` are words for the command that would keep it.
    """
    rows = [content(item.text, "bold"), line((f"line {item.segment.line:,} of the text", MUTED)), Content("")]
    rows += [_verdict(item, agent), *(content(f"{difference_words(one)}.".capitalize()) for one in item.differs)]
    if item.memory is not None:
        rows += [Content(""), *_memory(item.memory, "HELD BY" if item.status == "landed" else "NEAREST")]
    if fate is not None:
        rows += [Content(""), content(SENT[fate])]
    if item.status == "missing" and fate == "filed":
        command = suggested_command(item.text, more)
        rows += [Content(""), line(("OR AS A COMMAND", HEAD)), content(command, MUTED)]
    return lines(rows)


def _verdict(item: Item, agent: str) -> Content:
    name = one_line(agent, 60)
    if item.status == "landed":
        return line(("Landed.", "bold $text-success"), f" A memory that {name} may read says it.")
    if item.status == "uncertain":
        part = f" {_percent(item)} of its words stand in one memory that {name} may read."
        return line(("Uncertain.", "bold $text-warning"), part)
    near = f"; the nearest has {_percent(item)} of its words" if item.memory else ""
    return line(("Lost.", "bold $text-error"), f" No memory that {name} may read holds it{near}.")


def _memory(memory: Memory, head: str) -> list[Content]:
    statement = one_line(memory.statement, MOST)
    return [
        line((head, HEAD), (f"   {called(memory.id)}", MUTED)),
        line((f"{one_line(memory.type, 20)} ", MUTED), (one_line(memory.subject, 200), "bold"), f": {statement}"),
    ]


def told_sending(sending: Sending) -> str:
    """What became of the lines that were sent, as a sentence."""
    counts = sending.counts
    waits = f"{count(counts['filed'], 'line')} {'waits' if counts['filed'] == 1 else 'wait'} in Review now"
    words: dict[Sent, str] = {
        "filed": waits,
        "waits already": f"{counts['waits already']:,} there already",
        "known already": f"{counts['known already']:,} known to a memory already",
        "rejected before": f"{counts['rejected before']:,} rejected before",
        "secret": f"{counts['secret']:,} left out, for what looks like a secret",
        "no fact": f"{counts['no fact']:,} left out, too short or too long for one fact",
    }
    return "; ".join(text for fate, text in words.items() if counts[fate]) + "."
