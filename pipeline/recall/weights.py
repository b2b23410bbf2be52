"""The numbers of the formula (`design/recall.md` §4), beyond it those that development data asked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of the formula counts; `tests/bench/recall/fitting.py` fits them on development data.

    `same_stem` is the share of another word of a stem, `own_word` what the very word gets on top of the words that it
    begins. An entry gets `thread` of what the one before it in its session has, `thread` times `fading` from the one
    before that, up to `reach`; from those after it `back` times as much. One that asks hands on `answered` times more
    to the next, and is itself worth less by `asking`. `perfect` is the share of a term's greatest impact that a
    perfect match is taken to reach. `owner` and `date` are factors for an entry of the person first named, and of the
    day named; `time`, `number` and `name` are what an entry with such a sign gains where the query asks for one.
    `length` is what an entry of e times the usual length gains. `meaning` is the share of meaning.
    """

    same_stem: float = 0.9
    own_word: float = 0.5
    thread: float = 0.6
    fading: float = 0.6
    reach: int = 3
    back: float = 0.7
    answered: float = 1.0
    asking: float = 0.5
    perfect: float = 0.75
    owner: float = 1.4
    date: float = 2.0
    time: float = 0.3
    number: float = 0.2
    name: float = 0.2
    length: float = 0.1
    meaning: float = 0.2


WEIGHTS = Weights()
