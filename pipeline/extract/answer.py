"""Reading a model's answer strictly: one JSON object of an allowed shape, or nothing (`spec/extraction.md` §10)."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pipeline.extract.canonical import trim
from pipeline.extract.facets import KINDS
from pipeline.extract.identity import GAP_ID
from pipeline.measure import units

INCIDENTS = 10
CITATIONS = 8
CONTENT_UNITS = 2_000
QUOTE_UNITS = 1_000
REF_UNITS = 160
GAP_ID_UNITS = 80
TERMS = 8
TERM_UNITS = 128
RESULTS = 20
CANDIDATE_UNITS = 64
SUBJECT_UNITS = 60

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Citation:
    """A quote and the record that it is said to stand in."""

    source_ref: str
    quote: str


@dataclass(frozen=True, slots=True)
class Incident:
    """One proposed fact. `gap_id` names a pending fact that it is said to be."""

    content: str
    evidence: tuple[Citation, ...]
    gap_id: str | None = None


@dataclass(frozen=True, slots=True)
class Complete:
    """The stage is done with these facts, possibly none."""

    incidents: tuple[Incident, ...] = ()


@dataclass(frozen=True, slots=True)
class SearchRequired:
    """The model asks for one look-up. `roles` None means both; `incidents` only with `partial` (ext-D28)."""

    terms: tuple[str, ...]
    roles: tuple[str, ...] | None = None
    incidents: tuple[Incident, ...] = ()


@dataclass(frozen=True, slots=True)
class CannotResolve:
    """The model gives the range up. `incidents` only with `partial` (ext-D28)."""

    incidents: tuple[Incident, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """The canonicalizer's word on one candidate; `content` None means rejected. Facets are "" unless asked for."""

    candidate_id: str
    content: str | None = None
    kind: str = ""
    subject: str = ""


class _Invalid(Exception):
    """Something in the answer is not of the allowed shape."""


def parse_proposal(text: str, *, partial: bool = False) -> Complete | SearchRequired | CannotResolve | None:
    """A stage 1 answer, or None when anything about it is not allowed."""
    return _read(text, lambda value: _proposal(value, partial))


def parse_localized(text: str, *, partial: bool = False) -> Complete | CannotResolve | None:
    """An answer of the localized stage, where a second search is not allowed; None when invalid."""
    answer = parse_proposal(text, partial=partial)
    return None if isinstance(answer, SearchRequired) else answer


def parse_canonical(text: str, *, facets: bool = False) -> tuple[Verdict, ...] | None:
    """The canonicalizer's verdicts, or None when invalid. Check them with `covers` before use."""
    return _read(text, lambda value: _verdicts(value, facets))


def covers(verdicts: Sequence[Verdict], candidate_ids: Sequence[str]) -> bool:
    """Whether the verdicts name every candidate exactly once (`spec/extraction.md` §10.3)."""
    return len(verdicts) == len(candidate_ids) and {one.candidate_id for one in verdicts} == set(candidate_ids)


def _read(text: str, shape: Callable[[Any], T]) -> T | None:
    body = trim(text)
    if not (body.startswith("{") and body.endswith("}")):
        return None
    try:
        return shape(json.loads(body, parse_constant=_refuse))
    except (_Invalid, ValueError, RecursionError):
        return None


def _refuse(name: str) -> Any:
    raise _Invalid(name)


def _proposal(value: Any, partial: bool) -> Complete | SearchRequired | CannotResolve:
    status = _mapping(value).get("status")
    beside = {"incidents"} if partial else set()
    if status == "complete":
        _keys(value, {"status", "incidents"})
        return Complete(_incidents(value["incidents"]))
    if status == "search_required":
        _keys(value, {"status", "search"}, beside)
        search = _keys(value["search"], {"terms"}, {"roles"})
        terms = tuple(_text(term, TERM_UNITS) for term in _list(search["terms"], 1, TERMS))
        return SearchRequired(terms, _roles(search), _incidents(value.get("incidents", [])))
    if status == "cannot_resolve":
        _keys(value, {"status"}, beside)
        return CannotResolve(_incidents(value.get("incidents", [])))
    raise _Invalid("status")


def _roles(search: Mapping[str, Any]) -> tuple[str, ...] | None:
    if "roles" not in search:
        return None
    roles = _list(search["roles"], 1, 2)
    if any(role not in ("user", "assistant") for role in roles):
        raise _Invalid("roles")
    return tuple(roles)


def _incidents(value: Any) -> tuple[Incident, ...]:
    return tuple(_incident(item) for item in _list(value, 0, INCIDENTS))


def _incident(value: Any) -> Incident:
    _keys(value, {"content", "evidence"}, {"gapId"})
    evidence = tuple(_citation(item) for item in _list(value["evidence"], 1, CITATIONS))
    gap_id = _text(value["gapId"], GAP_ID_UNITS) if "gapId" in value else None
    if gap_id is not None and not GAP_ID.fullmatch(gap_id):
        raise _Invalid("gapId")
    return Incident(_text(value["content"], CONTENT_UNITS), evidence, gap_id)


def _citation(value: Any) -> Citation:
    _keys(value, {"sourceRef", "quote"})
    return Citation(_text(value["sourceRef"], REF_UNITS), _text(value["quote"], QUOTE_UNITS))


def _verdicts(value: Any, facets: bool) -> tuple[Verdict, ...]:
    _keys(value, {"results"})
    return tuple(_verdict(item, facets) for item in _list(value["results"], 1, RESULTS))


def _verdict(value: Any, facets: bool) -> Verdict:
    status = _mapping(value).get("status")
    candidate = _text(value.get("candidateId"), CANDIDATE_UNITS)
    if status == "rejected":
        _keys(value, {"candidateId", "status"})
        return Verdict(candidate)
    if status != "accepted":
        raise _Invalid("status")
    _keys(value, {"candidateId", "status", "content"}, {"kind", "subject"} if facets else set())
    kind = value.get("kind", "")
    if kind not in ("", *KINDS):
        raise _Invalid("kind")
    subject = _text(value["subject"], SUBJECT_UNITS) if "subject" in value else ""
    return Verdict(candidate, _text(value["content"], CONTENT_UNITS), kind, subject)


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Invalid("object")
    return value


def _keys(value: Any, needed: set[str], optional: Collection[str] = ()) -> dict[str, Any]:
    found = set(_mapping(value))
    if not needed <= found or not found <= needed.union(optional):
        raise _Invalid("keys")
    return _mapping(value)


def _list(value: Any, least: int, most: int) -> list[Any]:
    if not isinstance(value, list) or not least <= len(value) <= most:
        raise _Invalid("list")
    return value


def _text(value: Any, most: int) -> str:
    if not isinstance(value, str) or not 1 <= units(value) <= most:
        raise _Invalid("text")
    return value
