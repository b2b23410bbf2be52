"""Sentences of a message, each with its exact place, and why one says nothing lasting.

Used by the rules that work without a model (`pipeline/extract/offline.py`, `profile.py`). A question, a supposition, a
joke or another person's word is typed text too, and supports no fact about what is so (`spec/formats.md` §1.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

Doubt = Literal["", "question", "supposition", "reported", "joke", "temporary"]

LONGEST = 400
"""Characters of the longest sentence that rules look at; longer ones are lists, logs and pasted text."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence without its closing punctuation: `text` is the exact slice `start:end` of the message."""

    text: str
    start: int
    end: int
    closing: str = ""

    @property
    def spoken(self) -> str:
        """The sentence with quoted passages and inline code blanked, same length: what the person says themselves."""
        return _QUOTED.sub(lambda hit: "\x00" * len(hit[0]), self.text)


_CODE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_CODE_LINE = re.compile(r"^(?:(?: {4}|\t)(?![ \t]*(?:[-*•]|\d+[.)])\s).*|[ \t]*>.*|[ \t]*\$ .*)$", re.MULTILINE)
_QUOTED = re.compile(
    r"\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|《[^》\n]*》|(?<![\w])'[^'\n]*'(?!\w)|`[^`\n]*`"
)
_BULLET = re.compile(r"\s*(?:[-*•]|\d{1,3}[.)、])\s+|\s+")
_END = re.compile(r"(?P<mark>[.!?]+[\"'”’)]*(?=\s|\Z)|[。！？；…]+[”’」）]*|;(?=\s|\Z))|(?P<line>\n+)", re.DOTALL)
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|vs|cf|approx|etc|Dr|Mr|Mrs|Ms|St)|^\s*\d{1,3})\Z")


def sentences(text: str) -> tuple[Sentence, ...]:
    """The sentences of a message in order, without code, quoted lines and what is too long."""
    visible = _CODE_LINE.sub(_blank, _CODE.sub(_blank, text))
    return tuple(sentence for start, end, mark in _pieces(visible) if (sentence := _sentence(text, start, end, mark)))


def spans(text: str) -> tuple[tuple[int, int], ...]:
    """Where each sentence of a message begins and ends, its closing mark included; nothing is left out but space."""
    whole = ((start, text[start : end + len(mark)]) for start, end, mark in _pieces(text))
    told = ((start + len(piece) - len(piece.lstrip()), piece.strip()) for start, piece in whole)
    return tuple((start, start + len(piece)) for start, piece in told if any(char.isalnum() for char in piece))


def _blank(hit: re.Match[str]) -> str:
    """Newlines in place of what is left out, so that it ends a sentence and offsets stay."""
    return "\n" * len(hit[0])


def _pieces(text: str) -> Iterator[tuple[int, int, str]]:
    start = 0
    for hit in _END.finditer(text):
        mark = hit["mark"] or ""
        if mark.startswith(".") and _ABBREVIATION.search(text, max(start, hit.start() - 12), hit.start()):
            continue
        if not mark and _wrapped(text, start, hit):
            continue
        yield start, hit.start(), mark
        start = hit.end()
    yield start, len(text), ""


def _wrapped(text: str, start: int, line_end: re.Match[str]) -> bool:
    """Whether a line break only wraps a sentence: a long line, and the next begins in lower case."""
    line = line_end.start() - max(start, text.rfind("\n", 0, line_end.start()) + 1)
    following = text[line_end.end() : line_end.end() + 1]
    return len(line_end[0]) == 1 and line >= 50 and following.islower()


def _sentence(text: str, start: int, end: int, mark: str) -> Sentence | None:
    if bullet := _BULLET.match(text, start, end):
        start = bullet.end()
    while end > start and text[end - 1].isspace():
        end -= 1
    return Sentence(text[start:end], start, end, mark) if 0 < end - start <= LONGEST else None


