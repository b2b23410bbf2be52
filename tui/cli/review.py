"""`review`, `approve` and `reject`: the queue, and a person's decisions about it."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import click

from pipeline.review import Waiting, approve, counts, find, queue, reject, rejected, with_resemblances
from pipeline.review.together import Decide, together
from store import clock
from store.bank import Bank
from store.changes import Changeset, Committed
from store.errors import AlreadyDecided, AmbiguousMemory, BadInput, NotPermitted
from store.settings import bank_value
from store.view import View
from tui.cli.banks import Banks, open_banks
from tui.cli.options import chosen, global_options
from tui.cli.say import complain, print_json, row, say, under
from tui.cli.shapes import change_json, waiting_json
from tui.literal import count, one_line

STATES = ("ready", "conflict", "expiring", "open", "postponed", "rejected", "archived")
"""What `--state` may say."""
KINDS = ("fact", "profile", "insight", "suggestion", "remember", "edit", "forget", "restore", "archive", "change")
"""What `--kind` may say; a proposal of another program may be of a kind of its own."""


@click.command("review")
@click.option("--count", "only_count", is_flag=True, help="Print only how many are ready.")
@click.option("--all", "everything", is_flag=True, help="Also what was seen once or postponed.")
@click.option("--state", type=click.Choice(STATES), help="Only what is in this state, also what was rejected.")
@click.option("--kind", metavar="KIND", help="Only this kind: fact, profile, insight, suggestion, remember, edit, ...")
@global_options
@click.pass_context
def review_command(
    ctx: click.Context, /, only_count: bool, everything: bool, state: str | None, kind: str | None
) -> None:
    """Print what waits for a decision, with the words that it rests on."""
    options = chosen(ctx)
    with open_banks(options) as banks:
        view, now = banks.bank.view(), clock.millis()
        if only_count and options.agent is None and not (state or kind):
            _print_count(options.json, counts(view, now).ready)
            return
        waiting = queue(view, now, postponed=True, resembling=False)
        found = rejected(view, now) if state in ("rejected", "archived") else waiting
        _check_kind(kind, found)
        mine = [one for one in found if _asked(one, everything, state, kind) and _may_see(one, options.agent)]
        ready = sum(one.counted for one in (waiting if options.agent is None else mine))
        if only_count:
            _print_count(options.json, len(mine) if state or kind else ready)
        elif options.json:
            print_json({"proposals": [waiting_json(one) for one in with_resemblances(view, mine)], "ready": ready})
        else:
            for one in mine:
                _print(one)
            if not mine:
                say("Nothing waits.")


def _check_kind(kind: str | None, found: Sequence[Waiting]) -> None:
    if kind is not None and kind not in KINDS and all(one.kind != kind for one in found):
        raise BadInput(f"There is no kind {kind!r}; use one of {', '.join(KINDS)}.")


def _print_count(as_json: bool, ready: int) -> None:
    if as_json:
        print_json({"proposals": [], "ready": ready})
    else:
        say(str(ready))


def _asked(one: Waiting, everything: bool, state: str | None, kind: str | None) -> bool:
    """Whether it is in the state and of the kind; without asking for more, what the screen leaves out is left out."""
    shown = everything or state is not None or not (one.folded or one.state == "postponed")
    return shown and state in (None, one.state) and kind in (None, one.kind)


def _may_see(one: Waiting, agent: str | None) -> bool:
    """An agent sees what it proposed itself; the rest is the person's."""
    return agent is None or (one.table == "proposals" and one.by == agent)


def _print(one: Waiting) -> None:
    seen = f"{one.have} of {one.need}" if one.need and one.state == "open" else ""
    row(f"{one.state:<9}", f"{one.kind:<8}", one.id, one.statement, seen)
    for quote in one.quotes:
        under(f'"{quote.text}"  {one_line(quote.session)}')
    if one.reason:
        under(one.reason)


