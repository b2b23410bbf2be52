"""`context`: the pack that an agent gets, for real or as a preview."""

from __future__ import annotations

import socket
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import click

from pipeline.context import report
from pipeline.context.assembled import segments
from pipeline.context.fates import Fates
from pipeline.context.layouts.chat import Chat, conversation_of
from pipeline.context.pack import LAYOUTS, Pack, assemble
from pipeline.context.profile import profile
from pipeline.context.provider.hook import ask
from pipeline.context.provider.paging import page
from pipeline.context.request import LAYOUTS as LAYOUT_NAMES
from pipeline.context.request import Request, check
from store.errors import BadInput, MemdeskError, NotABank, NotPermitted
from store.stored_profile import stored_profile
from tui.audited import OR_STDIN, named_text, text_of
from tui.cli.banks import PATIENCE, Banks, open_banks
from tui.cli.options import Options, chosen, global_options, whole_number
from tui.cli.say import complain, print_json, row, say


@click.command("context")
@click.argument("path", required=False)
@click.option("--focus", default="", metavar="TEXT", help="What the session is about; adds the hits of a recall.")
@click.option(
    "--budget", metavar="N", help="At most so many characters up to the last memory (0: no end); memora: tokens."
)
@click.option("--limit", metavar="N", help="At most so many memories in each section (10; memora: 5).")
@click.option("--layout", type=click.Choice(LAYOUT_NAMES), help="The form of the pack: a document, or a chat.")
@click.option("--conversation", metavar="FILE", help="With --layout memora: the messages so far, as JSON; - for stdin.")
@click.option("--owner", metavar="ID", help="Whose identity and profile are shown (the agent's own).")
@click.option("--year", "years", multiple=True, metavar="YYYY", help="Only memories of that year.")
@click.option("--no-hook", is_flag=True, help="Do not ask the provider.")
@click.option(
    "--paging/--no-paging",
    default=None,
    help="Let a provider page the pack, or not; without either it does where one can and there is a budget.",
)
@click.option("--explain", is_flag=True, help="Say what became of every memory, and why.")
@click.option(
    "--audit",
    is_flag=False,
    flag_value="",
    metavar="[FILE|-]",
    help="What of a text the bank holds; without one, what did not get into the pack.",
)
@click.option("--gate", metavar="N", help="With --audit: exit code 1 when more than N are lost.")
@click.option(
    "--loss",
    is_flag=False,
    flag_value="",
    metavar="[PATH]",
    help="What agents load from files, and what is lost; without PATH: the usual places and this folder. No --as.",
)
@click.option(
    "--save", metavar="NAME", help="Keep the pack under a name; nothing in the bank changes, no use is counted."
)
@click.option("--since", metavar="NAME", help="What changed since a saved pack, and why; what is not given is as then.")
@click.option("--baselines", "listed", is_flag=True, help="The saved packs of this agent.")
@click.option("--delete-baseline", "dropped", metavar="NAME", help="Delete a saved pack.")
@click.option("--profile", "only_profile", is_flag=True, help="Print only the profile.")
@click.option("--dry-run", is_flag=True, help="Record no use of the memories shown.")
@click.option("--no-usage", is_flag=True, help="The same.")
@global_options
@click.pass_context
def context_command(ctx: click.Context, /, **given: Any) -> None:
    """Print the context pack of an agent (give it with --as)."""
    options = chosen(ctx)
    path, loss = given["path"], given["loss"]
    if path is not None and loss != "":  # only --loss takes a path, and may have it behind other options
        raise click.UsageError(f"Got unexpected extra argument ({path})", ctx)
    if loss is not None:
        from tui.cli.loss import print_loss

        print_loss(options, loss or path or "")
        return
    try:
        with open_banks(options, patience=PATIENCE) as banks:
            _answer(banks, _request(banks, given), given)
    except MemdeskError as error:
        _refuse(options, error)


def _answer(banks: Banks, request: Request, given: Mapping[str, Any]) -> None:
    """The audit, the profile or the pack; a pack for real counts as a use of what is in it."""
    hook = not given["no_hook"]
    if given["audit"] is not None or given["gate"] is not None:
        raise click.exceptions.Exit(_audit(banks, request, given["audit"], given["gate"], hook=hook))
    if given["only_profile"]:
        _print_profile(banks, request)
        return
    if any(given[name] is not None for name in ("save", "since", "dropped")) or given["listed"]:
        _kept(banks, request, given, hook=hook)
        return
    check(request)
    pack = _pack(banks, request, hook=hook)
    _print_pack(banks.options, pack)
    if not (given["dry_run"] or given["no_usage"] or given["explain"]):
        banks.record_use(pack.used, "u")


