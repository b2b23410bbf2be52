"""Vectors of entries: 1-bit codes to scan whole, int8 rows to measure with (`design/recall.md` §7).

They belong to one model, and each to an entry's key and mark: what changed has none until it is encoded again. The
file lies beside the index, one for each model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from store.errors import BadInput
from store.index.search.container import map_arrays
from store.index.search.files import put_arrays
from store.index.search.strings import Strings

FORMAT = 1
KIND = f"vectors {FORMAT}"
NAME = "vectors-"
KEPT_MODELS = 2
"""Files of models that stay beside each other, so that trying another one costs no second encoding."""
_LEVELS = 127
_BLOCK = 8192

Floats = NDArray[np.float32]
Small = NDArray[np.int8]
Codes = NDArray[np.uint64]
Entries = tuple[Strings, Strings]
"""Keys and marks [n] of entries."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """One vector for each of some entries.

    `model` is the hash of the encoder's id. Entry i is `keys[i]` as it was under `marks[i]`; its unit vector is
    about `rows[i] * scales[i]` ([n, dim] and [n]). `codes` [words, n] has one bit a dimension, set above `mean` [dim].
    """

    model: str
    keys: Strings
    marks: Strings
    rows: Small
    scales: Floats
    codes: Codes
    mean: Floats

    def __len__(self) -> int:
        return len(self.scales)

    @property
    def dim(self) -> int:
        """Numbers of one vector."""
        return len(self.mean)


def model_hash(model: str) -> str:
    """What stands for an encoder's id in files: the id may name a server that is nobody's business."""
    return hashlib.sha256(model.encode("utf-8", "surrogatepass")).hexdigest()


def vectors_file(index: Path, model: str) -> Path:
    """The file of a model's vectors beside a bank's index; it need not be there."""
    return index.with_name(f"{NAME}{model_hash(model)[:16]}")


def quantised(vectors: Floats) -> tuple[Small, Floats]:
    """Unit vectors [n, dim] as int8 rows and the scale of each row [n]."""
    top = np.abs(vectors).max(axis=1, initial=0.0)
    scales = np.where(top > 0, top / _LEVELS, 1.0).astype(np.float32)
    return np.rint(vectors / scales[:, None]).astype(np.int8), scales


def packed(vectors: Floats, mean: Floats) -> Codes:
    """The codes [words, n] of vectors [n, dim]."""
    bits = np.packbits(vectors > mean, axis=1)
    whole = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), np.uint8)
    whole[:, : bits.shape[1]] = bits
    return np.ascontiguousarray(whole.view(np.uint64).T)


def distances(codes: Codes, code: Codes) -> NDArray[np.uint16]:
    """In how many bits each of the codes [words, n] differs from one code [words]."""
    found = np.zeros(codes.shape[1], np.uint16)
    for word, own in zip(codes, code, strict=True):
        found += np.bitwise_count(word ^ own)
    return found


def vectors_of(model: str, entries: Entries, rows: Small, scales: Floats) -> Vectors:
    """The vectors of entries; the same rows give the same codes, however they came together."""
    total = np.zeros(rows.shape[1], np.float64)
    for at in range(0, len(rows), _BLOCK):
        total += (rows[at : at + _BLOCK] * scales[at : at + _BLOCK, None]).sum(axis=0, dtype=np.float64)
    mean = (total / max(len(rows), 1)).astype(np.float32)
    parts = [
        packed(rows[at : at + _BLOCK] * scales[at : at + _BLOCK, None], mean) for at in range(0, len(rows), _BLOCK)
    ]
    codes = np.concatenate(parts, axis=1) if parts else packed(np.zeros((0, rows.shape[1]), np.float32), mean)
    return Vectors(model_hash(model), *entries, rows, scales, codes, mean)


def places(vectors: Vectors | None, entries: Entries) -> NDArray[np.int64]:
    """Where the vector of each entry stands, -1 for one that has none under this mark."""
    keys, marks = entries
    if vectors is None:
        return np.full(len(keys), -1)
    if _same(vectors.keys, keys) and _same(vectors.marks, marks):
        return np.arange(len(keys))
    known = {pair: at for at, pair in enumerate(zip(vectors.keys, vectors.marks, strict=True))}
    return np.array([known.get(pair, -1) for pair in zip(keys, marks, strict=True)], np.int64)


def _same(one: Strings, other: Strings) -> bool:
    return np.array_equal(one.ends, other.ends) and np.array_equal(one.block, other.block)


class Gathering:
    """The vectors of entries while they come together: first those already known, then batch by batch.

    `missing` are the places of entries that are still to be encoded.
    """

    def __init__(self, model: str, entries: Entries, known: Vectors | None = None) -> None:
        self._model, self._entries = model, entries
        self._dim = 0 if known is None else known.dim
        self._rows = np.zeros((len(entries[0]), self._dim), np.int8)
        self._scales = np.ones(len(entries[0]), np.float32)
        at = places(known, entries)
        self._there = at >= 0
        if known is not None:
            self._rows[self._there] = known.rows[at[self._there]]
            self._scales[self._there] = known.scales[at[self._there]]

    @property
    def missing(self) -> NDArray[np.int64]:
        """The places of entries without a vector."""
        return np.flatnonzero(~self._there)

    def take(self, at: Sequence[int], vectors: Floats) -> None:
        """Take in unit vectors [n, dim] of the entries at these places.

        Raises `BadInput` for vectors of another dimension than those known.
        """
        if not self._dim:
            self._dim = vectors.shape[1]
            self._rows = np.zeros((len(self._rows), self._dim), np.int8)
        same_dimension(self._dim, vectors.shape[1])
        places_ = list(at)
        self._rows[places_], self._scales[places_] = quantised(vectors)
        self._there[places_] = True

    def vectors(self) -> Vectors:
        """The vectors of the entries that have one by now."""
        there = self._there
        if there.all():
            return vectors_of(self._model, self._entries, self._rows, self._scales)
        keys, marks = (Strings.of(text for text, has in zip(part, there, strict=True) if has) for part in self._entries)
        return vectors_of(self._model, (keys, marks), self._rows[there], self._scales[there])


def same_dimension(known: int, given: int) -> None:
    """Raise `BadInput` when a model now gives vectors of another dimension than those kept."""
    if known != given:
        raise BadInput(
            f"The model of meaning gives {given} numbers a text where the kept vectors have {known}: it was replaced "
            "under its name; delete the files named vectors-… in the cache folder and they are made anew."
        )


def save_vectors(vectors: Vectors, path: Path) -> bool:
    """Put vectors at `path` in one step; False when another program is at it, or the folder refuses.

    The files of models not used for longest go.
    """
    arrays = {name: getattr(vectors, name) for name in ("keys", "marks", "rows", "scales", "codes", "mean")}
    if not put_arrays(path, KIND, arrays, {"model": vectors.model}):
        return False
    _drop_old(path)
    return True


def _drop_old(path: Path) -> None:
    with suppress(OSError):
        every = [file for file in path.parent.glob(f"{NAME}*") if not file.suffix]
        others = sorted((file for file in every if file != path), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in others[KEPT_MODELS - 1 :]:
            file.unlink()
            for more in file.parent.glob(f"{file.name}.*"):
                more.unlink()


def load_vectors(path: Path, model: str) -> Vectors | None:
    """The vectors of a model at `path`, mapped; None when there are none, they are damaged, or another model's."""
    found = map_arrays(path, KIND)
    if found is None or found[1].get("model") != model_hash(model):
        return None
    arrays = found[0]
    keys, marks = arrays["keys"], arrays["marks"]
    rows, scales, codes, mean = (arrays[name] for name in ("rows", "scales", "codes", "mean"))
    assert isinstance(keys, Strings) and isinstance(marks, Strings)
    return Vectors(model_hash(model), keys, marks, rows, scales, codes, mean)  # type: ignore[arg-type]
