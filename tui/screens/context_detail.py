"""What the detail says of the row under the cursor: its fate in words, what would change it, and what it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from pipeline.context.budget import EXEMPT
from pipeline.context.fate import Fate
from pipeline.context.needs import TAKEN, Needs, needs
from pipeline.context.provider.answer import CAUSES
from pipeline.context.provider.hook import HookResult
from store.access import path_owner
from tui.baselines import why
from tui.screens.bank_detail import HEAD, MUTED
from tui.screens.context_build import Preview
from tui.screens.context_chat import chat
from tui.screens.context_rows import FIXED, UNSEEN_ROW, look
from tui.screens.context_show import parts_of
from tui.screens.context_words import FIXED as WITHOUT_MEMORIES
from tui.screens.context_words import (
    REASONS,
    SECTIONS,
    STATUSES,
    UNSEEN,
    UNSEEN_SENTENCES,
    UNSENT,
    ordinal,
    provider_name,
    shown_in,
)
from tui.text import content, count, line, lines, literal, one_line, preview

GLANCE = 2_000
"""Characters of a statement shown here; all of it stands in Bank."""
NAMES_SHOWN = 8
NEXT_SHOWN = 3
"""Larger budgets that are told; more of them are known."""
SINCE = {"came_in": "came in", "left": "left", "reworded": "says something else", "moved": "moved"}


@dataclass(frozen=True, slots=True)
class Row:
    """The row that is explained; `titled` when the title is a line of the text (wide), not the rule above it."""

    id: str
    preview: Preview
    titled: bool

    @property
    def fate(self) -> Fate | None:
        """The memory's fate; None for a part or a count."""
        return self.preview.rows.fate(self.id)

    @property
    def hook(self) -> HookResult | None:
        """The answer that is applied."""
        return self.preview.pack.hook


def title(row: Row) -> Content:
    """The fate in a word, and whose it is."""
    fate = row.fate
    return _name(row) if fate is None else line(_name(row), "   ", _who(fate))


def _name(row: Row) -> Content:
    fate = row.fate
    if fate is not None:
        shown = look(fate)
        name = one_line(fate.memory.name.removesuffix(".md"), 80)
        return line((f"{shown.sign} {shown.word}", shown.token), "   ", (name, "bold"))
    if row.id == FIXED:
        place = WITHOUT_MEMORIES[row.preview.pack.layout.name][1]
        return line(
            ("# always", "bold $text-accent"), f"   {'sections 1 to 2' if place == '1-2' else 'the chat itself'}"
        )
    kind = row.id.removeprefix(UNSEEN_ROW)
    return line(("? not shown", MUTED), f"   {UNSEEN.get(kind, '')}")


def _who(fate: Fate) -> str:
    memory = fate.memory
    owner = path_owner(memory.path)
    reads = f"private to {one_line(owner, 60)}" if owner else one_line(memory.scope, 20)
    protected = "   immutable" if memory.immutable else ""
    return f"{one_line(memory.type, 20)}   {reads}{protected}"


def show(row: Row) -> Content:
    """The whole detail as one text."""
    fate = row.fate
    unit = row.preview.pack.layout.measure.word
    who = [content(f"{_who(fate)}   {fate.chars:,} {unit}", MUTED)] if fate is not None else []
    parts = [_name(row), *who, Content("")] if row.titled else []
    if fate is not None:
        parts += _memory(row, fate)
    elif row.id == FIXED:
        parts += _fixed(row.preview)
    else:
        parts.append(content(UNSEEN_SENTENCES.get(row.id.removeprefix(UNSEEN_ROW), "")))
    return lines(parts)


def _memory(row: Row, fate: Fate) -> list[Content]:
    statement = preview(literal(fate.memory.statement or fate.memory.body), GLANCE)[0]
    subject = one_line(fate.memory.subject, 200)
    words = [content(sentence) for sentence in (*sentences(row, fate), *_since(row, fate))]
    what = line((f"{subject}: " if subject else "", "bold"), statement)
    return [
        *words,
        *([Content(""), what] if row.titled else [what]),
        *_attempts(fate, row.preview),
        *_hook(row, fate),
        *_more(row.preview),
        *_scores(row.preview, fate),
    ]


