"""Recall as Memora ranks it: similarity of meaning and the memory's score, over two channels (`spec/memora.md` §6).

Nothing is recorded here: whoever really uses what was recalled records `store.score.boosts` (§6.4, [W]). What may not
be found is left out before any channel is cut, not after.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, Protocol

from pipeline.recall.engines.fusion import FUSIONS, Fused, Fusion
from pipeline.recall.engines.told import name_of, said_of
from pipeline.recall.formula.stop import ENGLISH
from pipeline.recall.hits import Hit, Part, Recall
from pipeline.recall.within import Within
from pipeline.segments import STOPWORDS, extract_keywords, segments
from store.errors import BadInput
from store.memory import Memory
from store.score import score_of
from store.usage import TABLE, UsageSettings, with_usage
from store.view import View

RANKER = "memora"
DEFAULT_LIMIT, SEARCH_LIMIT, MOST_SEARCHED = 5, 10, 50
"""Hits of a recall, of a search, and the most that the search tool gives (`spec/memora.md` §6.4, §6.1, §6.5)."""
LEAST_SIMILARITY = 0.3
CHANNEL = 2
"""How many times the limit each channel finds (`spec/memora.md` §6.3)."""
SETTING_LABELS = frozenset({"persona", "rule", "skill", "guardrail"})
"""What is told, or checks, whatever is asked: never recalled by default (`spec/memora.md` §6.4, [W])."""
WORDLESS = "There are no searchable words in the query; write one that says what to look for."


class Similarity(Protocol):
    """The channel of meaning: finds by what is meant, among the memories that may be found."""

    def __call__(self, query: str, among: Sequence[Memory], top: int, least: float) -> Sequence[tuple[str, float]]:
        """At most `top` ids of `among` with a similarity of at least `least` (0..1), the most similar first."""


@dataclass(frozen=True, slots=True)
class _Pool:
    """The memories that may be found, by id and in order, with the ledger's rows of their use."""

    memories: Mapping[str, Memory]
    rows: Mapping[str, Mapping[str, Any]]
    usage: UsageSettings
    denied: int

    def score(self, id: str) -> float:
        """Memora's score of a memory."""
        return score_of(self.memories[id], self.rows.get(id))

    def counted(self, id: str) -> Memory:
        """A memory with its total counters."""
        return with_usage(self.memories[id], self.rows.get(id), self.usage)

    def by_words(self, tokens: Sequence[str], every: bool = False) -> list[str]:
        """The ids of the memories that hold any of the tokens (or `every` one), the highest score first."""
        holds = all if every else any
        found: dict[str, float] = {}
        for id, memory in self.memories.items():
            text = _text(memory)
            if holds([token in text for token in tokens]):
                found[id] = self.score(id)
        return sorted(found, key=lambda id: -found[id])


def recall(
    source: View | Sequence[Memory],
    query: str,
    within: Within,
    *,
    limit: int | None = None,
    similar: Similarity | None = None,
    least: float = LEAST_SIMILARITY,
    excluded: Collection[str] = SETTING_LABELS,
    told: Collection[str] = (),
    fusion: Fusion = "linear",
    usage: UsageSettings | None = None,
) -> Recall:
    """What a turn of a chat brings to mind, best first (§6.4); a channel that fails leaves the other and a sentence.

    `excluded` are labels that are never found, `told` ids that stand in the prompt already, `least` the similarity
    below which meaning finds nothing. Reads only. Raises `BadInput` for a bad year.
    """
    # English stop words say nothing of a question; a person who searches may mean them (§5, [W]).
    words = [word for word in extract_keywords(query) if word not in ENGLISH]
    most = limit if limit and limit > 0 else DEFAULT_LIMIT
    asked = _Asked(query, words, most, similar, least, fusion)
    return _recalled(_pool(source, within, {*excluded}, {*told}, usage), asked)


def search(
    source: View | Sequence[Memory],
    query: str,
    within: Within,
    *,
    limit: Any = SEARCH_LIMIT,
    every: bool = False,
    similar: Similarity | None = None,
    fusion: Fusion = "linear",
    excluded: Collection[str] = (),
    usage: UsageSettings | None = None,
) -> Recall:
    """What a person looks for by words, and by meaning when that channel is given.

    Words alone are ordered by score (§6.1): a memory has any of the words, or `every` one of them. With meaning the
    channels are fused (§6.3). A query without words is a state of its own, never everything (§6.1, [W]). Raises
    `BadInput` for a blank query and a limit that is no whole number above 0 (§2.1).
    """
    if not query.strip():
        raise BadInput("There is nothing to search for; write a word.")
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise BadInput(f"A search shows 1 memory or more; {limit!r} is no such number.")
    pool = _pool(source, within, {*excluded}, set(), usage)
    asked = _Asked(query, searched_words(query), limit, similar, LEAST_SIMILARITY, fusion)
    return _by_words(pool, asked, every) if similar is None or every else _recalled(pool, asked)


def searched_words(query: str) -> list[str]:
    """The words that a person's search looks for: every segment, but stop words alone are none (§5, [W])."""
    words = list(dict.fromkeys(segment.lower() for segment in segments(query)))
    return [word for word in words if word not in STOPWORDS]


