"""The command palette: every key of this place by its words, and a jump to any memory."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Container, Iterable, Iterator
from functools import partial
from heapq import nlargest
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.fuzzy import Matcher

from store.memory import Memory
from tui import keys
from tui.literal import ROW_CHARACTERS
from tui.screens.frame import Framed
from tui.switches import SWITCHES, offers
from tui.text import content, cut, line, one_line

if TYPE_CHECKING:
    from pipeline.recall.searchable import Searchable
    from tui.bench import Bench

COMMAND, ORDER = 0.3, 0.05
"""What a command is better by than a memory that fits as well, and what the place of a memory in the ranking counts."""
JUMPS, RANKED = 20, 200
"""Memories offered for one query, and the best ranked that they are of; a longer list is what the search box is for."""
_MOVES = ("list.", "pane.", "detail.", "text.", "app.interrupt", "app.leave", "app.commands", "app.back")
EXACT, WORD, INSIDE, WORDS, FOUND, SCATTERED = 6.0, 5.0, 4.0, 3.0, 2.0, 1.0
"""How well an offer fits, commands and memories together: it is what was typed, a word of it begins so, it stands
somewhere in it, each of the words does, it was found by another of its fields, or only its letters come in that order.
What is better by one of these stands above whatever else speaks for the other."""


def fits(query: str, texts: Iterable[str]) -> float:
    """How well the best of these texts fits what was typed, from `EXACT` to `WORDS`; 0.0 for not as words.

    Of texts in which a word begins so, the one that begins with it is better by a little.
    """
    wanted, best = " ".join(query.casefold().split()), 0.0
    if not wanted:
        return best
    for text in texts:
        folded = " ".join(text.casefold().split())
        if folded == wanted:
            return EXACT
        if wanted in folded:
            begins = re.search(rf"(?<!\w){re.escape(wanted)}", folded)
            best = max(best, INSIDE if begins is None else WORD + (0.1 if begins.start() == 0 else 0.0))
        elif all(word in folded for word in wanted.split()):
            best = max(best, WORDS)
    return best


def scattered(matcher: Matcher, text: str) -> float:
    """How well letters that stand apart fit: below everything that fits as words; 0.0 for not at all."""
    score = matcher.match(text)
    return SCATTERED * score / (score + 1) if score > 0 else 0.0


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
            if score := fits(query, (text, key.hint)) or scattered(matcher, text):
                yield Hit(score + COMMAND, self._shown(key), self._run(key), text=text)

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
        """What fits the letters; a switch that gives leave to agents or scripts only what fits as words."""
        matcher = self.matcher(query)
        for words, run in offers(cast("Bench", self.app)):
            gives_leave = any(words.startswith(name) for name, _ in SWITCHES.values())
            score = fits(query, (words,)) or (0.0 if gives_leave else scattered(matcher, words))
            if score:
                yield Hit(score + (0.0 if gives_leave else COMMAND), content(words), run, text=words)


class MemoryJump(Provider):
    """Any memory, by the words of the search box."""

    async def search(self, query: str) -> Hits:
        """The memories that hold these words, the best fitting first."""
        if not query.strip():
            return
        bench = cast("Bench", self.app)
        for score, memory in await asyncio.to_thread(_best, bench, query):
            text = cut(one_line(f"{memory.type} {memory.subject}: {memory.statement}"), 100)
            shown = line(text, ("\n" + memory.path, "$text-muted"))
            yield Hit(score, shown, partial(bench.jump, memory.id), text=text)


def _best(bench: Bench, query: str) -> list[tuple[float, Memory]]:
    searched = bench.desk.search.of(bench.desk.view)
    named = _named(searched, query)
    memories = [*named, *_ranked(searched, query, {memory.id for memory in named})]
    scored = ((_memory_fits(query, memory) - at / len(memories) * ORDER, at) for at, memory in enumerate(memories))
    return [(score, memories[at]) for score, at in nlargest(JUMPS, scored)]


def _named(searched: Searchable, query: str) -> list[Memory]:
    """The live memories whose file, or the path of it, begins with what was typed."""
    from store.index.search.words import fold

    flags = searched.sight().seen & searched.columns.having("id", (fold(query.strip()),))
    return [searched.followed.memory(row) for row in flags.nonzero()[0][:JUMPS].tolist()]


def _ranked(searched: Searchable, query: str, known: Container[str]) -> Iterator[Memory]:
    """The best ranked memories that hold every word, without those that are `known`."""
    from pipeline.recall.filtering.judging import says
    from pipeline.recall.filtering.query import parse
    from pipeline.recall.found import find

    asked = parse(query)
    for row in find(searched, asked, "relevance", RANKED).rows[:RANKED].tolist():
        memory = searched.followed.memory(row)
        if memory.id not in known and says(memory, asked.words, searched.columns.quotes):
            yield memory


def _memory_fits(query: str, memory: Memory) -> float:
    """Its name counts more than its text; one that is called exactly so stands above a command of that name."""
    named = fits(query, (memory.subject, memory.name.removesuffix(".md")))
    if named == EXACT:
        return EXACT + 2 * COMMAND
    said = fits(query, (memory.statement[:ROW_CHARACTERS],))
    return max(named, min(said, WORD) - COMMAND, FOUND)
