"""Insights: what a conversation says about its person beyond single facts (`spec/memora.md` §8).

Functions over texts alone: which utterances are worth asking about, what a model's reply holds, and whether that is
known already. The rows of the review desk are made in `pipeline/extract/reflection/insight_rows.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast, get_args

from pipeline.extract.answer import Citation
from pipeline.extract.reflection.loose import citations, entries, texts
from pipeline.segments import occurs, overlap

Quality = Literal["high", "medium", "low"]
Layer = Literal["host keyword", "too short", "trivial words", "default"]

SHORTEST = 5
"""Characters of the shortest utterance that is not skipped (§8.1)."""
NEAR = 3
"""Memories, the most alike first, that are compared (§8.2)."""
SAID = 0.85
"""Overlap from which an utterance says what an insight says already: the model is not asked (§8.2, step 2)."""
SAME = 0.7
"""Overlap from which a new insight is an old one (§8.2, step 7)."""
SCORES: Mapping[Quality, float] = {"high": 0.8, "medium": 0.5, "low": 0.2}
BOOST = 0.05
LABELS = frozenset({"insight", "content"})
"""Labels among which an insight can be known already: a rule or a persona never takes its place (§8.2 [W])."""
TAGS = 8
TAG = 40
_TRIVIAL = (
    "你好 hi hello ok 好的 嗯 知道了 谢谢 thanks 对 不是 是的 哈哈 嗯嗯 哦 好吧 行 可以 没问题"
    " okay yes no sure gotit thankyou hey"
)
"""Utterances that say nothing, without their spaces (§8.1 and its [W])."""
_ALL_TRIVIAL = re.compile(f"(?:{'|'.join(sorted(_TRIVIAL.split(), key=len, reverse=True))})+")


@dataclass(frozen=True, slots=True)
class Classified:
    """Whether an utterance may hold an insight, which layer said so, and on what it matched."""

    extract: bool
    layer: Layer
    matched: str = ""


@dataclass(frozen=True, slots=True)
class Insight:
    """One sentence in the third person about the person or their work, in a model's words, with the quotes it cites."""

    text: str
    tags: tuple[str, ...] = ()
    quality: Quality = "medium"
    evidence: tuple[Citation, ...] = ()

    @property
    def score(self) -> float:
        """Memora's weight of it, 0..1."""
        return SCORES[self.quality]


@dataclass(frozen=True, slots=True)
class Stored:
    """A memory that an insight may repeat. `accessed_at` is an ISO instant, `score` 0..1."""

    id: str
    content: str
    score: float = 0.5
    accessed_at: str = ""
    label: str = "insight"
    name: str = ""
    tags: tuple[str, ...] = ()


def classify(text: str, keywords: Sequence[str] = ()) -> Classified:
    """Whether to ask about an utterance; `keywords` are the host's own, which always count (§8.1 [W])."""
    trimmed = text.strip()
    for keyword in keywords:
        if occurs(keyword, trimmed):
            return Classified(True, "host keyword", keyword)
    if len(trimmed) < SHORTEST:
        return Classified(False, "too short", trimmed)
    letters = "".join(char for char in trimmed.lower() if unicodedata.category(char)[0] in "LN")
    if not letters or _ALL_TRIVIAL.fullmatch(letters):
        return Classified(False, "trivial words", trimmed)
    return Classified(True, "default")


def read_insights(reply: str) -> tuple[Insight, ...]:
    """The insights of a model's reply: `null`, one object, a list of them, or a list under `insights`; fenced or not.

    What has no text is left out; a reply that cannot be read holds none.
    """
    return tuple(found for entry in entries(reply, "insights", "insight") if (found := _insight(entry)) is not None)


def _insight(entry: Mapping[str, Any]) -> Insight | None:
    text = entry.get("insight")
    if not isinstance(text, str) or not text.strip():
        return None
    said = entry.get("quality")
    quality = cast(Quality, said) if said in get_args(Quality) else "medium"
    tags = tuple(tag[:TAG] for tag in texts(entry.get("tags"))[:TAGS])
    return Insight(" ".join(text.split()), tags, quality, citations(entry.get("evidence")))


def known_as(text: str, stored: Sequence[Stored], above: float) -> Stored | None:
    """The insight or content among the three most alike that says the same: overlap greater than `above`."""
    ranked = sorted(
        ((overlap(text, one.content), one) for one in stored if one.label in LABELS), key=lambda pair: -pair[0]
    )
    return next((one for alike, one in ranked[:NEAR] if alike > above), None)


def keep(insight: Insight, stored: Sequence[Stored], now: str, fresh: str) -> Stored:
    """The memory that holds it: an old one that says the same, boosted, or a new one (§8.2, steps 7 and 8).

    `now` is an ISO instant, `fresh` a new UUID in text.
    """
    old = known_as(insight.text, stored, SAME)
    if old is not None:
        return replace(old, score=min(1.0, max(old.score, insight.score) + BOOST), accessed_at=now)
    return Stored(
        f"insight:{fresh}", insight.text, insight.score, now, name=insight_name(insight.tags, fresh), tags=insight.tags
    )


def insight_name(tags: Sequence[str], fresh: str) -> str:
    """Its name: the first tag in letters, digits and hyphens, at most 8 of them, and the beginning of its UUID."""
    tag = "".join(char for char in tags[0] if char.isalnum() or char == "-")[:8] if tags else ""
    return f"{tag}-{fresh[:6]}" if tag else f"insight-{fresh[:8]}"
