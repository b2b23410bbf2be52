"""Tables that a person may extend: TOML that is read with the line of whatever cannot be used (`decisions.md` §3.7)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from store.errors import BadInput

T = TypeVar("T")

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*([A-Za-z0-9_-]+|"[^"]*"|'[^']*')\s*=""")
_AT = re.compile(r"\(at line (\d+), column \d+\)")
LARGEST = 1 << 20
"""Bytes of a table; a larger file is none."""


class Fault(ValueError):
    """What is wrong with a table, and where: the table's name as its header writes it, its place among those of that
    name (from 0), and the key in it, as far as these are known."""

    def __init__(self, message: str, header: str = "", place: int = 0, key: str = "") -> None:
        super().__init__(message)
        self.header, self.place, self.key = header, place, key


def load_table(path: Path, build: Callable[[dict[str, Any]], T]) -> T:
    """What `build` makes of the TOML file.

    Raises `BadInput` with one sentence that names the file and the line when the file cannot be read, is no TOML, or
    `build` raises `Fault`.
    """
    try:
        data = path.read_bytes()[: LARGEST + 1]
        text = data.decode("utf-8") if len(data) <= LARGEST else None
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror or error}); check its permissions.") from error
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise BadInput(f"{path} line {line} is not UTF-8 text; save the file as UTF-8.") from error
    if text is None:
        raise BadInput(f"{path} is over {LARGEST >> 20} MiB and is not read; it should be a short table.")
    try:
        return build(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path}{_of_parser(str(error), text)}; correct it there.") from error
    except Fault as fault:
        line = line_of(text, fault.header, fault.place, fault.key)
        raise BadInput(f"{path}{f' line {line}' if line else ''}: {fault}; correct it or take it out.") from fault
    except RecursionError as error:
        raise BadInput(f"{path} is nested too deeply; it should be a short table.") from error


def _of_parser(message: str, text: str) -> str:
    found = _AT.search(message)
    line = int(found[1]) if found else len(text.splitlines())
    return (
        f" line {line} is not valid TOML ({_AT.sub('', message).strip().removesuffix(' (at end of document)').lower()})"
    )


def line_of(text: str, header: str, place: int = 0, key: str = "") -> int:
    """The line of a key of the table with this header, else of the header itself; 0 when neither is found.

    A table may also be written as a key of the one above it: then the line of that key.
    """
    above, _, last = header.rpartition(".")
    return _line_in(text, header, place, key) or (_line_in(text, above, 0, last) if header else 0)


def _line_in(text: str, header: str, place: int, key: str) -> int:
    met, inside, found = -1, header == "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if opened := _HEADER.match(line):
            name = ".".join(part.strip().strip("\"'") for part in opened[2].split("."))
            met += name == header
            inside = name == header and met == place
            found = number if inside else found
        elif inside and key and (assigned := _KEY.match(line)) and assigned[1].strip("\"'") == key:
            return number
    return found
