"""Random banks, requests and hook answers for the properties of the pack."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from pipeline.context.hook import HookResult, question
from pipeline.context.provider import Configuration, Provider
from pipeline.context.request import Request
from store.joined import joined
from store.memory import SELF_PROFILE_SUBJECT, Memory
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
FOLDERS = {"FACT": "facts", "PREF": "prefs", "BOUND": "bounds", "COMMIT": "commits"}


@st.composite
def memories(draw: st.DrawFn, most: int = 14) -> list[Memory]:
    """Memories of all types, public and private, summaries and projects among them."""
    size = draw(st.integers(0, most))
    return [_memory(draw, at) for at in range(size)]


def _memory(draw: st.DrawFn, at: int) -> Memory:
    kind = draw(st.sampled_from(("FACT", "FACT", "PREF", "BOUND", "COMMIT")))
    owner = "" if kind == "FACT" else draw(st.sampled_from(("", *OWNERS)))
    folder = f"private/{owner}/{FOLDERS[kind]}" if owner else FOLDERS[kind]
    path = f"{folder}/{at:04}.md"
    return Memory(
        id=path,
        path=path,
        sha="",
        type=kind,
        subject=draw(st.sampled_from(("", *WORDS))),
        statement=draw(st.sampled_from(WORDS)) * draw(st.integers(1, 4)),
        scope="private" if owner else "public",
        owner=owner,
        tags=draw(st.sampled_from(((), ("a",), ("consolidate", "summary")))),
        created=draw(st.sampled_from(DAYS)),
        updated=draw(st.sampled_from(DAYS)),
        source=draw(st.sampled_from(("", "", "", "consolidate"))),
        weight=draw(st.sampled_from((1.0, 3.0, 0.0))),
        access_count=draw(st.integers(0, 3)),
        project=draw(st.sampled_from(("", "", "", "atlas", "borealis"))),
        ordinal=at,
    )


@st.composite
def views(draw: st.DrawFn) -> View:
    """One bank, or a project's and a user's joined."""
    grants = draw(st.sampled_from(({}, {"nova": ("rhea",)})))
    user = View.of(draw(memories()), grants=grants)
    return joined(View.of(draw(memories(5))), user) if draw(st.booleans()) else user


@st.composite
def requests(draw: st.DrawFn) -> Request:
    return Request(
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
