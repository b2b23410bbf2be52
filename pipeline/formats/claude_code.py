"""Claude Code transcripts (`spec/formats.md` §2.1): one JSON object a line, most of role "user" not typed by anyone."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from pipeline.formats.branches import ABANDONED as LEFT
from pipeline.formats.branches import NOBODY, Tree
from pipeline.formats.claude_answers import Call, call_of, words_of
from pipeline.formats.content import KEPT_OF_MODEL, blocks, clip, mapping, string, text_of
from pipeline.formats.copies import CHANGED, Seen
from pipeline.formats.envelopes import pieces
from pipeline.formats.lines import Item, Record
from pipeline.formats.numbers import Numbers
from pipeline.formats.session import Author, Damage, Session
from pipeline.formats.source import Frame, Source, Words, bounded, project_of
from pipeline.formats.turns import ABANDONED, INHERITED, TurnLog, byte_of

NAME = "claude-code"
TYPES = frozenset(
    {
        *("user", "assistant", "system", "summary", "attachment", "queue-operation", "progress", "last-prompt"),
        *("file-history-snapshot", "custom-title", "ai-title", "permission-mode", "pr-link"),
    }
)
"""Record types by which the format is recognised (`spec/formats.md` §2.1)."""

_SPOKEN = frozenset({"user", "assistant"})
_PROMPTS = frozenset({Author.TYPED, Author.COMMAND})
_BARE_COMMAND = re.compile(r"/[\w:-]+")


CALLS_KEPT = 1_000
"""Tool calls that wait for their result; of more the oldest are forgotten, as calls that were interrupted."""
_STEPS = 1 << 14
"""Turns between two looks at whether to stop."""


class _Reading:
    """What has been gathered while the records go by: some bytes for each, however long the file."""

    def __init__(self, source: Source) -> None:
        self.frame = Frame(source)
        self.turns = TurnLog()
        self.compactions: list[int] = []
        self.ids = Numbers()
        self.seen, self.tree = Seen(self.ids), Tree(self.ids)
        self.calls: dict[str, Call] = {}
        self.messages = Numbers()
        """Assistant messages, and the place of the turn of each: several lines may be one message."""
        self.places = array("I")
        self.records = array("i")
        """The record of each turn by its number in the tree, -1 for one without an id."""
        self.stem = source.stem
        self.named_agent = source.path.name.startswith("agent-")
        self.origins = _Origins(source.stem)
        self.cwd = self.branch = self.agent = ""
        self.spoken = self.foreign = 0
        """Records of a conversation, and how many of them belong to a sub-agent."""
        self.boundary = False
        self.before: tuple[str, int] = "", NOBODY
        """The id of the record before and its number: nearly always the parent of the next."""
        self.of_agent = False
        """Whether the record at hand belongs to a sub-agent."""


class _Origins:
    """Which session the records say that they belong to: the file's own, the one that its name tells, or another."""

    def __init__(self, stem: str) -> None:
        self._stem, self._session, self._other = stem, "", False
        self.first = ""
        self.own_met = False
        self.parent = ""
        self._own_from: int | None = None
        self._parent_at = 0
        self.others = bytearray()
        """For each turn whether its record carries another session's id."""

    def met(self, session: str) -> None:
        """The record at hand carries this id, "" for none."""
        if session != self._session:
            self._session, self._other = session, session not in {"", self._stem}
            self.first = self.first or session
            self.own_met = self.own_met or session == self._stem != ""

    def turn(self) -> None:
        """It gives a turn."""
        other = self._other
        if other and not self.parent:
            self.parent, self._parent_at = self._session, len(self.others)
        elif self._own_from is None and not other and self._session:
            self._own_from = len(self.others)
        self.others.append(other)

    @property
    def own(self) -> str:
        """The file's session."""
        return self._stem if self.own_met else self.first or self._stem

    @property
    def copied(self) -> int:
        """How many turns stand ahead of the file's own records; those of them that are another's were copied.

        Only where the file's name says which session is its own; otherwise nothing is claimed, so that nothing is lost.
        """
        return self._own_from or 0

    @property
    def copied_from(self) -> str:
        """The session that a resumed or forked one copied from, "" for none."""
        return self.parent if self._parent_at < self.copied else ""