@click.command("approve")
@click.argument("references", metavar="ID...", nargs=-1, required=True)
@click.option("--statement", metavar="TEXT", help="Approve with this text instead.")
@click.option("--subject", metavar="TEXT", help="With this subject.")
@click.option("--type", "type", metavar="TYPE", help="As FACT, PREF, BOUND or COMMIT.")
@click.option("--owner", metavar="OWNER", help="Whose memory it becomes; what is private needs one.")
@click.option("--label", metavar="LABEL", help="With this label.")
@click.option("--field", metavar="FIELD", help="Which field a profile fact is about, where it could be several.")
@click.option("--keep-both", is_flag=True, help="In a profile conflict keep the old memory too.")
@click.option("--yes", is_flag=True, help="Decide without a terminal, where the bank allows it.")
@global_options
@click.pass_context
def approve_command(
    ctx: click.Context, /, references: tuple[str, ...], keep_both: bool, yes: bool, **given: str | None
) -> None:
    """Accept proposals: what they say goes into the bank."""
    edits = {name: value for name, value in given.items() if value is not None}
    if "type" in edits:
        edits["type"] = edits["type"].upper()
    if "statement" in edits and len(references) > 1:
        raise BadInput("--statement is the text of one proposal; approve the others on their own.")
    with open_banks(chosen(ctx)) as banks:
        bank = _deciding(banks, yes)

        def decide(view: View, item: Waiting) -> Changeset:
            return approve(view, item, edits=edits, keep_both=keep_both, origin=banks.origin)

        _decide(banks, bank, references, decide, "approve")


@click.command("reject")
@click.argument("references", metavar="ID...", nargs=-1, required=True)
@click.option("--reason", default="", metavar="TEXT", help="Why; it is remembered.")
@click.option("--yes", is_flag=True, help="Decide without a terminal, where the bank allows it.")
@global_options
@click.pass_context
def reject_command(ctx: click.Context, /, references: tuple[str, ...], reason: str, yes: bool) -> None:
    """Refuse proposals for good: the same will not be proposed again."""
    with open_banks(chosen(ctx)) as banks:
        bank = _deciding(banks, yes)

        def decide(view: View, item: Waiting) -> Changeset:
            return reject(view, item, reason, origin=banks.origin)

        _decide(banks, bank, references, decide, "reject")


def _decide(banks: Banks, bank: Bank, references: Sequence[str], decide: Decide, verb: str) -> None:
    """One decision about all of them, as one change; what cannot be decided with the others is told."""
    view, now = bank.view(), clock.millis()
    items = list({item.key: item for item in (_named(view, reference, now) for reference in references)}.values())
    found = together(view, items, decide, f"{verb} {count(len(items), 'proposal')}", banks.origin)
    _report(banks, bank, banks.commit(bank, found.changeset))
    for item, error in found.left:
        complain(f"{item.id} was left as it is: {error}")
    if found.left:
        raise click.exceptions.Exit(found.left[0][1].exit_code)


def _named(view: View, reference: str, now: int) -> Waiting:
    """The proposal that a reference names. Raises what `find` raises, `AlreadyDecided` for one that was decided."""
    try:
        item = find(view, reference, now)
    except AmbiguousMemory:
        raise
    except BadInput:
        rows = [(key, row) for table in ("gaps", "profile", "proposals") for key, row in view.rows(table).items()]
        if any(reference in (key, row.get("id")) for key, row in rows):
            raise AlreadyDecided(f"{reference} was decided already; `memdesk log` tells how.") from None
        raise
    if item.state == "rejected":
        raise AlreadyDecided(f"{reference} was rejected already; the workbench (2, then T) can bring it back.")
    return item


def _deciding(banks: Banks, yes: bool) -> Bank:
    """The bank, if this caller may decide (`decisions.md` §1.3): a person at a terminal, or a script that may."""
    if banks.options.agent is not None:
        raise NotPermitted("Deciding is a person's act; leave out --as.")
    if sys.stdin.isatty():
        return banks.target
    if not yes:
        raise NotPermitted("Deciding needs a terminal; or add --yes on a bank that allows scripts to decide.")
    if not bank_value(banks.target.view(), "scripted_decisions"):
        raise NotPermitted("This bank lets no script decide; switch scripted_decisions on in the workbench (ctrl+p).")
    return banks.target


def _report(banks: Banks, bank: Bank, done: Committed) -> None:
    if banks.options.json:
        print_json({"changes": [change_json(done)]})
        return
    for effect in done.files:
        row(f"{effect.state_after or 'gone':<9}", effect.id)
    say(f"Change {done.number}: {done.reason}. `{banks.undo_of(bank)}` takes it back.")
