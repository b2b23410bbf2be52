"""Random banks, requests and answers of hook and paging for the properties of the pack."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from pipeline.context.layouts.chat import Chat, Message, Summarise
from pipeline.context.layouts.trim import MAX_TOKENS, placeholder, plan, put_together, summary
from pipeline.context.provider.configuration import Configuration, Provider
from pipeline.context.provider.hook import HookResult, question
from pipeline.context.provider.paged import PagingResult, apply_paging
from pipeline.context.request import LAYOUTS, Request
from pipeline.context.standing import is_protected, stand
from store.joined import joined
from store.memory import SELF_PROFILE_SUBJECT, Memory
from store.setting_file import SettingFile, read_setting
from store.view import View

NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
OWNERS = ("nova", "rhea")
DAYS = ("2026-11-30", "2026-11-29", "2026-11-29T08:00:00Z", "2026-05-01", "2025-12-31", "2024-02-29", "", "soon")
WORDS = (
    "redis",
    "cache",
    "deploy window",
    "周期摘要",
    "茶",
    "😀",
    "```",
    "[bold]",
    "line\nbreak",
    SELF_PROFILE_SUBJECT,
)
FIELDS = 12
"""Fields of a memory that are picked at random."""
FOLDERS = {"FACT": "facts", "PREF": "prefs", "BOUND": "bounds", "COMMIT": "commits"}


@st.composite
def memories(draw: st.DrawFn, most: int = 14) -> list[Memory]:
    """Memories of all types, public and private, summaries and projects among them."""
    size = draw(st.integers(0, most))
    return [_memory(draw, at) for at in range(size)]


def _memory(draw: st.DrawFn, at: int) -> Memory:
    """One memory out of one draw of bytes, each of which picks a field: a draw for each would be most of the time."""
    dice = iter(draw(st.binary(min_size=FIELDS, max_size=FIELDS)))

    def pick(options: Sequence[Any]) -> Any:
        return options[next(dice) % len(options)]

    kind, owner = pick(("FACT", "FACT", "PREF", "BOUND", "COMMIT")), pick(("", *OWNERS))
    owner = "" if kind == "FACT" else owner
    folder = f"private/{owner}/{FOLDERS[kind]}" if owner else FOLDERS[kind]
    path = f"{folder}/{at:04}.md"
    return Memory(
        id=path,
        path=path,
        sha="",
        type=kind,
        subject=pick(("", *WORDS)),
        statement=pick(WORDS) * pick(range(1, 5)),
        scope="private" if owner else "public",
        owner=owner,
        tags=pick(((), ("a",), ("consolidate", "summary"))),
        created=pick(DAYS),
        updated=pick(DAYS),
        source=pick(("", "", "", "consolidate")),
        weight=pick((1.0, 3.0, 0.0)),
        access_count=pick(range(4)),
        project=pick(("", "", "", "atlas", "borealis")),
        ordinal=at,
    )


@st.composite
def views(draw: st.DrawFn) -> View:
    """One bank, or a project's and a user's joined; with setting files and facts about the person."""
    grants = draw(st.sampled_from(({}, {"nova": ("rhea",)})))
    known, files = draw(memories()), draw(settings())
    user = View.of(known, {"profile": draw(profiles(known))}, grants=grants, setting_files=files)
    return joined(View.of(draw(memories(5))), user) if draw(st.booleans()) else user


@st.composite
def profiles(draw: st.DrawFn, known: list[Memory]) -> dict[str, dict[str, str]]:
    """Facts about the person, confirmed or not; two may share a memory, and one may have lost it."""
    names = [*(memory.id for memory in known), "prefs/gone.md"]
    return {
        f"profile:{at}": {
            "category": draw(st.sampled_from(("identity", "preference", "habit"))),
            "field": "name",
            "value": f"name: {draw(st.sampled_from(WORDS))}",
            "state": draw(st.sampled_from(("confirmed", "confirmed", "pending"))),
            "memory": draw(st.sampled_from(names)),
        }
        for at in range(draw(st.integers(0, 4)))
    }


@st.composite
def settings(draw: st.DrawFn) -> dict[str, SettingFile]:
    """Personas, rules, skills and guardrails, templates among them."""
    kinds = ("personas", "rules", "skills", "rules/guardrails")
    texts = ("Be brief.", "> only a template", "---\nkeywords: redis, deploy\ntrigger: /cach/\n---\nWarm it first.", "")
    paths = draw(st.lists(st.tuples(st.sampled_from(kinds), st.sampled_from("abc")), max_size=5, unique=True))
    files = [
        read_setting(f"settings/{kind}/{name}.md", draw(st.sampled_from(texts)).encode(), "") for kind, name in paths
    ]
    return {file.path: file for file in files}


@st.composite
def chats(draw: st.DrawFn, most: int = 8) -> Chat:
    """What a turn brings along: a conversation with calls of tools, their results, and orphans of both."""
    size = draw(st.integers(0, most))
    return Chat(
        affect=draw(st.sampled_from(("", "calm"))),
        tools=draw(st.sampled_from(((), ("search",)))),
        conversation=tuple(draw(said()) for _ in range(size)),
        summarise=draw(st.sampled_from((None, None, lambda messages: f"{len(messages)} messages"))),
    )


@st.composite
def said(draw: st.DrawFn) -> Message:
    """One message."""
    role = draw(st.sampled_from(("user", "assistant", "assistant", "tool", "system")))
    content = draw(st.sampled_from(("", *WORDS))) * draw(st.sampled_from((1, 3, 40)))
    calls = draw(st.sampled_from(((), ("a",), ("b",), ("a", "b"), ("",)))) if role == "assistant" else ()
    answers = draw(st.sampled_from(("", "a", "b"))) if role == "tool" else ""
    return Message(role, content, calls, '[{"name": "search"}]' if calls else "", answers)


@st.composite
def requests(draw: st.DrawFn, layouts: Sequence[str] = LAYOUTS[:1]) -> Request:
    """What is asked for, in one of the layouts."""
    layout = draw(st.sampled_from(layouts))
    return Request(
        layout=layout,
        chat=draw(chats()) if layout == "memora" else Chat(),
        agent=draw(st.sampled_from(OWNERS)),
        owner=draw(st.sampled_from(("", "", "rhea"))),
        focus=draw(st.sampled_from(("", "redis", "cache deploy", "nothing of the kind"))),
        limit=draw(st.integers(0, 8)),
        budget=draw(st.sampled_from((0, -1, 1, 300, 400, 500, 600, 800, 1200))),
        years=draw(st.sampled_from(((), (), ("2026",), ("2025", "2026")))),
        project=draw(st.sampled_from(("", "", "atlas"))),
        profile=draw(st.sampled_from(("", "", "an older profile"))),
        explain=draw(st.booleans()),
        now=NOW,
    )


def answered(sent: tuple[str, ...], evicted: tuple[str, ...], hidden: tuple[str, ...] = (), **rest: Any) -> HookResult:
    """An active answer that takes out what is named."""
    provider = Provider("hp", ("memory.hook",), ("hp",))
    fields: dict[str, Any] = {"status": "active", "provider": "hp", "applied": bool(evicted or hidden), **rest}
    return HookResult(
        configuration=Configuration("ready", "hp is the first.", Path("/home/hp"), provider),
        evicted=evicted,
        hidden=hidden,
        sent=sent,
        removed=frozenset((*evicted, *hidden)),
        **fields,
    )


@st.composite
def hooks(draw: st.DrawFn, view: View, request: Request) -> HookResult | None:
    """No hook, a failed one, or an answer over what a real question would have sent, protected names included."""
    choice = draw(st.sampled_from(("none", "failed", "evict", "whitelist")))
    if choice == "none":
        return None
    files = tuple(dict.fromkeys(memory.path for memory in question(view, request).candidates))
    if choice == "failed":
        return answered(files, (), status="timeout", applied=False, note="The provider timed out.")
    chosen = draw(st.sets(st.sampled_from(files))) if files else set()
    evicted = tuple(file for file in files if file in chosen)
    if choice == "evict":
        return answered(files, evicted)
    return answered(files, evicted[:1], tuple(file for file in files if file not in chosen), applied=True)


def paged(sent: tuple[str, ...], data: dict[str, Any], **rest: Any) -> PagingResult:
    """An active paging answer over the files that were sent."""
    provider = Provider("pg", ("context.paging",), ("pg",))
    verdict = apply_paging(data, sent, False)
    told: dict[str, Any] = {"status": "active", "applied": verdict.applied, "note": verdict.note}
    fields: dict[str, Any] = {**told, "provider": "pg", **rest}
    return PagingResult(
        configuration=Configuration("ready", "pg is the first.", Path("/home/pg"), provider),
        drop=verdict.drop,
        order=verdict.order,
        dropped=verdict.dropped,
        removed=frozenset(verdict.drop),
        sent=sent,
        **fields,
    )


@st.composite
def pagings(draw: st.DrawFn, view: View, request: Request, hook: HookResult | None) -> PagingResult | None:
    """Nobody asked, a failure, or an answer over what a real question would have sent, protected names included."""
    choice = draw(st.sampled_from(("none", "failed", "answer", "answer")))
    if choice == "none":
        return None
    out = hook.removed if hook is not None and hook.applied else frozenset()
    newest = (one for one in stand(view, request).recency if not is_protected(one, request.shown))
    files = tuple(dict.fromkeys(memory.path for memory in newest if memory.path not in out))
    if choice == "failed":
        return paged(files, {}, status="invalid_output", note="The provider's answer is not JSON.")
    names = st.sampled_from([*files, *(memory.path for memory in view.live), "facts/never.md"])
    data = {"drop": draw(st.lists(names, max_size=4)), "order": draw(st.lists(names, max_size=6)), "complete": True}
    return paged(files, data)


def trim(
    chat: Sequence[Message], max_tokens: int = MAX_TOKENS, summarise: Summarise | None = None
) -> tuple[Message, ...]:
    """The messages of a chat that are sent within a limit."""
    planned = plan(chat, max_tokens)
    if not planned.trimmed:
        return tuple(chat)
    return tuple(put_together(chat, planned, summary(chat, planned, summarise), placeholder(planned)))
