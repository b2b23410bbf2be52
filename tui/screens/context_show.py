"""What stands around the rows: the bar, what happened in a sentence, and what is said when there is nothing to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from textual.content import Content

from pipeline.context.budget import EXEMPT
from pipeline.context.pack import Pack
from pipeline.context.provider.hook import HookResult
from tui.baselines import more
from tui.screens.context_build import Preview
from tui.screens.context_inputs import agents
from tui.screens.context_words import CHARS, failure, provider_name
from tui.text import count, cut, line, lines, one_line, width
from tui.widgets.budget import Part

if TYPE_CHECKING:
    from tui.bench import Bench

READ_ONLY = "Read only: a preview changes nothing."
KEY, MUTED = "bold $text-primary", "$text-muted"
LETTERS = (
    ("fixed", "f", "fixed"),
    ("persona", "n", "persona"),
    ("profile", "p", "profile"),
    ("summaries", "s", "summaries"),
    ("focus", "t", "task"),
    ("corridor", "c", "corridor"),
    ("backfill", "b", "backfill"),
    ("bootstrap", "r", "rules"),
    ("conversation", "c", "conversation"),
    ("skill", "k", "skill"),
    ("recall", "m", "memories"),
    ("input", "i", "input"),
)
"""The parts of the budget bar, in the order of the pack; each layout has some of them."""


def bar_parts(preview: Preview) -> list[Part]:
    """What fills the budget."""
    return parts_of(preview.pack, preview.cost.units)


def parts_of(pack: Pack, status: int = 0) -> list[Part]:
    """What fills the budget of a pack, part by part; `status` units of what is fixed are the hook's status line."""
    sizes = pack.bar.parts
    parts = [Part(letter, words, sizes[name]) for name, letter, words in LETTERS if name in sizes]
    if not status or not parts:
        return parts
    fixed, *rest = parts
    return [replace(fixed, size=fixed.size - status), Part("h", "hook", status), *rest]


def unit_of(preview: Preview | None) -> str:
    """The unit in which the pack is counted, in a few letters."""
    word = preview.pack.layout.measure.word if preview is not None else "characters"
    return CHARS.get(word, word)


def behind_bar(preview: Preview) -> list[str]:
    """What comes after the budget, and where it began to refuse."""
    bar = preview.pack.bar
    over = [f"over by {bar.over:,}"] if bar.over else []
    ended = [f"refused from {preview.ended:,} on"] if preview.ended is not None else []
    after = [f"after it {bar.parts[EXEMPT]:,}"] if EXEMPT in bar.parts else []
    return [*over, *after, *ended]


def inputs(parts: Sequence[tuple[str, str]], cells: int) -> Content:
    """The hook and how much may go in, most important first: what does not fit into `cells` is left out whole, but for
    the hook, which is cut."""
    kept = list(parts)
    while len(kept) > 1 and sum(width(text) + 3 for text, _ in kept) - 3 > cells:
        kept.pop()
    kept[0] = (cut(kept[0][0], max(cells, 0)), kept[0][1])
    return line(*[piece for part in kept for piece in (("   ", ""), part)][1:])


def answered(hook: HookResult) -> str:
    """What came of asking, as a sentence; "" when there is no provider."""
    if hook.status == "not_installed":
        return ""
    if sentence := failure(hook):
        return sentence
    name = provider_name(hook)
    taken = len(hook.evicted) + len(hook.hidden)
    dropped = f", {count(len(hook.dropped), 'name')} not accepted" if hook.dropped else ""
    return f"{name} took out {taken:,} in {hook.duration_ms:,} ms{dropped}."


def effect(before: Preview | None, after: Preview) -> str:
    """What a change of the inputs did to the pack: `2 came in, 1 left`."""
    if before is None:
        return ""
    old, new = frozenset(before.pack.included), frozenset(after.pack.included)
    came, left = len(new - old), len(old - new)
    if not came and not left:
        return "the same memories"
    return ", ".join([*([f"{came:,} came in"] if came else []), *([f"{left:,} left"] if left else [])])


def text_title(preview: Preview, mode: str) -> Content:
    """What stands above the lines: the pack (`pack`), or how it differs from today's (`today`)."""
    if mode == "pack":
        gone = "   with what the hook changes" if preview.text.has_notes else ""
        return line(("pack", "bold"), (gone, MUTED))
    told = preview.told
    if not told.changed:
        return line(("no difference", "bold"), ("   this is today's pack", MUTED))
    sizes = f"   {len(told.entered):,} came in, {len(told.left):,} left, {len(told.moved):,} moved"
    same = preview.wish.inputs.layout == preview.wish.today.layout
    size = more(told.units, preview.pack.layout.measure.word.removesuffix("s")) if same else "another layout"
    return line(("against today", "bold"), (f"{sizes}, {size}", MUTED))


def nothing(preview: Preview | None, bench: Bench) -> Content | None:
    """What is said above the rows when they hold no memory, or when nobody was chosen."""
    if preview is None:
        return _nobody(bench)
    if len(preview.fates):
        return None
    name = one_line(preview.wish.inputs.agent, 60)
    parts = [
        line(("  No memory yet", "bold"), f" that {name} could be given; the pack holds only what is always there.")
    ]
    parts += [line((f"  {bench.pressed_id('context.agent'):<3}", KEY), "choose another agent")]
    parts += [line(("  1  ", KEY), "write a memory in Bank")]
    return lines([*parts, Content("")])


def _nobody(bench: Bench) -> Content:
    known = list(agents(bench.desk.view))
    parts = [line(("  Whose pack?", "bold"), " It holds private memories, so it is made for one agent.")]
    choose = [("  enter", KEY), " one of these   "] if known else ["  "]
    other = "another name" if known else "type its name"
    return lines([*parts, line(*choose, (bench.pressed_id("context.agent"), KEY), f" {other}"), Content("")])
