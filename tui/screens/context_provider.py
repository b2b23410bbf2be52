"""What the provider is, what exactly it was asked, what it answered, and why each of its names did not count."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.getters import query_one
from textual.screen import ModalScreen
from textual.widgets import Static

from pipeline.context.provider.answer import CAUSES
from pipeline.context.provider.check import STATES, STDERR_SHOWN, check_providers, place_of_fault
from pipeline.context.provider.exchange import Exchange
from pipeline.context.provider.hook import HookResult
from pipeline.context.provider.paged import PagingResult
from pipeline.context.whatif import StatusCost
from tui import clipboard
from tui.home import at_home
from tui.screens.context_words import STATUSES, failure
from tui.text import content, count, fit, line, literal, one_line
from tui.text import width as cells
from tui.widgets.foot import foot
from tui.widgets.reader import Reader
from tui.widgets.rows import Piece, Rows

LABEL = 12


@dataclass(frozen=True, slots=True)
class Line:
    """One line: its pieces, and the whole of what it stands for, which enter shows."""

    pieces: tuple[Piece, ...]
    whole: str = ""


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


def told(hook: HookResult, cost: StatusCost, stale: bool, paging: PagingResult | None = None) -> list[Line]:
    """Everything about the last call of the hook, and of paging, line by line."""
    parts = [*_configured(hook)]
    if hook.configuration.provider is not None:
        parts += [*_answered(hook, cost, stale), *_names(hook), *_request(hook)]
    if paging is not None:
        parts += [_blank(), _head("PAGING"), *_chosen(paging)]
        parts += [*_answered(paging, StatusCost(0), stale), *_names(paging)]
        parts += _request(paging) if paging.request else ()
    return parts


def _configured(hook: HookResult) -> Iterator[Line]:
    configuration = hook.configuration
    provider = configuration.provider
    yield _head("CONFIGURATION")
    yield _pair("state", STATES[configuration.state], "bad" if configuration.state == "error" else "")
    yield _pair("why", configuration.reason)
    yield _pair("file", at_home(configuration.path))
    if provider is not None:
        yield from _chosen(hook)
    elif configuration.state == "error":
        if place := place_of_fault(configuration):
            yield _pair("where", place, "bad")
        yield _pair("effect", "No program was started; the pack is whole without it.")
    for sentence in check_providers(configuration.home).faults if configuration.state == "ready" else ():
        yield _pair("fault", sentence, "bad")


def _chosen(told: Exchange) -> Iterator[Line]:
    provider = told.configuration.provider
    if provider is not None:
        version = f"   version {provider.version}" if provider.version else ""
        yield _pair("provider", f"{provider.id}{version}   {', '.join(provider.capabilities)}")
        yield _pair("command", shlex.join(provider.command))
        yield _pair("time limit", f"{provider.timeout_ms:,} ms")


def _answered(told: Exchange, cost: StatusCost, stale: bool) -> Iterator[Line]:
    yield from (_blank(), _head("ANSWER"))
    yield _pair("status", STATUSES[told.status], "" if told.status == "active" else "bad")
    yield _pair("time", f"{told.duration_ms:,} of {told.timeout_ms:,} ms")
    yield _pair("bytes", f"{told.bytes_out:,}")
    if told.status == "active":
        yield _pair("effect", _effect(told))
    else:
        yield _pair("effect", failure(told), "bad")
    if told.note:
        yield _pair("note", told.note)
    if stale:
        yield _pair("belongs to", "other inputs or an earlier state of the bank; it is asked again when those rest")
    if cost.units:
        pushed = f", and pushed out {count(len(cost.pushed_out), 'memory', 'memories')}" if cost.pushed_out else ""
        yield _pair("status line", f"takes {cost.units:,} characters of the pack{pushed}")
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
    yield from (_pair(name, json.dumps(document[name])) for name in ("schema", "capability", "request_id"))
    yield from (_pair(name, json.dumps(payload[name], ensure_ascii=False)) for name in ("agent", "budget", "focus"))
    yield _pair("truncated", json.dumps(payload["truncated"]))
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


class ProviderPanel(ModalScreen[None]):
    """A list of lines; enter shows the whole of one, `y` copies the request as it was sent."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "dismiss(None)", "back"),
        Binding("y", "copy", "copy the request"),
    ]
    AUTO_FOCUS = "Rows"
    DEFAULT_CSS = """
    ProviderPanel {
        align: center middle;
        & > Vertical {
            width: 120; max-width: 100%; height: 94%; max-height: 50;
            padding: 1 1 0 1; background: $panel; border-left: outer $text-primary;
        }
        &:ansi > Vertical { border: solid ansi_default; }
        #title { height: 1; margin: 0 0 1 0; padding: 0 1; }
        Rows { background: $panel; }
        .rows--match { text-style: bold; }
        #keys { height: 1; padding: 0 1; }
    }
    """

    rows = query_one(Rows)
    foot = query_one("#keys", Static)

    def __init__(self, hook: HookResult, cost: StatusCost, *, stale: bool, paging: PagingResult | None = None) -> None:
        super().__init__()
        self._hook, self._lines = hook, told(hook, cost, stale, paging)

    def compose(self) -> ComposeResult:
        """Title, lines, keys."""
        name = one_line(self._hook.provider, 60) or "none"
        with Vertical():
            yield Static(line(("Provider", "bold"), f"   {name}", ("   memory.hook", "$text-muted")), id="title")
            yield Rows(Lines(self._lines))
            yield Static(self._keys(), id="keys")

    def _keys(self, said: str = "") -> Content:
        copies = [("y", "copy the request")] if self._hook.request else []
        return line(foot(("escape", "back"), ("enter", "whole line"), *copies), (f"   {said}", "$text-muted"))

    @on(Rows.Opened)
    def _opened(self, message: Rows.Opened) -> None:
        shown = self._lines[message.index]
        if shown.whole:
            self.app.push_screen(Reader(shown.pieces[0][0].strip() or "line", content(literal(shown.whole))))

    @work(thread=True, group="copy", exclusive=True)
    def action_copy(self) -> None:
        """Copy the request exactly as it was sent."""
        if self._hook.request:
            said = clipboard.copy(self.app, self._hook.request, "the request")
            self.app.call_from_thread(self.foot.update, self._keys(said))
