"""What the rules are made of: a rule, and the pieces of phrases that several subjects share.

English and Chinese, precision before recall (`decisions.md` §5.2). A pattern is matched behind the words that lead into
a sentence (`LEAD`); its group `body` is what is kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pipeline.extract.offline.doubt import NOTHING, Doubt

Kind = Literal["asked", "correction", "bound", "decision", "preference", "person", "project", "name"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One phrase. `accepts` are doubts that belong to what is said ("never push unless …").

    `pronouns`: it may begin with "it". `general`: it says how things are done, and so may as well say how something is
    to be made that an earlier sentence of the message asks for; then it does not count.
    """

    kind: Kind
    pattern: re.Pattern[str]
    accepts: frozenset[Doubt] = NOTHING
    pronouns: bool = False
    general: bool = False


def rule(kind: Kind, pattern: str, *accepts: Doubt, pronouns: bool = False, general: bool = False) -> Rule:
    """A rule from the text of its pattern, in which upper and lower case are one unless it says otherwise."""
    return Rule(kind, re.compile(pattern, re.IGNORECASE | re.DOTALL), frozenset(accepts), pronouns, general)


# --- what leads into a sentence ---------------------------------------------------------------------------------------

_WRONG = (
    r"no(?: no)*(?=[,;:.!…—–-])|nope|nah|wrong|incorrect|correction|not (?:quite|exactly|really|true"
    r"|right)|that['’]?s (?:not (?:quite )?(?:right|true|correct|it)"
    r"|wrong|incorrect|outdated|old|out of date)|that is (?:wrong|incorrect|outdated"
    r"|not (?:quite )?(?:right|true|correct))"
    r"|actually|close,? but|almost|small correction|quick correction|minor correction|you(?:['’]re"
    r"| are) (?:wrong|mistaken)|careful|one correction"
    r"|not (?-i:[A-Z][\w.+#-]*)(?=,)|sorry|i meant|i mean|to be precise|strictly speaking"
)
_WRONG_CLAUSE = (
    r"(?:you (?:keep|got|have|had|misread|misspelled|misspelt|wrote|said|assumed|confused|mixed|called"
    r"|put|used|seem|are|always|still|just|only)|i see you|i(?:['’]m| am) afraid)\b"
    r"[^.;:\n]{2,60}?[,;:—–-]+\s*(?:but|it['’]?s actually|actually|in fact|because)?[,\s]*"
)
LEAD = re.compile(
    rf"(?:(?:ok(?:ay)?|and|also|but|so|btw|by the way|hey|hi|hello|yes|yeah|yep|right|well|please|thanks"
    rf"|thank you|thx|ty|sure|cool|great"
    rf"|perfect|good|nice|oh|ah|look|listen|honestly|frankly|basically|fyi|psst?|nb|reminder|morning|good morning"
    rf"|(?:one more|another|one(?: last)?|last) thing(?=[:;,—–-])|for your information|for context"
    rf"|for background|some context|context|background|just so you know|so you know"
    rf"|just to let you know|just to be clear|to be clear|as you know|heads[- ]?up|quick (?:note|update"
    rf"|one)|small note|side note|in general"
    rf"|generally|like i said|as i said|as mentioned|that said|besides|plus|however|anyway"
    rf"|in case it matters|if it helps|in our case|in my case"
    rf"|works|got it|done|fixed|yesterday|last (?:night|week|month|year)|this morning|these days|nowadays"
    rf"|from (?:v|version |release )?\d[\w.]* on(?:wards)?|(?:after|since|following) [\w'’ -]{{3,40}}(?=[:,])"
    rf"|important(?:ly)?|for clarity|quick correction|(?-i:[A-Z]\w+) here|as of (?:now|today|v?\d[\w.]*"
    rf"|\w+ \d{{4}}|january|february|march|april|may|june|july|august|september|october|november|december"
    rf"|next \w+|this \w+)"
    rf"|(?:after|since|following) (?:yesterday|today|last|the|our|this|that|a)[\w'’ ]{{2,40}}(?=,? we\b)"
    rf"|effective \w+(?: \w+)?|starting (?:next|this|in|from)? ?\w+(?: \w+)?(?=,)"
    rf"|(?:in|on|at|for|with) (?:this|our|my|the) (?:repo(?:sitory)?|project|code ?base|team|company"
    rf"|office|school|clinic|shop|place|work|firm|side|kitchen|lab|club|app|house|household|family"
    rf"|department|organi[sz]ation|monorepo|restaurant|class|museum|bakery|studio|hospital|ward|factory"
    rf"|warehouse|store|choir|band|orchestra|village|building|group|practice|business|startup|domain"
    rf"|industry)"
    rf"|at work|at home|here|over here|around here|here at \w+(?: \w+)?|for us|with us"
    rf"|{_WRONG})(?![\w'’])[\s,;:.!…—–-]*)*"
    rf"(?:{_WRONG_CLAUSE})?"
    r"(?:(?:另外|还有|对了|顺便(?:说|提)(?:一下|一句)?|补充(?:一下|一点|一句)?|说明一下|说一下|先说一下"
    r"|说个事|首先|其实|话说|嗯+|哦+|啊|好的?|好吧|ok|谢谢|多谢|感谢|然后|不过|但是?|而且"
    r"|请|麻烦|拜托|你好|您好|嗨|那个|btw|ps|背景(?:是)?|情况是(?:这样(?:的)?)?|是这样的|跟你说(?:一下"
    r"|个事)?|告诉你(?:一下|个事)?|事实上|实际上|准确(?:地)?说"
    r"|不对|错了|不是的?(?=[，,。：:])|更正(?:一下)?|纠正(?:一下)?|订正(?:一下)?|你(?:又|好像|这里|刚才"
    r"|上面)?(?:说|记|搞|弄|写|理解|听|看|拼)?(?:错|反)了?|说错了|写错了|说反了|(?:讨论|商量|研究|纠结"
    r"|考虑|对比|比较|争论|权衡)了?[^，,。]{0,8}(?=[，,])|经过[^，,。]{1,10}(?=[，,])|开会后|投票后"
    r"|想来想去|考虑再三|(?:再)?(?:强调|重申|声明|说明)(?:一遍|一下|一次|一点)?|再说一遍|注意|小提醒"
    r"|友情提醒)(?:[，,。：:、!！～~\s]+|(?=[一-龥])))*"
    r"(?P<wish>(?:please |and |so )?(?:(?:can|could|will|would) you|i(?:['’]d| would)? (?:like|want|need"
    r"|love) (?:for )?you to|i(?:['’]d| would) appreciate it if you(?:['’]d| would)?|it would (?:help"
    r"|be (?:great|good|nice)) if you(?:['’]d| would| could)?) (?:please |kindly |maybe "
    r"|also )?(?=(?:remember|keep|note|save|store|memori|add|make a note|bear|put|jot|write (?:this"
    r"|that) down)))?",
    re.IGNORECASE,
)
"""Politeness, interjections, "no, that's wrong": what stands in front of a statement and is no part of it."""