def read(items: Iterable[Item], source: Source) -> tuple[Session, ...]:
    """The one session of a transcript. Damaged lines are in its `damage`; nothing is raised for them."""
    reading = _Reading(source)
    for item in reading.frame.records(items):
        _record(reading, item)
    return (_session(reading),)


def _record(reading: _Reading, record: Record) -> None:
    data = record.data
    kind = string(data.get("type"))
    reader = _READERS.get(kind)
    _about(reading, data, kind)
    said = reader(reading, data) if reader is not None else []
    if kind == "system" or data.get("isCompactSummary"):
        _compaction(reading, record, kind)
    uuid = data.get("uuid")
    number = reading.ids.of(uuid) if uuid and isinstance(uuid, str) else -1
    if number >= 0:
        _grow_tree(reading, data, kind, number, said)
    if kind == "assistant" and said and said[0].author is Author.MODEL:
        message = string(mapping(data.get("message")).get("id"))
        said = _continue_message(reading, message, said) if message else said
    _keep(reading, record, number, said)


def _about(reading: _Reading, data: dict[str, Any], kind: str) -> None:
    """What the record's fields say of the session, and whether the record belongs to a sub-agent (rule 1)."""
    reading.origins.met(string(data.get("sessionId")))
    if not reading.cwd:
        reading.cwd = string(data.get("cwd"))
    if not reading.branch:
        reading.branch = string(data.get("gitBranch"))
    agent = data.get("agentId")
    reading.of_agent = bool(reading.named_agent or agent or data.get("isSidechain"))
    if kind in _SPOKEN:
        reading.spoken += 1
        reading.foreign += reading.of_agent
        if agent and not reading.agent:
            reading.agent = string(agent)


def _compaction(reading: _Reading, record: Record, kind: str) -> None:
    """Whether the record marks a compaction: a boundary, or the summary where older versions wrote no boundary."""
    if kind in _SPOKEN:
        _mark_compaction(reading, record, boundary=False)
    elif kind == "system" and record.data.get("subtype") == "compact_boundary":
        _mark_compaction(reading, record, boundary=True)


def _mark_compaction(reading: _Reading, record: Record, *, boundary: bool) -> None:
    """One mark a compaction: at its boundary, or at the summary where older versions wrote no boundary."""
    if boundary or not reading.boundary:
        reading.compactions.append(record.line)
    reading.boundary = boundary


def _grow_tree(reading: _Reading, data: dict[str, Any], kind: str, number: int, said: list[Words]) -> None:
    parent = string(data.get("parentUuid")) or string(data.get("logicalParentUuid"))
    before, above = reading.before
    if parent != before:
        above = reading.ids.of(parent) if parent else NOBODY
    reading.before = data["uuid"], number
    prompt = kind == "user" and any(words.author in _PROMPTS for words in said)
    new = reading.tree.take(number, above, prompt=prompt)
    if new and kind in _SPOKEN and not reading.of_agent:
        reading.tree.last = number


def _continue_message(reading: _Reading, message: str, said: list[Words]) -> list[Words]:
    """Joins the text of a streamed message, said first, to what earlier lines said of it; gives back the rest.

    A line may repeat the message so far, then the longest text wins, or bring its next block.
    """
    text, number = said[0].text, reading.messages.of(message)
    if number == len(reading.places):
        reading.places.append(len(reading.turns))
    place = reading.places[number]
    if place >= len(reading.turns):
        return said
    before = reading.turns[place].text
    if text not in before:
        joined = clip(text if before in text else f"{before}\n{text}", KEPT_OF_MODEL)
        if joined != before:
            reading.turns.rewrite(place, joined)
    return said[1:]


