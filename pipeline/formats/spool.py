"""Text that is too much for memory: packed in memory while it is little, in a temporary file beyond that.

The file has no name, so nothing of it is left when the program ends however it ends.
"""

from __future__ import annotations

import os
import tempfile
import threading
import weakref
from array import array
from collections import OrderedDict
from typing import IO

import zstandard

from store.errors import StorageFailure

BLOCK = 1 << 16
"""Plain bytes after which a block is closed: what one look at a piece costs to read or unpack."""
HELD = 8 << 20
"""Packed bytes that stay in memory; the blocks behind them go to the temporary file as they are."""
LOOKED_AT = 8
"""Blocks that are kept plain for the next looks."""
LEVEL = 1
"""Packing has to be faster than parsing the JSON that the text comes from."""
LARGE_FILES = "/var/tmp"
"""Where temporary files of size belong: the usual folder often is memory itself."""


class Spool:
    """Pieces of bytes, added one after the other and looked at by address. Looking may be done from several threads."""

    def __init__(self) -> None:
        self._open: list[bytes] = []
        self._size = 0
        self._closed = 0
        """Blocks that are closed: the first are packed in `_held`, the others plain in `_file`, and end where noted."""
        self._held, self._held_ends = bytearray(), array("Q", [0])
        self._file: IO[bytes] | None = None
        self._file_ends = array("Q", [0])
        self._plain: OrderedDict[int, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, head: bytes, body: bytes) -> int:
        """Keep a piece, given in two; its address. Raises `StorageFailure` when there is no room for it."""
        start = self._size
        if start >= BLOCK:
            self._close()
            start = 0
        self._open += (head, body)
        self._size = start + len(head) + len(body)
        return self._closed << 32 | start

    def look(self, address: int) -> tuple[bytes, int]:
        """The block that holds a piece, plain, and where the piece begins in it."""
        number, offset = address >> 32, address & 0xFFFFFFFF
        return (b"".join(self._open) if number == self._closed else self._block(number)), offset

    def seal(self) -> None:
        """Nothing more will be added."""
        if self._open:
            self._close()

    def _close(self) -> None:
        plain = b"".join(self._open)
        if len(self._held) < HELD:
            self._held += zstandard.ZstdCompressor(level=LEVEL).compress(plain)
            self._held_ends.append(len(self._held))
        else:
            self._write(plain)
        self._closed += 1
        self._open, self._size = [], 0

    def _write(self, plain: bytes) -> None:
        try:
            with self._lock:
                if self._file is None:
                    self._file = tempfile.TemporaryFile(dir=_folder())  # noqa: SIM115 - lives as long as this
                    weakref.finalize(self, self._file.close)
                self._file.seek(self._file_ends[-1])
                self._file.write(plain)
                self._file.flush()
        except OSError as error:
            raise StorageFailure(
                f"The text of the transcript does not fit into {_folder() or tempfile.gettempdir()}"
                f" ({error.strerror or error}); make room there, or name another folder in TMPDIR."
            ) from error
        self._file_ends.append(self._file_ends[-1] + len(plain))

    def _block(self, number: int) -> bytes:
        with self._lock:
            if number in self._plain:
                self._plain.move_to_end(number)
                return self._plain[number]
            plain = self._plain[number] = self._read(number)
            if len(self._plain) > LOOKED_AT:
                self._plain.popitem(last=False)
            return plain

    def _read(self, number: int) -> bytes:
        place = number - len(self._held_ends) + 1
        if place < 0:
            packed = self._held[self._held_ends[number] : self._held_ends[number + 1]]
            return zstandard.ZstdDecompressor().decompress(packed)
        if self._file is None:
            raise StorageFailure("The text of the transcript was put away; read the transcript again.")
        self._file.seek(self._file_ends[place])
        return self._file.read(self._file_ends[place + 1] - self._file_ends[place])


def _folder() -> str | None:
    """The folder for large temporary files, None for the system's choice."""
    named = any(os.environ.get(name) for name in ("TMPDIR", "TEMP", "TMP"))
    return LARGE_FILES if not named and os.access(LARGE_FILES, os.W_OK) else None
