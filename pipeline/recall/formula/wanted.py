"""The terms of a query: whole words, the word being typed, pairs and single characters of CJK text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pipeline.recall.formula.stop import CHINESE, ENGLISH
from store.index.search.words import TOKEN, fold, is_cjk

Kind = Literal["word", "typed", "pair", "character"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """One term of a query, folded: `typed` is a word that more letters may follow."""

    term: str
    kind: Kind


def wanted(text: str, *, typing: bool) -> list[Wanted]:
    """The terms of a query in its order, each once; with `typing` its last word may go on (`design/recall.md` §4).

    Stop words are left out when anything else is there, but never the word being typed.
    """
    folded = fold(text)
    every: list[Wanted] = []
    kept: list[Wanted] = []
    for match in TOKEN.finditer(folded):
        token = match[0]
        if is_cjk(token):
            pairs = [Wanted(token[at : at + 2], "pair") for at in range(len(token) - 1)]
            signs = [Wanted(sign, "character") for sign in token]
            every += pairs + signs
            kept += pairs + [sign for sign in signs if sign.term not in CHINESE or len(token) == 1]
            continue
        term = Wanted(token, "typed" if typing and match.end() == len(folded) else "word")
        every.append(term)
        if term.kind == "typed" or token not in ENGLISH:
            kept.append(term)
    return list(dict.fromkeys(kept or every))
