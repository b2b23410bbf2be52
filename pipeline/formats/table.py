"""Which transcripts there are, as data: how each is told, read and found (`spec/formats.md` §15). `formats.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, get_args

from pipeline.formats.own import Fault, load_table
from store.errors import BadInput
from store.memory import Problem
from store.places import config_home

FILE = "formats.toml"
Shape = Literal["lines", "document", "path"]
Where = Literal["line", "list", "object", "string", "tables"]
_SHAPES: Mapping[str, Shape] = {
    "line": "lines",
    "list": "document",
    "object": "document",
    "string": "document",
    "tables": "path",
}
_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,39}")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a tool keeps its transcripts: patterns below a root.

    The root is what the variable `env` names, else `home` below the home folder; `home` may also be absolute. `id`
    finds a session's name in a path, `project` is how many folders above the file the project's one lies (0: none).
    """

    files: tuple[str, ...]
    home: str = ""
    env: str = ""
    id: re.Pattern[str] | None = None
    project: int = 0

    def root(self, home: Path, environ: Mapping[str, str]) -> Path:
        """The folder that the patterns start from."""
        return Path(environ.get(self.env, "").strip() or home / self.home) if self.env else home / self.home


@dataclass(frozen=True, slots=True)
class Fields:
    """Which field of a record says what, for formats that need no reader of their own; names may be dotted.

    `person`, `model` and `tool` are values of `role`; without `role` all text is the person's. `messages` names the
    list in a document, or in a line that is a whole conversation. Text that begins like one of `commands` is a command.
    """

    text: str
    role: str = ""
    time: str = ""
    id: str = ""
    session: str = ""
    project: str = ""
    messages: str = ""
    person: tuple[str, ...] = ("user", "human")
    model: tuple[str, ...] = ("assistant", "model")
    tool: tuple[str, ...] = ("tool", "function")
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Format:
    """One kind of transcript. See the head of `formats.toml`."""

    name: str
    what: str
    tool: str
    shapes: tuple[Shape, ...] = ("lines",)
    reader: str = ""
    fields: Fields | None = None
    lists: bool = False
    inside: tuple[str, ...] = ()
    fallback: str = ""
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """How a file is told. `format` is "" for what is known and not read as a transcript; `what` is it for people."""

    format: str
    what: str
    where_it_is: Where
    shape: Shape
    has: frozenset[str] = frozenset()
    any: frozenset[str] = frozenset()
    where: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def fits(self, data: Mapping[str, Any]) -> bool:
        """Whether an object with these keys is what the rule is about."""
        return (
            self.has <= data.keys()
            and (not self.any or not self.any.isdisjoint(data))
            and all(isinstance(data.get(key), str) and data[key] in wanted for key, wanted in self.where.items())
        )


@dataclass(frozen=True, slots=True)
class Formats:
    """The whole table. `never` are names of files that are left alone unless a person names them."""

    by_name: Mapping[str, Format]
    rules: tuple[Rule, ...] = ()
    never: frozenset[str] = frozenset()

    @property
    def names(self) -> tuple[str, ...]:
        """The names that a person may give, in the order of the table."""
        return tuple(self.by_name)

    def get(self, name: str) -> Format:
        """The format of that name; raises `BadInput` with those that there are."""
        if name not in self.by_name:
            raise BadInput(f"{name!r} is no format; the formats are {', '.join(self.by_name)}.")
        return self.by_name[name]

    @property
    def variables(self) -> frozenset[str]:
        """The environment variables that move a usual place."""
        return frozenset(place.env for one in self.by_name.values() for place in one.places if place.env)

    def rules_in(self, where: Where) -> Iterable[Rule]:
        """The rules for one kind of thing, in their order."""
        return (rule for rule in self.rules if rule.where_it_is == where)


def own_file() -> Path:
    """Where a person's own formats and places stand."""
    return config_home() / FILE


