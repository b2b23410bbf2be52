"""Similarity of meaning from a program that the person names (`spec/bank.md` §10.4).

The program is a child process without a shell: `{"texts": […]}` on its stdin, `{"vectors": [[…], …]}` of equal length
on its stdout. Whatever goes wrong leaves the ranking as it is without it, and one sentence.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shlex
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.context.provider.answer import parse
from pipeline.context.provider.process import Run, run
from store.index.embedded import Vectors
from store.index.tokens import joined
from store.memory import Memory

STDOUT_CAP = 1_048_576
"""Bytes of an answer (`spec/bank.md` §10.4)."""
TIMEOUT_MS = 3_000
FIRST_CHUNK, MOST_CHUNK = 16, 1_024
"""Texts of the first run, before anything is known of the program, and of any run (bank-D27)."""
PATIENCE_MS = 30_000
"""After which no further run is started: what was embedded is kept, and the next recall goes on from there."""
_DECIMALS = 9
"""A cosine is a quotient of roots: rounding here makes equal ones equal."""


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the program's vectors say of a query: cosines above 0 by id.

    `fresh` are vectors that were not known, by the key under which they may be kept; `notes` are sentences to show.
    """

    similarity: Mapping[str, float] = field(default_factory=dict)
    fresh: Vectors = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __call__(self, query: str, among: Sequence[Memory], top: int, least: float) -> Sequence[tuple[str, float]]:
        """The channel of meaning that the memora ranker asks (`memora.Similarity`), for the query compared with."""
        pairs = ((memory.id, self.similarity.get(memory.id, 0.0)) for memory in among)
        found = sorted((pair for pair in pairs if pair[1] >= least), key=lambda pair: -pair[1])
        return found[:top]


class _NoVectors(Exception):
    """The program gave no vectors; the words say why."""


@dataclass(frozen=True, slots=True)
class Program:
    """An embedding program: the command as it was written, split without a shell, and the milliseconds of one run."""

    command: str
    timeout_ms: int = TIMEOUT_MS
    cancel: threading.Event | None = None

    def key(self, text: str) -> str:
        """Under which the vector of a text is kept: the SHA-256 of command, NUL and text."""
        return hashlib.sha256(f"{self.command}\0{text}".encode("utf-8", "replace")).hexdigest()


def compare(query: str, memories: Sequence[Memory], program: Program, known: Vectors | None = None) -> Meaning:
    """How near in meaning each memory is to the query; blocking, for a worker thread.

    `known` are vectors that were kept. The query itself is asked for each time and never kept. Never raises for
    anything that the program does.
    """
    if not query.strip():
        return Meaning()
    keys = {memory.id: program.key(text_of(memory)) for memory in memories}
    missing = {keys[memory.id]: text_of(memory) for memory in memories if keys[memory.id] not in (known or {})}
    fresh: dict[str, Sequence[float]] = {}
    try:
        asked = _embed(query.lower(), missing, program, fresh)
    except _NoVectors as error:
        return Meaning(fresh=fresh, notes=(f"{error}; meaning was left out.",))
    vectors = {**(known or {}), **fresh}
    similarity = cosines(asked, {id: vectors[key] for id, key in keys.items() if key in vectors})
    left = len(missing) - len(fresh)
    notes = (f"The embedding command has not embedded {left:,} memories yet; recall again to go on.",) if left else ()
    return Meaning(similarity, fresh, notes)


def text_of(memory: Memory) -> str:
    """The text of a memory that is embedded: subject, statement and tags (`spec/bank.md` §10.4)."""
    return joined(memory.subject, memory.statement, memory.tags)


