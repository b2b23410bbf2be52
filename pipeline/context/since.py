"""What changed since a baseline: the memories that came in, left, moved or say something else, and why each did.

A cause is looked for where it can be proven: in the history of the memory, in what the hook takes out now and took out
then, and by making today's pack with one of the earlier inputs after the other. What none of these explains is the
others' doing: they made room, or took it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from pipeline.context.baseline import INPUTS, NOT_REQUESTED, Baseline
from pipeline.context.budget import Line, places
from pipeline.context.difference import Difference, of_lines
from pipeline.context.fates import Fates
from pipeline.context.pack import Pack, assemble
from store.changes import Committed

Kind = Literal["came_in", "left", "reworded", "moved"]
KINDS: tuple[Kind, ...] = ("came_in", "left", "reworded", "moved")
What = Literal["written", "edited", "trashed", "archived", "restored", "removed"]
WORDS: Mapping[str, str] = {
    "written": "it was written since",
    "edited": "it was changed since",
    "restored": "it was put back since",
    "trashed": "it is in the trash",
    "archived": "it is in the archive",
    "removed": "it is no longer in the bank",
    "unreadable": "this agent may not read it any more",
    "hook": "the hook takes out something else now",
    "evicted": "the hook takes it out",
    "unlisted": "the hook does not list it",
    "paged_out": "paging takes it out",
    "agent": "another agent",
    "owner": "another identity",
    "focus": "another focus",
    "budget": "another budget",
    "limit": "another limit",
    "years": "other years",
    "layout": "another layout",
    "paging": "paging is not as it was then",
    "inputs": "other inputs together",
    "duplicate": "its text stands elsewhere in the pack",
    "over_budget": "the budget refuses it",
    "over_limit": "others stand before it",
    "summary_overflow": "three summaries go in at most",
    "room": "the others made room",
}
"""What each cause means, in words."""


@dataclass(frozen=True, slots=True)
class Touched:
    """What the bank's history says of a memory since the baseline: the newest change, and what it all came to."""

    what: What
    number: int
    at: str
    reason: str


@dataclass(frozen=True, slots=True)
class Item:
    """One memory that is told about. `before` and `after` are its sections ("": not in the pack), then its lines.

    `cause` is a key of `WORDS`; `touched` the change of the bank that explains it, `needs` what it would take to get in
    again: a number with the unit that `cause` names (`over_limit`: the limit, `over_budget`: units that are missing).
    """

    id: str
    kind: Kind
    before: str
    after: str
    text_before: str
    text_after: str
    cause: str
    touched: Touched | None = None
    needs: int | None = None

    @property
    def words(self) -> str:
        """The cause in words."""
        return WORDS[self.cause]


@dataclass(frozen=True, slots=True)
class Other:
    """One input that is another one than then."""

    name: str
    before: Any
    after: Any


@dataclass(frozen=True)
class Since:
    """From a baseline to a pack: other inputs, all lines with their signs, and one item for each memory concerned."""

    baseline: Baseline
    inputs: tuple[Other, ...]
    told: Difference
    items: tuple[Item, ...]

    @cached_property
    def by_id(self) -> dict[str, Item]:
        """The items by memory."""
        return {item.id: item for item in self.items}

    def count(self, kind: Kind) -> int:
        """How many items are of that kind."""
        return sum(item.kind == kind for item in self.items)


def since(baseline: Baseline, pack: Pack, touched: Mapping[str, Touched] | None = None) -> Since:
    """What changed from the baseline to this pack; `touched` as `touched_since` gives it."""
    other = tuple(_other_inputs(baseline, pack))
    causes = _Causes(baseline, pack, touched or {}, other)
    told = of_lines(baseline.lines, pack.lines, pack.bar.used - baseline.used)
    return Since(baseline, other, told, tuple(_items(baseline, pack, causes)))


def touched_since(history: Iterable[Committed], number: int, prefix: str = "") -> dict[str, Touched]:
    """What happened to each memory after the change of that number; `history` comes newest first.

    `prefix` is the bank's in a joined view (`user:`). A change and the undo that took it back come to nothing.
    """
    found: dict[str, Touched] = {}
    last: dict[str, tuple[str, str]] = {}
    for change in history:
        if change.number <= number:
            break
        for effect in change.files:
            after = last.setdefault(effect.id, (effect.sha_after or "", effect.state_after or "removed"))
            before = (effect.sha_before or "", effect.state_before or "removed")
            newest = found.get(prefix + effect.id)
            told = newest or Touched("edited", change.number, change.at, change.reason)
            found[prefix + effect.id] = replace(told, what=_what(before[1], after[1]))
            if before == after:
                del found[prefix + effect.id]
    return found


def _what(before: str, after: str) -> What:
    if after == "live":
        return "edited" if before == "live" else "written" if before == "removed" else "restored"
    return "trashed" if after == "trashed" else "archived" if after == "archived" else "removed"


def _other_inputs(baseline: Baseline, pack: Pack) -> Iterator[Other]:
    for key in INPUTS:
        now = getattr(pack.request, key)
        then = _typed(baseline, key, now)
        if then != now:
            yield Other(key, then, now)
    hook = pack.hook.status if pack.hook is not None else NOT_REQUESTED
    if hook != baseline.hook.status:
        yield Other("hook", baseline.hook.status, hook)


