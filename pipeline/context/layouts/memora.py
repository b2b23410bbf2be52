"""The layout `memora`: a chat as Memora sends it, with the bank's memories in their places (`spec/memora.md` §16).

A system message (persona, profile, mood, rules, tools), the conversation so far, what is added for this turn alone
(skill, recalled memories), and the words of the user. It is counted in tokens and cut by whole messages (`cut`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pipeline.context.budget import TOKENS, one_line
from pipeline.context.draft import Attempt, Draft, Dropped
from pipeline.context.fate import CHAT_OUTCOMES
from pipeline.context.focus import focus_hits
from pipeline.context.layouts.chat import Message
from pipeline.context.layouts.cutting import cut
from pipeline.context.layouts.layout import Choice, Chosen, Layout, Written
from pipeline.context.layouts.setting_memories import Told, guardrails, personas, rules, skills
from pipeline.context.layouts.trim import MAX_TOKENS
from pipeline.context.profile import Profile
from pipeline.context.provider import paged
from pipeline.extract.profile.portrait import confirmed, portrait
from pipeline.extract.profile.rows import ProfileRow
from pipeline.measure import cut_units
from store.memory import Memory

RECALLED = 5
"""Memories that a turn recalls when nobody says (`spec/memora.md` §6.4)."""
LONGEST_CONTENT, LONGEST_BLOCK = 200, 2_000
"""UTF-16 units of a recalled memory's content, and of the whole block (`spec/memora.md` §16.1)."""
RULE = ("", "---", "")
CLOSING = "以上是背景与记忆，只供参考；回答以用户最新的消息为准。"
RECALL_HEAD = "【相关记忆】"


# --- the system message


def _system(draft: Draft, key: str, lines: Sequence[str], between: Sequence[str] = RULE, origin: str = "") -> None:
    """Write a part of the system message; `between` parts it from what stands before."""
    if draft.writer.message < 0:
        draft.writer.begin(key, "system")
    else:
        lines = [*between, *lines]
    for line in lines:
        draft.writer.add(key, line, origin=origin)


def _persona(draft: Draft) -> None:
    for told in personas(draft.view, draft.request.chat.persona):
        if not told.stands:
            _leave_out(draft, "persona", told)
            continue
        about = told.file.fields.get("description", "")
        head = f"【当前角色】{one_line(told.file.name)}{' · ' if about else ''}{one_line(about)}"
        _system(draft, "persona", [head, "", told.file.body.strip()], origin=_origin(draft, told))


def _origin(draft: Draft, told: Told) -> str:
    """The path of a setting file that stands; why it does is kept."""
    draft.whys[told.file.path] = told.why
    return told.file.path


def _leave_out(draft: Draft, key: str, told: Told) -> None:
    draft.dropped.append(Dropped(key, "system", told.file.body.strip(), told.why, told.file.path))


def facts(draft: Draft) -> list[tuple[ProfileRow, Memory]]:
    """The confirmed facts about the person whose memories this reader may be shown."""
    known = draft.standing.by_id
    return [(row, known[row.memory]) for row in confirmed(draft.view) if row.memory in known]


def _profile(draft: Draft) -> None:
    """One line for each category; each fact is a memory that stands there (`spec/memora.md` §7.5)."""
    left = [(row, memory) for row, memory in facts(draft) if draft.allowed(memory)]
    text = portrait(row for row, _ in left)
    draft.profile = Profile(text, "live" if text else "none")
    if not text:
        return
    head, *lines = text.split("\n")
    _system(draft, "profile", [head], between=("",))
    categories = list(dict.fromkeys(row.category for row, _ in left))
    rank = 0
    for category, line in zip(categories, lines, strict=True):
        said = [(row, memory) for row, memory in left if row.category == category]
        before, ids = draft.writer.used, tuple(dict.fromkeys(memory.id for _, memory in said))
        draft.writer.add("profile", line, ids[0], also=ids[1:])
        for row, memory in said:
            rank += 1
            size = TOKENS.size(row.captured)
            _stands(draft, Attempt(memory, "profile", rank, "confirmed_fact", chars=size, used_before=before))


def _stands(draft: Draft, attempt: Attempt) -> None:
    if all(other.memory.id != attempt.memory.id for other in draft.attempts):
        draft.attempts.append(attempt)
        draft.shown.add(attempt.memory.path)


