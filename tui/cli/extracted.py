"""What `extract` says, for people and as JSON: sessions, what their calls used, and the fate of each fact."""

from __future__ import annotations

from collections import Counter
from typing import Any

from pipeline.extract.effects import Called, Calling, Fate, Judged, Settled, Started, Told
from pipeline.extraction import ExtractReport, SessionReport
from pipeline.formats.session import EVIDENCE_AUTHORS
from pipeline.preview import Plan, Window
from pipeline.review import Waiting
from pipeline.usage import used
from tui.cli.say import complain, row, say, under
from tui.cli.shapes import quote_json
from tui.fates import call_words, fate_words, plan_words, reason_words, rules_words, usage_words
from tui.literal import count


def progress(told: Told) -> None:
    """Each step as it happens, on standard error."""
    if isinstance(told, Started):
        complain(f"{told.session}: {count(told.records, 'message')} of yours")
    elif isinstance(told, Calling | Called) and told.rules:
        return
    elif isinstance(told, Calling):
        complain(
            f"{told.session}: {told.stage}, call {told.number} of {told.budget}{' (repair)' if told.repair else ''}"
        )
    elif isinstance(told, Called):
        figures = call_words(used(told))
        complain(f"{told.session}: {told.stage} {told.message or 'answered'}{f' ({figures})' if figures else ''}")
    elif isinstance(told, Judged):
        complain(f"{told.session}: {', '.join(_counted(told.fates)) or 'nothing proposed'}")
    elif isinstance(told, Settled):
        complain(f"{told.session}: settled, {count(len(told.fates), 'fact')} judged")


def _counted(fates: tuple[Fate, ...]) -> list[str]:
    return [f"{number} {outcome}" for outcome, number in Counter(fate.outcome for fate in fates).items()]


# --- for people


def print_report(report: ExtractReport, planned: Plan | None) -> None:
    """Sessions, fates of their facts, what waits now."""
    if planned is not None:
        say(f"Planned: {plan_words(planned)}.")
    for session in report.sessions:
        _print_session(session)
    for waiting in report.proposals:
        row(f"{waiting.kind:<8}", waiting.id, waiting.statement)
        for quote in waiting.quotes:
            under(f'"{quote.text}"')
    for reason, number in report.refused:
        say(f"{number} out: {reason}")
    if report.rules:
        say(f"Answered by {rules_words(report.seconds)}.")
    elif report.usage.calls:
        say(f"{count(report.usage.calls, 'call')} in {report.usage.seconds:.1f} s{_figures(report)}.")
    if report.dry_run:
        say("This was a dry run: nothing was kept.")
    elif report.proposals:
        say(f"{count(len(report.proposals), 'proposal')} for `memdesk review`.")
    else:
        say("Nothing new.")


def _figures(report: ExtractReport) -> str:
    words = usage_words(report.usage)
    return f", {words}" if words else ""


def _print_session(session: SessionReport) -> None:
    row(session.key, session.state, f"{session.found} found, {session.kept} kept, {session.out} out")
    for fate in session.fates:
        row("  ", f"{fate_words(fate):<14}", fate.content or "not shown", *filter(None, [reason_words(fate)]))
        if fate.quote:
            near = f"said: {fate.nearest} ({fate.ref})" if fate.nearest else "nothing like it was said"
            row(" " * 18, f"quoted: {fate.quote}", near)
    if session.problem:
        complain(session.problem)
    elif session.result.more:
        complain(f"{session.key} has more messages than one run reads; run it again to go on.")


def print_plan(planned: Plan) -> None:
    """What a model would be shown: figures, then each window with its evidence."""
    say(f"{plan_words(planned)}; nothing was sent and nothing kept.")
    if planned.problem:
        complain(planned.problem)
    for window in planned.windows:
        if not window.prompt:
            continue
        messages, masked = count(len(window.records), "message"), count(window.masked, "secret")
        row(window.session, f"turns {max(1, window.after + 1)} to {window.through}", messages, f"{masked} masked")
        for record in window.records:
            row("  ", f"{record.source_ref:<12}", record.text)
        for gap in window.open_gaps:
            row("  ", f"{'waits':<12}", gap.content)


# --- for programs


def report_json(report: ExtractReport) -> dict[str, Any]:
    """The body of `extract --json` (`decisions.md` §7)."""
    refused = [{"reason": reason, "count": number} for reason, number in report.refused]
    return {
        "proposals": [_proposal(one) for one in report.proposals],
        "refused": refused,
        "sessions": [_session(session) for session in report.sessions],
        "usage": report.usage.as_json | ({"seconds": report.seconds} if report.rules else {}),
    }


def plan_json(planned: Plan, *, whole: bool) -> dict[str, Any]:
    """A plan; `whole` also with evidence and prompts of its windows."""
    likely, most = planned.calls
    body: dict[str, Any] = {
        "windows": planned.calling,
        "messages": planned.messages,
        "masked": planned.masked,
        "calls": {"likely": likely, "most": most},
        "tokens": planned.tokens,
        "more": planned.more,
        "problem": planned.problem,
        "sessions": dict(planned.states or {}),
    }
    return body | {"shown": [_window(one) for one in planned.windows if one.prompt]} if whole else body


def _window(window: Window) -> dict[str, Any]:
    evidence = [
        {"ref": record.source_ref, "at": record.observed_at, "text": record.text, "question": record.question}
        for record in window.records
    ]
    gaps = [{"id": gap.id, "content": gap.content, "sessions": gap.sessions} for gap in window.open_gaps]
    span = {"session": window.session, "after": window.after, "through": window.through}
    return span | {"evidence": evidence, "masked": window.masked, "open_facts": gaps, "prompt": window.prompt}


def _proposal(waiting: Waiting) -> dict[str, Any]:
    quotes = [quote_json(quote) for quote in waiting.quotes]
    body = {"id": waiting.id, "kind": waiting.kind, "content": waiting.statement, "state": waiting.state}
    return body | {"evidence": quotes}


def _session(report: SessionReport) -> dict[str, Any]:
    session = report.session
    typed = sum(1 for _ in session.log.by(EVIDENCE_AUTHORS))
    return {
        "session": report.key,
        "path": session.path,
        "format": session.format,
        "state": report.state,
        "messages": typed,
        "found": report.found,
        "kept": report.kept,
        "out": report.out,
        "more": report.result.more,
        "windows": [list(window) for window in report.result.windows],
        "usage": report.usage.as_json,
        "fates": dict(Counter(fate.outcome for fate in report.fates)),
        "incidents": [_incident(fate) for fate in report.fates],
        "problem": report.problem,
        "damage": [{"line": damage.line, "reason": damage.reason} for damage in session.damage],
    }


def _incident(fate: Fate) -> dict[str, Any]:
    """One proposed fact and its fate; what was quoted wrongly beside what was said."""
    body: dict[str, Any] = {"number": fate.number, "fate": fate.outcome, "reason": fate.reason, "content": fate.content}
    if fate.outcome == "bad quote":
        body |= {"quote": fate.quote, "nearest": fate.nearest, "ref": fate.ref}
    return body | {"have": fate.have, "need": fate.need} if fate.outcome == "deferred" else body
