"""What is done with waiting facts besides deciding: merging and parting, putting off and away, correcting the words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial

from pipeline.extract.ledger.gaps import all_gaps
from pipeline.review.linking import links_of
from pipeline.review.merging import merge, parts, same_as, split
from pipeline.review.nearby import Neighbour
from pipeline.review.rewording import reword
from pipeline.review.shelving import archive, extend, postpone
from pipeline.review.waiting import Waiting
from store import clock
from store.changes import Changeset
from store.view import View
from tui.asking import Asking, asks
from tui.dates import day
from tui.screens import review_edit
from tui.screens.review_acts import GONE, ReviewActs
from tui.screens.review_detail import title
from tui.text import count, one_line
from tui.widgets.confirm import Confirm
from tui.widgets.form import Field, Form
from tui.widgets.pick import Pick

LEDGER = ("item.merge", "review.split", "review.later", "review.reword")
"""Keys that need a fact found in transcripts."""
DONE: Mapping[str, str] = {
    "item.merge": "merged",
    "review.split": "split",
    "review.later": "put away",
    "review.reword": "reworded while they wait",
}
"""What these keys do, for where they cannot."""
DAYS: Mapping[str, int] = {"in a week": 7, "in a month": 30, "in three months": 90}
LONGER, AWAY = "give it its whole time again", "put it away"
NONE = "none of these "
"""What stands first where nothing resembles a fact; no fact's words end in a space."""
MOST = 300
"""Facts that are offered to merge with besides those that resemble it."""
TEXT = 90
"""Characters of a fact as it is offered."""


class LedgerActs(ReviewActs):
    """The keys of a screen with proposals that are about the ledger's facts."""

    def known_neighbours(self, item: Waiting) -> Sequence[Neighbour]:
        """What is known to resemble a proposal."""
        return ()

    def why_not(self, id: str) -> str:
        """These keys need a fact that was found in transcripts and waits."""
        if (reason := super().why_not(id)) or id not in LEDGER:
            return reason
        item = self.marked_item() or self.current_item()
        if item is None:
            return self._nothing_here()
        if id == "review.later" and item.table != "gaps" and item.state not in GONE:
            return "This does not run out; s puts it off."
        if item.table != "gaps":
            return _instead(id, item)
        if item.state in GONE:
            return "It does not wait; p brings it back first."
        if id == "review.split" and not parts(self.workbench.desk.view, item):
            return "Nothing was merged into it."
        return ""

    # --- merging

    @asks
    def do_item_merge(self) -> Asking:
        """Merge with what says the same: another waiting fact, or a memory that says it already."""
        marked, view = [one for one in self.targets() if one.table == "gaps"], self.workbench.desk.view
        if len(marked) == 2:
            offered = {_text(one.statement): ("this wording stays", one.key) for one in marked}
            name = yield Pick("These two are one fact: which wording stays?", _words(offered), sentences=True)
            if name is not None:
                kept = next(one for one in marked if one.key == offered[name][1])
                self._merge(next(one for one in marked if one is not kept), kept.key)
            return
        if len(marked) != 1:
            self.say("Mark two facts to merge them; one after the other, also more.")
            return
        (item,) = marked
        offered = partners(view, item, self.known_neighbours(item))
        if not offered:
            self.say("There is nothing that it could be merged with: no other fact waits in its project.")
            return
        name = yield Pick(f"{title(item)}: what says the same?", _words(offered), sentences=True)
        if name == NONE:
            self.say("Nothing was merged.")
        elif name is not None:
            self._merge(item, offered[name][1])

    def _merge(self, item: Waiting, other: str) -> None:
        """Merge into a waiting fact by its key, or into a memory by its id."""
        into = self.item_of("gaps", other)
        if into is not None:
            self.decide([item], partial(_merged, into), f"Merged into {title(into)}:", "merge")
        else:
            self.decide([item], partial(_same, other), "The bank says it already:", "join")

    def item_of(self, table: str, key: str) -> Waiting | None:
        """The proposal of a row."""
        return None

    @asks
    def do_review_split(self) -> Asking:
        """Take out again what was merged into it; with several, ask which."""
        item = self.current_item()
        if item is None:
            return
        found = {_text(part.content): part for part in parts(self.workbench.desk.view, item)}
        name: str | None = next(iter(found), None)
        if len(found) > 1:
            said = {words: count(len(part.sessions), "session") for words, part in found.items()}
            name = yield Pick(f"{title(item)}: what is split off?", said, sentences=True)
        if name is not None:
            self.decide([item], partial(_split, found[name].id), f"Split {name} off", "split", leave=False)

    # --- time

    @asks
    def do_review_later(self) -> Asking:
        """Until a day, longer, or away."""
        items = [one for one in self.targets() if one.table == "gaps" and one.state not in GONE]
        today = clock.now()
        offered = {words: day((today + timedelta(days=days)).date().isoformat()) for words, days in DAYS.items()}
        if any(one.state in ("open", "expiring") for one in items):
            offered[LONGER] = "90 days from now; it stays where it is"
        offered[AWAY] = "out of sight until somebody says it again, or you bring it back"
        what = title(items[0]) if len(items) == 1 else count(len(items), "fact")
        name = yield Pick(f"{what}: until when?", offered)
        if name == LONGER:
            mine = [one for one in items if one.state in ("open", "expiring")]
            self.decide(mine, extend, "Waits longer:", "keep longer", leave=False)
        elif name == AWAY:
            self.decide(items, archive, "Put away", "put away")
        elif name is not None:
            until = _morning(today + timedelta(days=DAYS[name]))
            self.decide(items, partial(_until, until), f"Put off until {offered[name]}:", "postpone")

    # --- words

    @asks
    def do_review_reword(self) -> Asking:
        """Correct the words without deciding."""
        item = self.current_item()
        if item is None:
            return
        field = Field("statement", "statement", item.statement, "text")
        values = yield Form("Correct the words", (field,), check=_check, focus="statement")
        if values is None or values["statement"].strip() == item.statement.strip():
            return
        kinds = review_edit.secrets_in(values)
        question = f"Your text looks like it holds a secret ({', '.join(kinds)}). Keep it all the same?"
        if kinds and not (yield Confirm(question, "keep it", "do not")):
            self.say("Nothing was changed.")
            return
        one = partial(_reworded, values["statement"], bool(kinds))
        self.decide([item], one, "Corrected", "edit", " It goes on waiting.", leave=False)


