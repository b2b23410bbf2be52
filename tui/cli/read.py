"""`list` and `show`: reading a bank, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import click

from pipeline.recall.explain import as_json, explain_memory
from pipeline.recall.filtering.judging import lying, passes, says, shown_day
from pipeline.recall.filtering.query import LIVE, PENDING, Query, parse
from store.access import may_read
from store.errors import BadInput
from store.index.search.quotes import quotes_of
from store.memory import Memory
from store.usage import totals
from store.vault.layout import check_type
from tui.cli.banks import Banks, open_banks
from tui.cli.history import changes_of
from tui.cli.options import chosen, global_options
from tui.cli.say import complain, cut_row, print_json, put, row, say
from tui.cli.shapes import change_json, memory_json, provenance_json
from tui.dates import said

SHOWN_CHANGES = 10
PLACES = {"live": LIVE, "trash": "trash", "archive": "archived"}
"""Where `--state` looks."""


@click.command("list")
@click.argument("words", nargs=-1)
@click.option("--type", "kind", metavar="TYPE", help="Only FACT, PREF, BOUND or COMMIT.")
@click.option("--state", type=click.Choice(list(PLACES)), default="live", show_default=True, help="Where to look.")
@click.option("--limit", type=click.IntRange(min=1), help="At most so many.")
@global_options
@click.pass_context
def list_command(ctx: click.Context, words: tuple[str, ...], kind: str | None, state: str, limit: int | None) -> None:
    """Print the memories, or those that pass a filter (words, type:, tag:, owner:, "phrase", -not, sort:).

    Put -- before words that begin with a minus.
    """
    options = chosen(ctx)
    with open_banks(options) as banks:
        found = _listed(banks, " ".join(words), kind, state)
        shown = found[:limit] if limit else found
        problems = banks.problems()
        if options.json:
            print_json(_list_json(banks, shown) | {"total": len(found), "problems": [asdict(one) for one in problems]})
        else:
            for memory in shown:
                print_memory(memory)
            if not found and (words or kind or state != LIVE):
                complain("No memory matches.")
            for problem in problems:
                complain(f"{problem.path}: {problem.message}")


def _listed(banks: Banks, typed: str, kind: str | None, state: str) -> list[Memory]:
    check_kind(kind)
    view, query = banks.view(), _of_list(typed)
    places = query.places if query.places != (LIVE,) else (PLACES[state],)
    reader, quotes = view.reader(banks.options.agent), quotes_of(view)
    wanted = replace(query, places=places)
    found = [
        memory
        for place in places
        for memory in lying(view, place)
        if may_read(memory, reader)
        and (not kind or memory.type == kind.upper())
        and passes(memory, wanted, quotes)
        and says(memory, query.words, quotes)
    ]
    return _in_order(banks, found, query.sort)


def understood(typed: str) -> Query:
    """The query that a person or an agent wrote. Raises `BadInput` for what means nothing among memories."""
    query = parse(typed)
    if query.refusal:
        raise BadInput(query.refusal)
    if PENDING in query.places:
        raise BadInput("is:pending are proposals, no memories; list them with `memdesk review`.")
    return query


def _of_list(typed: str) -> Query:
    """The query of a list. Raises `BadInput` for what means nothing in it."""
    query = understood(typed)
    if query.sort == "relevance":
        raise BadInput("A list has no relevance; rank the memories with `memdesk recall`.")
    return query


def _in_order(banks: Banks, found: list[Memory], sort: str) -> list[Memory]:
    view, usage = banks.view(), banks.usage
    match sort:
        case "time":
            return sorted(found, key=shown_day, reverse=True)
        case "type":
            return sorted(found, key=lambda memory: memory.type)
        case "use":
            return sorted(found, key=lambda memory: totals(view, memory, usage).access_count, reverse=True)
    return found


def _list_json(banks: Banks, shown: Sequence[Memory]) -> dict[str, Any]:
    view, usage, today, lives = banks.view(), banks.usage, banks.today, banks.half_lives
    return {"memories": [memory_json(totals(view, memory, usage), today, lives) for memory in shown]}


def print_memory(memory: Memory, *more: str, content: str = "") -> None:
    """One memory on one line: type, id, subject and statement (or other `content`); a very long line is cut."""
    said = content or memory.statement or memory.display
    words = f"{memory.subject}: {said}" if memory.subject else said
    row(f"{memory.type:<6}", memory.id, cut_row(words), *more)


def check_kind(kind: str | None) -> None:
    """Raise `BadInput` when `--type` names no type of memory."""
    if kind is not None:
        check_type(kind.upper())


@click.command("show")
@click.argument("reference", metavar="ID")
@click.option("--explain", is_flag=True, help="Say what the memory is worth, and why.")
@click.option("--raw", is_flag=True, help="Print the file as it is.")
@global_options
@click.pass_context
def show_command(ctx: click.Context, reference: str, explain: bool, raw: bool) -> None:
    """Print one memory with its history."""
    options = chosen(ctx)
    if raw and options.json:
        raise BadInput("--raw prints a file and --json an object; give one of them.")
    with open_banks(options) as banks:
        bank, memory = banks.memory(reference)
        if raw:
            put(bank.source(memory.id))
            return
        changes = changes_of(banks, bank, memory)
        shown = banks.named(bank, memory)
        report = explain_memory(shown, banks.today, banks.half_lives)
        if options.json:
            body = memory_json(shown, banks.today, banks.half_lives) | {"body": memory.body, "path": memory.path}
            body |= provenance_json(memory)
            body["history"] = [change_json(change, rows=options.agent is None) for change in changes]
            print_json({"memories": [body], **({"explain": as_json(report)} if explain else {})})
            return
        _print_whole(shown)
        if explain:
            say(f"utility {report.utility.total:g}, importance {report.importance:g}; {report.words}")
        for change in changes[:SHOWN_CHANGES]:
            row(f"change {change.number}", change.at, change.reason, change.by)


def _print_whole(memory: Memory) -> None:
    row(memory.type, memory.id, memory.state)
    say(memory.subject)
    say(memory.display)
    facts = {
        "owner": memory.owner,
        "scope": memory.scope,
        "tags": ", ".join(memory.tags),
        "source": memory.source,
        "label": memory.label,
        "project": memory.project,
        "when": dict(memory.extra).get("when", ""),
        "evidence": memory.evidence,
        "said": f"{ago}, {memory.observed}" if (ago := said(memory.observed)) else memory.observed,
        "created": memory.created,
        "updated": memory.updated,
        "protected": "yes" if memory.immutable else "",
    }
    for name, value in facts.items():
        if value:
            row(f"{name:<10}", value)
