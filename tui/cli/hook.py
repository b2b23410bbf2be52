"""`hook check`: whether the provider is configured well, which program would be asked and why, and one try of it."""

from __future__ import annotations

import click

from pipeline.context.provider.answer import CAUSES
from pipeline.context.provider.check import (
    STDERR_SHOWN,
    Check,
    check_providers,
    check_report,
    took_out,
)
from pipeline.context.provider.configuration import HOOK, PAGING
from pipeline.context.provider.exchange import Exchange
from pipeline.context.provider.hook import HookResult, ask
from pipeline.context.provider.paging import page
from pipeline.context.request import Request
from store.errors import NotPermitted
from tui.checked import configured
from tui.cli.banks import open_banks
from tui.cli.options import Options, chosen, global_options, whole_number
from tui.cli.say import print_json, row

LABEL = 14
TRIED_BUDGET = 2000
"""What paging is asked to page for when no budget is named."""


@click.group("hook")
@global_options
def hook_command() -> None:
    """The program that may take memories out of a pack."""


@hook_command.command("check")
@click.option("--try", "tried", is_flag=True, help="Ask it once, for the agent of --as, and show what comes back.")
@click.option("--capability", type=click.Choice((HOOK, PAGING)), default=HOOK, help="With --try: what is asked.")
@click.option("--focus", default="", metavar="TEXT", help="With --try: what the session is about.")
@click.option("--budget", metavar="N", help="With --try: the budget that is told (none; 2000 for paging).")
@global_options
@click.pass_context
def check_command(ctx: click.Context, *, tried: bool, capability: str, focus: str, budget: str | None) -> None:
    """Check provider.json; exit code 1 when something is wrong with it, or with the answer of --try."""
    options = chosen(ctx)
    check = check_providers()
    told = _try(options, capability, focus, budget) if tried else None
    if options.json:
        print_json(check_report(check, told))
    else:
        _print_check(check)
        if told is not None:
            _print_try(told)
    if check.faults or (told is not None and told.status not in {"active", "not_installed"}):
        raise click.exceptions.Exit(1)


def _try(options: Options, capability: str, focus: str, budget: str | None) -> Exchange:
    """Ask once, about the pack that `memdesk context` would make; nothing in the bank changes."""
    if not options.agent:
        raise NotPermitted("The provider is given private memories; say whose pack it is asked about with --as AGENT.")
    usual = TRIED_BUDGET if capability == PAGING else 0
    size = usual if budget is None else whole_number("--budget", budget, 0)
    request = Request(options.agent, focus=focus, budget=size, paging=True)
    with open_banks(options) as banks:
        if capability == HOOK:
            return ask(banks.view(), request)
        told = page(banks.view(), request)
        assert told is not None, "Paging that is asked for by name always has a result."
        return told


def _print_check(check: Check) -> None:
    for name, value in configured(check, str(check.configuration.path)):
        _say(name, value)


def _print_try(told: Exchange) -> None:
    row("")
    _say("status", told.status)
    if told.note:
        _say("note", told.note)
    if not told.request:
        return
    _say("time", f"{told.duration_ms:,} of {told.timeout_ms:,} ms")
    _say("bytes", f"{len(told.request.encode('utf-8', 'replace')):,} sent, {told.bytes_out:,} of the answer")
    _say("sent", f"{len(told.sent):,} memories, {len(told.private):,} private, {len(told.cut):,} cut")
    what = "takes out" if isinstance(told, HookResult) else "drops"
    names = took_out(told)
    _say(what, f"{len(names):,}")
    for name in names:
        _say("", name)
    for dropped in told.dropped:
        _say("not taken", f"{dropped.name}: {CAUSES[dropped.cause]}")
    for element in told.invalid:
        _say("not taken", f"{element}: a list element that is no text")
    for sentence in told.ignored:
        _say("ignored", sentence)
    for text in told.stderr[:STDERR_SHOWN]:
        _say("stderr", text)


def _say(name: str, value: str) -> None:
    row(f"{name:<{LABEL}}", value)