def _typed(baseline: Baseline, key: str, now: Any) -> Any:
    """The input as a request holds it; what an older baseline does not know counts as the same."""
    then = baseline.inputs.get(key, now)
    return tuple(then) if isinstance(then, list) else then


# --- one item for each memory


def _items(baseline: Baseline, pack: Pack, causes: _Causes) -> Iterator[Item]:
    old, new = places(baseline.lines), pack.places
    old_texts, new_texts = _texts(baseline.lines), _texts(pack.lines)
    for id in new:
        if id not in old:
            yield Item(id, "came_in", "", new[id], "", _first(new_texts[id]), *causes.of_coming(id))
    for id in old:
        if id not in new:
            yield Item(id, "left", old[id], "", _first(old_texts[id]), "", *causes.of_leaving(id))
    # A line of several memories also changes with its neighbours; it is told as theirs.
    shared = {entry for line in (*baseline.lines, *pack.lines) if line.also for entry in line.entries}
    for id in new:
        if id not in old:
            continue
        pair = None if id in shared else _reworded(old_texts[id], new_texts[id])
        if pair is not None:
            yield Item(id, "reworded", old[id], new[id], *pair, "edited", causes.touched.get(id))
        elif old[id] != new[id]:
            text = _first(new_texts[id])
            yield Item(id, "moved", old[id], new[id], text, text, *causes.of_moving(id, old[id]))


def _texts(lines: Sequence[Line]) -> dict[str, dict[str, str]]:
    """The text of each memory by section; several lines of one are joined."""
    found: dict[str, dict[str, str]] = {}
    for line in lines:
        for entry in line.entries:
            texts = found.setdefault(entry, {})
            texts[line.section] = f"{texts[line.section]}\n{line.text}" if line.section in texts else line.text
    return found


def _first(texts: Mapping[str, str]) -> str:
    return next(iter(texts.values()))


def _reworded(old: Mapping[str, str], new: Mapping[str, str]) -> tuple[str, str] | None:
    """The first pair of texts that differ: of one section, else of the two that there are."""
    common = [key for key in new if key in old]
    pairs = [(old[key], new[key]) for key in common] or [(_first(old), _first(new))]
    return next((pair for pair in pairs if pair[0] != pair[1]), None)


Cause = tuple[str, Touched | None, int | None]


@dataclass(frozen=True)
class _Causes:
    """Finds out why. `touched` is the history since, `other` the inputs that are others than then."""

    baseline: Baseline
    pack: Pack
    touched: Mapping[str, Touched]
    other: Sequence[Other]

    @cached_property
    def fates(self) -> Fates:
        return Fates(self.pack)

    @cached_property
    def removed_then(self) -> frozenset[str]:
        return frozenset(self.baseline.hook.removed)

    def of_coming(self, id: str) -> Cause:
        """Why a memory is in the pack that was not."""
        touched = self.touched.get(id)
        if touched is not None and touched.what in {"written", "restored"}:
            return touched.what, touched, None
        if self._path(id) in self.removed_then:
            others = {one.name for one in self.other}
            return ("paging" if "paging" in others and "hook" not in others else "hook"), None, None
        if cause := self._input(id, there=True):
            return cause, None, None
        return ("edited", touched, None) if touched is not None else ("room", None, None)

    def of_leaving(self, id: str) -> Cause:
        """Why a memory is no longer in the pack."""
        touched = self.touched.get(id)
        memory = self.pack.view.memories.get(id)
        if memory is None:
            return "removed", touched, None
        if memory.state != "live":
            return ("archived" if memory.state == "archived" else "trashed"), touched, None
        if cause := self._input(id, there=False):
            return cause, None, None
        if id not in self.pack.standing.by_id:
            return "unreadable", touched, None
        return self._refused(id, touched)

    def _refused(self, id: str, touched: Touched | None) -> Cause:
        fate = self.fates.of(id)
        if fate.outcome == "budget":
            return "over_budget", touched, fate.shortfall
        if fate.outcome == "over_limit":
            return "over_limit", touched, fate.needs_limit
        return (fate.outcome if fate.outcome in WORDS else "room"), touched, None

    def of_moving(self, id: str, before: str) -> Cause:
        """Why a memory stands in another section."""
        for name, pack in self._with_earlier.items():
            if pack.places.get(id) == before:
                return name, None, None
        touched = self.touched.get(id)
        return ("edited", touched, None) if touched is not None else ("room", None, None)

    def _input(self, id: str, *, there: bool) -> str:
        """The input without which it would not be so; "" when none is."""
        for name, pack in self._with_earlier.items():
            if (id in pack.places) is not there:
                return name
        together = self._all_earlier
        return "inputs" if together is not None and (id in together.places) is not there else ""

    @cached_property
    def _with_earlier(self) -> dict[str, Pack]:
        """Today's pack, with one input as it was then."""
        return {one.name: self._again(**{one.name: one.before}) for one in self.other if one.name in INPUTS}

    @cached_property
    def _all_earlier(self) -> Pack | None:
        earlier = {one.name: one.before for one in self.other if one.name in INPUTS}
        return self._again(**earlier) if len(earlier) > 1 else None

    def _again(self, **inputs: Any) -> Pack:
        paging = None if inputs.get("paging") is False else self.pack.paging
        return assemble(self.pack.view, replace(self.pack.request, **inputs), self.pack.hook, paging)

    def _path(self, id: str) -> str:
        memory = self.pack.view.memories.get(id)
        return memory.path if memory is not None else ""
