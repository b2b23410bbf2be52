"""Where the person was: kept per bank between two starts, never in the bank, and never worth an error."""

from __future__ import annotations

from typing import Any

from store.desk_state import load_state, save_state
from store.errors import StorageFailure

BANKS, TOLD = "banks", "told"
MOST_BANKS = 50


class Remembered:
    """What is remembered about one bank; `keep` writes it down."""

    def __init__(self, root: str, *, lasting: bool = True) -> None:
        self._root, self._lasting = root, lasting
        state = load_state() if lasting else {}
        banks = state.get(BANKS)
        found = banks.get(root) if isinstance(banks, dict) else None
        self._place: dict[str, str] = (
            {k: v for k, v in found.items() if isinstance(v, str)} if isinstance(found, dict) else {}
        )
        told = state.get(TOLD)
        self._told = {word for word in told if isinstance(word, str)} if isinstance(told, list) else set[str]()

    def get(self, key: str, default: str = "") -> str:
        """What was remembered under a key."""
        return self._place.get(key, default)

    def set(self, key: str, value: str) -> None:
        """Remember something about this bank."""
        self._place[key] = value

    def first_time(self, word: str) -> bool:
        """Whether this is said for the first time; from now on it is not."""
        first = word not in self._told
        self._told.add(word)
        return first

    def keep(self) -> None:
        """Write it down; a folder that refuses is no reason to bother anyone."""
        if not self._lasting:
            return
        state: dict[str, Any] = load_state()
        found = state.get(BANKS)
        banks: dict[str, Any] = found if isinstance(found, dict) else {}
        others = {root: place for root, place in banks.items() if root != self._root}
        kept = dict(list(others.items())[-MOST_BANKS + 1 :]) | {self._root: self._place}
        try:
            save_state(state | {BANKS: kept, TOLD: sorted(self._told)})
        except StorageFailure:
            self._lasting = False