# --- the fate in words


def sentences(row: Row, fate: Fate) -> list[str]:
    """What happened to the memory, what it would be otherwise, and what it would take."""
    told = _happened(row, fate)
    if fate.stands:
        return [told, *_also(row.preview, fate)]
    return [told, *_otherwise(row, fate), *_also(row.preview, fate)]


def _happened(row: Row, fate: Fate) -> str:
    name = provider_name(row.hook)
    if fate.outcome == "always":
        return f"Always in the pack: {ordinal(fate.rank)} of the {SECTIONS[fate.section]} in section {fate.section}."
    if fate.outcome == "included":
        moved = f" It moved up: {name} made room." if fate.moved_up else ""
        return f"{ordinal(fate.rank).capitalize()} in {_section(fate.section)}: {REASONS[fate.reason]}.{moved}"
    if fate.outcome == "evicted":
        return f"{name} took it out and gave no reason. {_answered(row.hook)}"
    if fate.outcome == "unlisted":
        return f"{name} named what may stay, and this is not among it. {_answered(row.hook)}"
    if fate.outcome == "paged_out":
        return "Paging took it out of this budget and gave no reason."
    if fate.outcome == "duplicate":
        return _double(fate)
    if fate.outcome == "budget":
        return _refused(row, fate)
    if fate.outcome in {"block_full", "unmatched"}:
        return _not_in_chat(row, fate)
    if fate.outcome == "summary_overflow":
        return _overflowing(row, fate)
    return _over(row, fate)


def _double(fate: Fate) -> str:
    if not fate.duplicate_of:
        return f"Its text already stands in {_section(shown_in(fate))}; a memory is shown once."
    differs = " They say different things." if fate.differs else ""
    return f"The other bank's file of the same name is shown: {one_line(fate.duplicate_of, 200)}.{differs}"


def _overflowing(row: Row, fate: Fate) -> str:
    before = fate.rank - row.preview.pack.layout.most_summaries
    newer = "a newer one goes" if before < 2 else f"{before:,} of the newer ones go"
    told = f"Three summaries go in at most; this one is {ordinal(fate.rank)}."
    return f"{told} It gets in when {newer}, or where a focus finds it.  / types one."


def _not_in_chat(row: Row, fate: Fate) -> str:
    """What a chat has no place for (`spec/memora.md` §16.1)."""
    if fate.outcome == "block_full":
        cap = row.preview.pack.layout.choices[0].cap
        return (
            f"What comes to mind fills {cap:,} characters at most; with this one it would be {fate.shortfall:,} more."
        )
    if not row.preview.pack.request.focus.strip():
        return "A chat shows what the words of the user bring to mind, and there are none.  / types some."
    return "The focus does not bring it to mind.  / types another."


def _refused(row: Row, fate: Fate) -> str:
    budget = row.preview.pack.budget
    if row.preview.pack.layout.is_chat:
        return f"The chat is too long, and what comes to mind was cut: {fate.shortfall:,} tokens are missing."
    return (
        f"Its {fate.chars:,} characters were refused when {fate.used_before:,} of {budget:,} were used:"
        f" {fate.shortfall:,} too many."
    )


def _over(row: Row, fate: Fate) -> str:
    limit = row.preview.pack.request.limit
    if not fate.section:
        return "Every limit finds another memory before this one."
    told = f"Each section takes {limit:,}."
    if not fate.needs_limit:
        return f"{told} It would be {ordinal(fate.rank)} in {_section(fate.section)}."
    where = f"{ordinal(fate.rank)} in {_section(fate.section)}"
    room = ", if the budget has room" if row.preview.pack.request.budget > 0 else ""
    return f"{told} With a limit of {fate.needs_limit:,} it would be {where}{room}.  w tries it."


def _otherwise(row: Row, fate: Fate) -> list[str]:
    """What it would take to get in."""
    found = needs(row.preview.fates, fate, row.preview.more)
    if fate.outcome in TAKEN:
        return [_unless(fate, found)]
    if fate.paged == "left":
        return ["Without paging it would be in: others were put before it.  w turns paging off here."]
    if found is not None and found.budget is not None:
        least = "a" if found.exact else "at least a"
        return [f"It comes in with {least} budget of {found.budget:,}.  = types one."]
    return []


