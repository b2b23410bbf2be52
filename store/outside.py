"""What other programs did to the files: noticed, told in the history, never taken for ours (`decisions.md` §4.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from store import history
from store.called import called
from store.changes import Committed, FileEffect
from store.frames import FileOp, Frame, RowOp
from store.ledger import after
from store.lock import holder
from store.objects import sha_of
from store.state import State
from store.vault import layout

BY = "another program"
CARRIED = 1024 * 1024
"""Bytes of foreign texts that one frame carries along, so that a later change to them can be undone."""


def note(state: State, effect: FileEffect) -> None:
    """Remember one change by another program until a history row tells it; later ones join the first."""
    known = state.outside.get(effect.id)
    if known is not None:
        effect = replace(
            effect, path_before=known.path_before, sha_before=known.sha_before, state_before=known.state_before
        )
    if (effect.path_before, effect.sha_before) == (effect.path_after, effect.sha_after):
        state.outside.pop(effect.id, None)
    else:
        state.outside[effect.id] = effect


def notice(state: State, path: str, data: bytes | None) -> None:
    """Take in one file that another program changed, made or deleted, and note it."""
    seen = state.files.get(path)
    sha, before = None if data is None else sha_of(data), state.known.get(path, seen.sha if seen else None)
    place = layout.state_of(path)
    here, gone = (path, place), (None, None)
    was, now = here if before is not None else gone, here if data is not None else gone
    id = seen.memory.id if seen is not None and seen.memory is not None else state.id_of(path)
    state.show(path, data, state.disk.signature(state.root / path))
    state.revision += 1
    note(state, FileEffect(id, was[0], now[0], before, sha, was[1], now[1]))


def frame(state: State, number: int, at: str, aliases: dict[str, str]) -> Frame | None:
    """The journal frame that tells all noted changes, or None when there are none."""
    effects = tuple(state.outside.values())
    if not effects and not aliases:
        return None
    ops = [
        RowOp("aliases", path, after(state.rows("aliases").get(path), {"id": id}, number))
        for path, id in aliases.items()
    ]
    if effects:
        committed = Committed(number, at, _reason(effects), "outside", BY, effects)
        ops.append(RowOp(history.TABLE, str(number), history.to_row(committed)))
    return Frame(number, at, holder(), "outside", tuple(ops), _seen(state, effects), state.done)


def _seen(state: State, effects: tuple[FileEffect, ...]) -> tuple[FileOp, ...]:
    ops: list[FileOp] = []
    room = CARRIED
    for effect in effects:
        if effect.path_before is not None and effect.path_before != effect.path_after:
            ops.append(FileOp(effect.path_before, effect.sha_before, None, seen=True))
        if effect.path_after is not None:
            old = effect.sha_before if effect.path_before == effect.path_after else None
            data = state.current(effect.path_after)
            if data is None or sha_of(data) != effect.sha_after or len(data) > room:
                data = None
            room -= len(data or b"")
            ops.append(FileOp(effect.path_after, old, effect.sha_after, data, seen=True))
    return tuple(ops)


def _reason(effects: tuple[FileEffect, ...]) -> str:
    if len(effects) > 1:
        return f"{len(effects)} memories changed outside"
    effect = effects[0]
    verb = "made" if effect.path_before is None else "deleted" if effect.path_after is None else "changed"
    return f"{verb} outside: {called(effect.id)}"


def told(state: State, effects: Any) -> None:
    """Another process has told these changes already: they need no second row."""
    for effect in effects:
        pending = state.outside.get(effect.id)
        if pending is not None and pending.sha_after == effect.sha_after and pending.path_after == effect.path_after:
            del state.outside[effect.id]
