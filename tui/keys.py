"""Every key, once: what it is called in a person's settings, what it presses, what it does, and where.

Bindings, the key line, the help, the README's table and the check of a person's own keys all come from here. A key
with the id `item.trash` runs the method `do_item_trash` of the nearest of: the focused widget, the screen, the app.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from textual.binding import Binding, BindingType

EVERYWHERE = "all"
LISTS = "lists"
TEXT = "text"
OFFERS = "offers"
"""The key line of a box that offers something."""
SCREEN = "app.screen-"
"""Beginning of the ids of the keys that open a screen; its number follows."""
SCREENS = ("bank", "review", "context", "sessions", "health")
ITEMS = ("bank", "review", "context", "sessions")


@dataclass(frozen=True, slots=True)
class Key:
    """One action that a key runs.

    `keys` are Textual's names, comma separated, the one to show first. `hint` is its word in the key line, `does` the
    words of help and README. `where` names the places: all, lists, or screens. `writes` marks what a read-only
    workbench refuses. `even_in_text` keeps it working while a text field has the focus.
    """

    id: str
    keys: str
    hint: str
    does: str
    where: tuple[str, ...]
    writes: bool = False
    even_in_text: bool = False

    @property
    def shown(self) -> str:
        """The first key as a person knows it: `/`, `^p`, `space`."""
        return name(self.keys.split(",")[0])

    @property
    def all_shown(self) -> str:
        """All its keys as a person knows them."""
        return " ".join(name(key) for key in self.keys.split(","))

    @property
    def method(self) -> str:
        """The method that carries it out."""
        return "do_" + self.id.replace(".", "_").replace("-", "_")


KEYS: tuple[Key, ...] = (
    *(Key(f"{SCREEN}{n}", str(n), "", f"open screen {n}", (EVERYWHERE,)) for n in range(1, 10)),
    Key("app.search", "/", "search", "the search box of this screen", (EVERYWHERE,)),
    Key("app.back", "escape", "back", "one step back: close, unmark, clear the search, leave the pane", (EVERYWHERE,)),
    Key("app.keys", "?,f1", "keys", "the keys for this place: filter as you type, run with enter", (EVERYWHERE,)),
    Key(
        "app.commands",
        "ctrl+p",
        "commands",
        "the command palette; also jumps to any memory",
        (EVERYWHERE,),
        even_in_text=True,
    ),
    Key("app.undo", "u", "undo", "take back the last change, wherever it was made", (EVERYWHERE,), writes=True),
    Key("app.redo", "U", "redo", "make the last change that was taken back again", (EVERYWHERE,), writes=True),
    Key("app.quit", "q", "quit", "leave; asks only when a run or an unsaved form is open", (EVERYWHERE,)),
    Key("app.leave", "ctrl+q", "quit", "leave, also from a text field", (EVERYWHERE,), even_in_text=True),
    Key("app.interrupt", "ctrl+c", "quit", "pressed twice: leave", (EVERYWHERE,)),
    Key("pane.next", "tab", "next pane", "next pane", (EVERYWHERE,)),
    Key("pane.prev", "shift+tab", "previous pane", "previous pane", (EVERYWHERE,)),
    Key("list.up", "k,up", "up", "up", (LISTS,)),
    Key("list.down", "j,down", "down", "down", (LISTS,)),
    Key("list.page-up", "pageup", "page up", "a page up", (LISTS,)),
    Key("list.page-down", "pagedown", "page down", "a page down", (LISTS,)),
    Key("list.half-up", "ctrl+u", "half a page up", "half a page up", (LISTS,)),
    Key("list.half-down", "ctrl+d", "half a page down", "half a page down", (LISTS,)),
    Key("list.first", "g,home", "first", "the first row", (LISTS,)),
    Key("list.last", "G,end", "last", "the last row", (LISTS,)),
    Key("list.open", "enter,l,right", "open", "open, or go into the detail", (LISTS,)),
    Key("list.mark", "space", "mark", "mark or unmark this row", (LISTS,)),
    Key("list.range", "v", "range", "mark a range: here, then there", (LISTS,)),
    Key("list.mark-all", "*", "mark all", "mark all rows shown, or none", (LISTS,)),
    Key("detail.up", "K", "detail up", "scroll the detail up without leaving the list", (LISTS,)),
    Key("detail.down", "J", "detail down", "scroll the detail down without leaving the list", (LISTS,)),
    Key("text.enter", "enter", "to the rows", "leave the box and go to the rows", (TEXT,)),
    Key("text.take", "tab,right", "take", "take what is offered under the box", (TEXT,)),
    Key("text.next", "down", "next", "the next of what is offered; on to the rows where nothing is", (TEXT,)),
    Key("text.previous", "up", "previous", "the one before of what is offered", (TEXT,)),
    Key("list.sort", "s", "sort", "sort by relevance, time, type or use", ("bank",)),
    Key("list.why", "w", "why", "why this row stands here", ("bank",)),
    Key("item.new", "n", "new", "a new memory", ("bank",), writes=True),
    Key("item.edit", "e", "edit", "edit here", ITEMS[:3], writes=True),
    Key("item.editor", "E", "editor", "edit in $EDITOR", ("bank",), writes=True),
    Key("item.trash", "x,delete", "trash", "to the trash, no question", ("bank", "context"), writes=True),
    Key("item.protect", "p", "protect", "immutable, or not any more", ("bank", "context"), writes=True),
    Key("item.links", "o", "links", "what it rests on and is linked to; its history", ("bank", "context")),
    Key("item.copy", "y", "copy", "copy the text (in Bank the path)", SCREENS),
    Key("item.copy-json", "Y", "copy JSON", "copy as JSON", SCREENS),
    Key("bank.copy-text", "t", "copy text", "copy the text of the memory", ("bank",)),
    Key("bank.trash", "T", "show trash", "show the trash, or the bank again", ("bank",)),
    Key("bank.restore", "r", "restore", "put back from the trash", ("bank",), writes=True),
    Key("bank.problems", "!", "problems", "files that could not be read", ("bank",)),
    Key("review.approve", "a", "approve", "approve; in a profile conflict: replace", ("review",), writes=True),
    Key(
        "review.approve-like", "A", "approve all like this", "approve all of this kind; asks", ("review",), writes=True
    ),
    Key("review.keep-both", "b", "keep both", "in a profile conflict: keep both", ("review",), writes=True),
    Key("review.reject", "r", "reject", "reject at once; it is remembered", ("review",), writes=True),
    Key("review.reject-why", "R", "reject, say why", "reject and say why", ("review",), writes=True),
    Key("review.postpone", "s", "postpone", "later, when something new is known", ("review",), writes=True),
    Key("review.source", "o", "open source", "open the transcript at the words that it rests on", ("review",)),
    Key("review.only", "t", "one kind", "one kind only, then the next one", ("review",)),
    Key("review.narrow", "f", "show only", "show only one kind, state, project or session; another order", ("review",)),
    Key(
        "review.mark-like",
        "V",
        "mark alike",
        "mark all shown of the same kind, session, project or finder",
        ("review",),
    ),
    Key("item.merge", "m", "merge", "merge with a fact or a memory that says the same", ("review",), writes=True),
    Key("review.split", "d", "split off", "take out again what was merged into it", ("review",), writes=True),
    Key(
        "review.later", "S", "until when", "put off until a day, give more time, or put away", ("review",), writes=True
    ),
    Key("review.reword", "E", "reword", "correct the words; it goes on waiting", ("review",), writes=True),
    Key("review.refused", "T", "show rejected", "show what was rejected or put away, or what waits again", ("review",)),
    Key("review.restore", "p", "bring back", "bring back what was rejected or put off", ("review",), writes=True),
    Key("context.what-if", "w", "what if", "agent, focus, budget, limit, against today", ("context",)),
    Key("context.more", "+", "more", "more budget", ("context",)),
    Key("context.less", "-", "less budget", "less budget", ("context",)),
    Key("context.budget", "=", "budget", "type a budget", ("context",)),
    Key("context.hook", "H", "hook", "the hook on, off, its last answer", ("context",)),
    Key("context.difference", "d", "difference", "what this would alter, line by line", ("context",)),
    Key("context.only", "t", "one outcome", "what is out, by reason; then one outcome after the other", ("context",)),
    Key("context.agent", "a", "agent", "whose pack is shown", ("context",)),
    Key("context.text", "T", "pack text", "the pack itself, line by line", ("context",)),
    Key("context.provider", "P", "provider", "what the provider was asked, and what it answered", ("context",)),
    Key("context.baseline", "b", "baselines", "keep the pack under a name, see what changed since", ("context",)),
    Key("context.beside", "A", "beside", "another agent's pack beside this one", ("context",)),
    Key("context.loss", "L", "loss", "what agents load from files, and what of it is lost", ("context",)),
    Key("context.audit", "D", "audit", "what of a text that is about to be lost the bank holds", ("context",)),
    Key("session.read", "n", "read a file", "read a transcript", ("sessions",)),
    Key("session.format", "f", "read as", "read this file as another format", ("sessions",)),
    Key("session.run", "R", "run", "extract from this session", ("sessions",), writes=True),
    Key("session.dry-run", "D", "dry run", "try it, keep nothing", ("sessions",)),
    Key("session.plan", "p", "preview", "what a model would be shown, without asking it", ("sessions",)),
    Key("session.span", "w", "which turns", "run from the last turn on, or over other turns again", ("sessions",)),
    Key(
        "session.left-out",
        "F",
        "left out",
        "what no run got through: try it again, split it, give it up",
        ("sessions",),
    ),
    Key("session.open", "o", "conversation", "the conversation, what was quoted from it marked", ("sessions",)),
    Key("session.stop", "c", "stop", "stop this run at once; on another row, or again: all of them", ("sessions",)),
    Key("health.check", "c", "check", "check again", ("health",)),
    Key("health.history", "H", "history", "to the changes, newest first", ("health",)),
    Key("health.undo", "z", "take back", "take back the change under the cursor", ("health",), writes=True),
    Key("health.take", "p", "use it", "put a text that was kept aside into its memory", ("health",), writes=True),
    Key("health.drop", "x", "drop", "drop a text that was kept aside; asks", ("health",), writes=True),
    Key("health.trash", "T", "trash", "to the trash", ("health",)),
    Key("health.restore", "r", "restore", "put back from the trash", ("health",), writes=True),
)

BY_ID: Mapping[str, Key] = {key.id: key for key in KEYS}

HINTS: Mapping[str, str] = {
    TEXT: "text.enter app.back app.commands app.leave",
    OFFERS: "text.take text.next text.previous app.back text.enter app.commands",
    "bank": "list.open item.edit item.trash item.new list.mark app.search item.copy list.sort item.links bank.trash "
    "item.protect item.editor list.why item.copy-json app.commands",
    "trash": "list.open bank.restore list.mark list.mark-all app.back app.search item.copy",
    "reading": "app.back item.edit item.editor item.copy bank.copy-text item.links list.why item.trash item.protect",
    "review": "review.approve item.edit review.reject review.postpone review.source review.reject-why item.merge "
    "list.mark review.approve-like review.mark-like review.narrow app.search review.refused review.later review.reword "
    "review.only review.keep-both item.copy item.copy-json",
    "conflict": "review.approve review.keep-both item.edit review.reject review.postpone review.source "
    "review.reject-why list.mark review.narrow app.search review.refused item.copy item.copy-json",
    "refused": "review.restore review.refused list.mark review.source app.back app.search review.narrow item.copy",
    "context": "list.open context.what-if context.more context.less context.hook context.difference context.only "
    "item.copy context.text context.provider context.baseline context.beside context.loss item.edit item.copy-json "
    "app.search context.agent context.budget context.audit",
    "sessions": "list.open session.run session.dry-run session.plan session.stop session.read session.open "
    "session.span session.left-out item.copy list.mark "
    "app.search item.copy-json app.commands",
    "health": "list.open health.check health.history health.undo health.trash health.restore item.copy list.mark",
}
"""The key line of each place, most useful first; what does not fit is left to `?`."""

_NAMES = {
    "question_mark": "?",
    "slash": "/",
    "asterisk": "*",
    "exclamation_mark": "!",
    "plus": "+",
    "minus": "-",
    "equals_sign": "=",
    "pagedown": "page down",
    "pageup": "page up",
}

LOST = {"ctrl+i": "tab", "ctrl+m": "enter", "ctrl+j": "a new line", "ctrl+h": "backspace", "ctrl+[": "escape"}
"""Keys that most terminals cannot tell from another one."""


def name(key: str) -> str:
    """A key as a person knows it: `ctrl+p` is `^p`, `slash` is `/`."""
    key = key.strip()
    if key.startswith("ctrl+") and len(key) == len("ctrl+") + 1:
        return "^" + key[-1]
    return _NAMES.get(key, key)


def of(*places: str) -> tuple[Key, ...]:
    """The keys of these places, in the order of the table."""
    return tuple(key for key in KEYS if any(place in key.where for place in places))


def on_screen(screen: str) -> tuple[Key, ...]:
    """All keys that can be pressed on a screen: everywhere, in its lists, and its own."""
    return of(screen, LISTS, EVERYWHERE)


def bindings(*places: str) -> list[BindingType]:
    """Textual's bindings for these places; each carries its id, so that a person's own keys can replace it."""
    return [
        Binding(key.keys, f"app.do({key.id!r})", key.hint, show=False, id=key.id, priority=key.even_in_text)
        for key in of(*places)
    ]


def hints(place: str) -> tuple[Key, ...]:
    """The key line of a place, most useful first."""
    return tuple(BY_ID[id] for id in HINTS.get(place, "").split())


def handler(nodes: Iterable[object], id: str) -> object | None:
    """The first of `nodes` that can carry out the key `id`."""
    method = BY_ID[id].method
    return next((node for node in nodes if callable(getattr(node, method, None))), None)


def twice(keymap: Mapping[str, str] | None = None, screens: Sequence[str] = SCREENS) -> list[tuple[str, str, str]]:
    """Each key that would do two things on one screen, with the ids of both, given a person's own keys."""
    pressed = {key.id: key.keys for key in KEYS} | dict(keymap or {})
    found: dict[tuple[str, str, str], None] = {}
    for screen in screens:
        taken: dict[str, str] = {}
        for key in on_screen(screen):
            for one in map(_plain_name, pressed[key.id].split(",")):
                if (other := taken.setdefault(one, key.id)) != key.id:
                    found[(one, other, key.id)] = None
    return list(found)


