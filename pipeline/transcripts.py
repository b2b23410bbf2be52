"""Which transcripts there are and how far each was read: the files in the usual places beside the ledger's sessions.

Nothing of a file is read for this: names, sizes and times are enough (`spec/formats.md` §1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pipeline.extract.ledger.control import read_failure
from pipeline.extract.ledger.gaps import all_gaps
from pipeline.extract.ledger.quoting import read_quotes
from pipeline.extract.profile.rows import all_profile
from pipeline.formats import openai
from pipeline.formats.find import Found, about
from pipeline.formats.session import UNKNOWN, Session
from pipeline.formats.table import Formats, packaged
from store.changes import PutRow, Row
from store.fields import is_integer, text, whole
from store.memory import Quote
from store.view import View

State = Literal["new", "grown", "more", "settled", "nothing", "retry", "failed", "given up", "left alone"]
"""`grown`: the file is not the one that was read; `more`: windows are left for another run; `retry`: frozen once."""

_HASH = re.compile(r"[0-9a-f]{10,}")
_DECIDED = {"open": "seen once", "ready": "waits", "covered": "kept", "pending": "waits", "confirmed": "kept"}


@dataclass(frozen=True, slots=True)
class Transcript:
    """One line of the list. `id` stays the same while the file is read and evaluated.

    `key` is its identity in the ledger, "" while nobody has read it. `size` is bytes and `modified` milliseconds since
    1970, both 0 when the file is not there (`there`). `found`, `kept` and `out` are those of the last run, None before
    the first. `grown_by` are bytes that were added since, 0 when that is not known. `ours`: the person said so.
    """

    id: str
    path: str
    format: str
    name: str
    key: str = ""
    project: str = ""
    size: int = 0
    modified: int = 0
    there: bool = True
    state: State = "new"
    found: int | None = None
    kept: int | None = None
    out: int | None = None
    problem: str = ""
    last_run: int = 0
    grown_by: int = 0
    why: Mapping[str, int] = field(default_factory=dict)
    ours: bool = False

    @property
    def when(self) -> int:
        """When something last happened in it: milliseconds since 1970."""
        return self.modified or self.last_run

    @property
    def read_as(self) -> str:
        """The format that it was read as before, "" while nobody has, or the file was empty."""
        return self.format if self.key and self.format != UNKNOWN else ""

    @property
    def to_read(self) -> bool:
        """Whether a run may find something in it."""
        return self.state in ("new", "grown", "more", "retry", "failed")

    @property
    def doubtful(self) -> bool:
        """Whether the person must say first whose words it holds (`spec/formats.md` §8)."""
        return self.format == openai.NAME and not self.ours and self.found is None


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact that rests on a session: its text, what became of it in a word, and the person's words."""

    text: str
    state: str
    quotes: tuple[Quote, ...] = ()


def transcripts(
    view: View, found: Iterable[Found], sizes: Mapping[str, tuple[int, int]], formats: Formats | None = None
) -> tuple[Transcript, ...]:
    """All transcripts, newest first: `found` joined with the ledger's sessions by path, else by identity.

    `sizes` gives bytes and milliseconds of the ledger's files that are still there (`known_paths`). `formats` is the
    table by which `found` was found.
    """
    formats = packaged() if formats is None else formats
    rows = view.rows("sessions")
    by_path: dict[str, list[str]] = {}
    for key, row in rows.items():
        by_path.setdefault(text(row, "path"), []).append(key)
    projects = _projects(rows.values(), formats)
    files = {str(file.path): file for file in found}
    listed, seen = [], set()
    for path, file in files.items():
        name, folder = about(file.path, formats.get(file.format))
        guess = f"{file.format}/{name}"
        moved_here = guess in rows and guess not in seen and text(rows[guess], "path") not in files
        keys = by_path.get(path) or ([guess] if moved_here else [])
        seen.update(keys)
        state = (file.size, file.modified)
        listed += [_read(view, key, path, state, len(keys) == 1) for key in keys] or [
            _unread(file, name, _project(folder, projects))
        ]
    for key, row in rows.items():
        if key not in seen:
            path = text(row, "path")
            listed.append(_read(view, key, path, sizes.get(path), len(by_path[path]) == 1))
    return tuple(sorted(listed, key=lambda one: (-one.when, one.id)))


def known_paths(view: View) -> tuple[str, ...]:
    """The files that the ledger's sessions were read from."""
    return tuple(dict.fromkeys(filter(None, (text(row, "path") for row in view.rows("sessions").values()))))


def facts_of(view: View, transcript: Transcript) -> tuple[Fact, ...]:
    """The facts in the ledger that rest on words of this session, with those words."""
    if not transcript.key:
        return ()
    return (*_gap_facts(view, transcript), *_profile_facts(view, transcript))


