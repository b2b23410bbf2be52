"""Text that is too much for memory: packed in blocks, in memory while it is little, in a temporary file beyond that.

The file has no name, so nothing of it is left when the program ends however it ends.
"""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
from array import array
from collections import OrderedDict

import zstandard

from store.errors import StorageFailure

BLOCK = 1 << 16
"""Plain bytes after which a block is packed: what one look at a piece costs to unpack."""
HELD = 8 << 20
"""Packed bytes that stay in memory; more go to the temporary file."""
UNPACKED = 8
"""Blocks that are kept unpacked for the next looks."""
LEVEL = 1
"""Packing has to be faster than parsing the JSON that the text comes from."""
LARGE_FILES = "/var/tmp"
"""Where temporary files of size belong: the usual folder often is memory itself."""


class Spool:
    """Pieces of bytes, added one after the other and looked at by address. Looking may be done from several threads."""

    def __init__(self) -> None:
        self._open: list[bytes] = []
        self._size = 0
        self._ends = array("Q")
        self._file = tempfile.SpooledTemporaryFile(max_size=HELD, dir=_folder())  # noqa: SIM115 - lives as long as this
        self._packer = zstandard.ZstdCompressor(level=LEVEL)
        self._unpacked: OrderedDict[int, bytes] = OrderedDict()
        self._lock = threading.Lock()
        weakref.finalize(self, self._file.close)

    def add(self, head: bytes, body: bytes) -> int:
        """Keep a piece, given in two; its address. Raises `StorageFailure` when there is no room for it."""
        start = self._size
        if start >= BLOCK:
            self._pack()
            start = 0
        self._open += (head, body)
        self._size = start + len(head) + len(body)
        return len(self._ends) << 32 | start

    def look(self, address: int) -> tuple[bytes, int]:
        """The block that holds a piece, unpacked, and where the piece begins in it."""
        number, offset = address >> 32, address & 0xFFFFFFFF
        return (b"".join(self._open) if number == len(self._ends) else self._block(number)), offset

    def seal(self) -> None:
        """Nothing more will be added."""
        if self._open:
            self._pack()

    def _pack(self) -> None:
        packed = self._packer.compress(b"".join(self._open))
        try:
            with self._lock:
                self._file.seek(0, os.SEEK_END)
                self._file.write(packed)
        except OSError as error:
            raise StorageFailure(
                f"The text of the transcript does not fit into {_folder() or tempfile.gettempdir()}"
                f" ({error.strerror or error}); make room there, or name another folder in TMPDIR."
            ) from error
        self._ends.append((self._ends[-1] if self._ends else 0) + len(packed))
        self._open, self._size = [], 0

    def _block(self, number: int) -> bytes:
        with self._lock:
            if number in self._unpacked:
                self._unpacked.move_to_end(number)
                return self._unpacked[number]
            start = self._ends[number - 1] if number else 0
            self._file.seek(start)
            plain = zstandard.ZstdDecompressor().decompress(self._file.read(self._ends[number] - start))
            self._unpacked[number] = plain
            if len(self._unpacked) > UNPACKED:
                self._unpacked.popitem(last=False)
            return plain


def _folder() -> str | None:
    """The folder for large temporary files, None for the system's choice."""
    named = any(os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    return LARGE_FILES if not named and os.access(LARGE_FILES, os.W_OK) else None
