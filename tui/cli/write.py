"""`init`, `remember`, `edit`, `forget` and `restore`: a person's own changes, or an agent's proposals."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import click

from pipeline.review import Proposed, forget, propose, remember, restore_memory
from store import clock
from store.bank import Bank
from store.called import called
from store.changes import Changeset, Committed, FileEffect, MoveMemory, PutMemory
from store.errors import BadInput, Conflict, MemdeskError, NotABank, NotPermitted, ReadOnly, SecretFound
from store.joined import split_id
from store.memory import Memory
from store.remember import type_hint
from store.roots import absolute, default_root, project_root
from store.settings import bank_value
from store.vault.folder import agents_folder, is_bank
from tui.cli.banks import Banks, open_banks
from tui.cli.options import chosen, global_options
from tui.cli.say import complain, print_json, row, say
from tui.cli.shapes import change_json, memory_json
from tui.editor import edited, keep

STDIN = "-"

Done = tuple[Bank, Changeset, Committed]
"""In which bank what was asked, and what came of it."""


@click.command("init")
@click.argument("path", required=False)
@click.option("--attach", is_flag=True, help="When there is a bank already, say so and be content.")
@global_options
@click.pass_context
def init_command(ctx: click.Context, path: str | None, attach: bool) -> None:
    """Make a bank at PATH (or at the default place); plain files, nothing is encrypted."""
    options = chosen(ctx)
    if options.agent is not None or options.read_only:
        raise NotPermitted("Making a bank is a person's act; leave out --as and --read-only.")
    root = absolute(path) if path else project_root() if options.project else default_root(options.bank).path
    there = attach and is_bank(root)
    if not is_bank(root) and (sentence := agents_folder(root)):
        raise NotABank(sentence)
    bank = Bank.open(root) if there else Bank.create(root)
    kind = "encrypted" if bank.encrypted else "plain"
    if options.json:
        print_json({"bank": str(bank.path), "made": not there, "encrypted": bank.encrypted})
    elif there:
        say(f"There is an {kind} bank at {bank.path} already." if bank.encrypted else f"{bank.path} is a plain bank.")
    else:
        say(f"Made a plain bank at {bank.path}; its files can be read by whoever reads the folder.")


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
@click.option("--verify", is_flag=True, help="Read it back from the disk, and say whether a recall finds it.")
@global_options
@click.pass_context
def remember_command(ctx: click.Context, /, kind: str, subject: str, statement: str, **given: Any) -> None:
    """Remember a STATEMENT about a SUBJECT; `-` reads the statement from stdin."""
    options = chosen(ctx)
    with open_banks(options) as banks:
        fields = {"type": kind.upper(), "subject": subject, "statement": _text(statement), **_remembered(given)}
        bank = banks.target
        allowed = bool(given["secret_ok"])
        changeset = remember(bank.view(), fields, agent=options.agent, origin=banks.origin, allow_secrets=allowed)
        written = _carry_out(banks, [(bank, changeset)], bool(given["proposed"]))
        if hint := type_hint(fields["type"], fields["statement"]):
            complain(hint)
        if given["verify"] and written:
            from tui.cli.read_back import read_back

            complain(read_back(bank, options, fields))


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
        change = _edit(bank, memory, _fields(given))
        if change is None:
            say("Nothing was changed.")
            return
        reason = f"edit {called(memory.id)}"
        allowed = bool(given["secret_ok"])
        changeset = Changeset((change,), reason, banks.origin, options.agent, allow_secrets=allowed)
        try:
            _carry_out(banks, [(bank, changeset)], bool(given["proposed"]))
        except MemdeskError as error:
            if change.text is not None and not isinstance(error, Conflict):  # of a conflict the store keeps both texts
                complain(keep(change.text.encode(), memory.name))
            raise


def _fields(given: dict[str, Any]) -> dict[str, Any]:
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
    if not sys.stdin.isatty() and not (os.environ.get("VISUAL") or os.environ.get("EDITOR")):
        raise BadInput("Nothing says what to change; give --statement or another option, or set $EDITOR.")
    if bank.read_only:
        raise ReadOnly(bank.read_only)  # before a text is written that could not be kept
    before = bank.source(memory.id)
    after = edited(before, memory.name)
    return None if after is None else PutMemory(memory.id, text=after, base=sha256(before).hexdigest())


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
        found = _by_bank(banks, references)
        agent = options.agent
        work = [(bank, forget(bank.view(), ids, reason, banks.origin, agent)) for bank, ids in found]
        _carry_out(banks, work, proposed)


@click.command("restore")
@click.argument("references", metavar="ID...", nargs=-1, required=True)
@click.option("--propose", "proposed", is_flag=True, help="Send it to review instead of doing it.")
@global_options
@click.pass_context
def restore_command(ctx: click.Context, references: tuple[str, ...], proposed: bool) -> None:
    """Bring memories back from the trash or the archive."""
    options = chosen(ctx)
    with open_banks(options) as banks:
        found = _by_bank(banks, references)
        work = [(bank, restore_memory(bank.view(), ids, banks.origin, options.agent)) for bank, ids in found]
        _carry_out(banks, work, proposed)


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


def _carry_out(banks: Banks, work: Sequence[tuple[Bank, Changeset]], proposed: bool) -> bool:
    """Commit, or file as a proposal when an agent asks or the person wants it so (`decisions.md` §1.2).

    Says whether it was written.
    """
    done: list[Done] = []
    filed: list[Proposed] = []
    for bank, changeset in work:
        if proposed or (banks.options.agent is not None and not bank_value(bank.view(), "agents_write")):
            filed += _propose(banks, bank, changeset)
        else:
            done.append((bank, changeset, _commit(banks, bank, changeset)))
    if filed or not done:
        _report_filed(banks, filed)
        return False
    _report(banks, done)
    return True


def _commit(banks: Banks, bank: Bank, changeset: Changeset) -> Committed:
    try:
        return banks.commit(bank, changeset)
    except SecretFound as error:
        if changeset.agent is not None:
            raise
        raise SecretFound(error.kinds, todo="take it out, or add --secret-ok") from None


def _propose(banks: Banks, bank: Bank, changeset: Changeset) -> list[Proposed]:
    agent = banks.options.agent
    if not changeset.changes:
        return []
    by, now = agent or "you", clock.millis()
    filed = propose(bank.view(), changeset.changes, by, changeset.reason, now, agent=agent is not None)
    if filed.fate == "rejected before":
        raise NotPermitted("This was rejected before; a person can restore it in the workbench.")
    if filed.rows:
        bank.record(filed.rows)
    return [filed]


def _report_filed(banks: Banks, filed: Sequence[Proposed]) -> None:
    if banks.options.json:
        print_json({"proposals": [{"id": one.id, "fate": one.fate} for one in filed]})
        return
    for one in filed:
        say(f"{one.id}: {one.fate}{_FATE_WORDS.get(one.fate, '.')}")
    if not filed:
        say("Nothing would change.")


_FATE_WORDS = {
    "filed": "; a person decides with `memdesk review`.",
    "waits already": "; a person decides with `memdesk review`.",
    "known already": "; the bank says this.",
}


def _report(banks: Banks, done: Sequence[Done]) -> None:
    memories = [banks.named(bank, memory) for bank, changeset, one in done for memory in _touched(bank, changeset, one)]
    changed = [one for _, _, one in done if one.number]
    if banks.options.json:
        rows = banks.options.agent is None
        body = {"memories": [memory_json(memory, banks.today, banks.half_lives) for memory in memories]}
        print_json(body | {"changes": [change_json(one, rows=rows) for one in changed]})
        return
    said = {effect.id: _said(effect) for one in changed for effect in one.files}
    for memory in memories:
        row(f"{memory.type:<6}", memory.id, said.get(split_id(memory.id)[1], "unchanged"))
    for bank, _, one in done:
        if one.number:
            say(f"Change {one.number}: {one.reason}. `{banks.undo_of(bank)}` takes it back.")


def _touched(bank: Bank, changeset: Changeset, done: Committed) -> list[Memory]:
    """The memories that a command was about, also those that were as it wants them already."""
    asked = [change.id for change in changeset.changes if isinstance(change, PutMemory | MoveMemory) and change.id]
    view = bank.view()
    return [view.memories[id] for id in done.ids or asked if id in view.memories]


def _said(effect: FileEffect) -> str:
    """What happened to a memory, in one word."""
    if effect.state_before != effect.state_after and effect.state_before:
        return effect.state_after or "gone"
    return "updated" if effect.sha_before else "new"
