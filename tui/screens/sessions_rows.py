"""The rows of the Sessions screen: which transcripts pass the box, and how one reads in a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from pipeline.transcripts import Transcript
from tui.dates import moment
from tui.screens.sessions_run import Run
from tui.text import cut, fit, one_line
from tui.widgets.rows import Piece

SIGN, NAME, WHEN, SOURCE, PROJECT = 2, 10, 12, 12, 13
SHORT_SOURCE, SHORT_PROJECT = 7, 10
COUNTS = (("found", 6), ("kept", 5), ("out", 4))
GAP = 2
"""Cells of each column; the state takes what is left."""
WIDE_FROM, PROJECT_FROM, COUNTS_FROM, SOURCE_FROM = 86, 76, 62, 46
"""Cells of the list from which names are longer, and projects, counts and sources are shown."""
UUID = 36
_SOURCES = {
    "claude-code": "claude",
    "claude-ai": "cl.ai",
    "chatgpt": "gpt",
    "gemini-cli": "gemini",
    "opencode": "ocode",
    "openclaw": "oclaw",
    "claude-history": "cl-log",
    "codex-history": "cx-log",
    "gemini-logs": "gm-log",
}
"""Names that fit into a narrow column; others do as they are."""
_STATES: Mapping[str, tuple[str, str, str]] = {
    "new": (".", "", "new"),
    "grown": ("^", "fact", "new turns"),
    "more": ("^", "fact", "more to read"),
    "settled": ("+", "good", "settled"),
    "nothing": ("-", "muted", "nothing durable said"),
    "retry": ("!", "warn", "failed once: R again"),
    "failed": ("!", "warn", "failed: R again"),
    "given up": ("!", "bad", "failed twice"),
    "left alone": ("-", "muted", "left alone: sub-agent"),
}
"""Sign, style and words of each state of `pipeline.transcripts`."""


@dataclass(frozen=True, slots=True)
class State:
    """What the last column says: its sign, its style, its words."""

    sign: str
    style: str
    words: str


def state_of(transcript: Transcript, run: Run | None, new: int | None = None) -> State:
    """The state in words: that of the run while there is one, else the ledger's.

    `new` is the number of messages that no run has evaluated, once the file was read.
    """
    if run is not None and (shown := _run_state(run)) is not None:
        return shown
    sign, style, words = _STATES[transcript.state]
    if transcript.state in ("new", "grown", "more") and new is not None:
        words = f"{new:,} to evaluate" if new else "read, nothing new"
    elif transcript.state == "grown" and not transcript.grown_by:
        words = "changed since"
    if not transcript.there:
        words += ", file gone"
    return State(sign, style, words)


def _run_state(run: Run) -> State | None:
    if run.waits:
        return State(".", "muted", "waits its turn")
    if run.going:
        return State("+", "strong", f"running: {run.stage}" if not run.job.only_read else f"reading {_percent(run)}")
    if run.stranger:
        return State("x", "bad", "not a transcript" if run.report is None and not run.contents else "not your words?")
    if run.problem and not run.job.dry_run and run.report is None:
        return State("!", "warn", "cannot be read")
    if run.stopped:
        return State("!", "warn", "stopped")
    return None


def _percent(run: Run) -> str:
    return f"{100 * run.read // run.size} %" if run.size else "..."


def short(name: str) -> str:
    """A session's name for a column: the first group of a UUID, else the name."""
    first, _, agent = name.partition(":agent-")
    plain = first[:8] if len(first) == UUID and first.count("-") == 4 else first
    return f"{plain[:4]}:{agent}" if agent else plain


def when(transcript: Transcript) -> str:
    """When something last happened in it, as a person reads it."""
    if not transcript.when:
        return ""
    return moment(datetime.fromtimestamp(transcript.when / 1000, UTC).isoformat())


class TranscriptRows:
    """A row source over transcripts; `runs` and `new` are looked up as they are when a row is drawn."""

    def __init__(
        self, items: Sequence[Transcript], runs: Mapping[str, Run], new: Mapping[str, int], total: int
    ) -> None:
        self.items, self.total = items, total
        self._runs, self._new = runs, new
        self._places = {item.id: place for place, item in enumerate(items)}

    def __len__(self) -> int:
        return len(self.items)

    def id(self, index: int) -> str:
        """The transcript's id."""
        return self.items[index].id

    def find(self, id: str) -> int | None:
        """Where a transcript stands."""
        return self._places.get(id)

    def get(self, id: str | None) -> Transcript | None:
        """The transcript with this id."""
        place = self._places.get(id or "")
        return None if place is None else self.items[place]

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """Sign, session, when, source, project, counts, state."""
        item = self.items[index]
        state = state_of(item, self._runs.get(item.id), self._new.get(item.id))
        source = one_line(item.format, 40)
        source = source if width >= WIDE_FROM else _SOURCES.get(source, source)
        texts = [state.sign, short(one_line(item.name)), when(item), source, one_line(item.project, 60)]
        texts += [_number(number) for number in (item.found, item.kept, item.out)]
        styles = [state.style, "strong", "muted", "", "" if item.key else "muted", *[""] * len(COUNTS)]
        cells = columns(width)
        pieces = [(_cell(text, room), style) for text, room, style in zip(texts, cells, styles, strict=True) if room]
        return [*pieces, (" " * GAP + fit(state.words, width - sum(map(abs, cells)) - GAP), state.style)]


def columns(width: int) -> list[int]:
    """Cells of the columns before the state in a list of so many cells; below 0: set to the right; 0: left out."""
    wide = width >= WIDE_FROM
    project = PROJECT if wide else SHORT_PROJECT if width >= PROJECT_FROM else 0
    counts = [-cells if width >= COUNTS_FROM else 0 for _, cells in COUNTS]
    source = SOURCE if wide else SHORT_SOURCE if width >= SOURCE_FROM else 0
    return [SIGN, NAME, WHEN, source, project, *counts]


def head(width: int) -> str:
    """The names of the columns."""
    names = ["", "session", "when", "source", "project", *(name for name, _ in COUNTS)]
    shown = [_cell(name, room) for name, room in zip(names, columns(width), strict=True) if room]
    return "".join(shown) + " " * GAP + "state"


def _cell(text: str, room: int) -> str:
    """A text in its column, with a space behind it, or before it where numbers stand."""
    return fit(cut(text, room - 1), room) if room > 0 else cut(text, -room - 1).rjust(-room)


def _number(number: int | None) -> str:
    return "-" if number is None else f"{number:,}"


def matching(items: Sequence[Transcript], words: str, runs: Mapping[str, Run]) -> list[Transcript]:
    """The transcripts that hold every word somewhere in what their row and file say; `-word` leaves out."""
    wanted = [word.casefold() for word in words.split()]
    if not wanted:
        return list(items)
    return [item for item in items if _holds(_haystack(item, runs.get(item.id)), wanted)]


def _holds(text: str, wanted: Sequence[str]) -> bool:
    return all(word[1:] not in text if word.startswith("-") and len(word) > 1 else word in text for word in wanted)


def _haystack(item: Transcript, run: Run | None) -> str:
    state = state_of(item, run)
    return f"{item.name} {when(item)} {item.format} {item.project} {item.path} {state.words}".casefold()
