"""What a preview is asked for: whose pack, about what, how much; and how a person says it."""

from __future__ import annotations

import socket
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from pipeline.context.layouts.chat import Chat, Message
from pipeline.context.pack import LAYOUTS as FORMS
from pipeline.context.request import DEFAULT_LIMIT, LAYOUTS, Request
from store.access import path_owner, safe_id
from store.view import View
from tui.remember import Remembered
from tui.text import count, one_line
from tui.widgets.form import Field

Mode = Literal["on", "off", "last answer"]
MODES: tuple[Mode, ...] = ("on", "off", "last answer")
"""The hook: asked again when its inputs change, left out, or its last answer without asking."""
PAGING = ("on", "off")
"""Whether a provider pages a pack that has a budget."""
COMPARE, MAKE = "compare with today", "make it today"
STEPS = ((2_000, 100), (5_000, 250), (20_000, 500))
"""Up to a budget of the first number, `+` and `-` move by the second."""
LARGEST_STEP = 1_000
MOST = 10_000_000
"""More than this is a slip of the finger, not a budget."""


@dataclass(frozen=True, slots=True)
class Inputs:
    """What decides a pack besides bank and hook; `budget` in the layout's unit, 0 for the layout's own."""

    agent: str = ""
    focus: str = ""
    budget: int = 0
    limit: int = DEFAULT_LIMIT
    layout: str = LAYOUTS[0]
    paging: bool = True
    """Whether a provider that can page may, where there is a budget."""
    conversation: str = ""
    """The file with the messages so far, as it was named: for a layout that is a chat."""
    said: tuple[Message, ...] = ()
    """These messages, as they were when the file was read."""

    def request(self, home: str) -> Request:
        """The request of `memdesk context` with these inputs, over the bank at `home`, without a stored profile."""
        return Request(
            self.agent,
            focus=self.focus,
            limit=self.limit,
            budget=self.budget,
            layout=self.layout,
            host=host(),
            memory_home=home,
            paging=None if self.paging else False,
            chat=Chat(conversation=self.said),
        )

    @property
    def words(self) -> str:
        """All of it in words, for the head of a difference."""
        focus = f"focus {one_line(self.focus, 60)}" if self.focus.strip() else "no focus"
        layout = f", {self.layout_words}" if self.layout_words else ""
        paging = "" if self.paging else ", paging off"
        return f"as {one_line(self.agent, 60)}, {focus}, {self.budget_words}, limit {self.limit:,}{layout}{paging}"

    @property
    def budget_words(self) -> str:
        """`budget 4,000`, or `no budget`; a layout may have one of its own."""
        budget = FORMS[self.layout].budget_of(self.budget)
        return f"budget {budget:,}" if budget else "no budget"

    @property
    def layout_words(self) -> str:
        """`layout memora, 12 messages`, nothing for the usual one."""
        said = f", {count(len(self.said), 'message')}" if self.said else ""
        return "" if self.layout == LAYOUTS[0] else f"layout {self.layout}{said}"


@cache
def host() -> str:
    """This machine's name, which stands in section 1 of a pack."""
    return socket.gethostname()


def step(budget: int) -> int:
    """By how much `+` moves a budget."""
    return next((size for top, size in STEPS if budget < top), LARGEST_STEP)


