"""Correcting the wording of a pending fact before anybody decides about it (`spec/extraction.md` §24.2, "edit")."""

from __future__ import annotations

from dataclasses import replace

from pipeline.extract.canonical import statement
from pipeline.extract.facets.rules import reworded
from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import all_gaps, put_gap
from pipeline.review.rows import gap_of
from pipeline.review.waiting import Waiting
from store.changes import Changeset, Origin
from store.clock import millis
from store.errors import BadInput, SecretFound
from store.secret import find_secrets
from store.view import View


def reword(
    view: View, item: Waiting, text: str, origin: Origin = "screen", *, allow_secrets: bool = False
) -> Changeset:
    """The changeset that gives a waiting fact another wording; it goes on waiting.

    The hashes of both wordings become aliases, so that what a later session says in either is known. Later sightings
    leave a person's wording alone. Raises `AlreadyDecided`, `SecretFound`, `BadInput` when there is no text, or when
    another fact of the project says the same.
    """
    gap = gap_of(view, item)
    if gap.state not in ("open", "ready"):
        raise BadInput("This was rejected or put away; restore it first, then edit it.")
    if (kinds := find_secrets(text)) and not allow_secrets:
        raise SecretFound(kinds)
    words = statement(text)
    if not words:
        raise BadInput("There is no text left; write what the fact is, or reject it.")
    names = (gap_id(gap.content), gap_id(words))
    for other in all_gaps(view):
        taken = set(names[1:]) & set(other.identities)
        if taken and other.project == gap.project and other.key != gap.key:
            raise BadInput("Another fact says that already; merge the two instead.")
    aliases = dict.fromkeys((*gap.aliases, *(name for name in names if name != gap.id)))
    edited = replace(gap, content=words, aliases=tuple(aliases), edited=True, updated_at=millis())
    edited = replace(edited, facets=reworded(gap.facets, words))
    return Changeset((put_gap(edited),), f"edit {item.named}", origin, allow_secrets=allow_secrets)
