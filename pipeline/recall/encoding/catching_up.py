"""Vectors for the few entries that came since the last rebuild, made in this process; many are left to a rebuild."""

from __future__ import annotations

from pipeline.recall.encoding.encoders import Encoder, entry_text
from store.index.search.following import Followed
from store.index.search.meant import Meant

A_FEW = 64
"""Entries that are encoded here, about a sixth of a second; more are worth a process of their own."""


def catch_up(meant: Meant, followed: Followed, encoder: Encoder, most: int = A_FEW) -> int:
    """Encode entries that have no vector, those that came last first; how many. Call it off the screen's thread.

    Raises `EncoderProblem` when the model fails, `BadInput` when it now gives vectors of another dimension.
    """
    missing = meant.missing(followed, most)
    if missing:
        texts = [entry_text(followed.memories[key]) for key, _ in missing]
        meant.add(missing, encoder.encode(texts, "entry"))
    return len(missing)
