"""Who wrote what in a message of Gemini CLI (`spec/formats.md` §4): most parts under role user are not typed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pipeline.formats.content import KEPT_OF_MODEL, clip, compact, mapping, string
from pipeline.formats.envelopes import Table
from pipeline.formats.session import Author
from pipeline.formats.source import Words, words_in

Said = tuple[str, Words]
"""What a part says, with what a reference to it adds to that of its message ("" when it is the message itself)."""

FILE = "file content"
SNAPSHOT = "state snapshot"
ACKNOWLEDGED = "acknowledgement of a summary"

_AFTER_SUMMARY = "Got it. Thanks for the additional context!"
_AFTER_CONTEXT = "Got it. Thanks for the context!"
_FILES = "--- Content from referenced files ---"
_RESOURCE = re.compile(r"\s*Content from @[^\n]+:\s*")
_SHOWN = 300
_TYPES = frozenset({"info", "warning", "error"})


def words(message: dict[str, Any], table: Table) -> Iterator[Said]:
    """The words of a message, or of an entry of a checkpoint: there `role` stands for `type`, `parts` for `content`."""
    kind = string(message.get("type")) or string(message.get("role"))
    content = _parts(message.get("content", message.get("parts")))
    if kind == "user":
        yield from _user(content, _parts(message.get("displayContent")), table)
    elif kind in {"gemini", "model"}:
        yield from _model(content, message.get("toolCalls"), acknowledged=acknowledges(message) != "")
    else:
        text = "\n".join(filter(None, map(_text, content)))
        yield "", Words(Author.INJECTED, text, kind if kind in _TYPES else clip(kind, 40) or "no type")


def acknowledges(message: dict[str, Any]) -> str:
    """What the message before this one is when this is the tool's own answer to it: "summary", "context" or ""."""
    kind = string(message.get("type")) or string(message.get("role"))
    if kind not in {"gemini", "model"} or message.get("model") or message.get("tokens"):
        return ""
    said = "".join(map(_text, _parts(message.get("content", message.get("parts"))))).strip()
    return {_AFTER_SUMMARY: "summary", _AFTER_CONTEXT: "context"}.get(said, "")


def _parts(content: Any) -> list[dict[str, Any]]:
    listed = content if isinstance(content, list) else [content]
    return [{"text": part} if isinstance(part, str) else part for part in listed if isinstance(part, str | dict)]


def _text(part: dict[str, Any]) -> str:
    """The text of a part that is nothing else than text."""
    return "" if part.get("thought") else string(part.get("text"))


def _user(content: list[dict[str, Any]], shown: list[dict[str, Any]], table: Table) -> Iterator[Said]:
    """`shown` is what the person typed where the tool put more into `content`."""
    typed = list(filter(None, map(_text, shown)))
    answers = any("functionResponse" in part for part in content)
    for part in content:
        if "functionResponse" in part:
            yield "", Words(Author.TOOL, _response(part), "tool_result")
    if typed:
        said = [words for text in typed for words in words_in(text, table)]
        yield from (("", words) for words in _command(said))
        yield from _added(content, "\n".join(typed), said, table)
    elif answers:
        texts = filter(None, map(_text, content))
        yield from (("", Words(Author.TOOL, text, "beside a tool result")) for text in texts)
    else:
        yield from _unshown(content, table)


def _added(content: list[dict[str, Any]], typed: str, said: list[Words], table: Table) -> Iterator[Said]:
    """The parts that the tool added: notes, texts of files that the person named, or what a command stands for."""
    command = any(words.author is Author.COMMAND for words in _command(said))
    author, reason = (Author.INJECTED, "prompt of a command") if command else (Author.DOCUMENT, FILE)
    for place, part in enumerate(content, start=1):
        text = _text(part)
        if not text.strip() or text.strip() in typed:
            continue
        notes = words_in(text, table)
        if any(words.author is Author.TYPED for words in notes):
            notes = [Words(author, text, reason)]
        yield from ((f" part {place}", words) for words in notes)


def _unshown(content: list[dict[str, Any]], table: Table) -> Iterator[Said]:
    """Without a text that was shown parts are typed, up to the mark of referenced files; the rest is theirs."""
    said: list[Said] = []
    files = False
    for place, part in enumerate(content, start=1):
        text = _text(part)
        files = files or (place > 1 and _RESOURCE.fullmatch(text) is not None)
        before, mark, rest = ("", "", text) if files else _cut(text)
        said.extend(("", words) for words in words_in(before, table))
        files = files or mark != ""
        if (mark + rest).strip():
            said.append((f" part {place}", Words(Author.DOCUMENT, mark + rest, FILE)))
    kept = iter(_command([words for suffix, words in said if not suffix]))
    yield from ((suffix, words if suffix else next(kept)) for suffix, words in said)


def _cut(text: str) -> tuple[str, str, str]:
    """A text at the line that begins the referenced files: before it, the mark, after it."""
    if text.lstrip().startswith(_FILES):
        return "", text, ""
    before, mark, rest = text.partition(f"\n{_FILES}")
    return before, mark, rest


def _command(said: list[Words]) -> list[Words]:
    """What was typed, as a command where it begins with the sign of one."""
    first = next((words.text for words in said if words.author is Author.TYPED), "")
    if not first.startswith(("/", "?")):
        return said
    return [
        replace(words, author=Author.COMMAND, reason="slash command") if words.author is Author.TYPED else words
        for words in said
    ]


def _model(content: list[dict[str, Any]], calls: Any, *, acknowledged: bool) -> Iterator[Said]:
    text = clip("\n".join(filter(None, map(_text, content))), KEPT_OF_MODEL)
    if text:
        summary = Words(Author.SUMMARY, text, ACKNOWLEDGED)
        yield "", summary if acknowledged else Words(Author.MODEL, text)
    for part in content:
        if "functionCall" in part:
            yield "", _call(mapping(part.get("functionCall")))
    for call in calls if isinstance(calls, list) else []:
        yield "", _call(mapping(call))
        for part in _parts(mapping(call).get("result")):
            yield "", Words(Author.TOOL, _response(part) or _text(part), "tool_result")


def _call(call: dict[str, Any]) -> Words:
    return Words(Author.TOOL, f"{string(call.get('name'))} {compact(call.get('args'), _SHOWN)}".strip(), "tool call")


def _response(part: dict[str, Any]) -> str:
    told = mapping(mapping(part.get("functionResponse")).get("response"))
    return string(told.get("output")) or string(told.get("error")) or (compact(told) if told else "")
