"""A conversation while its messages go by, for readers that tell nothing apart but who said what."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from pipeline.formats.copies import Seen, is_repeated
from pipeline.formats.session import Turn
from pipeline.formats.source import Frame, Words, bounded
from pipeline.formats.turns import TurnLog


@dataclass(slots=True)
class Conversation:
    """What is gathered of one conversation."""

    frame: Frame
    id: str
    turns: TurnLog = field(default_factory=TurnLog)
    seen: Seen = field(default_factory=Seen)

    def say(self, said: list[Words], identity: str, *, seq: int, place: str, offset: int, time: Any) -> None:
        """Keeps what a message says, unless its identity tells that it repeats an earlier one."""
        if is_repeated(self.seen, self.frame, identity, said, line=seq, offset=offset):
            return
        at, doubtful = self.frame.time(time)
        for words in said:
            self.turns.append(Turn(seq, identity or place, words.author, bounded(words), at, doubtful, words.reason))
