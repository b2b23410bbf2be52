"""What Hermes writes under role user, and the person's words in it (`spec/formats.md` §14).

A skill, a compaction and an attachment are put around a message in the same text, each with marks of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.formats.envelopes import DOUBTFUL, Table, pieces
from pipeline.formats.session import Author
from pipeline.formats.source import ROUNDS, Mark, Words, begun_by

_SKILL = re.compile(r"\[(?:SYSTEM|IMPORTANT): The user has invoked the ")
_BUNDLE = " skill bundle,"
_BUNDLED, _BUNDLE_BODY = "\nUser instruction:", "\n\n[Loaded as part of the "
_ALONGSIDE = "The user has provided the following instruction alongside the skill invocation:"
_RUNTIME_NOTE = "\n\n[Runtime note:"
_AUTO_SKILL = re.compile(r'\[(?:SYSTEM|IMPORTANT): The "[^"\n]*" skill is auto-loaded')
_AUTO_SKILL_END = "then run them with the terminal tool using the absolute path."

_SUMMARY = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]:", "[Prior context followed by a compression summary]")
_SUMMARY_END = "--- END OF CONTEXT SUMMARY"
_PRIOR, _PRIOR_END = "[PRIOR CONTEXT", "[END OF PRIOR CONTEXT"
_RESTATED = ("[Your active task list was preserved across context compression]", "[STILL IN PROGRESS")

_SPOKEN = re.compile(r'\[The user sent a voice message~ Here\'s what they said: "(.*?)"\]', re.DOTALL)
_SEEN = re.compile(r"\[The user sent an image~.*~\]", re.DOTALL)
_QUOTED = re.compile(r'\[Replying to: ".*?"\](?=\s*\n|\s*$)', re.DOTALL)
_NOTE = "[System note:"
_BRACKET = re.compile(r"[\[\]]")
_WHOLE: tuple[Mark, ...] = (
    ("[SYSTEM:", Author.INJECTED, "note of the system"),
    ("[IMPORTANT:", Author.INJECTED, "note of the system"),
    (_NOTE, Author.INJECTED, "note of the system"),
    ("[Content of ", Author.DOCUMENT, "attachment"),
    ("[The user sent ", Author.DOCUMENT, "attachment"),
    ("[Replying to: ", Author.DOCUMENT, "quoted message"),
    ("[ASYNC DELEGATION", Author.OTHER_AGENT, "report of another agent"),
    ("Review the conversation above and update the skill library", Author.INJECTED, "review prompt"),
    ("Review the conversation above and consider saving to memory", Author.INJECTED, "review prompt"),
    *((mark, Author.SUMMARY, "compaction") for mark in _RESTATED),
)
"""What is not the person's from its first words to its end."""


def is_summary(text: str) -> bool:
    """Whether a text, under whatever role, is or holds the summary of a compaction."""
    start = text.lstrip()[: len(max(_SUMMARY, key=len))]
    return start.startswith(_SUMMARY) or (_PRIOR_END in text and start.startswith(_PRIOR))


def words_of(text: str, table: Table) -> Iterator[Words]:
    """A text of role user split by author, in its order."""
    rest = text.strip()
    for _ in range(ROUNDS):
        before = len(rest)
        found, rest = _wrapped(rest)
        yield from found
        if found and rest:
            continue
        if not rest:
            return
        split = pieces(rest, table)
        inner = next((piece.text for piece in split if piece.author is Author.TYPED), "")
        for piece in split:
            if piece.author is not Author.TYPED or len(inner) == before:
                yield Words(piece.author, piece.text, piece.reason)
        if not inner or len(inner) == before:
            return
        rest = inner
    yield Words(Author.INJECTED, rest, f"{DOUBTFUL}: more than {ROUNDS} wrappings around it")


def _wrapped(text: str) -> tuple[list[Words], str]:
    """What Hermes put around the text, if anything, and what is left of it to look at again."""
    if is_summary(text):
        return _compacted(text)
    if _SKILL.match(text):
        return _skill(text)
    if _AUTO_SKILL.match(text):
        body, end, rest = text.rpartition(_AUTO_SKILL_END)
        return [Words(Author.INJECTED, body or rest, "skill")], rest.strip() if end else ""
    if spoken := _SPOKEN.match(text):
        return [Words(Author.TYPED, spoken[1].strip())], text[spoken.end() :].strip()
    for pattern, author, reason in (
        (_SEEN, Author.DOCUMENT, "attachment"),
        (_QUOTED, Author.DOCUMENT, "quoted message"),
    ):
        if hit := pattern.match(text):
            return [Words(author, hit[0], reason)], text[hit.end() :].strip()
    if text.startswith(_NOTE) and (closed := _closed(text)):
        return [Words(Author.INJECTED, text[:closed], "note of the system")], text[closed:].strip()
    whole = begun_by(_WHOLE, text)
    return ([whole], "") if whole else ([], text)


def _closed(text: str) -> int:
    """Where the bracket that opens the text is closed at the end of a line, 0 when it is not."""
    depth = 0
    for hit in _BRACKET.finditer(text):
        depth += 1 if hit[0] == "[" else -1
        if depth == 0:
            return hit.end() if text[hit.end() : hit.end() + 1] in {"", "\n"} else 0
    return 0


def _skill(text: str) -> tuple[list[Words], str]:
    """A skill that the person invoked: what they wrote alongside stands behind the body, of several before it."""
    if _BUNDLE in text.partition("\n")[0]:
        body, mark, rest = text.partition(_BUNDLED)
        typed, _, skills = rest.partition(_BUNDLE_BODY)
        return [Words(Author.INJECTED, body + skills, "skill")], typed.strip() if mark else ""
    body, mark, rest = text.rpartition(_ALONGSIDE)
    return [Words(Author.INJECTED, body or rest, "skill")], rest.partition(_RUNTIME_NOTE)[0].strip() if mark else ""


def _compacted(text: str) -> tuple[list[Words], str]:
    """A summary: a message may stand behind its closing line, or before it as the context that it was merged into."""
    if text.startswith(_PRIOR):
        prior, _, summary = text.partition(_PRIOR_END)
        return [Words(Author.SUMMARY, summary, "compaction")], prior.partition("]")[2].strip()
    summary, mark, rest = text.rpartition(_SUMMARY_END)
    behind = rest.partition("---")[2].strip() if mark else ""
    return [Words(Author.SUMMARY, summary or rest, "compaction")], behind
