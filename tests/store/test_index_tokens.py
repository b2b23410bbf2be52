"""Tokens: what they are made of, in which order they stand, and that they follow the text."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from store.index.pinyin import pinyin_tokens, reading
from store.index.tokens import SYNONYMS, edit_distance, entry_tokens, token_map, tokenize
from store.memory import Memory

WORDS = st.text(alphabet="abcd缓存策略é 1_-", max_size=24)


def test_readings_are_the_first_ones_without_tone_and_with_v() -> None:
    assert [reading(char) for char in "绿行好长结"] == ["lv", "xing", "hao", "zhang", "jie"]


def test_only_the_common_characters_have_a_reading() -> None:
    """GB2312 level 1: rows 16 to 55; 鼗 stands in level 2, 꿀 nowhere."""
    assert (reading("啊"), reading("座"), reading("鼗"), reading("꿀"), reading("a")) == ("a", "zuo", "", "", "")


def test_an_unknown_character_breaks_the_syllables_but_not_the_initials() -> None:
    assert pinyin_tokens("备鼗份") == ["pyi:bf"]


def test_one_chinese_character_alone_gives_its_whole_reading() -> None:
    assert pinyin_tokens("run 缓 now") == ["py:huan", "pyi:h"]


def test_numbers_stand_first_as_in_a_javascript_object() -> None:
    names = list(token_map("v2 10 9", "007 4294967295 4294967294", ()))
    assert names == ["9", "10", "4294967294", "v2", "007", "4294967295"]


def test_words_of_two_groups_have_the_synonyms_of_both() -> None:
    assert set(SYNONYMS["记录"]) == {"记", "记住", "记忆", "铭记", "写", "写入", "保存", "存储"}
    assert SYNONYMS["cli"] == ("命令", "指令")


def test_tokens_follow_an_edit_of_the_memory() -> None:
    memory = Memory("facts/a.md", "facts/a.md", "", subject="port", statement="8081")
    assert entry_tokens(memory).weights == {"port": 3, "8081": 1}
    assert entry_tokens(replace(memory, statement="9000")).weights == {"port": 3, "9000": 1}
    assert entry_tokens(memory).text == "port 8081 "


def test_pinyin_is_loaded_by_the_first_chinese_text_only() -> None:
    code = (
        "import sys; from store.index.tokens import token_map; token_map('plain', 'text', ()); "
        "assert 'pypinyin' not in sys.modules; token_map('缓存', '', ()); assert 'pypinyin' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@given(WORDS, WORDS)
def test_property_edit_distance_is_a_distance(first: str, second: str) -> None:
    distance = edit_distance(first, second)
    assert distance == edit_distance(second, first)
    assert (distance == 0) == (first == second)
    if abs(len(first) - len(second)) <= 2:
        assert distance <= max(len(first), len(second))
        assert edit_distance(first + "x", second + "x") <= distance
    else:
        assert distance == 3


@given(st.text())
def test_property_tokens_are_lower_case_parts_of_the_text(text: str) -> None:
    assert all(token in text.lower() for token in tokenize(text))
