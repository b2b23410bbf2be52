"""What to mark in what was found: what of the query was looked for, other forms of it, what stands in for a mistake."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pipeline.recall.filtering.query import Query
from pipeline.recall.filtering.spans import Sought, sought
from pipeline.recall.formula.forms import irregular, synonyms
from pipeline.recall.formula.hybrid import Ranked
from pipeline.recall.formula.lexical import Matched
from store.index.search.index import SearchIndex
from store.index.search.stems import stem


def marked(query: Query, ranked: Ranked | None, index: SearchIndex) -> Sought:
    """What `spans` looks for in the rows of a ranking: the words that counted, as the entries of the index write them.

    Words that were left out (`the`, beside others) are not marked. Without a ranking it is what was typed.
    """
    typed = sought(query)
    if ranked is None:
        return typed
    terms = ranked.words.terms
    whole = frozenset(word for term in terms for word in _written(term, index))
    begun = frozenset(term.wanted.term for term in terms if term.wanted.kind == "typed")
    return replace(typed, words=whole, beginnings=begun)


def stands_in(term: Matched) -> tuple[str, ...]:
    """The words that stand in for a mistyped one; those that it begins are what is being typed."""
    return tuple(word for word in term.instead if not word.startswith(term.wanted.term))


def _written(term: Matched, index: SearchIndex) -> Iterator[str]:
    """The whole words that count as a term, those that stand in for it among them."""
    yield from stands_in(term)
    if term.wanted.kind == "typed":
        yield from index.other_forms(term.wanted.term)
    if term.wanted.kind != "word":
        return
    yield term.wanted.term
    root = stem(term.wanted.term)
    for other in (root, *irregular().get(root, ()), *synonyms().get(root, ())):
        yield from index.forms(other)
