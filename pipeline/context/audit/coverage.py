"""Which memory holds a line: word for word, or by how much of its words (`spec/context.md` §15)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice

from pipeline.measure import units
from store.memory import Memory

LEAST_STATEMENT = 6
"""UTF-16 units that a statement must have for a line that contains it to be held by it."""
MOST_EXACT = 64
"""Memories that say one line word for word and are looked at."""
_KEYS = range(LEAST_STATEMENT // 2, LEAST_STATEMENT + 1)
"""Characters by which statements are looked up: six units are three characters at least."""
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_RUNS = re.compile(f"[a-z0-9_]+|[{_HAN}]+")


@dataclass(frozen=True, slots=True)
class Held:
    """How much of a line the bank holds, 0..1, and the memories that hold that much, in index order.

    With coverage 1 those that say it word for word come first.
    """

    coverage: float
    memories: tuple[Memory, ...] = ()


def tokens(text: str) -> frozenset[str]:
    """Lower-case words of Latin letters, digits and `_`; pairs of neighbouring Han characters, a lone one as it is."""
    found: set[str] = set()
    for run in _RUNS.findall(text.lower()):
        if run[0].isascii() or len(run) == 1:
            found.add(run)
        else:
            found.update(run[at : at + 2] for at in range(len(run) - 1))
    return frozenset(found)


class Holdings:
    """The memories that lines are compared with; built for the lines that will be asked for.

    One pass over the memories serves all lines: 100,000 memories and a long text cost seconds, not minutes.
    """

    def __init__(self, memories: Sequence[Memory], lines: Iterable[str]) -> None:
        self._memories = memories
        texts = [f"{memory.subject} {memory.statement}".replace("\n", "\0") for memory in memories]
        self._all = "\n".join(texts)
        self._starts = [0, *accumulate(len(text) + 1 for text in texts)]
        self._by_beginning: dict[str, list[int]] = {}
        for at, memory in enumerate(memories):
            if units(memory.statement) >= LEAST_STATEMENT:
                self._by_beginning.setdefault(memory.statement[:LEAST_STATEMENT], []).append(at)
        wanted = frozenset().union(*map(tokens, lines))
        self._with: dict[str, list[int]] = {token: [] for token in wanted}
        for at, text in enumerate(texts):
            for token in tokens(text) & wanted:
                self._with[token].append(at)

    def of(self, line: str) -> Held:
        """How much of the line is held, and by which memories."""
        own = tokens(line)
        shared: Counter[int] = Counter()
        for token in own:
            shared.update(self._with[token])
        most = max(shared.values(), default=0)
        exact = sorted({*self._saying(line), *self._said_in(line)})
        best = sorted(at for at, number in shared.items() if number == most)
        if exact:
            also = best if most == len(own) else []
            return Held(1.0, tuple(self._memories[at] for at in dict.fromkeys((*exact, *also))))
        return Held(most / len(own) if own else 0.0, tuple(self._memories[at] for at in best))

    def _saying(self, line: str) -> Iterator[int]:
        """The memories whose subject and statement contain the line."""
        return islice(self._occurrences(line), MOST_EXACT)

    def _occurrences(self, line: str) -> Iterator[int]:
        at = self._all.find(line)
        while at >= 0:
            index = bisect_right(self._starts, at) - 1
            yield index
            at = self._all.find(line, self._starts[index + 1])

    def _said_in(self, line: str) -> Iterator[int]:
        """The memories whose statement the line contains."""
        for at in range(len(line)):
            for key in {line[at : at + size] for size in _KEYS}:
                for index in self._by_beginning.get(key, ()):
                    if line.startswith(self._memories[index].statement, at):
                        yield index