# --- what cannot stand alone, what is only so for a moment ------------------------------------------------------------

POINTING = (
    r"(?:it|this|that|these|those|them|him|her|his|they|he|she|you|your|yours|there|here|what|which|how"
    r"|why|when|where|who|whose)"
)

OBJECT = (
    rf"(?!{POINTING}\b|(?:it|that)['’]s|(?:nothing|something|anything|either|neither|both|so|as|to see)\b"
    rf"|the (?:same|other|next|previous|new|first|second|third|last|one|following|above)\b)"
)

"""An object that says what it is."""
OBJECT_ZH = r"(?![这那它他她你您哪什第上了吗其])"
PLAIN = (
    r"(?!(?:a (?:bit|little|lot|mess|joke|pain|problem|disaster|nightmare|shame|pity|must)|too|very|so"
    r"|really|quite|pretty|just|not (?:working|sure|ready|done|yet|really|that|very|even|there)"
    r"|working|broken|down|up|off|on fire|ready|done|good|bad|great|fine|ok(?:ay)?|nice|awesome|perfect"
    r"|terrible|awful|horrible|right|wrong|back|gone|here|there|empty|full|busy|late|early|tired|happy"
    r"|sad|stuck|green|red|almost|about to|due|nearly|getting|going to|being|acting|supposed|unclear"
    r"|unknown|amazing|fun|exciting|interesting|a blast|such|incredible|inspiring|wonderful|cool"
    r"|important|welcome|lovely|special|hard|tough|worth|my favou?rite|the best|the worst|enjoyable"
    r"|delicious|relaxing|horrendous|beautiful|ugly|messy|weird|strange|slow|fast)\b"
    r"|(?!(?:nothing|string|king|spring|ring|wing|evening|morning|building|housing|staging|billing"
    r"|beijing|everything|during|according|building|trading|banking|accounting|engineering|marketing"
    r"|pricing|logging|caching|rolling|working hours)\b)\w+ing\b)"
)
"""What follows "is" must not be a mood, a state or something going on."""

# --- what is the same tomorrow ----------------------------------------------------------------------------------------

WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_DAY_WORD = (
    rf"(?:day|night|morning|evening|afternoon|noon|midnight|week|weekday|weekend|month|quarter|year|sprint"
    rf"|release|hour|minute|summer|winter|spring|autumn|fall|term|semester|{WEEKDAY}|january|february"
    rf"|march|april|may|june|july|august|september|october|november|december)"
)

HABIT_TIME = (
    rf"\b(?:(?:every|each) (?:single |other |second |third |fourth |last |first |\d+ |two |three |four "
    rf"|six )?{_DAY_WORD}s?|{WEEKDAY}s|{WEEKDAY} (?:to|through|till|until|and) {WEEKDAY}"
    rf"|(?:on )?(?:the )?(?:first|second|third|last|\d+(?:st|nd|rd|th)) (?:\w+day |working day "
    rf"|business day )?of (?:each|every|the) (?:month|quarter|year|week)"
    r"|daily|nightly|weekly|bi-?weekly|fortnightly|monthly|quarterly|yearly|annually|hourly"
    r"|once an? (?:day|week|month|quarter|year)|twice an? (?:day|week|month|quarter|year)"
    r"|in (?:early |late |mid-?)?(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december|spring|summer|autumn|winter)|weekdays|weekends|weeknights|mornings|evenings"
    r"|at (?:night|noon|midnight)|(?:at|from|until|till|by|between|before|after) \d{1,2}(?::\d\d)? ?(?:am"
    r"|pm|a\.m\.|o['’]clock|utc|cet|\d)?(?![\w%]))"
)
VALUE = (
    r"(?:\x00{3,}|(?-i:\b[A-Z][\w+#.-]*)|\bport \d+|\bv?\d+(?:[.:]\d+)+"
    r"|(?<![\w.])[/~][\w.@{}<>*-]+(?:/[\w.@{}<>*-]*)*|\b(?!and/or|he/she|s/he|w/)[\w.@-]+/[\w./@{}<>*-]*|https?://\S+"
    r"|\b[\w-]+\.(?:\w{2,10})\b(?!\s)|\b[\w-]+(?:\.[\w-]+)+\b"
    r"|\b\d{2,5}\b|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|\d+) \w+)"
)
"""A path, an address, a port, a version, a number, a name, something quoted."""
HARD_VALUE = (
    r"(?:\x00{3,}|\bport \d+|\bv?\d+(?:[.:]\d+)+|(?<![\w.])[/~][\w.@{}<>*-]+(?:/[\w.@{}<>*-]*)*"
    r"|\b(?!and/or|he/she|s/he|w/)[\w.@-]+/[\w./@{}<>*-]*|https?://\S+|\b[\w-]+(?:\.[\w-]+)+\b)"
)

"""The same without numbers and names."""
_ORDERS = (
    r"(?:list|show|give|find|delete|remove|rename|update|check|fix|add|write|create|make|move|put|use|set"
    r"|run|change|replace|convert|print|count|explain|describe|open|close|copy|clean|sort|search|tell"
    r"|generate|build|implement|refactor|test|review|keep|leave|do|help|read|look|compare|include|exclude"
    r"|rewrite|draft|send|translate|summari[sz]e|install|upgrade|deploy|merge|push|commit|revert|format"
    r"|lint|try|start|stop|turn|split|extract|document|plan|design|plot|draw|calculate|compute|take|get"
    r"|go|come|pick|choose|suggest|recommend|propose|name|release|ship|store|log)"
)

NO_ORDER = (
    rf"(?!{_ORDERS}\s+(?:the|an?|all|this|that|these|those|every|each|it|me|my|our|us|your|some|any|only"
    rf"|ten|them|him|her|to|up|for|at|in|with|\d+)\b)"
)

"""It does not begin by telling somebody what to do."""
DURATION = (
    r"(?:\d+\+?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty"
    r"|forty|several|many|a few|a couple of|over a|almost \w+|nearly \w+|about \w+|more than \w+"
    r"|over \w+)(?:[ -]\w+)? (?:years?|months?|decades?|weeks?)"
)

HOUSE = (
    r"(?:rules?|polic(?:y|ies)|conventions?|standards?|guidelines?|agreements?|practices?|habits?"
    r"|principles?|workflow|process)"
)

WEEK_ZH = (
    r"(?:(?:每|逢)?(?:周|星期|礼拜)[一二三四五六日天末]|每(?:天|日|晚|周|月|年|季度?|小时|半年"
    r"|隔?.{1,3}(?:天|周|月|小时|分钟))|每个?(?:工作日|月|季度|周|星期|学期|版本|迭代)|工作日|节假日|周末"
    r"|凌晨|月底|月初|季度末|\d+ ?(?:点|:\d\d|号|日))"
)

PERSON_ZH = r"[我你您他她它这那]"