def _unless(fate: Fate, found: Needs | None) -> str:
    """Where it would stand had nobody taken it out."""
    paged = fate.outcome == "paged_out"
    name, key = ("paging", "w turns paging off") if paged else ("the hook", "H turns the hook off")
    if fate.section:
        return f"Without {name} it would be {ordinal(fate.rank)} in {_section(fate.section)}.  {key} here."
    rest = _wanting(found)
    if not rest:
        return f"Without {name} it would not be in the pack either.  e edits it."
    return f"Without {name} it would still need {rest}.  {key}, w tries the rest."


def _wanting(found: Needs | None) -> str:
    """The limit and the budget that are needed, in words."""
    if found is None:
        return ""
    parts = [f"a limit of {found.limit:,}"] if found.limit is not None else []
    parts += [f"a budget of {found.budget:,}"] if found.budget is not None else []
    return " and ".join(parts)


def _also(preview: Preview, fate: Fate) -> list[str]:
    places = preview.fates.also_visible_in(fate)
    if not places:
        return []
    named = ", ".join(_section(place) if place in SECTIONS else one_line(place, 120) for place in places)
    return [f"Its text also shows in {named}."]


def _section(key: str) -> str:
    return f"section {key} ({SECTIONS.get(key, '')})"


def _answered(hook: HookResult | None) -> str:
    return f"Answered in {hook.duration_ms:,} of {hook.timeout_ms:,} ms." if hook is not None else ""


# --- the rest


def _since(row: Row, fate: Fate) -> list[str]:
    """What changed about it since the baseline that the pack is compared with."""
    found = row.preview.since
    item = found.by_id.get(fate.id) if found is not None else None
    if found is None or item is None:
        return []
    return [f"Since {one_line(found.baseline.name, 40)} it {SINCE[item.kind]}: {one_line(why(item), 300)}."]


def _attempts(fate: Fate, preview: Preview) -> list[Content]:
    if not fate.attempts:
        return []
    rows = [Content(""), line(("TRIED", HEAD))]
    for attempt in fate.attempts:
        end = f", {attempt.shortfall:,} short" if attempt.shortfall else ""
        used = f"{attempt.chars:,} {preview.pack.layout.measure.word} after {attempt.used_before:,}{end}"
        rows.append(line(f"{attempt.section:<4}{attempt.rank:>3}  {attempt.outcome:<11}", (used, MUTED)))
    return rows


def _hook(row: Row, fate: Fate) -> list[Content]:
    hook = row.hook
    if hook is None or hook.configuration.provider is None:
        return []
    took = len(hook.evicted) + len(hook.hidden)
    sent = UNSENT[fate.unsent] if not fate.sent and fate.unsent else _sent(hook, fate)
    facts = [
        ("provider", f"{provider_name(hook)}, {STATUSES[hook.status]}"),
        ("this one", sent),
        ("took out", f"{took:,} of {len(hook.sent):,} sent, {len(hook.private):,} of them private"),
    ]
    facts += [("dropped", f"{count(len(hook.dropped), 'name')} that it may not remove")] if hook.dropped else []
    rows = [Content(""), line(("HOOK", HEAD)), *_pairs(facts)]
    for dropped in hook.dropped[:NAMES_SHOWN]:
        rows.append(line((f"  x {one_line(dropped.name, 80)}", "$text-error"), (f"  {CAUSES[dropped.cause]}", MUTED)))
    return rows


def _sent(hook: HookResult, fate: Fate) -> str:
    if fate.memory.path in hook.cut:
        return "sent, its statement cut to 2,000 characters"
    return "sent" if fate.sent else "not sent"


