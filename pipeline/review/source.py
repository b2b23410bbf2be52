"""The place in a transcript that a quote comes from, with what was said around it (`spec/extraction.md` §24.3)."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.extract.evidence import locate
from pipeline.formats.read import read
from pipeline.formats.session import EVIDENCE_AUTHORS, UNKNOWN, Author, Session, Turn
from pipeline.reply import never
from store.errors import BadInput, StorageFailure
from store.fields import text
from store.memory import Quote
from store.secret import mask
from store.view import View

WINDOW = 2_000
"""Characters kept before and after the words in their turn."""
NEAR = 600
"""Characters kept of the turns before and after."""
LARGEST = 64 * 1024 * 1024
"""Bytes of a transcript that is read in passing; a larger one is read only when it is opened."""
KEPT = 400
"""Quotes whose surroundings are kept."""
TALK = EVIDENCE_AUTHORS | {Author.MODEL}
"""Authors of the turns that are shown around a quote."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A quote where it stands: `turn.text[start:end]` are the words, in a turn that is cut to a window around them.

    `before` and `after` are the nearest turns of the conversation, cut; None at its ends.
    """

    path: str
    turn: Turn
    start: int
    end: int
    before: Turn | None = None
    after: Turn | None = None


def source_path(view: View, quote: Quote) -> str:
    """The file that the quote's session was read from, "" when the ledger does not say."""
    return text(view.rows("sessions").get(f"{quote.format}/{quote.session}", {}), "path")


def place_in(session: Session, quote: Quote) -> tuple[int, int, int] | None:
    """Where a quote stands: the index of its turn, and the span of the words in it; None when they are not there.

    The words have to be the person's, at the record that the quote names, with exactly these letters.
    """
    return next((place for _, place in _places(session, (quote,))), None)


def excerpts(session: Session, quotes: Iterable[Quote]) -> dict[Quote, Excerpt]:
    """The quotes that are found in a session, each with its surroundings."""
    found: dict[Quote, Excerpt] = {}
    for quote, place in _places(session, tuple(quotes)):
        found.setdefault(quote, _excerpt(session, *place))
    return found


class Sources:
    """Surroundings of quotes, read from their transcripts; only these are kept, never a whole session.

    One reading of a file serves all quotes that are asked for with it. It may be used from several threads.
    """

    def __init__(self, most: int = KEPT, largest: int = LARGEST) -> None:
        self._most, self._largest = most, largest
        self._kept: OrderedDict[tuple[str, int, Quote], Excerpt | None] = OrderedDict()
        self._lock = threading.Lock()

    def look(
        self,
        view: View,
        quotes: Sequence[Quote],
        also: Sequence[Quote] = (),
        cancelled: Callable[[], bool] = never,
    ) -> tuple[dict[Quote, Excerpt], str]:
        """The surroundings of these quotes, and why some are missing ("" when none is), as words after "because".

        `also` are quotes that will be asked for next. Raises `Cancelled` when `cancelled` says so.
        """
        found: dict[Quote, Excerpt] = {}
        problem = ""
        for path, own in _by_path(view, quotes).items():
            here, why = self._of_file(path, own, [one for one in also if source_path(view, one) == path], cancelled)
            found |= here
            problem = problem or why
        return found, problem

    def _of_file(
        self, path: str, quotes: Sequence[Quote], also: Sequence[Quote], cancelled: Callable[[], bool]
    ) -> tuple[dict[Quote, Excerpt], str]:
        state, why = _state(path, self._largest)
        if why:
            return {}, why
        known = self._known(path, state, quotes)
        if len(known) < len(set(quotes)):
            try:
                self._read(path, state, (*also, *quotes), cancelled)
            except (BadInput, StorageFailure):
                return {}, "the transcript cannot be read any more"
            known = self._known(path, state, quotes)
        found = {quote: excerpt for quote, excerpt in known.items() if excerpt is not None}
        return found, "" if len(found) == len(set(quotes)) else "the words are not at that place any more"

    def _known(self, path: str, state: int, quotes: Sequence[Quote]) -> dict[Quote, Excerpt | None]:
        with self._lock:
            return {quote: self._kept[path, state, quote] for quote in quotes if (path, state, quote) in self._kept}

    def _read(self, path: str, state: int, quotes: Sequence[Quote], cancelled: Callable[[], bool]) -> None:
        found: dict[Quote, Excerpt] = {}
        for session in read(path, format=read_as(quotes), cancelled=cancelled):
            mine = [one for one in quotes if one.format == session.format and session.goes_by(one.session)]
            found |= excerpts(session, mine)
        with self._lock:
            for quote in quotes:
                self._kept[path, state, quote] = found.get(quote)
                self._kept.move_to_end((path, state, quote))
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


def read_as(quotes: Sequence[Quote]) -> str | None:
    """The format that the file of these quotes was read as, whatever its content tells; None for several."""
    named = {quote.format for quote in quotes if quote.format and quote.format != UNKNOWN}
    return named.pop() if len(named) == 1 else None


def _by_path(view: View, quotes: Sequence[Quote]) -> Mapping[str, list[Quote]]:
    found: dict[str, list[Quote]] = {}
    for quote in quotes:
        found.setdefault(source_path(view, quote), []).append(quote)
    return found


def _state(path: str, largest: int) -> tuple[int, str]:
    """When the file was last written, or why it is not read."""
    if not path:
        return 0, "no transcript is known for it"
    try:
        state = Path(path).stat()
    except (OSError, ValueError):
        return 0, "the transcript is not there any more"
    if state.st_size > largest:
        return 0, "the transcript is too large to read in passing"
    return state.st_mtime_ns, ""


def _places(session: Session, quotes: Sequence[Quote]) -> Iterator[tuple[Quote, tuple[int, int, int]]]:
    wanted: dict[str, list[Quote]] = {}
    for quote in quotes:
        wanted.setdefault(quote.ref, []).append(quote)
    for index, turn in session.log.by(EVIDENCE_AUTHORS):
        if turn.abandoned:
            continue
        for quote in (*wanted.get(turn.ref, ()), *wanted.get(f"event:{turn.seq}", ())):
            if span := _span(turn.text, quote):
                yield quote, (index, *span)


def _span(said: str, quote: Quote) -> tuple[int, int] | None:
    """The words at the offsets of the quote (a row keeps them with secrets masked), else wherever they stand."""
    here = said[quote.start : quote.end]
    if here and quote.text in (here, mask(here)):
        return quote.start, quote.end
    return locate(said, quote.text)


def _excerpt(session: Session, index: int, start: int, end: int) -> Excerpt:
    turn = session.turns[index]
    first = max(0, start - WINDOW)
    window = replace(turn, text=turn.text[first : end + WINDOW])
    before = next((one for one in reversed(session.turns[max(0, index - 50) : index]) if _is_talk(one)), None)
    after = next((one for one in session.turns[index + 1 : index + 50] if _is_talk(one)), None)
    return Excerpt(
        session.path,
        window,
        start - first,
        end - first,
        before and replace(before, text=before.text[-NEAR:]),
        after and replace(after, text=after.text[:NEAR]),
    )


def _is_talk(turn: Turn) -> bool:
    return turn.author in TALK and not turn.abandoned and bool(turn.text.strip())