def check(keymap: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """A person's own keys: the ones that can be used, and a sentence for each that cannot.

    `keymap` maps ids to keys, several separated by commas; all are looked at together, so two keys can be exchanged.
    A key that cannot be used leaves the default in place.
    """
    faults = {id: fault for id, keys in keymap.items() if (fault := _fault(id, keys))}
    good = {id: keys for id, keys in keymap.items() if id not in faults}
    problems = list(faults.values())
    while clashes := twice(good):
        one, first, second = clashes[0]
        id = second if second in good else first
        problems.append(f"{id} = {good.pop(id)!r} is not used: {name(one)} would mean both {first} and {second}.")
    return good, problems


def table(screen: str | None = None) -> list[tuple[str, str, str, str]]:
    """Rows of the key table (id, keys, what it does, where) for help and README."""
    chosen = KEYS if screen is None else on_screen(screen)
    return [(key.id, key.all_shown, key.does, ", ".join(key.where)) for key in chosen]


def _fault(id: str, keys: object) -> str:
    if id not in BY_ID:
        return f"{id!r} is no key that can be set; the ids stand in the help (?)."
    if not isinstance(keys, str) or not all(key.strip() for key in keys.split(",")):
        return f'{id} needs the name of a key, like "x" or "ctrl+x,delete".'
    for key in keys.split(","):
        if key.strip() in LOST:
            return f"{id} = {key.strip()!r} is not used: many terminals send {LOST[key.strip()]} for it."
    return ""


def _plain_name(key: str) -> str:
    return {shown: long for long, shown in _NAMES.items()}.get(key.strip(), key.strip())
