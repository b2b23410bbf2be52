"""Suggestions of rules, personas and skills: by a model's reply or by fixed rules (`spec/memora.md` §11.5).

A suggestion is a text that could be kept as a setting file; nothing is written before a person has approved it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pipeline.extract.answer import Citation
from pipeline.extract.offline.doubt import Doubt, doubt
from pipeline.extract.offline.framing import told
from pipeline.extract.offline.sentences import Sentence
from pipeline.extract.reflection.loose import citations, entries, texts
from pipeline.segments import occurs
from store.setting_file import LONGEST_NAME, SUGGESTED

SHORTEST = 20
"""Characters below which a text suggests nothing."""
MINIMUM = 0.6
"""Confidence from which a suggestion counts."""
MOST = 3
"""Suggestions of one turn or range."""
CONTENT = 4_000
LINE = 200
NAMED = 10
"""Characters of a preference that name its rule."""
PREFERENCE = 0.65
DOMAIN = 0.6
DOMAIN_WORDS = 2
"""Different words of a domain that suggest a persona: one alone stands in any conversation."""

_PASSABLE: frozenset[Doubt] = frozenset({"trouble", "others", "addressed", "embedded question", "dated"})
"""What a message is about shows in these sentences too."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A text that could become a setting file of `kind` rule, persona or skill. `confidence` is 0..1."""

    kind: str
    name: str
    content: str
    confidence: float
    reason: str = ""
    description: str = ""
    keywords: tuple[str, ...] = ()
    evidence: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class _Domain:
    """A field of work: the words that speak of it, and the persona that it suggests, in both languages."""

    name: str
    words: tuple[str, ...]
    english: str
    chinese: str


def long_enough(*said: str) -> bool:
    """Whether there is enough text to suggest anything from."""
    return all(len(text.strip()) >= SHORTEST for text in said)


def by_rules(messages: Iterable[tuple[str, str]]) -> tuple[Suggestion, ...]:
    """What fixed rules suggest from some messages, each given as its ref and its text: rules first, then personas."""
    sure = [
        (ref, sentence)
        for ref, text in messages
        if long_enough(text)
        for sentence in told(text)
        if not doubt(sentence, _PASSABLE)
    ]
    rules = [rule for ref, sentence in sure if (rule := _preference(ref, sentence)) is not None]
    personas = [persona for domain in _DOMAINS if (persona := _persona(domain, sure)) is not None]
    return (*{rule.name: rule for rule in reversed(rules)}.values(), *personas)


def read_suggestions(reply: str) -> tuple[Suggestion, ...]:
    """The suggestions of a model's reply: a list, or a list under `suggestions`, fenced or not; bad ones left out."""
    return tuple(one for entry in entries(reply, "suggestions", "type") if (one := _suggestion(entry)) is not None)


def chosen(
    found: Sequence[Suggestion], minimum: float = MINIMUM, most: int = MOST, *, by_confidence: bool = True
) -> tuple[Suggestion, ...]:
    """Those that are sure enough, the surest first, at most `most`; the original keeps the order of appearance."""
    sure = [one for one in found if one.confidence >= minimum]
    ranked = sorted(sure, key=lambda one: -one.confidence) if by_confidence else sure
    return tuple(ranked[:most])


def each(found: Iterable[Suggestion], handle: Callable[[Suggestion], T]) -> list[tuple[Suggestion, T | Exception]]:
    """What handling each came to; one that fails does not stop the next."""
    results: list[tuple[Suggestion, T | Exception]] = []
    for one in found:
        try:
            results.append((one, handle(one)))
        except Exception as error:  # a host's handler may raise anything; the next suggestion is still to be handled
            results.append((one, error))
    return results


def setting_name(text: str) -> str:
    """A text as the name of a setting file: spaces become hyphens, what no name may hold goes; "" for nothing."""
    joined = re.sub(r"[\s/\\.]+", "-", unicodedata.normalize("NFC", text.strip()))
    kept = "".join(char for char in joined if char in "_-" or unicodedata.category(char)[0] in "LNM")
    return re.sub("--+", "-", kept).strip("-_")[:LONGEST_NAME]


def _suggestion(entry: Mapping[str, Any]) -> Suggestion | None:
    kind, content, said = entry.get("type"), entry.get("content"), entry.get("confidence")
    name = setting_name(str(entry.get("name") or ""))
    good = isinstance(said, int | float) and not isinstance(said, bool) and 0 <= said <= 1
    if kind not in SUGGESTED or not isinstance(content, str) or not content.strip() or not name or not good:
        return None
    return Suggestion(
        str(kind),
        name,
        content.strip()[:CONTENT],
        float(said or 0),
        _line(entry.get("reason")),
        _line(entry.get("description")),
        tuple(dict.fromkeys(texts(entry.get("keywords"))[:8])),
        citations(entry.get("evidence")),
    )


