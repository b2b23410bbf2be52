"""Reading a model's answer strictly: one JSON object of an allowed shape, or what is wrong with it.

`spec/extraction.md` §10: anything that is not allowed makes the whole answer invalid. What is wrong is told in words of
our own and by place, never with words of the answer: those may hold a secret.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar

from pipeline.extract.canonical import trim
from pipeline.extract.facets.answer import FACET_NAMES, read_answer
from pipeline.extract.facets.facet import NOT_SAID, Facets
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
    """The canonicalizer's word on one candidate; `content` None means rejected.

    `facets` only where they were asked for; `ignored` are the places of those that were not of the allowed shape.
    """

    candidate_id: str
    content: str | None = None
    facets: Facets = NOT_SAID
    ignored: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wrong:
    """An answer that cannot be used. `what` says exactly why, in a clause: "incidents[2].evidence is no list"."""

    what: str


class _Invalid(Exception):
    """Something in the answer is not of the allowed shape."""


def read_proposal(text: str, *, partial: bool = False) -> Complete | SearchRequired | CannotResolve | Wrong:
    """A stage 1 answer, or what is wrong with it."""
    return _read(text, lambda value: _proposal(value, partial))


def read_localized(text: str, *, partial: bool = False) -> Complete | CannotResolve | Wrong:
    """An answer of the localized stage, where a second search is not allowed, or what is wrong with it."""
    answer = read_proposal(text, partial=partial)
    return Wrong("a second search is not possible") if isinstance(answer, SearchRequired) else answer


def read_canonical(text: str, candidate_ids: Sequence[str], *, facets: bool = False) -> tuple[Verdict, ...] | Wrong:
    """The canonicalizer's verdicts, each candidate exactly once (§10.3), or what is wrong with them."""
    verdicts = _read(text, lambda value: _verdicts(value, facets))
    if isinstance(verdicts, Wrong) or covers(verdicts, candidate_ids):
        return verdicts
    return Wrong(f"results must name each of {', '.join(candidate_ids)} exactly once and nothing else")


def parse_proposal(text: str, *, partial: bool = False) -> Complete | SearchRequired | CannotResolve | None:
    """A stage 1 answer, or None when anything about it is not allowed."""
    answer = read_proposal(text, partial=partial)
    return None if isinstance(answer, Wrong) else answer


def parse_localized(text: str, *, partial: bool = False) -> Complete | CannotResolve | None:
    """An answer of the localized stage, or None when invalid."""
    answer = read_localized(text, partial=partial)
    return None if isinstance(answer, Wrong) else answer


def parse_canonical(text: str, *, facets: bool = False) -> tuple[Verdict, ...] | None:
    """The canonicalizer's verdicts, or None when invalid. Check them with `covers` before use."""
    answer = _read(text, lambda value: _verdicts(value, facets))
    return None if isinstance(answer, Wrong) else answer


def covers(verdicts: Sequence[Verdict], candidate_ids: Sequence[str]) -> bool:
    """Whether the verdicts name every candidate exactly once (`spec/extraction.md` §10.3)."""
    return len(verdicts) == len(candidate_ids) and {one.candidate_id for one in verdicts} == set(candidate_ids)


def _read(text: str, shape: Callable[[Any], T]) -> T | Wrong:
    body = trim(text)
    if not (body.startswith("{") and body.endswith("}")):
        return Wrong("it is not one JSON object: it must start with { and end with }, with nothing around it")
    try:
        return shape(json.loads(body, parse_constant=_refuse))
    except _Invalid as wrong:
        return Wrong(str(wrong))
    except json.JSONDecodeError as fault:
        return Wrong(f"it is not valid JSON: {fault.msg} at character {fault.pos + 1}")
    except (ValueError, RecursionError):
        return Wrong("it is not valid JSON that can be read: it nests too deep or holds a number without end")


def _refuse(name: str) -> NoReturn:
    raise _Invalid(f"it is not valid JSON: {name} is no number of JSON")


