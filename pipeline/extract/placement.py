"""From fact to memory: type, subject, scope and evidence of a new memory, by one set of rules (`decisions.md` §2.4).

Every field is a proposal that a person may change in Review.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pipeline.extract.canonical import statement
from pipeline.extract.evidence_key import evidence_key
from pipeline.extract.facets.facet import NOT_SAID, Facets, tags_of
from pipeline.extract.facets.times import instant_text
from store.memory import DEFAULT_SCOPES, MemoryType, Quote

SOURCE = "memory_extract"
"""`source` of every extracted memory (`spec/extraction.md` §18)."""
SUBJECT_LENGTH = 30
"""Characters of a subject (`decisions.md` §2.4)."""
PERSONAL = frozenset({"preference", "identity", "expertise", "habit", "history"})
"""Categories that are about the person (`spec/memora.md` §7.1): a PREF, in every project."""

PREDICTION = "prediction"
"""Statement type of what a person expects, and label of the memory that it becomes."""

_RULE = re.compile(
    r"(?i)\b(?:never|always|must not|mustn['’]t|must (?:never|always|only)|under no circumstances)\b"
    r"|不要|从不|绝不|不得|严禁|禁止|切勿|务必|必须|一律|千万别|永远别"
)
_OWN_HABIT = re.compile(r"(?i)\bI (?:\w+ )?(?:always|never)\b|我(?:从不|从来不|总是)")
_STANDING = re.compile(r"(?i)\b(?:from now on|going forward|as a rule)\b|以后|今后|从现在(?:起|开始)|往后")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*\.?"
_DATE = re.compile(
    rf"(?i)\b\d{{4}}-\d{{2}}-\d{{2}}\b|\b\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}\b|\b{_MONTH} \d{{1,2}}\b"
    r"|\d{1,2}\s*月\s*\d{1,2}\s*[日号]"
)
_PLAN = re.compile(
    r"(?i)\b(?:will|due|deadline|plans?|planned|scheduled|releases?|ships?|launch(?:es)?|going to|by|until|before"
    r"|freeze|starts?|ends?|migrat\w+)\b|计划|将|截止|发布|上线|之前|定于|开始|交付|迁移"
)
_FIRST_PERSON = re.compile(r"(?i)\b(?:I|I['’]m|my|me|mine)\b|我(?!们)")
_CLAUSE_END = re.compile(r"[，。；！？：,;:!?()\[\]\"“”\n]|\.(?=\s|\Z)")
_EMPTY_START = re.compile(
    r"(?i)(?:(?:we|i|the|a|an|my|our|your|please|that|to|is|are|was|decided|have|has|will|it|it's|user|i'm|there)\s+)+"
    r"|(?:我们|我|请|咱们|用户)+(?:的|们)?"
)
_DANGLING = re.compile(r"(?i)(?:\s+(?:a|an|the|of|to|for|in|on|at|with|without|and|or|by|from|as|is|are|my|our))+\Z")


def place(
    content: str,
    quotes: Sequence[Quote] = (),
    *,
    category: str = "",
    project: str = "",
    project_bank: bool = False,
    owner: str = "",
    label: str = "",
    subject: str = "",
    facets: Facets = NOT_SAID,
    latest: int | None = None,
) -> dict[str, Any]:
    """The fields of a new memory, for `PutMemory`.

    `content` is the canonical content with the person's own characters; `category` a kind of `spec/extraction.md` §25
    or a profile category, "" when unknown. `project_bank`: the memory goes to the project's own bank, which needs no
    project key. `owner` is the proposed owner of a private memory; "" leaves it to the reviewer. `subject` is used
    instead of the rule when a person gave one, else that of the `facets`, which go before the rules where they say
    something. `latest` is the time of the commit in milliseconds: nothing was said after it.
    """
    kind = memory_type(content, quotes, category, facets)
    scope = DEFAULT_SCOPES[kind]
    fields: dict[str, Any] = {
        "type": kind.value,
        "subject": statement(subject or facets.subject)[:SUBJECT_LENGTH].strip() or subject_of(content),
        "statement": content,
        "scope": scope,
        "source": SOURCE,
        "confidence": 1.0,
    }
    optional = {
        "owner": owner if scope == "private" else "",
        "label": label or (PREDICTION if facets.statement_type == PREDICTION else ""),
        "project": "" if project_bank else _project(project, kind, facets),
        "tags": tags_of(facets),
        "when": facets.when,
    }
    return {**fields, **{name: value for name, value in optional.items() if value}, **sources(quotes, latest)}


def memory_type(
    content: str, quotes: Sequence[Quote] = (), category: str = "", facets: Facets = NOT_SAID
) -> MemoryType:
    """BOUND for standing rules, COMMIT for dated plans, PREF for what is about the person, else FACT.

    Without a category, words of the person about themselves make it a PREF (`decisions.md` §2.2). What the person
    expects is an opinion of theirs and no rule, plan or FACT; what is said to be a fact is no plan, whatever its words.
    """
    category = category or facets.kind
    personal = category in PERSONAL
    standing = any(_STANDING.search(quote.text) for quote in quotes)
    if facets.statement_type == PREDICTION:
        return MemoryType.PREF
    if (_RULE.search(content) and not _OWN_HABIT.search(content)) or (standing and not personal):
        return MemoryType.BOUND
    if _planned(content, personal, facets):
        return MemoryType.COMMIT
    if personal or (not category and _FIRST_PERSON.search(content)):
        return MemoryType.PREF
    return MemoryType.FACT


def _planned(content: str, personal: bool, facets: Facets) -> bool:
    """Whether it is a plan with a date: as the facets say, else by its words."""
    if facets.statement_type == "plan" and facets.started is not None:
        return True
    return facets.statement_type != "fact" and not personal and bool(_DATE.search(content) and _PLAN.search(content))


def _project(project: str, kind: MemoryType, facets: Facets) -> str:
    """The project that a memory is of: none for what holds everywhere, as what is about the person does."""
    everywhere = facets.scope == "global" or (kind is MemoryType.PREF and facets.scope != "workspace")
    return "" if everywhere else project


def subject_of(content: str) -> str:
    """The first content words of a statement, at most 30 characters, never cut inside a Latin word unless it must."""
    text = statement(content)
    start = _EMPTY_START.match(text)
    rest = text[start.end() :] if start and len(text) - start.end() >= 4 else text
    clause = next((piece for part in _CLAUSE_END.split(rest) if (piece := part.strip().strip(" -–—'`*#<>"))), rest)
    if len(clause) <= SUBJECT_LENGTH:
        return clause.strip() or "note"
    cut = clause[:SUBJECT_LENGTH]
    if not clause[SUBJECT_LENGTH].isspace() and clause[SUBJECT_LENGTH].isascii() and " " in cut:
        cut = cut.rsplit(" ", 1)[0]
    return _DANGLING.sub("", cut.strip()) or cut.strip()


def sources(quotes: Sequence[Quote], latest: int | None = None) -> dict[str, str]:
    """The fields that say where a memory comes from: `evidence`, and `observed`, when it was said last.

    That is the time of the newest quote, never later than the commit at `latest` (`spec/extraction.md` §25).
    """
    said = [quote.at for quote in quotes if quote.at is not None and quote.at > 0]
    observed = max(said, default=0) if latest is None else min(max(said, default=0), latest)
    fields = {"evidence": evidence_key(quotes), "observed": instant_text(observed) if observed > 0 else ""}
    return {name: value for name, value in fields.items() if value}
