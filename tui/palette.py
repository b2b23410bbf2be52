"""The command palette: every key of this place by its words, and a jump to any memory."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content

from pipeline.recall.filter import select
from store.memory import Memory
from tui import keys
from tui.screens.frame import Framed
from tui.switches import offers
from tui.text import content, cut, line, one_line

if TYPE_CHECKING:
    from tui.bench import Bench

JUMPS = 20
"""Memories offered for one query; a longer list is what the search box is for."""
_MOVES = ("list.", "pane.", "detail.", "text.", "app.interrupt", "app.leave", "app.commands", "app.back")


class KeyCommands(Provider):
    """What can be done here, whatever key it is on."""

    async def discover(self) -> Hits:
        """Everything, before a letter is typed."""
        for key, text in self._commands():
            yield DiscoveryHit(self._shown(key), self._run(key), text=text)

    async def search(self, query: str) -> Hits:
        """What fits the letters."""
        matcher = self.matcher(query)
        for key, text in self._commands():
            if (score := matcher.match(text)) > 0:
                yield Hit(score, self._shown(key), self._run(key), text=text)

    @property
    def _bench(self) -> Bench:
        return cast("Bench", self.app)

    def _commands(self) -> list[tuple[keys.Key, str]]:
        screen = self.screen
        if not isinstance(screen, Framed):
            return []
        own = sorted(keys.on_screen(screen.MODE), key=lambda key: screen.MODE not in key.where)
        found = [key for key in own if not key.id.startswith(_MOVES) and self._bench.exists(key)]
        return [(key, self._bench.does(key)) for key in found if not screen.why_not(key.id)]

    def _shown(self, key: keys.Key) -> Content:
        return line(self._bench.does(key), (f"   {self._bench.pressed(key)}", "$text-muted"))

    def _run(self, key: keys.Key) -> partial[None]:
        return partial(self._bench.act, key.id)


class Offers(Provider):
    """What is no key: the themes, and the bank's switches."""

    async def discover(self) -> Hits:
        """All of them, before a letter is typed."""
        for words, run in offers(cast("Bench", self.app)):
            yield DiscoveryHit(content(words), run, text=words)

    async def search(self, query: str) -> Hits:
        """What fits the letters."""
        matcher = self.matcher(query)
        for words, run in offers(cast("Bench", self.app)):
            if (score := matcher.match(words)) > 0:
                yield Hit(score, content(words), run, text=words)


class MemoryJump(Provider):
    """Any memory, by the words of the search box."""

    async def search(self, query: str) -> Hits:
        """The first memories that hold these words."""
        if not query.strip():
            return
        bench = cast("Bench", self.app)
        found = await asyncio.to_thread(_first, bench, query)
        for at, memory in enumerate(found):
            text = cut(one_line(f"{memory.type} {memory.subject}: {memory.statement}"), 100)
            shown = line(text, ("\n" + memory.id, "$text-muted"))
            yield Hit(0.2 - at / 1000, shown, partial(bench.jump, memory.id), text=text)


def _first(bench: Bench, query: str) -> list[Memory]:
    selection = select(bench.desk.view, query)
    return [selection.pool[index] for index in selection.indices[:JUMPS]]
