"""What the gateway of OpenClaw puts around the message of a person (`spec/formats.md` §14), and how it comes off.

The gateway writes the date, the sender, quoted messages and its own events into the text that it hands on, and it sends
prompts of its own under role user: of the scheduler, of other sessions, of its start.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from pipeline.formats.envelopes import DOUBTFUL, Table, pieces
from pipeline.formats.session import Author
from pipeline.formats.source import ROUNDS, Mark, Words, begun_by

SUBAGENT_MARKS = ("[Subagent Context]", "[Subagent Task]")
"""How the first prompt of a sub-agent's session begins."""

_STAMP = re.compile(r"\[[^\[\]\n]{0,160}?\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}[^\[\]\n]{0,60}\]\s*")
_QUEUED = "[Queued messages while agent was busy]"
_QUEUED_ITEM = re.compile(r"(?:^|\n)---[ \t]*\nQueued #\d+[^\n]*(?:\n|$)")
_CURRENT = "[Current message - respond to this]"
_FENCE = r"[^\n]*\n```json\n(?:.*?\n)??```[ \t]*(?:\n|$)"

_WHOLE: tuple[Mark, ...] = (
    ("[OpenClaw heartbeat poll]", Author.INJECTED, "heartbeat prompt"),
    ("[Inter-session message]", Author.INJECTED, "inter-session message"),
    ("[Internal task completion event]", Author.INJECTED, "task completion"),
    ("[System Message]", Author.INJECTED, "system event"),
    ("[cron:", Author.INJECTED, "prompt from the scheduler"),
    ("A new session was started via /new or /reset", Author.INJECTED, "start of a session"),
    ("Pre-compaction memory flush", Author.INJECTED, "memory flush"),
    ("OpenClaw runtime", Author.INJECTED, "runtime context"),
    ("[Forwarded from ", Author.DOCUMENT, "forwarded message"),
    *((mark, Author.OTHER_AGENT, "sub-agent prompt") for mark in SUBAGENT_MARKS),
)
"""Prompts that are not the person's from their first words to their end."""

_HEADS: tuple[tuple[re.Pattern[str], Author, str], ...] = tuple(
    (re.compile(pattern, re.DOTALL), author, reason)
    for pattern, author, reason in (
        (r"[^\n]{1,80}\(untrusted(?: metadata|, for context)\):" + _FENCE, Author.INJECTED, "sender note"),
        (r"[^\n]{1,80}⟦openclaw:ctx⟧" + _FENCE, Author.INJECTED, "sender note"),
        (r"[^\n]{1,80}⟦openclaw:ctx⟧[^\n]*(?:\n[^\n]+)*", Author.INJECTED, "sender note"),
        (r"Context:[ \t]*\n<active_memory_plugin>.*?</active_memory_plugin>", Author.INJECTED, "recalled memory"),
        (r"<active_memory_plugin>.*?</active_memory_plugin>", Author.INJECTED, "recalled memory"),
        (
            r"<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>.*?<<<END_OPENCLAW_INTERNAL_CONTEXT>>>",
            *(Author.INJECTED, "runtime context"),
        ),
        (
            r"System(?: \(untrusted\))?: \[[^\]\n]*\][^\n]*(?:\nSystem(?: \(untrusted\))?:[^\n]*)*",
            Author.INJECTED,
            "system event",
        ),
        (r"\[media attached[^\n]*\](?:\nTo send an image back,[^\n]*)?", Author.DOCUMENT, "attachment"),
        (r"\[message_id:[^\]\n]*\]", Author.INJECTED, "sender note"),
    )
)
_OPENS = re.compile(
    r"[^\n]{1,80}\(untrusted(?: metadata|, for context)\):|<<<BEGIN_OPENCLAW_INTERNAL|<active_memory_plug"
)

_LAST_LINE = re.compile(r"[ \t]*\[(?:message_id|from):[^\]\n]*\][ \t]*")
_QUOTES = (("[Replying to ", "[/Replying]"), ("[Quoting ", "[/Quoting]"))
_TO_THE_END = (
    "Untrusted context (metadata, do not treat as instructions or commands):",
    "Context: ⟦openclaw:ctx⟧",
)


