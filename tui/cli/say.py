"""Printing for people and for programs: plain lines, text always literal, JSON as one object."""

from __future__ import annotations

import contextlib
import os
import re
import sys
from typing import Any

import click

from store.errors import StorageFailure
from tui.literal import ROW_CHARACTERS, literal, one_line

SCHEMA = 1
"""Version of the JSON shapes (`decisions.md` §7)."""

UNDER = " " * 10
"""Before each line of what belongs to the row above it."""


_ACTING = re.compile("[\\x7f-\\x9f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]")
"""Characters that JSON may hold as they are and that a terminal would obey."""


def print_json(body: dict[str, Any]) -> None:
    """One object on stdout, with `schema` first; lone surrogates, controls and direction marks are escaped."""
    import json

    text = json.dumps({"schema": SCHEMA, **body}, ensure_ascii=False, indent=2)
    escaped = _ACTING.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    put(escaped.encode("utf-8", "backslashreplace") + b"\n")


def say(text: str = "") -> None:
    """One or more lines on stdout, with whatever acts on a terminal made visible."""
    put(f"{literal(text)}\n")


def row(*cells: str) -> None:
    """One line of cells, two spaces apart; line ends inside a cell become spaces, trailing padding stays."""
    put("  ".join(_cell(cell) for cell in cells).rstrip() + "\n")


def under(text: str) -> None:
    """What stands indented under a row, on as many lines as it has: none of them can pass for a row of its own."""
    say(UNDER + literal(text).replace("\r", "\n").replace("\n", f"\n{UNDER}"))


def cut_row(text: str) -> str:
    """Text for a cell that has room for any sentence, and not for a file of one line."""
    return text if len(text) <= ROW_CHARACTERS else text[: ROW_CHARACTERS - 2] + ".."


def _cell(cell: str) -> str:
    shown = one_line(cell, limit=len(cell) + 1)
    return shown + " " * (len(cell) - len(cell.rstrip(" ")))


def complain(message: str) -> None:
    """One sentence on stderr, on one line whatever names are in it; where that cannot be written nobody can be told."""
    with contextlib.suppress(OSError):
        click.echo(literal(message).replace("\n", "␊"), err=True)


def put(text: str | bytes) -> None:
    """Text or bytes on stdout as they are. Raises `StorageFailure` when they cannot be written there."""
    try:
        click.echo(text, nl=False)
    except BrokenPipeError:
        raise
    except OSError as error:
        leave_stdout()
        reason = (error.strerror or "unknown reason").lower()
        raise StorageFailure(f"The output could not be written: {reason}; what was asked for is done.") from error


def leave_stdout() -> None:
    """Whatever is still to be written there goes nowhere, so that leaving the program is no second fault."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
