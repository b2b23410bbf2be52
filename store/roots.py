"""Which folder is the bank, and what the yotta engine's config file says (`spec/bank.md` §1, `decisions.md` §3.1)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.errors import BadInput

BANK_FOLDER = ".yottamemory"
CONFIG_NAME = "config.json"


@dataclass(frozen=True, slots=True)
class Root:
    """A bank's folder, absolute, and who named it (`--bank`, a variable, a config file, or the default place)."""

    path: Path
    named_by: str


def default_root(bank: str | None = None, environ: Mapping[str, str] | None = None) -> Root:
    """The user bank: `--bank`, `MEMDESK_BANK`, `YOTTA_MEMORY_HOME`, yotta's `memory_home`, `~/.yottamemory`.

    The first that is set wins, whether or not a bank is there (`decisions.md` §3.1).
    """
    environ = os.environ if environ is None else environ
    home = read_yotta_config(environ).get("memory_home")
    named = (
        (bank, "--bank"),
        (environ.get("MEMDESK_BANK"), "MEMDESK_BANK"),
        (environ.get("YOTTA_MEMORY_HOME"), "YOTTA_MEMORY_HOME"),
        (home if isinstance(home, str) else None, str(yotta_config_file(environ))),
    )
    for place, name in named:
        if place:
            return Root(absolute(place), name)
    return Root(Path.home() / BANK_FOLDER, "the default place")


def absolute(place: str | Path) -> Path:
    """A path made absolute with `~` resolved; symbolic links stay as they are (`spec/bank.md` §1.4).

    Raises `BadInput` for the home of a user who is not known, and for a relative path where the folder that we are in
    was deleted.
    """
    try:
        return Path(os.path.abspath(Path(place).expanduser()))  # noqa: PTH100 - Path.resolve would follow links
    except RuntimeError as error:
        raise BadInput(f"The home folder in {place} is not known; write the whole path.") from error
    except FileNotFoundError as error:
        raise BadInput("The folder that you are in was deleted; go to another one, or write whole paths.") from error


def project_root(folder: Path | None = None) -> Path:
    """Where the project's bank would be: in the working directory itself, no search upwards (`spec/bank.md` §1.3)."""
    return absolute((folder or _here()) / BANK_FOLDER)


def _here() -> Path:
    """The working directory; the root where it was deleted, since no project is there."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        return Path("/")


def read_set(user: Path, folder: Path | None = None) -> tuple[Path, ...]:
    """The banks that reading looks at, project first, without missing ones and duplicates (`spec/bank.md` §1.4)."""
    found = dict.fromkeys((project_root(folder), absolute(user)))
    return tuple(path for path in found if path.is_dir())


def yotta_config_file(environ: Mapping[str, str] | None = None) -> Path:
    """The yotta engine's config file; it stays in `~/.yottamemory` even when the bank lives elsewhere (§1.2)."""
    environ = os.environ if environ is None else environ
    folder = environ.get("YOTTA_MEMORY_CONFIG_DIR")
    return (absolute(folder) if folder else Path.home() / BANK_FOLDER) / CONFIG_NAME


def read_yotta_config(environ: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What the yotta engine's config file says; one that is missing or cannot be read counts as empty (§1.2)."""
    try:
        text = yotta_config_file(environ).read_bytes()
    except OSError:
        return {}
    import json  # most people have no such file, and the first frame waits for this

    try:
        config = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return config if isinstance(config, dict) else {}
