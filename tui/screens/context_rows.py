"""The rows of the Context screen: each memory with its fate, in the order of the pack, or those of one outcome."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from pipeline.context.fate import Fate, Outcome, Unseen
from pipeline.context.fates import Fates
from pipeline.context.pack import Pack
from pipeline.context.provider.hook import HookResult
from store.errors import UnknownMemory
from store.memory import Memory
from tui.screens.context_words import FIXED as WITHOUT_MEMORIES
from tui.screens.context_words import PLACES, UNSEEN, why
from tui.text import cut, fit, one_line, width
from tui.theme import OUTCOMES
from tui.theme import Outcome as Look
from tui.widgets.rows import Piece

FIXED = "part:fixed"
"""Id of the row for what every pack begins with."""
UNSEEN_ROW = "unseen:"
ALL, OUT, MOVED = "", "out", "moved_up"
OUT_ORDER: tuple[Outcome, ...] = (
    *("evicted", "unlisted", "paged_out", "budget", "block_full"),
    *("duplicate", "summary_overflow", "over_limit", "unmatched"),
)
"""What did not get in, grouped: what the hook took first, what only a limit keeps out last."""
ORDER = (*OUT_ORDER, MOVED, "included", "always")

WORDS_FROM, PLACES_FROM, CHARS_FROM, TYPES_FROM = 56, 44, 64, 38
WORD, PLACE, CHARS, TYPE = 11, 9, 7, 7
MOST_WHY = 24
LEAST_TEXT = 24
"""Cells: a column goes before the text is cut below this."""
TYPE_STYLES = {"FACT": "fact", "PREF": "pref", "BOUND": "bound", "COMMIT": "commit"}


def look(fate: Fate) -> Look:
    """Sign, word and colour of a fate; what moved up keeps its word and has its own sign."""
    base = OUTCOMES[fate.outcome]
    return Look(OUTCOMES[MOVED].sign, base.word, base.style, base.token) if fate.moved_up and fate.stands else base


def choices(fates: Fates) -> list[str]:
    """What `t` goes through: everything, what is out by reason, each outcome that there is."""
    counts = fates.counts
    there = [name for name in ORDER if (counts.moved_up if name == MOVED else counts.outcomes[name])]  # type: ignore[index]
    out = any(name in OUT_ORDER for name in there)
    return [ALL, *([OUT] if out else []), *there]


class FateRows:
    """A row source over the fates of a pack; the long tail is walked only as far as it is looked at.

    `only` is "" for all in pack order, `out` for what did not get in, grouped by its reason, or one outcome. `unused`
    is the provider's answer when it is not applied.
    """

    def __init__(self, fates: Fates, only: str = ALL, unused: HookResult | None = None) -> None:
        self.fates, self.only, self.unused = fates, only, unused
        self._outcomes = list(map(fates.outcome, fates.head))
        self._head = list(self._kept())
        first, more = len(fates.head), len(fates.head) + fates.over
        whole = range(first, len(fates)) if only in {ALL, OUT} else range(0)
        self._tail = {"over_limit": range(first, more), "unmatched": range(more, len(fates))}.get(only, whole)
        self._top = 1 if only == ALL else 0
        self._unseen = self._unseen_kinds() if only in {ALL, OUT} else []
        self._places = {fates.head[at].id: self._top + place for place, at in enumerate(self._head)}
        self._walked: dict[str, int] = {}
        self._ahead = 0

    def _kept(self) -> Iterator[int]:
        """The places in the head that are shown, in the order in which they are."""
        if self.only == ALL:
            return iter(range(len(self._outcomes)))
        if self.only == MOVED:
            moved = self.fates.moved_up
            return (at for at, memory in enumerate(self.fates.head) if memory.id in moved)
        wanted = OUT_ORDER if self.only == OUT else (self.only,)
        return chain.from_iterable(
            (at for at, outcome in enumerate(self._outcomes) if outcome == name) for name in wanted
        )

    def _unseen_kinds(self) -> list[Unseen]:
        return [kind for kind, number in self.fates.counts.unseen.items() if number]

    # --- for the list

    def __len__(self) -> int:
        return self._top + len(self._head) + len(self._tail) + len(self._unseen)

    def memory(self, index: int) -> Memory | None:
        """The memory of a row; None for a row that is a part or a count."""
        at = index - self._top
        if 0 <= at < len(self._head):
            return self.fates.head[self._head[at]]
        at -= len(self._head)
        return self.fates.memory_at(self._tail[at]) if 0 <= at < len(self._tail) else None

    def fate(self, id: str) -> Fate | None:
        """The fate of the memory with this id; None for other rows."""
        try:
            return self.fates.of(id)
        except UnknownMemory:
            return None

    def id(self, index: int) -> str:
        """The memory's id, or the name of the part."""
        memory = self.memory(index)
        if memory is not None:
            return memory.id
        if index < self._top:
            return FIXED
        return UNSEEN_ROW + self._unseen[index - self._top - len(self._head) - len(self._tail)]

    def find(self, id: str) -> int | None:
        """Where a row stands now."""
        if id == FIXED:
            return 0 if self._top else None
        if id.startswith(UNSEEN_ROW):
            kind = id.removeprefix(UNSEEN_ROW)
            after = self._top + len(self._head) + len(self._tail)
            return next((after + at for at, name in enumerate(self._unseen) if name == kind), None)
        found = self._places.get(id)
        return self._find_in_tail(id) if found is None else found

    def _find_in_tail(self, id: str) -> int | None:
        if id not in self.fates.pack.standing.by_id:
            return None
        while id not in self._walked and (at := len(self._walked)) < len(self._tail):
            self._walked[self.fates.memory_at(self._tail[at]).id] = at
        found = self._walked.get(id)
        return None if found is None else self._top + len(self._head) + found

    def look_ahead(self, rows: int) -> bool:
        """Walk some rows further down the tail while nobody waits for them; whether there are more."""
        at = min(len(self._tail), self._ahead + rows)
        if at > self._ahead:
            self.fates.memory_at(self._tail[at - 1])
            self._ahead = at
        return at < len(self._tail)

    def row(self, index: int, width: int) -> Sequence[Piece]:
        """Sign, word, place, units, type, memory, and why."""
        id = self.id(index)
        if id == FIXED:
            return fixed_row(self.fates.pack, width)
        if id.startswith(UNSEEN_ROW):
            kind = id.removeprefix(UNSEEN_ROW)
            return _unseen_row(kind, self.fates.counts.unseen[kind], width)  # type: ignore[index]
        fate = self.fates.of(id)
        return fate_row(fate, why(fate, self.fates.pack.hook, self.unused), width)