def _line(value: Any) -> str:
    return " ".join(value.split())[:LINE] if isinstance(value, str) else ""


_PREFERS_ZH = re.compile(
    r"我(?:们)?(?:个人|一般|通常|平时|一直|总是|更|最|比较|很|都)*(?:喜欢|偏好|习惯|常用|一般用)(?:使用|用|于)?\s*"
    r"(?P<value>[^，,。.!！?？;；、\n\x00]{2,})"
)
_PREFERS_EN = re.compile(
    r"(?i)\b(?:I|we)(?:['’]ve)?(?: (?:also|really|generally|mostly|strongly|much))?"
    r" (?:(?:always|usually|typically) (?:prefer to use|prefer|use|work with)"
    r"|prefer(?: to use| using| to work with| working with)?)\s+"
    r"(?P<value>[^\s,;:!?()，。；！？\x00][^,;:!?()，。；！？\n\x00]+?)(?=\s*(?:[.,;:!?()，。；！？]|\x00|\Z))"
)
_CIRCUMSTANCE = re.compile(r"(?i)\s+(?:for|at|in|on|with|and|to|when|while|because|over|instead|rather|whenever)\b.*")


def _preference(ref: str, sentence: Sentence) -> Suggestion | None:
    """The rule that a stated preference suggests, in the person's own words, to the end of its clause."""
    chinese = _PREFERS_ZH.search(sentence.spoken)
    hit = chinese or _PREFERS_EN.search(sentence.spoken)
    if hit is None:
        return None
    start, end = hit.start(), hit.end("value")
    clause = sentence.text[start:end].strip()
    value = sentence.text[hit.start("value") : end].strip()
    name = setting_name(f"偏好-{value[:NAMED]}" if chinese else f"prefer-{_first_words(value)}")
    if len(value) < 2 or not name:
        return None
    content = f"用户的偏好，原话：{clause}。" if chinese else f"A preference of the user, in their words: {clause}."
    reason = "说过自己的习惯" if chinese else "stated as a habit or preference"
    return Suggestion("rule", name, content, PREFERENCE, reason, value[:LINE], (), (Citation(ref, clause),))


def _first_words(value: str) -> str:
    """The beginning of a preference for its name, without circumstances and never cut inside a word unless it must."""
    value = _CIRCUMSTANCE.sub("", value)
    cut = value[: 2 * NAMED]
    whole = len(value) <= len(cut) or value[len(cut)].isspace() or " " not in cut
    return (cut if whole else cut.rsplit(" ", 1)[0]).lower()


def _persona(domain: _Domain, sure: Sequence[tuple[str, Sentence]]) -> Suggestion | None:
    """The persona of a field of work that the messages speak of with several of its words."""
    said: dict[str, Citation] = {}
    for ref, sentence in sure:
        for word in domain.words:
            if word not in said and occurs(word, sentence.spoken):
                said[word] = Citation(ref, sentence.text)
    if len(said) < DOMAIN_WORDS:
        return None
    chinese = not all(word.isascii() for word in said)
    content = domain.chinese if chinese else domain.english
    reason = f"{'谈到' if chinese else 'speaks of'} {', '.join(said)}"
    evidence = tuple(dict.fromkeys(said.values()))[:DOMAIN_WORDS]
    return Suggestion("persona", domain.name, content, DOMAIN, reason, content[:LINE], domain.words, evidence)


_DOMAINS = (
    _Domain(
        "programmer",
        ("代码", "编程", "bug", "debug", "重构", "函数", "接口"),
        "Answer as an experienced programmer: show code, name trade-offs, and say how to check the result.",
        "以资深程序员的身份回答：给出代码，说明取舍，并说明如何验证结果。",
    ),
    _Domain(
        "designer",
        ("设计", "UI", "UX", "原型", "交互", "视觉"),
        "Answer as an interface designer: start from what people do on the screen, and give alternatives with reasons.",
        "以界面设计师的身份回答：从用户的操作出发，给出备选方案和理由。",
    ),
    _Domain(
        "writer",
        ("写作", "文案", "编辑", "文章", "内容"),
        "Answer as an editor: keep the author's voice, mark what was changed, and say why.",
        "以编辑的身份回答：保留作者的语气，标出改动并说明原因。",
    ),
    _Domain(
        "analyst",
        ("数据", "分析", "报表", "统计", "指标"),
        "Answer as a data analyst: state the question, the data and its limits before any number.",
        "以数据分析师的身份回答：先说明问题、数据及其局限，再给出数字。",
    ),
)
