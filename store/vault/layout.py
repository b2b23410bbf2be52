"""Where the files of a bank lie and how they are named (`spec/bank.md` §2, 4, with bank-D06, D11 and D39)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from itertools import count
from typing import Literal

from store.access import path_owner, safe_id
from store.errors import BadInput
from store.layered import Layered
from store.memory import TYPE_FOLDERS, State

ENTRY_NAME = re.compile(r"(\d{4}-\d{2}-\d{2})-(\d{4,})\.md(?:\.enc)?", re.ASCII)
"""Names that take part in numbering; upstream reads four digits, files past 9999 exist all the same (bank-D06)."""
LAST_NUMBER = 9999
PRIVATE_FOLDERS = ("prefs", "bounds", "commits")
SUFFIXES = (".md", ".md.enc")
STAMP = re.compile(r"(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})-(\d{3})Z", re.ASCII)
MONTH = re.compile(r"/(\d{4}/\d{2})/[^/]*$", re.ASCII)


@dataclass(frozen=True, slots=True)
class Numbers:
    """Which file numbers were ever given, by type folder (`facts`, `private/aria/prefs`), and by day within it.

    Made from every path known: live, archive, trash, history, aliases; a name in history is never given again
    (`decisions.md` §2.1, bank-D06).
    """

    highest: Layered[str, int]
    days: Layered[tuple[str, str], frozenset[int]]

    @classmethod
    def of(cls, paths: Iterable[str]) -> Numbers:
        """The numbers that these paths use up."""
        highest: dict[str, int] = {}
        days: dict[tuple[str, str], set[int]] = {}
        for path in paths:
            if (used := _used(path)) is None:
                continue
            folder, day, number = used
            if number <= LAST_NUMBER:
                highest[folder] = max(number, highest.get(folder, 0))
            days.setdefault((folder, day), set()).add(number)
        return cls(Layered(highest), Layered({key: frozenset(numbers) for key, numbers in days.items()}))

    def with_path(self, path: str) -> Numbers:
        """The numbers after one more path; the same object for a path that takes no part."""
        used = _used(path)
        if used is None:
            return self
        folder, day, number = used
        highest = self.highest
        if highest.get(folder, 0) < number <= LAST_NUMBER:
            highest = highest.with_changes({folder: number})
        numbers = self.days.get((folder, day), frozenset()) | {number}
        return Numbers(highest, self.days.with_changes({(folder, day): numbers}))

    def next(self, folder: str, day: str) -> int:
        """The number of the next name in a type folder (`spec/bank.md` §4.2); past 9999 the day's lowest free one."""
        highest = self.highest.get(folder, 0)
        if highest < LAST_NUMBER:
            return highest + 1
        taken = self.days.get((folder, day), frozenset())
        free = next((number for number in range(1, LAST_NUMBER + 1) if number not in taken), None)
        if free is None:
            raise BadInput(f"All {LAST_NUMBER} names of {day} in {folder} are used up; write the memory tomorrow.")
        return free


def check_type(type: str) -> None:
    """Raise `BadInput` for a word that is no type of memory (`spec/bank.md` §5)."""
    if type not in TYPE_FOLDERS:
        raise BadInput(f"There is no type {type or 'without a name'!r}; use one of {', '.join(TYPE_FOLDERS)}.")


def type_folder(type: str, owner: str) -> str:
    """The folder of a type's files: `facts`, or `private/<owner>/prefs` … (`spec/bank.md` §2.1).

    Raises `BadInput` for an unknown type, or a private one without an owner that can be a folder's name (§6.1).
    """
    check_type(type)
    if type == "FACT":
        return "facts"
    if not safe_id(owner) or owner != owner.encode("utf-8", "replace").decode("utf-8"):
        if not owner:
            raise BadInput(f"A {type} needs an owner; say whose it is (--owner NAME on the command line).")
        raise BadInput(f"A {type} needs an owner whose name can be a folder: 1 to 128 characters without / or \\.")
    return f"private/{owner}/{TYPE_FOLDERS[type]}"


def new_path(type: str, owner: str, day: str, numbers: Numbers) -> str:
    """The path of a new memory, in the layered generation (`spec/bank.md` §2.2, 4).

    `day` is the local calendar date `YYYY-MM-DD`. Raises `BadInput` for a type, owner or day that cannot be one.
    """
    folder = type_folder(type, owner)
    try:
        proper = date.fromisoformat(day).isoformat() == day
    except ValueError:
        proper = False
    if not proper:
        raise BadInput(f"{day!r} is no date; write it as YYYY-MM-DD.")
    return f"{folder}/{day[:4]}/{day[5:7]}/{day}-{numbers.next(folder, day):04d}.md"


def made_at(path: str) -> str:
    """The path at which a file was made, read from where it lies now: without trash, archive and `.enc`."""
    if path.startswith(".trash/"):
        path = path.split("/", 2)[-1]
    if path.startswith((".archive/facts/", ".archive/private/")):
        path = path.removeprefix(".archive/")
    return path.removesuffix(".enc") if path.endswith(".md.enc") else path


