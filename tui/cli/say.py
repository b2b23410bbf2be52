"""Printing for people and for programs: plain lines, text always literal, JSON as one object."""

from __future__ import annotations

import json
from typing import Any

import click

from tui.literal import literal, one_line

SCHEMA = 1
"""Version of the JSON shapes (`decisions.md` §7)."""


def print_json(body: dict[str, Any]) -> None:
    """One object on stdout, with `schema` first; lone surrogates and controls stay escaped."""
    click.echo(json.dumps({"schema": SCHEMA, **body}, ensure_ascii=False, indent=2).encode("utf-8", "replace"))


def say(text: str = "") -> None:
    """One or more lines on stdout, with whatever acts on a terminal made visible."""
    click.echo(literal(text))


def row(*cells: str) -> None:
    """One line of cells, two spaces apart; line ends inside a cell become spaces, trailing padding stays."""
    click.echo("  ".join(_cell(cell) for cell in cells).rstrip())


def _cell(cell: str) -> str:
    shown = one_line(cell, limit=len(cell) + 1)
    return shown + " " * (len(cell) - len(cell.rstrip(" ")))


def complain(message: str) -> None:
    """One sentence on stderr."""
    click.echo(literal(message), err=True)
