"""The lines of the provider panel: the configuration, what was asked, what came back, why a name did not count."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipeline.context.provider.answer import CAUSES
from pipeline.context.provider.check import STDERR_SHOWN, Check
from pipeline.context.provider.configuration import HOOK, PAGING
from pipeline.context.provider.exchange import Exchange
from pipeline.context.provider.hook import HookResult
from pipeline.context.provider.paged import PagingResult
from pipeline.context.whatif import StatusCost
from tui.checked import configured
from tui.home import at_home
from tui.screens.context_words import STATUSES
from tui.text import count, fit, one_line
from tui.text import width as cells
from tui.widgets.rows import Piece

LABEL = 15


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its pieces, the whole of what it stands for, which enter shows, and the question that it is about."""

    pieces: tuple[Piece, ...]
    whole: str = ""
    request: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of the last question about a capability, None before the first; then `waits` says why ("": nobody to
    ask)."""

    capability: str
    told: HookResult | PagingResult | None = None
    waits: str = ""


class Lines:
    """A row source over lines that are already there."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines

    def __len__(self) -> int:
        return len(self.lines)

    def id(self, index: int) -> str:
        """The number of the line."""
        return str(index)

    def find(self, id: str) -> int | None:
        """A line by its number."""
        return int(id) if id.isdigit() and int(id) < len(self.lines) else None

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """The pieces; the last one is cut."""
        *first, (text, style) = self.lines[index].pieces
        return [*first, (fit(text, width - sum(cells(piece) for piece, _ in first)), style)]


def told(check: Check, hook: Asked, paging: Asked, cost: StatusCost, *, stale: bool) -> list[Line]:
    """The configuration as it is now, then what came of the last question of the hook, and of paging, line by line."""
    parts = [*_configured(check)]
    for asked, costs in ((hook, cost), (paging, StatusCost(0))):
        if asked.told is None or asked.told.configuration.provider is None:
            parts += _waits(asked) if asked.waits else ()
        else:
            parts += [replace(one, request=asked.told.request) for one in _exchange(asked.told, costs, stale)]
    return parts


def _configured(check: Check) -> Iterator[Line]:
    yield _head("CONFIGURATION")
    broken = check.configuration.state == "error"
    for name, value in configured(check, at_home(check.configuration.path)):
        wrong = name in {"fault", "where"} or (name == "state" and broken)
        yield _pair(name, value, "bad" if wrong else "")


def _waits(asked: Asked) -> Iterator[Line]:
    yield from (_blank(), _head(f"ANSWER   {asked.capability}"))
    yield _pair("status", asked.waits)


def _exchange(told: Exchange, cost: StatusCost, stale: bool) -> Iterator[Line]:
    yield from (*_answered(told, cost, stale), *_names(told))
    if told.request:
        yield from _request(told)


def _answered(told: Exchange, cost: StatusCost, stale: bool) -> Iterator[Line]:
    provider = told.configuration.provider
    yield from (_blank(), _head(f"ANSWER   {PAGING if isinstance(told, PagingResult) else HOOK}"))
    if provider is not None:
        yield _pair("asked", f"{provider.id}: {shlex.join(provider.command)}")
    yield _pair("status", STATUSES[told.status], "" if told.status == "active" else "bad")
    yield _pair("time", f"{told.duration_ms:,} of {told.timeout_ms:,} ms")
    yield _pair("bytes", f"{told.bytes_out:,}")
    if told.status == "active":
        yield _pair("effect", _effect(told))
    else:
        yield _pair("effect", "none; the pack is whole without it", "bad")
    if told.note:
        yield _pair("note", told.note)
    if stale:
        yield _pair("belongs to", "other inputs or an earlier state of the bank; it is asked again when those rest")
    if cost.units:
        pushed = f", and pushed out {count(len(cost.pushed_out), 'memory', 'memories')}" if cost.pushed_out else ""
        yield _pair("status line", f"takes {cost.units:,} characters of the pack{pushed}")
        yield from (_pair("", id, "warn") for id in cost.pushed_out)
    for at, text in enumerate(told.stderr[:STDERR_SHOWN]):
        yield _pair("stderr" if not at else "", text)