def _keep(reading: _Reading, record: Record, number: int, said: list[Words]) -> None:
    """Keeps the turns of a record; `number` is that of its id, -1 when it has none."""
    data, ref = record.data, f"line {record.line}"
    kept = [(words.author, bounded(words)) for words in said]
    if number >= 0 and said:
        told, ref = reading.seen.told(number, tuple(kept)), data["uuid"]
        if told == "same":
            return
        if told == "changed":
            reading.frame.damaged(Damage(record.line, record.offset, CHANGED))
    at, doubtful = reading.frame.time(data.get("timestamp"))
    for words, (author, text) in zip(said, kept, strict=True):
        byte = byte_of(author, doubtful)
        reading.turns.add(record.line, byte, at, (ref, words.reason, "", words.question, text))
        reading.records.append(number)
        reading.origins.turn()


def _user(reading: _Reading, data: dict[str, Any]) -> list[Words]:
    """The rules for `user` records, in their order."""
    message = mapping(data.get("message"))
    content = message.get("content")
    apart = _set_apart(reading, data, string(message.get("role")))
    said: list[Words] = []
    parts = blocks(content)
    results = sum(block.get("type") == "tool_result" for block in parts)
    for block in parts:
        kind = block.get("type")
        if kind == "text":
            said.extend(_text(reading, block, apart))
        elif kind == "tool_result":
            said.extend(_result(reading, data, block, alone=results == 1 and apart is None))
        elif kind == "document":
            data_of = string(mapping(block.get("source")).get("data"))
            plain = mapping(block.get("source")).get("type") == "text"
            said.append(Words(Author.DOCUMENT, data_of if plain else "", "document"))
    return said


def _set_apart(reading: _Reading, data: dict[str, Any], role: str) -> tuple[Author, str] | None:
    """The author that the record's own fields give to all of its text, None when the text itself must be asked."""
    if reading.of_agent or data.get("isSidechain") or data.get("agentId"):
        return Author.OTHER_AGENT, "sub-agent prompt"
    if data.get("isCompactSummary"):
        return Author.SUMMARY, "compact summary"
    if data.get("isMeta") or data.get("isVisibleInTranscriptOnly") or data.get("promptSource") == "system":
        return Author.INJECTED, "added by the harness"
    if (origin := string(mapping(data.get("origin")).get("kind"))) not in {"", "human"}:
        return Author.OTHER_AGENT if origin == "peer" else Author.INJECTED, f"origin {origin}"
    if role not in {"", "user"}:
        return Author.INJECTED, f"role {role}"
    if data.get("toolUseResult") is not None and isinstance(mapping(data.get("message")).get("content"), str):
        return Author.TOOL, "tool_result"
    return None


def _text(reading: _Reading, block: dict[str, Any], apart: tuple[Author, str] | None) -> list[Words]:
    text = string(block.get("text"))
    split = pieces(text, reading.frame.source.table)
    if apart is None:
        return [Words(piece.author, piece.text, piece.reason) for piece in split]
    author, reason = apart
    named = split[0].reason if split and author is Author.INJECTED else ""
    return [Words(author, text.strip(), named or reason)] if text.strip() else []


def _result(reading: _Reading, data: dict[str, Any], block: dict[str, Any], *, alone: bool) -> list[Words]:
    call = reading.calls.pop(string(block.get("tool_use_id")), None)
    if not alone and _set_apart(reading, data, "") is not None:
        return [Words(Author.TOOL, text_of(block.get("content")), "tool_result")]
    outcome = data.get("toolUseResult") if alone else None
    return words_of(block, call, outcome, data.get("toolDenialKind"), reading.frame.source.table)