def words_of(text: str, table: Table) -> Iterator[Words]:
    """A text of role user split by author, in its order; what is typed is what the person sent."""
    rest = text.strip()
    for message in _QUEUED_ITEM.split(rest)[1:] if rest.startswith(_QUEUED) else (rest,):
        yield from _message(message, table)


def _message(text: str, table: Table) -> Iterator[Words]:
    """One message: envelopes known everywhere, and those of the gateway, from its start as long as there are any."""
    rest = text
    for _ in range(ROUNDS):
        rest = _unstamped(rest)
        before = len(rest)
        if whole := _not_a_person(rest):
            yield whole
            return
        if head := _head(rest):
            yield head[0]
            rest = head[1]
            continue
        split = pieces(rest, table)
        inner = next((piece.text for piece in split if piece.author is Author.TYPED), "")
        if not inner or len(inner) == before:
            yield from (Words(piece.author, piece.text, piece.reason) for piece in split if not inner)
            if inner:
                yield from _typed(inner)
            return
        yield from (
            Words(piece.author, piece.text, piece.reason) for piece in split if piece.author is not Author.TYPED
        )
        rest = inner
    yield Words(Author.INJECTED, rest, f"{DOUBTFUL}: more than {ROUNDS} wrappings around it")


def _unstamped(text: str) -> str:
    """The text without the date in brackets that the gateway puts first, once for each hand that it went through."""
    at = len(text) - len(text.lstrip())
    while stamp := _STAMP.match(text, at):
        at = stamp.end()
    return text[at:].strip()


def _not_a_person(text: str) -> Words | None:
    if whole := begun_by(_WHOLE, text):
        return whole
    if text.startswith("Read HEARTBEAT.md") and "HEARTBEAT_OK" in text:
        return Words(Author.INJECTED, text, "heartbeat prompt")
    if "If nothing needs attention, reply HEARTBEAT_OK" in text:
        return Words(Author.INJECTED, text, "heartbeat prompt")
    return None


def _head(text: str) -> tuple[Words, str] | None:
    """What the gateway put before the message, and the rest; the messages of others in a group come before theirs."""
    if _CURRENT in text and text.startswith("[Chat messages since your last reply"):
        others, _, current = text.rpartition(_CURRENT)
        return Words(Author.DOCUMENT, others.strip(), "messages of others"), current
    for pattern, author, reason in _HEADS:
        if hit := pattern.match(text):
            return Words(author, hit[0].strip(), reason), text[hit.end() :]
    if _OPENS.match(text):
        return Words(Author.INJECTED, text, f"{DOUBTFUL}: a note of the gateway is not closed"), ""
    return None


def _typed(text: str) -> Iterator[Words]:
    """The message itself without what the gateway put behind it."""
    behind: list[Words] = []
    for _ in range(ROUNDS):
        begin, author, reason = _tail(text)
        if begin == len(text):
            break
        behind.insert(0, Words(author, text[begin:].strip(), reason))
        text = text[:begin].rstrip()
    if text.strip():
        yield Words(Author.TYPED, text.strip())
    yield from behind


def _tail(text: str) -> tuple[int, Author, str]:
    """Where the last thing that the gateway put behind a message begins, and what it is; the end for none."""
    begins = [at for mark in _TO_THE_END if (at := _line_with(text, mark, text.find)) >= 0]
    if begins:
        return min(begins), Author.INJECTED, "sender note"
    for opens, closes in _QUOTES:
        if text.endswith(closes) and (at := _line_with(text, opens, text.rfind)) >= 0:
            return at, Author.DOCUMENT, "quoted message"
    last = text.rfind("\n") + 1
    return (last if _LAST_LINE.fullmatch(text, last) else len(text)), Author.INJECTED, "sender note"


def _line_with(text: str, mark: str, find: Callable[[str], int]) -> int:
    """Where a line begins with the mark, -1 when none does."""
    at = find(f"\n{mark}")
    return at + 1 if at >= 0 else 0 if text.startswith(mark) else -1
