"""The options that every command takes, before or after its name, and how a command is declared."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from store.errors import BadInput
from tui.cli.asked import Options

F = TypeVar("F", bound=Callable[..., Any])
KEPT = "memdesk.options"


def chosen(ctx: click.Context) -> Options:
    """The global options of this call, shared by the group and its command."""
    options: Options = ctx.meta.setdefault(KEPT, Options())
    return options


def _keep(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
    if parameter.name == "bank" and value == "":
        raise BadInput("--bank names no folder; leave it out for your own bank, or give its path.")
    if value not in (None, False):
        setattr(chosen(ctx), parameter.name or "", value)


_GLOBAL = (
    click.option("--bank", metavar="PATH", help="The bank to work on.", expose_value=False, callback=_keep),
    click.option(
        "--as",
        "agent",
        metavar="AGENT",
        help="Speak for an agent: see what it may see, propose instead of write.",
        expose_value=False,
        callback=_keep,
    ),
    click.option("--json", is_flag=True, help="Print one JSON object.", expose_value=False, callback=_keep),
    click.option("--read-only", is_flag=True, help="Change nothing.", expose_value=False, callback=_keep),
    click.option(
        "--project", is_flag=True, help="Write to ./.yottamemory of this folder.", expose_value=False, callback=_keep
    ),
)


def whole_number(option: str, written: str, least: int) -> int:
    """The number behind an option. Raises `BadInput` when it is none, or less than `least`."""
    number = int(written) if re.fullmatch(r"\s*[0-9]{1,15}\s*", written) else -1
    if number < least:
        raise BadInput(f"{option} cannot be {written!r}; give a whole number, {least} or more.")
    return number


def global_options(function: F) -> F:
    """Give a command (or the group) the global options."""
    for option in reversed(_GLOBAL):
        function = option(function)
    return function


__all__ = ["Options", "chosen", "global_options", "whole_number"]
