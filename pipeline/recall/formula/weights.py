"""The numbers of the formula (`design/recall.md` §4), beyond it those that development data asked for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weights:
    """What each part of the formula counts; `tests/bench/recall/fitting.py` fits them on development data.

    `same_stem` is the share of another word of a stem, `irregular` and `synonym` those of `forms.py`, `own_word` what
    the very word gets on top of the words that it begins. `perfect` is the share of a term's greatest impact that a
    perfect match is taken to reach.

    An entry gets `thread` of what the one before it in its session has, `thread` times `fading` from the one before
    that, up to `reach`; from those after it `back` times as much. One that asks hands on `answered` times more to the
    next, and is itself worth less by `asking`.

    `owner` and `date` are factors for an entry of the person first named, and of the day named. `time`, `number` and
    `name` are what an entry with such a sign gains where the query asks for one, `length` what one of e times the usual
    length gains, `pair` what two words of the query side by side in an entry give, twice at most. `common` is what an
    entry of nothing but common words loses, `other` a factor for what tells of somebody whom the query does not name.

    `meaning` is the share of meaning; nearness counts with the power `curve`, and `first` and `second` are what the
    neighbours in the thread add to it. `link` is what a turn and the facts drawn from it get of each other's score,
    `hop` the share of the second round, `again` what an entry beside a better one loses where several are asked for.
    """

    same_stem: float = 0.85
    irregular: float = 0.9
    synonym: float = 0.5
    own_word: float = 0.5
    thread: float = 0.6
    fading: float = 0.6
    reach: int = 3
    back: float = 0.7
    answered: float = 1.0
    asking: float = 0.5
    perfect: float = 0.75
    owner: float = 1.4
    date: float = 3.0
    time: float = 0.3
    number: float = 0.3
    name: float = 0.3
    length: float = 0.1
    pair: float = 0.1
    common: float = 0.5
    other: float = 0.7
    meaning: float = 0.2
    curve: float = 0.7
    first: float = 0.2
    second: float = 0.1
    link: float = 0.4
    hop: float = 0.2
    again: float = 0.07


WEIGHTS = Weights()
