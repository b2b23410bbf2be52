"""Words of the Sessions screen: durations, reasons, stages, a bar of text."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.extraction import ExtractReport
from pipeline.formats.session import Author
from tui.text import count

WAITS: Mapping[str, str] = {
    "ready": "ready for review",
    "deferred": "seen in one session only",
    "profile": "of the profile",
    "duplicate": "in the bank already",
    "stored": "stored",
}
"""What became of the others."""
AUTHORS: Mapping[Author, str] = {
    Author.TYPED: "typed by you",
    Author.CHOSEN: "chosen by you",
    Author.MODEL: "model",
    Author.TOOL: "tools",
    Author.COMMAND: "commands",
    Author.INJECTED: "injected",
    Author.DOCUMENT: "documents",
    Author.OTHER_AGENT: "other agents",
    Author.SUMMARY: "summaries",
}


def duration(seconds: int) -> str:
    """`12 s`, `1 min 12 s`, `1 h 4 min`."""
    minutes, rest = divmod(max(0, seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if minutes else f"{rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def size(number: int) -> str:
    """`812 bytes`, `14 KiB`, `3.2 MiB`."""
    if number < 1024:
        return count(number, "byte")
    kib = number / 1024
    return f"{kib:,.0f} KiB" if kib < 1024 else f"{kib / 1024:,.1f} MiB"


def bar(done: float, cells: int) -> str:
    """A bar that reads the same without colour: `[####....]  50 %`."""
    room, done = max(8, cells - 9), min(1.0, max(0.0, done))
    full = round(room * done)
    return f"[{'#' * full}{'.' * (room - full)}]  {100 * done:.0f} %"


def counted(numbers: Mapping[str, int], words: Mapping[str, str]) -> list[tuple[int, str]]:
    """Numbers with their words, the largest first."""
    pairs = [(number, words.get(name, name)) for name, number in numbers.items() if number]
    return sorted(pairs, key=lambda pair: (-pair[0], pair[1]))


def outcome(name: str, report: ExtractReport) -> str:
    """One sentence about a run that ended."""
    sessions = report.sessions
    problem = next((one.problem for one in sessions if one.problem), "")
    if problem:
        return f"{name} failed: {problem}"
    if sessions and all(one.state == "left alone" for one in sessions):
        return f"{name} is left alone: a sub-agent's session holds no words of yours."
    found = waiting(report)
    if report.dry_run:
        return f"{name}, dry run: {found or 'nothing durable said'}; nothing was kept."
    if all(one.state == "nothing new" for one in sessions):
        return f"{name}: nothing new since the last run."
    known = sum(one.kept for one in sessions)
    return f"{name} settled: {found or (count(known, 'fact') + ' known before' if known else 'nothing durable said')}."


def waiting(report: ExtractReport) -> str:
    """`4 facts wait for review, 2 seen once`, "" when there is none; of a dry run what would be."""
    ready = sum(one.counted for one in report.proposals)
    once = len(report.proposals) - ready
    verbs = ("fact would wait", "facts would wait") if report.dry_run else ("fact waits", "facts wait")
    parts = [count(ready, *verbs) + " for review"] if ready else []
    parts += [f"{count(once, 'fact')} seen once" if not parts else f"{once:,} seen once"] if once else []
    return ", ".join(parts)
