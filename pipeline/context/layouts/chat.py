"""A chat as a model gets it: messages, calls of tools and their results, what a turn adds (`spec/memora.md` §16)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pipeline.context.layouts.tokens import SCALE, thirds
from store.errors import BadInput

Role = Literal["system", "user", "assistant", "tool"]
ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
"""What a role of an OpenAI-style list is here."""


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `calls` are the ids of the tools that it calls, `arguments` their JSON text; `answers` is the id of
    the call that a tool's message answers."""

    role: Role
    content: str
    calls: tuple[str, ...] = ()
    arguments: str = ""
    answers: str = ""

    @property
    def tokens(self) -> int:
        """The estimate of its size; the JSON of tool calls counts."""
        return -(-(thirds(self.content) + thirds(self.arguments)) // SCALE)


Summarise = Callable[[Sequence[Message]], str]
"""Makes a summary of messages that are left out; raises `MemdeskError` or gives "" when there is none."""


@dataclass(frozen=True, slots=True)
class Chat:
    """What a turn brings along besides the bank: the persona asked for by name ("" for the first), a text on the mood,
    the names of the tools, and the conversation so far, oldest first."""

    persona: str = ""
    affect: str = ""
    tools: tuple[str, ...] = ()
    conversation: tuple[Message, ...] = ()
    summarise: Summarise | None = None


def messages(items: Iterable[object]) -> tuple[Message, ...]:
    """An OpenAI-style list of messages; parts of a content are joined, what is no text is left out.

    Raises `BadInput` for what is no message.
    """
    return tuple(_message(item, at) for at, item in enumerate(items, 1))


def _message(item: object, at: int) -> Message:
    role = item.get("role") if isinstance(item, Mapping) else None
    if not isinstance(item, Mapping) or not isinstance(role, str) or role not in ROLES:
        known = ", ".join(ROLES)
        raise BadInput(f"Message {at} of the conversation has no role that is known ({known}); correct it there.")
    calls = [call for call in _list(item.get("tool_calls")) if isinstance(call, Mapping)]
    if isinstance(item.get("function_call"), Mapping):
        calls.append(item["function_call"])
    return Message(
        ROLES[role],
        _text(item.get("content")),
        tuple(str(call.get("id", "")) for call in calls),
        json.dumps(calls, ensure_ascii=False) if calls else "",
        str(item.get("tool_call_id") or ""),
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    texts = (part.get("text") for part in _list(content) if isinstance(part, Mapping))
    return "\n".join(text for text in texts if isinstance(text, str))


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def conversation_of(text: str) -> tuple[Message, ...]:
    """The conversation in a JSON document: a list of messages, or an object that holds one as `messages`; or one
    message a line.

    Raises `BadInput` for anything else.
    """
    found = _json(text)
    if found is None:
        found = [_json(line) for line in text.splitlines() if line.strip()]
    elif isinstance(found, dict) and "role" not in found:
        found = found.get("messages")
    found = [found] if isinstance(found, dict) else found
    if not isinstance(found, list) or not found or None in found:
        raise BadInput("The conversation is no JSON list of messages; each needs a role and a content.")
    return messages(found)


def _json(text: str) -> Any:
    """The document, None for what is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
