"""The plain filter that ranked recall is measured against: words anywhere in case-folded text, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from store.memory import Memory
from store.view import View


@dataclass(frozen=True, slots=True)
class Texts:
    """The live memories of a view, and the text of each, folded once."""

    memories: tuple[Memory, ...]
    texts: tuple[str, ...]

    @classmethod
    def of(cls, view: View) -> Texts:
        """Those of a view."""
        return cls(view.live, tuple(map(fold, view.live)))


@dataclass(frozen=True, slots=True)
class Selection:
    """The memories that hold all the `words`: their places, ascending."""

    words: tuple[str, ...]
    indices: Sequence[int]


def fold(memory: Memory) -> str:
    """Subject, statement, body, tags, owner and name, case-folded."""
    body = "" if memory.body == memory.statement else memory.body
    names = " ".join(dict.fromkeys((memory.name, memory.first_name)))
    parts = (memory.subject, memory.statement, body, " ".join(memory.tags), memory.owner, names)
    return "\n".join(part for part in parts if part).casefold()


def select(texts: Texts, typed: str, previous: Selection | None = None) -> Selection:
    """What holds all the words typed; while they only grow, no more than the last answer is looked through."""
    words = tuple(dict.fromkeys(typed.casefold().split()))
    grew = previous is not None and all(any(word in longer for longer in words) for word in previous.words)
    found: Sequence[int] = previous.indices if previous is not None and grew else range(len(texts.memories))
    for word in sorted(words, key=len, reverse=True):  # the longest is the rarest
        found = [index for index in found if word in texts.texts[index]]
    return Selection(words, found)
