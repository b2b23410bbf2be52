"""Making previews for the Context screen: on a thread, one at a time, again when the bank or the inputs moved on."""

from __future__ import annotations

from dataclasses import replace

from textual import on, work
from textual.getters import query_one
from textual.message import Message

from pipeline.context.baseline import Baseline
from store.errors import MemdeskError
from store.view import View
from tui.baselines import happened
from tui.screens.context_build import Preview, Wish, build
from tui.screens.context_hook import AsksProvider
from tui.screens.context_inputs import Inputs, preselected
from tui.widgets.rows import Rows


class Built(Message):
    """A preview was made; `because` is what to say about it, None for nothing."""

    def __init__(self, preview: Preview, because: str | None) -> None:
        super().__init__()
        self.preview, self.because = preview, because


class Unbuilt(Message):
    """No preview can be made; the sentence says why."""

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self.sentence = sentence


class MakesPreview(AsksProvider):
    """The part of the screen that makes previews. The screen gives `present()` and `show_nobody()`."""

    rows = query_one("#rows", Rows)

    preview: Preview | None
    now: Inputs
    today: Inputs
    only: str

    def begin_making(self) -> None:
        """Nothing was made yet."""
        self.begin_asking()
        self._building = self._again = False
        self._because: str | None = ""  # of the first preview nothing is said but that it is one
        self._go_to: str | None = None
        self.baseline: Baseline | None = None
        """The kept pack that this one is compared with."""

    # --- for the screen to fill in

    def present(self, preview: Preview, because: str | None) -> None:
        """Show a preview; `because` is what to say about it, None for nothing."""

    def show_nobody(self) -> None:
        """No agent is chosen: say so."""

    # --- making it

    @property
    def busy(self) -> bool:
        """Whether a preview is being made, or the provider is asked or about to be."""
        return self._building or self.asking or self.resting

    def show_view(self, view: View) -> None:
        """The bank moved on: make the preview again, or ask whose it is."""
        if not self.now.agent and (agent := preselected(view, "")):
            self.now = self.today = replace(self.now, agent=agent)
        if not self.now.agent:
            self._because = None
            self.show_nobody()
            return
        self.rebuild(self._because if self.preview is None else None)

    def wish(self) -> Wish:
        """The preview that is wanted now."""
        desk = self.workbench.desk
        return Wish(
            desk.view,
            str(desk.bank.path),
            self.now,
            self.today,
            self.mode,
            self.answer,
            self.today_answer,
            self.only,
            self._go_to or self.rows.current or "",
            self.baseline,
            paging=self.paging,
            today_paging=self.today_paging,
            today_pack=self.preview.today_pack if self.preview is not None else None,
        )

    def rebuild(self, because: str | None) -> None:
        """Make the preview on a thread, one at a time; what is asked for meanwhile comes next."""
        self._because = because if because is not None else self._because
        self.show_inputs()
        if not self.now.agent:
            return
        self._again = self._building
        if not self._building:
            self._building = True
            self.make(self.wish(), self._because)
            self._because = None

    @work(thread=True, group="build")
    def make(self, wish: Wish, because: str | None) -> None:
        """One preview; one message comes back."""
        try:
            if wish.baseline is not None:
                wish = replace(wish, touched=happened(wish.baseline, {"": self.workbench.desk.bank}))
            self.post_message(Built(build(wish), because))
        except MemdeskError as error:
            self.post_message(Unbuilt(str(error)))

    @on(Built)
    def _built(self, message: Built) -> None:
        self._next()
        if message.preview.wish.inputs.agent == self.now.agent:
            self.present(message.preview, message.because)

    @on(Unbuilt)
    def _unbuilt(self, message: Unbuilt) -> None:
        self._next()
        self.say(message.sentence)

    def _next(self) -> None:
        self._building = False
        if self._again:
            self.rebuild(None)

    def jump(self, id: str) -> None:
        """Put the cursor on a memory, now or with the next preview."""
        self._go_to = None if self.rows.go_to(id) else id