def load(extra: Path | None = None) -> Formats:
    """The packaged table with the person's own file `extra` joined to it, where that exists.

    Raises `BadInput` with the line when that file cannot be used.
    """
    if extra is None or not extra.is_file():
        return packaged()
    return load_table(extra, lambda data: build(data, packaged()))


def load_own() -> tuple[Formats, tuple[Problem, ...]]:
    """The table with what the person's config folder adds; a file that cannot be used adds nothing and is told."""
    path = own_file()
    try:
        return load(path), ()
    except BadInput as error:
        return packaged(), (Problem(str(path), f"{error} Until then only the built-in formats are known."),)


@cache
def packaged() -> Formats:
    """The table that comes with Memdesk."""
    return build(tomllib.loads(files("pipeline.formats").joinpath(FILE).read_text(encoding="utf-8")))


def build(data: Mapping[str, Any], base: Formats | None = None) -> Formats:
    """The table of parsed TOML, joined to `base`: its formats get more places, its rules come first.

    Raises `Fault`.
    """
    _only(data, {"format", "told"} if base else {"format", "told", "never"}, "", 0)
    found = dict(base.by_name) if base else {}
    for name, entry in _mapping(data.get("format", {}), "format").items():
        known = found.get(name) if base else None
        found[name] = _more_places(known, name, entry) if known else _format(name, entry, own=base is not None)
    told = data.get("told", [])
    if not isinstance(told, list):
        raise Fault("write each rule as [[told]]", "told")
    rules = [_rule(place, entry, found) for place, entry in enumerate(told)]
    return Formats(
        found,
        (*rules, *(base.rules if base else ())),
        base.never if base else frozenset(_texts(data.get("never", []), "", 0, "never")),
    )


def _format(name: str, entry: Any, own: bool) -> Format:
    header = f"format.{name}"
    data = _mapping(entry, header)
    keys = {one.name for one in fields(Format)} - {"name"} - ({"reader", "lists", "fallback"} if own else set())
    _only(data, keys, header, 0)
    if not _NAME.fullmatch(name):
        raise Fault(f"{name!r} cannot be a format's name; use small letters, digits, dots and hyphens", header)
    given = {"name": name, "what": f"a transcript of {name}", "tool": name} | dict(data)
    for key in ("what", "tool", "reader", "fallback"):
        _text(given.get(key, ""), header, 0, key)
    shapes = _texts(given.get("shapes", ["lines"]), header, 0, "shapes")
    if not shapes or not set(shapes) <= set(get_args(Shape)) - ({"path"} if own else set()):
        raise Fault('shapes are "lines" and "document"', header, 0, "shapes")
    mapped = _fields(name, data["fields"]) if "fields" in data else None
    if mapped is None and not given.get("reader"):
        raise Fault(
            f"a new format needs [format.{name}.fields] with text = the name of the field that holds it", header
        )
    given |= {"shapes": shapes, "fields": mapped, "places": _places(name, data.get("places", []))}
    return Format(**given | {"inside": _texts(data.get("inside", []), header, 0, "inside")})


def _more_places(known: Format, name: str, entry: Any) -> Format:
    data = _mapping(entry, f"format.{name}")
    _only(data, {"places"}, f"format.{name}", 0)
    return replace(known, places=(*known.places, *_places(name, data.get("places", []), known)))


def _fields(name: str, entry: Any) -> Fields:
    header = f"format.{name}.fields"
    data = dict(_mapping(entry, header))
    _only(data, {one.name for one in fields(Fields)}, header, 0)
    for key, value in data.items():
        several = key in {"person", "model", "tool", "commands"}
        data[key] = _texts(value, header, 0, key) if several else _text(value, header, 0, key)
    if not data.get("text"):
        raise Fault("text is missing: the name of the field that holds what was said", header)
    return Fields(**data)


