"""Many decisions as one changeset: one row of history, taken back with one key (`spec/extraction.md` §24.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pipeline.extract.canonical import collapse
from pipeline.extract.profile.rows import SINGLE, read_profile
from pipeline.review.waiting import Waiting
from store.changes import Change, Changeset, DropRow, MoveMemory, NewId, Origin, PutMemory, PutRow, PutSettingFile
from store.errors import Changed, MemdeskError
from store.view import View

CLASH = "It touches the same thing as another of these; decide it on its own."

Decide = Callable[[View, Waiting], Changeset]


@dataclass(frozen=True, slots=True)
class Together:
    """The changeset of all that can be decided together, which items those are, and why the others are left."""

    changeset: Changeset
    decided: tuple[Waiting, ...]
    left: tuple[tuple[Waiting, MemdeskError], ...] = ()


def together(
    view: View, items: Sequence[Waiting], decide: Decide, reason: str = "", origin: Origin = "screen"
) -> Together:
    """Decide about several items at once, each as `decide` does it alone.

    An item that is refused (a secret, decided meanwhile) or that touches what an earlier one touches is left as it is.
    `reason` is the line of history for several; a single one keeps its own. Raises what `decide` raises when nothing
    is left to decide.
    """
    done: list[tuple[Waiting, Changeset]] = []
    left: list[tuple[Waiting, MemdeskError]] = []
    taken: set[tuple[str, ...]] = set()
    for item in items:
        try:
            changeset = decide(view, item)
        except MemdeskError as error:
            left.append((item, error))
            continue
        touched = _touched(view, item, changeset.changes)
        if touched & taken:
            left.append((item, Changed(CLASH)))
            continue
        taken |= touched
        done.append((item, changeset))
    if not done:
        raise left[0][1]
    return Together(_joined(done, reason, origin), tuple(item for item, _ in done), tuple(left))


def _joined(done: Sequence[tuple[Waiting, Changeset]], reason: str, origin: Origin) -> Changeset:
    if len(done) == 1:
        return done[0][1]
    changes = [change for at, (_, one) in enumerate(done) for change in _renamed(one.changes, f"-{at}")]
    return Changeset(
        tuple(changes),
        reason,
        origin,
        evidence=tuple(quote for _, one in done for quote in one.evidence),
        proposed=all(one.proposed for _, one in done),
    )


def _renamed(changes: Sequence[Change], mark: str) -> list[Change]:
    """The changes with the keys of their new memories marked, so that no two in one changeset are the same."""
    found: list[Change] = []
    for change in changes:
        if isinstance(change, PutMemory) and change.key:
            found.append(replace(change, key=change.key + mark))
        elif isinstance(change, PutRow):
            fields = {
                name: NewId(value.key + mark) if isinstance(value, NewId) else value
                for name, value in change.fields.items()
            }
            found.append(replace(change, fields=fields))
        else:
            found.append(change)
    return found


def _touched(view: View, item: Waiting, changes: Sequence[Change]) -> set[tuple[str, ...]]:
    """What no second decision may touch: rows, memories, what a new memory says, a field that has one value."""
    found: set[tuple[str, ...]] = {("row", item.table, item.key)}
    for change in changes:
        if isinstance(change, MoveMemory) or (isinstance(change, PutMemory) and change.id is not None):
            found.add(("memory", change.id or ""))
        elif isinstance(change, PutMemory):
            says = collapse(str(change.fields.get("statement", "")))
            found.add(("says", str(change.fields.get("project") or ""), says))
        elif isinstance(change, PutSettingFile):
            found.add(("setting", change.path.casefold()))
        elif isinstance(change, PutRow | DropRow) and change.table != "tombstones":
            found.add(("row", change.table, change.key))
    if item.table == "profile":
        fact = read_profile(item.key, view.rows("profile").get(item.key, {}))
        if fact is not None and fact.category in SINGLE:
            found.add(("field", fact.category, fact.slot))
    return found