def _effect(told: Exchange) -> str:
    if not told.applied:
        return "nothing was taken out"
    if isinstance(told, PagingResult):
        return f"{len(told.drop):,} paged out, {len(told.order):,} put first"
    hidden = told.hidden if isinstance(told, HookResult) else ()
    also = f", {count(len(hidden), 'memory', 'memories')} not on its list" if hidden else ""
    return f"{len(told.removed) - len(hidden):,} evicted{also}"


def _names(told: Exchange) -> Iterator[Line]:
    if told.removed:
        yield from (_blank(), _head("TAKEN OUT"))
        yield from _taken(told)
    if isinstance(told, PagingResult) and told.order:
        yield from (_blank(), _head("PUT FIRST"))
        yield from (_name("^", "", name, "") for name in told.order)
    if told.dropped or told.invalid:
        yield from (_blank(), _head("NOT REMOVED"))
        yield from (_name("x", "bad", dropped.name, CAUSES[dropped.cause]) for dropped in told.dropped)
        yield from (_name("x", "bad", element, "a list element that is no text") for element in told.invalid)
    if told.ignored:
        yield from (_blank(), _head("WITHOUT EFFECT"))
        yield from (_pair("", sentence) for sentence in told.ignored)


def _taken(told: Exchange) -> Iterator[Line]:
    if isinstance(told, HookResult):
        yield from (_name("-", "warn", name, "") for name in told.evicted)
        yield from (_name("~", "warn", name, "not on its list") for name in told.hidden)
    if isinstance(told, PagingResult):
        yield from (_name("<", "warn", name, "") for name in told.drop)


def _request(told: Exchange) -> Iterator[Line]:
    document = json.loads(told.request)
    payload: dict[str, Any] = document["payload"]
    yield from (_blank(), _head("REQUEST"))
    sizes = [count(len(told.sent), "memory", "memories"), f"{len(told.private):,} private"]
    sizes += [f"{len(told.cut):,} cut to 2,000 characters"] if told.cut else []
    sizes += ["the others are left out: at most 500 are sent"] if told.truncated else []
    yield _pair("holds", ", ".join(sizes))
    yield _pair("size", f"{len(told.request.encode('utf-8', 'replace')):,} bytes of JSON")
    fields = {name: value for name, value in {**document, **payload}.items() if name not in {"payload", "candidates"}}
    yield from (_pair(name, json.dumps(value, ensure_ascii=False)) for name, value in fields.items())
    private, shortened = frozenset(told.private), frozenset(told.cut)
    for candidate in payload["candidates"]:
        marks = ["private"] * (candidate["file"] in private) + ["cut"] * (candidate["file"] in shortened)
        yield _candidate(candidate, " ".join(marks))


def _candidate(candidate: dict[str, str], marks: str) -> Line:
    whole = json.dumps(candidate, ensure_ascii=False, indent=2)
    text = one_line(f"{candidate['subject']}: {candidate['statement']}", 300)
    return Line(
        (
            (f"{marks:<{LABEL}}", "accent"),
            (fit(one_line(candidate["type"], 20), 7), "muted"),
            (text + "   " + one_line(candidate["file"], 200), ""),
        ),
        whole,
    )


def _head(words: str) -> Line:
    return Line(((words, "match"),))


def _blank() -> Line:
    return Line((("", ""),))


def _pair(name: str, value: str, style: str = "") -> Line:
    return Line(((f"{name:<{LABEL}}", "muted"), (one_line(value, 1_000), style)), value)


def _name(sign: str, style: str, name: str, reason: str) -> Line:
    why = f"   {reason}" if reason else ""
    return Line(((f"{sign} ", style), (one_line(name, 300) + why, "")), name + why)
