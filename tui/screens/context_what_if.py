"""The form of a what-if: all inputs at once; a chat may have a conversation, which is read before the form is left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from textual import on, work

from pipeline.context.layouts.chat import Message, conversation_of
from pipeline.context.pack import LAYOUTS
from store.errors import MemdeskError
from tui.audited import named_text
from tui.screens.context_inputs import check, conversation_in
from tui.text import content
from tui.widgets.choice import Choice
from tui.widgets.form import Field, Form


class WhatIf(Form):
    """Gives the values as any form; `said` are the messages of the file that they name."""

    DEFAULT_CSS = """
    WhatIf .field.-absent { display: none; }
    """

    def __init__(self, fields: Sequence[Field]) -> None:
        super().__init__("What if", fields, check=check, focus="focus", verb="try it")
        self.said: tuple[Message, ...] = ()

    def on_mount(self) -> None:
        """Only a chat has a conversation."""
        self._show_conversation(self.values["layout"])

    @on(Choice.Changed, "#field-layout")
    def _layout_chosen(self, message: Choice.Changed) -> None:
        self._show_conversation(message.value)

    def _show_conversation(self, layout: str) -> None:
        row = self.query_one("#field-conversation").parent
        if row is not None:
            row.set_class(not LAYOUTS[layout].is_chat, "-absent")

    def action_save(self) -> None:
        """Give the values; a conversation is read first, and stays in the form with what is wrong with it."""
        values = self.values
        file = conversation_in(values)
        if not file or check(values):
            super().action_save()
            return
        self.fault.update(content("Reading the messages ..."))
        self.read_conversation(values, file)

    @work(thread=True, exclusive=True, group="conversation", exit_on_error=False)
    def read_conversation(self, values: Mapping[str, str], file: str) -> None:
        """Read the file on a thread."""
        try:
            said = conversation_of(named_text(file, "the messages so far")[0])
        except MemdeskError as error:
            self.app.call_from_thread(self.fault.update, content(str(error)))
            return
        self.app.call_from_thread(self._give, values, said)

    def _give(self, values: Mapping[str, str], said: tuple[Message, ...]) -> None:
        if self.is_current:
            self.said = said
            self.dismiss(dict(values))
