"""Vectors from an embedding model that the person named, by litellm in the child process (`design/recall.md` §6).

Nothing is sent anywhere unless such a model is named, and no secret then either: texts are masked first.
"""

from __future__ import annotations

import base64
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pipeline.recall.encoding.encoders import MOST_CHARACTERS, EncoderProblem, Floats, Kind, sayable, unit
from pipeline.recall.encoding.reached import unreached
from pipeline.reply import ModelProblem, never
from pipeline.worker import Worker
from store.secret import mask_beginning

BATCH = 64
"""Texts of one call."""
PAUSES = (1.0, 4.0, 16.0)
"""Seconds between the tries of a call for memories; one for a question is not tried again."""
QUERY_SECONDS = 10.0
"""The most that a question waits for its vector."""
KEPT_QUERIES = 256
OTHER = "{model} gives {given} numbers a text and gave {known} before; it was replaced under its name, start again."


@dataclass(frozen=True, slots=True)
class EmbeddingSettings:
    """An embedding model as litellm names it, its server (None: the provider's own), seconds of one call, and what
    the model wants before questions and memories.
    """

    model: str
    api_base: str | None = None
    timeout: float = 60.0
    query_prefix: str = ""
    entry_prefix: str = ""


class AskedModel:
    """An embedding model of any provider; threads may share it. `dim` is 0 before its first answer."""

    def __init__(self, settings: EmbeddingSettings, pauses: Sequence[float] = PAUSES) -> None:
        self.id = _id(settings)
        self.dim = 0
        self._settings = settings
        self._pauses = tuple(pauses)
        self._worker = Worker()
        self._lock = threading.Lock()
        self._queries: OrderedDict[str, Floats] = OrderedDict()

    def encode(self, texts: Sequence[str], kind: Kind) -> Floats:
        """Unit rows [n, dim] of the texts; raises `EncoderProblem`. A question asked before costs nothing."""
        asked = [_led(self._prefix(kind), sayable(mask_beginning(text, MOST_CHARACTERS))) for text in texts]
        return self._queries_of(asked) if kind == "query" else self._batches(asked, kind)

    def close(self) -> None:
        """End the child process, if one was started."""
        self._worker.close()

    def _none(self) -> Floats:
        return np.zeros((0, self.dim), np.float32)

    def _prefix(self, kind: Kind) -> str:
        return self._settings.query_prefix if kind == "query" else self._settings.entry_prefix

    def _queries_of(self, texts: Sequence[str]) -> Floats:
        with self._lock:
            known = {text: self._queries[text] for text in texts if text in self._queries}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known |= dict(zip(new, self._batches(new, "query"), strict=True))
        with self._lock:
            for text in dict.fromkeys(texts):
                self._queries[text] = known[text]
                self._queries.move_to_end(text)
            while len(self._queries) > KEPT_QUERIES:
                self._queries.popitem(last=False)
        return np.array([known[text] for text in texts], np.float32).reshape(len(texts), self.dim)

    def _batches(self, texts: Sequence[str], kind: Kind) -> Floats:
        batches = [self._ask(texts[at : at + BATCH], kind) for at in range(0, len(texts), BATCH)]
        return np.concatenate(batches) if batches else self._none()

    def _ask(self, texts: Sequence[str], kind: Kind) -> Floats:
        chosen = self._settings
        if kind == "query" and (why := unreached(chosen.model, chosen.api_base)):
            raise EncoderProblem(why)
        request = {
            "model": chosen.model,
            "api_base": chosen.api_base,
            "input": [text or " " for text in texts],  # servers refuse an empty text
            "timeout": min(chosen.timeout, QUERY_SECONDS) if kind == "query" else chosen.timeout,
            "pauses": () if kind == "query" else self._pauses,
        }
        answer = self._worker.call(request, never)
        if isinstance(answer, ModelProblem):
            raise EncoderProblem(answer.message)
        found = np.frombuffer(base64.b64decode(answer.text), "<f4").reshape(len(texts), -1)
        with self._lock:
            self.dim = self.dim or found.shape[1]
            if self.dim != found.shape[1]:
                raise EncoderProblem(OTHER.format(model=chosen.model, given=found.shape[1], known=self.dim))
        return unit(found)


def _id(settings: EmbeddingSettings) -> str:
    """All that the vectors of memories depend on."""
    parts = (settings.model, settings.api_base and f"at {settings.api_base}", settings.entry_prefix)
    return "litellm:" + " ".join(part for part in parts if part)


def _led(prefix: str, text: str) -> str:
    return prefix + ("" if not prefix or prefix[-1].isspace() else " ") + text
