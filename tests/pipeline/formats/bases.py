"""What the fuzz tests break: a file of every format, how it is read, and what the person wrote in it."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.formats.head import LINES, PATH, WHOLE_DOCUMENT, Recognised
from pipeline.formats.read import read, sessions
from pipeline.formats.session import EVIDENCE_AUTHORS, Session
from pipeline.formats.table import Formats, build, packaged
from store.errors import BadInput
from tests.pipeline.formats import base_files as files
from tests.pipeline.formats.writing import dump, source

MEMORY = Path("/dev/shm")
"""Where there is one, a folder in memory: these stores are written thousands of times."""
FORMATS: Formats = build(
    {
        "format": {
            "mapped": {
                "shapes": ["lines", "document"],
                "fields": {
                    "role": "who",
                    "text": "body",
                    "id": "n",
                    "session": "talk",
                    "time": "at",
                    "messages": "turns",
                },
            }
        }
    },
    packaged(),
)
"""The packaged formats, and one that a table maps."""


@dataclass(frozen=True)
class Base:
    """One file: `value` are its lines, its document, or its files by name; `want` are the person's words in it.

    `decisive` are fields that say who wrote something: without them nobody can know, so they keep what they hold.
    """

    format: str
    shape: str
    value: Any
    want: tuple[str, ...]
    decisive: frozenset[str]

    def data(self, value: Any) -> bytes:
        """The bytes of such a file with another value."""
        if self.shape == LINES and isinstance(value, list):
            return dump(value)
        return json.dumps(value).encode()


def found_in(base: Base, data: bytes) -> list[str]:
    """What the person wrote in a file of these bytes, nothing where it is refused."""
    try:
        if base.shape == PATH:
            return _stored(base, json.loads(data))
        return evidence(sessions([data], Recognised(base.format, "", base.shape), source(), FORMATS))
    except BadInput:
        return []


def evidence(found: Iterable[Session]) -> list[str]:
    return [turn.text for one in found for turn in one.turns if turn.author in EVIDENCE_AUTHORS and not turn.abandoned]


def _stored(base: Base, value: Any) -> list[str]:
    """The words in a store of opencode: as files, which must say no more than the same in a database."""
    stored = value if isinstance(value, dict) else {}
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        for name, data in stored.items():
            path = Path(folder) / "storage" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8", errors="replace")
        words: list[str] = []
        for path in sorted(Path(folder).glob("storage/session/p/*.json")):
            try:
                words += evidence(read(path, format=base.format, formats=FORMATS))
            except BadInput:
                continue
        return words + evidence(_in_database(Path(folder) / "opencode.db", stored))


def _in_database(path: Path, stored: dict[str, Any]) -> Iterable[Session]:
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA synchronous = OFF")
        database.execute("PRAGMA journal_mode = MEMORY")
        database.execute("CREATE TABLE project(id, worktree)")
        database.execute(
            "CREATE TABLE session(id, project_id, parent_id, directory, title, time_created, time_updated)"
        )
        database.execute("CREATE TABLE message(id, session_id, time_created, data)")
        database.execute("CREATE TABLE part(id, message_id, session_id, time_created, data)")
        database.execute("INSERT INTO session VALUES ('ses_1', 'p', NULL, '/x', 'x', 1, 2)")
        database.execute("INSERT INTO session VALUES ('ses_2', 'p', 'ses_1', '/x', 'x', 1, 2)")
        for name, data in stored.items():
            kind, owner, own = name.removesuffix(".json").split("/")
            text = data if isinstance(data, str) else json.dumps(data)
            text = text.encode("utf-8", "replace").decode()
            session = "ses_2" if own in {"msg_8", "prt_80"} else "ses_1"
            if kind == "message":
                database.execute("INSERT INTO message VALUES (?, ?, 1, ?)", (own, session, text))
            elif kind == "part":
                database.execute("INSERT INTO part VALUES (?, ?, ?, 1, ?)", (own, owner, session, text))
        database.commit()
    return read(path, formats=FORMATS)


BOTH = ("first words", "last words")
BASES = {
    "claude-code": Base(
        "claude-code",
        LINES,
        files.CLAUDE,
        ("first words", "second", "blue", "stop that", "queued words", "last words"),
        frozenset(
            {
                *("type", "role", "message", "isMeta", "isSidechain", "agentId", "isCompactSummary", "promptSource"),
                *("origin", "kind", "name"),
            }
        ),
    ),
    "dsh": Base("dsh", LINES, files.DSH, BOTH, frozenset({"type", "source", "kind", "delegationDepth", "data"})),
    "openai": Base("openai", LINES, files.OPENAI, BOTH, frozenset({"type", "role"})),
    "openai document": Base("openai", WHOLE_DOCUMENT, {"messages": files.OPENAI}, BOTH, frozenset({"type", "role"})),
    "codex": Base(
        "codex",
        LINES,
        files.CODEX,
        ("first words", "blue", "last words"),
        frozenset({"type", "payload", "role", "name", "call_id", "source"}),
    ),
    "gemini-cli": Base("gemini-cli", LINES, files.GEMINI, BOTH, frozenset({"type", "displayContent", "kind", "id"})),
    "chatgpt": Base(
        "chatgpt",
        WHOLE_DOCUMENT,
        files.CHATGPT,
        BOTH,
        frozenset({"author", "role", "content_type", "metadata", "is_visually_hidden_from_conversation"}),
    ),
    "claude-ai": Base("claude-ai", WHOLE_DOCUMENT, files.CLAUDE_AI, BOTH, frozenset({"sender", "type"})),
    "letta": Base("letta", WHOLE_DOCUMENT, files.LETTA, BOTH, frozenset({"role", "type"})),
    "openclaw": Base("openclaw", LINES, files.OPENCLAW, BOTH, frozenset({"type", "role", "message"})),
    "hermes": Base("hermes", LINES, files.HERMES, BOTH, frozenset({"role"})),
    "opencode": Base(
        "opencode",
        PATH,
        files.OPENCODE,
        (*BOTH, *BOTH),
        frozenset({"type", "role", "synthetic", "ignored", "parentID", *files.OPENCODE}),
    ),
    "mapped": Base("mapped", LINES, files.MAPPED, BOTH, frozenset({"who", "type"})),
}
