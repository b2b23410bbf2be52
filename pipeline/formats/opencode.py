"""opencode sessions (`spec/formats.md` §5): messages made of parts, in a store of files or in a database."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Any

from pipeline.formats import database, opencode_database, opencode_files
from pipeline.formats.content import KEPT_OF_MODEL, clip, compact, mapping, string
from pipeline.formats.opencode_store import Meter, Part, Stored
from pipeline.formats.session import Author, Session, Turn
from pipeline.formats.source import Frame, Source, Words, bounded, words_in
from pipeline.formats.turns import ABANDONED, INHERITED, TurnLog
from store.errors import BadInput, StorageFailure

NAME = "opencode"
GLOBAL = "global"
"""The project of sessions outside any repository (`spec/formats.md` §5)."""
REQUEST = "compaction request"
REPEATED = "repeated after a compaction"
REVERTED = "reverted"
QUESTION_TOOL = "question"

_ANSWERED = "User has answered your questions"
_SHOWN = 300


@dataclass(slots=True)
class _Reading:
    """A session while its messages go by."""

    frame: Frame
    stored: Stored
    turns: TurnLog = field(default_factory=TurnLog)
    compactions: list[int] = field(default_factory=list)
    requested: bool = False
    """A compaction was asked for, and its summary has not come yet."""
    said: tuple[str, ...] = ()
    """What the person typed last, and what of it the tool types once more when it could not be compacted otherwise."""
    repeat: tuple[str, ...] = ()

    @property
    def parent(self) -> str:
        """The session of the agent that started this one, "" for a person's own."""
        return string(self.stored.about.get("parentID"))


