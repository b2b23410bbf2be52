"""What stands in the way of a provider: its configuration, which program would be asked and why, and one try (§17–§20).

The same words for `memdesk hook check` and for the panel of the Context screen.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.context.provider.configuration import HOOK, PAGING, Configuration, Provider, read_configuration
from pipeline.context.provider.exchange import Exchange
from pipeline.context.provider.hook import HookResult
from pipeline.context.provider.process import environment
from pipeline.context.report import exchange_block

ASKED = (HOOK, PAGING)
"""The capabilities that a pack asks for; other names are accepted and nothing asks for them (`spec/context.md` §22)."""
STATES = {"not_installed": "no provider", "error": "not usable", "ready": "ready"}
"""What the states of a configuration are called."""
STDERR_SHOWN = 20
"""Lines of diagnostics that are shown."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """Who would be asked for a capability, and why; `program` is where its executable is found, "" when nowhere."""

    capability: str
    reason: str
    provider: Provider | None = None
    program: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """The configuration as it is now; `chosen` in the order of `ASKED`."""

    configuration: Configuration
    chosen: tuple[Chosen, ...]

    @property
    def faults(self) -> tuple[str, ...]:
        """What is wrong, in sentences; nothing when there is no provider, or all can be started."""
        if self.configuration.fault is not None:
            return (self.configuration.reason,)
        missing = (one for one in self.chosen if one.provider is not None and not one.program)
        return tuple(dict.fromkeys(map(_missing, missing)))


def check_providers(home: Path | None = None, environ: Mapping[str, str] | None = None) -> Check:
    """Read the provider home and say who would be asked; starts nothing. Never raises."""
    configurations = {name: read_configuration(home, name) for name in ASKED}
    first = configurations[HOOK]
    chosen = (
        Chosen(name, one.reason, one.provider, _program(one.provider, one.home, environ))
        for name, one in configurations.items()
    )
    return Check(first, tuple(chosen))


def _program(provider: Provider | None, home: Path, environ: Mapping[str, str] | None) -> str:
    """Where the executable is found as the process would be started: in PATH, or relative to the provider home."""
    if provider is None:
        return ""
    word = provider.command[0]
    if "/" in word:
        path = home / word
        there = os.path.isfile(path)  # noqa: PTH113 - Path.is_file raises where it may not look
        return str(path) if there and os.access(path, os.X_OK) else ""
    return shutil.which(word, path=environment(home, environ).get("PATH")) or ""


def _missing(chosen: Chosen) -> str:
    provider = chosen.provider
    assert provider is not None
    return f"The program {provider.command[0]} of provider {provider.id} cannot be found or started."


def place_of_fault(configuration: Configuration) -> str:
    """Where the fault stands, in words: the file, or the provider with its number and the field."""
    fault = configuration.fault
    if fault is None:
        return ""
    field = f", field {fault.field}" if fault.field else ""
    if not fault.number:
        return f"the file{field}"
    name = f" ({fault.provider})" if fault.provider else ""
    return f"provider number {fault.number}{name}{field}"


def took_out(told: Exchange) -> Sequence[str]:
    """What an answer takes out, as the hook's names and those that a whitelist leaves out, or what paging drops."""
    if isinstance(told, HookResult):
        return (*told.evicted, *told.hidden)
    return tuple(file for file in told.sent if file in told.removed)


def check_report(check: Check, tried: Exchange | None = None) -> dict[str, Any]:
    """The check as plain values, and what one try gave."""
    configuration = check.configuration
    fault = configuration.fault
    told: dict[str, Any] = {
        "state": configuration.state,
        "config": str(configuration.path),
        "reason": configuration.reason,
        "fault": None
        if fault is None
        else {"sentence": fault.sentence, "provider": fault.provider, "number": fault.number, "field": fault.field},
        "faults": list(check.faults),
        "providers": [_provider(one) for one in configuration.providers],
        "asked": [
            {
                "capability": one.capability,
                "provider": one.provider.id if one.provider else "",
                "program": one.program,
                "reason": one.reason,
            }
            for one in check.chosen
        ],
    }
    if tried is not None:
        told["tried"] = {
            **exchange_block(tried),
            "provider": tried.provider,
            "note": tried.note,
            "taken_out": list(took_out(tried)),
        }
    return told


def _provider(provider: Provider) -> dict[str, Any]:
    return {
        "id": provider.id,
        "version": provider.version,
        "capabilities": list(provider.capabilities),
        "command": list(provider.command),
        "timeout_ms": provider.timeout_ms,
    }
