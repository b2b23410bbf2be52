"""Exports of chat services: one JSON list of conversations, each a session of its own (`spec/formats.md` §6, §7)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from pipeline.formats.documents import Member
from pipeline.formats.session import Damage, Session
from pipeline.formats.source import Frame, Source, told_apart
from pipeline.formats.times import instant

NO_CONVERSATION = "no conversation stands here"


def conversations(
    parts: Iterable[Member | Damage],
    source: Source,
    name: str,
    mark: str,
    read: Callable[[dict[str, Any], Source], Session],
) -> tuple[Session, ...]:
    """The sessions of an export of format `name`, one conversation after the other; those without a message are none.

    A conversation is an object with the key `mark`; the document is a list of them, or one alone. `read` makes the
    session, with the id "" where the conversation carries none: then its place in the file is its name. What is wrong
    with the file itself is the damage of a last session named like the file, which is also there when nothing else is.
    """
    loose = Frame(source)
    found: list[Session] = []
    alone: dict[str, Any] = {}
    for part in parts:
        if isinstance(part, Damage):
            loose.damaged(part)
        elif part.index is None:
            alone[part.key] = part.value
        elif isinstance(part.value, dict) and mark in part.value:
            found.append(_named(read(part.value, source), f"{source.stem}:[{part.index}]"))
        else:
            loose.damaged(Damage(part.index + 1, 0, NO_CONVERSATION))
    if mark in alone:
        found.append(_named(read(alone, source), source.stem))
    elif alone:
        loose.damaged(Damage(0, 0, NO_CONVERSATION))
    kept = [session for session in found if session.turns or session.damage]
    names = told_apart(session.id for session in kept)
    told = tuple(replace(session, id=name) for session, name in zip(kept, names, strict=True))
    rest = Session(format=name, id=source.stem, path=str(source.path), turns=(), damage=loose.report())
    return (*told, rest) if loose.damages or not told else told


def span(frame: Frame, created: Any, updated: Any) -> tuple[int | None, int | None]:
    """From when to when a conversation went: by its messages, else by its own times `created` and `updated`."""
    first, doubtful_first = instant(created, frame.source.now)
    last, doubtful_last = instant(updated, frame.source.now)
    started = frame.started if frame.started is not None or doubtful_first else first
    ended = frame.ended if frame.ended is not None or doubtful_last else last
    return started, ended


def _named(session: Session, name: str) -> Session:
    return session if session.id else replace(session, id=name)
