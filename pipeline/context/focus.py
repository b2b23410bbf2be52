"""What section 2.6 chooses from: recall with the focus as its query (`spec/context.md` §7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pipeline.context.request import Request
from pipeline.context.standing import Standing, per_view, stand
from pipeline.recall.engines.yotta import recall
from pipeline.recall.hits import Recall
from store.errors import MemdeskError
from store.memory import Memory
from store.view import View

LOOK_AHEAD = 200
"""Hits that are kept beyond a small limit, so that another limit needs no second search."""


@dataclass(frozen=True, slots=True)
class FocusHit:
    """A memory that answers to the focus. A single hit has the raw match score, several the fused one (§7)."""

    memory: Memory
    score: float
    scale: Literal["raw", "fused"]
    why: tuple[str, ...] = ()


def focus_hits(view: View, request: Request) -> tuple[FocusHit, ...]:
    """The hits in rank order, at least as many as the limit; none when recall refuses. Records nothing (ctx-D01)."""
    many = max(LOOK_AHEAD, request.limit)
    asked = (request.focus, request.agent, tuple(sorted(request.years)), request.project)
    key = ("focus", *asked, request.today, request.lives, many)
    return per_view(view, key, lambda: _found(_recall(view, request, many), stand(view, request)))


def _recall(view: View, request: Request, many: int) -> Recall:
    try:
        return recall(
            view,
            request.focus,
            today=request.now.date(),
            agent=request.agent,
            limit=many,
            years=request.years,
            project=request.project or None,
            half_lives=request.half_lives,
        )
    except MemdeskError:
        return Recall((), 0)


def _found(answer: Recall, standing: Standing) -> tuple[FocusHit, ...]:
    scale: Literal["raw", "fused"] = "raw" if answer.total < 2 else "fused"
    known = (hit for hit in answer.hits if hit.memory.id in standing.by_id)
    return tuple(FocusHit(standing.by_id[hit.memory.id], hit.final, scale, hit.terms) for hit in known)
