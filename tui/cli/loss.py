"""`context --loss`: what agents load from files, and what of it is lost. Looks at files alone; no bank is opened."""

from __future__ import annotations

from pathlib import Path

from pipeline.context.loaded.loaded import KIND_WORDS, KINDS, Loaded, Loss
from pipeline.context.loaded.loss import LossReport, loss_report, summary
from pipeline.context.loaded.told import loss_json
from store.errors import BadInput
from store.roots import absolute
from tui.cli.options import Options
from tui.cli.say import complain, cut_row, print_json, row, say, under
from tui.home import at_home
from tui.literal import count, one_line

SHOWN_LOSSES, SHOWN_LINES, SHOWN_PIECES = 20, 8, 25
"""What is printed for a person of one kind, of one loss and of one layout; `--json` has it all."""


def print_loss(options: Options, path: str) -> None:
    """Print the report on a folder; `path` "" stands for the usual places and the working folder."""
    if options.agent:
        raise BadInput("--loss looks at files, whoever loads them; leave out --as.")
    report = loss_report(absolute(path) if path else None, here=_here())
    if options.json:
        print_json(loss_json(report))
        return
    _print_losses(report)
    for loaded in report.layouts:
        _print_layout(loaded)
    for note in report.notes:
        complain(note)


def _here() -> Path | None:
    try:
        return Path.cwd()
    except FileNotFoundError:
        return None


def _print_losses(report: LossReport) -> None:
    if not report.layouts and not report.losses:
        where = "in the usual places" if report.folder is None else f"of {at_home(report.folder)}"
        say(f"No agent that Memdesk knows loads anything {where}.")
        return
    say(summary(report))
    for kind in KINDS:
        losses = report.of(kind)
        if losses:
            say(f"\n{KIND_WORDS[kind].upper()}  {len(losses):,}")
            for loss in losses[:SHOWN_LOSSES]:
                _print_loss(loss)
            if len(losses) > SHOWN_LOSSES:
                say(f"  and {len(losses) - SHOWN_LOSSES:,} more; --json has them")


def _print_loss(loss: Loss) -> None:
    where = at_home(loss.file) if loss.file is not None else loss.name
    say(f"  {one_line(where)}{loss.place.removeprefix(loss.name)}  {one_line(loss.title)}")
    for cited in loss.lines[:SHOWN_LINES]:
        under(f"{one_line(cited.place)}  {cut_row(one_line(cited.text))}")
    more = loss.more + max(0, len(loss.lines) - SHOWN_LINES)
    if more:
        under(f"and {count(more, 'more line')}; --json has them")
    under(f"-> {one_line(loss.todo)}")


def _print_layout(loaded: Loaded) -> None:
    limits = ", ".join(limit.words for limit in loaded.limits)
    say()
    row(loaded.title, at_home(loaded.folder), limits)
    for piece in loaded.pieces[:SHOWN_PIECES]:
        name, size = one_line(f"{piece.name} {piece.lines}"), f"{piece.size:,} {piece.unit}"
        say(f"  {piece.fate:<10}  {name}  {size}  {one_line(piece.reason)}")
    if len(loaded.pieces) > SHOWN_PIECES:
        say(f"  and {len(loaded.pieces) - SHOWN_PIECES:,} more; --json has them")