def _more(preview: Preview) -> list[Content]:
    """What a larger budget would add next."""
    if not preview.more:
        return []
    rows = [Content(""), line(("NEXT WITH MORE BUDGET", HEAD))]
    by_id = preview.pack.standing.by_id
    for more in preview.more[:NEXT_SHOWN]:
        names = [one_line(by_id[id].subject or by_id[id].name, 60) for id in more.entered if id in by_id]
        shown = ", ".join(names[:3]) + (f" and {len(names) - 3:,} more" if len(names) > 3 else "")
        left = f"   ({count(len(more.left), 'memory', 'memories')} would go)" if more.left else ""
        rows.append(line((f"{more.budget:>7,}  ", "bold"), shown, (left, MUTED)))
    return rows


def _scores(preview: Preview, fate: Fate) -> list[Content]:
    """What orders the memory, in parts (`spec/context.md` §9)."""
    scores = preview.fates.scores(fate.memory)
    use = scores.utility
    rows = [Content(""), line(("SCORES", HEAD))]
    facts = []
    if scores.recall is not None:
        terms = f"   {one_line(', '.join(scores.terms), 120)}" if scores.terms else ""
        facts.append(("focus", f"{scores.recall:.3f} {scores.scale}{terms}"))
    facts.append(("value", f"{scores.value:.3f}   importance {scores.importance:.3f}   utility {use.total:.3f}"))
    parts = [
        f"confidence {use.confidence:g}   use {use.usage:g}   recency {use.recency:g}",
        f"type {use.type:g}   form {use.structure:g}   weight {use.weight:g}",
    ]
    return [*rows, *_pairs(facts), *(content(f"{'':<11}{part}", MUTED) for part in parts)]


def _pairs(facts: Sequence[tuple[str, str]]) -> list[Content]:
    return [line((f"{name:<11}", MUTED), value) for name, value in facts]


# --- the row of what is always there


def _fixed(preview: Preview) -> list[Content]:
    pack = preview.pack
    sizes = {section.key: section.units for section in pack.sections}
    if pack.layout.is_chat:
        return [*chat(preview), *_budget(preview), *_more(preview)]
    keys = WITHOUT_MEMORIES[pack.layout.name][0]
    named = [(key, name) for key, name in SECTIONS.items() if key in sizes and key in keys]
    rows = [content("Stands in every pack, before the first memory; no budget cuts it.")]
    rows += [
        line((f"{key:<5}", MUTED), f"{sizes[key]:>6,}  {name}", (_about(preview, key), MUTED)) for key, name in named
    ]
    if pack.bar.over:
        rows.append(content(f"With all headings the pack is {pack.bar.over:,} over the budget.", "$text-error"))
    return [*rows, *_budget(preview), *_more(preview)]


def _budget(preview: Preview) -> list[Content]:
    """The share of every part, the status line among them, and where the budget ended (`spec/context.md`, part G)."""
    bar = preview.pack.bar
    whole = max(bar.budget or bar.used, 1)
    rows = [
        Content(""),
        line(("BUDGET", HEAD), f"   {bar.used:,} of {bar.budget:,}" if bar.budget else "   none is set"),
    ]
    for part in parts_of(preview.pack, preview.cost.units):
        share = f"{part.size:>7,}  {part.size / whole:>6.1%}"
        rows.append(line((f"{part.letter} ", "bold"), (f"{part.words:<11}", MUTED), share))
    if EXEMPT in bar.parts:
        rows.append(content(f"  {'after it':<11}{bar.parts[EXEMPT]:>7,}  no budget counts it", MUTED))
    if preview.ended is not None:
        told = f"It ended at {preview.ended:,}: the first memory was refused there; shorter ones may follow."
        rows.append(content(told))
    return rows


def _about(preview: Preview, key: str) -> str:
    if key == "0" and preview.cost.units:
        pushed = len(preview.cost.pushed_out)
        out = f", which pushed {count(pushed, 'memory', 'memories')} out" if pushed else ""
        return f"   with the hook's status line, {preview.cost.units:,}{out}"
    if key != "2":
        return ""
    profile = preview.pack.profile
    age = f", {count(profile.age_days, 'day')} old" if profile.age_days else ""
    replaced = ", without what the hook took out" if profile.replaced else ""
    words = {"none": "   none yet", "generated": "   made from the memories", "live": "   made from the memories"}
    return words.get(profile.source, f"   the stored file{age}") + replaced