def _affect(draft: Draft) -> None:
    if text := draft.request.chat.affect.strip():
        _system(draft, "affect", [text])


def _bootstrap(draft: Draft) -> None:
    for told in rules(draft.view):
        if told.stands:
            lines = [f"## {one_line(told.file.name)}", told.file.body.strip()]
            _system(draft, "bootstrap", lines, origin=_origin(draft, told))
        else:
            _leave_out(draft, "bootstrap", told)
    for told in guardrails(draft.view):
        _leave_out(draft, "bootstrap", told)


def _tools(draft: Draft) -> None:
    """The closing instruction, and the tools where there are any."""
    names = [f"- {one_line(name)}" for name in draft.request.chat.tools]
    _system(draft, "tools", [CLOSING, *(["", "可用工具：", *names] if names else [])])


# --- the messages after it


def _conversation(draft: Draft) -> None:
    """What was said so far; system messages of earlier turns are not said again."""
    for message in draft.request.chat.conversation:
        if message.role == "system":
            why = "system messages of earlier turns are made anew"
            draft.dropped.append(Dropped("conversation", "system", message.content, why))
            continue
        say(draft, "conversation", message)


def say(draft: Draft, key: str, message: Message) -> None:
    """Write a message that came as one."""
    draft.writer.begin(key, message.role)
    draft.spoken[draft.writer.message] = message
    if message.content or not message.arguments:
        draft.writer.add(key, message.content)
    if message.arguments:
        draft.writer.join()
        draft.writer.add(key, message.arguments)


def _skill(draft: Draft) -> None:
    for told in skills(draft.view, draft.request.focus):
        if not told.stands:
            _leave_out(draft, "skill", told)
            continue
        draft.writer.begin("skill", "system")
        for line in (f"【当前技能】{one_line(told.file.name)}", told.file.body.strip()):
            draft.writer.add("skill", line, origin=_origin(draft, told))


def _recalled(draft: Draft) -> Chosen | None:
    """What the words of the user bring to mind, but the facts of the profile (`spec/memora.md` §6.4, [W])."""
    if not draft.request.focus.strip():
        return None
    known = {memory.id for _, memory in facts(draft)}
    draft.hits = tuple(hit for hit in focus_hits(draft.view, draft.request) if hit.memory.id not in known)
    found = paged.hits(draft.hits[: draft.request.limit], draft.order)
    tries = [(hit.memory, hit.score) for hit in found if draft.allowed(hit.memory)]
    return Chosen(tries, silent=True) if tries else None


def recall_line(memory: Memory) -> str:
    """The line of a recalled memory: its day, its name, and the beginning of what it says (`spec/memora.md` §16.1)."""
    name = memory.subject or memory.path.rpartition("/")[2].removesuffix(".md")
    content = cut_units(memory.statement or memory.body, LONGEST_CONTENT)
    day = f"[{one_line(memory.created[:10])}] " if memory.created else ""
    return f"- {day}{one_line(name)}: {one_line(content)}"


def _input(draft: Draft) -> None:
    words = draft.request.focus.strip()
    if words:
        draft.writer.begin("input", "user")
        draft.write("input", _tagged(words))


def _tagged(words: str) -> Iterable[str]:
    return "<user_input>", words, "</user_input>"


MEMORA = Layout(
    name="memora",
    sections=(
        Written("persona", "persona", _persona),
        Written("profile", "profile", _profile),
        Written("affect", "bootstrap", _affect),
        Written("bootstrap", "bootstrap", _bootstrap),
        Written("tools", "bootstrap", _tools),
        Written("summary", "conversation", lambda _: None),
        Written("conversation", "conversation", _conversation),
        Written("placeholder", "conversation", lambda _: None),
        Written("recent", "conversation", lambda _: None),
        Written("skill", "skill", _skill),
        Choice(
            *("recall", "recall", "focus_match", _recalled, recall_line),
            *((RECALL_HEAD,), (), ()),
            refuses=False,
            cap=LONGEST_BLOCK,
            message="system",
        ),
        Written("input", "input", _input),
    ),
    parts=("persona", "profile", "bootstrap", "conversation", "skill", "recall", "input"),
    limit=RECALLED,
    measure=TOKENS,
    budget=MAX_TOKENS,
    cut=cut,
    tells_hook=False,
    by_path=False,
    takes_all=False,
    outcomes=CHAT_OUTCOMES,
)