def _embed(
    query: str, missing: Mapping[str, str], program: Program, fresh: dict[str, Sequence[float]]
) -> Sequence[float]:
    """The vector of the query; those of the missing texts go into `fresh`, chunk by chunk, while there is time."""
    began = time.monotonic()
    asked: Sequence[float] = ()
    pending, size = list(missing), FIRST_CHUNK
    while True:
        front = [] if asked else [query]
        chunk = pending[: size - len(front)]
        started = time.monotonic()
        vectors, length = _ask([*front, *(missing[key] for key in chunk)], program)
        asked = asked or vectors[0]
        fresh.update(zip(chunk, vectors[len(front) :], strict=True))
        pending = pending[len(chunk) :]
        now = time.monotonic()
        if not pending or (now - began) * 1000 >= PATIENCE_MS:
            return asked
        size = _next(len(vectors), length, (now - started) * 1000, program.timeout_ms)


def _next(texts: int, length: int, spent_ms: float, timeout_ms: int) -> int:
    """How many texts the next run gets: so many that half of the bytes and of the time should do (bank-D27)."""
    by_length = STDOUT_CAP / 2 / max(length / texts, 1)
    by_time = timeout_ms / 2 / max(spent_ms / texts, 0.001)
    return max(FIRST_CHUNK, min(MOST_CHUNK, int(by_length), int(by_time)))


def _ask(texts: Sequence[str], program: Program) -> tuple[list[list[float]], int]:
    """A vector for each text, and the bytes of the answer. Raises `_NoVectors`."""
    stdin = json.dumps({"texts": texts}, ensure_ascii=False).encode("utf-8", "replace")
    went = run(
        _words(program.command),
        Path.cwd(),
        os.environ,
        stdin=stdin,
        timeout_ms=program.timeout_ms,
        cancel=program.cancel,
        cap=STDOUT_CAP,
    )
    if fault := _fault(went, program.timeout_ms):
        raise _NoVectors(fault)
    vectors = _vectors(went.stdout)
    if vectors is None or len(vectors) != len(texts):
        raise _NoVectors("The embedding command's answer is no vector for each text")
    return vectors, len(went.stdout)


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError:
        raise _NoVectors("The embedding command has a quote that is never closed") from None
    if not words or not words[0]:
        raise _NoVectors("The embedding command is empty")
    return words


def _fault(went: Run, timeout_ms: int) -> str:
    """What went wrong with a run, the beginning of a sentence; "" for nothing."""
    match went.end:
        case "not_started":
            return f"The embedding command could not be started ({went.reason})"
        case "timeout":
            return f"The embedding command took more than {timeout_ms:,} ms"
        case "too_much":
            return f"The embedding command's answer is longer than {STDOUT_CAP:,} bytes"
        case "cancelled":
            return "The embedding command was stopped"
    if went.code < 0:
        return f"The embedding command was ended by signal {-went.code}"
    return f"The embedding command ended with exit code {went.code}" if went.code else ""


def _vectors(stdout: bytes) -> list[list[float]] | None:
    """The vectors of an answer; None when it is none."""
    try:
        said = parse(stdout.decode("utf-8", "replace"))
        vectors = said.get("vectors") if isinstance(said, dict) else None
        read = [[_number(one) for one in vector] for vector in vectors] if isinstance(vectors, list) else None
    except (ValueError, TypeError, OverflowError, RecursionError):
        return None
    return read


def _number(value: object) -> float:
    """A finite number. Raises `ValueError` for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(value)
    return float(value)


def cosines(query: Sequence[float], vectors: Vectors) -> dict[str, float]:
    """The cosines above 0 by id; 0 for a vector of another length and for one of zeros (`spec/bank.md` §10.4)."""
    import numpy as np

    alike = {id: vector for id, vector in vectors.items() if len(vector) == len(query)}
    if not alike or not any(query):
        return {}
    asked = np.array(query) / np.abs(query).max()  # so that squares neither overflow nor vanish
    table = np.array(list(alike.values()), dtype=float)
    most = np.abs(table).max(axis=1, keepdims=True)
    table /= np.where(most > 0, most, 1)
    lengths = np.linalg.norm(table, axis=1) * np.linalg.norm(asked)
    found = (table @ asked) / np.where(lengths > 0, lengths, 1)
    rounded = ((id, round(float(one), _DECIMALS)) for id, one in zip(alike, found, strict=True))
    return {id: min(cosine, 1.0) for id, cosine in rounded if cosine > 0}
