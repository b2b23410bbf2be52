"""The places of a memory's words as one line of its file, whatever a transcript calls its sessions.

`<format>/<session>#<ref>, …` (`decisions.md` §2.4). Names come from other tools' files: what a terminal would obey or
hide, and what would end a name or a line, stands as `%XX` of its UTF-8 bytes, so that reading gives the same name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from urllib.parse import unquote_to_bytes

from store.memory import Quote

BETWEEN = ", "
_HARMFUL = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Controls, invisible and direction characters, lone surrogates, line separators, by their Unicode category."""
_BLANK = frozenset("\u115f\u1160\u3164\uffa0")
"""Fillers that are letters by their category and show nothing."""
_ESCAPE = re.compile("%(?=[0-9A-Fa-f]{2})")
_ESCAPED = re.compile("(?:%[0-9A-Fa-f]{2})+")
_PLAIN = re.compile("[A-Za-z0-9_.:/-]+(?: [A-Za-z0-9_.:/-]+)*")
"""Names as almost all are, in which nothing needs to be looked at."""
_SESSION_ENDS, _REF_ENDS = frozenset("#"), frozenset(",")


def evidence_key(quotes: Sequence[Quote]) -> str:
    """Where the words stand, each place once, on one line that is safe to print."""
    return BETWEEN.join(dict.fromkeys(_place(quote) for quote in quotes))


def evidence_places(value: str) -> tuple[str, ...]:
    """The places of such a line as `<format>/<session>#<ref>`, with the names as the transcript has them."""
    return tuple(_ESCAPED.sub(_unescaped, place) for place in value.split(BETWEEN) if place)


def _place(quote: Quote) -> str:
    names = (quote.format, _REF_ENDS), (quote.session, _SESSION_ENDS | _REF_ENDS), (quote.ref, _REF_ENDS)
    form, session, ref = (_escaped(name, ends) for name, ends in names)
    return f"{form}/{session}#{ref}"


def _escaped(name: str, ends: frozenset[str]) -> str:
    if _PLAIN.fullmatch(name):
        return name
    safe = _ESCAPE.sub("%25", name)
    inner = "".join(_percent(one) if one in ends or _harmful(one) else one for one in safe.strip(" "))
    before = len(safe) - len(safe.lstrip(" "))
    after = len(safe) - before - len(safe.strip(" "))
    return _percent(" ") * before + inner + _percent(" ") * after


def _harmful(one: str) -> bool:
    if one.isspace() and one != " ":
        return True
    return unicodedata.category(one) in _HARMFUL or one in _BLANK


def _percent(one: str) -> str:
    return "".join(f"%{byte:02X}" for byte in one.encode("utf-8", "surrogatepass"))


def _unescaped(found: re.Match[str]) -> str:
    try:
        return unquote_to_bytes(found[0]).decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return found[0]  # a name that an earlier version wrote as it was
