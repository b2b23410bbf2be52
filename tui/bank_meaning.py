"""Meaning for the search of the open bank: what is asked is answered on a thread of its own, and nothing waits for it.

The encoder is loaded by the first question. One that is absent or fails is one sentence, and words go on finding.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from store.errors import MemdeskError
from tui.faults import report

if TYPE_CHECKING:
    from pipeline.recall.encoding.chosen import Chosen
    from pipeline.recall.encoding.encoders import Encoder
    from pipeline.recall.encoding.question import Questions
    from pipeline.recall.formula.meaning import Meaning
    from pipeline.recall.searchable import Searchable
    from store.index.search.meant import Meant

REST = 60.0
"""Seconds that an encoder which failed is left alone."""
CLOSING = 0.5
"""Seconds that leaving waits for an encoder to let go: one that is just being used ends with the program."""
Then = Callable[["Meaning"], object]


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: what is searched, the words, and who wants the answer."""

    searchable: Searchable
    words: str
    then: Then


@dataclass(frozen=True, slots=True)
class Known:
    """An encoder, and the vectors that are known by it."""

    encoder: Encoder
    vectors: Meant
    questions: Questions


class BankMeaning:
    """The encoder of the person's settings, on one bank.

    `learnt` is called when entries got vectors, `many` with the bank's folder when too many have none, `tell` with a
    sentence.
    """

    def __init__(
        self,
        choose: Callable[[], Chosen],
        learnt: Callable[[], object],
        many: Callable[[Path], object],
        tell: Callable[[str], object],
    ) -> None:
        self._choose, self._learnt, self._many, self._tell = choose, learnt, many, tell
        self._changed = threading.Condition()
        self._next: Asked | None = None
        self._known: Known | None = None
        self._working = self._learning = self._closed = False
        self._rested = 0.0
        self._failing = False
        self._lacked = 0
        threading.Thread(target=self._run, name="meaning", daemon=True).start()

    @property
    def busy(self) -> bool:
        """Whether a question is open, or entries are being encoded."""
        return self._next is not None or self._working or self._learning

    def ask(self, searchable: Searchable, words: str, then: Then) -> None:
        """Ask; returns at once. A question that was not looked at yet is forgotten."""
        with self._changed:
            self._next = Asked(searchable, words, then)
            self._changed.notify()

    def close(self) -> None:
        """End, and let go of what the encoder holds."""
        with self._changed:
            self._closed = True
            self._changed.notify()
        if self._known is not None:
            closing = threading.Thread(target=self._known.encoder.close, daemon=True)
            closing.start()
            closing.join(CLOSING)

    def _run(self) -> None:
        while (asked := self._take()) is not None:
            self._quietly(partial(self._answer, asked))
            self._working = False

    def _take(self) -> Asked | None:
        """The next question; None when it is time to end."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._next is not None)
            asked, self._next = self._next, None
            self._working = asked is not None and not self._closed
            return asked if self._working else None

    def _quietly(self, work: Callable[[], object]) -> None:
        """Words go on finding, whatever an encoder runs into."""
        try:
            work()
        except MemdeskError as problem:
            self._fail(f"Found by words alone: {problem}")
        except Exception as fault:  # the thread outlives whatever one question runs into
            self._fail(report(fault))

    def _fail(self, sentence: str) -> None:
        """Leave the encoder alone for a while; what is wrong is said once, until it works again."""
        self._rested = time.monotonic() + REST
        if not self._failing:
            self._failing = True
            self._tell(sentence)

    def _answer(self, asked: Asked) -> None:
        if time.monotonic() < self._rested or (known := self._opened(asked.searchable)) is None:
            return
        from pipeline.recall.formula.factors import named
        from pipeline.recall.formula.meaning import Meaning

        followed = asked.searchable.followed
        vectors = known.vectors.of(followed)
        self._tell(known.vectors.notice)
        self._learn(known, asked.searchable)
        if vectors is None:
            return  # it is asked again when something was learnt
        vector = known.questions.vector(asked.words, named(asked.searchable.sight(), asked.words))
        self._failing = False
        if self._next is None and not self._closed:
            asked.then(Meaning(vectors, vector))

    def _opened(self, searchable: Searchable) -> Known | None:
        """The encoder and its vectors; None where the person wants none, or it is missing."""
        if self._known is None:
            chosen = self._choose()
            self._tell(chosen.notice)
            if chosen.encoder is None:
                self._rested = float("inf")
                return None
            from pipeline.recall.encoding.question import Questions
            from store.index.search.meant import Meant
            from store.index.search.searching import file_of

            vectors = Meant(file_of([Path(searchable.view.root)]), chosen.encoder.id)
            self._known = Known(chosen.encoder, vectors, Questions(chosen.encoder))
        return self._known

    def _learn(self, known: Known, searchable: Searchable) -> None:
        """See that entries without a vector get one: a few here, many by a rebuild."""
        from pipeline.recall.encoding.catching_up import A_FEW

        lacking = known.vectors.lacking(searchable.followed)
        if lacking > A_FEW:
            if lacking != self._lacked:  # as many as when it was asked for last: it did not help
                self._lacked = lacking
                self._many(Path(searchable.view.root))
        elif lacking and not self._learning:
            self._learning = True
            threading.Thread(target=self._catch_up, args=(known, searchable), daemon=True).start()

    def _catch_up(self, known: Known, searchable: Searchable) -> None:
        from pipeline.recall.encoding.catching_up import catch_up

        def work() -> None:
            if catch_up(known.vectors, searchable.followed, known.encoder) and not self._closed:
                self._learnt()

        self._quietly(work)
        self._learning = False
