"""What a pack begins with, before any memory competes: identity, rules, profile.

Budget, limit and focus alter nothing of it, and with thousands of private memories the profile is most of a pack. So it
is written once for a view, and packs that begin alike hold the same object: comparing those costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pipeline.context.budget import Line, Writer
from pipeline.context.draft import Draft
from pipeline.context.layouts import sections
from pipeline.context.profile import Profile, of_owner
from pipeline.context.standing import per_view


@dataclass(frozen=True, slots=True, eq=False)
class Opening:
    """The first lines of a pack. Two are the same only when they are one object.

    `writer` stands where they end, `trace` is what they add to the trace.
    """

    writer: Writer
    profile: Profile
    trace: tuple[str, ...]

    @property
    def lines(self) -> list[Line]:
        """The lines; not to be changed."""
        return self.writer.lines


def opened(draft: Draft, write: Callable[[Draft], None]) -> Opening:
    """Put the opening into the draft, written with `write` when the view has none for the same reader and answers."""
    opening = per_view(draft.view, _depends_on(draft), lambda: _written(draft, write))
    draft.writer = opening.writer.again(draft.writer.budget)
    draft.profile = opening.profile
    draft.trace += opening.trace
    return opening


def _depends_on(draft: Draft) -> tuple[Any, ...]:
    """All that the words before the first choice may look at, besides the view."""
    request, hook, paging = draft.request, draft.hook, draft.paging
    asked = (request.layout, request.agent, request.shown, request.host, request.memory_home, request.today)
    told = (tuple(sections.status_lines(hook, paging)), sections.live_reason(hook, paging))
    return ("opening", *asked, request.profile, request.profile_day, *told, of_owner(request.shown, draft.removed))


def _written(draft: Draft, write: Callable[[Draft], None]) -> Opening:
    own = replace(draft, writer=draft.writer.again(0), trace=[])
    write(own)
    return Opening(own.writer, own.profile, tuple(own.trace))