def more(budget: int) -> int:
    """The next round budget above."""
    size = step(budget)
    return (budget // size + 1) * size


def less(budget: int) -> int:
    """The next round budget below, never none at all."""
    size = step(budget - 1)
    return max((budget - 1) // size * size, STEPS[0][1])


# --- who


def agents(view: View) -> dict[str, int]:
    """The agents that a bank knows, with the number of memories private to each, most first."""
    counts = Counter(dict.fromkeys(view.agents, 0))
    counts.update(owner for memory in view.live if (owner := path_owner(memory.path)))
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def preselected(view: View, last: str) -> str:
    """The agent to begin with: the last one used, else the only one known, else "" (`decisions.md` §1.2)."""
    if last:
        return last
    known = list(agents(view))
    return known[0] if len(known) == 1 else ""


# --- what is remembered about a bank


def recalled(remembered: Remembered, view: View) -> Inputs:
    """The inputs of the last time."""
    return Inputs(
        preselected(view, remembered.get("agent")),
        remembered.get("focus"),
        _number(remembered.get("budget"), 0) or 0,
        _number(remembered.get("limit"), 1) or DEFAULT_LIMIT,
        _layout(remembered.get("layout")),
        remembered.get("paging") != PAGING[1],
    )


def _layout(name: str) -> str:
    return name if name in LAYOUTS else LAYOUTS[0]


def remember(remembered: Remembered, inputs: Inputs) -> None:
    """Keep today's inputs for the next time; a conversation goes on meanwhile, and is named anew."""
    remembered.set("agent", inputs.agent)
    remembered.set("focus", inputs.focus)
    remembered.set("budget", str(inputs.budget))
    remembered.set("limit", str(inputs.limit))
    remembered.set("layout", inputs.layout)
    remembered.set("paging", PAGING[not inputs.paging])


# --- the form of a what-if


def fields_of(inputs: Inputs, mode: Mode, view: View, with_last: bool, pages: bool = False) -> tuple[Field, ...]:
    """The fields of the what-if form; the last answer can be chosen when there is one, paging when a provider can."""
    known = ", ".join(one_line(name, 40) for name in list(agents(view))[:6])
    modes = MODES if with_last else MODES[:2]
    budget = f"{inputs.budget}" if inputs.budget else ""
    return (
        Field("agent", "agent", inputs.agent, placeholder=known or "the agent whose pack it is"),
        Field("focus", "focus", inputs.focus, placeholder="what the session is about; empty: no section 2.6"),
        Field("budget", "budget", budget, placeholder="characters, memora: tokens; empty: no limit, memora: 120,000"),
        Field("limit", "limit", str(inputs.limit), placeholder=str(DEFAULT_LIMIT)),
        Field("layout", "layout", inputs.layout, "choice", LAYOUTS),
        Field("conversation", "messages", inputs.conversation, placeholder="a file with those so far; empty: none"),
        Field("hook", "hook", mode, "choice", modes),
        *([Field("paging", "paging", PAGING[not inputs.paging], "choice", PAGING)] if pages else []),
        Field("then", "then", COMPARE, "choice", (COMPARE, MAKE)),
    )


def check(values: Mapping[str, str]) -> str:
    """What is wrong with a filled form, as a sentence; "" when it can be tried."""
    agent = values["agent"].strip()
    if sentence := check_agent(agent):
        return sentence
    return check_budget(values["budget"]) or check_limit(values["limit"])


def check_agent(name: str) -> str:
    """What is wrong with an agent's name."""
    if not name.strip():
        return "The pack holds private memories: say for which agent it is made."
    return "" if safe_id(name.strip()) else f"{name!r} cannot be an agent: no slash, at most 128 characters."


def check_budget(text: str) -> str:
    """What is wrong with a budget; nothing stands for no limit."""
    if _number(text or "0", 0) is not None:
        return ""
    return "A budget is a whole number of characters (in a chat: of tokens); empty for no limit."


def check_limit(text: str) -> str:
    """What is wrong with a limit."""
    return "" if _number(text, 1) is not None else "A limit is a whole number from 1 on: the memories of each section."


def conversation_in(values: Mapping[str, str]) -> str:
    """The file with the messages so far that a form names; "" for none, or for a layout that is no chat."""
    return values["conversation"].strip() if FORMS[_layout(values["layout"])].is_chat else ""


def read(values: Mapping[str, str], said: tuple[Message, ...] = ()) -> Inputs:
    """The inputs of a form that `check` passed; `said` are the messages of the file that it names."""
    limit = _number(values["limit"], 1)
    budget, paging = budget_of(values["budget"]), values.get("paging") != PAGING[1]
    layout, conversation = _layout(values["layout"]), conversation_in(values)
    agent, focus = values["agent"].strip(), values["focus"]
    return Inputs(agent, focus, budget, limit or DEFAULT_LIMIT, layout, paging, conversation, said)


def budget_of(text: str) -> int:
    """A budget that `check_budget` passed."""
    return _number(text, 0) or 0


def _number(text: str, least: int) -> int | None:
    """A whole number as a person writes it: `4000`, `4,000`, `4 000`; None for anything else."""
    digits = text.replace(",", "").replace(" ", "")
    if not (digits.isascii() and digits.isdigit() and len(digits) < 12):
        return None
    return int(digits) if least <= int(digits) <= MOST else None
