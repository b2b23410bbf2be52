"""Vectors that a program gave for texts, kept in the user's cache folder (`spec/bank.md` §10.4, `decisions.md` §3.2).

Each stands under a hash of what was asked, never under the text. Whoever deletes the file loses time only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import orjson

from store.config import replace_file
from store.places import cache_file

NAME = "embedded.json"
VERSION = 1
MOST_KEPT = 20_000
"""Vectors that are kept; the oldest go first."""

Vectors = Mapping[str, Sequence[float]]
"""A vector for each hash."""


def embedded_file(root: Path, cache_dir: Path | None = None) -> Path:
    """Where the vectors of a bank's texts are kept."""
    return cache_file(root, cache_dir).with_name(NAME)


def kept_vectors(path: Path) -> dict[str, list[float]]:
    """What was kept; empty when there is nothing, or nothing that can be trusted."""
    try:
        kept = orjson.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    vectors = kept.get("vectors") if isinstance(kept, dict) and kept.get("version") == VERSION else None
    return {key: value for key, value in vectors.items() if _is_vector(value)} if isinstance(vectors, dict) else {}


def _is_vector(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, int | float) for one in value)


def keep_vectors(path: Path, known: Vectors, fresh: Vectors) -> None:
    """Keep fresh vectors beside those known, for their owner alone; raises `StorageFailure` when the folder refuses."""
    if fresh:
        every = list({**known, **fresh}.items())[-MOST_KEPT:]
        replace_file(path, orjson.dumps({"version": VERSION, "vectors": dict(every)}))
