"""Where the words of a filter stand in a text, in positions of the text as it is shown."""

from __future__ import annotations

from collections.abc import Iterable

from pipeline.recall.filter import parse

Span = tuple[int, int]
"""Start and end (exclusive), in characters of the text."""


def spans(text: str, query: str) -> list[Span]:
    """The parts of `text` that the words and phrases of `query` match, ascending and not overlapping.

    Found as the filter finds them, by case folding, also where folding changes the length (`ß`, `İ`, `ﬁ`): a
    character of which any part matches is inside whole.
    """
    words = parse(query).words
    if not words or not text:
        return []
    folded = text.casefold()
    found = _occurrences(folded, words)
    if found and not (len(folded) == len(text) and text.isascii()):
        origin = [at for at, char in enumerate(text) for _ in char.casefold()]
        found = [(origin[start], origin[end - 1] + 1) for start, end in found]
    return _merged(found)


def _occurrences(text: str, words: Iterable[str]) -> list[Span]:
    found: list[Span] = []
    for word in words:
        at = text.find(word)
        while at >= 0:
            found.append((at, at + len(word)))
            at = text.find(word, at + len(word))
    return found


def _merged(found: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(found):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
