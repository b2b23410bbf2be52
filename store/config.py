"""The person's own settings, in `config.toml` (`decisions.md` §3.7)."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from store import places
from store.errors import BadInput, StorageFailure
from store.memory import Problem
from store.settings import KEYMAP, Setting, Value, check_value, setting_named

if TYPE_CHECKING:
    import tomlkit

    from store.vault.disk import Disk

CONFIG_NAME = "config.toml"
KEY_WORDS = ("api_key", "apikey", "token", "secret")

_TABLE = re.compile(r"\s*\[\s*([^\[\]]+?)\s*\]\s*(?:#.*)?$")
_ASSIGNMENT = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_PART = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")


@dataclass(frozen=True, slots=True)
class Config:
    """What the file sets, by dotted key, and each thing in it that cannot be used, with its line.

    `get` gives the default of a key that is not set.
    """

    values: Mapping[str, Value] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()

    def get(self, key: str) -> Value:
        """The value in force; raises `BadInput` for a key that does not exist."""
        return self.values[key] if key in self.values else setting_named(key).default

    @property
    def keymap(self) -> dict[str, str]:
        """Action id → keys, as the file sets them."""
        return {key.removeprefix(KEYMAP): str(value) for key, value in self.values.items() if key.startswith(KEYMAP)}


def config_file() -> Path:
    """Where the person's settings are kept."""
    return places.config_home() / CONFIG_NAME


def load_config(path: Path | None = None) -> Config:
    """The settings of `config.toml`; a missing file sets nothing, a broken one neither and says where it breaks."""
    path = path or config_file()
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError) as fault:
        why = "is not UTF-8 text" if isinstance(fault, UnicodeDecodeError) else f"cannot be read: {fault.strerror}"
        return Config(problems=(Problem(str(path), f"{path} {why}; the defaults are used."),))
    import tomlkit  # only for those who have settings: the first frame waits for it
    from tomlkit.exceptions import TOMLKitError

    try:
        document = tomlkit.parse(text).unwrap()
    except (TOMLKitError, ValueError, RecursionError) as fault:
        message = f"{_broken(path, fault)}; correct it, the defaults are used until then."
        return Config(problems=(Problem(str(path), message),))
    return _checked(path, text, document)


def _broken(path: Path, fault: Exception) -> str:
    from tomlkit.exceptions import ParseError

    place = f"{path} line {fault.line}" if isinstance(fault, ParseError) else str(path)
    return f"{place} is not valid TOML"


def _checked(path: Path, text: str, document: Mapping[str, Any]) -> Config:
    lines = _lines(text)
    values: dict[str, Value] = {}
    problems: list[Problem] = []
    for key, value in _flat(document):
        try:
            values[key] = check_value(_personal(key), value)
        except BadInput as fault:
            line = lines.get(key, 0)
            problems.append(Problem(str(path), f"{path} line {line}: {fault}" if line else f"{path}: {fault}"))
    return Config(values, tuple(problems))


def _personal(key: str) -> Setting:
    if any(word in key.casefold() for word in KEY_WORDS) and not key.startswith(KEYMAP):
        raise BadInput(f"{key} is not read from here: keys for models come from the environment only.")
    setting = setting_named(key)
    if setting.place != "person":
        raise BadInput(f"{key} belongs to a bank; set it with `memdesk config set {key} VALUE`.")
    return setting


def _flat(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _lines(text: str) -> dict[str, int]:
    """Dotted key → number of the line that sets it, for messages."""
    found: dict[str, int] = {}
    prefix = ""
    for number, line in enumerate(text.splitlines(), 1):
        if table := _TABLE.match(line):
            prefix = _dotted(table[1]) + "."
        elif assignment := _ASSIGNMENT.match(line):
            found.setdefault(prefix + _dotted(assignment[1]), number)
    return found


def _dotted(written: str) -> str:
    return ".".join(part.strip("\"'") for part in _PART.findall(written))


def set_value(key: str, value: Value, path: Path | None = None) -> None:
    """Set one of the person's settings; comments and order of the file stay as they are.

    Raises `BadInput` for a key or value that does not exist or when the file is not valid TOML, `StorageFailure`
    when it cannot be written.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    path = path or config_file()
    setting = _personal(key)
    checked = check_value(setting, value)
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        document = tomlkit.parse(text)
        _assign(document, key, checked)
    except (TOMLKitError, UnicodeDecodeError, ValueError) as fault:
        raise BadInput(f"{_broken(path, fault)}; correct it first, nothing was set.") from fault
    except OSError as fault:
        raise StorageFailure(f"{path} cannot be read: {fault.strerror}.") from fault
    replace_file(path, tomlkit.dumps(document).encode())


def _assign(document: tomlkit.TOMLDocument, key: str, value: Value) -> None:
    if not key.startswith(KEYMAP):
        document[key] = value
        return
    import tomlkit

    table = document.setdefault("keymap", tomlkit.table())
    nested = dict(_flat(table))
    action = key.removeprefix(KEYMAP)
    if action not in nested or action in table:
        table[action] = value
        return
    *parents, last = action.split(".")
    for parent in parents:
        table = table[parent]
    table[last] = value


def replace_file(path: Path, data: bytes, disk: Disk | None = None) -> None:
    """Put `data` at `path` in one step, for its owner alone; raises `StorageFailure` and leaves the old file."""
    if disk is None:
        from store.vault.disk import Disk

        disk = Disk()
    disk.mkdir(path.parent, 0o700)
    part = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    disk.write_new(part, data, 0o600)
    try:
        disk.replace(part, path)
    except StorageFailure:
        disk.unlink(part)
        raise