def _assistant(reading: _Reading, data: dict[str, Any]) -> list[Words]:
    content = mapping(data.get("message")).get("content")
    author, reason = Author.MODEL, ""
    if reading.of_agent:
        author, reason = Author.OTHER_AGENT, "sub-agent report"
    elif data.get("isCompactSummary"):
        author, reason = Author.SUMMARY, "compact summary"
    elif data.get("isApiErrorMessage"):
        author, reason = Author.INJECTED, "error of the service"
    said: list[Words] = []
    texts: list[str] = []
    for block in blocks(content):
        kind = block.get("type")
        if kind == "text" and (text := string(block.get("text"))):
            texts.append(text)
        elif kind == "tool_use":
            call = call_of(block)
            if identity := string(block.get("id")):
                _await(reading, identity, call)
            said.append(Words(Author.TOOL, call.shown, "tool call"))
    if texts:
        said.insert(0, Words(author, clip("\n".join(texts), KEPT_OF_MODEL), reason))
    return said


def _await(reading: _Reading, identity: str, call: Call) -> None:
    reading.calls[identity] = call
    if len(reading.calls) > CALLS_KEPT:
        del reading.calls[next(iter(reading.calls))]


def _system(reading: _Reading, data: dict[str, Any]) -> list[Words]:
    subtype = string(data.get("subtype"))
    if subtype == "compact_boundary":
        return [Words(Author.INJECTED, string(data.get("content")), "compact boundary")]
    if subtype == "local_command":
        return [Words(Author.INJECTED, string(data.get("content")), "local command")]
    return []


def _summary(reading: _Reading, data: dict[str, Any]) -> list[Words]:
    text = string(data.get("summary"))
    return [Words(Author.SUMMARY, text, "title")] if text else []


def _attachment(reading: _Reading, data: dict[str, Any]) -> list[Words]:
    """Text that was typed while the agent worked, or a note of the harness."""
    inner = mapping(data.get("attachment"))
    if inner.get("type") != "queued_command":
        return [Words(Author.INJECTED, string(inner.get("type")), "attachment of another type")]
    apart = _set_apart(reading, data, "") or _set_apart(reading, inner, "")
    mode = inner.get("commandMode")
    if apart is None and mode not in {None, "prompt"}:
        apart = (Author.COMMAND, "shell passthrough") if mode == "bash" else (Author.INJECTED, "queued by the harness")
    texts = [block for block in blocks(inner.get("prompt")) if block.get("type") == "text"]
    said = [words for block in texts for words in _text(reading, block, apart)]
    return [
        replace(words, author=Author.COMMAND, reason="slash command")
        if words.author is Author.TYPED and _BARE_COMMAND.fullmatch(words.text)
        else words
        for words in said
    ]


_READERS: dict[str, Callable[[_Reading, dict[str, Any]], list[Words]]] = {
    "user": _user,
    "assistant": _assistant,
    "system": _system,
    "summary": _summary,
    "attachment": _attachment,
}


def _session(reading: _Reading) -> Session:
    frame, stem, origins = reading.frame, reading.stem, reading.origins
    own = origins.own
    subagent = stem.startswith("agent-") or (reading.spoken > 0 and reading.foreign == reading.spoken)
    _mark(reading)
    project, worktree = project_of(reading.cwd)
    return Session(
        format=NAME,
        id=f"{own}:{stem if stem.startswith('agent-') else f'agent-{reading.agent}'}" if subagent else own,
        path=str(frame.source.path),
        turns=reading.turns.sealed(),
        project=project,
        branch=worktree or reading.branch,
        started=frame.started,
        ended=frame.ended,
        compactions=tuple(reading.compactions),
        damage=frame.report(),
        subagent=subagent,
        parent=own if subagent else origins.copied_from,
        read_to=frame.read_to,
    )


def _mark(reading: _Reading) -> None:
    """Marks the turns of branches that were left and those that were copied from another session."""
    go_on, others = reading.frame.source.go_on, reading.origins.others
    places = reading.tree.places(go_on)
    for place in range(reading.origins.copied):
        if others[place]:
            reading.turns.mark(place, INHERITED)
    if LEFT not in places:
        return
    for place, number in enumerate(reading.records):
        if place % _STEPS == 0:
            go_on()
        if number >= 0 and places[number] == LEFT:
            reading.turns.mark(place, ABANDONED)
