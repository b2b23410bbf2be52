"""What turns texts into vectors of meaning: the interface that every encoder has, and what they share.

Recall is whole without it: an encoder that is absent or fails is one sentence, and words go on finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from store.errors import MemdeskError
from store.memory import Memory

Kind = Literal["query", "entry"]
Floats = NDArray[np.float32]

MOST_CHARACTERS = 2_000
"""Of one text: what an entry is about stands in its beginning."""


class EncoderProblem(MemdeskError):
    """Why there are no vectors now, as one sentence for a person."""


class Encoder(Protocol):
    """Turns texts into unit vectors; threads may share it.

    Vectors of encoders with different ids never mix.
    """

    @property
    def id(self) -> str:
        """The name of the model and of all that its vectors depend on."""

    @property
    def dim(self) -> int:
        """Numbers of one vector; 0 while that is not known."""

    def encode(self, texts: Sequence[str], kind: Kind) -> Floats:
        """Unit rows [n, dim] of the texts; raises `EncoderProblem`."""

    def close(self) -> None:
        """Let go of what it holds; a later call takes it again."""


def entry_text(memory: Memory) -> str:
    """The text of a memory that its vector stands for."""
    body = "" if memory.body.strip() == memory.statement.strip() else memory.body
    return "\n".join(part for part in (memory.subject, memory.statement, body) if part)


def cut(texts: Iterable[str]) -> list[str]:
    """The texts as an encoder takes them: not too long, and with nothing that UTF-8 cannot say."""
    return [sayable(text[:MOST_CHARACTERS]) for text in texts]


def sayable(text: str) -> str:
    """The text with a question mark for each lone surrogate."""
    return text.encode("utf-8", "replace").decode()


def unit(vectors: Floats) -> Floats:
    """Rows [n, dim] of length one; a row of zeros stays one."""
    length = np.linalg.norm(vectors, axis=1, keepdims=True)
    return (vectors / np.where(length > 0, length, 1)).astype(np.float32)