def read_path(
    path: Path,
    source: Source,
    progress: Callable[[int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[Session, ...]:
    """The sessions of a database, of one session file, or of a folder with either store; nothing is written.

    `progress` is told the bytes read so far, `cancelled` is asked now and then. A session that is in both stores is
    taken from the database. Raises `BadInput` when nothing of opencode is there, `StorageFailure` when it cannot be
    read, `Cancelled` when `cancelled` said so.
    """
    meter = Meter(progress, cancelled)
    if path.is_dir():
        return _folder(path, source, meter)
    if path.is_file() and _is_database(path):
        return opencode_database.read(path, lambda stored: _session(stored, source), meter)
    stored = opencode_files.stored(path, meter)
    if stored is None:
        raise BadInput(f"{path} is no session of opencode that can be read; give its session file or its database.")
    return (_session(stored, source),)


def _folder(folder: Path, source: Source, meter: Meter) -> tuple[Session, ...]:
    """Every session of both stores, those of the database first."""
    found: dict[str, Session] = {}
    databases = [path for path in sorted(folder.glob("opencode*.db")) if _is_database(path)]
    for path in databases:
        for session in opencode_database.read(path, lambda stored: _session(stored, source), meter):
            found.setdefault(session.id, session)
    root = opencode_files.root_of(folder)
    if root is None and not databases:
        raise BadInput(f"{folder} holds no sessions of opencode; give its folder storage or its opencode.db.")
    for path in opencode_files.session_files(root) if root else ():
        if path.stem not in found:
            stored = opencode_files.stored(path, meter) or _unread(path)
            found[path.stem] = _session(stored, source)
    return tuple(found.values())


def _unread(path: Path) -> Stored:
    stored = Stored(path.stem, path, {}, "", [], lambda _: ())
    stored.damaged("the session's file is no JSON object")
    return stored


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(16) == database.MAGIC
    except OSError as error:
        raise StorageFailure(f"{path} cannot be read ({error.strerror or error}); check the file.") from error


def _session(stored: Stored, source: Source) -> Session:
    reading = _Reading(Frame(source), stored)
    for seq, (name, data) in enumerate(stored.messages, start=1):
        _message(reading, seq, name, data)
    _mark_reverted(reading)
    for item in stored.damage:
        reading.frame.damaged(item)
    times = mapping(stored.about.get("time"))
    frame, (project, branch) = reading.frame, _project(stored)
    return Session(
        format=NAME,
        id=clip(stored.id, 200),
        path=str(stored.path),
        turns=reading.turns.sealed(),
        project=project,
        branch=branch,
        started=frame.started if frame.started is not None else frame.time(times.get("created"))[0],
        ended=frame.ended,
        compactions=tuple(reading.compactions),
        damage=frame.report(),
        subagent=reading.parent != "",
        parent=reading.parent,
    )


def _project(stored: Stored) -> tuple[str, str]:
    """The folder of the project, and the name of the checkout where the session was held in another one of it."""
    directory = string(stored.about.get("directory"))
    if not stored.worktree.strip("/") or stored.about.get("projectID") == GLOBAL:
        return directory, ""
    inside = not directory or PurePath(directory).is_relative_to(stored.worktree)
    return stored.worktree, "" if inside else PurePath(directory).name


def _message(reading: _Reading, seq: int, name: str, data: dict[str, Any]) -> None:
    at, doubtful = reading.frame.time(mapping(data.get("time")).get("created"))
    parts = list(reading.stored.parts(name))
    role, typed = string(data.get("role")), []
    if role == "user":
        _look_for_request(reading, seq, parts)
    elif role == "assistant" and data.get("summary") is True:
        _look_for_summary(reading, seq)
    for ref, part in parts:
        for words in _words(reading, role, data, part):
            if words.text.strip() or words.reason == REQUEST:
                typed += [words.text] if words.author is Author.TYPED else []
                named = name if words.reason == REQUEST else ref
                turn = Turn(seq, named, words.author, bounded(words), at, doubtful, words.reason)
                reading.turns.append(replace(turn, question=words.question))
    if typed:
        _look_for_repeat(reading, seq, tuple(typed))


def _look_for_request(reading: _Reading, seq: int, parts: list[Part]) -> None:
    """Marks a compaction where it was asked for. One that went over the limit types the last message once more."""
    asked = next((part for _, part in parts if part.get("type") == "compaction"), None)
    if asked is not None:
        reading.compactions.append(seq)
        reading.requested = True
        reading.repeat = reading.said if asked.get("overflow") is True else ()


def _look_for_summary(reading: _Reading, seq: int) -> None:
    """Marks a compaction at its summary where older versions kept no request."""
    if not reading.requested:
        reading.compactions.append(seq)
    reading.requested = False


def _look_for_repeat(reading: _Reading, seq: int, typed: tuple[str, ...]) -> None:
    if typed == reading.repeat and not reading.requested:
        for place in range(bisect_left(reading.turns.seqs, seq), len(reading.turns)):
            _change(reading.turns, place, INHERITED, REPEATED)
    reading.repeat, reading.said = (), typed


def _words(reading: _Reading, role: str, message: dict[str, Any], part: dict[str, Any]) -> Iterator[Words]:
    """Who wrote a part: by its type first, then by the role of its message."""
    kind, text = string(part.get("type")), string(part.get("text"))
    if kind == "tool":
        yield from _tool(part, asks=reading.parent == "")
    elif kind == "subtask":
        yield Words(Author.OTHER_AGENT, string(part.get("prompt")), "subtask")
    elif kind == "compaction":
        yield Words(Author.INJECTED, "", REQUEST)
    elif kind == "file":
        yield Words(Author.DOCUMENT, string(part.get("filename")), "file")
    elif kind != "text":
        return
    elif role == "user":
        yield from _user(reading, part, text)
    elif role == "assistant":
        yield from _assistant(reading, message, text)
    else:
        yield Words(Author.INJECTED, text, clip(role, 40) or "no role")


def _user(reading: _Reading, part: dict[str, Any], text: str) -> Iterator[Words]:
    added = next((mark for mark in ("synthetic", "ignored") if part.get(mark)), "")
    if added:
        yield Words(Author.INJECTED, text, added)
    elif reading.parent:
        yield Words(Author.OTHER_AGENT, text, f"session {clip(reading.stored.id, 80)} has parent_id")
    else:
        yield from words_in(text, reading.frame.source.table)


def _assistant(reading: _Reading, message: dict[str, Any], text: str) -> Iterator[Words]:
    if message.get("summary") is True:
        yield Words(Author.SUMMARY, text, "compact summary")
    elif reading.parent:
        yield Words(Author.OTHER_AGENT, text, "sub-agent report")
    else:
        yield Words(Author.MODEL, clip(text, KEPT_OF_MODEL))


def _tool(part: dict[str, Any], *, asks: bool) -> Iterator[Words]:
    """A call and its result, or the answers of the person when the tool is the one that `asks` them."""
    name, state = string(part.get("tool")), mapping(part.get("state"))
    yield Words(Author.TOOL, f"{name} {compact(state.get('input'), _SHOWN)}".strip(), "tool call")
    answers = list(_answers(state)) if asks and name == QUESTION_TOOL else []
    yield from answers
    result = string(state.get("output")) or string(state.get("error"))
    if not answers:
        yield Words(Author.TOOL, result, "tool_result")


def _answers(state: dict[str, Any]) -> Iterator[Words]:
    """What the person answered to each question; the tool says itself whether a person did."""
    if state.get("status") != "completed" or not string(state.get("output")).startswith(_ANSWERED):
        return
    asked, given = mapping(state.get("input")).get("questions"), mapping(state.get("metadata")).get("answers")
    if not isinstance(asked, list) or not isinstance(given, list):
        return
    for question, answers in zip(asked, given, strict=False):
        for answer in answers if isinstance(answers, list) else []:
            yield Words(Author.CHOSEN, string(answer), question=string(mapping(question).get("question")))


def _mark_reverted(reading: _Reading) -> None:
    """The turns from where the person went back to are abandoned."""
    revert = mapping(reading.stored.about.get("revert"))
    message, part = string(revert.get("messageID")), string(revert.get("partID"))
    order = (seq for seq, (name, _) in enumerate(reading.stored.messages, start=1) if name == message)
    start = next(order, None)
    if start is None:
        return
    turns = reading.turns
    for place in range(bisect_left(turns.seqs, start), len(turns)):
        if turns.seqs[place] > start or turns[place].ref >= part:
            _change(turns, place, ABANDONED, REVERTED)


def _change(turns: TurnLog, place: int, mark: int, reason: str) -> None:
    """Marks a turn and says why, where nothing is said of it yet."""
    turn = turns[place]
    turns.put(place, replace(turn, reason=turn.reason or reason))
    turns.mark(place, mark)
