"""The stylesheet of the workbench: each source is parsed once for the same colours."""

from __future__ import annotations

from textual.cache import LRUCache
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet

SOURCES = 512
"""More than there are widgets and screens with styles of their own."""


class OnceParsed(Stylesheet):
    """Textual's own parses every source again whenever a screen, a widget or a class comes along.

    That was a third of the time from the start to the first frame. Other variables (another theme) forget all.
    """

    def __init__(self, *, variables: dict[str, str] | None = None) -> None:
        super().__init__(variables=variables)
        self._parse_cache: LRUCache[tuple[object, ...], list[RuleSet]] = LRUCache(SOURCES)

    def set_variables(self, variables: dict[str, str]) -> None:
        """Take other variables; the same ones change nothing."""
        if variables != self._variables:
            super().set_variables(variables)

    def reparse(self) -> None:
        """Parse what is not parsed yet."""
        self.parse()
