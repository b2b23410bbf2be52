"""The search index of the banks of a command, and the meaning of what they hold, made where they are missing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pipeline.recall.answering import Similar, seen_by, vector_of
from pipeline.recall.encoding.chosen import encoder_of
from pipeline.recall.encoding.encoders import EncoderProblem
from pipeline.recall.encoding.question import Questions
from pipeline.recall.rebuild import rebuild
from pipeline.recall.searchable import Searchable
from pipeline.recall.within import Within
from store.errors import MemdeskError
from store.index.search.meant import Meant
from store.index.search.quotes import quotes_of
from store.index.search.searching import Searching, file_of
from store.joined import ROOTS
from store.view import View
from tui.cli.banks import Banks
from tui.cli.say import complain

AT_ONCE = 256
"""Memories without a vector that a command encodes itself: about a second."""


def searchable_of(banks: Banks, view: View) -> Searchable:
    """What the command's view is searched through; an index that is missing or far behind is made now, and kept."""
    roots, searching = _roots(banks), Searching(file_of(_roots(banks)), quotes_of)
    followed = searching.of(view)
    if searching.wants_rebuild:
        _rebuild(roots)
        followed = searching.of(view)
        if searching.partial:  # another program is at it, or nothing can be kept: a command answers of all memories
            followed = Searching(None, quotes_of).of(view)
    if searching.notice:
        complain(searching.notice)
    return Searchable(view, followed)


def similar_of(banks: Banks, searchable: Searchable, text: str, within: Within) -> Similar | None:
    """The meaning of what the banks hold, by the encoder of the person's settings; None without one, or when it fails.

    The words of the query go first: whoever asks waits for no more than that where nothing can be had. A few memories
    without a vector get theirs now; many are left to the workbench, and nothing waits for them.
    """
    chosen = encoder_of(banks.config)
    if chosen.notice:
        complain(chosen.notice)
    if chosen.encoder is None or any(bank.encrypted for bank in banks.open.values()):
        return None
    roots, followed = _roots(banks), searchable.followed
    similar = Similar(Meant(file_of(roots), chosen.encoder.id), Questions(chosen.encoder))
    lacking = similar.vectors.lacking(followed)
    known = int(followed.index.alive.sum()) - lacking
    if known or 0 < lacking <= AT_ONCE:
        try:
            vector_of(similar, seen_by(searchable, within), text)
        except EncoderProblem as problem:
            complain(str(problem))
            return None
    if 0 < lacking <= AT_ONCE and not _rebuild(roots, chosen.encoder):
        return similar
    if lacking := similar.vectors.lacking(followed):
        known = int(followed.index.alive.sum()) - lacking
        complain(
            f"Meaning is known of {known:,} memories so far; open the workbench, and it learns the other {lacking:,}."
        )
    return similar


def _rebuild(roots: Sequence[Path], encoder: Any = None) -> bool:
    """Whether it went well; else it was told why not."""
    try:
        rebuild(roots, lambda *_words, **_numbers: None, encoder)
    except MemdeskError as problem:
        complain(str(problem))
        return False
    return True


def _roots(banks: Banks) -> list[Path]:
    return [banks.open[name].path for name in ROOTS] if banks.joined else [banks.bank.path]
