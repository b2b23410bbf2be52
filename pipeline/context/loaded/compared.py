"""Statements side by side: which can be compared at all, and which of many are worth comparing."""

from __future__ import annotations

import os
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from pipeline.context.audit.negations import negations
from pipeline.context.loaded.loaded import Loaded, Statement
from pipeline.extract.words import content_words

Place = tuple[str, int]
MOST = 4_000
"""Statements of one report that are compared with each other."""
COMMON = 100
"""A word in more statements than this finds none by itself."""
LEAST_WORDS = 2
_LINKED = re.compile(r"!?\[([^\[\]]{0,100})\]\([^)]{0,200}\)")
_IN_PATH = re.compile(r"[\W_]+")
_MARKS = re.compile(r"[`*_~\"'“”‘’]+|\[Task \d+\]\s*$")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, eq=False)
class Said:
    """A statement as it is compared. `agents` load it, for `project` (None: for all of the person's).

    `place` is its file, links resolved, and its line.
    """

    statement: Statement
    layout: str
    agents: frozenset[str]
    project: Path | None
    place: Place

    @cached_property
    def plain(self) -> str:
        """The text folded: without marks and links, one case, one kind of space, no end of a sentence."""
        text = unicodedata.normalize("NFKC", self.statement.text)
        return _SPACE.sub(" ", _MARKS.sub("", _LINKED.sub(r"\1", text))).strip(" .;:!。；！").casefold()

    @cached_property
    def words(self) -> frozenset[str]:
        """Its content words (`spec/extraction.md` §24.3); a path is one word, whatever folders it names."""
        return content_words(" ".join(_IN_PATH.sub("", one) if _is_path(one) else one for one in self.plain.split()))

    @cached_property
    def denies(self) -> bool:
        """Whether it denies anything."""
        return bool(negations(self.plain))

    @property
    def says(self) -> bool:
        """Whether it says anything besides naming a file, a place on the web, or what comes next (`Why:`)."""
        if _MARKS.sub("", self.statement.text).rstrip().endswith((":", "：")):
            return False
        bare = _LINKED.sub(" ", self.statement.text).split()
        return (
            bool(content_words(" ".join(one for one in bare if not _is_path(one)))) and len(self.words) >= LEAST_WORDS
        )


def _is_path(word: str) -> bool:
    return "/" in word.strip("/.,;:()")


def said(layouts: Sequence[Loaded]) -> tuple[list[Said], bool]:
    """Every statement once, in order, however many layouts load its file; and whether all are among them."""
    found: dict[Place, Said] = {}
    real = cache(os.path.realpath)
    for loaded in layouts:
        for statement in loaded.statements:
            place = (real(statement.file), statement.line)
            if (known := found.get(place)) is not None:
                found[place] = replace(known, agents=known.agents | {loaded.agent})
                continue
            one = Said(statement, loaded.name, frozenset({loaded.agent}), loaded.project, place)
            if not one.says:
                continue
            if len(found) >= MOST:
                return list(found.values()), False
            found[place] = one
    return list(found.values()), True


def together(first: Said, second: Said) -> bool:
    """Whether two statements belong together: one agent can be given both, or both are about one project.

    An index line and the file that it is about do not: they are one memory. Nor do the rules of two folders.
    """
    one, other = first.statement, second.statement
    if (one.of and one.of == other.of) or (one.later and other.later and one.file != other.file):
        return False
    one_project = first.project == second.project
    if first.agents.isdisjoint(second.agents):
        return one_project and first.project is not None
    return one_project or first.project is None or second.project is None


def likely(items: Sequence[Said]) -> Iterator[tuple[Said, Said]]:
    """Pairs that share enough uncommon words to be alike, each once, in order."""
    counts = Counter(word for one in items for word in one.words)
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for at, one in enumerate(items):
        shared: Counter[int] = Counter()
        for word in one.words:
            if counts[word] <= COMMON:
                shared.update(holders[word])
                holders[word].append(at)
        for other, number in sorted(shared.items()):
            if number * 2 >= min(len(one.words), len(items[other].words)):
                yield items[other], one


def alike(first: frozenset[str], second: frozenset[str]) -> float:
    """Shared words over all words, 0..1."""
    return len(first & second) / len(first | second) if first or second else 0.0
