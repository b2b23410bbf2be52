"""`init`, `remember`, `edit`, `forget` and `restore`: a person's own changes, or an agent's proposals."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from pipeline.review import forget, propose, restore_memory
from store import clock
from store.bank import Bank
from store.changes import Change, Changeset, Committed, PutMemory
from store.errors import NotPermitted, SecretFound
from store.memory import Memory
from store.remember import remember, type_hint
from store.roots import default_root, project_root
from store.settings import bank_value
from tui.cli.banks import Banks, open_banks
from tui.cli.options import chosen, global_options
from tui.cli.say import complain, print_json, say
from tui.cli.shapes import change_json, memory_json

STDIN = "-"


@click.command("init")
@click.argument("path", required=False)
@global_options
@click.pass_context
def init_command(ctx: click.Context, path: str | None) -> None:
    """Make a bank at PATH (or at the default place); plain files, nothing is encrypted."""
    options = chosen(ctx)
    root = Path(path).expanduser() if path else project_root() if options.project else default_root(options.bank).path
    bank = Bank.create(root)
    try:
        if options.json:
            print_json({"bank": str(bank.path)})
        else:
            say(f"Made a plain bank at {bank.path}; its files can be read by whoever reads the folder.")
    finally:
        bank.close()


@click.command("remember")
@click.argument("kind", metavar="TYPE")
@click.argument("subject")
@click.argument("statement")
@click.option("--owner", metavar="OWNER", help="Whose memory it is; needed for PREF, BOUND and COMMIT.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="A tag; may be given several times.")
@click.option("--source", metavar="TEXT", help="Where it comes from.")
@click.option("--label", metavar="LABEL", help="What it is: insight, profile, or a word of your own.")
@click.option("--weight", type=click.FloatRange(min=0, min_open=True), help="How much it counts (1).")
@click.option("--protect", is_flag=True, help="Nothing may change or forget it until it is unprotected.")
@click.option("--propose", "proposed", is_flag=True, help="Send it to review instead of writing it.")
@click.option("--secret-ok", is_flag=True, help="Store it although it looks like a secret.")
@global_options
@click.pass_context
def remember_command(ctx: click.Context, /, kind: str, subject: str, statement: str, **given: Any) -> None:
    """Remember a STATEMENT about a SUBJECT; `-` reads the statement from stdin."""
    options = chosen(ctx)
    with open_banks(options) as banks:
        fields = {"type": kind.upper(), "subject": subject, "statement": _text(statement), **_remembered(given)}
        bank = banks.bank
        changeset = remember(
            bank.view(),
            fields,
            clock.today(),
            agent=options.agent,
            origin=banks.origin,
            allow_secrets=bool(given["secret_ok"]),
        )
        _carry_out(banks, bank, changeset, bool(given["proposed"]))
        if hint := type_hint(fields["type"], fields["statement"]):
            complain(hint)


def _remembered(given: dict[str, Any]) -> dict[str, Any]:
    fields = {name: given[name] for name in ("owner", "source", "label", "weight") if given[name]}
    if given["tags"]:
        fields["tags"] = tuple(given["tags"])
    return fields | ({"immutable": True} if given["protect"] else {})


@click.command("edit")
@click.argument("reference", metavar="ID")
@click.option("--subject", metavar="TEXT", help="The new subject.")
@click.option("--statement", metavar="TEXT", help="The new statement; `-` reads it from stdin.")
@click.option("--body", metavar="TEXT", help="The new body; `-` reads it from stdin.")
@click.option("--type", "kind", metavar="TYPE", help="FACT, PREF, BOUND or COMMIT.")
@click.option("--owner", metavar="OWNER", help="Whose memory it is.")
@click.option("--label", metavar="LABEL", help="What it is.")
@click.option("--source", metavar="TEXT", help="Where it comes from.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="The tags from now on; may be given several times.")
@click.option("--weight", type=click.FloatRange(min=0, min_open=True), help="How much it counts.")
@click.option("--confidence", type=click.FloatRange(0, 1), help="How sure it is.")
@click.option("--protect/--unprotect", default=None, help="Whether anything may change or forget it.")
@click.option("--propose", "proposed", is_flag=True, help="Send it to review instead of writing it.")
@click.option("--secret-ok", is_flag=True, help="Store it although it looks like a secret.")
@global_options
@click.pass_context
def edit_command(ctx: click.Context, /, reference: str, **given: Any) -> None:
    """Change parts of one memory; without options open it in your editor."""
    options = chosen(ctx)
    with open_banks(options) as banks:
        bank, memory = banks.memory(reference)
        change = _edit(bank, memory, _edited(given))
        if change is None:
            say("Nothing was changed.")
            return
        reason = f"edit {memory.name}"
        allowed = bool(given["secret_ok"])
        changeset = Changeset((change,), reason, banks.origin, options.agent, allow_secrets=allowed)
        _carry_out(banks, bank, changeset, bool(given["proposed"]))


def _edited(given: dict[str, Any]) -> dict[str, Any]:
    names = ("subject", "owner", "label", "source", "weight", "confidence")
    fields = {name: given[name] for name in names if given[name] is not None}
    for name in ("statement", "body"):
        if given[name] is not None:
            fields[name] = _text(given[name])
    if given["kind"]:
        fields["type"] = given["kind"].upper()
    if given["tags"]:
        fields["tags"] = tuple(tag for tag in given["tags"] if tag)
    return fields | ({"immutable": given["protect"]} if given["protect"] is not None else {})


def _edit(bank: Bank, memory: Memory, fields: dict[str, Any]) -> PutMemory | None:
    if fields:
        return PutMemory(memory.id, fields, base=memory.sha)
    before = bank.source(memory.id).decode("utf-8", "surrogateescape")
    after = click.edit(before, extension=".md", require_save=True)
    if after is None or after == before:
        return None
    return PutMemory(memory.id, text=after, base=memory.sha)


@click.command("forget")
@click.argument("references", metavar="ID...", nargs=-1, required=True)
@click.option("--reason", default="", metavar="TEXT", help="Why, for the history.")
@click.option("--propose", "proposed", is_flag=True, help="Send it to review instead of doing it.")
@global_options
@click.pass_context
def forget_command(ctx: click.Context, references: tuple[str, ...], reason: str, proposed: bool) -> None:
    """Move memories to the trash, from where `restore` brings them back."""
    options = chosen(ctx)
    with open_banks(options) as banks:
        for bank, ids in _by_bank(banks, references):
            changeset = forget(bank.view(), ids, reason, banks.origin, options.agent)
            _carry_out(banks, bank, changeset, proposed)


@click.command("restore")
@click.argument("references", metavar="ID...", nargs=-1, required=True)
@click.option("--propose", "proposed", is_flag=True, help="Send it to review instead of doing it.")
@global_options
@click.pass_context
def restore_command(ctx: click.Context, references: tuple[str, ...], proposed: bool) -> None:
    """Bring memories back from the trash or the archive."""
    options = chosen(ctx)
    with open_banks(options) as banks:
        for bank, ids in _by_bank(banks, references):
            changeset = restore_memory(bank.view(), ids, banks.origin, options.agent)
            _carry_out(banks, bank, changeset, proposed)


def _by_bank(banks: Banks, references: Sequence[str]) -> list[tuple[Bank, list[str]]]:
    found: list[tuple[Bank, list[str]]] = []
    for reference in references:
        bank, memory = banks.memory(reference)
        ids = next((ids for known, ids in found if known is bank), None)
        if ids is None:
            found.append((bank, [memory.id]))
        elif memory.id not in ids:
            ids.append(memory.id)
    return found


def _text(given: str) -> str:
    return sys.stdin.read().removesuffix("\n") if given == STDIN else given


def _carry_out(banks: Banks, bank: Bank, changeset: Changeset, proposed: bool) -> None:
    """Commit, or file as a proposal when an agent asks or the person wants it so (`decisions.md` §1.2)."""
    agent = banks.options.agent
    if proposed or (agent is not None and not bank_value(bank.view(), "agents_write")):
        _propose(banks, bank, changeset.changes, changeset.reason)
        return
    try:
        done = banks.commit(bank, changeset)
    except SecretFound as error:
        raise SecretFound(f"{str(error).partition(';')[0]}; take it out, or add --secret-ok.", error.kinds) from None
    _report(banks, bank, done)


def _propose(banks: Banks, bank: Bank, changes: Sequence[Change], reason: str) -> None:
    agent = banks.options.agent
    if not changes:
        say("Nothing would change.")
        return
    filed = propose(bank.view(), changes, agent or "you", reason, clock.millis(), agent=agent is not None)
    if filed.fate == "rejected before":
        raise NotPermitted("This was rejected before; a person can restore it in the workbench.")
    if filed.rows:
        bank.record(filed.rows)
    if banks.options.json:
        print_json({"proposals": [{"id": filed.id, "fate": filed.fate}]})
    else:
        say(f"{filed.id}: {filed.fate}; a person decides with `memdesk review`.")


def _report(banks: Banks, bank: Bank, done: Committed) -> None:
    view = bank.view()
    memories = [view.memories[id] for id in done.ids if id in view.memories]
    if banks.options.json:
        body = {"memories": [memory_json(memory, banks.today, banks.half_lives) for memory in memories]}
        print_json(body | {"changes": [change_json(done)]})
        return
    for memory in memories:
        say(f"{memory.type}  {memory.id}")
    say(f"Change {done.number}: {done.reason}. `memdesk undo` takes it back.")
