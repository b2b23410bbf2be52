"""Rebuild the search index of a bank, or of banks read together, in a process of its own.

`python -m pipeline.recall.rebuild BANK... [--vectors]` opens them for reading, leaves the index in the user's cache
folder and tells its progress as JSON lines: `{"stage", "done", "of"}`, at last `{"stage": "done"}`, `"busy"` when
another one is at it, or `"failed"` with a `message`. It may be killed at any moment: what lies there stays usable.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.recall.encoding.chosen import encoder_of
from pipeline.recall.encoding.encoders import Encoder, entry_text
from store.bank import Bank
from store.config import load_config
from store.errors import MemdeskError, StorageFailure
from store.index.search.building import build
from store.index.search.files import load, save
from store.index.search.following import docs_of
from store.index.search.quotes import quotes_of
from store.index.search.searching import file_of
from store.index.search.segment import Segment
from store.index.search.turn import turn
from store.index.search.vectors import Gathering, load_vectors, save_vectors, vectors_file
from store.joined import joined
from store.layered import Layered
from store.memory import Memory
from store.view import View

NICE = 10
BATCH = 64
SAVE_SECONDS = 30.0
"""How much encoding a kill may cost."""
TELL_SECONDS = 0.5

Emit = Callable[..., None]
"""Called with a stage and numbers or words about it."""


def rebuild(roots: Sequence[Path], emit: Emit, encoder: Encoder | None = None) -> bool:
    """Bring index and vectors of the banks to their present state; False when another process is at it.

    Raises `MemdeskError` with a sentence; what was done until then is kept.
    """
    file = file_of(roots)
    with turn(file) as ours:
        if not ours:
            return False
        emit("reading")
        view = _view(roots)
        segment = _segment(file, view, emit)
        if encoder is not None:
            bring_vectors(file, segment, view.memories, encoder, emit)
    return True


def _view(roots: Sequence[Path]) -> View:
    views = [Bank.open(root, read_only=True).view() for root in roots]
    return views[0] if len(views) == 1 else joined(*views)


def _segment(file: Path, view: View, emit: Emit) -> Segment:
    """The segment of a view: the one that is there when nothing changed, else a new one."""
    docs = docs_of(view.memories.values(), quotes_of(view))
    emit("words", done=0, of=len(docs))
    there = load(file)
    if there is not None and dict(zip(there.keys, there.marks, strict=True)) == {doc.key: doc.mark for doc in docs}:
        return there
    segment = build(docs)
    if not save(segment, file):
        raise StorageFailure(f"The search index could not be written to {file.parent}; check the folder and the disk.")
    return segment


def bring_vectors(file: Path, segment: Segment, memories: Layered[str, Memory], encoder: Encoder, emit: Emit) -> None:
    """Encode what has no vector of this model yet, the newest first, and keep all of them beside the index."""
    there = vectors_file(file, encoder.id)
    gathering = Gathering(encoder.id, (segment.keys, segment.marks), load_vectors(there, encoder.id))
    missing = gathering.missing
    missing = missing[np.argsort(-segment.days[missing], kind="stable")]
    if not len(missing):
        return
    saved = time.monotonic()
    try:
        for at in range(0, len(missing), BATCH):
            emit("vectors", done=at, of=len(missing))
            places = missing[at : at + BATCH].tolist()
            texts = [entry_text(memories[segment.keys[place]]) for place in places]
            gathering.take(places, encoder.encode(texts, "entry"))
            if time.monotonic() - saved > SAVE_SECONDS:
                _keep(gathering, there)
                saved = time.monotonic()
    finally:
        _keep(gathering, there)


def _keep(gathering: Gathering, file: Path) -> None:
    if not save_vectors(gathering.vectors(), file):
        raise StorageFailure(f"The vectors could not be written to {file.parent}; check the folder and the disk.")


def main(arguments: Sequence[str] | None = None) -> int:
    """Rebuild as the command line says; 0 when done or left to another, 1 for a failure."""
    asked = _asked(arguments)
    with suppress(OSError, AttributeError):  # Windows has no such priority
        os.nice(NICE)
    if asked.attached:
        threading.Thread(target=_end_with_parent, daemon=True).start()
    emit = _emitting()
    try:
        chosen = encoder_of(load_config()) if asked.vectors else None
        done = rebuild(asked.banks, emit, chosen.encoder if chosen else None)
        notice = {"notice": chosen.notice} if chosen and chosen.notice else {}
        emit("done" if done else "busy", **notice)
    except MemdeskError as problem:
        emit("failed", message=str(problem))
        return 1
    except BrokenPipeError:
        return 1
    return 0


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m pipeline.recall.rebuild", description=__doc__.splitlines()[0])
    parser.add_argument("banks", nargs="+", type=Path, metavar="BANK", help="a bank's folder; two are read together")
    parser.add_argument("--vectors", action="store_true", help="also encode what has no vector of meaning yet")
    parser.add_argument("--attached", action="store_true", help="end when standard input does")
    return parser.parse_args(arguments)


def _end_with_parent() -> None:
    """Wait for whoever started this process to end, however it ends, and end at once."""
    while os.read(0, 1024):
        pass
    os._exit(0)


def _emitting() -> Emit:
    """Tells each stage at once, and the steps of one every half a second."""
    told: dict[str, float] = {}

    def emit(stage: str, **more: Any) -> None:
        now = time.monotonic()
        if stage in told and now - told[stage] < TELL_SECONDS:
            return
        told[stage] = now
        sys.stdout.write(json.dumps({"stage": stage, **more}) + "\n")
        sys.stdout.flush()

    return emit


if __name__ == "__main__":
    sys.exit(main())
