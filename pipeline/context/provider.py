"""Which program is asked to evict memories from a pack: `provider.json` (`spec/context.md` §17)."""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

HOME_VARIABLE = "YOTTA_PROVIDER_HOME"
CAPABILITY = "memory.hook"
CAPABILITIES = frozenset({"o1.route", "m1.adjudicate", "memory.hook", "context.paging"})
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
class Configuration:
    """What the file says: `state` and one sentence why; `provider` only when it is `ready`."""

    state: Literal["not_installed", "error", "ready"]
    reason: str
    home: Path
    provider: Provider | None = None

    @property
    def path(self) -> Path:
        """The file that was read."""
        return self.home / "provider.json"


class _Invalid(Exception):
    """The file breaks a rule of `spec/context.md` §17; the text says which."""


def provider_home(environ: Mapping[str, str] | None = None) -> Path:
    """The provider home: `YOTTA_PROVIDER_HOME`, trimmed and made absolute, or `~/.yottameta` when blank."""
    named = (os.environ if environ is None else environ).get(HOME_VARIABLE, "").strip()
    return Path(os.path.normpath(Path.cwd() / named)) if named else Path.home() / ".yottameta"


def read_configuration(home: Path | None = None) -> Configuration:
    """Read `provider.json` of the provider home anew; never raises, a broken file is the state `error`."""
    home = provider_home() if home is None else home
    try:
        raw = _read(home / "provider.json")
    except (FileNotFoundError, NotADirectoryError):
        return Configuration("not_installed", "There is no provider.json.", home)
    except (OSError, _Invalid) as error:
        return Configuration("error", f"provider.json cannot be read: {error}.", home)
    try:
        providers = parse_providers(raw)
    except _Invalid as error:
        return Configuration("error", f"provider.json is not valid: {error}.", home)
    return _choose(providers, home)


def _read(path: Path) -> bytes:
    about = path.stat()
    if not stat.S_ISREG(about.st_mode):
        raise _Invalid("it is not a file")
    if about.st_size > LARGEST_FILE:
        raise _Invalid("it is larger than 4 MiB")
    return path.read_bytes()


def _choose(providers: list[Provider], home: Path) -> Configuration:
    able = [provider for provider in providers if CAPABILITY in provider.capabilities]
    if not able:
        return Configuration("not_installed", f"No provider of provider.json declares {CAPABILITY}.", home)
    others = f"; {len(able) - 1} more declare it and are not asked" if len(able) > 1 else ""
    reason = f"{able[0].id} is the first in the list that declares {CAPABILITY}{others}."
    return Configuration("ready", reason, home, able[0])


def parse_providers(raw: bytes) -> list[Provider]:
    """The providers of a file's bytes, in order; one invalid entry makes the whole file invalid."""
    try:
        data = json.loads(raw.decode("utf-8", "replace"), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        raise _Invalid("it is not JSON") from error
    if not isinstance(data, dict):
        raise _Invalid("the top level must be an object")
    if not _is_number(data.get("schema")) or data["schema"] != 1:
        raise _Invalid("schema must be the number 1")
    providers = data.get("providers")
    if not isinstance(providers, list):
        raise _Invalid("providers must be a list")
    return [_provider(entry) for entry in providers]


def _no_constant(name: str) -> float:
    raise ValueError(name)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _provider(entry: Any) -> Provider:
    if not isinstance(entry, dict):
        raise _Invalid("each provider must be an object")
    name = entry.get("id")
    if not isinstance(name, str) or not name:
        raise _Invalid("the id of a provider is missing")
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
        raise _Invalid(f"the capabilities of provider {name} are missing")
    for capability in value:
        if not isinstance(capability, str) or capability not in CAPABILITIES:
            raise _Invalid(f"unknown capability {capability} of provider {name}")
    return tuple(value)


def _command(value: Any, name: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise _Invalid(f"the command of provider {name} must be a list of words")
    for word in value:
        if not isinstance(word, str) or not word:
            raise _Invalid(f"illegal argument in the command of provider {name}")
        if "\0" in word:
            raise _Invalid(f"illegal character in the command of provider {name}")
    return tuple(value)


def _timeout(value: float, name: str) -> int:
    if not _is_number(value) or not math.isfinite(value) or value <= 0:
        raise _Invalid(f"illegal timeout of provider {name}")
    return max(LEAST_TIMEOUT_MS, math.floor(min(value, MOST_TIMEOUT_MS) + 0.5))
