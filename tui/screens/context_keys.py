"""What the keys of the Context screen do: other inputs, the hook, one outcome, the panels, copying."""

from __future__ import annotations

import json
from dataclasses import replace

from textual import work
from textual.getters import query_one

from pipeline.context.layouts.chat import Message
from pipeline.context.pack import Pack
from pipeline.context.provider.check import check_providers
from pipeline.context.provider.configuration import HOOK, PAGING
from pipeline.context.report import explained
from pipeline.context.whatif import StatusCost
from store import clock
from store.memory import Memory
from store.view import View
from tui import clipboard
from tui.asking import Asking, asks
from tui.screens import bank_detail
from tui.screens.context_agents import whose_pack
from tui.screens.context_beside import ShowsBeside
from tui.screens.context_build import can_page
from tui.screens.context_inputs import (
    MAKE,
    MODES,
    Inputs,
    agents,
    budget_of,
    check_budget,
    fields_of,
    less,
    more,
    read,
    remember,
)
from tui.screens.context_provider import ProviderPanel
from tui.screens.context_provider_rows import Asked
from tui.screens.context_rows import ALL, choices
from tui.screens.context_what_if import WhatIf
from tui.text import count
from tui.widgets.ask import Ask
from tui.widgets.query import Query
from tui.widgets.reader import Reader
from tui.widgets.rows import Nothing

PREVIEW_KEYS = ("item.copy", "item.copy-json")
NO_AGENT = "Choose the agent first."
NEEDS_PACK = (
    *PREVIEW_KEYS,
    *("context.more", "context.less", "context.budget", "context.hook"),
    *("context.difference", "context.only", "context.text", "context.what-if"),
    *("context.baseline", "context.beside", "context.audit"),
)


