"""Answers of an embedding model in the OpenAI protocol, for the scripted server."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from tests.pipeline.model_server import Answer, Handler


def vector(text: str, dim: int = 4) -> list[float]:
    """What the model says of a text: the same for the same text, of no particular length."""
    digest = hashlib.sha256(text.encode()).digest()
    return [(digest[at] - 128) / 16 for at in range(dim)]


def embeds(dim: int = 4, *, backwards: bool = False) -> Answer:
    """Answer with the vectors of the texts asked for."""

    def answer(handler: Handler) -> None:
        asked: Sequence[str] = handler.script.requests[-1]["input"]
        rows = [{"object": "embedding", "index": at, "embedding": vector(text, dim)} for at, text in enumerate(asked)]
        usage = {"prompt_tokens": len(asked), "total_tokens": len(asked)}
        data = rows[::-1] if backwards else rows
        handler.send(200, {"object": "list", "data": data, "model": "scripted", "usage": usage})

    return answer
