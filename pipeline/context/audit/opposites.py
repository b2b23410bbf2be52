"""Words of one text that another has the opposite of: `before` and `after`, `encrypted` and `unencrypted` (ctx-D19)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from pipeline.context.audit.negations import plain

_CONTRARY = """
    tab space, tabs spaces, single double, light dark, enable disable, enabled disabled, allow forbid, before after,
    public private, short long, required optional, sync async, rebase merge, camelcase snakecase, on off, true false,
    first last, always never, upper lower, ascending descending
"""
"""Of each two only one can be done: instructions that differ in nothing else contradict each other."""
_OTHERS = """
    earlier later, early late, am pm, morning evening, morning afternoon, day night, above below, over under, up down,
    left right, inside outside, more less, more fewer, most least, min max, minimum maximum, high low, higher lower,
    longer shorter, larger smaller, bigger smaller, greater less, faster slower, increase decrease,
    increases decreases, old new, older newer, oldest newest, start stop, start end, starts ends, add remove,
    push pull, open closed, yes no, with without, allow deny, allowed forbidden, accept reject, approve reject,
    include exclude, pass fail, local remote, internal external, manual automatic, read write, input output,
    encrypt decrypt, upgrade downgrade, hourly daily, hourly nightly, hourly weekly, daily weekly, daily monthly,
    nightly weekly, weekly monthly, monthly yearly, client server, frontend backend, opt-in opt-out, success failure,
    之前 之后, 以前 以后, 上午 下午, 早上 晚上, 白天 夜里, 早于 晚于, 开始 结束, 旧版 新版, 首先 最后, 最多 最少,
    至多 至少, 高于 低于, 大于 小于, 更高 更低, 更多 更少, 增加 减少, 提高 降低, 上升 下降, 打开 关闭, 开启 关闭,
    启用 禁用, 允许 禁止, 公开 私有, 内部 外部, 内网 公网, 手动 自动, 同步 异步, 包含 排除, 读取 写入, 升级 降级,
    左侧 右侧, 前端 后端, 线上 线下, 成功 失败, 大写 小写, 必须 不必
"""
"""Opposites that may both stand in one context, as `read` and `write`; where one is told the other is not known."""
_PREFIXES = ("un", "non", "in", "im", "ir", "dis", "de")
_STEM = 3
"""Letters that a word must have for its opposite with a prefix to be one."""
_WORD = re.compile("[a-z]+(?:-[a-z]+)*")


def opposite_words(one: str, other: str) -> tuple[str, str] | None:
    """The first word of one text that the other has the opposite of instead, with that opposite; None for none.

    Where either text has both words, they stand against nothing.
    """
    first, second = plain(one), plain(other)
    mine, theirs = frozenset(_WORD.findall(first)), frozenset(_WORD.findall(second))
    for word in sorted(mine - theirs):
        for opposite in _prefixed(word):
            if opposite in theirs - mine:
                return word, opposite
    for left, right in _either_way():
        holds = [_holds(word, *where) for word in (left, right) for where in ((first, mine), (second, theirs))]
        if holds == [True, False, False, True]:
            return left, right
    return None


def contrary(one: str, other: str) -> bool:
    """Whether two words are opposites of which only one can be done."""
    return frozenset((one, other)) in map(frozenset, _pairs(_CONTRARY))


@cache
def _either_way() -> tuple[tuple[str, str], ...]:
    """Every pair of opposites, begun with either word."""
    pairs = (*_pairs(_CONTRARY), *_pairs(_OTHERS))
    return tuple(way for left, right in pairs for way in ((left, right), (right, left)))


@cache
def _pairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((left, right) for left, right in (pair.split() for pair in text.split(",")))


def _holds(word: str, text: str, words: frozenset[str]) -> bool:
    return word in words if word.isascii() else word in text


def _prefixed(word: str) -> Iterator[str]:
    """The word with each negating prefix, and without the one that it has."""
    for prefix in _PREFIXES:
        if len(word) >= _STEM:
            yield prefix + word
        if word.startswith(prefix) and len(word) - len(prefix) >= _STEM:
            yield word[len(prefix) :]