def _kept(banks: Banks, request: Request, given: Mapping[str, Any], *, hook: bool) -> None:
    """Save the pack, compare with a saved one, list those, or delete one; none of it counts as a use."""
    from tui.cli import baseline

    check(request)
    if given["dropped"] is not None:
        baseline.drop(banks, given["dropped"])
    elif given["listed"]:
        baseline.print_list(banks)
    elif given["since"] is not None:
        then = baseline.of_agent(banks, given["since"])
        asked = _with_profile(banks, baseline.as_then(request, then, given))
        check(asked)
        baseline.print_since(banks, then, _pack(banks, asked, hook=hook and baseline.asks_hook(then)))
    else:
        baseline.save(banks, given["save"], _pack(banks, request, hook=hook))


def _request(banks: Banks, given: Mapping[str, Any]) -> Request:
    """What the options ask for, with the profile file that another engine keeps (`spec/context.md` §8)."""
    layout = given["layout"] or LAYOUT_NAMES[0]
    request = Request(
        agent=_agent(banks.options),
        owner=given["owner"] or "",
        focus=given["focus"],
        limit=LAYOUTS[layout].limit if given["limit"] is None else whole_number("--limit", given["limit"], 1),
        budget=0 if given["budget"] is None else whole_number("--budget", given["budget"], 0),
        years=given["years"],
        explain=given["explain"],
        half_lives=banks.half_lives,
        host=socket.gethostname(),
        memory_home=str(banks.bank.path),
        paging=given["paging"],
        layout=layout,
        chat=_chat(given["conversation"], layout),
    )
    return _with_profile(banks, request)


def _with_profile(banks: Banks, request: Request) -> Request:
    """The request with the stored profile of the owner that it shows."""
    text, day = stored_profile(banks.bank.path, request.shown)
    return replace(request, profile=text, profile_day=day)


def _chat(conversation: str | None, layout: str) -> Chat:
    """The chat so far, read from a file or from stdin."""
    if conversation is None:
        return Chat()
    if not LAYOUTS[layout].is_chat:
        raise BadInput("A conversation belongs to a chat; add --layout memora, or leave --conversation out.")
    if conversation == "-":
        return Chat(conversation=conversation_of(text_of(sys.stdin.buffer.read())))
    return Chat(conversation=conversation_of(named_text(conversation, f"the messages so far{OR_STDIN}")[0]))


def _agent(options: Options) -> str:
    if not options.agent:
        raise NotPermitted("The pack holds private memories; say for whom it is made with --as AGENT.")
    return options.agent


def _refuse(options: Options, error: MemdeskError) -> None:
    """A refused pack still answers programs with the block that they read (`spec/context.md` §13)."""
    if not options.json or not isinstance(error, NotABank | NotPermitted | BadInput):
        raise error
    print_json(report.refused())
    complain(str(error))
    raise click.exceptions.Exit(error.exit_code)


def _audit(banks: Banks, request: Request, given: str | None, gate: str | None, *, hook: bool) -> int:
    """The audit instead of the pack; its exit code (`spec/context.md`, part B). It records no use."""
    from tui.cli.audit import audit_left_out, audit_text, given_text

    if given is None:
        raise BadInput("--gate says how much an audit may find lost; add --audit.")
    check(request)
    named = given_text(given)
    if named is None:
        return audit_left_out(banks.options, _pack(banks, request, hook=hook), gate)
    return audit_text(banks, request, *named, gate)


def _pack(banks: Banks, request: Request, *, hook: bool) -> Pack:
    """The pack with the provider's answers; without the hook nothing is started but what is asked for by name."""
    view = banks.view()
    answer = ask(view, request) if hook else None
    paging = page(view, request, answer) if hook or request.paging else None
    return assemble(view, request, answer, paging)


def _print_profile(banks: Banks, request: Request) -> None:
    text = profile(banks.view(), request.agent, request.shown, request.today)
    if banks.options.json:
        print_json({"owner": request.shown, "profile": text})
    elif text:
        say(text)
    else:
        complain(f"{request.shown} has no private memories; there is no profile yet.")


def _print_pack(options: Options, pack: Pack) -> None:
    if options.json:
        print_json(report.explained(pack) if pack.request.explain else report.report(pack))
        return
    say(pack.text)
    if pack.request.explain:
        _print_fates(pack)
        _print_segments(pack)


def _print_fates(pack: Pack) -> None:
    fates = Fates(pack)
    say()
    for fate in fates:
        row(f"{fate.outcome:<16}", f"{fate.place:<8}", fate.id, fate.memory.subject)
    counts = fates.counts
    parts = [f"{name} {number}" for name, number in (*counts.outcomes.items(), *counts.unseen.items()) if number]
    say(f"{counts.live} live memories: {', '.join(parts)}")


def _print_segments(pack: Pack) -> None:
    """What a chat consists of, and what besides memories it has not (`spec/memora.md` §16.3)."""
    if not pack.messages:
        return
    say()
    for one in segments(pack):
        part = f"{one.share:.1%}" if one.stands else "out"
        row(f"{one.section:<12}", f"{one.tokens:>7,} tokens", f"{part:>6}", one.why, " ".join(one.origins))