def state_of(path: str) -> State:
    """Whether a path lies in the live tree, the archive or the trash."""
    if path.startswith(".trash/"):
        return "trashed"
    return "archived" if path.startswith(".archive/") else "live"


def archive_path(path: str) -> str:
    """Where a file goes when it is archived (`spec/bank.md` §2.5): its type folder, with its `YYYY/MM` if it has one.

    The folder decides, not the type named in the file, so that nothing private becomes public (bank-D15). The caller
    makes the path unique with `unused`.
    """
    origin = made_at(path)
    month = MONTH.search(origin)
    parts = origin.split("/")
    folder = "/".join(parts[:3]) if path_owner(origin) else parts[0]
    middle = f"{month[1]}/" if month else ""
    suffix = ".enc" if path.endswith(".md.enc") else ""
    return f".archive/{folder}/{middle}{parts[-1]}{suffix}"


def stamp(instant: datetime) -> str:
    """The name of a trash folder: the instant in UTC with milliseconds (`spec/bank.md` §14.1)."""
    text = instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return text.replace(":", "-").replace(".", "-")


def trash_path(path: str, stamp: str) -> str:
    """Where a file goes when it is forgotten (`spec/bank.md` §14.1)."""
    return f".trash/{stamp}/{path}"


def trashed_at(path: str) -> str:
    """When a file in the trash was forgotten, as an ISO instant in UTC; "" when its folder does not say."""
    parts = path.split("/")
    found = STAMP.fullmatch(parts[1]) if parts[0] == ".trash" and len(parts) > 2 else None
    return f"{found[1]}T{found[2]}:{found[3]}:{found[4]}.{found[5]}Z" if found else ""


def unused(path: str, taken: Callable[[str], bool]) -> str:
    """The path itself, or the first of `<stem>.2.md`, `<stem>.3.md` … that is not taken (bank-D39)."""
    if not taken(path):
        return path
    suffix = next(suffix for suffix in (".md.enc", ".md", "") if path.endswith(suffix))
    stem = path.removesuffix(suffix)
    return next(name for name in (f"{stem}.{n}{suffix}" for n in count(2)) if not taken(name))


def is_entry_path(path: str) -> bool:
    """Whether a bank-relative path is an entry of the live tree (`spec/bank.md` §2.3)."""
    parts = path.split("/")
    if not is_entry_name(parts[-1]) or any(part in {"", ".", ".."} for part in parts):
        return False
    if parts[0] == "facts":
        return len(parts) > 1
    return parts[0] == "private" and len(parts) > 3 and parts[2] in PRIVATE_FOLDERS


def is_entry_name(name: str) -> bool:
    """Whether a file of this name is an entry; the shadow files of macOS (`._…`) are not."""
    return name.endswith(SUFFIXES) and not name.startswith("._")


@dataclass(frozen=True, slots=True)
class Twins:
    """Files of one identity in two layouts (`spec/bank.md` §2.6); `kept` are the paths that the index keeps."""

    state: Literal["duplicate", "conflict", "unverified"]
    paths: tuple[str, ...]
    kept: tuple[str, ...]


def twin_groups(owners: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Live paths that share an identity, deepest first, then in path order (`spec/bank.md` §2.6).

    `owners` maps each live path to the front-matter owner of its file ("" when it cannot be read).
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for path in owners:
        name = path[path.rfind("/") + 1 :]
        if path.count("/") > 0 and ENTRY_NAME.fullmatch(name):
            groups.setdefault((_folder(path), name.removesuffix(".enc")), []).append(path)
    found = []
    for (folder, _), paths in groups.items():
        if len(paths) > 1:
            by_owner: dict[str, list[str]] = {}
            for path in paths:
                by_owner.setdefault(owners[path] if folder == "facts" else "", []).append(path)
            found += [group for group in by_owner.values() if len(group) > 1]
    return [tuple(sorted(group, key=lambda path: (-path.count("/"), path))) for group in found]


def judge(paths: tuple[str, ...], data: Mapping[str, bytes | None]) -> Twins:
    """What the files of one identity are to each other; line ends do not count (`spec/bank.md` §2.6).

    `paths` come deepest first (`twin_groups`); `data` holds the bytes of each, None for one that cannot be read.
    An encrypted file is compared by its raw bytes: equal is a duplicate, different is unverified.
    """
    texts = {path: found.replace(b"\r\n", b"\n") for path in paths if (found := data.get(path)) is not None}
    if len(texts) == len(paths) and len(set(texts.values())) == 1:
        return Twins("duplicate", paths, paths[:1])
    opaque = len(texts) < len(paths) or any(path.endswith(".enc") for path in paths)
    return Twins("unverified" if opaque else "conflict", paths, paths)


def _folder(path: str) -> str:
    """The type folder of a path as it was made."""
    parts = path.split("/")
    return "/".join(parts[:3]) if parts[0] == "private" else parts[0]


def _used(path: str) -> tuple[str, str, int] | None:
    """Type folder, day and number that a path uses up, or None when it takes no part in numbering."""
    found = ENTRY_NAME.fullmatch(path, path.rfind("/") + 1)
    if not found or len(found[2]) > 9:
        return None
    return _folder(made_at(path)), found[1], int(found[2])
