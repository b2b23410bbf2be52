"""The numbers of the formula (`design/recall.md` §4)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of the formula counts; fitted on development data by `tests/bench/recall/fitting.py`.

    `same_stem` is the share of another word of a stem, `own_word` what the very word gets on top of the words that it
    begins. `thread` is what neighbours in a session lend, times `fading` for each entry further away, up to `reach`.
    `perfect` is the share of a term's greatest impact that a perfect match is taken to reach. `owner` and `date` are
    factors for an entry of the one person, and of the day, that the query names. `meaning` is the share of meaning.
    """

    same_stem: float = 0.9
    own_word: float = 0.5
    thread: float = 0.6
    fading: float = 0.6
    reach: int = 3
    perfect: float = 0.75
    owner: float = 1.4
    date: float = 2.0
    meaning: float = 0.15


WEIGHTS = Weights()
