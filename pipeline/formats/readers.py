"""The reader of each format: what its module offers, or the generic one over the fields that the table names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from pathlib import Path

from pipeline.formats import mapped
from pipeline.formats.documents import Member
from pipeline.formats.lines import Item
from pipeline.formats.session import Damage, Session
from pipeline.formats.source import Source
from pipeline.formats.table import Format

Progress = Callable[[int], None]
"""Told the bytes of the file that were read so far."""
Stop = Callable[[], bool]
"""Asked now and then whether to stop; the reading then ends with `Cancelled`."""
Sessions = tuple[Session, ...]


@dataclass(frozen=True, slots=True)
class Reader:
    """How a format is read, by shape; None for a shape that it does not have. `streamed` are lists read one by one."""

    lines: Callable[[Iterable[Item], Source], Sessions] | None = None
    document: Callable[[Iterable[Member | Damage], Source], Sessions] | None = None
    path: Callable[[Path, Source, Progress | None, Stop | None], Sessions] | None = None
    streamed: frozenset[str] = frozenset()


@cache
def reader_of(format: Format) -> Reader:
    """The reader of a format; its module is imported when it is first needed."""
    if format.fields is not None:
        return Reader(
            partial(mapped.read, format.name, format.fields),
            partial(mapped.read_document, format.name, format.fields),
            streamed=frozenset({format.fields.messages} - {""}),
        )
    module = import_module(f"pipeline.formats.{format.reader}")
    return Reader(
        getattr(module, "read", None),
        getattr(module, "read_document", None),
        getattr(module, "read_path", None),
        getattr(module, "STREAMED", frozenset()),
    )
