"""What the pane says of one transcript: its run while there is one, what it holds, what rests on it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from textual.content import Content

from pipeline.contents import Contents, Said
from pipeline.extract.rerun import Span
from pipeline.extraction import ExtractReport
from pipeline.transcripts import Fact, Transcript
from pipeline.usage import Usage
from store.memory import Quote
from tui.dates import moment
from tui.fates import REASONS, plan_words, rules_words, usage_words
from tui.home import at_home
from tui.screens.sessions_incidents import incident_rows
from tui.screens.sessions_progress import block, elapsed, flat, hanging, tall
from tui.screens.sessions_rows import short, state_of
from tui.screens.sessions_run import Run
from tui.screens.sessions_words import AUTHORS, counted, size, waiting
from tui.spans import span_words
from tui.text import content, count, cut, fields, line, lines, one_line
from tui.widgets.quote import bare

LABEL = 12
"""Cells of the names before facts."""
MUTED = "$text-muted"
HEAD = "bold $text-primary"
GLANCE, READ = 12, 500
"""Messages, facts and lines of the log shown while the pane follows the cursor, and when it is entered."""


@dataclass(frozen=True, slots=True)
class Detail:
    """What is known about the transcript under the cursor. `now` is milliseconds; `keys` names the keys that act."""

    item: Transcript
    keys: Mapping[str, str]
    now: int
    run: Run | None = None
    contents: Sequence[Contents] = ()
    facts: Sequence[Fact] = ()
    model: str = ""
    width: int = 80
    tall: bool = False
    """Whether there is room for the stages under each other."""
    full: bool = False
    spans: Sequence[Span] = ()
    """The turns that the next run goes over, where they are not the new ones."""

    @property
    def most(self) -> int:
        """How many lines of one kind are shown."""
        return READ if self.full else GLANCE


def title(detail: Detail) -> Content:
    """The session, its tool, and how much of it is new or how long its run takes."""
    item, run = detail.item, detail.run
    words = [one_line(item.format, 40)]
    if run is not None and run.going:
        words.append(elapsed(run, detail.now))
    elif detail.contents:
        new = sum(one.new for one in detail.contents)
        words.append(count(new, "new message") if new else "nothing new")
    return line((short(one_line(item.name, 60)), "bold"), "   ", "   ".join(words))


def show(detail: Detail) -> Content:
    """The whole pane as one text."""
    parts: list[Content] = [title(detail), Content("")] if detail.tall else []
    run = detail.run
    if run is not None and run.waits:
        return lines([*parts, content(f"It waits its turn; {detail.keys['stop']} stops the queue.", MUTED)])
    if run is not None and run.going:
        cells, most = detail.width, detail.most
        parts += tall(run, cells, detail.model, most) if detail.tall else flat(run, cells, most, full=detail.full)
        parts += _log(detail, run)
        return lines(parts)
    parts += _said_first(detail)
    if run is not None and run.report is not None:
        parts += _result(detail, run, run.report)
    parts += [*_facts(detail), *_known(detail), *_contents(detail)]
    parts += _log(detail, run) if run is not None else []
    return lines(parts)


def _log(detail: Detail, run: Run) -> list[Content]:
    rows = run.log[-detail.most :]
    return [Content(""), line(("LOG", HEAD)), *(content(row, MUTED) for row in rows)] if rows and detail.tall else []


# --- what is known


def _said_first(detail: Detail) -> list[Content]:
    """The state in a sentence, with the key that goes on from there."""
    item, run, keys = detail.item, detail.run, detail.keys
    problem = (run.problem if run is not None else "") or item.problem
    if problem:
        parts = [content(problem, "$text-warning")]
        return (
            [*parts, content(_after_failure(item, keys), MUTED), Content("")]
            if item.state != "new"
            else [*parts, Content("")]
        )
    if not item.there:
        return [content("The file is not there any more; what was found in it stays.", "$text-warning"), Content("")]
    sentence = _next(detail)
    chosen = span_words(detail.spans)
    rows = [line("The next run goes over ", (chosen, "bold"), ".")] if chosen else []
    rows += [content(sentence, MUTED)] if sentence else []
    return [*rows, Content("")] if rows else []


def _after_failure(item: Transcript, keys: Mapping[str, str]) -> str:
    if item.state == "retry":
        return f"{keys['run']} tries it once more; after a second failure these messages are left out."
    if item.state == "given up":
        return "It failed twice and was left out; new messages are evaluated again."
    return f"{keys['run']} tries again."


def _next(detail: Detail) -> str:
    item, keys = detail.item, detail.keys
    run = f"{keys['run']} extracts, {keys['dry']} tries it and keeps nothing, {keys['plan']} shows what is sent"
    if detail.run is not None and detail.run.report is not None:
        return ""
    if not item.key and not detail.contents:
        return f"Nobody has read it yet: {keys['open']} shows what it holds, {run}."
    if item.to_read:
        return f"{run}."
    return "" if detail.contents else f"{keys['open']} reads it and shows what it holds."


def _result(detail: Detail, run: Run, report: ExtractReport) -> list[Content]:
    """What the last run of this visit came to; for a dry run, what would be proposed."""
    sessions = report.sessions
    found, kept, out = (sum(getattr(one, name) for one in sessions) for name in ("found", "kept", "out"))
    name = "DRY RUN, nothing kept" if report.dry_run else "LAST RUN"
    numbers = f"   {found:,} found, {kept:,} kept, {out:,} out"
    shown = [line((name, HEAD), numbers if found else "   " + (waiting(report) or "nothing new"))]
    shown += fields([*_planned(run), _answered(report)], LABEL, detail.width)
    shown += incident_rows(run.incidents.values(), detail.width, detail.most)
    for one in report.proposals[: detail.most] if report.dry_run else ():
        shown += _with_words(one.kind, one.statement, one.quotes, detail.width)
    return [*shown, Content("")]


def _answered(report: ExtractReport) -> tuple[str, str]:
    return ("by", rules_words(report.seconds)) if report.rules else ("calls", spent(report.usage))


def _planned(run: Run) -> list[tuple[str, str]]:
    return [("plan", plan_words(run.plan))] if run.plan is not None and run.job.dry_run else []


def spent(usage: Usage) -> str:
    """Calls with what they used and how long they took."""
    if not usage.calls:
        return "none"
    seconds = f"{usage.seconds:.1f} s" if usage.seconds else ""
    return ", ".join(filter(None, (count(usage.calls, "call"), usage_words(usage), seconds)))


def _facts(detail: Detail) -> list[Content]:
    """The facts that rest on this session, each with the person's words."""
    if not detail.facts:
        return []
    rows: list[Content] = []
    for fact in detail.facts[: detail.most]:
        rows += _with_words(fact.state, fact.text, fact.quotes, detail.width)
    left = len(detail.facts) - detail.most
    rows += [content(f"{left:,} more", MUTED)] if left > 0 else []
    return [line(("FACTS FROM IT", HEAD), f"   {len(detail.facts):,}"), *rows, Content("")]


