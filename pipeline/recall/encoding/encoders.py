"""What turns texts into vectors of meaning: one interface, the bundled encoder and any embedding model behind it.

Recall is whole without it: an encoder that is absent or fails is one sentence, and words go on finding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from store.errors import MemdeskError
from store.memory import Memory

if TYPE_CHECKING:
    from store.config import Config

Kind = Literal["query", "entry"]
Floats = NDArray[np.float32]

MOST_CHARACTERS = 2_000
"""Of one text: what an entry is about stands in its beginning."""
OFF, BUNDLED = "off", "bundled"


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


@dataclass(frozen=True, slots=True)
class Chosen:
    """The encoder of the person's settings; None when there is none, then `notice` says why unless they want none."""

    encoder: Encoder | None
    notice: str = ""


def encoder_of(config: Config) -> Chosen:
    """The encoder that the setting `meaning` names. Quick: nothing is loaded, started or asked before it is used."""
    named = str(config.get("meaning"))
    if named == OFF:
        return Chosen(None)
    if named in {"", BUNDLED}:
        from pipeline.recall.encoding.bundled import Bundled, missing

        why = missing()
        return Chosen(None, why if named else "") if why else Chosen(Bundled())
    from pipeline.recall.encoding.asked_model import AskedModel, EmbeddingSettings

    return Chosen(
        AskedModel(
            EmbeddingSettings(
                named,
                str(config.get("meaning_api_base")) or None,
                float(config.get("model_timeout")),
                str(config.get("meaning_query_prefix")),
                str(config.get("meaning_entry_prefix")),
            )
        )
    )


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
