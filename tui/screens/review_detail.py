"""What is shown of one proposal: what it says, the words it rests on, what it resembles and what it would change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from textual.content import Content

from pipeline.formats.session import Author, Turn
from pipeline.review.from_audit import FORMAT as AUDITED
from pipeline.review.inspection import Inspection
from pipeline.review.setting import KIND as SUGGESTION
from pipeline.review.source import Excerpt
from pipeline.review.waiting import Waiting
from store import clock
from store.access import path_owner
from store.memory import Memory, Quote
from store.view import View
from tui.dates import moment, said
from tui.screens.review_change import changes
from tui.screens.review_known import found, why
from tui.text import content, count, line, literal, one_line, preview
from tui.widgets.diff import row_diff
from tui.widgets.quote import bare, quote

MUTED = "$text-muted"
HEAD = "bold $text-primary"
TYPES = {"FACT": "$text-primary", "PREF": "$text-secondary", "BOUND": "$text-accent", "COMMIT": "$text-success"}
LONGEST = 4_000
"""Characters of a statement that are shown; a longer one is read in the form."""
QUOTES = 6
"""Quotes shown; a proposal that rests on more says how many."""
AROUND = 260
"""Characters shown before and after the words in their own turn, where there is room."""
NEAR = 150
"""Characters shown of the turns before and after."""
VERDICTS = {"good": ("+", "$text-success"), "bad": ("!", "bold $text-error"), "unknown": ("?", "$text-warning")}
AUTHORS: Mapping[Author, tuple[str, str]] = {
    Author.TYPED: ("you", "bold $text-primary"),
    Author.CHOSEN: ("you", "bold $text-primary"),
    Author.MODEL: ("agent", MUTED),
    Author.TOOL: ("tool", "$text-secondary"),
    Author.COMMAND: ("command", "$text-secondary"),
    Author.INJECTED: ("injected", "$text-warning"),
    Author.DOCUMENT: ("document", "$text-secondary"),
    Author.OTHER_AGENT: ("other agent", "$text-warning"),
    Author.SUMMARY: ("summary", "$text-warning"),
}
"""What the authors of turns are called, and their colour."""
ASKS = {
    "remember": "to remember",
    "edit": "to edit",
    "forget": "to forget",
    "restore": "to put back",
    "archive": "to archive",
    "change": "several changes",
}


@dataclass(frozen=True, slots=True)
class Sheet:
    """One proposal to show in `cells` columns; `inspection` is None until it was looked into.

    `wide` shows the turns around the words, `roomy` has empty lines.
    """

    item: Waiting
    view: View
    inspection: Inspection | None
    cells: int
    wide: bool = False
    roomy: bool = False


def show(sheet: Sheet) -> Content:
    """The whole proposal as one text."""
    sections = [_proposed(sheet), _why(sheet), _evidence(sheet), _reworded(sheet), _resembles(sheet)]
    sections += [_change(sheet), _checked(sheet), _found(sheet)]
    shown: list[Content] = []
    for section in sections:
        if section:
            shown += [*([Content("")] if shown else []), *section]
    return Content("\n").join(shown)


def title(item: Waiting) -> str:
    """The subject in a few words, for sentences."""
    text = one_line(str(item.fields.get("subject", "")) or item.statement, 60)
    return text.rstrip(".:;,") or item.id


def _proposed(sheet: Sheet) -> list[Content]:
    item, fields = sheet.item, sheet.item.fields
    type, label = one_line(str(fields.get("type", "")), 20), one_line(str(fields.get("label", "")), 40)
    parts: list[tuple[str, str]] = [("PROPOSED", HEAD)]
    if item.kind in ASKS:
        parts.append((f" {ASKS[item.kind]} by {one_line(item.by, 40) or 'nobody'}", HEAD))
    parts += [("   ", ""), (type, f"bold {TYPES.get(type, '')}".strip())]
    parts += [("   ", ""), (one_line(str(fields.get("subject", "")), 200), "bold")]
    parts += [(f"   {words}", MUTED) for words in (label, *_reach(item), *_weight(item)) if words]
    text, left = preview(item.statement, LONGEST)
    said = [content(text), *([content(f"{left:,} more characters", MUTED)] if left else [])]
    gap = [Content("")] if sheet.roomy else []
    return [*_block(line(*parts), sheet.cells, 0, 11), *gap, *_blocks(said, sheet.cells, 2)]


def _reach(item: Waiting) -> list[str]:
    """Who would read it, and of which project it is."""
    fields = item.fields
    owner, project = one_line(str(fields.get("owner") or ""), 60), one_line(str(fields.get("project") or ""), 60)
    if item.kind == SUGGESTION:
        reads = "a setting file"
    elif fields.get("type") == "FACT":
        reads = "public"
    else:
        reads = f"private to {owner}" if owner else "private, owner to be chosen"
    return [reads, f"project {project}" if project else ""]


def _weight(item: Waiting) -> list[str]:
    """How often it was seen and how sure an extractor was: only what is known."""
    words = []
    if item.need:
        words.append(f"{item.have} of {item.need} sessions" if item.folded else count(max(1, item.have), "session"))
    if item.confidence is not None:
        words.append(f"confidence {item.confidence:.2f}")
    return words


def _why(sheet: Sheet) -> list[Content]:
    rows = why(sheet.view, sheet.item)
    return [row for head, words in rows for row in _block(line((f"{head:<11}", HEAD), words), sheet.cells, 0, 11)]


# --- the words that it rests on


def _evidence(sheet: Sheet) -> list[Content]:
    quotes = tuple(dict.fromkeys(sheet.item.quotes))
    if not quotes:
        return []
    inspection = sheet.inspection
    found = inspection.excerpts if inspection is not None else {}
    first, rest = quotes[0], quotes[1:QUOTES]
    head = _block(line(("EVIDENCE   ", HEAD), (_place(first, found.get(first)), MUTED)), sheet.cells, 0, 11)
    rows = [*head, *([Content("")] if sheet.roomy else []), *_quoted(sheet, first, found.get(first))]
    if rest and sheet.roomy:
        rows.append(Content(""))
    for one in rest:
        excerpt = found.get(one)
        words = _match(excerpt, 40) if excerpt is not None else bare(one.text)
        also = Content.assemble(("also ", MUTED), (literal(_place(one, excerpt)), MUTED), "   ", words)
        rows += _block(also, sheet.cells, 2, 4)
    if len(quotes) > QUOTES:
        rows += _block(content(f"and {len(quotes) - QUOTES:,} more", MUTED), sheet.cells, 2)
    return rows


def session_words(quote: Quote) -> str:
    """`session 6c0d9a41, 21 Nov`; `line 3 of /home/ana/notes.md` for a text that was audited."""
    if quote.format == AUDITED:
        return f"{one_line(quote.ref, 40)} of {one_line(quote.session, 400)}, author not known"
    return ", ".join([f"session {one_line(quote.session, 80)[:8]}", *([_moment(quote.at)] if quote.at else [])])


def _place(quote: Quote, excerpt: Excerpt | None) -> str:
    """`session 6c0d9a41, event 3, typed by you, 21 Nov`."""
    if excerpt is None:
        return session_words(quote)
    how = "chosen by you" if excerpt.turn.author is Author.CHOSEN else "typed by you"
    at = quote.at if quote.at is not None else excerpt.turn.at
    session, *_ = session_words(quote).partition(",")
    return ", ".join([session, f"event {excerpt.turn.seq:,}", how, *([_moment(at)] if at else [])])


def _quoted(sheet: Sheet, quote: Quote, excerpt: Excerpt | None) -> list[Content]:
    """The words in their turn; in the wide layout between the turns before and after."""
    asked = one_line(quote.question or (excerpt.turn.question if excerpt else ""), 600)
    question = _block(line(("asked: ", MUTED), (asked, MUTED)), sheet.cells, 2, 4) if asked else []
    if excerpt is None:
        return [*question, *_block(bare(quote.text), sheet.cells, 2)]
    match = _match(excerpt, AROUND if sheet.wide else 90)
    if not sheet.wide:
        return [*question, *_block(match, sheet.cells, 2)]
    rows = [*_near(sheet, excerpt.before, tail=True), *question]
    rows += _turn(sheet, excerpt.turn, match)
    return rows + _near(sheet, excerpt.after, tail=False)


def _match(excerpt: Excerpt, around: int) -> Content:
    return quote(excerpt.turn.text, excerpt.start, excerpt.end, around)


def _near(sheet: Sheet, turn: Turn | None, *, tail: bool) -> list[Content]:
    if turn is None:
        return []
    text = one_line(turn.text, 10_000)
    if len(text) > NEAR:
        text = f"... {text[-NEAR:]}" if tail else f"{text[:NEAR]} ..."
    return _turn(sheet, turn, content(text, MUTED))


def _turn(sheet: Sheet, turn: Turn, words: Content) -> list[Content]:
    name, style = AUTHORS[turn.author]
    lead = Content.assemble((f"{turn.seq:>5}  ", MUTED), (f"{name:<7}", style))
    return _block(Content.assemble(lead, words), sheet.cells, 0, 14)


def _reworded(sheet: Sheet) -> list[Content]:
    """The statement against the words that it rests on, where it says them otherwise and there is room."""
    quotes, said = sheet.item.quotes, one_line(sheet.item.statement, LONGEST)
    if not quotes or not sheet.roomy or sheet.item.table != "gaps":
        return []
    words = one_line(quotes[0].text, LONGEST)
    if words.strip(" .。").casefold() == said.strip(" .。").casefold():
        return []
    rows = row_diff([words], [said]).split("\n")
    return [line(("AGAINST YOUR WORDS", HEAD)), Content(""), *_blocks(rows, sheet.cells, 2, 4)]


# --- what it is like, what it would do, what was checked


def _resembles(sheet: Sheet) -> list[Content]:
    near = sheet.inspection.resembles if sheet.inspection is not None else ()
    rows: list[Content] = []
    for at, one in enumerate(near):
        head = (f"{'RESEMBLES' if at == 0 else '':<11}", HEAD)
        memory = sheet.view.memories.get(one.id) if one.table == "memories" else None
        where = _dated(memory) if memory is not None else "waits too"
        text = line(head, (f"{one.similarity:.0%}  ", "bold"), one_line(one.text, 200), (f"   {where}", MUTED))
        rows += _block(text, sheet.cells, 0, 11)
    return rows


def _dated(memory: Memory) -> str:
    name = memory.name.removesuffix(".md")
    owner = path_owner(memory.path) or memory.owner
    reads = f"private to {one_line(owner, 40)}" if memory.scope == "private" and owner else ""
    ago = said(memory.observed)
    return ", ".join(word for word in (name, reads, f"said {ago}" if ago else "") if word)


def _change(sheet: Sheet) -> list[Content]:
    item, inspection = sheet.item, sheet.inspection
    if item.state in ("rejected", "archived"):
        return []
    if inspection is not None and inspection.refusal:
        told = line((f"{'CANNOT BE':<11}", "bold $text-error"), inspection.refusal)
        return _block(told, sheet.cells, 0, 11)
    plan = inspection.plan.changes if inspection is not None and inspection.plan is not None else item.changes
    rows = changes(sheet.view, item, plan)
    gap = [Content("")] if sheet.roomy else []
    return [line(("WOULD CHANGE", HEAD)), *gap, *_blocks(rows, sheet.cells, 2, 4)]


def _checked(sheet: Sheet) -> list[Content]:
    checks = sheet.inspection.checks if sheet.inspection is not None else ()
    if not checks:
        return []
    rows = []
    for check in checks:
        sign, style = VERDICTS[check.verdict]
        rows += _block(line((sign, style), f" {check.words}"), sheet.cells, 2, 4)
    gap = [Content("")] if sheet.roomy else []
    return [line(("CHECKED BY PROGRAM", HEAD)), *gap, *rows]


def _found(sheet: Sheet) -> list[Content]:
    rows = found(sheet.item)
    return [
        row
        for at, words in enumerate(rows)
        for row in _block(line((f"{'' if at else 'FOUND':<11}", HEAD), (words, MUTED)), sheet.cells, 0, 11)
    ]


# --- lines


def _block(text: Content, cells: int, indent: int, hang: int | None = None) -> list[Content]:
    """A text wrapped to `cells`, its first line indented by `indent`, the others by `hang`."""
    hang = indent if hang is None else hang
    room = max(8, cells - max(indent, hang))
    first = text.wrap(max(8, cells - indent))
    if len(first) <= 1 or hang == indent:
        return [Content.assemble(" " * indent, part) for part in first]
    head = first[0]
    rest = text[len(head.plain) :]
    while rest.plain[:1] in (" ", "\n") and rest.plain:
        rest = rest[1:]
    return [Content.assemble(" " * indent, head), *(Content.assemble(" " * hang, part) for part in rest.wrap(room))]


def _blocks(texts: Sequence[Content], cells: int, indent: int, hang: int | None = None) -> list[Content]:
    return [row for text in texts for row in _block(text, cells, indent, hang)]


def _when(at: int) -> str:
    return datetime.fromtimestamp(at / 1000, tz=clock.now().tzinfo).isoformat()


def _moment(at: int) -> str:
    return moment(_when(at))
