"""The same record told twice: within a file that repeats it, and in files that copied it (`spec/formats.md` §1.3).

Nothing is kept of a record but the hashes of its id and of its words.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace

from pipeline.formats.numbers import Numbers
from pipeline.formats.session import EVIDENCE_AUTHORS, Damage, Session
from pipeline.formats.source import DAMAGE_KEPT, Frame, Words

CHANGED = "a record with an id seen before has another text; both are kept"


class Seen:
    """Record ids that a reader has met, each with the hashes of the texts that it stood for.

    `ids` may be shared with others that number the same ids.
    """

    def __init__(self, ids: Numbers | None = None) -> None:
        self._ids = Numbers() if ids is None else ids
        self._first = array("q")
        self._further: dict[int, set[int]] = {}

    def tell(self, ref: str, content: Hashable) -> str:
        """Whether a record is "new", the "same" again, or "changed"; remembers it."""
        return self.told(self._ids.of(ref), content)

    def told(self, number: int, content: Hashable) -> str:
        """The same for a record that `ids` gave this number."""
        digest = hash(content) or 1
        if number >= len(self._first):
            self._first.extend([0] * (number + 1 - len(self._first)))
        first = self._first[number]
        if not first:
            self._first[number] = digest
            return "new"
        if digest == first or digest in self._further.get(number, ()):
            return "same"
        self._further.setdefault(number, set()).add(digest)
        return "changed"


def is_repeated(seen: Seen, frame: Frame, identity: str, said: Sequence[Words], *, line: int, offset: int = 0) -> bool:
    """Whether a record of this id ("" for none) said the same before; where it said something else `frame` is told."""
    if not identity or not said:
        return False
    told = seen.tell(identity, tuple((words.author, words.text) for words in said))
    if told == "changed":
        frame.damaged(Damage(line, offset, CHANGED))
    return told == "same"


def without_copies(sessions: Iterable[Session]) -> tuple[Session, ...]:
    """Sessions of one format with what a resumed or forked one copied from another marked as inherited.

    `sessions` are taken in order of their start, so the original comes first. A person's text with the same record id
    and words belongs to the first session that has it; with other words both stay, and the later session says so in its
    damage. Records without an id of their own ("line N", "[N]", "seq N") prove nothing and are left alone.
    """
    ordered = sorted(enumerate(sessions), key=lambda pair: (pair[1].started is None, pair[1].started or 0))
    copies = Copies()
    marked = {place: copies.marked(session) for place, session in ordered}
    return tuple(marked[place] for place in sorted(marked))


_SEVERAL = 0xFFFFFFFF
"""Stands for more than one file."""


class Copies:
    """The same for sessions that come one after the other, oldest first, without keeping them."""

    def __init__(self) -> None:
        self._paths, self._refs, self._words = Numbers(), Numbers(), Numbers()
        self._ref_paths, self._word_paths = array("I"), array("I")

    def marked(self, session: Session) -> Session:
        """The session, with what an earlier one had already marked as inherited."""
        path = self._paths.of(session.path)
        damage = list(session.damage)
        copied: list[int] = []
        for place, turn in session.log.by(EVIDENCE_AUTHORS):
            if not own_id(turn.ref):
                continue
            ref = self._refs.of((session.format, turn.ref))
            owner = self._owner(ref, turn.text, path)
            if owner is not None:
                copied += [place] if owner != path else []
            elif self._told_elsewhere(ref, path) and len(damage) < DAMAGE_KEPT:
                damage.append(Damage(turn.seq, 0, CHANGED))
        turns = session.log.with_inherited(copied) if copied else session.turns
        return replace(session, turns=turns, damage=tuple(damage))

    def _owner(self, ref: int, text: str, path: int) -> int | None:
        """The file that had these words of a record before; None when they are new, and then `path` has them."""
        words = self._words.of((ref, text))
        if words < len(self._word_paths):
            return self._word_paths[words]
        self._word_paths.append(path)
        return None

    def _told_elsewhere(self, ref: int, path: int) -> bool:
        """Whether another file has the record with other words."""
        if ref == len(self._ref_paths):
            self._ref_paths.append(path)
            return False
        if self._ref_paths[ref] == path:
            return False
        self._ref_paths[ref] = _SEVERAL
        return True


def own_id(ref: str) -> bool:
    """Whether a reference is the record's own id; one that tells its place proves nothing in another file.

    So does `message-3` of an agent file of Letta, which counts its messages anew (`spec/formats.md` §10).
    """
    return not (ref.startswith(("line ", "seq ", "[")) or (ref.startswith("message-") and ref[8:].isdigit()))
