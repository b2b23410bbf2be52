"""Which proposals are asked for, in which order: the work of a thread when there are thousands to look through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from pipeline.review.following import Following
from pipeline.review.from_audit import FORMAT as AUDITED
from pipeline.review.waiting import Waiting
from store.view import View
from tui.screens.review_rows import KINDS, ORDERS, Asked, ReviewRows, Shelf, kind_word, order_of
from tui.text import one_line

SEARCHED = 2_000
"""Characters of a text that a search looks at."""
STATES: Mapping[str, str] = {
    "ready": "ready",
    "conflict": "in conflict",
    "expiring": "runs out soon",
    "open": "seen once",
    "postponed": "put off",
    "rejected": "rejected",
    "archived": "put away",
}
"""What the states are called, in the order in which they are offered."""
NAMED = ("kind", "state", "project", "session", "by", "type")
"""What can stand before a colon in the search box."""

Test = Callable[[Waiting], bool]


class Finder:
    """Finds proposals; the text of each is folded once for as long as it is the same proposal."""

    def __init__(self) -> None:
        self._folded: dict[tuple[str, str], tuple[Waiting, str]] = {}

    def arrange(self, queue: Following, asked: Asked, now: int) -> ReviewRows:
        """The rows for what was asked; `now` is milliseconds."""
        items = queue.refused if asked.refused else queue.waiting
        tests = [*_tests(asked), *self._said(asked.text)]
        if tests:
            items = tuple(one for one in items if all(test(one) for test in tests))
        order = order_of("refused" if asked.refused else asked.order)
        if asked.order != "ready" and not asked.refused:
            items = tuple(sorted(items, key=order))
        opened = frozenset(("fold:once", "fold:later")) if asked.text or asked.state else asked.opened
        shelf = Shelf.of(items, order, parted=not asked.refused)
        return ReviewRows(shelf, queue.item, now, opened=opened, kinds=None if tests or asked.refused else queue.kinds)

    def _said(self, text: str) -> Iterator[Test]:
        """A test for each word of the box: `project:tea` and the like, or words that stand in what is shown."""
        words = []
        for word in text.casefold().split():
            name, colon, value = word.partition(":")
            if colon and name in NAMED and value:
                yield lambda one, name=name, value=value: value in _named(one, name)  # type: ignore[misc]
            else:
                words.append(word)
        if words:
            yield lambda one: all(word in self._text(one) for word in words)

    def _text(self, item: Waiting) -> str:
        key = (item.table, item.key)
        known = self._folded.get(key)
        if known is None or known[0] is not item:
            known = self._folded[key] = item, folded(item)
        return known[1]


def is_quick(asked: Asked) -> bool:
    """Whether the rows are at hand without looking through all that waits."""
    return not asked.text and not any(_tests(asked)) and (asked.refused or asked.order == "ready")


def folded(item: Waiting) -> str:
    """The text that a search looks at: what a person sees of it, case-folded."""
    fields = (str(item.fields.get(name, "")) for name in ("type", "label", "subject", "owner"))
    quotes = (quote.text for quote in item.quotes)
    known = (item.kind, item.state, item.by, item.project, *item.sessions)
    return "\n".join((*known, item.statement[:SEARCHED], item.reason, *fields, *quotes)).casefold()


def _tests(asked: Asked) -> Iterator[Test]:
    if asked.kind:
        yield lambda one: one.kind == asked.kind
    if asked.project is not None:
        yield lambda one: one.project == asked.project
    if asked.session:
        yield lambda one: asked.session in one.sessions
    if asked.state and asked.state != "refused":
        yield lambda one: one.state == asked.state


def _named(item: Waiting, name: str) -> str:
    """What a proposal has under one of `NAMED`, case-folded."""
    if name == "session":
        return " ".join(item.sessions).casefold()
    if name == "state":
        return f"{item.state} {STATES.get(item.state, '')}".casefold()
    if name == "kind":
        return f"{item.kind} {kind_word(item.kind)}".casefold()
    values = {"project": item.project, "by": item.by, "type": str(item.fields.get("type", ""))}
    return values[name].casefold()


# --- what there is to choose from


def offers(queue: Following, view: View) -> dict[str, tuple[str, Asked]]:
    """What the queue can be narrowed to and ordered by: a name, how much that is, and what it asks for.

    Everything is offered that there is something of, most of it first.
    """
    every = (*queue.waiting, *queue.refused)
    found: dict[str, tuple[str, Asked]] = {}
    states = Counter(one.state for one in every)
    for state, words in STATES.items():
        if states[state]:
            found[words] = f"{states[state]:,}", Asked(state=state)
    for kind, number in Counter(one.kind for one in queue.waiting).most_common():
        found[kind_word(kind, many=True)] = f"{number:,}", Asked(kind=kind)
    for project, number in Counter(one.project for one in queue.waiting).most_common():
        found[f"project {one_line(project, 60)}" if project else "no project"] = f"{number:,}", Asked(project=project)
    for session, number in Counter(name for one in queue.waiting for name in one.sessions).most_common():
        found[_session(session)] = f"{number:,}{_told(view, session)}", Asked(session=session)
    return found | {words: ("order", Asked(order=name)) for name, words in ORDERS.items()}


def narrowed(asked: Asked, by: Asked) -> Asked:
    """What is asked for once an offer was chosen: narrower by it, or all that there is in its order."""
    if not by.narrowed:
        return replace(asked, order=by.order)
    project = asked.project if by.project is None else by.project
    kind, session = by.kind or asked.kind, by.session or asked.session
    return replace(asked, kind=kind, project=project, session=session, state=by.state or asked.state)


def widened(asked: Asked) -> Asked | None:
    """One step back from what was narrowed last: the session, the project, the kind, the state, the order."""
    if asked.session:
        return replace(asked, session="")
    if asked.project is not None:
        return replace(asked, project=None)
    if asked.kind:
        return replace(asked, kind="")
    if asked.state:
        return replace(asked, state="")
    return replace(asked, order="ready") if asked.order != "ready" else None


def like(item: Waiting, rows: Sequence[Waiting], view: View) -> dict[str, tuple[str, tuple[Waiting, ...]]]:
    """The shown proposals that have something in common with this one, by what that is, with how many they are."""
    groups: dict[str, Test] = {kind_word(item.kind, many=True): lambda one: one.kind == item.kind}
    for session in item.sessions:
        groups[_session(session)] = lambda one, name=session: name in one.sessions  # type: ignore[misc]
    groups[f"project {item.project}" if item.project else "no project"] = lambda one: one.project == item.project
    if item.by:
        groups[f"found by {one_line(item.by, 60)}"] = lambda one: one.by == item.by
    found = {words: tuple(one for one in rows if test(one)) for words, test in groups.items()}
    return {words: (f"{len(some):,}", some) for words, some in found.items()}


def _session(session: str) -> str:
    name = one_line(session.rpartition("/")[2], 80)
    return f"audit of {name}" if session.startswith(f"{AUDITED}/") else f"session {name[:8]}"


def _told(view: View, session: str) -> str:
    """Where a session was held, as far as the ledger knows."""
    row = view.rows("sessions").get(session, {})
    words = [one_line(str(row.get(name) or ""), 60) for name in ("format", "project")]
    return "   " + ", ".join(word for word in words if word) if any(words) else ""


def words_of(asked: Asked) -> Iterable[str]:
    """What narrows the queue, in words for the line on top."""
    if asked.kind:
        yield f"kind {kind_word(asked.kind)}" if asked.kind in KINDS else f"kind {asked.kind}"
    if asked.project is not None:
        yield f"project {one_line(asked.project, 40)}" if asked.project else "no project"
    if asked.session:
        yield _session(asked.session)
    if asked.state and asked.state != "refused":
        yield STATES[asked.state]
