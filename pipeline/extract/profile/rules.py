"""Facts about the person by fixed rules: name, home, job, preference, tool, expertise (`spec/memora.md` §7.1–7.2).

The Chinese table is Memora's with its [W] changes, the English one stands beside it. A sentence that asks, supposes,
jokes or reports is not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pipeline.extract.offline.doubt import Doubt, doubt
from pipeline.extract.offline.framing import told
from pipeline.extract.offline.sentences import Sentence

Category = Literal["identity", "preference", "expertise", "habit", "history"]
Slot = Literal["name", "home", "job", "preference", "tool", "expertise"]


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing about the person. `value` is `field: captured`; `text[start:end] == quote` in the message.

    `slot` is the field whatever the language, for conflicts; `choices` are the fields that a reviewer may choose from
    when the words leave it open. `confidence` is 0..1.
    """

    category: Category
    field: str
    value: str
    confidence: float
    quote: str
    start: int
    end: int
    slot: Slot
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Rule:
    """A row of the table: at most one fact per message; `unless` are slots that suppress it once found."""

    slot: Slot
    field: str
    category: Category
    confidence: float
    pattern: re.Pattern[str]
    longest: int
    accepts: Callable[[str], bool] = bool
    unless: frozenset[Slot] = frozenset()
    choices: tuple[str, ...] = ()


def facts(text: str) -> tuple[Fact, ...]:
    """The facts of one message, in the order of the rules; the Chinese table first."""
    sure = [sentence for sentence in told(text) if not doubt(sentence, _TROUBLE)]
    return (*_apply(_CHINESE, sure), *_apply(_ENGLISH, sure))


def _apply(rules: Sequence[_Rule], sure: Sequence[Sentence]) -> Iterator[Fact]:
    found: set[Slot] = set()
    for rule in rules:
        if rule.unless & found:
            continue
        if fact := next(_matches(rule, sure), None):
            found.add(rule.slot)
            yield fact


def _matches(rule: _Rule, sure: Sequence[Sentence]) -> Iterator[Fact]:
    for sentence in sure:
        for hit in rule.pattern.finditer(sentence.spoken):
            start, end = hit.span("value")
            captured = sentence.text[start:end].rstrip(_PARTICLES + " \x00")
            if not captured or len(captured) > rule.longest or "\x00" in sentence.spoken[start : start + len(captured)]:
                continue
            if rule.accepts(captured) and not (
                rule.slot == "tool" and (doubt(sentence) or _IN_PASSING.search(sentence.spoken))
            ):
                yield _fact(rule, sentence, hit.start(), start + len(captured), captured)


def _fact(rule: _Rule, sentence: Sentence, start: int, end: int, captured: str) -> Fact:
    return Fact(
        rule.category,
        rule.field,
        f"{rule.field}: {captured}",
        rule.confidence,
        sentence.text[start:end],
        sentence.start + start,
        sentence.start + end,
        rule.slot,
        rule.choices,
    )


_TROUBLE: frozenset[Doubt] = frozenset({"trouble"})
"""Who somebody is stays so when something else goes wrong; a tool may be named only because it fails."""
_IN_PASSING = re.compile(
    r"(?i)\b(?:but|and) (?:it|that|then|now|get|i get|i got|the)\b|\bto \w+ (?:the|this|these|my)\b|\bhere\Z"
)
"""A tool of the moment: it is named for what was done with it."""
_PARTICLES = "啊呀呢吧哦啦噢哈"
_STOP = r"\s，,。!！?？;；、\n"
_WORD = rf"(?P<value>(?:[^{_STOP}.]|\.(?=\w)){{1,40}})"
"""A value runs to white space, a comma or the end of a sentence; a dot inside a name ("Node.js") does not end it."""
_DURATION = re.compile(r"[\d一二两三四五六七八九十几半多]+\s*个?(?:小时|分钟|钟头|天|周|星期|礼拜|月|年|秒)")


_NOT_NAMES = "你他她它不做了说想因在用要觉认为从来怕第这那今昨真没有先指按只"
"""What follows 我叫 and 我是 when they do not introduce anybody."""


def _name(value: str) -> bool:
    return not re.search("[谁哪什吗]", value) and value[0] not in _NOT_NAMES


