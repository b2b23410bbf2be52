"""An index over memories or ledger rows that is kept while the view's base is the same object (`decisions.md` §5.5)."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

Index = TypeVar("Index")

KEPT = 4
"""Bases whose index is kept: the bank at hand and the project's bank, each before and after a merge."""


class PerBase(Generic[Index]):
    """Builds an index once per base; the few entries beside the base are for the caller to look through."""

    def __init__(self, build: Callable[[Mapping[str, Any]], Index]) -> None:
        self._build = build
        self._kept: list[tuple[Mapping[str, Any], Index]] = []
        self._lock = threading.Lock()

    def of(self, base: Mapping[str, Any]) -> Index:
        """The index of this base."""
        with self._lock:
            for known, index in self._kept:
                if known is base:
                    return index
            index = self._build(base)
            self._kept.insert(0, (base, index))
            del self._kept[KEPT:]
            return index
