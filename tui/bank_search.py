"""The search index of the open bank for the screens: kept up on the thread that looks, made anew in another process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from store.view import View
from tui.messages import BankMoved

if TYPE_CHECKING:
    from pipeline.recall.encoding.chosen import Chosen
    from pipeline.recall.rebuilding import Rebuilding
    from pipeline.recall.searchable import Searchable
    from store.index.search.searching import Searching
    from tui.bank_meaning import BankMeaning, Then

GLANCE = 0.5
"""Seconds between two looks at how far a rebuild is."""
AGAIN = 5.0
"""Seconds until it is looked again whether another program has made the index."""
KILLED = 2
"""How often a rebuild that somebody killed is begun again."""
Choose = Callable[[], "Chosen"]


class IndexRenewed(Message):
    """The index, or what is known of meaning, is another: what was searched before can be looked for again."""

    def can_replace(self, message: Message) -> bool:
        """One is enough."""
        return isinstance(message, IndexRenewed)


class BankSearch:
    """What a view is searched through. Made without a cost: nothing is loaded before the first search.

    `choose` gives the encoder of the person's settings (None: search by words alone). Of a bank that is `sealed`
    nothing is kept: its index stays in memory, and its texts are given to no encoder.
    """

    def __init__(
        self, post: Callable[[Message], object], choose: Choose | None = None, *, sealed: Callable[[], bool]
    ) -> None:
        self._post, self._choose, self._sealed = post, choose, sealed
        self._lock = threading.Lock()
        self._searching: Searching | None = None
        self._last: Searchable | None = None
        self._meaning: BankMeaning | None = None
        self._rebuilding: Rebuilding | None = None
        self._tried = self._closed = False
        self._ended = threading.Event()
        self._killed = 0
        self._told: set[str] = set()

    @property
    def partial(self) -> int:
        """How many of the memories, the newest, are searched while the index is made; 0 when all are."""
        return self._searching.partial if self._searching is not None else 0

    @property
    def busy(self) -> bool:
        """Whether something is being found out about meaning."""
        return self._meaning is not None and self._meaning.busy

    def of(self, view: View) -> Searchable:
        """What this view is searched through; blocking, for a worker thread. Quick when it follows the last one."""
        from pipeline.recall.searchable import Searchable

        if view.is_head:
            return Searchable.of(view)
        with self._lock:
            searching = self._opened(Path(view.root))
            followed = searching.of(view)
            if self._last is None or self._last.followed is not followed or self._last.view is not view:
                self._last = Searchable(view, followed, self._last)
            if searching.wants_rebuild:
                self._rebuild(Path(view.root))
            self._tell(searching.notice)
            return self._last

    def _opened(self, root: Path) -> Searching:
        if self._searching is None:
            from store.index.search.quotes import quotes_of
            from store.index.search.searching import Searching, file_of

            self._searching = Searching(None if self._sealed() else file_of([root]), quotes_of)
        return self._searching

    # --- meaning

    @property
    def means(self) -> bool:
        """Whether it is worth asking for meaning."""
        return self._choose is not None and not (self._closed or self._sealed())

    def mean(self, searchable: Searchable, words: str, then: Then) -> None:
        """Call `then` with the meaning of words, on a thread of its own; not at all when there is none.

        Returns at once; only the latest question is answered. For the screen's thread alone.
        """
        if self._choose is None or not self.means:
            return
        if self._meaning is None:
            from tui.bank_meaning import BankMeaning

            self._meaning = BankMeaning(self._choose, self._learnt, self._many, self._tell)
        self._meaning.ask(searchable, words, then)

    def _learnt(self) -> None:
        self._post(IndexRenewed())

    def _many(self, root: Path) -> None:
        with self._lock:
            self._rebuild(root)

    def _tell(self, sentence: str) -> None:
        """Say a sentence, once."""
        if sentence and not self._closed and sentence not in self._told:
            from store.changes import Event

            self._told.add(sentence)
            self._post(BankMoved(Event("notice", message=sentence)))

    # --- making it anew

    def _rebuild(self, root: Path) -> None:
        """Make index and vectors anew; not while that is done, and not again when it failed: it would fail again."""
        if self._tried or self._closed:
            return
        from pipeline.recall.rebuilding import start_rebuild

        self._tried = True
        vectors = self._choose is not None and self._choose().encoder is not None
        self._rebuilding = start_rebuild([root], vectors=vectors)
        threading.Thread(target=self._await, args=(self._rebuilding,), daemon=True).start()

    def _await(self, rebuilding: Rebuilding) -> None:
        """The words are there before the vectors, which may take minutes: each is told of."""
        searched = False
        while not rebuilding.wait(GLANCE):
            if not searched and rebuilding.progress.get("stage") == "vectors":
                searched = True
                self._learnt()
        stage = rebuilding.progress.get("stage")
        if stage == "busy":  # another program makes it: when that is done, or was ended, it is looked at again
            self._ended.wait(AGAIN)
        elif stage not in {"done", "failed"}:
            self._killed += 1
        if not self._closed:
            self._tried = stage == "failed" or self._killed > KILLED
            self._tell(rebuilding.problem)
            self._learnt()

    def close(self) -> None:
        """End what still runs for it."""
        self._closed = True
        self._ended.set()
        if self._meaning is not None:
            self._meaning.close()
        if self._rebuilding is not None and not self._rebuilding.done():
            self._rebuilding.end()
