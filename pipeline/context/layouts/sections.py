"""The words of a pack: headings, fixed lines and placeholders (`spec/context.md` §4, §8, §10, §11)."""

from __future__ import annotations

import re

from pipeline.context.budget import one_line
from pipeline.context.provider.configuration import HOOK, PAGING
from pipeline.context.provider.exchange import Exchange
from pipeline.context.provider.hook import HookResult
from pipeline.context.provider.paged import PagingResult
from pipeline.context.standing import ARCHIVE_AFTER_DAYS
from pipeline.measure import days
from store.memory import Memory

TITLE = "# 开工上下文包（yotta-memory context）"
HEADINGS = {
    "1": "## 1. 身份",
    "1.5": "## 1.5 多智能体接入铁律",
    "2": "## 2. 用户画像摘要",
    "2.5": "## 2.5 长期理解摘要",
    "2.6": "## 2.6 任务相关记忆（--focus）",
    "3": "## 3. 近期走廊（按时间）",
    "4": "## 4. 近期高价值记忆（补位）",
    "5": "## 5. 边界提醒（BOUND）",
    "6": "## 6. 承诺 / 锚点（COMMIT）",
    "7": "## 7. 本会话闭环契约",
    "8": "## 8. 选择解释（--explain）",
    "notices": "## 可靠性提醒",
}
EMPTY = {
    "2": "（还没有画像）",
    "2.5": "（还没有长期总结）",
    "2.6": "（没有与任务相关的记忆）",
    "3": "（没有近期记忆）",
    "4": "（没有可补位的记忆）",
    "5": "（无）",
    "6": "（无）",
    "8": "（没有可解释的选择）",
}
"""The one line of a section that has nothing to list."""

RULES = (
    "- 可读：公共记忆、本人的私有记忆，以及他人明确授权给本人的记忆。",
    "- 可写：只以本人的身份写入；改动他人的记忆先征得其同意。",
    "- 禁止：冒用身份、绕过授权、改动受保护的记忆。",
)
CONTRACT = (
    "- 开工：读完本包再动手，边界与承诺优先于其余内容。",
    "- 过程：新的决定、偏好和约定随时写成记忆。",
    "- 收工：写一条 COMMIT，交代做完的、没做完的和下一步。",
)
GENERATED_REMARK = "（以下画像由现有记忆即时生成，未存盘）"
GENERIC_SUBJECT = {"BOUND": "边界", "COMMIT": "承诺"}
COMMIT_TOLERANCE_DAYS = 7
"""Exactly this many days since the last commitment are fine (`spec/context.md` §4)."""


def status_lines(hook: HookResult | None, paging: PagingResult | None) -> list[str]:
    """The lines that say what the hook and paging did; none for what was not asked or is not installed."""
    lines = [status_line(hook)] if hook is not None and hook.shows else []
    return [*lines, *([paging_line(paging)] if paging is not None and paging.shows else [])]


def status_line(hook: HookResult) -> str:
    """The line that says what the hook did; its form is the original's, its words are free (§21)."""
    hidden = f"，名单之外 {len(hook.hidden)} 条" if hook.hidden else ""
    return f"- 扩展装载（{HOOK}）: {_status_words(hook, f'移除 {len(hook.evicted)} 条{hidden}')}"


def paging_line(paging: PagingResult) -> str:
    """The line that says what paging did (§22)."""
    did = f"换出 {len(paging.drop)} 条，排序 {len(paging.order)} 条"
    return f"- 扩展装载（{PAGING}）: {_status_words(paging, did)}"


def _status_words(told: Exchange, did: str) -> str:
    if told.status == "active":
        return f"已应用（{one_line(told.provider)}：{did}，未采纳 {len(told.dropped)} 个名称）"
    if told.status == "license_required":
        return "需要授权，普通记忆不受影响"
    if told.status == "timeout":
        return "未生效：扩展超时，已退回普通记忆"
    if told.status == "invalid_output":
        return "未生效：扩展的回答无法识别，已退回普通记忆"
    return "未生效：扩展出错，已退回普通记忆"


def live_reason(hook: HookResult | None, paging: PagingResult | None) -> str:
    """Why the profile is made anew: what was applied to the pack, "" when nothing was (§22, ctx-D04)."""
    if hook is not None and hook.applied:
        return HOOK
    return PAGING if paging is not None and paging.applied else ""


def hook_trace(hook: HookResult) -> str:
    """The first trace line of a pack with a hook (§11)."""
    counts = f"evicted: {len(hook.evicted)} dropped: {len(hook.dropped)}"
    return f"[hook] status: {hook.status} provider: {one_line(hook.provider) or '-'} {counts}"


def paging_trace(paging: PagingResult) -> str:
    """The trace line of paging (§11)."""
    counts = f"dropped: {len(paging.drop)} ordered: {len(paging.order)} truncated: {str(paging.truncated).lower()}"
    return f"[paging] status: {paging.status} provider: {one_line(paging.provider) or '-'} {counts}"


def reminder_line(memory: Memory) -> str:
    """The line of a BOUND or COMMIT in section 5 or 6."""
    subject = one_line(memory.subject) or GENERIC_SUBJECT[memory.type]
    return f"- {subject}: {one_line(memory.statement)}"


def commit_line(newest: str | None, today: str) -> str:
    """The line on the last commitment: `newest` is its date, None when there is no COMMIT at all."""
    if newest is None:
        return "- 还没有任何 COMMIT：收工前写下第一条。"
    idle = days(newest, today)
    overdue = f"，已过去 {idle} 天，该更新了" if idle > COMMIT_TOLERANCE_DAYS else ""
    return f"- 最近一次 COMMIT：{one_line(newest) or '日期不明'}{overdue}。"


def archive_line(count: int) -> str:
    """The advice to archive what is older than 180 days."""
    return f"- 有 {count} 条记忆早于 {ARCHIVE_AFTER_DAYS} 天前，建议归档。"


def fenced(text: str) -> list[str]:
    """Text in a Markdown fence that nothing in it can close (ctx-D20)."""
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}markdown", *text.split("\n"), fence]
