"""Several arrays in one file, mapped read-only: a cache that is whole or is no cache (`design/recall.md` §5).

A header names each array, its type, shape and place; a checksum covers them all. Nothing is ever unpickled.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import orjson
from numpy.typing import NDArray

from store.index.search.strings import Strings

MAGIC = b"memdesk index\n"
ALIGNED = 64
LEAD = 17
"""Bytes of the checksum and the length before the header."""
_BLOCK = 1 << 24
Array = NDArray[Any]


def write_arrays(file: BinaryIO, kind: str, arrays: Mapping[str, Array | Strings], facts: Mapping[str, Any]) -> None:
    """Write arrays and strings under their names; `kind` says what they are, `facts` are plain values kept beside."""
    flat = dict(_flat(arrays))
    places, end, checksum = {}, 0, 0
    for name, array in flat.items():
        places[name] = [array.dtype.str, list(array.shape), end]
        end += array.nbytes + _gap(array.nbytes)
        checksum = zlib.crc32(_padded(array), checksum)
    header = orjson.dumps({"kind": kind, "arrays": places, "facts": dict(facts), "crc": checksum, "size": end})
    header += b" " * _gap(len(MAGIC) + LEAD + len(header))
    file.write(MAGIC + _lead(header) + header)
    for array in flat.values():
        file.write(_padded(array))


def _gap(size: int) -> int:
    return -size % ALIGNED


def _padded(array: Array) -> bytes:
    data = np.ascontiguousarray(array).tobytes()
    return data + b"\0" * _gap(len(data))


def _flat(arrays: Mapping[str, Array | Strings]) -> Iterator[tuple[str, Array]]:
    for name, value in arrays.items():
        if isinstance(value, Strings):
            yield f"{name}.block", value.block
            yield f"{name}.ends", value.ends
        else:
            yield name, value


def map_arrays(path: Path, kind: str) -> tuple[dict[str, Array | Strings], dict[str, Any]] | None:
    """The arrays and facts of a file, mapped; None when it is not there, damaged, or not of this kind."""
    try:
        with path.open("rb") as file:
            header = _header(file)
            data = np.memmap(file, np.uint8, "r", file.tell())  # of this file, should another one be at `path` by now
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if header is None or header["kind"] != kind or len(data) != header["size"] or _crc(data) != header["crc"]:
        return None
    return _named({name: _view(data, *place) for name, place in header["arrays"].items()}), header["facts"]


def _header(file: BinaryIO) -> dict[str, Any] | None:
    if file.read(len(MAGIC)) != MAGIC:
        return None
    lead = file.read(LEAD)
    header = file.read(int(lead[-8:]))
    return orjson.loads(header) if lead == _lead(header) else None


def _lead(header: bytes) -> bytes:
    return b"%08x %07d\n" % (zlib.crc32(header), len(header))


def _crc(data: Array) -> int:
    found = 0
    for at in range(0, len(data), _BLOCK):
        found = zlib.crc32(data[at : at + _BLOCK].data, found)
    return found


def _view(data: Array, dtype: str, shape: list[int], at: int) -> Array:
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.asarray(data[at : at + size]).view(dtype).reshape(shape)


def _named(flat: Mapping[str, Array]) -> dict[str, Array | Strings]:
    found: dict[str, Array | Strings] = {}
    for place, array in flat.items():
        name, _, part = place.partition(".")
        if part == "block":
            found[name] = Strings(array, flat[f"{name}.ends"])
        elif not part:
            found[name] = array
    return found