def fate_row(fate: Fate, reason: str, width: int) -> list[Piece]:
    """The row of a memory."""
    shown, memory = look(fate), fate.memory
    pieces = _lead(shown, fate.place, f"{fate.chars:,}", width)
    if width >= TYPES_FROM:
        pieces.append((fit(one_line(memory.type, 20), TYPE), _tone(fate) or TYPE_STYLES.get(memory.type, "muted")))
    text = one_line(f"{memory.subject}: {memory.statement}" if memory.subject else memory.statement, 600)
    return pieces + _text(text or one_line(memory.body, 600), reason, width - _cells(pieces), _tone(fate), shown.style)


def fixed_row(pack: Pack, width: int) -> list[Piece]:
    """The row for what stands in every pack and is no memory of its own: identity, rules, profile, a conversation."""
    keys, place, words = WITHOUT_MEMORIES[pack.layout.name]
    size = sum(section.units for section in pack.sections if section.key in keys)
    pieces = _lead(OUTCOMES["always"], place, f"{size:,}", width)
    return pieces + _text(words, "", width - _cells(pieces), "", "")


def _unseen_row(kind: str, number: int, width: int) -> list[Piece]:
    pieces = _lead(Look("?", _unseen_word(kind), "muted", ""), "", "", width)
    thing = "file" if kind == "not_indexed" else "memory"
    many = "files" if kind == "not_indexed" else "memories"
    words = f"{number:,} {thing if number == 1 else many} {UNSEEN[kind]}"
    return pieces + _text(words, "", width - _cells(pieces), "muted", "muted")


def _unseen_word(kind: str) -> str:
    return {"outside_year": "year", "other_project": "project", "not_indexed": "no memory"}.get(kind, "private")


def _lead(shown: Look, place: str, chars: str, width: int) -> list[Piece]:
    """Sign, word, place and units, as far as the row has room for them."""
    quiet = "muted" if shown.style == "muted" else ""
    pieces = [(shown.sign, shown.style), (" ", "")]
    if width >= WORDS_FROM:
        pieces += [(shown.word, shown.style), (" " * (WORD - len(shown.word)), "")]
    if width >= PLACES_FROM:
        pieces.append((fit(_aligned(place), PLACE), quiet))
    if width >= CHARS_FROM:
        pieces.append((f"{chars:>{CHARS - 2}}  ", quiet or "muted"))
    return pieces


def _aligned(place: str) -> str:
    """Section and rank under each other."""
    section, _, rank = place.partition(" ")
    return f"{PLACES.get(section, section):<4}{rank:>4}"


def _tone(fate: Fate) -> str:
    """How the text of the row is drawn: what the hook took stands out, what a limit keeps out recedes."""
    if fate.outcome in {"evicted", "unlisted", "paged_out"}:
        return "warn"
    return "muted" if fate.outcome in {"over_limit", "summary_overflow", "unmatched"} else ""


def _text(text: str, reason: str, room: int, tone: str, style: str) -> list[Piece]:
    """The memory in what is left of the row, the reason at its right end where there is room."""
    reason = cut(one_line(reason, 60), MOST_WHY)
    if not reason or room - width(reason) - 3 < LEAST_TEXT:
        return [(fit(text, room), tone)]
    left = room - width(reason) - 3
    quiet = style if style in {"warn", "bad", "second"} else "bad" if style == "loud" else "muted"
    return [(fit(text, left), tone), ("  ", ""), (reason, quiet), (" ", "")]


def _cells(pieces: Sequence[Piece]) -> int:
    return sum(width(text) for text, _ in pieces)


def head(width: int, unit: str = "chars") -> str:
    """The head of the columns, as wide as the rows draw them."""
    words = "  "
    words += f"{'outcome':<{WORD}}" if width >= WORDS_FROM else ""
    words += f"{'place':<{PLACE}}" if width >= PLACES_FROM else ""
    words += f"{unit[: CHARS - 2]:>{CHARS - 2}}  " if width >= CHARS_FROM else ""
    return words + "memory"