_CALLED = re.compile(
    r"[A-Z][\w .'-]*|[小老阿大][一-龥]{1,2}"
    r"|[赵钱孙李周吴郑王冯陈卫蒋沈韩杨朱秦许何吕张孔曹严华金魏陶姜谢邹苏潘葛范彭鲁马方任袁柳史唐费薛雷贺倪"
    r"汤罗毕郝安常齐康伍余顾孟黄"
    r"萧尹姚邵汪毛狄戴宋庞熊纪舒项董梁杜阮蓝季贾路江童颜郭梅林钟徐邱骆高夏蔡田胡凌霍万柯管卢莫丁邓洪包左石"
    r"崔龚程邢裴陆翁段侯宁"
    r"武刘龙叶白乔欧温庄晏阎廖耿文曾关岳游章申尚代向易闫][一-龥]{1,2}"
    r"|.*(?:师|员|生|者|家|工|长|手|导|总监|经理|开发|[前后]端|运维|测试|产品|医|护|店主|商|编辑|农民?"
    r"|警察|兵|官|律师|会计|文案|博士|老师|财务|运营|行政|法务|策划|主播|主管|助理|顾问|教练|CTO|CEO|PM"
    r"|HR)"
)
"""A name, or a profession: 我是 introduces much else."""


def _bare_name(value: str) -> bool:
    measured = re.match(r"一|[个名位款]", value)
    return _name(value) and not measured and bool(_CALLED.fullmatch(value))


def _place(value: str) -> bool:
    return value[0] not in "的不过得进了院" and not value.endswith("了") and not re.search("[谁哪什吗]", value)


def _job(value: str) -> bool:
    return value[0] not in "了过着得到不然时我你他她它这那什" and not value.endswith(("的", "了"))


def _thing(value: str) -> bool:
    """No particle in front, no duration, no pronoun: otherwise 我用了三个小时 would be a tool."""
    return (
        value[0] not in "了过着得到不一你他她它这那来于什哪完的我"
        and not value.endswith("的")
        and not _DURATION.search(value)
        and not re.search("[了过来去]", value)
    )


def _language_like(value: str) -> bool:
    """会 also means "will": only names in Latin letters with a capital or a sign, and languages, are a skill."""
    latin = re.fullmatch(r"[A-Za-z0-9+#./-]+", value) and re.search(r"[A-Z0-9+#]", value)
    return bool(latin) or bool(re.fullmatch(r"[说讲写]?[一-龥]{1,4}[语文话]", value))


_CHINESE: tuple[_Rule, ...] = (
    _Rule("name", "姓名", "identity", 0.95, re.compile(rf"(?:我叫|我的名字[是叫]){_WORD}"), 15, _name),
    _Rule("home", "住址", "identity", 0.90, re.compile(rf"(?:我住(?!址|所|处|的)在?|我家住?在){_WORD}"), 15, _place),
    _Rule(
        "job",
        "职业",
        "identity",
        0.85,
        re.compile(rf"我(?:[当做](?:一?[个名位款])?|是一?[个名位款]){_WORD}"),
        10,
        _job,
        frozenset({"name"}),
    ),
    _Rule(
        "name",
        "姓名",
        "identity",
        0.60,
        re.compile(rf"我是{_WORD}"),
        15,
        _bare_name,
        frozenset({"name", "job"}),
        ("姓名", "职业"),
    ),
    _Rule(
        "preference",
        "偏好",
        "preference",
        0.85,
        re.compile(rf"我(?:很|非常|最|更)?(?:喜欢|爱|习惯|偏好)(?:[用写做]|的(?=[^，,。]*是)){_WORD}"),
        20,
        lambda value: value[0] not in "了过着得到这那它你他她",
    ),
    _Rule(
        "tool",
        "工具",
        "preference",
        0.80,
        re.compile(rf"我(?:们)?(?:一直|平时|通常|主要|都|现在|目前)?(?:使?用的?是?|的环境是){_WORD}"),
        20,
        _thing,
        frozenset({"preference"}),
    ),
    _Rule(
        "expertise",
        "专长",
        "expertise",
        0.75,
        re.compile(rf"我(?:很|非常|最)?(?:熟悉|擅长|精通){_WORD}"),
        20,
        _thing,
    ),
    _Rule(
        "expertise",
        "专长",
        "expertise",
        0.75,
        re.compile(rf"我会{_WORD}"),
        20,
        _language_like,
        frozenset({"expertise"}),
    ),
)

