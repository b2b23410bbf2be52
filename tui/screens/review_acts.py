"""The decisions of the Review screen: each is one change, asked for at once and taken back with one key."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from functools import partial
from typing import Any

from textual import work
from textual.content import Content

from pipeline.extract.profile.rows import SINGLE
from pipeline.review import approve, postpone, reject, restore
from pipeline.review.decide import CHOICE, ONE_VALUE
from pipeline.review.together import Decide, Together, together
from pipeline.review.waiting import Waiting
from store.changes import MoveMemory, PutMemory
from store.errors import MemdeskError
from store.view import View
from tui import clipboard
from tui.asking import Asking, asks
from tui.messages import Task
from tui.screens import review_edit
from tui.screens.frame import Framed
from tui.screens.review_became import became, nothing_new
from tui.screens.review_detail import title
from tui.screens.review_rows import kind_word, kind_words, row_id
from tui.text import content, count, line, lines
from tui.widgets.ask import Ask
from tui.widgets.confirm import Confirm
from tui.widgets.form import Form
from tui.widgets.pick import Pick

DECIDING = ("review.approve", "review.approve-like", "review.keep-both", "review.reject", "review.reject-why")
ON_ITEMS = (*DECIDING, "review.postpone", "review.restore", "item.edit", "review.source", "item.copy", "item.copy-json")
OWNER = "owner"
"""Under this key it is remembered whose private memories were approved last."""
MUTED = "$text-muted"
SAMPLES = 8
"""Statements shown when many are approved at once."""
GONE = ("rejected", "archived")
SIGN = {"new": "+", "changes": "~", "replaces": "-", "moves": ">", "forgets": "-"}
"""What approving can do to the bank, in the order in which it is counted, with the sign before its rows."""


class ReviewActs(Framed):
    """A screen with proposals. It gives `targets()`, `current_item()` and `alike()`, and takes `hide`."""

    def targets(self) -> Sequence[Waiting]:
        """The marked proposals, else the one under the cursor."""
        return ()

    def current_item(self) -> Waiting | None:
        """The proposal under the cursor."""
        return None

    def marked_item(self) -> Waiting | None:
        """One of the marked proposals."""
        return None

    def alike(self, item: Waiting) -> Sequence[Waiting]:
        """The proposals of the same kind and state that are shown."""
        return ()

    def hide(self, items: Sequence[Waiting]) -> None:
        """A decision was asked for: these rows leave at once, and the marks with them."""

    # --- what a key may do

    def why_not(self, id: str) -> str:
        """A key on proposals needs one, in a state in which it can be decided."""
        if reason := super().why_not(id):
            return reason
        if id not in ON_ITEMS:
            return ""
        item = self.current_item() or self.marked_item()
        if item is None:
            return self._nothing_here()
        if id == "review.restore":
            waits = item.state not in (*GONE, "postponed")
            return "It waits already; a approves it, r rejects it." if waits else ""
        if item.state in GONE and id in (*DECIDING, "review.postpone", "item.edit"):
            return f"It was {'rejected' if item.state == 'rejected' else 'put away'}; p brings it back first."
        return _why_not_here(id, item, self.workbench.desk.view)

    def _nothing_here(self) -> str:
        return "Nothing waits here."

    # --- approving

    def do_review_approve(self) -> None:
        """Approve; a question comes first where something is left open, or where several do different things."""
        items = self.targets()
        if question := mixed(items):
            self._approve_sure(items, question)
        else:
            self._approve(items)

    @asks
    def _approve_sure(self, items: Sequence[Waiting], question: str) -> Asking:
        weighed = sorted(items, key=lambda one: -list(SIGN).index(_does(one)))  # what takes something away is seen
        shown = [line(f"{SIGN[_does(one)]} ", (kind_word(one.kind), MUTED), "  ", title(one)) for one in weighed]
        if (yield Confirm(question, "approve", "not now", lines(_first(shown)))):
            self._approve(items)

    def do_review_keep_both(self) -> None:
        """Approve and keep the old memory of a conflict, too."""
        self._approve([item for item in self.targets() if item.state == "conflict"], keep_both=True)

    def _approve(self, items: Sequence[Waiting], keep_both: bool = False) -> None:
        if any(review_edit.needs_owner(item) or len(item.choices) > 1 for item in items):
            self._approve_asking(items, keep_both)
        else:
            self._approve_now(items, {}, keep_both)

    def _approve_now(
        self, items: Sequence[Waiting], edits: Mapping[str, Mapping[str, Any]], keep_both: bool = False
    ) -> None:
        def one(view: View, item: Waiting) -> Any:
            return approve(view, item, edits=edits.get(row_id(item)), keep_both=keep_both)

        self.decide(items, one, "Approved", "approve")

    @asks
    def _approve_asking(self, items: Sequence[Waiting], keep_both: bool) -> Asking:
        edits: dict[str, dict[str, Any]] = {}
        for item in items:
            if len(item.choices) > 1:
                words = dict.fromkeys(item.choices, "")
                field = yield Pick(f"{title(item)}: what is it?", words)
                if field is None:
                    return
                edits[row_id(item)] = {CHOICE: field}
        ownerless = [item for item in items if review_edit.needs_owner(item)]
        if ownerless:
            owner = yield from self._ask_owner(ownerless)
            if owner is None:
                return
            for item in ownerless:
                edits.setdefault(row_id(item), {})["owner"] = owner
        self._approve_now(items, edits, keep_both)

    def _ask_owner(self, items: Sequence[Waiting]) -> Generator[Pick, str | None, str | None]:
        """Whose memory it becomes; the last answer is the first offer."""
        what = title(items[0]) if len(items) == 1 else f"{len(items)} private memories"
        names = review_edit.owners(self.workbench.desk.view)
        last = self.workbench.remembered.get(OWNER)
        if last and last not in names:
            names[last] = "named before"
        question = f"{what}: which agent does it belong to?" if len(items) == 1 else f"{what}: whose are they?"
        hint = "" if names else "type a name, for example the one you use with --as"
        pick = Pick(question, names, last, other="a new name", check=review_edit.check_owner, placeholder=hint)
        owner = yield pick
        if owner is not None:
            self.workbench.remembered.set(OWNER, owner)
        return owner

    @asks
    def do_review_approve_like(self) -> Asking:
        """All of this kind, after a question that says how many."""
        item = self.current_item()
        items = self.alike(item) if item is not None else ()
        if not items:
            return
        shown = _first([content(f"+ {title(one)}") for one in items])
        question = f"Approve {'these ' if len(items) > 1 else ''}{kind_words(items[0].kind, len(items))}?"
        if (yield Confirm(question, "approve", "not now", lines(shown))):
            self._approve(items)

    @asks
    def do_item_edit(self) -> Asking:
        """Change the proposal in a form, and approve it as it stands there."""
        item = self.current_item()
        if item is None:
            return
        view, last = self.workbench.desk.view, self.workbench.remembered.get(OWNER)
        form = review_edit.fields_of(item, view, last)
        values = yield Form("Edit and approve", form, check=review_edit.check_of(item), focus="statement")
        if values is None:
            return
        edits = review_edit.edits_of(item, form, values)
        if "owner" in edits:
            self.workbench.remembered.set(OWNER, edits["owner"])
        kinds = review_edit.secrets_in(edits)
        question = f"Your text looks like it holds a secret ({', '.join(kinds)}). Keep it all the same?"
        if kinds and not (yield Confirm(question, "keep it", "do not")):
            self.say("Nothing was decided.")
            return

        def one(view: View, item: Waiting) -> Any:
            return approve(view, item, edits=edits, allow_secrets=bool(kinds))

        texts = sorted(set(edits) - {"owner", CHOICE})
        self.decide([item], one, f"Approved with another {' and '.join(texts)}:" if texts else "Approved", "approve")

    # --- the other decisions

    def do_review_reject(self) -> None:
        """Reject at once; it is remembered, so that it does not return."""
        self._reject(self.targets(), "")

    @asks
    def do_review_reject_why(self) -> Asking:
        """Reject, and keep the reason with it."""
        items = self.targets()
        what = title(items[0]) if len(items) == 1 else count(len(items), "proposal")
        ask = Ask(f"Why not {what}?", placeholder="kept with it, and in the history", enter="reject")
        reason = yield ask
        if reason is not None:
            self._reject(items, reason.strip())

    def _reject(self, items: Sequence[Waiting], reason: str) -> None:
        def one(view: View, item: Waiting) -> Any:
            return reject(view, item, reason)

        self.decide(items, one, "Rejected", "reject", " It will not be proposed again.")

    def do_review_postpone(self) -> None:
        """Put it off until something new is known about it."""
        items = [item for item in self.targets() if item.state != "postponed"]
        self.decide(items, postpone, "Put off", "postpone", " It comes back when something new is known.")

    def do_review_restore(self) -> None:
        """Take back a rejection, a postponement, or the archive: it waits again."""
        items = [item for item in self.targets() if item.state in (*GONE, "postponed")]
        self.decide(items, restore, "Brought back", "bring back")

    def decide(
        self, items: Sequence[Waiting], one: Decide, done: str, verb: str, after: str = "", *, leave: bool = True
    ) -> None:
        """Ask for decisions about items as one change, worked out from the bank as it is when its turn comes.

        With `leave` their rows leave with the key; what goes on waiting stays where it is.
        """
        if not items:
            return
        if leave:
            self.hide(items)
        plan = partial(_plan, tuple(items), one, (done, verb, after))
        self.workbench.desk.put(Task("commit", ids=_ids(items), plan=plan))

    # --- copying

    def do_item_copy(self) -> None:
        """The text of the proposals."""
        self.copy("\n\n".join(item.statement for item in self.targets()), "the text")

    def do_item_copy_json(self) -> None:
        """As `memdesk review --json` prints them."""
        from tui.cli.shapes import waiting_text

        items = self.targets()
        self.copy(waiting_text(items), f"{count(len(items), 'proposal')} as JSON")

    @work(thread=True, group="copy", exclusive=True, description="copy", exit_on_error=False)
    def copy(self, text: str, what: str) -> None:
        """Copy on a thread, since the system's tool may take its time; the answer says only what is known."""
        self.app.call_from_thread(self.say, clipboard.copy(self.app, text, what))