def _places(name: str, entries: Any, known: Format | None = None) -> tuple[Place, ...]:
    if not isinstance(entries, list):
        raise Fault("places is a list of patterns", f"format.{name}", 0, "places")
    return tuple(_place(name, place, entry, known) for place, entry in enumerate(entries))


def _place(name: str, number: int, entry: Any, known: Format | None) -> Place:
    """A place of the table; a pattern alone is taken as one whose session names are found as at the first place."""
    if isinstance(entry, str):
        first = known.places[0] if known and known.places else Place(())
        root, below = _split(entry, name)
        return Place((below,), root, "", first.id, first.project)
    header = f"format.{name}.places"
    data = dict(_mapping(entry, header))
    _only(data, {one.name for one in fields(Place)}, header, number)
    for key in ("home", "env"):
        _text(data.get(key, ""), header, number, key)
    data["files"] = _texts(data.get("files", []), header, number, "files")
    if not data["files"] or any(".." in Path(one).parts or Path(one).is_absolute() for one in data["files"]):
        raise Fault("files is a list of patterns below the root, such as *.jsonl", header, number, "files")
    if not isinstance(data.get("project", 0), int):
        raise Fault("project is a number of folders", header, number, "project")
    try:
        data["id"] = re.compile(_text(data["id"], header, number, "id")) if "id" in data else None
    except re.error as error:
        raise Fault(f"id is no regular expression ({error})", header, number, "id") from error
    return Place(**data)


def _split(pattern: str, name: str) -> tuple[str, str]:
    """A whole pattern as its root, absolute or below the home folder, and what follows it."""
    path = Path(pattern.removeprefix("~/"))
    parts = path.parts
    wild = next((place for place, part in enumerate(parts) if any(mark in part for mark in "*?[")), len(parts) - 1)
    if not (pattern.startswith("~/") or path.is_absolute()) or ".." in parts or wild < 0:
        raise Fault(f"{pattern!r} is no place; begin it with ~/ or /", f"format.{name}", 0, "places")
    return str(Path(*parts[:wild])) if wild else "", str(Path(*parts[wild:]))


def _rule(number: int, entry: Any, known: Mapping[str, Format]) -> Rule:
    data = _mapping(entry, "told")
    _only(data, {"format", "refused", "in", "has", "any", "where", "shape"}, "told", number)
    name, refused = (_text(data.get(key, ""), "told", number, key) for key in ("format", "refused"))
    where = data.get("in", "line")
    if where not in _SHAPES:
        raise Fault(f"in is one of {', '.join(_SHAPES)}", "told", number, "in")
    if name not in known and not refused:
        raise Fault(f"{name!r} is no format of this table" if name else "a rule needs format", "told", number, "format")
    values = _mapping(data.get("where", {}), "told.where")
    rule = Rule(
        "" if refused else name,
        refused or known[name].what,
        where,
        data.get("shape", _SHAPES[where]),
        frozenset(_texts(data.get("has", []), "told", number, "has")),
        frozenset(_texts(data.get("any", []), "told", number, "any")),
        {key: frozenset(_texts(wanted, "told", number, "where")) for key, wanted in values.items()},
    )
    if not (rule.has or rule.any or rule.where):
        raise Fault("a rule needs has, any or where, or every file would fit it", "told", number)
    return rule


def _mapping(value: Any, header: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Fault(f"{header} is a table", header)
    return value


def _only(data: Mapping[str, Any], allowed: Iterable[str], header: str, place: int) -> None:
    for key in data:
        if key not in allowed:
            raise Fault(f"{key} is not known here; there are {', '.join(sorted(allowed))}", header or key, place, key)


def _text(value: Any, header: str, place: int, key: str) -> str:
    if not isinstance(value, str):
        raise Fault(f"{key} is a text in quotes", header, place, key)
    return value


def _texts(value: Any, header: str, place: int, key: str) -> tuple[str, ...]:
    listed = value if isinstance(value, list | tuple) else [value]
    return tuple(_text(one, header, place, key) for one in listed)
