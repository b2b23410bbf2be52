"""`context --save` and `--since`: a pack kept under a name, and what changed since; the list of what is kept.

A baseline holds the text of memories that its agent was given, so only for that agent it is told about.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from pipeline.context.baseline import NOT_REQUESTED, Baseline
from pipeline.context.difference import Changed
from pipeline.context.pack import Pack
from pipeline.context.request import Request
from pipeline.context.since import Since, since
from pipeline.context.since_report import report
from store.bank import Bank
from store.baselines import Saved, baselines, check_baseline_name, delete_baseline
from store.errors import BadInput, NotPermitted
from tui.baselines import KIND_WORDS, happened, keep, other_words, read, sums, why
from tui.cli.banks import Banks
from tui.cli.say import print_json, row, say
from tui.dates import moment
from tui.literal import count, one_line

UNDER = "    "


def save(banks: Banks, name: str, pack: Pack) -> None:
    """Keep the pack, and say so."""
    name, own = check_baseline_name(name), _of(banks)
    if any(saved.name == name and saved not in own for saved in baselines(banks.bank.path)):
        raise NotPermitted(f"The baseline {name!r} is another agent's; choose another name.")
    replaced = keep(banks.bank.path, name, pack, _by_prefix(banks))
    if banks.options.json:
        print_json({"saved": {"name": name, "agent": pack.request.agent, "replaced": replaced}})
        return
    again = ", in place of the earlier one" if replaced else ""
    say(f"Saved the pack of {one_line(pack.request.agent)} as {one_line(name)}{again}.")


def of_agent(banks: Banks, name: str) -> Baseline:
    """The baseline of that name. Raises `NotPermitted` when it is another agent's, `BadInput` when there is none."""
    baseline = read(banks.bank.path, name, banks.options.agent or "")
    if baseline.agent != banks.options.agent:
        raise NotPermitted(f"The baseline {name!r} is another agent's; it is told about for that one only.")
    return baseline


def as_then(request: Request, baseline: Baseline, given: Mapping[str, Any]) -> Request:
    """The request with what was not given as it was then, so that only the bank makes a difference."""
    then = {key: tuple(value) if isinstance(value, list) else value for key, value in baseline.inputs.items()}
    options = {"years": given["years"], **{key: given.get(key) for key in then if key != "agent"}}
    open_ = {key for key, value in options.items() if not value and value is not False}  # --no-paging is given
    earlier: dict[str, Any] = {key: value for key, value in then.items() if key in open_}
    return replace(request, **earlier)


def asks_hook(baseline: Baseline) -> bool:
    """Whether a provider was asked then, and so is asked now."""
    return baseline.hook.status != NOT_REQUESTED


def print_since(banks: Banks, baseline: Baseline, pack: Pack) -> None:
    """What changed since, as a line difference with the cause under each line, or as JSON."""
    found = since(baseline, pack, happened(baseline, _by_prefix(banks)))
    if banks.options.json:
        print_json(report(found))
        return
    say(f"Since {one_line(baseline.name)}, {moment(baseline.made)}, as {one_line(baseline.agent)}:")
    for other in found.inputs:
        say(other_words(other))
    for changed in found.told.lines:
        if changed.sign != " ":
            _print_line(changed, found)
    told = sums(found)
    say(f"{told[0].upper()}{told[1:]}.")


def _print_line(changed: Changed, found: Since) -> None:
    row(f"{changed.sign} {changed.line.text}")
    item = found.by_id.get(changed.line.entry)
    if item is not None and (changed.sign == "+") == bool(item.after):
        say(f"{UNDER}{KIND_WORDS[item.kind]}: {why(item)}")


def print_list(banks: Banks) -> None:
    """The baselines of the agent, newest first."""
    found = _of(banks)
    if banks.options.json:
        print_json({"baselines": [asdict(saved) for saved in found]})
        return
    for saved in found:
        row(f"{one_line(saved.name):<24}", f"{moment(saved.made):<12}", count(saved.lines, "line"))
    if not found:
        say("No baseline is kept; save one with --save NAME.")


def drop(banks: Banks, name: str) -> None:
    """Delete a baseline of the agent."""
    name = check_baseline_name(name)
    if not any(saved.name == name for saved in _of(banks)):
        raise BadInput(f"There is no baseline {name!r} of {banks.options.agent}; nothing was deleted.")
    delete_baseline(banks.bank.path, name)
    if banks.options.json:
        print_json({"deleted": name})
        return
    say(f"Deleted the baseline {one_line(name)}.")


def _of(banks: Banks) -> tuple[Saved, ...]:
    return tuple(saved for saved in baselines(banks.bank.path) if saved.agent == banks.options.agent)


def _by_prefix(banks: Banks) -> Mapping[str, Bank]:
    """The open banks by the prefix of their ids: none for one alone."""
    return banks.open if banks.joined else {"": banks.bank}
