"""`log` and `undo`: what was changed, and taking it back."""

from __future__ import annotations

from typing import Any

import click

from store.access import may_read
from store.bank import Bank
from store.changes import Committed
from store.errors import BadInput, NotPermitted
from store.memory import Memory
from tui.cli.banks import Banks, open_banks
from tui.cli.options import chosen, global_options
from tui.cli.say import complain, print_json, row, say
from tui.cli.shapes import change_json


@click.command("log")
@click.argument("reference", metavar="[ID]", required=False)
@click.option("--limit", type=click.IntRange(min=1), default=50, show_default=True, help="At most so many.")
@global_options
@click.pass_context
def log_command(ctx: click.Context, reference: str | None, limit: int) -> None:
    """Print the changes of the bank, or of one memory, newest first.

    A project's bank and yours are read together, each change with its bank's name; --project prints the project's only.
    """
    options = chosen(ctx)
    with open_banks(options) as banks:
        told = _changes(banks, reference, limit)
        if options.json:
            print_json({"changes": [_json(banks, name, change) for name, change in told]})
            return
        for name, change in told:
            state = f"undone by {change.undone_by}" if change.undone_by else ""
            whose = [f"{name:<7}"] if banks.joined else []
            row(*whose, f"{change.number:>6}", change.at, change.by, change.reason, state)
        if not told:
            say("Nothing was changed yet.")


def _json(banks: Banks, name: str, change: Committed) -> dict[str, Any]:
    """A change as JSON; of banks that are read together it says whose it is, and its ids do (`decisions.md` §3.1)."""
    body = change_json(change, rows=banks.options.agent is None)
    if not banks.joined:
        return body
    memories = [{**effect, "id": f"{name}:{effect['id']}"} for effect in body["memories"]]
    return {**body, "bank": name, "memories": memories}


def _changes(banks: Banks, reference: str | None, limit: int) -> list[tuple[str, Committed]]:
    """The changes that were asked for, newest first, each with the name of its bank."""
    if reference is not None:
        bank, memory = banks.memory(reference)
        return [(banks.name_of(bank), change) for change in changes_of(banks, bank, memory)[:limit]]
    asked = [banks.name_of(banks.bank)] if banks.options.project else banks.open
    found = [(name, change) for name in asked for change in _history(banks, banks.open[name], limit)]
    return sorted(found, key=lambda one: (one[1].at, one[1].number), reverse=True)[:limit]


def _history(banks: Banks, bank: Bank, limit: int) -> list[Committed]:
    if banks.options.agent is None:
        return bank.history(limit=limit)
    return [change for change in bank.history() if _may_see(banks, bank, change)][:limit]


def changes_of(banks: Banks, bank: Bank, memory: Memory) -> list[Committed]:
    """The changes of one memory, newest first, as far as the identity may see them."""
    return [change for change in bank.history(id=memory.id) if _may_see(banks, bank, change)]


def _may_see(banks: Banks, bank: Bank, change: Committed) -> bool:
    """An agent sees the changes of memories that it may read, and no decisions about rows."""
    if banks.options.agent is None:
        return True
    view = bank.view()
    reader = view.reader(banks.options.agent)
    memories = [view.memories.get(id) for id in change.ids]
    return bool(memories) and all(memory is not None and may_read(memory, reader) for memory in memories)


@click.command("undo")
@click.argument("change", type=int, required=False)
@click.option("--redo", is_flag=True, help="Take the last undo back.")
@global_options
@click.pass_context
def undo_command(ctx: click.Context, change: int | None, redo: bool) -> None:
    """Take back a change: the newest that still stands, or the one of that number."""
    options = chosen(ctx)
    if redo and change is not None:
        raise BadInput("--redo takes back the last undo; leave out the number.")
    if options.agent is not None:
        raise NotPermitted("Undoing is a person's decision; leave out --as.")
    with open_banks(options) as banks:
        bank = banks.target
        done = bank.redo(origin=banks.origin) if redo else bank.undo(change, origin=banks.origin)
        for note in done.notes:
            complain(note)
        if options.json:
            print_json({"changes": [change_json(done)]})
        else:
            say(f"Change {done.number}: {done.reason}.")
