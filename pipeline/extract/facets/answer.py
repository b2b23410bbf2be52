"""The facets of one verdict of the canonicalizer, read strictly, none of them able to cost the fact.

§25 of `spec/extraction.md` refuses an item whose facets are wrong. Here a facet that is not allowed counts as not said,
which is always a safe default: rules and a person decide then. What was left out is named, never in the answer's words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pipeline.extract.canonical import statement
from pipeline.extract.facets.facet import KINDS, SCOPES, STATEMENT_TYPES, Facets
from pipeline.extract.facets.search_keys import KEY_TYPES, KEYS, SearchKey, search_key, settled
from pipeline.extract.facets.times import TEMPORAL_TYPES, read_time, valid_temporal
from pipeline.measure import units
from store.secret import find_secrets

FACET_NAMES = (
    *("kind", "subject", "statementType"),
    *("temporalType", "eventStartedAt", "eventEndedAt", "scope", "keys"),
)
"""Keys of an accepted result beside its content, in the order in which they are asked for; each may be missing."""
SUBJECT_UNITS = 60
_STATEMENT = ("statementType", STATEMENT_TYPES)


@dataclass(slots=True)
class _Reader:
    """A verdict while its facets are read; `ignored` are the places of what was left out."""

    value: Mapping[str, Any]
    ignored: list[str] = field(default_factory=list)

    def word(self, name: str, known: Sequence[str]) -> str:
        """One of some words, "" when it is not given or none of them."""
        given = self.value.get(name)
        if given is None or given in known:
            return given or ""
        return self._left_out(name)

    def subject(self) -> str:
        """A heading on one line without secrets."""
        given = self.value.get("subject")
        if given is None:
            return ""
        if not isinstance(given, str) or not 1 <= units(given) <= SUBJECT_UNITS or find_secrets(given):
            return self._left_out("subject")
        return statement(given)

    def times(self) -> tuple[str, int | None, int | None]:
        """Temporal type, start and end; all left out unless they fit each other.

        A point that ends when it starts has no end: providers make a model fill in both.
        """
        kind = self.word("temporalType", TEMPORAL_TYPES)
        started, ended = self._time("eventStartedAt"), self._time("eventEndedAt")
        if kind == "point" and ended is not None and ended == started:
            ended = None
        if not kind and started is None and ended is None:
            return "", None, None
        if not valid_temporal(kind, started, ended):
            self._left_out("temporalType")
            return "", None, None
        return kind, started, ended

    def keys(self) -> tuple[SearchKey, ...]:
        """The keys as a model's own, whatever they claim to be."""
        given = self.value.get("keys")
        if given is None:
            return ()
        if not isinstance(given, list):
            self._left_out("keys")
            return ()
        if len(given) > KEYS:
            self._left_out(f"keys[{KEYS}]")
        found = [self._key(at, entry) for at, entry in enumerate(given[:KEYS])]
        return settled(key for key in found if key is not None)

    def _key(self, at: int, entry: Any) -> SearchKey | None:
        shaped = isinstance(entry, dict) and set(entry) == {"key", "type"} and entry["type"] in KEY_TYPES
        words = entry["key"] if shaped else None
        key = search_key(words, entry["type"], "llm") if isinstance(words, str) else None
        if key is None:
            self._left_out(f"keys[{at}]")
        return key

    def _time(self, name: str) -> int | None:
        given = self.value.get(name)
        time = None if given is None else read_time(given)
        if given is not None and time is None:
            self._left_out(name)
        return time

    def _left_out(self, place: str) -> str:
        self.ignored.append(place)
        return ""


def read_answer(verdict: Mapping[str, Any]) -> tuple[Facets, tuple[str, ...]]:
    """The facets of an accepted result, and the places of those that were left out: `keys[2]`, `temporalType`."""
    reader = _Reader(verdict)
    kind, subject, statement_type = reader.word("kind", KINDS), reader.subject(), reader.word(*_STATEMENT)
    facets = Facets(kind, subject, statement_type, *reader.times(), reader.word("scope", SCOPES), reader.keys())
    return facets, tuple(dict.fromkeys(reader.ignored))