def partners(view: View, item: Waiting, near: Sequence[Neighbour]) -> dict[str, tuple[str, str]]:
    """What a fact can be merged with: its words, why it is offered, and its row's key or the memory's id.

    Suggested links come first, then memories that resemble it, then the other waiting facts of its project. Where
    nothing is alike enough, `NONE` stands before these, so that enter alone merges nothing.
    """
    waiting = {
        gap.key: gap
        for gap in all_gaps(view)
        if gap.state in ("open", "ready") and gap.project == item.project and gap.key != item.key
    }
    found: dict[str, tuple[str, str]] = {}
    for link in links_of(view, item):
        other = link.second if link.first == item.key else link.first
        if (gap := waiting.pop(other, None)) is not None:
            why = "a model named it for this one" if link.why == "cited" else f"{link.similarity:.0%} alike, waits too"
            found[_text(gap.content)] = why, gap.key
    for one in near:
        memory = view.memories.get(one.id) if one.table == "memories" else None
        if memory is not None:
            words = f"in the bank, {one.similarity:.0%} alike: {memory.name.removesuffix('.md')}"
            found.setdefault(_text(memory.statement), (words, memory.id))
    if not found and waiting:
        found[NONE] = "nothing is as much alike as it would take; go down, or type words of one", ""
    for gap in sorted(waiting.values(), key=lambda gap: -gap.updated_at)[:MOST]:
        found.setdefault(_text(gap.content), ("waits too", gap.key))
    return found


def _text(statement: str) -> str:
    return one_line(statement, TEXT)


def _instead(id: str, item: Waiting) -> str:
    """What can be done with a proposal that is no fact of transcripts, where a key of these facts was pressed."""
    edits = "e changes it and approves it, " if review_edit.can_be_edited(item) else ""
    return f"Only facts found in transcripts can be {DONE[id]}; {edits}a approves it as it is, r rejects it."


def _words(offered: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    return {name: words for name, (words, _) in offered.items()}


def _check(values: Mapping[str, str]) -> str:
    return "" if values["statement"].strip() else "There is no text left; write what the fact is, or reject it."


def _morning(when: datetime) -> int:
    """The beginning of a day, in milliseconds."""
    return clock.millis(when.replace(hour=0, minute=0, second=0, microsecond=0))


def _merged(into: Waiting, view: View, item: Waiting) -> Changeset:
    return merge(view, item, into)


def _same(memory: str, view: View, item: Waiting) -> Changeset:
    return same_as(view, item, memory)


def _split(alias: str, view: View, item: Waiting) -> Changeset:
    return split(view, item, alias)


def _until(until: int, view: View, item: Waiting) -> Changeset:
    return postpone(view, item, until)


def _reworded(text: str, allow_secrets: bool, view: View, item: Waiting) -> Changeset:
    return reword(view, item, text, allow_secrets=allow_secrets)
