"""`recall`: finding memories as an agent would, by the formula that is asked for, for people and for programs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import click

from pipeline.recall.engines import memora, yotta
from pipeline.recall.engines.fusion import FUSIONS, Fusion
from pipeline.recall.engines.told import decoded
from pipeline.recall.explain import as_json, explain_hit, why
from pipeline.recall.filtering.query import LIVE, Query, parse
from pipeline.recall.formula import hybrid
from pipeline.recall.hits import Hit, Recall
from pipeline.recall.rank import DEFAULT, RANKERS, Settings, Words, rank, worded
from pipeline.recall.within import Within
from store import clock
from store.errors import BadInput, NotPermitted
from tui.cli.banks import PATIENCE, Banks, open_banks
from tui.cli.embedded import compared
from tui.cli.indexed import searchable_of, similar_of
from tui.cli.options import chosen, global_options
from tui.cli.read import check_kind, print_memory, understood
from tui.cli.say import complain, print_json, say
from tui.cli.shapes import memory_json
from tui.literal import count


@dataclass(frozen=True, slots=True)
class Asked:
    """What one call asks for: the words, where to look, and how to rank."""

    query: str
    within: Within
    ranker: str
    limit: int | None
    fusion: Fusion | None
    words: Words | None
    embedding: str | None
    timeout_ms: int | None


@click.command("recall")
@click.argument("query", nargs=-1, metavar="[QUERY]")
@click.option("--ranker", type=click.Choice(RANKERS), default=DEFAULT, show_default=True, help="Which one ranks.")
@click.option("--type", "kind", metavar="TYPE", help="Only FACT, PREF, BOUND or COMMIT.")
@click.option("--limit", type=click.IntRange(min=0), help="At most so many (0: 50, with memora 5).")
@click.option("--owner", metavar="OWNER", help="Only what this owner may have written.")
@click.option("--all", "everyone", is_flag=True, help="Look at other owners' memories too.")
@click.option("--year", "years", multiple=True, metavar="YYYY", help="Only memories of that year.")
@click.option("--embedding", metavar="COMMAND", help='A program that gives vectors of texts; "": none.')
@click.option("--embedding-timeout", type=click.IntRange(1), metavar="MS", help="How long one run of it may take.")
@click.option("--fusion", type=click.Choice(list(FUSIONS)), help="How memora joins meaning and words (linear).")
@click.option("--words", type=click.Choice(["any", "all"]), help="Memora: search for any or all of the words alone.")
@click.option("--explain", is_flag=True, help="Say why each memory has its place; records no use.")
@click.option("--no-usage", is_flag=True, help="Record no use.")
@global_options
@click.pass_context
def recall_command(
    ctx: click.Context,
    *,
    query: tuple[str, ...],
    ranker: str,
    kind: str | None,
    limit: int | None,
    owner: str | None,
    everyone: bool,
    years: tuple[str, ...],
    embedding: str | None,
    embedding_timeout: int | None,
    fusion: Fusion | None,
    words: Words | None,
    explain: bool,
    no_usage: bool,
) -> None:
    """Find memories as an agent would, best first (QUERY: whole words, type:, tag:, owner:, "phrase", -not).

    Put -- before words that begin with a minus.
    """
    options = chosen(ctx)
    check_kind(kind)
    if everyone and options.agent is None:
        raise NotPermitted("--all looks past what an agent may read; say which agent asks with --as AGENT.")
    within = Within(clock.today(), options.agent, kind, years, owner, everyone)
    asked = Asked(" ".join(query), within, ranker, limit, fusion, words, embedding, embedding_timeout)
    _check(asked)
    with open_banks(options, patience=PATIENCE) as banks:
        found = _found(banks, asked)
        _refuse_denied(found)
        _print(banks, found, asked.query, explain)
        if not (explain or no_usage):
            ids = [hit.memory.id for hit in found.hits]
            banks.record_use(ids, "s", asked.query, boost=ranker == memora.RANKER and not words)


def _check(asked: Asked) -> None:
    """Refuse options that would have no effect, and operators that mean nothing here."""
    if asked.ranker == hybrid.RANKER:
        _understood(asked.query)
    if asked.embedding and asked.ranker == hybrid.RANKER:
        raise BadInput(f"--embedding is for {yotta.RANKER} and {memora.RANKER}; hybrid takes the setting meaning.")
    for option, value in (("--fusion", asked.fusion), ("--words", asked.words)):
        if value and asked.ranker != memora.RANKER:
            raise BadInput(f"{option} says how memora ranks; add --ranker {memora.RANKER}.")
    if asked.words and (asked.fusion or asked.embedding):
        raise BadInput("--words searches by words alone; leave out --fusion and --embedding.")


def _understood(typed: str) -> Query:
    """The query of a recall. Raises `BadInput` for what means nothing in it."""
    query = understood(typed)
    if query.places != (LIVE,):
        raise BadInput(f"Recall reads live memories only; list the others with `memdesk list is:{query.place}`.")
    if query.sort not in {"", "relevance"}:
        raise BadInput(f"Recall goes by score; another order is `memdesk list sort:{query.sort}`.")
    return query


def _found(banks: Banks, asked: Asked) -> Recall:
    view, within = banks.view(), asked.within
    settings = Settings(asked.limit, banks.half_lives, banks.usage, fusion=asked.fusion, words=asked.words)
    if asked.ranker == hybrid.RANKER:
        if worded(query := parse(asked.query)):
            searchable = searchable_of(banks, view)
            similar = similar_of(banks, searchable, query.words, within)
            settings = replace(settings, searchable=searchable, similar=similar)
    elif not asked.words:
        program = compared(banks, asked.query, within.of(view).memories, asked.embedding, asked.timeout_ms)
        for note in program.notes if program else ():
            complain(note)
        settings = replace(settings, program=program)
    return rank(view, asked.query, within, asked.ranker, settings)


def _refuse_denied(found: Recall) -> None:
    if not found.denied:
        return
    sentence = f"{count(found.denied, 'memory', 'memories')} of other owners may not be read"
    if not found.hits:
        raise NotPermitted(f"{sentence}; ask their owner for a grant.")
    complain(f"{sentence}.")


def _print(banks: Banks, found: Recall, query: str, explain: bool) -> None:
    for note in filter(None, (*found.notes, found.advice)):
        complain(note)
    if banks.options.json:
        hits = [hit_json(banks, hit, explain) for hit in found.hits]
        print_json({"ranker": found.ranker, "query": query, "memories": hits, "total": found.total, **wordless(found)})
        return
    for hit in found.hits:
        print_hit(hit)
        if explain:
            for line in why(hit):
                say(f"        {line}")
    if not (found.hits or found.wordless or found.advice):
        complain("No memory matches.")
    elif found.truncated:
        complain(f"{len(found.hits)} of {found.total} shown; --limit shows more.")


def wordless(found: Recall) -> dict[str, bool]:
    """What programs are told of a query without words: that this is why nothing was found."""
    return {"wordless": True} if found.wordless else {}


def print_hit(hit: Hit, *more: str) -> None:
    """A hit on one line; what is stored in code is shown as a person reads it."""
    print_memory(hit.memory, f"{hit.final:.3f}", *more, content=decoded(hit.memory))


def hit_json(banks: Banks, hit: Hit, explain: bool) -> dict[str, Any]:
    """A hit as `recall` and `suggest` print it (`decisions.md` §7)."""
    report = explain_hit(hit, banks.today, banks.half_lives)
    body = memory_json(hit.memory, banks.today, banks.half_lives)
    body |= {"content": told} if (told := decoded(hit.memory)) else {}
    body |= {"score": report.score, "final": report.final, "why": list(report.why)}
    return body | ({"explain": as_json(report)} if explain else {})
