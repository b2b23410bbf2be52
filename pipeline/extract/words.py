"""Content words: how two wordings of one fact are compared (`spec/extraction.md` §23.1, §24.3)."""

from __future__ import annotations

import re

STOP_WORDS = frozenset(
    {"a", "an", "and", "at", "be", "by", "for", "from", "in", "is", "it", "of", "on", "or", "the", "to", "with"}
)

_CJK = (
    "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9d\uac00-\ud7af\U00020000-\U000323af"
)
_RUNS = re.compile(f"[{_CJK}]+|[^\\W_{_CJK}]{{2,}}")
_IS_CJK = re.compile(f"[{_CJK}]")


def content_words(text: str) -> frozenset[str]:
    """Lower-cased runs of 2+ letters or digits without stop words, plural s folded; Han, Kana, Hangul as bigrams."""
    found: set[str] = set()
    for run in _RUNS.findall(text.lower()):
        if _IS_CJK.match(run):
            found.update(run[index : index + 2] for index in range(max(1, len(run) - 1)))
        elif run not in STOP_WORDS:
            found.add(_singular(run))
    return frozenset(found)


def jaccard(left: str, right: str) -> float:
    """Shared content words over all content words, 0..1."""
    first, second = content_words(left), content_words(right)
    return len(first & second) / len(first | second) if first or second else 0.0


def _singular(word: str) -> str:
    return word[:-1] if len(word) >= 4 and word.endswith("s") and not word.endswith("ss") else word