def _with_words(name: str, text: str, quotes: Sequence[Quote], cells: int) -> list[Content]:
    """A fact and under it the words of the person, each wrapped beside the names."""
    rows = hanging(name, content(one_line(text, 400)), cells)
    for quote in quotes:
        rows += hanging("", bare(one_line(quote.text, 300)), cells)
    return rows


def _known(detail: Detail) -> list[Content]:
    """File, project, times, counts of the last run."""
    item = detail.item
    rows = [("file", at_home(item.path))]
    if item.there:
        rows.append(
            ("size", size(item.size) + (f", {size(item.grown_by)} more than was read" if item.grown_by else ""))
        )
    rows += [("project", one.project) for one in detail.contents[:1] if one.project] or (
        [("project", item.project)] if item.project else []
    )
    if item.last_run:
        numbers = (
            "" if item.found is None else f", {item.found:,} found, {item.kept or 0:,} kept, {item.out or 0:,} out"
        )
        rows.append(("last run", _moment(item.last_run) + numbers))
    rows += [("out", f"{number:,} {words}") for number, words in counted(item.why, REASONS)]
    rows.append(("model", detail.model))
    return [line(("TRANSCRIPT", HEAD)), *fields(rows, LABEL, detail.width), Content("")]


def _contents(detail: Detail) -> list[Content]:
    """What was read: authors, compactions, damage, and the person's own messages."""
    shown: list[Content] = []
    for one in detail.contents[: detail.most]:
        name = f"   {one_line(one.key, 80)}" if len(detail.contents) > 1 else ""
        shown += [line(("HOLDS", HEAD), name), *fields(_rows(one), LABEL, detail.width)]
        for damage in one.damage[: detail.most]:
            shown.append(line((f"{'line ' + format(damage.line, ','):<{LABEL}}", "$text-warning"), damage.reason))
        more = one.more_damage + max(0, len(one.damage) - detail.most)
        shown += [content(f"{more:,} more damaged lines", MUTED)] if more else []
        shown += [Content(""), *_own_words(detail, one)]
    return shown


