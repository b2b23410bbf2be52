"""Lines that an audit found lost, as proposals that wait in Review (`spec/context.md` §15).

Their evidence is the exact line of the text that was audited. Who wrote that text is not known, and Review says so: a
host may discard what a model or a tool wrote.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from pipeline.context.audit.segments import Segment
from pipeline.extract.canonical import statement
from pipeline.extract.placement import place
from pipeline.review.from_turn import LONGEST, SHORTEST
from pipeline.review.proposals import Filing, propose
from store.changes import Changeset, Origin, PutMemory, PutRow
from store.clock import millis, today
from store.memory import Quote
from store.remember import remember
from store.secret import find_secrets
from store.view import View

FORMAT = "audit"
"""`format` of a quote whose `session` names an audited text instead of a session."""
SOURCE = "context_audit"
"""`source` of a memory that was proposed from one."""
BY = "you"

Sent = Filing | Literal["secret", "no fact"]


@dataclass(frozen=True)
class Sending:
    """What sending lines to Review comes to: the changeset with the new proposals, and the fate of each line."""

    changeset: Changeset
    fates: tuple[Sent, ...]

    @cached_property
    def counts(self) -> Counter[Sent]:
        """How many lines met each fate."""
        return Counter(self.fates)


def send_lines(view: View, lines: Sequence[Segment], source: str, agent: str, origin: Origin = "screen") -> Sending:
    """Make proposals of lines; `source` names the text that they are from, `agent` who was about to lose it.

    A line becomes what its words make it (`decisions.md` §2.4), private ones the agent's. One that waits, that the bank
    says already, that a person rejected, that looks like a secret or that is no single fact becomes none.
    """
    rows: list[PutRow] = []
    fates: list[Sent] = []
    for line in lines:
        fate, new = _send(view, line, source, agent)
        fates.append(fate)
        rows += new
    reason = f"{len(rows)} lines of an audit to review" if len(rows) != 1 else "a line of an audit to review"
    return Sending(Changeset(tuple(rows), reason, origin, proposed=True), tuple(fates))


def _send(view: View, line: Segment, source: str, agent: str) -> tuple[Sent, Iterable[PutRow]]:
    if find_secrets(line.raw):
        return "secret", ()
    said = statement(line.text)
    if len(said) < SHORTEST or len(line.text) > LONGEST:
        return "no fact", ()
    quote = Quote(source, f"line {line.line}", line.raw, FORMAT, 0, len(line.raw))
    fields = place(said, (quote,), owner=agent) | {"source": SOURCE}
    changes = [one for one in remember(view, fields, today()).changes if isinstance(one, PutMemory)]
    if not changes or changes[0].id is not None:
        return "known already", ()
    reason = f"the memory of {agent} does not hold this line"
    filed = propose(view, changes, BY, reason, millis(), quotes=(quote,), agent=False)
    return filed.fate, filed.rows
