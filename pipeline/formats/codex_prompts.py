"""The prompts of a Codex rollout, each of which is written down twice (`spec/formats.md` §3.1, rule 3).

The `response_item` is what the model was given, with whatever was wrapped around the prompt; the `event_msg` is what
the person entered. They are counted once, at the place of the `response_item` and with the words of the event.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from pipeline.formats.envelopes import DOUBTFUL
from pipeline.formats.session import Author, Turn
from pipeline.formats.turns import ABANDONED, TurnLog

REPEATED = "prompt repeated after an abort"
AROUND = "written around a prompt"
WAITING = 16
"""Prompts that may still wait for their event; more are never open at once."""


@dataclass(slots=True)
class _Message:
    """A message of role user: its turns among those of the session, what is typed in it, and all its text."""

    begin: int
    end: int
    typed: str
    text: str


@dataclass(slots=True)
class Prompts:
    """Keeps the prompts of one session in its `turns` apart from their repetitions."""

    turns: TurnLog
    _waiting: list[_Message] = field(default_factory=list)
    _current: list[_Message] = field(default_factory=list)
    """Messages since the model last said something: only among these is a wrapped prompt looked for."""
    _events: list[str] = field(default_factory=list)
    _live: list[int] = field(default_factory=list)
    """Where the prompts begin that were not rolled back."""
    _aborted: bool = False
    _first: str = ""
    _latest: str = ""

    def message(self, said: list[Turn], text: str) -> None:
        """Takes in a message of role user that was split by author; `text` is all that it held."""
        begin, typed = len(self.turns), squeezed(*(turn.text for turn in said if turn.author is Author.TYPED))
        if typed in self._events:
            self._events.remove(typed)
            self._add(turn for turn in said if turn.author is not Author.TYPED)
            return
        self._add(said)
        message = _Message(begin, len(self.turns), typed, squeezed(text))
        self._current.append(message)
        if typed:
            self._waiting = [*self._waiting[1 - WAITING :], message]
            self._begins(begin, typed)

    def event(self, said: list[Turn]) -> None:
        """Takes in what a person entered, as an event tells it: the words of a message seen before, or new ones."""
        words = next((turn for turn in said if turn.author is Author.TYPED), None)
        if words is None:
            return
        typed = squeezed(words.text)
        message = next((item for item in self._waiting if item.typed == typed), None) or self._wrapped(typed)
        if message is None:
            begin = len(self.turns)
            self._add(said)
            self._events.append(typed)
            self._begins(begin, typed)
            return
        self._put(message, words)
        self._waiting = [item for item in self._waiting if item is not message]
        self._current = [item for item in self._current if item is not message]

    def answered(self) -> None:
        """The model, or a tool, has had its say: what comes now belongs to another prompt."""
        self._current.clear()
        self._events.clear()

    def aborted(self) -> None:
        """A turn was aborted: the next prompt may repeat the first one, or the one that was cut off, word for word."""
        self._aborted = True

    def rolled_back(self, count: int) -> None:
        """The last `count` prompts and what followed them were taken back; they are kept, as abandoned."""
        if count > 0 and self._live:
            begin = self._live[max(0, len(self._live) - count)]
            for place in range(begin, len(self.turns)):
                self.turns.mark(place, ABANDONED)
            self._live = [place for place in self._live if place < begin]

    def _begins(self, place: int, typed: str) -> None:
        self._live.append(place)
        if self._aborted and typed in {self._first, self._latest}:
            for at in range(place, len(self.turns)):
                if self.turns[at].author is Author.TYPED:
                    self._becomes(at, Author.INJECTED, REPEATED)
        self._aborted = False
        self._first = self._first or typed
        self._latest = typed

    def _wrapped(self, typed: str) -> _Message | None:
        """The latest message that holds the words in something unknown, or lost a part of them as an envelope."""
        return next((item for item in reversed(self._current) if self._holds(item, typed)), None)

    def _holds(self, message: _Message, typed: str) -> bool:
        if message.typed:
            return typed in message.text or message.typed in typed
        return typed in message.text and any(_doubtful(self.turns[at]) for at in range(message.begin, message.end))

    def _put(self, message: _Message, words: Turn) -> None:
        """Gives a message the words of its event; what else was typed in the message only stood around them."""
        places = range(message.begin, message.end)
        held = [at for at in places if self.turns[at].author is Author.TYPED]
        if message.typed == squeezed(words.text) and len(held) != 1:
            return
        for at in held[1:]:
            self._becomes(at, Author.INJECTED, AROUND)
        first = held[0] if held else next((at for at in places if _doubtful(self.turns[at])), None)
        if first is not None:
            self._becomes(first, Author.TYPED, "", words.text)

    def _add(self, turns: Iterable[Turn]) -> None:
        for turn in turns:
            self.turns.append(turn)

    def _becomes(self, place: int, author: Author, reason: str, text: str | None = None) -> None:
        before = self.turns[place]
        after = replace(before, author=author, reason=reason, text=before.text if text is None else text)
        if after != before:
            self.turns.put(place, after)


def squeezed(*texts: str) -> str:
    """Texts without any white space, for comparing what is only set differently."""
    return "".join("".join(texts).split())


def _doubtful(turn: Turn) -> bool:
    return turn.author is Author.INJECTED and turn.reason.startswith(DOUBTFUL)
