"""How a run looks while it goes on: its stages, a bar of text, what fell out and what waits."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from tui.screens.sessions_run import Run
from tui.screens.sessions_words import REASONS, WAITS, bar, counted, duration, size
from tui.text import content, count, fields, line

LABEL = 17
"""Cells of the names of the stages."""
MUTED = "$text-muted"
HEAD = "bold $text-primary"


def elapsed(run: Run, now: int) -> str:
    """How long a run takes so far and what is left, as far as that can be told."""
    left = run.left(now)
    gone = duration((now - run.began) // 1_000)
    return gone if left is None else f"{gone}, about {duration(left)} left"


def tall(run: Run, width: int, model: str) -> list[Content]:
    """Stages under each other, bar, what fell out, what waits, the model: for a pane at the side."""
    shown = [*fields(_stages(run), LABEL, width), Content(""), _bar(run, width), Content("")]
    shown += block("OUT", numbered(counted(run.out, REASONS))) + block("FOUND", numbered(counted(run.fates, WAITS)))
    return [*shown, *block("MODEL", [content(model), content(_calls(run), MUTED)])]


def flat(run: Run, width: int) -> list[Content]:
    """The same in few lines: for a pane under the list."""
    shown = [line(*_chain(_stages(run), run.stage)), _bar(run, width)]
    shown += _named("out", counted(run.out, REASONS)) + _named("wait", counted(run.fates, WAITS))
    return [*shown, line((f"{'calls':<7}", MUTED), _calls(run))]


def hanging(name: str, value: Content, cells: int, label: int = 10) -> list[Content]:
    """A name and a value that goes on under itself."""
    first, *more = value.wrap(max(8, cells - label)) or [Content("")]
    rows = [Content.assemble((f"{name:<{label}}", MUTED), first)]
    return rows + [Content.assemble(" " * label, piece) for piece in more]


def _bar(run: Run, width: int) -> Content:
    return content(bar(run.done, width), "$text-success")


def _stages(run: Run) -> list[tuple[str, str]]:
    typed = sum(one.typed for one in run.contents)
    read = f"{count(typed, 'message')} of yours" if run.contents else size(run.read)
    candidates = f"{run.accepted} of {run.admitted}" if run.admitted else "-"
    shown = run.fates or run.out
    return [
        ("read", read),
        ("propose", count(run.proposed, "fact") if run.calls else "-"),
        ("admit", f"{run.admitted:,}" if run.admitted else "-"),
        ("canonicalize", candidates),
        ("settle", f"{run.settled:,}" if shown else "-"),
    ]


def _chain(stages: Sequence[tuple[str, str]], now: str) -> list[tuple[str, str]]:
    parts: list[tuple[str, str]] = []
    for name, value in stages:
        number = value.partition(" ")[0] if name in ("read", "propose") else value
        parts += [(" > ", MUTED)] if parts else []
        parts += [(name, "bold" if name == now else ""), (f" {number}", "bold" if name == now else MUTED)]
    return parts


def _calls(run: Run) -> str:
    parts = [count(run.calls, "call") if run.calls else "no call yet"]
    parts += ["waiting for the answer"] if run.asked else []
    parts += [count(run.tokens, "token")] if run.tokens else []
    parts += [f"${run.cost:.3f}"] if run.cost is not None else []
    return "   ".join(parts)


def _named(name: str, pairs: Sequence[tuple[int, str]]) -> list[Content]:
    """Numbers with words under one name, one a line."""
    rows = []
    for place, (number, words) in enumerate(pairs):
        rows.append(line((f"{name if not place else '':<5}", MUTED), f"{number:>3}  {words}"))
    return rows


def numbered(pairs: Sequence[tuple[int, str]]) -> list[Content]:
    """Numbers with their words, one a line."""
    return [line((f"{number:>3}  ", "bold"), words) for number, words in pairs]


def block(name: str, rows: Sequence[Content]) -> list[Content]:
    """Lines under a heading, nothing when there are none."""
    return [line((name, HEAD)), *rows, Content("")] if rows else []
