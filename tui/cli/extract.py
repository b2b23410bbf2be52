"""`extract`: transcripts to proposals."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from pipeline.cassette import CassetteDoor, RecordingDoor
from pipeline.extract.rerun import Span
from pipeline.extraction import WHOLE, extract
from pipeline.formats.session import Session
from pipeline.model import LitellmDoor, ModelSettings, OfflineDoor, open_door
from pipeline.preview import plan
from pipeline.run import silent
from pipeline.transcripts import unclaimed
from store.errors import BadInput, NotPermitted, ReadOnly, StorageFailure
from store.view import View
from tui.cli.banks import Banks, open_banks
from tui.cli.extracted import plan_json, print_plan, print_report, progress, report_json
from tui.cli.options import chosen, global_options
from tui.cli.say import complain, print_json
from tui.cli.transcripts import Given, read_given, say_taken
from tui.extracting import extract_options, model_settings, parallel
from tui.recording import recorder
from tui.spans import SHAPE, parsed, reaching, readable


@click.command("extract")
@click.argument("files", metavar="PATH...", nargs=-1, required=True)
@click.option("--model", metavar="MODEL", help="A model as litellm names it, with its key in the environment.")
@click.option("--api-base", metavar="URL", help="The model's server, when it is not its provider's own.")
@click.option("--offline", is_flag=True, help="Use the rules that need no model.")
@click.option("--dry-run", is_flag=True, help="Say what would be proposed and keep nothing; a model is asked.")
@click.option("--plan", "only_plan", is_flag=True, help="Say what a model would be shown, and ask none.")
@click.option("--again", is_flag=True, help="Go over whole sessions, also what was evaluated before.")
@click.option("--turns", metavar=SHAPE, help="Go over these turns of each session, whatever was evaluated before.")
@click.option("--cassette", metavar="FILE", type=click.Path(path_type=Path), help="Replay the answers of this file.")
@click.option(
    "--record", metavar="FILE", type=click.Path(path_type=Path), help="Keep the model's answers in this file."
)
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
    only_plan: bool,
    again: bool,
    turns: str | None,
    cassette: Path | None,
    record: Path | None,
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
    wish = _Wish(_spans(again, turns), dry_run, only_plan, cassette, record)
    _check_doors(offline, model, wish)
    given = _read(files, form, options.json)
    with open_banks(options) as banks:
        _check_target(banks, dry_run or only_plan)
        settings = None if offline or cassette else model_settings(banks.config, model, api_base)
        sessions = _with_turns(_owned(given, banks.target.view(), yes), wish.spans)
        body, failed = _carry_out(banks, sessions, settings, wish, options.json)
    if options.json:
        print_json({**body, "unreadable": given.broken, "dry_run": dry_run})
    if failed or given.broken:
        raise click.exceptions.Exit(StorageFailure.exit_code if failed else BadInput.exit_code)


def _read(files: tuple[str, ...], form: str | None, quiet: bool) -> Given:
    given = read_given(files, form)
    if not quiet:
        say_taken(given)
    return given


def _check_target(banks: Banks, keeps_nothing: bool) -> None:
    if banks.target.read_only and not keeps_nothing:
        raise ReadOnly(f"{banks.target.read_only} --dry-run says what would be proposed.")


@dataclass(frozen=True, slots=True)
class _Wish:
    """What is to be done with the sessions."""

    spans: tuple[Span, ...]
    dry_run: bool
    only_plan: bool
    cassette: Path | None
    record: Path | None


def _spans(again: bool, turns: str | None) -> tuple[Span, ...]:
    if again and turns:
        raise BadInput("--again goes over all turns; leave out --turns.")
    if turns is None:
        return (WHOLE,) if again else ()
    if fault := readable(turns):
        raise BadInput(f"--turns cannot be {turns!r}; {fault[0].lower()}{fault[1:]}")
    return (parsed(turns),)


def _with_turns(sessions: list[Session], spans: tuple[Span, ...]) -> list[Session]:
    """The sessions that reach to the turns asked for. Raises `BadInput` when none does."""
    kept, sentence = reaching(sessions, spans)
    if sentence and not kept:
        raise BadInput(sentence)
    if sentence:
        complain(sentence)
    return kept


def _check_doors(offline: bool, model: str | None, wish: _Wish) -> None:
    """One thing answers: a model, the rules, or a cassette."""
    if offline and model:
        raise BadInput("--offline uses no model; leave out one of the two.")
    if wish.cassette and (offline or model or wish.record):
        raise BadInput("--cassette answers in place of a model; leave out --model, --offline and --record.")
    if wish.record and (offline or wish.only_plan):
        raise BadInput("--record keeps a model's answers; leave out --offline and --plan.")


def _carry_out(
    banks: Banks, sessions: Sequence[Session], settings: ModelSettings | None, wish: _Wish, quiet: bool
) -> tuple[dict[str, Any], bool]:
    """Plan or run, print it for people unless `quiet`; the body of the JSON, and whether a session failed."""
    door = _door(settings, wish)
    options = extract_options(banks.config, settings)
    try:
        planned = None
        if wish.only_plan or wish.dry_run:
            planned = plan(sessions, banks.target, door, options, spans=wish.spans)
        if wish.only_plan and planned is not None:
            if not quiet:
                print_plan(planned)
            return {"plan": plan_json(planned, whole=True)}, bool(planned.problem)
        report = extract(
            sessions,
            banks.target,
            door,
            options,
            on_event=progress if sys.stderr.isatty() and not quiet else silent,
            dry_run=wish.dry_run,
            parallel=parallel(banks.config),
            spans=wish.spans,
        )
    finally:
        door.close()
    if not quiet:
        print_report(report, planned)
    body = report_json(report)
    return body if planned is None else body | {"plan": plan_json(planned, whole=False)}, report.failed


def _door(settings: ModelSettings | None, wish: _Wish) -> LitellmDoor | OfflineDoor | CassetteDoor | RecordingDoor:
    if wish.cassette is not None:
        return CassetteDoor(wish.cassette.expanduser())
    if wish.record is not None and settings is None:
        raise BadInput("--record keeps a model's answers; name one with --model.")
    door = open_door(settings)
    return RecordingDoor(door, recorder(wish.record.expanduser())) if wish.record is not None else door


def _owned(given: Given, view: View, yes: bool) -> list[Session]:
    """The sessions that count, after asking whose words they are where nothing says it."""
    own = given.own(view)
    if not yes:
        _ask_whose(unclaimed(view, own))
    return own


def _ask_whose(doubtful: Sequence[str]) -> None:
    """Message lists may be other people's logs or training data (`spec/formats.md` §8): ask, or refuse them.

    Raises `BadInput` where nobody can be asked.
    """
    if doubtful and not sys.stdin.isatty():
        more = f" and {len(doubtful) - 1:,} more do" if len(doubtful) > 1 else " does"
        raise BadInput(f"{doubtful[0]}{more} not say whose words are in it; add --yes if role user is you.")
    if doubtful:
        click.confirm(f"Does role user in {', '.join(doubtful)} mean you?", abort=True, err=True)
