"""What a fact is, when it holds, where it counts and what finds it: the facets of `spec/extraction.md` §25.

A model gives them only where the option `facets` asks for them; "" and None stand for "not said".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pipeline.extract.facets.search_keys import SearchKey, key_rows, read_keys, search_key, settled
from pipeline.extract.facets.times import span_text, valid_temporal
from store.fields import text, whole

KINDS = ("preference", "identity", "context", "knowledge", "failure", "note")
STATEMENT_TYPES = ("fact", "plan", "prediction")
SCOPES = ("global", "workspace")
TAGS = 6
"""Keys of a fact that become tags of its memory."""
TAG_LENGTH = 40
"""Characters of a tag; a longer key finds the fact and labels nothing."""
_HEADING = ("concept", "deterministic")
"""The key that a fact has when it has no other: the words of its subject."""
_NO_TAG = frozenset(",[]\"'\\")


@dataclass(frozen=True, slots=True)
class Facets:
    """The facets of one fact. Times are milliseconds, whole minutes; `scope` is where it counts, not who reads it."""

    kind: str = ""
    subject: str = ""
    statement_type: str = ""
    temporal_type: str = ""
    started: int | None = None
    ended: int | None = None
    scope: str = ""
    keys: tuple[SearchKey, ...] = ()

    @property
    def when(self) -> str:
        """When it is, as a person reads it; "" when that is not said."""
        return span_text(self.temporal_type, self.started, self.ended)


NOT_SAID = Facets()
"""The facets of a fact of which none are known."""


def facet_fields(facets: Facets) -> dict[str, Any]:
    """The facets as fields of a ledger row; None for what is not said."""
    return {
        "kind": facets.kind or None,
        "subject": facets.subject or None,
        "statementType": facets.statement_type or None,
        "temporalType": facets.temporal_type or None,
        "eventStartedAt": facets.started,
        "eventEndedAt": facets.ended,
        "scope": facets.scope or None,
        "keys": key_rows(facets.keys) or None,
    }


def read_facets(row: Mapping[str, Any]) -> Facets:
    """The facets in a row; what is damaged counts as not said, and times that do not fit their type go together."""
    temporal, started, ended = (text(row, "temporalType"), whole(row, "eventStartedAt"), whole(row, "eventEndedAt"))
    if not valid_temporal(temporal, started, ended):
        temporal, started, ended = "", None, None
    return Facets(
        _one_of(text(row, "kind"), KINDS),
        text(row, "subject"),
        _one_of(text(row, "statementType"), STATEMENT_TYPES),
        temporal,
        started,
        ended,
        _one_of(text(row, "scope"), SCOPES),
        read_keys(row),
    )


def joined(first: Facets, second: Facets) -> Facets:
    """What the first says, and what the second says where the first is silent; the keys of both, the better ones."""
    times = first if first.temporal_type else second
    return Facets(
        first.kind or second.kind,
        first.subject or second.subject,
        first.statement_type or second.statement_type,
        times.temporal_type,
        times.started,
        times.ended,
        first.scope or second.scope,
        settled((*first.keys, *second.keys)),
    )


def of_person(facets: Facets, tags: Iterable[str]) -> Facets:
    """The facets with the tags that a person chose as keys of theirs."""
    own = (key for tag in tags if (key := search_key(tag, "concept", "user")) is not None)
    return replace(facets, keys=settled((*own, *facets.keys)))


def tags_of(facets: Facets) -> tuple[str, ...]:
    """The keys that become tags: short ones that name the matter itself, the best first; not what a subject says."""
    named = (key.text for key in facets.keys if key.type != "alias" and (key.type, key.origin) != _HEADING)
    fit = (name for name in named if len(name) <= TAG_LENGTH and not _NO_TAG & set(name) and name != facets.subject)
    return tuple(fit)[:TAGS]


def _one_of(value: str, known: Iterable[str]) -> str:
    return value if value in known else ""
