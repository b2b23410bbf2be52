"""Text primitives of `spec/memora.md` §5: word segments of mixed Chinese and Latin text, keywords, overlap, slugs.

No dictionary is needed: a run of Chinese counts as its pairs of neighbours and, when short, as a whole.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

SLUG = 40
"""Characters of a slug."""
WHOLE_RUN = 4
"""Characters up to which a run of Chinese is a segment of its own."""
FULL = 3
"""Keywords whose presence makes a full score."""
_STOPWORDS = (
    "的 了 是 在 我 有 和 就 不 人 都 一 一个 上 也 很 到 说 要 去 你 会 着 没有 看 好 自己 这 那 什么 怎么 可以"
    " 这个 那个 他们 我们 因为 所以 但是 如果 虽然 能 把 被 让 给 对 从 为 比 与 或 吗 呢 吧 啊 哦 嗯 呀 哈"
)
STOPWORDS = frozenset(_STOPWORDS.split())
_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U000323af"
_RUNS = re.compile(f"[{_CJK}]+|[^\\W_{_CJK}]+")
_IS_CJK = re.compile(f"[{_CJK}]")
_LATIN = f"[^\\W_{_CJK}]"
_LETTERS = re.compile("[A-Za-z]{2,}")


def segments(text: str) -> list[str]:
    """The word segments in order: Latin words and numbers whole, Chinese as pairs and short runs; no punctuation."""
    found: list[str] = []
    for run in _RUNS.findall(text):
        if not _IS_CJK.match(run):
            found.append(run)
            continue
        pairs = [run[at : at + 2] for at in range(len(run) - 1)]
        found += pairs if len(run) > WHOLE_RUN or len(run) == 2 else [*pairs, run]
    return found


@lru_cache(1024)
def _lowered(text: str) -> frozenset[str]:
    return frozenset(segment.lower() for segment in segments(text))


def overlap(left: str, right: str) -> float:
    """Jaccard similarity of the lower-cased segments of two texts, 0..1; 0 when both are empty."""
    first, second = _lowered(left), _lowered(right)
    return len(first & second) / len(first | second) if first or second else 0.0


def extract_keywords(text: str) -> tuple[str, ...]:
    """The words worth looking for: lower case, at least two characters, no stop words, each once."""
    lower = text.lower()
    words = (*segments(lower), *_LETTERS.findall(lower))
    return tuple(dict.fromkeys(word for word in words if len(word) >= 2 and word not in STOPWORDS))


def score_by_keywords(text: str, keywords: Sequence[str]) -> float:
    """How many keywords occur, against three of them or all, 0..1; Latin ones as whole words only."""
    if not keywords:
        return 0.0
    hits = sum(occurs(keyword, text) for keyword in keywords)
    return min(1.0, hits / min(len(keywords), FULL))


def occurs(keyword: str, text: str) -> bool:
    """Whether a text holds a keyword: Latin ends of it must be the ends of words, Chinese ones need not."""
    if not keyword:
        return False
    before = "" if _IS_CJK.match(keyword[0]) else f"(?<!{_LATIN})"
    after = "" if _IS_CJK.match(keyword[-1]) else f"(?!{_LATIN})"
    return re.search(before + re.escape(keyword) + after, text, re.IGNORECASE) is not None


def slugify(value: str) -> str:
    """ASCII letters, digits, common Han, `-` and `_`, at most 40 characters; "" when nothing is left."""
    kept = re.sub(r"[^A-Za-z0-9\u4e00-\u9fff_-]", "", re.sub(r"[:\s]+", "-", value))
    return re.sub(r"\A-|-\Z", "", re.sub("--+", "-", kept))[:SLUG]


def truncate(text: str, length: int, suffix: str = "…") -> str:
    """The text when it is no longer than `length` characters, else its beginning and the suffix."""
    return text if len(text) <= length else text[:length] + suffix
