"""Tokens of a memory and their weights, as the yotta engine writes them to `index.json` (`spec/bank.md` §9)."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from store.index.pinyin import HAN_RUN, pinyin_tokens, windows
from store.memory import Memory

SUBJECT_WEIGHT, TAG_WEIGHT, STATEMENT_WEIGHT, PINYIN_WEIGHT = 3, 2, 1, 0.4
"""What one token adds to the map (`spec/bank.md` §9.2)."""

FUZZY_LENGTH = 4
"""Shortest token, of a query and of a memory, that may match with typing errors (`spec/bank.md` §10.3)."""

CACHE_SIZE = 32_768
"""Memories whose tokens are kept; about 2 kB each."""

_LATIN = re.compile("[a-z0-9_]+")
_INDEX_KEY = re.compile("0|[1-9][0-9]{0,9}")
_LAST_INDEX_KEY = 2**32 - 2

_GROUPS = (
    "记 记住 记忆 记录 铭记",
    "忘 忘记 遗忘 忘掉",
    "读 读取 检索 查询 搜索",
    "写 写入 记录 保存 存储",
    "偏好 喜好 喜欢 偏爱",
    "承诺 保证 约定",
    "收工 结束 完成 完毕",
    "归档 封存 存档",
    "删除 移除 去掉",
    "更新 修改 刷新",
    "边界 红线 禁区 界限",
    "画像 档案 profile",
    "命令 指令 cli",
    "记忆 memory 记忆库",
)


def _synonyms() -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for group in _GROUPS:
        words = group.split()
        for word in words:
            found.setdefault(word, {}).update(dict.fromkeys(other for other in words if other != word))
    return {word: tuple(others) for word, others in found.items()}


SYNONYMS: Mapping[str, tuple[str, ...]] = _synonyms()
"""The words that mean the same as a query token (`spec/bank.md` §9.4)."""


@dataclass(frozen=True, slots=True)
class EntryTokens:
    """What ranking needs of a memory's text.

    `weights` maps each token to its weight, in the order in which the engine walks them. `text` is subject, statement
    and tags, lower-cased and joined by spaces. `fuzzy` are the tokens that may match with typing errors, in map order.
    """

    weights: Mapping[str, float]
    text: str
    fuzzy: tuple[str, ...]


def tokenize(text: str) -> list[str]:
    """The tokens of a text: Latin runs first, then windows of Chinese runs, each in text order, duplicates kept."""
    lower = text.lower()
    tokens = _LATIN.findall(lower)
    for run in HAN_RUN.findall(lower):
        tokens.extend(windows(run) if len(run) > 1 else (run,))
    return tokens


def joined(subject: str, statement: str, tags: Iterable[str]) -> str:
    """Subject, statement and tags as one text (`spec/bank.md` §9.2, §10.2)."""
    return f"{subject} {statement} {' '.join(tags)}"


def token_map(subject: str, statement: str, tags: Sequence[str]) -> dict[str, float]:
    """Token → weight of one memory (`spec/bank.md` §9.2), integer-looking tokens first, as JavaScript orders keys."""
    weights: dict[str, float] = {}
    for text, weight in ((subject, SUBJECT_WEIGHT), (statement, STATEMENT_WEIGHT), (" ".join(tags), TAG_WEIGHT)):
        for token in tokenize(text):
            key = sys.intern(token)
            weights[key] = weights.get(key, 0) + weight
    for token in dict.fromkeys(pinyin_tokens(joined(subject, statement, tags))):
        weights[sys.intern(token)] = PINYIN_WEIGHT
    numbers = sorted((token for token in weights if _is_index_key(token)), key=int)
    return {token: weights[token] for token in numbers} | weights if numbers else weights


def _is_index_key(token: str) -> bool:
    return bool(_INDEX_KEY.fullmatch(token)) and int(token) <= _LAST_INDEX_KEY


def edit_distance(first: str, second: str) -> int:
    """Levenshtein distance; 3 without counting when the lengths differ by more than 2 (`spec/bank.md` §9.5)."""
    if abs(len(first) - len(second)) > 2:
        return 3
    row = list(range(len(second) + 1))
    for at, char in enumerate(first, 1):
        diagonal, row[0] = row[0], at
        for other_at, other in enumerate(second, 1):
            cost = diagonal if char == other else 1 + min(diagonal, row[other_at], row[other_at - 1])
            diagonal, row[other_at] = row[other_at], cost
    return row[-1]


_Source = tuple[str, str, tuple[str, ...]]
_cache: dict[str, tuple[_Source, EntryTokens]] = {}


def entry_tokens(memory: Memory) -> EntryTokens:
    """The tokens of a memory, kept until its text changes."""
    source = (memory.subject, memory.statement, memory.tags)
    kept = _cache.get(memory.id)
    if kept is not None and kept[0] == source:
        return kept[1]
    weights = token_map(*source)
    fuzzy = tuple(token for token in weights if len(token) >= FUZZY_LENGTH and ":" not in token)
    found = EntryTokens(weights, joined(*source).lower(), fuzzy)
    if kept is None and len(_cache) >= CACHE_SIZE:
        _cache.popitem()  # the newest goes, so that a walk over more memories than fit still finds the first ones
    _cache[memory.id] = (source, found)
    return found
