"""Words of one text that another has the opposite of: `before` and `after`, `encrypted` and `unencrypted` (ctx-D19)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.context.negations import plain

_PAIRS = (
    *("before after", "above below", "over under", "more less", "more fewer", "min max", "minimum maximum", "up down"),
    *("first last", "start stop", "start end", "open closed", "true false", "on off", "yes no", "always never"),
    *("enable disable", "enabled disabled", "allow deny", "allow forbid", "allowed forbidden", "include exclude"),
    *(
        "increase decrease",
        "add remove",
        "public private",
        "local remote",
        "manual automatic",
        "left right",
        "with without",
    ),
    *("least most", "old new", "oldest newest", "before since", "early late", "async sync", "opt-in opt-out"),
    *(
        "之前 之后",
        "以前 以后",
        "上午 下午",
        "早上 晚上",
        "白天 夜里",
        "最多 最少",
        "至多 至少",
        "高于 低于",
        "大于 小于",
    ),
    *(
        "增加 减少",
        "打开 关闭",
        "开启 关闭",
        "启用 禁用",
        "允许 禁止",
        "公开 私有",
        "手动 自动",
        "同步 异步",
        "包含 排除",
    ),
    *("升级 降级", "旧版 新版", "左侧 右侧", "开始 结束", "必须 不必", "优先 最后"),
)
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


def _either_way() -> Iterator[tuple[str, str]]:
    for pair in _PAIRS:
        left, right = pair.split()
        yield left, right
        yield right, left


def _holds(word: str, text: str, words: frozenset[str]) -> bool:
    return word in words if word.isascii() else word in text


def _prefixed(word: str) -> Iterator[str]:
    """The word with each negating prefix, and without the one that it has."""
    for prefix in _PREFIXES:
        if len(word) >= _STEM:
            yield prefix + word
        if word.startswith(prefix) and len(word) - len(prefix) >= _STEM:
            yield word[len(prefix) :]