class ContextKeys(ShowsBeside):
    """The keys. The screen gives `preview`, `now`, `today`, `only`, and shows what they ask for."""

    query_box = query_one(Query)

    text_mode: str

    # --- for the screen to fill in

    def show_only(self, only: str) -> None:
        """Show one outcome only."""

    # --- which key can act

    def why_not(self, id: str) -> str:
        """Keys on the pack need one; copying here takes the pack, not the memory."""
        if id in NEEDS_PACK:
            return "" if self.preview is not None else NO_AGENT
        return super().why_not(id)

    # --- inputs

    def try_out(self, inputs: Inputs, because: str | None) -> None:
        """Preview with other inputs."""
        if inputs.agent != self.now.agent:
            self.stop_asking()
            self.answer = self.today_answer = None
            self.paging = self.today_paging = None
        self.now = inputs
        self.rebuild(because)

    def settle(self, inputs: Inputs) -> None:
        """These inputs are today's from now on."""
        self.today = inputs
        remember(self.workbench.remembered, inputs)
        self.workbench.remembered.keep()

    def do_context_agent(self) -> None:
        """Choose whose pack is shown: not a what-if, another agent."""
        self.app.push_screen(whose_pack(agents(self.workbench.desk.view), self.now.agent), self._agent_chosen)

    def _agent_chosen(self, name: str | None) -> None:
        if name is not None:
            if not self.now.agent:  # the rows were the agents
                self.rows.unmark()
                self.rows.show(Nothing())
            inputs = replace(self.now, agent=name)
            self.settle(inputs)
            self.try_out(inputs, f"As {name}")

    def do_context_what_if(self) -> None:
        """Agent, focus, budget, limit, layout, conversation and hook at once."""
        view, pages = self.workbench.desk.view, can_page(self.answer)
        fields = fields_of(self.now, self.mode, view, with_last=self.answer is not None, pages=pages)
        form = WhatIf(fields)
        self.app.push_screen(form, lambda values: self._what_if(values, form.said))

    def _what_if(self, values: dict[str, str] | None, said: tuple[Message, ...]) -> None:
        if values is None:
            return
        inputs = read(values, said)
        self.mode = next(mode for mode in MODES if mode == values["hook"])
        if values["then"] == MAKE:
            self.settle(inputs)
        self.try_out(inputs, "Today's pack" if values["then"] == MAKE else "What if")
        if values["then"] != MAKE and (inputs != self.today or self.mode != "on"):
            self.show_text("today")

    def do_context_more(self) -> None:
        """A larger budget."""
        if not self.now.budget:
            self.say("There is no budget to enlarge; - sets one below what the pack takes.", "context.budget")
            return
        self._budget(more(self.now.budget))

    def do_context_less(self) -> None:
        """A smaller budget; without one, the next round one below what the pack takes."""
        used = self.preview.pack.bar.used if self.preview is not None else 0
        self._budget(less(self.now.budget or used))

    def do_context_budget(self) -> None:
        """A budget, typed."""
        value = f"{self.now.budget}" if self.now.budget else ""
        chat = self.preview is not None and self.preview.pack.layout.is_chat
        question = "How many tokens, in all?" if chat else "How many characters, up to the last memory?"
        self.app.push_screen(
            Ask(question, value, placeholder="empty: no limit", check=check_budget), self._budget_typed
        )

    def _budget_typed(self, answer: str | None) -> None:
        if answer is not None:
            self._budget(budget_of(answer))

    def _budget(self, budget: int) -> None:
        inputs = replace(self.now, budget=budget)
        self.try_out(inputs, inputs.budget_words.capitalize())

    # --- the hook

    def do_context_hook(self) -> None:
        """On, off, the last answer; a program that was never started for this bank is asked about first."""
        if self.withheld and self.mode == "on":
            self.ask_now(insist=True)
            return
        there = [mode for mode in MODES if mode != "last answer" or self._answered_once()]
        self.mode = there[(there.index(self.mode) + 1) % len(there)] if self.mode in there else "on"
        if self.mode == "on":
            self.ask_now(insist=True)
        else:
            self.stop_asking()
        self.rebuild(f"Hook {self.mode}" if self.mode != "last answer" else "The hook's last answer")

    def _answered_once(self) -> bool:
        return self.answer is not None and self.answer.status != "not_installed"

    def do_context_provider(self) -> None:
        """How the provider is configured; what it was asked and answered, if it was."""
        check, wish = check_providers(), self.wish()
        hook = Asked(HOOK, self.answer, self.why_not_asked(check))
        paging = Asked(PAGING, wish.paged, self.why_not_paged(check))
        cost = self.preview.cost if self.preview is not None else StatusCost(0)
        self.app.push_screen(ProviderPanel(check, hook, paging, cost, stale=wish.stale))

    @asks
    def do_context_audit(self) -> Asking:
        """Compare a text that is about to be lost with the bank; what is lost goes to Review from there."""
        from tui.screens.context_audit import AGAIN, AuditPanel
        from tui.screens.context_audit_form import Text, audit_form, given

        text, ended = Text(), AGAIN
        while ended == AGAIN:
            values = yield audit_form(text)
            if values is None:
                return
            panel = AuditPanel(self.workbench, self.now.request(str(self.workbench.desk.bank.path)), given(values))
            ended = yield panel
            text = panel.text
        if ended is not None:
            self.call_after_refresh(self.workbench.jump, ended)

    # --- moving about

    def do_app_search(self) -> None:
        """To the focus; where the detail hid the rows they come back."""
        self.remove_class("-reading")
        self.set_focus(self.query_box.box)

    def do_app_back(self) -> None:
        """One step back: out of the box, the detail, the text, marks, one outcome, the what-if."""
        if self.query_box.box.has_focus:
            self.rows.focus()
        elif self.has_class("-reading"):
            self.remove_class("-reading")
            self.rows.focus()
        elif self.has_class("-text"):
            self.show_text(self.text_mode)
        elif self.rows.unmark():
            return
        elif self.only != ALL:
            self.show_only(ALL)
        elif self.now != self.today or self.mode != "on":
            self.mode = "on"
            self.try_out(self.today, "Today's pack")
        else:
            self.rows.focus()

    # --- what is shown

    def do_context_only(self) -> None:
        """What is out, by reason; then one outcome after the other; then everything."""
        if self.preview is not None:
            there = choices(self.preview.fates)
            at = there.index(self.only) if self.only in there else 0
            self.show_only(there[(at + 1) % len(there)])

    def do_context_difference(self) -> None:
        """What differs from today's pack, line by line."""
        self.show_text("today")
        self.say(f"Today: {self.today.words}, hook on.")

    def do_context_text(self) -> None:
        """The pack itself."""
        self.show_text("pack")

    def do_list_open(self) -> None:
        """From the detail: the memory in Bank, with everything that is known of it."""
        memory = self.current_memory()
        if memory is not None:
            self.workbench.jump(memory.id)

    def do_item_links(self) -> None:
        """All that is known of the memory, with its whole history."""
        if (memory := self.current_memory()) is not None:
            self.look_up(memory, self.workbench.desk.view)

    @work(thread=True, exclusive=True, group="links")
    def look_up(self, memory: Memory, view: View) -> None:
        """Find the history on a thread, since it lies in files, and show everything."""
        history = list(self.workbench.desk.bank.history(id=memory.id))
        detail = bank_detail.Detail(memory, view, clock.today(), history=history, why=True, full=True, titled=False)
        reader = Reader(bank_detail.title(memory).plain, bank_detail.show(detail))
        self.app.call_from_thread(self._show_links, reader)

    def _show_links(self, reader: Reader) -> None:
        if self.app.screen is self:  # what was opened meanwhile is not covered
            self.app.push_screen(reader)

    # --- copying

    def do_item_copy(self) -> None:
        """The pack as the agent gets it."""
        if self.preview is not None:
            text = self.preview.pack.text
            self.copy(text, f"the pack, {count(len(text), 'character')}")

    def do_item_copy_json(self) -> None:
        """Every decision."""
        if self.preview is not None:
            self.copy_decisions(self.preview.pack)

    @work(thread=True, group="copy", exclusive=True)
    def copy_decisions(self, pack: Pack) -> None:
        """Write out all decisions and copy them, on a thread: there is one for each memory."""
        told = explained(pack)
        text = json.dumps(told, ensure_ascii=False, indent=2)
        what = f"the decisions on {count(len(told['decisions']['items']), 'memory', 'memories')} as JSON"
        self.app.call_from_thread(self.say, clipboard.copy(self.app, text, what))