def mixed(items: Sequence[Waiting]) -> str:
    """What to ask before several are approved at once; "" where all of them are of one kind and only add.

    `Approve 7: 5 new, 1 replaces, 1 forgets?`
    """
    does = Counter(map(_does, items))
    if len(items) < 2 or (len({item.kind for item in items}) == 1 and does["new"] == len(items)):
        return ""
    return f"Approve {len(items):,}: {', '.join(f'{does[word]:,} {word}' for word in SIGN if does[word])}?"


def _does(item: Waiting) -> str:
    """What approval would do to the bank, as a key of `SIGN`."""
    moves = {change.state for change in item.changes if isinstance(change, MoveMemory)}
    if item.kind == "forget" or "trashed" in moves:
        return "forgets" if item.conflict is None else "replaces"
    if item.conflict is not None or item.state == "conflict":
        return "replaces"
    if any(isinstance(change, PutMemory) and change.id is not None for change in item.changes):
        return "changes"
    return "moves" if moves else "new"


def _first(rows: Sequence[Content]) -> Sequence[Content]:
    """The first of many rows, and how many follow."""
    more = [content(f"  and {len(rows) - SAMPLES:,} more", MUTED)] if len(rows) > SAMPLES else []
    return [*rows[:SAMPLES], *more]


def _why_not_here(id: str, item: Waiting, view: View) -> str:
    if id == "review.keep-both" and item.state != "conflict":
        return "It replaces nothing; a approves it."
    if id == "review.keep-both" and view.rows("profile").get(item.key, {}).get("category") in SINGLE:
        return ONE_VALUE
    if id == "review.postpone" and item.state == "postponed":
        return "It is put off already; p brings it back."
    if id == "item.edit" and not review_edit.can_be_edited(item):
        whole = any(isinstance(change, PutMemory) for change in item.changes)
        return "It replaces a whole file; approve or reject it." if whole else "There is no text in it to edit."
    if id == "review.source" and not item.quotes:
        return "No words of a transcript stand behind it."
    return ""


