"""A person, a script or an agent at the command line: one call in this process, its exit code and what it printed."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from store.bank import Bank
from store.changes import Changeset
from store.settings import bank_change
from tui.cli.main import run

NOW = "2026-10-12T12:00:00+00:00"
BOTH = {"agents_write": True, "yotta_index": True}
"""What the bank cases run with (`decisions.md` §8.1)."""


@dataclass(frozen=True)
class Answer:
    """How one call ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> dict[str, Any]:
        """The one object that it printed."""
        found: dict[str, Any] = json.loads(self.out)
        return found

    @property
    def memories(self) -> list[dict[str, Any]]:
        """The memories in it."""
        found: list[dict[str, Any]] = self.json["memories"]
        return found

    @property
    def subjects(self) -> list[str]:
        return [memory["subject"] for memory in self.memories]

    @property
    def id(self) -> str:
        """The id of its only memory."""
        (memory,) = self.memories
        return str(memory["id"])


class Keyboard(io.TextIOWrapper):
    """Stdin with bytes in it; `tty` says whether a person seems to type them."""

    def __init__(self, text: str, tty: bool) -> None:
        super().__init__(io.BytesIO(text.encode("utf-8", "surrogateescape")), encoding="utf-8")
        self.tty = tty

    def isatty(self) -> bool:
        return self.tty


@dataclass
class Desk:
    """Calls with `--bank` in front; `environ` is set for each call only."""

    bank: Path | None
    environ: dict[str, str] = field(default_factory=lambda: {"MEMDESK_NOW": NOW})

    def __call__(self, *words: str, stdin: str = "", tty: bool = False) -> Answer:
        before = [] if self.bank is None else ["--bank", str(self.bank)]
        return call([*before, *words], stdin, tty, self.environ)

    def json(self, *words: str, **rest: Any) -> Answer:
        """A call with `--json` that has to succeed."""
        answer = self(*words, "--json", **rest)
        assert answer.code == 0, answer
        assert answer.json["schema"] == 1
        return answer

    def at(self, now: str) -> Desk:
        """The same desk at another moment."""
        return Desk(self.bank, {**self.environ, "MEMDESK_NOW": now})

    def remember(self, *words: str) -> str:
        """Remember something new; its id."""
        return self.json("remember", *words).id

    @property
    def root(self) -> Path:
        assert self.bank is not None
        return self.bank


def call(words: list[str], stdin: str = "", tty: bool = False, environ: dict[str, str] | None = None) -> Answer:
    """One call of `memdesk`, as a shell would make it."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
    with _environment(environ or {}), redirect_stdout(out), redirect_stderr(err):
        keyboard, sys.stdin = sys.stdin, Keyboard(stdin, tty)
        try:
            code = run(words)
        finally:
            sys.stdin = keyboard
    return Answer(code, _text(out), _text(err))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    raw = stream.buffer
    assert isinstance(raw, io.BytesIO)
    return raw.getvalue().decode("utf-8")


@contextmanager
def _environment(environ: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in environ}
    os.environ.update(environ)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name)
            else:
                os.environ[name] = value


def new_desk(folder: Path, **settings: Any) -> Desk:
    """A desk before a new bank in `folder/bank`, with settings that only the workbench may switch among them."""
    desk = Desk(folder / "bank")
    assert desk("init", str(desk.bank)).code == 0
    if settings:
        switch(desk, **settings)
    return desk


def switch(desk: Desk, **settings: Any) -> None:
    """Switch a bank's settings as the workbench does."""
    with _environment(desk.environ):
        bank = Bank.open(desk.root)
        changes = [bank_change(key, value, workbench=True) for key, value in settings.items()]
        bank.commit(Changeset(changes, "switch", "screen"))
        bank.close()


def tree(root: Path) -> dict[str, bytes]:
    """Every file of a bank but its ledger, by relative path."""
    found = (path for path in root.rglob("*") if path.is_file() and ".memdesk" not in path.relative_to(root).parts)
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in found}


def entry(root: Path, path: str, statement: str, *, kind: str = "FACT", subject: str = "kiln", **fields: str) -> str:
    """An entry file as another engine writes it; its path."""
    head = {"type": kind, "subject": subject, "statement": statement, "confidence": "1", "created": "2026-10-12"}
    head |= {"updated": "2026-10-12", "tags": "[]", "immutable": "false"} | fields
    lines = "\n".join(f"{key}: {value}" for key, value in head.items())
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(f"---\n{lines}\n---\n{statement}\n", encoding="utf-8")
    return path
