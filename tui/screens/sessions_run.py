"""How far a run is: what its thread told so far, added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import singledispatch

from pipeline.contents import Contents
from pipeline.extract.effects import Called, Calling, Done, Fate, Judged, Settled, Started
from pipeline.extraction import OUT, ExtractReport
from pipeline.preview import Plan
from pipeline.usage import NOTHING, Usage, used
from store import clock
from tui.fates import call_words
from tui.screens.sessions_queue import Began, Ended, Job, News, Planned, ReadAll, ReadTo
from tui.text import count, one_line

STAGES = ("read", "propose", "admit", "canonicalize", "settle", "queue")
"""The stages in their order, as the pane names them."""
STAGE_WORDS = {"proposal": "propose", "localized": "look up", "canonicalize": "canonicalize", "reflect": "reflect"}
READING_SHARE = 0.1
"""Part of the bar that reading the file takes; the rest are its messages."""
LOG_LINES = 500
INCIDENTS = 1_000
"""Proposed facts of one run that are kept, the newest."""

Place = tuple[str, int, int]
"""A proposed fact: its session, where its range begins, and its number in the range."""


@dataclass(frozen=True, slots=True)
class Run:
    """One transcript's run. Counts add up over the windows and the sessions of the file; times are milliseconds.

    `spans` maps a session to where its evaluation began, how far it is settled, and where it ends (seqs). `calling`
    maps a session to the call that is under way. `incidents` are the proposed facts with what became of them so far.
    """

    job: Job
    stage: str = ""
    began: int = 0
    ended: int = 0
    size: int = 0
    read: int = 0
    contents: tuple[Contents, ...] = ()
    spans: Mapping[str, tuple[int, int, int]] = field(default_factory=dict)
    windows: int = 0
    shown: int = 0
    proposed: int = 0
    admitted: int = 0
    accepted: int = 0
    settled: int = 0
    calls: int = 0
    rules: bool = False
    calling: Mapping[str, Calling] = field(default_factory=dict)
    usage: Usage = NOTHING
    incidents: Mapping[Place, Fate] = field(default_factory=dict)
    fates: Mapping[str, int] = field(default_factory=dict)
    out: Mapping[str, int] = field(default_factory=dict)
    log: tuple[str, ...] = ()
    plan: Plan | None = None
    report: ExtractReport | None = None
    problem: str = ""
    stranger: bool = False
    stopped: bool = False

    @property
    def waits(self) -> bool:
        """Whether it has not begun."""
        return not self.began and not self.ended

    @property
    def going(self) -> bool:
        """Whether it is being worked on."""
        return bool(self.began) and not self.ended

    @property
    def reading(self) -> bool:
        """Whether its file is being read."""
        return self.going and not self.contents

    @property
    def done(self) -> float:
        """How much of it is done, from 0 to 1."""
        if self.ended:
            return 1.0
        read = self.read / self.size if self.size else 0.0
        if not self.contents:
            return READING_SHARE * min(1.0, read)
        whole = sum(max(0, one.last_seq - self._first(one)) for one in self.contents)
        past = sum(through - first for first, through, _ in self.spans.values())
        within = self._within() * sum(end - through for _, through, end in self.spans.values())
        return READING_SHARE + (1 - READING_SHARE) * min(1.0, (past + within) / whole if whole else 1.0)

    def _first(self, one: Contents) -> int:
        """Where the evaluation of a session begins."""
        return max(0, self.job.spans[0].after if self.job.spans else one.cursor)

    def _within(self) -> float:
        """How much of the window that is being evaluated is done."""
        return {"propose": 0.2, "look up": 0.4, "canonicalize": 0.6}.get(self.stage, 0.0)

    def left(self, now: int) -> int | None:
        """Seconds that the rest may take, None while nobody can tell."""
        gone = now - self.began
        if not self.going or self.done < 2 * READING_SHARE or gone < 2_000:
            return None
        return round(gone / 1_000 / self.done * (1 - self.done))


def after(run: Run, news: News) -> Run:
    """The run after one more piece of news."""
    return _after(news, run)


def queued(job: Job, plan: Plan | None = None) -> Run:
    """A run that waits for its turn."""
    return Run(job, stage="wait", plan=plan)


def logged(run: Run, text: str) -> Run:
    """The run with one more line in its log."""
    line = f"{clock.now():%H:%M:%S}  {one_line(text)}"
    return replace(run, log=(*run.log[-LOG_LINES + 1 :], line))


@singledispatch
def _after(news: object, run: Run) -> Run:
    return run


@_after.register
def _(news: Began, run: Run) -> Run:
    return replace(run, stage="read", began=news.at, size=news.size)


@_after.register
def _(news: ReadTo, run: Run) -> Run:
    return replace(run, read=news.done)


@_after.register
def _(news: ReadAll, run: Run) -> Run:
    run = replace(run, stage="propose", read=run.size, contents=news.contents)
    typed = sum(one.typed for one in news.contents)
    new = sum(one.new for one in news.contents)
    damaged = sum(len(one.damage) + one.more_damage for one in news.contents)
    harm = f", {count(damaged, 'damaged line')}" if damaged else ""
    return logged(run, f"read, {count(typed, 'message')} of yours, {new:,} new{harm}")


@_after.register
def _(news: Planned, run: Run) -> Run:
    likely, most = news.plan.calls
    calls = "" if news.plan.rules else f", {likely} to {most} calls"
    words = f"planned, {count(news.plan.calling, 'window')} with words of yours{calls}"
    return logged(replace(run, plan=news.plan), words)


@_after.register
def _(news: Started, run: Run) -> Run:
    first, through, _ = run.spans.get(news.session, (news.after, news.after, news.after))
    spans = {**run.spans, news.session: (first, through, news.through)}
    run = replace(run, stage="propose", spans=spans, windows=run.windows + 1, shown=run.shown + news.records)
    after_mark = news.after + 1 if news.after > 0 else 1
    return logged(run, f"turns {after_mark} to {news.through}, {count(news.records, 'message')} of yours")


@_after.register
def _(news: Calling, run: Run) -> Run:
    stage = STAGE_WORDS[news.stage]
    calls, calling = run.calls + (not news.rules), {**run.calling, news.session: news}
    run = replace(run, stage=stage, calls=calls, rules=news.rules, calling=calling)
    what = "candidate" if news.stage == "canonicalize" else "message"
    mended = ", told what was wrong" if news.repair else ""
    call = "" if news.rules else f", call {news.number} of {news.budget}"
    return logged(run, f"{stage}{call}, {count(news.size, what)}{mended}")


@_after.register
def _(news: Called, run: Run) -> Run:
    stage, spent = STAGE_WORDS[news.stage], used(news)
    calling = {session: call for session, call in run.calling.items() if session != news.session}
    run = replace(run, calling=calling, usage=run.usage + spent)
    figures = f" ({call_words(spent)})" if spent.seconds or spent.tokens_in else ""
    if news.problem:
        return logged(run, f"{stage}: {news.message}{figures}")
    if news.stage == "canonicalize":
        run = replace(run, accepted=run.accepted + news.found)
        return logged(run, f"{stage}, {news.found:,} kept their words{figures}")
    if news.stage == "reflect":
        return logged(
            run, f"{stage}, {count(news.found, 'insight or suggestion', 'insights and suggestions')}{figures}"
        )
    return logged(replace(run, proposed=run.proposed + news.found), f"{stage}, {count(news.found, 'fact')}{figures}")


@_after.register
def _(news: Judged, run: Run) -> Run:
    through = sum(fate.outcome == "admitted" for fate in news.fates)
    return replace(_with_incidents(run, news.session, news.after, news.fates), admitted=run.admitted + through)


@_after.register
def _(news: Settled, run: Run) -> Run:
    first, _, end = run.spans.get(news.session, (news.after, news.after, news.through))
    own: Counter[str] = Counter(fate.outcome for fate in news.fates if fate.outcome not in OUT)
    out: Counter[str] = Counter(
        fate.reason if fate.outcome == "bad quote" else fate.outcome for fate in news.fates if fate.outcome in OUT
    )
    run = replace(
        _with_incidents(run, news.session, news.after, news.fates),
        stage="queue",
        spans={**run.spans, news.session: (first, news.through, max(end, news.through))},
        settled=run.settled + len(news.fates),
        fates=Counter(run.fates) + own,
        out=Counter(run.out) + out,
    )
    return logged(run, f"settled to turn {news.through}, {count(len(news.fates), 'fact')} judged")


@_after.register
def _(news: Done, run: Run) -> Run:
    return run


@_after.register
def _(news: Ended, run: Run) -> Run:
    problems = [one.problem for one in news.report.sessions if one.problem] if news.report else []
    problem = news.problem or (problems[0] if problems else "")
    run = replace(
        run,
        ended=news.at,
        stage="",
        calling={},
        report=news.report,
        problem=problem,
        stranger=news.stranger,
        stopped=news.stopped and not problem,
    )
    words = problem or ("stopped; what was settled stands" if news.stopped else "done")
    return logged(run, words)


def _with_incidents(run: Run, session: str, began: int, fates: Iterable[Fate]) -> Run:
    known = {**run.incidents, **{(session, began, fate.number): fate for fate in fates}}
    kept = list(known.items())[-INCIDENTS:]
    return replace(run, incidents=dict(kept))