def _proposal(value: Any, partial: bool) -> Complete | SearchRequired | CannotResolve:
    status = _mapping(value, "the answer").get("status")
    beside = {"incidents"} if partial else set()
    if status == "complete":
        _keys(value, "the answer", {"status", "incidents"})
        return Complete(_incidents(value["incidents"]))
    if status == "search_required":
        _keys(value, "the answer", {"status", "search"}, beside)
        search = _keys(value["search"], "search", {"terms"}, {"roles"})
        terms = _list(search["terms"], "search.terms", 1, TERMS)
        words = tuple(_text(term, f"search.terms[{at}]", TERM_UNITS) for at, term in enumerate(terms))
        return SearchRequired(words, _roles(search), _incidents(value.get("incidents", [])))
    if status == "cannot_resolve":
        _keys(value, "the answer", {"status"}, beside)
        return CannotResolve(_incidents(value.get("incidents", [])))
    raise _Invalid("status is not one of complete, search_required, cannot_resolve")


def _roles(search: Mapping[str, Any]) -> tuple[str, ...] | None:
    if "roles" not in search:
        return None
    roles = _list(search["roles"], "search.roles", 1, 2)
    if any(role not in ("user", "assistant") for role in roles):
        raise _Invalid("search.roles may hold user and assistant only")
    return tuple(roles)


def _incidents(value: Any) -> tuple[Incident, ...]:
    found = _list(value, "incidents", 0, INCIDENTS)
    return tuple(_incident(item, f"incidents[{at}]") for at, item in enumerate(found))


def _incident(value: Any, where: str) -> Incident:
    _keys(value, where, {"content", "evidence"}, {"gapId"})
    cited = _list(value["evidence"], f"{where}.evidence", 1, CITATIONS)
    evidence = tuple(_citation(item, f"{where}.evidence[{at}]") for at, item in enumerate(cited))
    gap_id = _text(value["gapId"], f"{where}.gapId", GAP_ID_UNITS) if "gapId" in value else None
    if gap_id is not None and not GAP_ID.fullmatch(gap_id):
        raise _Invalid(f"{where}.gapId is not of the form gap_...; leave it out when no pending fact is the same")
    return Incident(_text(value["content"], f"{where}.content", CONTENT_UNITS), evidence, gap_id)


def _citation(value: Any, where: str) -> Citation:
    _keys(value, where, {"sourceRef", "quote"})
    source = _text(value["sourceRef"], f"{where}.sourceRef", REF_UNITS)
    return Citation(source, _text(value["quote"], f"{where}.quote", QUOTE_UNITS))


def _verdicts(value: Any, facets: bool) -> tuple[Verdict, ...]:
    _keys(value, "the answer", {"results"})
    found = _list(value["results"], "results", 1, RESULTS)
    return tuple(_verdict(item, f"results[{at}]", facets) for at, item in enumerate(found))


def _verdict(value: Any, where: str, facets: bool) -> Verdict:
    status = _mapping(value, where).get("status")
    candidate = _text(value.get("candidateId"), f"{where}.candidateId", CANDIDATE_UNITS)
    if status == "rejected":
        _keys(value, where, {"candidateId", "status"})
        return Verdict(candidate)
    if status != "accepted":
        raise _Invalid(f"{where}.status is not one of accepted, rejected")
    _keys(value, where, {"candidateId", "status", "content"}, FACET_NAMES if facets else ())
    content = _text(value["content"], f"{where}.content", CONTENT_UNITS)
    return Verdict(candidate, content, *read_answer(value)) if facets else Verdict(candidate, content)


def _mapping(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Invalid(f"{where} is no object")
    return value


def _keys(value: Any, where: str, needed: set[str], optional: Collection[str] = ()) -> dict[str, Any]:
    found = _mapping(value, where)
    if missing := sorted(needed - set(found)):
        raise _Invalid(f"{where} lacks {' and '.join(missing)}")
    if not set(found) <= needed.union(optional):
        raise _Invalid(f"{where} has a key beside {', '.join(sorted(needed.union(optional)))}")
    return found


def _list(value: Any, where: str, least: int, most: int) -> list[Any]:
    if not isinstance(value, list):
        raise _Invalid(f"{where} is no list")
    if not least <= len(value) <= most:
        raise _Invalid(f"{where} has {len(value)} items; {least} to {most} are allowed")
    return value


def _text(value: Any, where: str, most: int) -> str:
    if not isinstance(value, str):
        raise _Invalid(f"{where} is no text")
    if not 1 <= units(value) <= most:
        raise _Invalid(f"{where} has {units(value)} characters; 1 to {most} are allowed")
    return value
