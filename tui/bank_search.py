"""The search index of the open bank for the screens: kept up on the thread that looks, made anew in another process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual.message import Message

from store.view import View

if TYPE_CHECKING:
    from pipeline.recall.rebuilding import Rebuilding
    from pipeline.recall.searchable import Searchable
    from store.index.search.searching import Searching


class IndexRenewed(Message):
    """The index was made anew: what was searched with the one before can be looked for again."""

    def can_replace(self, message: Message) -> bool:
        """One is enough."""
        return isinstance(message, IndexRenewed)


class BankSearch:
    """What a view is searched through. Made without a cost: nothing is loaded before the first search."""

    def __init__(self, post: Callable[[Message], object]) -> None:
        self._post = post
        self._lock = threading.Lock()
        self._searching: Searching | None = None
        self._last: Searchable | None = None
        self._rebuilding: Rebuilding | None = None
        self._tried = self._closed = False

    @property
    def notice(self) -> str:
        """What there is to say of the index, as a sentence: that only part of the bank is searched so far; else ""."""
        searching = self._searching
        if searching is None:
            return ""
        if searching.partial:
            return f"The newest {searching.partial:,} memories are searched while the index is made."
        return searching.notice

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
            if searching.wants_rebuild and not (self._tried or self._closed):
                self._tried = True  # once a session: one that fails would fail again
                self._rebuild(Path(view.root))
            return self._last

    def _opened(self, root: Path) -> Searching:
        if self._searching is None:
            from store.index.search.quotes import quotes_of
            from store.index.search.searching import Searching, file_of

            self._searching = Searching(file_of([root]), quotes_of)
        return self._searching

    def _rebuild(self, root: Path) -> None:
        from pipeline.recall.rebuilding import start_rebuild

        self._rebuilding = start_rebuild([root])
        threading.Thread(target=self._await, args=(self._rebuilding,), daemon=True).start()

    def _await(self, rebuilding: Rebuilding) -> None:
        rebuilding.wait()
        if not self._closed:
            self._tried = bool(rebuilding.problem)
            self._post(IndexRenewed())

    def close(self) -> None:
        """End what still runs for it."""
        self._closed = True
        if self._rebuilding is not None and not self._rebuilding.done():
            self._rebuilding.end()
