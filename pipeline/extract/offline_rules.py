"""The phrases that the offline door knows: a person asking, deciding, preferring, correcting, laying down a rule.

English and Chinese, precision before recall (`decisions.md` §5.2). Each pattern is matched at the start of a sentence;
its group `body` is what is kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["asked", "correction", "bound", "decision", "preference", "name"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One phrase. `conditions`: "if" and "unless" belong to what is said. `pronouns`: it may begin with "it"."""

    kind: Kind
    pattern: re.Pattern[str]
    conditions: bool = False
    pronouns: bool = False


_LEAD = (
    r"(?:(?:ok(?:ay)?|and|also|but|so|btw|by the way|hey|hi|yes|yeah|right|well|please|thanks|thank you|one more thing"
    r"|another thing|in (?:this|our) (?:repo|project|codebase|team)|in general)\b[\s,:—-]*)*"
)
_LEAD_ZH = r"(?:(?:好的?|嗯|另外|还有|对了|然后|不过|请|麻烦)[，,、\s]*)*"
_VAGUE = (
    r"(?!(?:it|this|that|these|those|them|him|her|the|your|my|how|what|where|why|when|which|both|all|option|plan|either"
    r"|neither|a|an|one|to see|so|as|working|being|nothing|something)\b|it['’]s)"
)
_VAGUE_ZH = r"(?![这那它他她你您哪什第上了吗一其])"
_NO_VERB = (
    r"(?!(?:mind|again|ever|a|an|the|been|had|fun|good|nice|so|this|that|it|has|have|was|were|got|did|said|saw|went|knew"
    r"|found|made|heard|thought|felt|feel|feels|wonder|love|loved|look|here|there|on|at|in|up|get|gets|end|ends|seem|forget|see|fail|fails|works?|happens?|broken|wrong|right|happy|welcome)\b"
    r"|(?!(?:embed|seed|feed|speed|need|shed|bring|ping|string|ring)\b)\w+(?:ed|ing)\b)"
)
_VERB = (
    r"\b(?:is|are|was|has|have|uses?|runs?|must|should|needs?|lives?|prefers?|like|never|always|don['’]t|do not"
    r"|can['’]t|cannot|only|has to|have to|stands? for|means?|goes|go|belongs?)\b"
)


def _rule(kind: Kind, pattern: str, *, conditions: bool = False, pronouns: bool = False) -> Rule:
    return Rule(kind, re.compile(pattern, re.IGNORECASE | re.DOTALL), conditions, pronouns)


