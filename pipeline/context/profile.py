"""The profile of an owner: its PREF, BOUND and COMMIT memories, grouped, nothing inferred (`spec/context.md` §8)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from pipeline.context.budget import one_line
from pipeline.context.request import Request
from pipeline.context.standing import is_protected, is_self_profile, may_see_owner, per_view, private_of
from pipeline.measure import UNPARSABLE_DAYS, days, number_text
from store.errors import NotPermitted
from store.memory import Memory
from store.view import View

LAYERS = ("prefs", "bounds", "commits")
IDENTITY_KEYS = ("agent_name", "user_name", "relationship")
"""What of the self profile stands in section 1 (`spec/context.md` §8)."""

Source = Literal["stored", "generated", "live", "none"]


@dataclass(frozen=True, slots=True)
class Profile:
    """What section 2 prints. `age_days` is the age of a stored file, None when it is not known or not stored.

    `replaced` says that the hook changed what would have been printed without it.
    """

    text: str
    source: Source
    age_days: int | None = None
    replaced: bool = False


def profile(view: View, agent: str | None, owner: str, today: str) -> str:
    """The text of `memdesk context --profile`: printed, never written (ctx-D01); "" when there is nothing to say.

    Raises `NotPermitted` when the reader may not read the owner's private memories (exit 3).
    """
    if agent is not None and not may_see_owner(view, agent, owner):
        raise NotPermitted(f"{agent} may not read the profile of {owner}; the owner can grant it.")
    return _whole(view, owner, today)


def entries(view: View, owner: str) -> list[Memory]:
    """The memories that make the profile: all below the three layers of the owner's folder, layer by layer."""
    own = private_of(view, owner)
    return [memory for layer in LAYERS for memory in own if memory.path.startswith(f"private/{owner}/{layer}/")]


def of_owner(owner: str, files: Iterable[str]) -> frozenset[str]:
    """Those of some files that a profile of the owner may show: without them it is another one."""
    folder = f"private/{owner}/"
    return frozenset(file for file in files if file.startswith(folder))


def _whole(view: View, owner: str, today: str) -> str:
    return per_view(view, ("profile", owner, today), lambda: render(owner, entries(view, owner), today))


def render(owner: str, memories: Iterable[Memory], today: str) -> str:
    """The profile text of §8: groups by type, subject and tags in order of first appearance, statements whole."""
    groups: dict[tuple[str, str, str], list[Memory]] = {}
    for memory in memories:
        groups.setdefault((memory.type, memory.subject, ",".join(memory.tags)), []).append(memory)
    if not groups:
        return ""
    lines = [f"# 画像：{owner}", "", "由记忆逐条列出，未作推断与删节。", f"更新日期：{today}", ""]
    for (kind, subject, _), members in groups.items():
        tags = f"  [tags: {', '.join(members[0].tags)}]" if members[0].tags else ""
        lines += [f"## {kind} · {one_line(subject) or '（无主题）'}{one_line(tags)}", ""]
        for memory in members:
            lines += [f"- {one_line(memory.statement)}（confidence {_confidence(memory)} · {_access(memory)}）"]
            lines += [f"  - {one_line(memory.path)}"]
        lines.append("")
    return "\n".join(lines).rstrip("\n")


def _confidence(memory: Memory) -> str:
    return number_text(1.0 if memory.confidence is None else memory.confidence)


def _access(memory: Memory) -> str:
    return f"最近访问 {one_line(memory.last_accessed)}" if memory.last_accessed else "未访问"


def for_pack(view: View, request: Request, allowed: Callable[[Memory], bool] | None) -> Profile:
    """The profile of section 2; `allowed` filters it when a hook is applied, None when none is (ctx-D04, D05).

    The stored file is printed as it is when there is one. With a hook applied the profile is made anew without the
    memories that the hook took out, so that nothing evicted stays readable.
    """
    owner = request.shown
    if not may_see_owner(view, request.agent, owner):
        return Profile("", "none")
    stored = request.profile.strip()
    if allowed is None:
        if stored:
            age = days(request.profile_day, request.today)
            return Profile(stored, "stored", None if age == UNPARSABLE_DAYS else age)
        made = _whole(view, owner, request.today)
        return Profile(made, "generated" if made else "none")
    every = entries(view, owner)
    kept = [memory for memory in every if is_protected(memory, owner) or allowed(memory)]
    made = render(owner, kept, request.today)
    return Profile(made, "live" if made else "none", replaced=bool(stored) or len(kept) < len(every))


def identity(view: View, request: Request) -> list[tuple[str, str]]:
    """What section 1 says of the owner besides its id: name, user, relationship, host and home, where known (§8)."""
    owner = request.shown
    known = _self_profile(view, owner) if may_see_owner(view, request.agent, owner) else {}
    pairs = [(key, known.get(key, "")) for key in IDENTITY_KEYS]
    pairs += [("host", request.host), ("memory_home", request.memory_home)]
    return [(key, one_line(value)) for key, value in pairs if value]


def _self_profile(view: View, owner: str) -> dict[str, str]:
    """The pairs of the self profile, which stands flat in the owner's prefs (`spec/bank.md` §3.6)."""
    folder = f"private/{owner}/prefs/"
    for memory in private_of(view, owner):
        if is_self_profile(memory, owner) and "/" not in memory.path[len(folder) :]:
            return parse_pairs(memory.statement)
    return {}


def parse_pairs(text: str) -> dict[str, str]:
    """`key: value` pairs separated by `;`; a part without a colon is left out."""
    pairs = (part.partition(":") for part in text.split(";"))
    return {key.strip(): value.strip() for key, colon, value in pairs if colon}