def _rows(one: Contents) -> list[tuple[str, str]]:
    authors = sorted(one.authors.items(), key=lambda pair: (-pair[1], pair[0]))
    by = ", ".join(f"{number:,} {AUTHORS[author]}" for author, number in authors)
    rows = [("turns", by or "none")]
    if one.left_out:
        rows.append(("left out", f"{one.left_out:,} of rewound branches or copied from another session"))
    if one.started is not None:
        first, last = _moment(one.started), _moment(one.ended or one.started)
        rows.append(("time", first if first == last else f"{first} to {last}"))
    if one.branch:
        rows.append(("branch", one.branch))
    if one.compactions:
        rows.append(("compacted", count(len(one.compactions), "time")))
    cursor = f"turn {one.cursor} of {one.last_seq}" if one.cursor >= 0 else f"nothing of {one.last_seq}"
    rows.append(("evaluated", f"{cursor}, {count(one.new, 'message')} of yours to go"))
    return rows


def _own_words(detail: Detail, one: Contents) -> list[Content]:
    if one.subagent:
        return [content("A sub-agent's session: nothing in it was typed by you.", MUTED), Content("")]
    rows = [row for said in one.said[: detail.most] for row in _said(said, detail.width)]
    left = one.more_said + max(0, len(one.said) - detail.most)
    rows += [content(f"{left:,} more", MUTED)] if left > 0 else []
    return block("YOUR WORDS", rows)


def _said(said: Said, cells: int) -> list[Content]:
    when = _moment(said.at) if said.at is not None else said.ref
    asked = f"  (asked: {one_line(said.question, 120)})" if said.question else ""
    text = line((one_line(said.text, 400), "" if said.new else MUTED), (asked, MUTED))
    return hanging(cut(one_line(when), LABEL - 1), text, cells, LABEL)


def _moment(at: int) -> str:
    return moment(datetime.fromtimestamp(at / 1000, UTC).isoformat())


# --- copying


def as_text(detail: Detail) -> str:
    """The log of the run where there is one, else the pane."""
    if detail.run is not None and detail.run.log:
        return "\n".join(detail.run.log)
    return show(detail).plain


def as_json(items: Sequence[Transcript], runs: Mapping[str, Run]) -> str:
    """Transcripts as JSON, for the clipboard."""
    return json.dumps(
        {"schema": 1, "sessions": [_json(one, runs.get(one.id)) for one in items]}, ensure_ascii=False, indent=2
    )


def _json(item: Transcript, run: Run | None) -> dict[str, Any]:
    names = ("key", "path", "format", "name", "project", "size", "modified", "found", "kept", "out", "problem")
    return {name: getattr(item, name) for name in names} | {"state": state_of(item, run).words}
