"""The same record told twice: within a file that repeats it, and in files that copied it (`spec/formats.md` §1.3)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace

from pipeline.formats.session import EVIDENCE_AUTHORS, Damage, Session, Turn

CHANGED = "a record with an id seen before has another text; both are kept"


class Seen(dict[str, set[int]]):
    """Record ids that a reader has met, each with the hashes of the texts that it stood for."""

    def tell(self, ref: str, content: Hashable) -> str:
        """Whether a record is "new", the "same" again, or "changed"; remembers it."""
        known = self.setdefault(ref, set())
        before, digest = len(known), hash(content)
        if digest in known:
            return "same"
        known.add(digest)
        return "changed" if before else "new"


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


class Copies:
    """The same for sessions that come one after the other, oldest first, without keeping them."""

    def __init__(self) -> None:
        self._owners: dict[tuple[str, str], dict[str, str]] = {}

    def marked(self, session: Session) -> Session:
        """The session, with what an earlier one had already marked as inherited."""
        return _mark(session, self._owners)


def _mark(session: Session, owners: dict[tuple[str, str], dict[str, str]]) -> Session:
    turns: list[Turn] = []
    damage = list(session.damage)
    for turn in session.turns:
        if turn.author not in EVIDENCE_AUTHORS or not _own_id(turn.ref):
            turns.append(turn)
            continue
        owner = owners.setdefault((session.format, turn.ref), {})
        if turn.text in owner:
            copied = owner[turn.text] != session.path
            turns.append(replace(turn, inherited=True) if copied else turn)
            continue
        if any(path != session.path for path in owner.values()):
            damage.append(Damage(turn.seq, 0, CHANGED))
        owner[turn.text] = session.path
        turns.append(turn)
    return replace(session, turns=tuple(turns), damage=tuple(damage))


def _own_id(ref: str) -> bool:
    return not ref.startswith(("line ", "seq ", "["))
