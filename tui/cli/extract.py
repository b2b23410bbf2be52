"""`extract`: transcripts to proposals."""

from __future__ import annotations

import sys
from collections import Counter
from typing import Any

import click

from pipeline.extract.effects import Called, Settled, Started, Told
from pipeline.extraction import ExtractReport, SessionReport, extract
from pipeline.formats.session import EVIDENCE_AUTHORS, Session
from pipeline.model import open_door
from pipeline.review import Waiting
from store.errors import BadInput, NotPermitted, StorageFailure
from tui.cli.banks import open_banks
from tui.cli.options import chosen, global_options
from tui.cli.say import complain, print_json, row, say
from tui.cli.shapes import quote_json
from tui.cli.transcripts import read_given, say_taken
from tui.extracting import extract_options, model_settings
from tui.literal import count


@click.command("extract")
@click.argument("files", metavar="PATH...", nargs=-1, required=True)
@click.option("--model", metavar="MODEL", help="A model as litellm names it, with its key in the environment.")
@click.option("--api-base", metavar="URL", help="The model's server, when it is not its provider's own.")
@click.option("--offline", is_flag=True, help="Use the rules that need no model.")
@click.option("--dry-run", is_flag=True, help="Say what would be proposed and keep nothing.")
@click.option("--format", "form", metavar="NAME", help="Read the files as this format instead of telling by content.")
@click.option("--yes", is_flag=True, help="These are my words (asked for message lists that name no person).")
@global_options
@click.pass_context
def extract_command(
    ctx: click.Context,
    /,
    *,
    files: tuple[str, ...],
    model: str | None,
    api_base: str | None,
    offline: bool,
    dry_run: bool,
    form: str | None,
    yes: bool,
) -> None:
    """Read transcripts and file what they say for review; what was read before is not read again.

    PATH is a transcript of Claude Code, Codex CLI, Gemini CLI, opencode, OpenClaw, Hermes, DSH or Letta, an export of
    ChatGPT or Claude.ai (also as the zip that it came in), a list of OpenAI-style messages, or a folder of them. What a
    file is, is told by its content; --format names another of claude-code, dsh, codex, gemini-cli, opencode, chatgpt,
    claude-ai, letta, openclaw, hermes, openai, claude-history, codex-history, gemini-logs, or of your own formats.toml.
    """
    options = chosen(ctx)
    if options.agent is not None:
        raise NotPermitted("Extraction reads a person's conversations; leave out --as.")
    if offline and model:
        raise BadInput("--offline uses no model; leave out one of the two.")
    given = read_given(files, form)
    if not options.json:
        say_taken(given)
    _ask_whose(given.sessions, yes or options.json)
    with open_banks(options) as banks:
        settings = None if offline else model_settings(banks.config, model, api_base)
        door = open_door(settings)
        try:
            report = extract(
                given.own(banks.target.view()),
                banks.target,
                door,
                extract_options(banks.config, settings),
                on_event=_progress if sys.stderr.isatty() and not options.json else _quiet,
                dry_run=dry_run,
            )
        finally:
            door.close()
    if options.json:
        print_json(_json(report, given.broken))
    else:
        _print(report)
    if report.failed:
        raise click.exceptions.Exit(StorageFailure.exit_code)
    if given.broken:
        raise click.exceptions.Exit(BadInput.exit_code)


def _ask_whose(sessions: list[Session], sure: bool) -> None:
    """Message lists may be other people's logs or training data (`spec/formats.md` §8): ask, where one can."""
    doubtful = [session.path for session in sessions if session.format == "openai"]
    if doubtful and not sure and sys.stdin.isatty():
        click.confirm(f"Does role user in {', '.join(doubtful)} mean you?", abort=True, err=True)


def _quiet(told: Told) -> None:
    """Say nothing."""


def _progress(told: Told) -> None:
    if isinstance(told, Started):
        complain(f"{told.session}: {count(told.records, 'message')} of yours")
    elif isinstance(told, Called):
        complain(f"{told.session}: {told.stage} {told.message or told.problem or 'answered'}")
    elif isinstance(told, Settled):
        complain(f"{told.session}: {count(len(told.fates), 'fact')} judged")


def _print(report: ExtractReport) -> None:
    for session in report.sessions:
        row(session.key, session.state, f"{session.found} found, {session.kept} kept, {session.out} out")
        if session.problem:
            complain(session.problem)
        elif session.result.more:
            complain(f"{session.key} has more messages than one run reads; run it again to go on.")
    for waiting in report.proposals:
        row(f"{waiting.kind:<8}", waiting.id, waiting.statement)
        for quote in waiting.quotes:
            say(f'          "{quote.text}"')
    for reason, number in report.refused:
        say(f"{number} out: {reason}")
    if report.dry_run:
        say("This was a dry run: nothing was kept.")
    elif report.proposals:
        say(f"{count(len(report.proposals), 'proposal')} for `memdesk review`.")
    else:
        say("Nothing new.")


def _json(report: ExtractReport, broken: list[str]) -> dict[str, Any]:
    refused = [{"reason": reason, "count": number} for reason, number in report.refused]
    return {
        "proposals": [_proposal(one) for one in report.proposals],
        "refused": refused,
        "sessions": [_session(session) for session in report.sessions],
        "unreadable": broken,
        "dry_run": report.dry_run,
    }


def _proposal(waiting: Waiting) -> dict[str, Any]:
    quotes = [quote_json(quote) for quote in waiting.quotes]
    body = {"id": waiting.id, "kind": waiting.kind, "content": waiting.statement, "state": waiting.state}
    return body | {"evidence": quotes}


def _session(report: SessionReport) -> dict[str, Any]:
    session = report.session
    typed = sum(turn.author in EVIDENCE_AUTHORS for turn in session.turns)
    fates = Counter(fate.outcome for fate in report.result.fates)
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
        "fates": dict(fates),
        "problem": report.problem,
        "damage": [{"line": damage.line, "reason": damage.reason} for damage in session.damage],
    }
