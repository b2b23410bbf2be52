"""Asking the provider from the screen: with the person's consent, on a thread, a moment after the inputs rest.

`decisions.md` §5.6: asked when the screen opens with the hook on, on `H`, and 300 ms after the last change of its
inputs; until then the last answer is applied. The first use of a command in a bank asks once, naming it.
"""

from __future__ import annotations

import json
import shlex
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

from textual import on, work
from textual.message import Message
from textual.timer import Timer

from pipeline.context.provider.check import Check
from pipeline.context.provider.configuration import HOOK, PAGING, Configuration, Provider, read_configuration
from pipeline.context.provider.hook import HookResult, ask
from pipeline.context.provider.paged import PagingResult
from pipeline.context.provider.paging import PAGED_LAYOUT, page
from store.errors import MemdeskError
from tui.home import at_home
from tui.remember import Remembered
from tui.screens.context_build import Wish
from tui.screens.context_inputs import Inputs, Mode
from tui.screens.context_paging import done, paged_sentence
from tui.screens.context_show import answered
from tui.screens.memory_acts import MemoryActs
from tui.text import content, lines, one_line
from tui.widgets.confirm import Confirm

REST = 0.3
"""Seconds without a change of the inputs after which the provider is asked (`decisions.md` §5.6)."""
AGREED, REFUSED = "hook_agreed", "hook_refused"


@dataclass(frozen=True, slots=True)
class Asked:
    """One question: its number, and the inputs and bank that it is about."""

    number: int
    wish: Wish


class NeedsConsent(Message):
    """A program would be started that this bank has never asked."""

    def __init__(self, asked: Asked, configuration: Configuration) -> None:
        super().__init__()
        self.asked, self.configuration = asked, configuration


class Answered(Message):
    """The provider was asked; whatever happened is in the results."""

    def __init__(self, asked: Asked, result: HookResult, paging: PagingResult | None) -> None:
        super().__init__()
        self.asked, self.result, self.paging = asked, result, paging


