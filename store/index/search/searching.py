"""The index of an open bank, kept up with its views and with the file that a rebuild in another process leaves.

Whoever asks is answered at once: from the file, from memory while the bank is small, else from its newest memories
until the file is there (`design/recall.md` §5).
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from store.index.search.building import build
from store.index.search.doc import Quotes, mark_of
from store.index.search.files import index_file, load
from store.index.search.following import Followed, bound, docs_of, follow, newest
from store.index.search.quotes import quoted_anew, quotes_of
from store.index.search.segment import Segment
from store.index.search.watched import Watched
from store.layered import Layered
from store.memory import Memory
from store.places import bank_key
from store.view import View

AT_ONCE = 3_000
"""Memories that are indexed in this process: about a third of a second."""
MOST_CHANGES = 1_000
"""Changes beside the segment after which typing would become slower (`design/recall.md` §2)."""
SET_ASIDE = "The search index was damaged or made by another version; it was set aside and is made anew."

Memories = Layered[str, Memory]


def file_of(roots: Sequence[Path], cache_dir: Path | None = None) -> Path:
    """The file of the index of one bank, or of several read together, in their order; it need not be there."""
    if len(roots) == 1:
        return index_file(roots[0], cache_dir)
    together = hashlib.sha256("+".join(bank_key(root) for root in roots).encode()).hexdigest()[:24]
    own = index_file(roots[0], cache_dir)
    return own.parent.with_name(together) / own.name


class Searching:
    """The index of one bank, or of joined ones; threads may share it.

    `file` is where a rebuild leaves it (`file_of`); None keeps everything in memory. `quotes` gives for a view the
    words under each memory; a rebuild uses the same.
    """

    def __init__(self, file: Path | None, quotes: Callable[[View], Quotes] = quotes_of) -> None:
        self._file = None if file is None else Watched(file)
        self._quotes = quotes
        self._lock = threading.Lock()
        self._loaded: Segment | None = None
        self._made: Segment | None = None
        self._seen: View | None = None
        self._followed: Followed | None = None
        self._notice = ""

    @property
    def partial(self) -> int:
        """How many memories are searched while the others wait for a rebuild; 0 when all are."""
        seen, followed = self._seen, self._followed
        whole = seen is None or followed is None or len(followed.memories) == len(seen.memories)
        return 0 if whole or followed is None else len(followed.memories)

    @property
    def wants_rebuild(self) -> bool:
        """Whether a rebuild in another process is due: `pipeline.recall.rebuild`."""
        seen, followed = self._seen, self._followed
        if self._file is None or seen is None or followed is None or len(seen.memories) <= AT_ONCE:
            return False
        return not self._file.there or followed.index.changes > MOST_CHANGES or bool(self.partial)

    @property
    def notice(self) -> str:
        """One sentence when a damaged or foreign index was set aside, else ""."""
        return self._notice

    def of(self, view: View) -> Followed:
        """The index of a view. Quick for one that follows the last one asked for."""
        with self._lock:
            fresh = self._look()
            if self._followed is None or self._seen is None or fresh:
                self._bind(view)
            elif view is not self._seen:
                self._move(view, self._followed, self._seen)
            assert self._followed is not None
            return self._followed

    def _look(self) -> bool:
        """Take the file if another one lies there; whether what is searched must be begun again."""
        if self._file is None or not self._file.changed() or not self._file.there:
            return False
        segment = load(self._file.path)
        if segment is None:
            self._notice = SET_ASIDE
            self._file.set_aside()
            if not self._file.in_place:
                return False  # what was mapped before is another file, and whole
        self._loaded = segment
        return True

    def _bind(self, view: View) -> None:
        """Start from a segment, by content; from a new one where none is near and nobody else makes one."""
        memories, quotes = view.memories, self._quotes(view)
        small, at_once = self._is_small(memories), self._at_once(memories)
        followed = None
        for segment in (self._loaded, self._made if small else None):
            if segment is not None and followed is None:
                near = bound(segment, memories, quotes, at_once)
                followed = near if not small or near.index.changes <= MOST_CHANGES else None
        if followed is None:
            self._made = build(docs_of(newest(memories.values(), at_once), quotes))
            followed = bound(self._made, memories, quotes, 0)
        self._seen, self._followed = view, followed

    def _move(self, view: View, followed: Followed, seen: View) -> None:
        """Go on from the last view, at a cost of what changed; start again where that is much."""
        memories, quotes = view.memories, self._quotes(view)
        changed = list(memories.changed(seen.memories))
        if len(changed) > MOST_CHANGES:
            self._bind(view)
            return
        shown = memories if followed.memories is seen.memories else _with(followed.memories, memories, changed)
        self._seen = view
        self._followed = follow(followed, shown, quotes, _quoted_anew(followed, shown, quotes, view, seen))
        if self._is_small(memories) and (self._followed.index.changes > MOST_CHANGES or self.partial):
            self._bind(view)

    def _at_once(self, memories: Memories) -> int:
        """How many are indexed in this process: all of them where nobody else makes an index."""
        return AT_ONCE if self._file is not None else len(memories)

    def _is_small(self, memories: Memories) -> bool:
        return len(memories) <= self._at_once(memories)


def _quoted_anew(followed: Followed, memories: Memories, quotes: Quotes, view: View, seen: View) -> list[str]:
    """The ids of memories that stand in the index with other quotes than they have now."""
    found = []
    for key in quoted_anew(view, seen):
        row, memory = followed.row(key), memories.get(key)
        if row is not None and memory is not None and mark_of(memory, quotes(memory)) != followed.mark(row):
            found.append(key)
    return found


def _with(shown: Memories, memories: Memories, changed: Sequence[str]) -> Memories:
    """The memories searched so far with what changed among all."""
    put = {key: memory for key in changed if (memory := memories.get(key)) is not None}
    return shown.with_changes(put, tuple(key for key in changed if key not in put))
