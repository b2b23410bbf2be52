"""What a run would show a model, window by window, without asking one (`spec/extraction.md` §24.5).

The engine itself is run, on a copy of the bank and with a door that only listens: so windows, evidence, offered facts
and prompts are those of the real run. What the model would answer nobody knows; calls and tokens are estimates.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipeline.extract.effects import Started, Told
from pipeline.extract.evidence import Record
from pipeline.extract.evidence import render as evidence_json
from pipeline.extract.findings import CALLS
from pipeline.extract.options import Options
from pipeline.extract.prompts.prompt import prompt
from pipeline.extract.rerun import Span
from pipeline.extract.stages import Canonicalize, Localize, OpenGap, Propose, Reflect
from pipeline.extraction import extract
from pipeline.formats.session import Session
from pipeline.reply import ModelProblem, Reply, never
from pipeline.run import BankLike, Cancelled, Door, by_rules, reflects
from store.secret import MASK

DETAILED = 64
"""Windows that are kept with their texts; of more only the figures are told."""
TYPICAL_CALLS = 2
"""Calls of a window that goes well: a proposal and its check."""
BYTES_PER_TOKEN = 4
"""Of a prompt in UTF-8: about right for English, and for Chinese, where a character is three bytes."""
_NOTHING = '{"status":"complete","incidents":[]}'


@dataclass(frozen=True, slots=True)
class Window:
    """One window: the seqs that it goes over (after < seq <= through), and what its first call would show.

    `masked` counts the secrets that were masked in the evidence; `tokens` is the estimate for the prompt.
    """

    session: str
    after: int
    through: int
    records: tuple[Record, ...] = ()
    open_gaps: tuple[OpenGap, ...] = ()
    prompt: str = ""
    masked: int = 0
    tokens: int = 0

    @property
    def evidence(self) -> str:
        """The evidence JSON as it stands in the prompt."""
        return evidence_json(self.records) if self.records else ""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a run would do: its windows (those without words of the person cost no call), and `more` beyond them.

    `states` says of each session what a run would come to that needs no call: nothing new, left alone, failed …
    """

    windows: tuple[Window, ...] = ()
    calling: int = 0
    reflections: int = 0
    """Windows that are also asked about insights and suggestions, when calls are left for that."""
    messages: int = 0
    masked: int = 0
    tokens: int = 0
    more: bool = False
    states: Mapping[str, str] | None = None
    problem: str = ""
    rules: bool = False
    """Whether rules answer: then there are no calls, and no tokens."""

    @property
    def calls(self) -> tuple[int, int]:
        """Calls that are likely, and the most that there can be."""
        if self.rules:
            return 0, 0
        return self.calling * TYPICAL_CALLS + self.reflections, self.calling * CALLS


class _Listening:
    """A door that asks nobody: it keeps what it is asked and finds nothing."""

    def __init__(self, door: Door) -> None:
        self.window_messages: Any = getattr(door, "window_messages", None)
        self.reflects = reflects(door)
        self.asked: Propose | None = None
        self.reflections = 0

    def propose(self, question: Propose, cancelled: Cancelled) -> Reply | ModelProblem:
        """Keep the question."""
        self.asked = question
        return Reply(_NOTHING)

    def localize(self, question: Localize, cancelled: Cancelled) -> Reply | ModelProblem:
        """Never asked: nothing was searched for."""
        return Reply(_NOTHING)

    def canonicalize(self, question: Canonicalize, cancelled: Cancelled) -> Reply | ModelProblem:
        """Never asked: nothing was proposed."""
        return Reply(_NOTHING)

    def reflect(self, question: Reflect, cancelled: Cancelled) -> Reply | ModelProblem:
        """Count the question for insights and suggestions."""
        self.reflections += 1
        return Reply("null")


@dataclass(slots=True)
class _Notes:
    """The windows as the engine comes to them."""

    door: _Listening
    windows: list[Window]
    figures: list[tuple[int, int, int]]

    def hear(self, told: Told) -> None:
        """A window begins: what was asked belongs to the one before."""
        if isinstance(told, Started):
            self.close()
            self.windows.append(Window(told.session, told.after, told.through))

    def close(self) -> None:
        """Fill in the last window from what was asked about it."""
        asked, self.door.asked = self.door.asked, None
        if asked is None:
            return
        last = self.windows[-1]
        text = prompt(asked)
        masked, tokens = sum(one.text.count(MASK) for one in asked.records), estimate(text)
        self.figures.append((len(asked.records), masked, tokens))
        if len(self.figures) <= DETAILED:
            gaps = tuple(asked.open_gaps)
            self.windows[-1] = Window(last.session, last.after, last.through, asked.records, gaps, text, masked, tokens)


def plan(
    sessions: Sequence[Session],
    bank: BankLike,
    door: Door,
    options: Options | None = None,
    *,
    project: str | None = None,
    spans: Sequence[Span] = (),
    cancelled: Cancelled = never,
) -> Plan:
    """What `extract` would do with the same arguments, as far as that is known without a model; writes nothing."""
    listening = _Listening(door)
    notes = _Notes(listening, [], [])
    report = extract(
        sessions,
        bank,
        listening,
        options,
        project=project,
        on_event=notes.hear,
        cancelled=cancelled,
        dry_run=True,
        parallel=1,
        spans=spans,
    )
    notes.close()
    figures, rules = notes.figures, by_rules(door)
    messages, masked, tokens = (sum(column) for column in zip(*figures, strict=True)) if figures else (0,) * 3
    return Plan(
        tuple(replace(window, tokens=0) if rules else window for window in notes.windows),
        len(figures),
        listening.reflections,
        messages,
        masked,
        0 if rules else tokens + _checking(figures),
        any(one.result.more for one in report.sessions),
        {one.key: one.state for one in report.sessions},
        next((one.problem for one in report.sessions if one.problem), ""),
        rules,
    )


def estimate(text: str) -> int:
    """About how many tokens a text is; no tokenizer of an unknown model can be asked."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def _checking(figures: Sequence[tuple[int, int, int]]) -> int:
    """The prompts of the last stage, about: their fixed text, and quotes of half the evidence."""
    fixed = estimate(prompt(Canonicalize((), 0)))
    proposal = estimate(prompt(Propose((), 0)))
    return sum(fixed + max(0, tokens - proposal) // 2 for _, _, tokens in figures)