_NOT_RECALLED = r"(?!to\b|when\b|how\b|why\b|what\b|who\b|where\b|me\b|the time\b|last\b|us\b)"
RULES: tuple[Rule, ...] = (
    # remember that …, note: …, 请记住 …
    _rule(
        "asked",
        rf"{_LEAD}(?:do not forget|don['’]t forget|remember|note|keep in mind|bear in mind|make a note|take note"
        rf"|for the record|for (?:future )?reference)"
        rf"(?:,? that\b|\s*[:—-]|,(?=\s*(?:my|our|we|the)\b)|\s+this\s*:)\s*{_NOT_RECALLED}(?P<body>\S.+)",
        conditions=True,
    ),
    _rule("asked", rf"{_LEAD}(?:remember|keep in mind)\s+{_NOT_RECALLED}(?P<body>\S.*{_VERB}.+)", conditions=True),
    _rule(
        "asked",
        rf"{_LEAD_ZH}(?:你|您|帮我|给我|替我|要|务必|一定)*(?:记住|记下|牢记|谨记|记一下|记一笔|请注意|备注|(?<=请)注意)"
        r"(?:了|一下|哦)?[：:，,、\s]*(?P<body>\S.+)",
        conditions=True,
    ),
    # no, it's X, not Y; actually …; 不对，应该是 …
    _rule(
        "correction",
        r"(?:no|nope|wrong|correction|actually|sorry)[,:;—-]*\s+(?P<body>(?:it['’]s|it is|that['’]s|that is)\s+"
        r"(?!not\b|fine\b|ok|good\b|true\b|right\b|wrong\b|done\b|broken\b|working\b|still\b|just\b|only\b|about\b|because\b)"
        r"[^,;]+,?\s+(?:not|instead of|rather than)\s+\S.+)",
        pronouns=True,
    ),
    _rule(
        "correction",
        r"(?:no|nope|wrong|correction|actually|sorry)[,:;—-]*\s+(?P<body>(?:our|my|we|the|i)\s[^,;]+,?\s+"
        r"(?:not|instead of|rather than)\s+(?!sure|yet|working|done|ready|really|a problem)\S.+)",
    ),
    _rule(
        "correction",
        r"(?:actually|correction)[,:]*\s+(?P<body>(?:our|my|we|the|i)\s.{0,80}?\b(?:is called|are called|is named|uses?"
        r"|runs? on|listens? on|lives? in|is at|must be|should be|belongs? to|is on port|defaults? to|was renamed to)\s"
        r"(?!failing|passing|working|it\b|this\b|that\b).+)",
    ),
    _rule(
        "correction",
        rf"(?:不对|错了|不是的|更正(?:一下)?|纠正一下)[，,：:\s]+(?P<body>(?:其实)?应该(?:是|用|叫|在|为)\s*{_VAGUE_ZH}(?!我).{{2,}}"
        rf"|不是[^，,]+[，,]\s*(?:而)?是\s*{_VAGUE_ZH}.{{2,}}|是\s*{_VAGUE_ZH}[^，,]+[，,]?\s*(?:而)?不是.{{2,}})",
    ),
    # never …, always …, … must not …, from now on …, 不要 …
    _rule(
        "bound",
        rf"{_LEAD}(?P<body>(?:never ever|never|always|do not ever|don['’]t ever|you must (?:not|never|always)"
        rf"|must (?:not|never|always)|under no circumstances)\s+{_NO_VERB}\S.+)",
        conditions=True,
    ),
    _rule("bound", rf"{_LEAD}(?P<body>we (?:always|never)\s+{_NO_VERB}\S.+)", conditions=True),
    _rule(
        "bound",
        rf"{_LEAD}(?P<body>(?!(?:it|this|that|he|she|they|there|i)\b)\S.{{2,80}}?\s"
        r"(?:must (?:not|never|always|only)|mustn['’]t)\s+\S.+)",
        conditions=True,
    ),
    _rule(
        "bound",
        rf"{_LEAD}(?:from now on|going forward|as a rule|in (?:the )?future,? please)[,:]?\s+(?:please\s+)?"
        rf"(?!(?:it|this|that|there|i)\b)(?P<body>\S.+)",
        conditions=True,
    ),
    _rule(
        "bound",
        rf"{_LEAD_ZH}(?P<body>(?:永远|千万|绝对|任何时候都?)?(?:不要|从不|绝不|切勿|严禁|禁止|不得|不准)(?![紧急怕管了再说动改删停]|着急|害怕|担心|客气|忘|放弃|难过|介意|生气)"
        r"[^这那它他她你]{2,}(?<!了))",
        conditions=True,
    ),
    _rule("bound", rf"{_LEAD_ZH}(?P<body>(?:永远|千万)别[^这那它他她你]{{2,}}(?<!了))", conditions=True),
    _rule("bound", rf"{_LEAD_ZH}(?P<body>我们(?:从来?不|绝不|总是|一律|始终)(?!知道|记得|是|会).{{2,}})"),
    _rule(
        "bound",
        rf"{_LEAD_ZH}(?P<body>(?![我你他她它这那])[^这那它，,]{{1,20}}(?:必须|务必|一律|不得|绝不能)[^这那它]{{2,}}(?<!了))",
    ),
    _rule(
        "bound",
        rf"{_LEAD_ZH}(?:以后|今后|往后|从现在(?:起|开始))(?:都|就|也)?[，,]?\s*"
        r"(?P<body>(?:请|都|一律|不要|别|必须|用|写|统一|务必|只|每次|所有|回答|提交)[^这那它]{2,})",
    ),
    # we decided …, let's go with …, 我们决定 …
    _rule(
        "decision",
        rf"{_LEAD}(?P<body>we(?:(?:['’]ve| have)?(?: all| now| finally| already| just)* (?:decided"
        r" (?:to|on|that|against|not to)|agreed (?:to|on|that)|settled on|chosen|chose|picked|standardi[sz]ed on"
        r"|switched to|migrated to|moved to|went with)|(?:['’]re| are)(?: now)? (?:going with|using|switching to"
        rf"|standardi[sz]ing on|moving to)|(?:['’]ll| will) (?:use"
        rf"|go with|stick with|keep using|switch to)|(?: only| always| mostly)? use)\s+{_VAGUE}\S.+)",
    ),
    _rule(
        "decision",
        rf"{_LEAD}(?P<body>let['’]?s (?:go with|use|stick with|stick to|standardi[sz]e on|switch to"
        rf"|settle on)\s+{_VAGUE}\S.+)",
    ),
    _rule("decision", rf"{_LEAD}(?:the |our |final )*decision(?: is|:)\s*(?P<body>{_VAGUE}\S.+)"),
    _rule(
        "decision",
        rf"{_LEAD_ZH}(?P<body>(?:我们|咱们|团队)(?:已经|最终|最后|都|一致|现在)*(?:决定|选定|敲定|商定|约定|统一|改用|换成|采用|只用|都用"
        rf"|用的是|用)(?:了|用|使用|采用|把)?\s*{_VAGUE_ZH}(?!不|得).{{2,}})",
    ),
    _rule("decision", rf"{_LEAD_ZH}(?:那么?)?(?P<body>就(?:用|选|采用|定为)\s*{_VAGUE_ZH}.{{2,}})"),
    # I prefer …, I don't like …, 我喜欢 …
    _rule(
        "preference",
        rf"{_LEAD}(?P<body>I(?: really| strongly| usually| generally| much| personally| also| only| always| mostly)*"
        rf" (?:prefer|like|love|dislike|hate|avoid|favou?r|use(?:(?<=always use)|(?<=only use)|(?<=mostly use)"
        rf"|(?<=usually use))|don['’]t like|do not like|can['’]t stand)\s+{_VAGUE}\S.+)",
    ),
    _rule("preference", rf"{_LEAD}(?P<body>I (?:always|never)\s+(?!use\b){_NO_VERB}(?!thought|knew|meant|wanted)\S.+)"),
    _rule(
        "preference",
        rf"{_LEAD}(?P<body>my (?:preferred|favou?rite|usual|default)(?: [\w-]+){{1,3}} (?:is|are)\s+{_VAGUE}\S.+)",
    ),
    _rule(
        "preference",
        rf"{_LEAD_ZH}(?P<body>我(?:们)?(?:个人|一般|通常|平时|一直|总是|都|还是|比较|更加?|最|很|非常|真的|也|特别|不太?|从来不|从不)*"
        rf"(?:喜欢|偏好|习惯|讨厌|爱用|倾向于?|只用)\s*(?!的(?![^，,]*是)){_VAGUE_ZH}.{{2,}})",
    ),
)
"""In the order in which they are tried; a sentence gives at most one finding."""

UNFINISHED = re.compile(r"(?i)\b(?:to|for|with|of|in|on|at|and|or|the|a|an|that|because|but|is|are)\Z")
"""Words after which more was to come."""
TRAILING = re.compile(
    r"(?i)(?:[\s.,;:!~。，；：！、—-]|,\s*(?:ok(?:ay)?|thanks|thank you|please|right|got it)\b"
    r"|[，,]?\s*(?:谢谢|好吗|拜托)|[吧哦啊啦呀哈呢]\Z)+\Z"
)
LEADING = re.compile(r"(?i)\A(?:please\s+|请(?!求|假))+")
PRONOUN_START = re.compile(r"(?i)(?:it|this|that|these|those|they|he|she|there|them)\b|[这那它他她]")
"""What such a sentence begins with stands in another one: it cannot stand alone."""