_QUESTION_START = re.compile(
    r"(?i)(?:(?:and|so|but|ok|okay|hey|hi|also|btw|wait|hmm),?\s+)*"
    r"(?:(?:do|does|did|is|are|was|were|am|can|could|should|shall|would|will|won't|have|has|isn't|aren't|don't|doesn't|didn't"
    r"|can't|couldn't|shouldn't|wouldn't)\s+(?:i|you|we|he|she|it|they|there|this|that|these|those|the|our|my|your|anyone)\b"
    r"|(?:what|why|how|when|where|which|who|whose|whom)\b(?!ever))"
)
_QUESTION_CHINESE = re.compile(
    r"[吗么呢]\s*\Z|是不是|要不要|能不能|可不可以|有没有|会不会|该不该|是否|怎么|怎样|为什么|为何|哪[个些里种]|多少|几个|谁|什么"
)
_SUPPOSITION = re.compile(
    r"(?i)\b(?:would|wouldn't|maybe|perhaps|might|could|suppose|supposing|assume|assuming|imagine|hypothetically|probably"
    r"|possibly|presumably|i (?:think|guess|wonder|wish|suspect|believe|hope|doubt|was thinking|am thinking)"
    r"|i'm (?:thinking|considering|not sure|unsure)|not sure|let's say|say we|what if|in theory|ideally"
    r"|for example|for instance|e\.g|as an example|consider(?:ing)?|evaluat(?:e|ing)"
    r"|thinking (?:about|of)|pretend|seems?)\b"
    r"|\b(?:i|we|you|they|it)['’]d\b"
)
_CONDITION = re.compile(r"(?i)\b(?:if|unless|whether|in case|should you|provided that)\b")
_SUPPOSITION_CHINESE = re.compile(
    r"也许|可能|或许|大概|说不定|估计|应该会|猜|假设|比如|例如|譬如|考虑|想想|打算看看|不确定|不太确定|好像|似乎|感觉|觉得|试试|要是能"
)
_CONDITION_CHINESE = re.compile(r"如果|假如|要是|倘若|万一|的话|除非|若(?=[^干])")
_OTHERS = (
    r"(?:he|she|they|someone|somebody|everyone|people|folks|[A-Z][a-z]+|(?:my|our|the|your|his|her)\s+(?:\w+\s+)?"
    r"(?:boss|manager|lead|colleague|coworker|friend|wife|husband|partner|client|customer|reviewer|teacher|docs?"
    r"|documentation|article|readme|book|tutorial|error|log|output|ticket|issue|spec|message|email|bot|assistant|model|agent"
    r"|intern|vendor|team|author|guide))"
)
_REPORTED = re.compile(
    rf"\b{_OTHERS}\s+(?:\w+\s+)?(?:said|says|told|tells|thinks|wants|claims|claimed|asked|asks|prefers|likes|hates"
    r"|recommends|recommended|suggests|suggested|wrote|writes|mentioned|insists|believes)\b"
    r"|(?i:\baccording to\b|\bi (?:was told|heard|read) (?:that\b)?|\brumou?r\b|\ballegedly\b|\bquote\b|\bthey say\b)"
)
_REPORTED_CHINESE = re.compile(
    r"(?:他|她|他们|她们|老板|同事|领导|经理|客户|朋友|老师|有人|别人|网上|文档|文章|教程|书上|报错|日志|助手|模型|小[一-龥])"
    r"(?:[一-龥]{0,3})(?:说|讲|写着|告诉|认为|觉得|喜欢|习惯|要求|建议|推荐|提到)|听说|据说|说是|所谓"
)
_JOKE = re.compile(r"(?i)\b(?:lol|lmao|rofl|ha(?:ha)+h?|hehe)\b|[😂🤣😜😝🤪😉]|(?:^|\s)/s\b|哈哈|呵呵|嘿嘿")
_ALL_JOKE = re.compile(
    r"(?i)\b(?:jk|j/k|just kidding|(?:i'?m|only|was) (?:kidding|joking)|sarcasm)\b|开玩笑|说笑|逗你|玩笑话"
)
_DAYS = "today|tonight|tomorrow|this (?:morning|afternoon|evening|week|weekend|time|once|round|run)"
_TEMPORARY = re.compile(
    rf"(?i)\b(?:for now|just (?:this )?once|only this once|for the moment|for the time being|temporarily|meanwhile"
    rf"|{_DAYS}"
    r"|(?:in|for|on) this (?:session|pr|branch|file|commit|chat|conversation|case|task|one|ticket"
    r"|change|patch|function|test)"
    r"|right now|at the moment|until (?:then|later|further|i|we|the|next)|until (?:mon|tues|wednes|thurs|fri)day"
    r"|as a test"
    r"|while (?:i|we|you)|yesterday|last (?:night|week|time)|first of all|quick(?:ly)? (?:test|try|check))\b"
)
_TEMPORARY_CHINESE = re.compile(
    r"这次|这一次|本次|这回|(?<![优首事原祖领率])先(?![生进前])|暂时|临时|今天|今晚|今早|明天|昨天|刚才|刚刚|待会|等下|等会|一会儿|眼下|这周"
)


def doubt(sentence: Sentence, *, conditions: bool = False) -> Doubt:
    """Why a sentence states nothing lasting of the person's own, or "".

    `conditions` accepts "if" and "unless", which belong to a rule that the person lays down ("never push unless …").
    """
    spoken = sentence.spoken
    if "?" in sentence.closing or "？" in sentence.closing or _QUESTION_START.match(spoken):
        return "question"
    if _QUESTION_CHINESE.search(spoken):
        return "question"
    if _SUPPOSITION.search(spoken) or _SUPPOSITION_CHINESE.search(spoken):
        return "supposition"
    if not conditions and (_CONDITION.search(spoken) or _CONDITION_CHINESE.search(spoken)):
        return "supposition"
    if _REPORTED.search(spoken) or _REPORTED_CHINESE.search(spoken):
        return "reported"
    if _JOKE.search(sentence.text + sentence.closing):
        return "joke"
    return "temporary" if _TEMPORARY.search(spoken) or _TEMPORARY_CHINESE.search(spoken) else ""


def joking(text: str) -> bool:
    """Whether the message takes itself back as a whole ("just kidding", 开玩笑的)."""
    return bool(_ALL_JOKE.search(text))