class AsksProvider(MemoryActs):
    """The part of the Context screen that talks to the provider. The screen gives `wish()` and `rebuild()`."""

    mode: Mode
    answer: HookResult | None
    today_answer: HookResult | None
    paging: PagingResult | None
    today_paging: PagingResult | None

    def begin_asking(self) -> None:
        """Nothing was asked yet."""
        self.mode, self.answer, self.today_answer = "on", None, None
        self.paging = self.today_paging = None
        self.asking = False
        self.withheld = ""
        """The provider that would be started, were the person asked: never unasked (`decisions.md` §6.1)."""
        self._insists = False
        self._number = 0
        self._cancel = threading.Event()
        self._rest: Timer | None = None
        self._asked_about: tuple[object, ...] = ()

    # --- for the screen to fill in

    def wish(self) -> Wish:
        """The preview that is wanted now."""
        return Wish(self.workbench.desk.view, "", Inputs(), Inputs(), self.mode)

    def rebuild(self, because: str | None) -> None:
        """Make the preview again; `because` is said with its effect, None says nothing."""

    def show_inputs(self) -> None:
        """Whose pack, how much of it, and the hook."""

    # --- when

    @property
    def resting(self) -> bool:
        """Whether the inputs rest before the provider is asked about them."""
        return self._rest is not None

    def ask_if_stale(self) -> None:
        """Ask when the inputs have rested, unless the answer is theirs already, or on its way."""
        wish = self.wish()
        if self.mode != "on" or _about(wish) == self._asked_about or not (self.answer is None or wish.stale):
            return
        if self.answer is None and not self.asking:
            self.ask_now()
            return
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(REST, self.ask_now)

    def ask_now(self, *, insist: bool = False) -> None:
        """Ask; an earlier question is taken back. `insist` asks the person again who said no."""
        self.stop_asking()
        wish = self.wish()
        if self.mode != "on" or not wish.inputs.agent:
            return
        self._insists = insist
        self._number += 1
        self._asked_about = _about(wish)
        self.asking = True
        self._cancel = threading.Event()
        self.show_inputs()
        self.call_provider(Asked(self._number, wish), _agreed(self.workbench.remembered), self._cancel)

    def stop_asking(self) -> None:
        """Take the question back, and the one that would come."""
        self._cancel.set()
        self.asking = False
        self._asked_about = ()
        if self._rest is not None:
            self._rest.stop()
            self._rest = None

    @work(thread=True, group="hook")
    def call_provider(self, asked: Asked, agreed: str, cancel: threading.Event) -> None:
        """Ask on a thread, the hook and then paging; one message comes back."""
        inputs, paging = asked.wish.inputs, None
        configurations = _configurations(inputs)
        if (configuration := _unasked(configurations, agreed)) is not None:
            self.post_message(NeedsConsent(asked, configuration))
            return
        request = inputs.request(asked.wish.home)
        try:
            result = ask(asked.wish.view, request, cancel=cancel)
            paging = page(asked.wish.view, request, result, cancel=cancel)
        except MemdeskError as error:
            result = HookResult("error", replace(configurations[0], provider=None), note=str(error))
        if not cancel.is_set():
            self.post_message(Answered(asked, result, paging))

    def ask_for(self, wish: Wish, agent: str, cancel: threading.Event) -> tuple[HookResult | None, PagingResult | None]:
        """On a thread: what hook and paging say about another agent's pack; None where none may be started now."""
        if self.mode != "on" or _unasked(_configurations(wish.inputs), _agreed(self.workbench.remembered)) is not None:
            return None, None
        request = replace(wish.inputs, agent=agent).request(wish.home)
        result = ask(wish.view, request, cancel=cancel)
        return result, page(wish.view, request, result, cancel=cancel)

    # --- what comes back

    @on(Answered)
    def _answered(self, message: Answered) -> None:
        if message.asked.number != self._number:
            return
        self.asking, self.withheld = False, ""
        before = (self.answer, self.paging)
        self.answer, self.paging = message.result, message.paging
        if message.asked.wish.inputs == message.asked.wish.today:
            self.today_answer, self.today_paging = message.result, message.paging
        said = [answered(self.answer), paged_sentence(self.paging)]
        news = [done(one) for one in before] != [done(one) for one in (self.answer, self.paging)]
        self.rebuild(" ".join(filter(None, said)) if news else None)

    @on(NeedsConsent)
    def _needs_consent(self, message: NeedsConsent) -> None:
        provider = message.configuration.provider
        if message.asked.number != self._number or provider is None:
            return
        if self._insists:
            self._agree(message.configuration, provider)
        elif self.workbench.remembered.get(REFUSED) == _written(provider):
            self.leave_out("The provider was refused before; H asks again.")
        else:
            self._withhold(provider)

    def _withhold(self, provider: Provider) -> None:
        """Preview without the program until the person asks for it: a question that comes by itself takes keys that
        were meant for the screen."""
        before, self.withheld, self.asking = self.withheld, _written(provider), False
        self.show_inputs()
        if before != self.withheld:
            name = one_line(provider.id, 40)
            self.say(f"The hook's program {name} was never started for this bank.", "context.hook")

    @work
    async def _agree(self, configuration: Configuration, provider: Provider) -> None:
        """Ask once for this bank and this command (`decisions.md` §5.6)."""
        command = one_line(shlex.join(provider.command), 600)
        told = [
            content(command, "bold $text-warning"),
            content(f"from {at_home(configuration.path)}", "$text-muted"),
            content(f"It is given up to 500 memories of this bank, and says which ones {provider.id} takes out."),
        ]
        question = "Start this program for the preview? Asked once for this bank."
        yes = await self.app.push_screen_wait(Confirm(question, "start it", "leave it out", lines(told)))
        remembered = self.workbench.remembered
        agreed = [one for one in _agreed(remembered).split("\n") if one and one != _written(provider)]
        remembered.set(AGREED, "\n".join([*agreed, *([_written(provider)] if yes else [])]))
        remembered.set(REFUSED, "" if yes else _written(provider))
        remembered.keep()
        if yes:
            self.withheld = ""
            self.ask_now(insist=True)
        else:
            self.leave_out("The provider is left out; H asks again.")

    def leave_out(self, because: str) -> None:
        """Preview without the hook."""
        self.stop_asking()
        self.withheld = ""
        self.mode = "off"
        self.rebuild(because)

    def on_unmount(self) -> None:
        """Leaving never waits for a program."""
        self._cancel.set()

    def why_not_asked(self, check: Check) -> str:
        """Why the hook was not asked yet, and what asks it; "" when there is nobody to ask."""
        if not _able(check, HOOK):
            return ""
        agent, hook = self.workbench.pressed_id("context.agent"), self.workbench.pressed_id("context.hook")
        if not self.wish().inputs.agent:
            return f"not asked yet: {agent} chooses the agent whose pack it is about"
        if self.mode == "off":
            return f"not asked: the hook is off; {hook} switches it on"
        if self.withheld:
            return f"never started for this bank; {hook} asks whether it may be"
        return "it is being asked" if self.asking else f"not asked yet; {hook} asks it"

    def why_not_paged(self, check: Check) -> str:
        """The same for paging."""
        inputs = self.wish().inputs
        if not _able(check, PAGING):
            return ""
        if not inputs.paging:
            return f"not asked: paging is off; {self.workbench.pressed_id('context.what-if')} switches it on"
        if inputs.layout != PAGED_LAYOUT:
            return "not asked: a chat is not paged"
        if not inputs.budget:
            return f"not asked: there is no budget to page for; {self.workbench.pressed_id('context.budget')} sets one"
        return self.why_not_asked(check) or "not asked yet"

    def hook_words(self, wish: Wish) -> tuple[str, str]:
        """What the line of inputs says about the hook, and its style."""
        hook = self.answer
        if self.mode == "off":
            return "hook off", "bold $text-accent"
        if hook is not None and hook.status == "not_installed":
            return "no hook", "$text-muted"
        if self.withheld:
            return f"hook waits for {self.workbench.pressed_id('context.hook')}", "bold $text-warning"
        if hook is None:
            return ("hook asking" if self.asking else "hook not asked"), "$text-muted"
        if self.mode == "last answer" or wish.stale:
            return "hook last answer", "$text-accent"
        if hook.status != "active":
            cause = f": {hook.status.replace('_', ' ')}" if hook.status != "error" else ""
            return f"hook failed{cause}", "$text-error"
        name = f": {one_line(hook.provider, 30)}" if self.has_class("-wide") else ""
        return f"hook on{name}", "$text-success"