def _plan(items: Sequence[Waiting], one: Decide, words: tuple[str, str, str], view: View) -> Task:
    """The task once the bank is known: what is decided and what is said. Raises what became of a single one."""
    done, verb, after = words
    try:
        found = together(view, items, one, f"{verb} {_kinds(items)}")
    except MemdeskError as error:
        raise became(view, items[0], error) from error
    said = nothing_new(view, found.changeset.changes) if verb == "approve" and len(found.decided) == 1 else ""
    if said:
        sentence = f"The bank says it already ({said}); {title(found.decided[0])} is settled, no second copy was made."
    else:
        sentence = f"{_done(view, found, done)}{after if len(found.decided) == 1 else ''}"
    return Task("commit", found.changeset, sentence, _ids(items))


def _ids(items: Sequence[Waiting]) -> tuple[str, ...]:
    return tuple(row_id(item) for item in items)


def _done(view: View, found: Together, done: str) -> str:
    """`Approved tea.`, `Approved 4 facts. 1 is left: …`"""
    decided = found.decided
    what = title(decided[0]) if len(decided) == 1 else _kinds(decided)
    left = f" {count(len(found.left), 'is', 'are')} left: {became(view, *found.left[0])}" if found.left else ""
    return f"{done} {what}.{left}"


def _kinds(items: Sequence[Waiting]) -> str:
    kinds = {item.kind for item in items}
    return kind_words(kinds.pop(), len(items)) if len(kinds) == 1 else count(len(items), "proposal")
