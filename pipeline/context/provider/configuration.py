"""Which program is asked about a pack, and what is wrong with the file that names it (`spec/context.md` §17)."""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from pipeline.context.provider.answer import parse

HOME_VARIABLE = "YOTTA_PROVIDER_HOME"
HOOK, PAGING = "memory.hook", "context.paging"
CAPABILITIES = frozenset({"o1.route", "m1.adjudicate", HOOK, PAGING})
DEFAULT_TIMEOUT_MS, LEAST_TIMEOUT_MS, MOST_TIMEOUT_MS = 600, 50, 5000
LARGEST_FILE = 4 << 20
"""More than this in `provider.json` is no configuration; it is not read."""


@dataclass(frozen=True, slots=True)
class Provider:
    """One program of the list that is valid: `timeout_ms` already rounded and held between 50 and 5000."""

    id: str
    capabilities: tuple[str, ...]
    command: tuple[str, ...]
    timeout_ms: int = DEFAULT_TIMEOUT_MS
    version: str = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """What breaks a rule: the rule in words, the field, and whose it is.

    `number` is the place of the provider in the list from 1 on, 0 for the file itself; `provider` its id where it has
    one; `field` the key, "" when the whole file or entry is meant.
    """

    sentence: str
    field: str = ""
    number: int = 0
    provider: str = ""


@dataclass(frozen=True, slots=True)
class Configuration:
    """What the file says about one capability: `state` and one sentence why; `provider` only when it is `ready`.

    `providers` are all of a valid file, in its order; `fault` is what makes a file invalid.
    """

    state: Literal["not_installed", "error", "ready"]
    reason: str
    home: Path
    provider: Provider | None = None
    providers: tuple[Provider, ...] = ()
    fault: Fault | None = None

    @property
    def path(self) -> Path:
        """The file that was read."""
        return self.home / "provider.json"


class InvalidConfiguration(Exception):
    """The file breaks a rule of `spec/context.md` §17."""

    def __init__(self, sentence: str, field: str = "", provider: str = "") -> None:
        super().__init__(sentence)
        self.fault = Fault(sentence, field, provider=provider)


def provider_home(environ: Mapping[str, str] | None = None) -> Path:
    """The provider home: `YOTTA_PROVIDER_HOME`, trimmed and made absolute, or `~/.yottameta` when blank."""
    named = (os.environ if environ is None else environ).get(HOME_VARIABLE, "").strip()
    return Path(os.path.normpath(Path.cwd() / named)) if named else Path.home() / ".yottameta"


def read_configuration(home: Path | None = None, capability: str = HOOK) -> Configuration:
    """Read `provider.json` of the provider home anew; never raises, a broken file is the state `error`."""
    home = provider_home() if home is None else home
    try:
        raw = _read(home / "provider.json")
    except (FileNotFoundError, NotADirectoryError):
        return Configuration("not_installed", "There is no provider.json.", home)
    except InvalidConfiguration as error:
        return Configuration("error", f"provider.json cannot be read: {error}.", home, fault=error.fault)
    except OSError as error:
        said = (error.strerror or "unknown reason").lower()
        return Configuration("error", f"provider.json cannot be read: {said}.", home, fault=Fault(said))
    try:
        providers = parse_providers(raw)
    except InvalidConfiguration as error:
        return Configuration("error", f"provider.json is not valid: {error}.", home, fault=error.fault)
    return _choose(providers, home, capability)


def _read(path: Path) -> bytes:
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        raise InvalidConfiguration("it is not a file")
    if about.st_size > LARGEST_FILE:
        raise InvalidConfiguration("it is larger than 4 MiB")
    return path.read_bytes()


def _choose(providers: list[Provider], home: Path, capability: str) -> Configuration:
    able = [provider for provider in providers if capability in provider.capabilities]
    every = tuple(providers)
    if not able:
        reason = f"No provider of provider.json declares {capability}."
        return Configuration("not_installed", reason, home, providers=every)
    reason = f"{able[0].id} is the first in the list that declares {capability}{_others(len(able) - 1)}."
    return Configuration("ready", reason, home, able[0], every)


def _others(number: int) -> str:
    if number < 2:
        return "; one more declares it and is not asked" if number else ""
    return f"; {number:,} more declare it and are not asked"


def parse_providers(raw: bytes) -> list[Provider]:
    """The providers of a file's bytes, in order; one invalid entry makes the whole file invalid.

    Raises `InvalidConfiguration` with the first rule that is broken.
    """
    try:
        data = parse(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise InvalidConfiguration(f"it is not JSON{_where(error)}") from error
    if not isinstance(data, dict):
        raise InvalidConfiguration("the top level must be an object")
    if not _is_number(data.get("schema")) or data["schema"] != 1:
        raise InvalidConfiguration("schema must be the number 1", "schema")
    providers = data.get("providers")
    if not isinstance(providers, list):
        raise InvalidConfiguration("providers must be a list", "providers")
    return [_numbered(entry, number) for number, entry in enumerate(providers, 1)]


def _where(error: Exception) -> str:
    return f" at line {error.lineno}, column {error.colno}" if isinstance(error, json.JSONDecodeError) else ""


def _numbered(entry: Any, number: int) -> Provider:
    try:
        return _provider(entry)
    except InvalidConfiguration as error:
        error.fault = replace(error.fault, number=number)
        raise


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _provider(entry: Any) -> Provider:
    if not isinstance(entry, dict):
        raise InvalidConfiguration("each provider must be an object")
    name = entry.get("id")
    if not isinstance(name, str) or not name:
        raise InvalidConfiguration("the id of a provider is missing", "id")
    version = entry.get("version")
    return Provider(
        name,
        _capabilities(entry.get("capabilities"), name),
        _command(entry.get("command"), name),
        _timeout(entry["timeout_ms"], name) if "timeout_ms" in entry else DEFAULT_TIMEOUT_MS,
        version if isinstance(version, str) else "",
    )


def _capabilities(value: Any, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise InvalidConfiguration(f"the capabilities of provider {name} are missing", "capabilities", name)
    for capability in value:
        if not isinstance(capability, str) or capability not in CAPABILITIES:
            raise InvalidConfiguration(f"unknown capability {capability} of provider {name}", "capabilities", name)
    return tuple(value)


def _command(value: Any, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise InvalidConfiguration(f"the command of provider {name} must be a list of words", "command", name)
    for word in value:
        if not isinstance(word, str) or not word:
            raise InvalidConfiguration(f"illegal argument in the command of provider {name}", "command", name)
        if "\0" in word:
            raise InvalidConfiguration(f"illegal character in the command of provider {name}", "command", name)
    return tuple(value)


def _timeout(value: float, name: str) -> int:
    if not _is_number(value) or not math.isfinite(value) or value <= 0:
        raise InvalidConfiguration(f"illegal timeout of provider {name}", "timeout_ms", name)
    return max(LEAST_TIMEOUT_MS, math.floor(min(value, MOST_TIMEOUT_MS) + 0.5))