def unclaimed(view: View, sessions: Iterable[Session]) -> tuple[str, ...]:
    """The files whose words nobody has called their own yet, though nothing tells whose they are."""
    rows = view.rows("sessions")
    known = {key for key, row in rows.items() if row.get("ours") is True or whole(row, "found") is not None}
    lists = (one for one in sessions if one.format == openai.NAME and one.key not in known)
    return tuple(dict.fromkeys(one.path for one in lists))


def opened(view: View, sessions: Sequence[Session]) -> tuple[PutRow, ...]:
    """The rows by which sessions that a person named, and called their own, stay in the list (`Bank.record`)."""
    rows = view.rows("sessions")
    return tuple(_opened(session, session.key in rows) for session in sessions)


def _opened(session: Session, known: bool) -> PutRow:
    fields: dict[str, Any] = {"format": session.format, "id": session.id, "path": session.path, "ours": True}
    if not known:
        fields |= {"project": session.project_name, "state": "new"}
    return PutRow("sessions", session.key, fields)


def _gap_facts(view: View, transcript: Transcript) -> list[Fact]:
    facts = []
    for gap in all_gaps(view):
        here = [seen for seen in gap.sightings if seen.session == transcript.key]
        if here:
            quotes = tuple(quote for seen in here for quote in read_quotes(seen.quotes))
            facts.append(Fact(gap.content, _DECIDED.get(gap.state, gap.state), quotes))
    return facts


def _profile_facts(view: View, transcript: Transcript) -> list[Fact]:
    facts = []
    for row in all_profile(view):
        every = read_quotes(row.quotes)
        quotes = tuple(one for one in every if f"{one.format}/{one.session}" == transcript.key)
        if quotes:
            facts.append(Fact(row.value, _DECIDED.get(row.state, row.state), quotes))
    return facts


def _unread(file: Found, name: str, project: str) -> Transcript:
    return Transcript(str(file.path), str(file.path), file.format, name, "", project, file.size, file.modified)


def _read(view: View, key: str, path: str, state: tuple[int, int] | None, alone: bool) -> Transcript:
    row = view.rows("sessions")[key]
    size, modified = state or (0, 0)
    return Transcript(
        id=path if alone and path else key,
        path=path,
        format=text(row, "format"),
        name=text(row, "id") or key,
        key=key,
        project=text(row, "project"),
        size=size,
        modified=modified,
        there=state is not None,
        state=_state(view, key, row, state),
        found=whole(row, "found"),
        kept=whole(row, "kept"),
        out=whole(row, "out"),
        problem=text(row, "problem"),
        last_run=whole(row, "lastRun") or 0,
        grown_by=max(0, size - (whole(row, "size") or size)),
        why=_counts(row.get("why")),
        ours=row.get("ours") is True,
    )


def _state(view: View, key: str, row: Row, now: tuple[int, int] | None) -> State:
    state = text(row, "state")
    if not row.get("lastRun") or state == "new":
        return "new"
    if state == "failed":
        if read_failure(view, key) is not None:
            return "retry"
        if not text(row, "reason").startswith("failure"):
            return "failed"
    if now is not None and _moved_on(row, now):
        return "grown"
    if state == "failed":
        return "given up"
    if state == "left alone":
        return "left alone"
    if row.get("more") is True:
        return "more"
    return "settled" if row.get("found") else "nothing"


def _moved_on(row: Row, now: tuple[int, int]) -> bool:
    """Whether the file is another one than was read; without its size, by the time of the run."""
    size, modified = whole(row, "size"), whole(row, "modified")
    if size is None or modified is None:
        return now[1] > (whole(row, "lastRun") or 0)
    return (size, modified) != now


def _projects(rows: Iterable[Row], formats: Formats) -> dict[str, str]:
    """The project of each folder of transcripts, as sessions that were read from it say."""
    known: dict[str, str] = {}
    for row in rows:
        path, project = text(row, "path"), text(row, "project")
        format = formats.by_name.get(text(row, "format"))
        if path and project and format is not None and (folder := about(Path(path), format)[1]) is not None:
            known[folder.as_posix()] = project
    return known


def _project(folder: Path | None, known: Mapping[str, str]) -> str:
    """The project that a folder stands for: as its sessions say, else as its name tells, which may be little.

    Of a name that stands for a path only the end can be told (`spec/formats.md` §1.3), of a hash nothing.
    """
    if folder is None:
        return ""
    name = folder.name
    if known.get(folder.as_posix()):
        return known[folder.as_posix()]
    if name.startswith("-") or "--" in name:
        return name.strip("-").rpartition("-")[2]
    return "" if _HASH.fullmatch(name) or name.startswith("_") else name


def _counts(value: Any) -> Mapping[str, int]:
    counted = value.items() if isinstance(value, Mapping) else ()
    return {str(name): int(number) for name, number in counted if is_integer(number)}
