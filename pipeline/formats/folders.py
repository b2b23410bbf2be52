"""A folder that is given as a path: which transcripts lie in it (`spec/formats.md` §3-7)."""

from __future__ import annotations

from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from pipeline.formats.detect import detect
from pipeline.formats.find import below
from pipeline.formats.head import EMPTY
from pipeline.formats.table import Formats
from store.errors import BadInput, MemdeskError

MOST = 10_000
"""Transcripts that are taken from one folder."""
_WILD = frozenset("*?[")
ENDINGS = (".jsonl", ".json", ".jsonl.zst", ".jsonl.zstd", ".db", ".af", ".zip")
"""Files of any name that are looked at in the folder itself."""


def transcripts_in(folder: Path, formats: Formats, told: str | None = None) -> tuple[Path, ...]:
    """The transcripts in a folder: those that lie as their tool lays them, and those in the folder itself, by path.

    Each is told by its content; what is no transcript is left out. Raises `BadInput` when none is left.
    """
    met = dict.fromkeys(path for path in sorted(_candidates(folder, formats)) if path.name.lower() not in formats.never)
    found = [path for path in met if _is_one(path, formats, told)]
    if not found:
        raise BadInput(f"{folder} is a folder without a transcript; give one that holds some, or a file.")
    if len(found) > MOST:
        raise BadInput(f"{folder} holds {len(found):,} transcripts; give a folder with at most {MOST:,}.")
    return tuple(found)


def _candidates(folder: Path, formats: Formats) -> Iterator[Path]:
    for format in formats.by_name.values():
        for place in format.places:
            for pattern in place.files:
                yield from _fitting(folder, pattern.split("/"))
    for path in below(folder, ["*"]):
        if path.name.lower().endswith(ENDINGS):
            yield path


def _fitting(folder: Path, parts: list[str]) -> Iterator[Path]:
    """Files in the folder that the rest of a pattern fits, when the folder may be what its beginning stands for.

    A copy may lie below other folders than the tool's: then a fixed name in the rest has to tell that it is one.
    """
    for place in range(len(parts)):
        rest = parts[place:]
        laid = any(not _WILD.intersection(part) for part in rest[:-1])
        if _fits(_last(folder, place), parts[:place]) or (laid and fnmatchcase(folder.name, parts[place - 1])):
            yield from below(folder, rest)


def _fits(names: list[str], parts: list[str]) -> bool:
    return all(fnmatchcase(name, part) for name, part in zip(names, parts, strict=True))


def _last(folder: Path, number: int) -> list[str]:
    names = list(folder.absolute().parts)[-number:] if number else []
    return names if len(names) == number else [""] * number


def _is_one(path: Path, formats: Formats, told: str | None) -> bool:
    try:
        found = detect(path, told, formats)
    except MemdeskError:
        return False
    return found.format != EMPTY and bool(found.format)
