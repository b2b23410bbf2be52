"""How a run looks while it goes on: its stages, a bar of text, what fell out and what waits."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from tui.fates import REASONS, usage_words
from tui.screens.sessions_incidents import incident_rows
from tui.screens.sessions_rows import short
from tui.screens.sessions_run import STAGE_WORDS, Run
from tui.screens.sessions_words import WAITS, bar, counted, duration, size
from tui.text import content, count, fields, line, one_line

LABEL = 17
"""Cells of the names of the stages."""
NAME = 7
"""Cells of the names before calls and counts."""
ACTIVE = 6
"""Sessions of one file whose calls are shown side by side."""
MUTED = "$text-muted"
HEAD = "bold $text-primary"


def elapsed(run: Run, now: int) -> str:
    """How long a run takes so far and what is left, as far as that can be told."""
    left = run.left(now)
    gone = duration((now - run.began) // 1_000)
    return gone if left is None else f"{gone}, about {duration(left)} left"


def tall(run: Run, width: int, model: str, most: int) -> list[Content]:
    """Stages under each other, bar, the calls, each proposed fact: for a pane at the side."""
    shown = [*fields(_stages(run), LABEL, width), Content(""), _bar(run, width), Content("")]
    shown += block("MODEL", [content(model), *_figures(run, width)])
    shown += block("FACTS", _tallies(run) + incident_rows(run.incidents.values(), width, most))
    return shown


def flat(run: Run, width: int, most: int, *, full: bool = False) -> list[Content]:
    """The same in few lines: for a pane under the list."""
    shown = [line(*_chain(_stages(run), run.stage)), _bar(run, width), *_figures(run, width)]
    shown += incident_rows(run.incidents.values(), width, most, brief=not full)
    return [*shown, *_tallies(run)]


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
        ("propose", count(run.proposed, "fact") if run.calls or run.rules else "-"),
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


def _figures(run: Run, width: int) -> list[Content]:
    """Calls, tokens and cost so far, and for each session that waits for an answer which call of how many it is."""
    if run.rules:
        return []
    parts = [count(run.calls, "call") if run.calls else "no call yet", usage_words(run.usage)]
    rows = fields([("calls", ", ".join(filter(None, parts)))], NAME, width)
    for session, call in list(run.calling.items())[:ACTIVE]:
        mended = ", told what was wrong" if call.repair else ""
        words = f"{STAGE_WORDS[call.stage]}, call {call.number} of {call.budget}{mended}"
        name = f"   {short(one_line(session.partition('/')[2]))}" if len(run.contents) > 1 else ""
        rows += fields([("waits", words + name)], NAME, width)
    return rows


def _tallies(run: Run) -> list[Content]:
    """How many fell out and why, how many wait."""
    return _named("out", counted(run.out, REASONS)) + _named("wait", counted(run.fates, WAITS))


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
