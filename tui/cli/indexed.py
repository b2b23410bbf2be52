"""The search index of the banks of a command, and the meaning of what they hold, made where they are missing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pipeline.recall.answering import Similar
from pipeline.recall.encoding.encoders import encoder_of
from pipeline.recall.encoding.question import Questions
from pipeline.recall.rebuild import rebuild
from pipeline.recall.searchable import Searchable
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
    if searching.notice:
        complain(searching.notice)
    return Searchable(view, followed)


def similar_of(banks: Banks, searchable: Searchable) -> Similar | None:
    """The meaning of what the banks hold, by the encoder of the person's settings; None without one.

    A few memories without a vector get theirs now; many are left to the workbench, and nothing waits for them.
    """
    chosen = encoder_of(banks.config)
    if chosen.notice:
        complain(chosen.notice)
    if chosen.encoder is None or any(bank.encrypted for bank in banks.open.values()):
        return None
    roots, followed = _roots(banks), searchable.followed
    vectors = Meant(file_of(roots), chosen.encoder.id)
    if 0 < vectors.lacking(followed) <= AT_ONCE:
        _rebuild(roots, chosen.encoder)
    if lacking := vectors.lacking(followed):
        known = int(followed.index.alive.sum()) - lacking
        complain(
            f"Meaning is known of {known:,} memories so far; open the workbench, and it learns the other {lacking:,}."
        )
    return Similar(vectors, Questions(chosen.encoder))


def _rebuild(roots: Sequence[Path], encoder: Any = None) -> None:
    try:
        rebuild(roots, lambda *_words, **_numbers: None, encoder)
    except MemdeskError as problem:
        complain(str(problem))


def _roots(banks: Banks) -> list[Path]:
    return [banks.open[name].path for name in ROOTS] if banks.joined else [banks.bank.path]
