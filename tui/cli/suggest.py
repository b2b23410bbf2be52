"""`suggest`: memories that may be of use, with or without a query; records nothing."""

from __future__ import annotations

import click

from pipeline.recall.engines.memora import SETTING_LABELS
from pipeline.recall.engines.suggest import suggest
from pipeline.recall.engines.told import preview
from pipeline.recall.explain import why
from pipeline.recall.within import Within
from store import clock
from tui.cli.banks import open_banks
from tui.cli.options import chosen, global_options
from tui.cli.read import check_kind
from tui.cli.recall import hit_json, print_hit, wordless
from tui.cli.say import complain, print_json


@click.command("suggest")
@click.argument("query", nargs=-1, metavar="[QUERY]")
@click.option("--type", "kind", metavar="TYPE", help="Only FACT, PREF, BOUND or COMMIT.")
@click.option("--limit", type=click.IntRange(min=0), help="At most so many (5, also when it is 0).")
@click.option("--without", "labels", multiple=True, metavar="LABEL", help="Leave out memories of that label.")
@global_options
@click.pass_context
def suggest_command(
    ctx: click.Context, query: tuple[str, ...], kind: str | None, limit: int | None, labels: tuple[str, ...]
) -> None:
    """Find memories that may be of use: what the words find, then the best of each kind, with the reason.

    Put -- before words that begin with a minus.
    """
    options = chosen(ctx)
    check_kind(kind)
    within, asked = Within(clock.today(), options.agent, kind), " ".join(query)
    with open_banks(options) as banks:
        excluded = SETTING_LABELS | set(labels)
        found = suggest(banks.view(), asked, within, clock.now(), limit=limit, excluded=excluded, usage=banks.usage)
        for note in found.notes:
            complain(note)
        if options.json:
            hits = [hit_json(banks, hit, False) | {"preview": preview(hit.memory)} for hit in found.hits]
            print_json({"query": asked, "memories": hits, "total": found.total, **wordless(found)})
            return
        for hit in found.hits:
            print_hit(hit, why(hit)[0])
        if not found.hits:
            complain("There is nothing to suggest.")