def search_memories(source: View | Sequence[Memory], arguments: Mapping[str, Any], within: Within) -> Recall:
    """The tool of that name (§6.5): `query`, `limit`, and `mode`, `near` for all words, anything else for any of them.

    All words are looked for before the cut ([W]). Raises `BadInput` for a missing or blank query.
    """
    query = arguments.get("query")
    if not isinstance(query, str) or not query.strip():
        raise BadInput("The argument `query` is empty; give the words to look for.")
    limit = tool_limit(arguments.get("limit"))
    return search(source, query, within, limit=limit, every=arguments.get("mode") == "near")


def tool_limit(value: Any) -> int:
    """The limit that the search tool takes a value for: 10 for what is no number above 0, at most 50 (§6.5)."""
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        return SEARCH_LIMIT
    return min(number, MOST_SEARCHED) if number >= 1 else SEARCH_LIMIT


def score_in(source: View | Sequence[Memory], memory: Memory) -> float:
    """The score of a memory, with what the ledger of a view says of it."""
    return score_of(memory, _rows(source).get(memory.id))


def _rows(source: View | Sequence[Memory]) -> Mapping[str, Mapping[str, Any]]:
    return source.rows(TABLE) if isinstance(source, View) else {}


def _pool(
    source: View | Sequence[Memory], within: Within, excluded: Set[str], told: Set[str], usage: UsageSettings | None
) -> _Pool:
    among, rows = within.of(source), _rows(source)
    kept = {one.id: one for one in among.memories if one.label not in excluded and one.id not in told}
    return _Pool(kept, rows, usage or UsageSettings(), among.denied)


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query of two channels: its text for meaning, its words, and how both are joined and cut."""

    query: str
    words: Sequence[str]
    limit: int
    similar: Similarity | None
    least: float
    fusion: Fusion


def _by_words(pool: _Pool, asked: _Asked, every: bool) -> Recall:
    """What has the words, ordered by the score alone."""
    found = pool.by_words(asked.words, every) if asked.words else []
    ranks = enumerate(found[: asked.limit], 1)
    fused = [Fused(id, pool.score(id), pool.score(id), keyword_rank=rank) for rank, id in ranks]
    return _answer(tuple(_hit(pool, one, asked.words, "") for one in fused), len(found), pool, asked)


def _recalled(pool: _Pool, asked: _Asked) -> Recall:
    meaning, notes = _by_meaning(pool, asked)
    keyword = pool.by_words(asked.words) if asked.words else []
    total = len({id for id, _ in meaning}.union(keyword))
    cut = keyword[: asked.limit * CHANNEL]
    scores = {id: pool.score(id) for id in (*(id for id, _ in meaning), *cut)}
    fused = FUSIONS[asked.fusion](meaning, cut, scores, asked.limit)
    hits = tuple(_hit(pool, one, asked.words, _FUSED_WORDS[asked.fusion]) for one in fused)
    return _answer(hits, total, pool, asked, notes)


def _by_meaning(pool: _Pool, asked: _Asked) -> tuple[list[tuple[str, float]], tuple[str, ...]]:
    """What the channel of meaning finds, and a sentence when it fails; whatever is behind it may fail in any way."""
    if asked.similar is None or not asked.query.strip():
        return [], ()
    try:
        found = asked.similar(asked.query, tuple(pool.memories.values()), asked.limit * CHANNEL, asked.least)
        known = [(id, float(similarity)) for id, similarity in found if id in pool.memories]
    except Exception as error:
        return [], (f"Meaning could not be compared ({type(error).__name__}); these were found by their words.",)
    kept = sorted((pair for pair in known if pair[1] >= asked.least), key=lambda pair: -pair[1])
    return kept[: asked.limit * CHANNEL], ()


def _answer(hits: tuple[Hit, ...], total: int, pool: _Pool, asked: _Asked, notes: tuple[str, ...] = ()) -> Recall:
    said = notes if hits or asked.words else (*notes, WORDLESS)
    return Recall(hits, total, pool.denied, RANKER, said, not asked.words)


def _text(memory: Memory) -> str:
    """The text in which words are found: what the memory says, and its names (§6.1)."""
    return f"{said_of(memory)} {name_of(memory)} {memory.subject}".lower()


def _hit(pool: _Pool, fused: Fused, words: Sequence[str], how: str) -> Hit:
    """A hit with its parts: what found it, its rank in each channel, the numbers that were fused, and their result."""
    text = _text(pool.memories[fused.id])
    terms = tuple(word for word in words if word in text)
    parts = [Part("word", 1.0, "has {found!r}", term, term) for term in terms]
    if fused.meaning_rank:
        parts.append(Part("meaning_rank", fused.meaning_rank, "number {value:g} of what means something similar"))
    if fused.keyword_rank:
        parts.append(Part("keyword_rank", fused.keyword_rank, "number {value:g} of what has the words"))
    parts.append(Part("similarity", fused.similarity, "similarity {value:g}" if fused.meaning_rank else ""))
    parts += [Part("score", fused.score, "score {value:g}"), Part("fused", fused.fused, how)]
    return Hit(pool.counted(fused.id), fused.score, fused.fused, RANKER, tuple(parts), terms)


_FUSED_WORDS: Mapping[Fusion, str] = {
    "linear": "0.6 of the similarity and 0.4 of the score make {value:g}",
    "rrf": "its ranks together make {value:g}",
}
"""How a fused number is told."""