_CLAUSE = r"(?:(?<=^)|(?<=[,;:(]\s)|(?<=\band )|(?<=\bbut )|(?<=\balso )|(?<=\bbtw )|(?<=[。，；：]))"
_BREAK = (
    r"(?=\s*(?:[.,;:!?()，。；！？]|\s-\s|\x00|$"
    r"|\b(?:and|but|because|since|so|when|while|to|for|at|with|in|on|by|as"
    r"|now|nowadays|currently|these days|too|well|already)\b))"
)
_PHRASE = rf"(?P<value>[^\s,;:!?()，。；！？\x00](?:[^,;:!?()，。；！？\n\x00]){{0,60}}?){_BREAK}"
_WISH = (
    r"(?P<value>[^\s,;:!?()，。；！？\x00][^,;:!?()，。；！？\n\x00]{0,60}?)"
    r"(?=\s*(?:[.,;:!?()，。；！？]|\s-\s|\x00|$|\b(?:but|because|since|so|and (?:i|we|you|please|it))\b))"
)
"""What is preferred may have its circumstances with it ("answers in German"); a name has not."""
_PRONOUNS = re.compile(
    r"(?i)(?:it|this|that|these|those|them|him|her|you|your|what|how|why|when|where|who|which|the|there"
    r"|if|about|nothing"
    r"|something|some|not|my|our|we|he|she|they|i|to|right|from|all|both|each|one|a|an)\b|.*['’]"
)


def _proper(value: str) -> bool:
    """A name in capitals or in another script; "call me tomorrow" names nobody."""
    return not _NO_NAMES.fullmatch(value) and (value[0].isupper() or not value[0].isascii())


_NO_NAMES = re.compile(
    r"(?i)(?:\w+day|tomorrow|today|later|back|when|if|maybe|crazy|not|on|in|the|an?|irrelevant|important)\b.*"
)


def _named(value: str) -> bool:
    return not _NO_NAMES.fullmatch(value)


def _place_name(value: str) -> bool:
    return bool(re.match(r"(?:the )?[A-ZÀ-Þ\u0370-\uffff]", value))


def _noun(value: str) -> bool:
    return not _PRONOUNS.match(value) and len(value.split()) <= 4


_FULL_NAME = r"(?P<value>[^\W\d_][\w'-]*(?: [A-ZÀ-Þ][\w'-]+){0,2})"
_ENGLISH: tuple[_Rule, ...] = (
    _Rule("name", "name", "identity", 0.95, re.compile(rf"(?i:\bmy name is|\bmy name's) {_FULL_NAME}"), 40, _named),
    _Rule(
        "name",
        "name",
        "identity",
        0.95,
        re.compile(rf"{_CLAUSE}(?i:(?:please |you can |just )?call me) {_FULL_NAME}"),
        40,
        _proper,
        frozenset({"name"}),
    ),
    _Rule(
        "home",
        "home",
        "identity",
        0.90,
        re.compile(rf"\b(?:I live in|(?:I'm|I’m|I am) based in) {_PHRASE}", re.IGNORECASE),
        40,
        _place_name,
    ),
    _Rule(
        "job",
        "job",
        "identity",
        0.85,
        re.compile(rf"\bI work as (?:an? |the )?{_PHRASE}", re.IGNORECASE),
        40,
        lambda value: len(value.split()) <= 5,
    ),
    _Rule(
        "preference",
        "preference",
        "preference",
        0.85,
        re.compile(rf"{_CLAUSE}I (?:really |strongly |much |generally |usually )?(?:prefer|like using) {_WISH}", re.I),
        60,
        lambda value: not _PRONOUNS.match(value),
    ),
    _Rule(
        "tool",
        "tool",
        "preference",
        0.80,
        re.compile(rf"{_CLAUSE}I (?:always |usually |mostly |mainly )?use {_PHRASE}", re.IGNORECASE),
        40,
        _noun,
        frozenset({"preference"}),
    ),
    _Rule(
        "expertise",
        "expertise",
        "expertise",
        0.75,
        re.compile(rf"{_CLAUSE}(?:I know|(?:I'm|I’m|I am) (?:very |quite )?good at) {_PHRASE}", re.IGNORECASE),
        40,
        _noun,
    ),
)

FIELDS: Mapping[str, tuple[Category, Slot]] = {
    field: (rule.category, rule.slot) for rule in (*_CHINESE, *_ENGLISH) for field in (rule.field, *rule.choices)
}
"""Category and language-free field of every field that the rules give."""
