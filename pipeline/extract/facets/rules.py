"""What fixed rules say of a fact where the option `facets` is on, whoever worded it (`spec/extraction.md` §25)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pipeline.extract.facets.facet import Facets
from pipeline.extract.facets.search_keys import SearchKey, found_keys, literal, search_key, settled
from pipeline.extract.facets.times import dated
from pipeline.extract.placement import subject_of


def completed(facets: Facets, content: str, said: Sequence[str] = ()) -> Facets:
    """The facets of a worded fact: a model's, held against its quotes, with the keys and the day that rules find.

    A model's key that claims to be the person's very words and stands neither in `content` nor in `said` is another
    word for the matter, no more. No fact is without a key: the words of its subject are the last resort.
    """
    times = (facets.temporal_type, facets.started, facets.ended) if facets.temporal_type else dated(content)
    own = (literal(key, content, *said) for key in facets.keys)
    temporal, started, ended = times
    return replace(facets, temporal_type=temporal, started=started, ended=ended, keys=_keys(own, content))


def reworded(facets: Facets, content: str) -> Facets:
    """The facets once a person worded the fact anew: keys found in the old words make way for those of the new."""
    if not facets.keys:
        return facets
    return replace(facets, keys=_keys((key for key in facets.keys if key.origin != "deterministic"), content))


def _keys(given: Iterable[SearchKey], content: str) -> tuple[SearchKey, ...]:
    keys = settled((*given, *found_keys(content)))
    last = None if keys else search_key(subject_of(content), "concept", "deterministic")
    return keys if last is None else (last,)
