"""Makes a preview on a thread: the pack, the fate of every memory, and what differs from today. Writes nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipeline.context.baseline import Baseline
from pipeline.context.difference import Difference, difference
from pipeline.context.fates import Fates
from pipeline.context.pack import Pack, assemble
from pipeline.context.provider.configuration import PAGING
from pipeline.context.provider.hook import HookResult, is_stale
from pipeline.context.provider.paged import PagingResult
from pipeline.context.provider.paging import is_stale as is_stale_paging
from pipeline.context.report import STEPS
from pipeline.context.request import Request
from pipeline.context.since import Since, Touched, since
from pipeline.context.whatif import More, StatusCost, budget_ended, next_with_budget, status_cost
from store import clock
from store.errors import MemdeskError
from store.roots import read_yotta_config
from store.settings import half_lives
from store.stored_profile import stored_profile
from store.view import View
from tui.screens.context_inputs import Inputs, Mode
from tui.screens.context_rows import FateRows, choices
from tui.screens.context_text import TextRows, against, since_rows, with_hook, without_hook


@dataclass(frozen=True, slots=True, repr=False)  # a worker writes out what it is given: here, packs
class Wish:
    """What is asked for. `answer` is the provider's last, `today_answer` the last for today's inputs.

    `keep` is the memory under the cursor, looked up on the way, so that the list finds it at once. `baseline` is what
    the pack is compared with, `touched` what the bank's history says since. `today_pack` is today's of the last one,
    taken again as long as nothing of it changed.
    """

    view: View
    home: str
    inputs: Inputs
    today: Inputs
    mode: Mode
    answer: HookResult | None = None
    today_answer: HookResult | None = None
    only: str = ""
    keep: str = ""
    baseline: Baseline | None = None
    touched: Mapping[str, Touched] = field(default_factory=dict)
    paging: PagingResult | None = None
    today_paging: PagingResult | None = None
    today_pack: Pack | None = None

    @property
    def hook(self) -> HookResult | None:
        """The answer that is applied."""
        return None if self.mode == "off" else self.answer

    @property
    def paged(self) -> PagingResult | None:
        """The answer to paging that is applied."""
        return self.paging if self.mode != "off" and _pages(self.inputs) else None

    @property
    def unused(self) -> HookResult | None:
        """The answer that would take something out, were the hook on."""
        return self.answer if self.mode == "off" and self.answer is not None and self.answer.removed else None

    @property
    def is_today(self) -> bool:
        """Whether nothing is tried out."""
        return self.inputs == self.today and self.mode == "on"

    @property
    def stale(self) -> bool:
        """Whether the answer that is applied belongs to other inputs, or to an earlier state of the bank."""
        request = self.inputs.request(self.home)
        return self.answer is not None and (is_stale(self.answer, self.view, request) or self._paging_stale(request))

    def _paging_stale(self, request: Request) -> bool:
        if not _pages(self.inputs) or not can_page(self.answer):
            return False
        return self.paging is None or is_stale_paging(self.paging, self.view, request, self.hook)


def can_page(answer: HookResult | None) -> bool:
    """Whether a provider of the configuration, as it was when the hook was asked, declares paging."""
    return answer is not None and any(PAGING in one.capabilities for one in answer.configuration.providers)


def _pages(inputs: Inputs) -> bool:
    """Whether there is a budget to page for, and paging is not turned off."""
    return inputs.paging and inputs.budget > 0


@dataclass(frozen=True, slots=True)
class Preview:
    """A pack with everything that the screen says about it; `told` is its difference from today's (`today_pack`)."""

    wish: Wish
    pack: Pack
    fates: Fates
    rows: FateRows
    text: TextRows
    today_pack: Pack
    told: Difference
    told_rows: TextRows
    more: tuple[More, ...]
    ended: int | None
    cost: StatusCost
    millis: int
    since: Since | None = None
    since_rows: TextRows | None = None


def build(wish: Wish) -> Preview:
    """Make the preview. Raises `MemdeskError` for inputs that cannot be answered."""
    started = clock.now()
    pack = assemble(wish.view, _request(wish.inputs, wish.view, wish.home), wish.hook, wish.paged)
    fates = Fates(pack)
    rows = FateRows(fates, wish.only if wish.only in choices(fates) else "", wish.unused)
    if wish.keep:
        rows.find(wish.keep)
    millis = round((clock.now() - started).total_seconds() * 1000)
    today = _today(wish, pack)
    told = difference(today, pack)
    later = None if wish.baseline is None else since(wish.baseline, pack, wish.touched)
    return Preview(
        wish=wish,
        pack=pack,
        fates=fates,
        rows=rows,
        text=_text(wish, fates),
        today_pack=today,
        told=told,
        told_rows=against(told),
        more=next_with_budget(pack, STEPS),
        ended=budget_ended(pack),
        cost=status_cost(pack),
        millis=millis,
        since=later,
        since_rows=None if later is None else since_rows(later),
    )


def _request(inputs: Inputs, view: View, home: str) -> Request:
    """What is asked for, with the profile file that another engine keeps (`spec/context.md` §8); read on the thread."""
    request = inputs.request(home)
    text, day = stored_profile(Path(home), request.shown)
    return replace(request, profile=text, profile_day=day, half_lives=half_lives(view, read_yotta_config()))


def pack_for(wish: Wish, agent: str, hook: HookResult | None, paging: PagingResult | None) -> Pack:
    """The pack of another agent with the same inputs. Raises `MemdeskError` for one that cannot be asked for."""
    return assemble(wish.view, _request(replace(wish.inputs, agent=agent), wish.view, wish.home), hook, paging)


def _text(wish: Wish, fates: Fates) -> TextRows:
    """The pack's lines, with those that the hook changes: it applied, or turned off."""
    if wish.unused is None:
        return with_hook(fates.unhooked, fates.pack)
    return without_hook(assemble(wish.view, fates.pack.request, wish.unused), fates.pack)


def _today(wish: Wish, pack: Pack) -> Pack:
    """Today's pack, which is the same one as long as nothing is tried out."""
    if wish.is_today:
        return pack
    request, paging = _request(wish.today, wish.view, wish.home), wish.today_paging if _pages(wish.today) else None
    known = wish.today_pack
    if known is not None and known.view is wish.view and known.hook is wish.today_answer and known.paging is paging:
        of_that_day = replace(known.request, now=request.now) if known.request.today == request.today else None
        if of_that_day == request:
            return known
    try:
        return assemble(wish.view, request, wish.today_answer, paging)
    except MemdeskError:
        return pack