def _able(check: Check, capability: str) -> bool:
    return any(one.capability == capability and one.provider is not None for one in check.chosen)


def _configurations(inputs: Inputs) -> list[Configuration]:
    """What is configured for the hook, and for paging where there is a budget to page for."""
    asked = (HOOK, PAGING) if inputs.paging and inputs.budget else (HOOK,)
    return [read_configuration(capability=name) for name in asked]


def _unasked(configurations: Sequence[Configuration], agreed: str) -> Configuration | None:
    """The first with a program that the person was not asked about yet."""
    known = agreed.split("\n")
    unknown = (one for one in configurations if one.provider is not None and _written(one.provider) not in known)
    return next(unknown, None)


def _about(wish: Wish) -> tuple[object, ...]:
    """What the answers depend on: everything that is sent (the limit only where the plan is)."""
    limit = wish.inputs.limit if wish.paging is not None else 0
    return (wish.inputs.agent, wish.inputs.focus, wish.inputs.budget, wish.inputs.paging, limit, wish.view.revision)


def _written(provider: Provider) -> str:
    """A provider as the consent remembers it: another command is another question."""
    return json.dumps([provider.id, *provider.command], ensure_ascii=False)


def _agreed(remembered: Remembered) -> str:
    return remembered.get(AGREED)
