"""The search box of a screen: `/`, what is typed, what can stand there, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.geometry import Size
from textual.getters import query_one
from textual.message import Message
from textual.reactive import Reactive
from textual.widgets import Input, Static

from tui.text import line, width
from tui.widgets.line import Line
from tui.widgets.query_offers import Offers

if TYPE_CHECKING:
    from pipeline.recall.filtering.completing import Completions
    from tui.bench import Bench


class QueryLine(Line):
    """The box. While something is offered under it, the keys of the offer come before those of the box."""

    virtual_size: Reactive[Size] = Reactive(Size(0, 0))
    """A letter more makes no room for anything: without this the whole screen would be laid out for each."""

    class Moved(Message):
        """The cursor stands elsewhere, with the same text or another."""

    def __init__(self, value: str, *, placeholder: str, keys: Mapping[str, Callable[[str], bool]]) -> None:
        """`keys` says what carries out a key by its id; False leaves the key to the box."""
        super().__init__(value, placeholder=placeholder)
        self._keys = keys

    async def _on_key(self, event: events.Key) -> None:
        bench = cast("Bench", self.app)
        for id, act in self._keys.items():
            if event.key in bench.keys_of(id) and act(event.key):
                event.stop()
                event.prevent_default()
                return

    def watch_selection(self) -> None:
        """What is offered belongs to a place in the text."""
        self.post_message(self.Moved())


class Query(Horizontal):
    """One line to type in; each letter posts `Changed`. What `offer` gives can be taken with a key."""

    DEFAULT_CSS = """
    Query {
        height: 1;
        padding: 0 1 0 0;
        & > #slash { width: 3; color: $text-muted; }
        & > Line { width: 1fr; }
        & > #found { width: 1fr; color: $text-muted; text-align: right; text-wrap: nowrap; }
        &:focus-within > #slash { color: $text-primary; text-style: bold; }
    }
    """

    box = query_one("Line", Line)
    found = query_one("#found", Static)

    class Changed(Message):
        """Something else stands in the box. Only the latest text matters."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

        def can_replace(self, message: Message) -> bool:
            """What was typed later replaces what nobody has looked for yet."""
            return isinstance(message, Query.Changed)

    class Left(Message):
        """Enter, or down: on to the rows."""

    class Offering(Message):
        """Something is offered, or nothing any more: other keys work."""

    def __init__(self, placeholder: str, text: str = "", *, shorter: str = "", id: str | None = None) -> None:
        """`shorter` stands in the empty box where there is no room for the whole `placeholder`."""
        super().__init__(id=id)
        self._placeholder, self._shorter, self._text = placeholder, shorter or placeholder, text
        self.offers = Offers()
        self._asked: tuple[str, int] | None = None
        self._refused: str | None = None

    def compose(self) -> ComposeResult:
        """The slash, the box, the result; over the rows what is offered."""
        keys = {"text.take": self._take, "text.next": self._next, "text.previous": self._previous}
        yield self.offers
        yield Static(" /", id="slash", markup=False)
        yield QueryLine(self._text, placeholder=self._placeholder, keys=keys)
        yield Static(id="found", markup=False)

    def on_resize(self) -> None:
        """What stands in the empty box ends where the box does."""
        fits = width(self._placeholder) <= self.room(self.size.width)
        self.box.placeholder = self._placeholder if fits else self._shorter

    @property
    def text(self) -> str:
        """What stands in the box."""
        return self.box.value

    @staticmethod
    def room(cells: int) -> int:
        """Cells of the box of a line that is `cells` wide, and for what is said behind it."""
        return (cells - 4) // 2

    def clear(self) -> None:
        """Empty the box."""
        self.box.value = ""

    def show(self, found: Sequence[str], fault: str = "") -> None:
        """What the search gave, most useful first, as much as half the line holds; or what is wrong with the words."""
        parts = list(found)
        while len(parts) > 1 and width(_joined(parts)) > self.app.size.width // 2:
            parts.pop()
        self.found.update(line((fault, "$text-error") if fault else _joined(parts)), layout=False)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        if event.value != self._text:
            self._text = event.value
            self.post_message(self.Changed(event.value))

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        if self.offers.moved and self._stands():
            self._put()
        else:
            self.post_message(self.Left())

    def key_down(self) -> None:
        """Down goes on to the rows."""
        self.post_message(self.Left())

    # --- what is offered

    @property
    def offering(self) -> bool:
        """Whether something is offered."""
        return self.offers.open

    def offer(self, text: str, at: int, found: Completions) -> None:
        """Offer what can stand at a place of a text, if that is still where the person is."""
        box, typed = self.box, text[found.start : found.end]
        here = box.has_focus and (text, at) == (box.value, box.cursor_position) and text != self._refused
        new = any(value.text != typed for value in found.values)
        if not here or not new:
            self.close_offer()
            return
        before = self.offers.open
        self._asked = (text, at)
        self.offers.show(found, box.region.x + width(text[: found.start]) - box.scroll_offset.x - 2)
        if not before:
            self.post_message(self.Offering())

    def close_offer(self) -> bool:
        """Offer nothing; whether anything was offered."""
        self._asked = None
        was = self.offers.close()
        if was:
            self.post_message(self.Offering())
        return was

    def refuse_offer(self) -> bool:
        """The person wants none for this text; whether anything was offered."""
        if not self.offers.open:
            return False
        self._refused = self.box.value
        return self.close_offer()

    def _take(self, key: str) -> bool:
        box = self.box
        if not self._stands() or (key == "right" and box.cursor_position < len(box.value)):
            return False
        self._put()
        return True

    def _next(self, _: str) -> bool:
        return self._move(1)

    def _previous(self, _: str) -> bool:
        return self._move(-1)

    def _move(self, step: int) -> bool:
        if not self._stands() or len(self.offers) == 1:
            return False
        self.offers.move(step)
        return True

    def _stands(self) -> bool:
        """Whether what is offered is for what stands in the box now: a letter may have come meanwhile."""
        return self.offers.open and self._asked == (self.box.value, self.box.cursor_position)

    @on(Offers.Picked)
    def _picked(self, message: Offers.Picked) -> None:
        message.stop()
        if self._stands():
            self._put()

    def _put(self) -> None:
        """Put the chosen one into the text; behind an operator its values are offered next."""
        found, value = self.offers.found, self.offers.value
        if found is None or value is None:
            return
        text, at = found.put(self.box.value, value)
        self._refused = None if value.text.endswith(":") else text
        self.close_offer()
        self.box.value, self.box.cursor_position = text, at
        self.box.focus()

    @on(QueryLine.Moved)
    def _moved(self, message: QueryLine.Moved) -> None:
        message.stop()
        if self._asked is not None and self._asked[0] == self.box.value and not self._stands():
            self.close_offer()  # another text is offered something else in a moment

    @on(events.DescendantBlur)
    def _left(self) -> None:
        self.close_offer()


def _joined(parts: Sequence[str]) -> str:
    """The parts side by side; one that begins with a plus belongs to the one before it."""
    return "   ".join(parts).replace("   + ", " + ")
