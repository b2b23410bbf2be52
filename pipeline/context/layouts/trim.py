"""Which messages of a chat stay when it is too long (`spec/memora.md` §16.2): the newest, and what weighs most.

A call of a tool and its results stay or go together, for a model refuses one without the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pipeline.context.layouts.chat import Message, Summarise
from store.errors import MemdeskError

T = TypeVar("T")
MAX_TOKENS = 120_000
BUFFER_TENTHS = 9
"""Tenths of the limit that a trimmed chat may take: estimates are no counts."""
LEAST_MESSAGES = 3
"""So many messages are never trimmed, nor fewer."""
WEIGHTS = {"user": 3, "tool": 2}
SUMMARISED, EXCERPT = 6, 200
"""Messages that a summary is made of, and the characters of each."""


@dataclass(frozen=True, slots=True)
class Trim:
    """What stays of a chat: indices of its messages. `enough` says for messages that go (or were only picked) with
    which limit they would stay in their place."""

    tail: tuple[int, ...]
    picked: tuple[int, ...] = ()
    gone: tuple[int, ...] = ()
    enough: dict[int, int] = field(default_factory=dict)

    @property
    def trimmed(self) -> bool:
        """Whether anything left its place."""
        return bool(self.picked or self.gone)


def plan(messages: Sequence[Message], max_tokens: int = MAX_TOKENS) -> Trim:
    """What stays within `max_tokens`. The first message, when it is a system message, stays and is not named.

    Nothing is trimmed of a chat that fits, has at most three messages, does not begin with a system message, or whose
    system message alone reaches the limit.
    """
    sizes = [message.tokens for message in messages]
    total = sum(sizes)
    first = messages[0] if messages else None
    hopeless = first is None or first.role != "system" or sizes[0] >= max_tokens
    if total <= max_tokens or len(messages) <= LEAST_MESSAGES or hopeless:
        return Trim(tuple(range(1, len(messages))))
    room = max_tokens * BUFFER_TENTHS // 10 - sizes[0]
    groups = _groups(messages)
    size = [sum(sizes[at] for at in group) for group in groups]
    kept, left = _newest(size, room)
    dropped = groups[: len(groups) - kept]
    picked = _heaviest(messages, sizes, dropped, left)
    gone = [at for group in dropped for at in group if at not in picked]
    return Trim(
        tail=_flat(groups[len(groups) - kept :]),
        picked=tuple(sorted(picked)),
        gone=tuple(sorted(gone)),
        enough=_enough(dropped, groups, size, sizes[0], total),
    )


def _flat(groups: Sequence[Sequence[int]]) -> tuple[int, ...]:
    return tuple(sorted(at for group in groups for at in group))


def _groups(messages: Sequence[Message]) -> list[tuple[int, ...]]:
    """The messages after the first, those of a tool call together, in the order of their last message."""
    home: dict[int, list[int]] = {}
    callers: dict[str, int] = {}
    last_caller: int | None = None
    for at, message in enumerate(messages[1:], 1):
        caller = callers.get(message.answers, last_caller) if message.role == "tool" else None
        if caller is None:
            home[at] = [at]
        else:
            home[caller].append(at)
        if message.role != "tool":
            last_caller = at if message.arguments else None
        callers |= dict.fromkeys((call for call in message.calls if call), at)
    return sorted((tuple(group) for group in home.values()), key=lambda group: group[-1])


def _newest(size: Sequence[int], room: int) -> tuple[int, int]:
    """How many groups from the end fit one after the other, and the room that is left."""
    kept = 0
    for needed in reversed(size):
        if needed > room:
            break
        room -= needed
        kept += 1
    return kept, room


def _heaviest(
    messages: Sequence[Message], sizes: Sequence[int], dropped: Sequence[tuple[int, ...]], room: int
) -> frozenset[int]:
    """Of what was dropped, the heaviest and longest groups, up to the first that does not fit."""

    def worth(group: tuple[int, ...]) -> tuple[int, int]:
        weight = max(WEIGHTS.get(messages[at].role, 1) for at in group)
        return -weight, -sum(len(messages[at].content) + len(messages[at].arguments) for at in group)

    picked: list[int] = []
    for group in sorted(dropped, key=worth):
        room -= sum(sizes[at] for at in group)
        if room < 0:
            break
        picked += group
    return frozenset(picked)


def _enough(
    dropped: Sequence[tuple[int, ...]], groups: Sequence[tuple[int, ...]], size: Sequence[int], system: int, total: int
) -> dict[int, int]:
    """For every dropped message the smallest limit with which the walk from the newest reaches it."""
    found: dict[int, int] = {}
    needed = system + sum(size[len(dropped) :])
    for number in range(len(dropped) - 1, -1, -1):
        needed += size[number]
        found |= dict.fromkeys(groups[number], min(total, -(-needed * 10 // BUFFER_TENTHS)))
    return found


def placeholder(plan: Trim) -> Message:
    """What stands where messages were taken away."""
    trimmed = len(plan.picked) + len(plan.gone)
    return Message("system", f"（较早的 {trimmed} 条消息已省略，保留最近 {len(plan.tail)} 条）")


def excerpts(messages: Sequence[Message], plan: Trim) -> tuple[Message, ...]:
    """What a summary is made of: of the messages that go, the last six of user and assistant, each cut to 200."""
    said = [messages[at] for at in plan.gone if messages[at].role in {"user", "assistant"} and messages[at].content]
    return tuple(Message(message.role, message.content[:EXCERPT]) for message in said[-SUMMARISED:])


def summary(messages: Sequence[Message], plan: Trim, summarise: Summarise | None) -> Message | None:
    """The summary of what goes; None when nobody makes one, or it failed."""
    said = excerpts(messages, plan)
    if summarise is None or not said:
        return None
    try:
        text = summarise(said).strip()
    except MemdeskError:
        return None
    return Message("system", f"【较早对话摘要】{text}") if text else None


def put_together(items: Sequence[T], plan: Trim, told: T | None, gap: T) -> list[T]:
    """What stays of `items`, in order: system, `told` of what goes, what was picked of it, the `gap`, the newest."""
    picked, tail = ([items[at] for at in part] for part in (plan.picked, plan.tail))
    return [items[0], *([told] if told else []), *picked, gap, *tail]
