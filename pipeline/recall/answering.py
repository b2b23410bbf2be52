"""The hybrid ranking as hits over memories: for the person who types and for the agent that asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from pipeline.recall.encoding.encoders import Floats
from pipeline.recall.encoding.question import Questions
from pipeline.recall.filtering.passing import passing
from pipeline.recall.filtering.query import parse
from pipeline.recall.formula.factors import named
from pipeline.recall.formula.hybrid import RANKER, Ranked, rank_rows
from pipeline.recall.formula.lexical import Matched
from pipeline.recall.formula.meaning import Meaning
from pipeline.recall.formula.sight import Sight
from pipeline.recall.formula.spelling import meant
from pipeline.recall.formula.telling import parts_of, terms_of
from pipeline.recall.hits import Hit, Recall
from pipeline.recall.searchable import Searchable
from pipeline.recall.within import Within
from store.errors import MemdeskError
from store.index.search.meant import Meant
from store.index.search.vectors import same_dimension
from store.usage import UsageSettings, totals

NEAREST = "No memory has a word of it; these are the nearest in meaning."
MOST_MISTYPED = 3
"""Words of a query for which others are named."""


@dataclass(frozen=True, slots=True)
class Similar:
    """Meaning for one bank: the vectors of its entries and those of questions, from one encoder."""

    vectors: Meant
    questions: Questions


DEFAULT_LIMIT = 50
"""Hits shown when no limit is asked for."""


def ask(
    searchable: Searchable,
    query: str,
    within: Within,
    *,
    limit: int | None = None,
    usage: UsageSettings | None = None,
    similar: Similar | None = None,
) -> Recall:
    """What is remembered of a query, best first: whole words, no correction, and meaning where there is an encoder.

    Operators, phrases and words left out work as they do while typing. What `within` does not allow is left out before
    anything is counted. What may have been meant by words that stand nowhere is told. Reads only. Raises `BadInput`
    for a bad year.
    """
    among, asked = within.of(searchable.view), parse(query)
    sight = seen_by(searchable, within)
    meaning, notes = _meaning(similar, searchable, sight, asked.words)
    most = limit if limit and limit > 0 else DEFAULT_LIMIT
    flags = passing(searchable.columns, asked) if asked.narrows else None
    ranked = rank_rows(sight, asked.words, most, passing=flags, meaning=meaning, texts=searchable.text)
    settings = usage or UsageSettings()
    hits = tuple(hit_of(searchable, ranked, place, settings) for place in range(len(ranked.rows)))
    advice = _advice(sight, ranked.words.terms, hits)
    return Recall(hits, ranked.total, among.denied, RANKER, notes, advice=advice)


def _advice(sight: Sight, terms: Sequence[Matched], hits: Sequence[Hit]) -> str:
    """The sentence on words that stand nowhere, with what may have been meant by them, and on hits without any word.

    Whole words are searched for as they are; so whoever mistyped one learns it here.
    """
    nearest = bool(hits) and not any(hit.terms for hit in hits)
    nowhere = (term.wanted.term for term in terms if term.wanted.kind == "word" and term.own is None)
    guesses = {term: meant(sight, term, 0, beginning=False) for term in nowhere}
    said = [f"'{term}' (perhaps {_either(words)} was meant)" for term, words in guesses.items() if words]
    if not said:
        return NEAREST if nearest else ""
    return f"No memory has {_either(said[:MOST_MISTYPED])}{'; these are the nearest in meaning' if nearest else ''}."


def _either(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def seen_by(searchable: Searchable, within: Within) -> Sight:
    """What is seen of the index by who asks."""
    return searchable.sight_of(within, _ids(searchable, within))


def _ids(searchable: Searchable, within: Within) -> Iterator[str]:
    """Looked for only when the sight is not known yet."""
    for memory in within.of(searchable.view).memories:
        yield memory.id


def vector_of(similar: Similar, sight: Sight, text: str) -> Floats:
    """The vector of the words of a query; raises `EncoderProblem`. Asked before, it costs nothing."""
    return similar.questions.vector(text, named(sight, text))


def _meaning(
    similar: Similar | None, searchable: Searchable, sight: Sight, text: str
) -> tuple[Meaning | None, tuple[str, ...]]:
    """The meaning of a query where it can be had; a failing encoder is one sentence, and words go on finding."""
    vectors = None if similar is None else similar.vectors.of(searchable.followed)
    if similar is None or vectors is None:
        return None, ()
    try:
        vector = vector_of(similar, sight, text)
        same_dimension(vectors.dim, len(vector))  # another model may answer under the same name by now
    except MemdeskError as problem:
        return None, (str(problem),)
    return Meaning(vectors, vector), ()


def hit_of(searchable: Searchable, ranked: Ranked, place: int, usage: UsageSettings | None = None) -> Hit:
    """One row of a ranking as a hit, with every part of its score."""
    memory = searchable.followed.memory(int(ranked.rows[place]))
    parts = parts_of(ranked, place, searchable.text(int(ranked.rows[place])))
    final = float(ranked.scores[place])
    counted = totals(searchable.view, memory, usage or UsageSettings())
    return Hit(counted, final, final, RANKER, parts, terms_of(ranked, place))
