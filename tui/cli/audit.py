"""`context --audit`: what of a text the bank holds, or what did not get into the pack (`spec/context.md`, part B)."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence

from pipeline.context.audit.comparison import STATUSES, Audit, Item, audit, report, suggested_command
from pipeline.context.audit.dropped import Reason, left_out
from pipeline.context.audit.dropped import report as report_left_out
from pipeline.context.pack import Pack
from pipeline.context.request import Request
from pipeline.measure import cut_units, number_text, round3
from store.roots import read_yotta_config
from store.settings import audit_min_coverage
from store.vault.scalars import LEADING_INT, read_int
from tui.audited import OR_STDIN, WORDS, difference_words, named_text, same_bank, text_of
from tui.cli.banks import Banks
from tui.cli.options import Options
from tui.cli.say import print_json, row, say, under
from tui.literal import count, one_line

STDIN = "-"
LINE_UNITS = 120
"""UTF-16 units of a line that are printed (`spec/context.md` §15)."""
REASONS: dict[Reason, str] = {
    "duplicate": "shown already",
    "budget_exceeded": "over the budget",
    "block_full": "its block is full",
    "evicted": "taken out by the hook",
    "unlisted": "not on the hook's list",
    "paged_out": "taken out by paging",
}


def given_text(given: str) -> tuple[str, str] | None:
    """The text to audit and its source: a file's, stdin's for `-` or when something is piped in; None for none.

    Raises `BadInput` for a file that is not there.
    """
    if given and given != STDIN:
        return named_text(given, f"the text to audit{OR_STDIN}")
    if not given and not _piped():
        return None
    text = text_of(sys.stdin.buffer.read())
    return (text, "stdin") if given or text.strip() else None


def _piped() -> bool:
    """Whether stdin is a pipe, a socket or a file: nobody types there."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISREG(mode)


def audit_text(banks: Banks, request: Request, text: str, source: str, gate: str | None) -> int:
    """Print what of the text has landed; 1 when more is lost than the gate lets through, else 0."""
    least = audit_min_coverage(banks.bank.view(), read_yotta_config())
    done = audit(banks.view(), request, text, source, least)
    more = same_bank(request.agent, banks.bank.path)
    if banks.options.json:
        print_json(report(done, more))
    else:
        _print_audit(done, request.agent, more)
    return _code(done.counts["missing"], gate)


def audit_left_out(options: Options, pack: Pack, gate: str | None) -> int:
    """Print what did not get into the pack; 1 when more cannot be recalled than the gate lets through, else 0."""
    items = left_out(pack)
    if options.json:
        print_json(report_left_out(items))
    else:
        say(f"{count(len(items), 'memory', 'memories')} did not get into the pack of {pack.request.shown}.")
        for item in items:
            found = "" if item.recallable else "no recall finds it"
            row("", f"{REASONS[item.reason]:<22}", item.memory.path, item.memory.subject, found)
    return _code(sum(not item.recallable for item in items), gate)


def _code(lost: int, gate: str | None) -> int:
    """The exit code; a gate that is no number is none (`spec/context.md` §15)."""
    if gate is None or not LEADING_INT.match(gate.lstrip()):
        return 0
    return 1 if lost > read_int(gate.lstrip()) else 0


def _print_audit(done: Audit, agent: str, more: Sequence[str]) -> None:
    parts = ", ".join(f"{done.counts[name]:,} {WORDS[name]}" for name in STATUSES)
    say(f"{count(len(done.items), 'line')} worth keeping in {done.source}, as {agent}: {parts}.")
    for name in STATUSES:
        items = [item for item in done.items if item.status == name]
        if items:
            say(f"\n{WORDS[name]}")
        for item in items:
            _print_item(item, more)


def _print_item(item: Item, more: Sequence[str]) -> None:
    """A line: the command that would keep it, how much of it is known, or the memory that holds it."""
    text = cut_units(one_line(item.text), LINE_UNITS)
    if item.status == "missing":
        row("", text)
        under(suggested_command(item.text, more))
    elif item.status == "uncertain":
        file = item.memory.path if item.memory else ""
        told = [f"coverage {number_text(round3(item.coverage))}", *map(difference_words, item.differs)]
        row("", text, ", ".join(told), file)
    else:
        row("", text, item.memory.path if item.memory else "")
