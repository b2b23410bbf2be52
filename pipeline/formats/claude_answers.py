"""The words of a person inside tool results of Claude Code: refusals with a reason, answers to questions.

`spec/formats.md` §2.1, rule 4. Everything else in a tool result is the tool's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from pipeline.formats.content import clip, compact, mapping, string, text_of
from pipeline.formats.envelopes import DOUBTFUL, Table, pieces
from pipeline.formats.session import Author
from pipeline.formats.source import Words

QUESTION_TOOL = "AskUserQuestion"
REFUSAL = "The user doesn't want to proceed with this tool use."
ANSWERED = "User has answered your question"
_MARKS = ("the user said:\n", "The user provided the following reason for the rejection:")
_SHOWN = 300
_NAME = 100
_QUESTIONS = 16_000
"""Characters of the questions of one call that are kept until its answer comes."""
_REMINDER = re.compile(r"<(?P<close>/?)system-reminder(?:\s[^<>]*)?>", re.IGNORECASE)
_PAIR = re.compile(r'"((?:[^"\\]|\\.)*)"\s*=\s*"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call that waits for its result: the tool, how it is shown, and the questions when it asks some."""

    name: str
    shown: str
    questions: tuple[str, ...] = ()


def call_of(block: dict[str, Any]) -> Call:
    """The call of a `tool_use` block."""
    name, given = clip(string(block.get("name")), _NAME), mapping(block.get("input"))
    asked = _questions(given.get("questions")) if name == QUESTION_TOOL else ()
    kept = asked if sum(map(len, asked)) <= _QUESTIONS else ()
    return Call(name, f"{name} {compact(given, _SHOWN)}".strip(), kept)


def words_of(block: dict[str, Any], call: Call | None, outcome: Any, denial: Any, table: Table) -> list[Words]:
    """What a `tool_result` block says, by author.

    `call` is the call that it answers, None when the file does not hold it; `outcome` is the record's `toolUseResult`
    when it is about this block alone; `denial` its `toolDenialKind`. The person's words come as `chosen`, with what
    they reply to; without any the whole block is the tool's.
    """
    text = text_of(block.get("content"))
    if block.get("is_error") is True:
        found = _refusal(text, call, outcome, denial, table)
    else:
        found = _answers(text, call, outcome)
    return found or [Words(Author.TOOL, text, "tool_result")]


def _refusal(text: str, call: Call | None, outcome: Any, denial: Any, table: Table) -> list[Words]:
    """The reason that a person typed when refusing; nothing when the harness says that somebody else refused."""
    if not text.lstrip().startswith(REFUSAL) or denial not in {None, "user-rejected"}:
        return []
    if outcome is not None and not isinstance(outcome, str):
        return []
    reason = next((text.split(mark, 1)[1] for mark in _MARKS if mark in text), "")
    reason = _without_reminders(reason)
    if _REMINDER.search(reason):
        return [Words(Author.INJECTED, reason, f"{DOUBTFUL}: a reminder in it is not closed")]
    question = f"(refused) {call.shown}" if call else "(refused a tool call)"
    return [
        Words(Author.CHOSEN, part.text, question=question)
        if part.author is Author.TYPED
        else Words(part.author, part.text, part.reason)
        for part in pieces(reason, table)
    ]


def _without_reminders(text: str) -> str:
    """The text without the reminders that a tool result may hold anywhere; unchanged where they do not pair up."""
    kept: list[str] = []
    depth, end = 0, 0
    for hit in _REMINDER.finditer(text):
        if depth == 0 and not hit["close"]:
            kept.append(text[end : hit.start()])
        depth += -1 if hit["close"] else 1
        if depth < 0:
            return text
        end = hit.end() if depth == 0 else end
    return "\n".join([*kept, text[end:]]) if depth == 0 else text


def _answers(text: str, call: Call | None, outcome: Any) -> list[Words]:
    if call is not None and call.name != QUESTION_TOOL:
        return []
    said = mapping(mapping(outcome).get("answers"))
    if call is None:
        asked = _questions(mapping(outcome).get("questions"))
        if not said or not set(said) <= set(asked):
            return []
    if not said and text.lstrip().startswith(ANSWERED):
        said = _pairs(text, call.questions if call else ())
    found = ((question, _answer(value)) for question, value in said.items())
    return [Words(Author.CHOSEN, answer, question=clip(question)) for question, answer in found if answer]


def _answer(value: Any) -> str:
    parts = value if isinstance(value, list) else [value]
    return ", ".join(part.strip() for part in parts if isinstance(part, str) and part.strip())


def _pairs(text: str, questions: tuple[str, ...]) -> dict[str, str]:
    """The quoted question and answer pairs of the result's text, limited to what was asked where that is known."""
    found: dict[str, str] = dict(_PAIR.findall(text))
    return {question: answer for question, answer in found.items() if not questions or question in questions}


def _questions(value: Any) -> tuple[str, ...]:
    listed = value if isinstance(value, list) else []
    return tuple(text for item in listed if (text := string(mapping(item).get("question"))))
