"""What of a message is the person's own word: not a text to be worked on, a part that is played, what is taken back.

A sentence may read like a statement of fact and be none because of what stands around it: "Translate into French: I
live in Rome", "I live in Madrid. Wait, no", "You are a pirate" (`spec/formats.md` §1.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from pipeline.extract.offline.disowned import disowned
from pipeline.extract.offline.doubt import QUESTION_START
from pipeline.extract.offline.sentences import HIDDEN, Sentence, sentences, shown

LOOKED_AT = 20_000
"""Characters of a message that are looked at: what can be quoted ends long before (`spec/extraction.md` §6)."""

_EXAMPLE = re.compile(
    r"(?i)\be\.g\b|\b(?:for instance|for example|as an example|here(?:['’]s| is| are) (?:an? |some |the "
    r"|two |three )?(?:examples?|samples?)"
    r"|(?:a |the |some )?(?:example|sample|dummy|fake|mock|placeholder|typical|synthetic|toy|fictional"
    r"|imaginary)\s+(?:\w+ )?(?:inputs?|sentences?|data|rows?|outputs?|texts?|users?|records?|phrases?"
    r"|messages?|cases?|prompts?|rules?|utterances?|conversations?|queries|tweets?|profiles?|personas?"
    r"|bios?|facts?|strings?|dialogs?|dialogues?|entries)|test data[: ,](?:please)?|test (?:sentences?"
    r"|phrases?|inputs?|strings?|utterances?)|such as\b(?=.{0,30}[\x00\"])"
    r"|(?:sentences?|phrases?|messages?|inputs?|tweets?|utterances?) (?:such as|like)|something (?:like"
    r"|along the lines)|a tweet"
    r"|lorem ipsum|let['’]s say)\b|(?:(?<=^)|(?<=[.!?,] ))say,? (?:the|a|an|we|you|i|someone|my|our)\b"
    r"|比如|比方|例如|譬如|举例|造句|造个句|打个比方|模板|举个|例句|例子|示例|样例|诸如|测试数据(?!库)"
    r"|样本|假数据|像[“「\"\x00]|(?:用户|有人)(?:可能|会)?(?:输入|说|问|写)|这样的(?:句子|输入|例子)"
    r"|这种(?:句子|输入)|某(?:公司|人|用户|同学)"
)
"""Signs that what stands from here on is an example."""
_TEXT_WORK = (
    r"\b(?:translat(?:e|ion)|proof-?read|summari[sz]e|rephrase|paraphrase|reword|re-?write|polish|shorten"
    r"|simplify|condense|transcribe"
    r"|tokeni[sz]e|classify|parse|spell-?check|annotate|anonymi[sz]e|tl;?dr|(?:fix|check|correct|improve"
    r"|review)(?: up)? (?:the |my |this |these |that |its |any |all )?(?:\w+ )?"
    r"(?:grammar|spelling|typos?|punctuation|wording|style|tone|english|german|french|spanish|sentences?"
    r"|text|paragraph|letter|mail|email|essay|speech|draft|translation|note|message|bio|post)"
    r"|(?:edit|correct|improve|fix|explain|analy[sz]e|interpret|label|tag|reply to|respond to|answer"
    r"|convert|turn|put|make|read|check|review|rate|grade|format|reformat|clean up|critique) (?:this|that"
    r"|it|these|those|the (?:following|text|below|sentence|paragraph|mail|email|letter|message|note|quote"
    r"|above)|my (?:\w+ )?(?:letter|mail|email|essay|text|cv|bio|message|post|speech|draft|abstract"
    r"|paragraph|sentence|cover letter|application|homework|translation))"
    r"|what does (?:this|that|it|the)|what(?:['’]s| is) (?:wrong|this|that|meant)|how (?:do|would|can"
    r"|should|to) (?:you |i |we )?(?:say|translate|phrase|pronounce|write)"
    r"|in (?:plain|simple|simpler|other) (?:words|english|terms)|into (?:plain|english|german|french"
    r"|spanish|italian|chinese|japanese|dutch|portuguese|russian|korean|polish|latin)"
    r"|sounds? (?:more )?(?:natural|friendl\w+|formal|polite|professional)|more (?:lively|formal|friendly"
    r"|polite|concise|natural|professional|casual|readable|fluent))\b"
    r"|翻译|翻成|译成|译为|润色|校对|改写|改一下|改一改|修改一下|修改|改得|缩写|扩写|概括|总结一下|归纳"
    r"|提炼|解释一下|看一下|看看|分析|抽取|提取|分类|改成(?=.{0,6}(?:口吻|语气|风格|文))|语法|病句"
    r"|整理一下|续写|仿写|朗读|什么意思|写得怎么样|讲了什么|说了什么|回复一下|怎么回"
)
_LANGUAGE = (
    r"(?:german|french|spanish|italian|chinese|japanese|dutch|portuguese|russian|korean|polish|latin|english|arabic"
    r"|turkish|swedish|danish|greek|hindi|deutsch|klingon|one sentence|bullet points)"
)
_WORKED_ON = re.compile(rf"(?i)(?:{_TEXT_WORK}|\b(?:in|into|to|auf) {_LANGUAGE}\b)[^\n:：]{{0,200}}[:：]")
"""A text to be worked on begins behind the colon."""
_WORK_BELOW = re.compile(
    r"(?i)\b(?:translat\w+|proof-?read|rephrase|paraphrase|reword|re-?write|polish|summari[sz]e|correct"
    r"|grammar|spelling|improve)\b"
    r"[^.!?\n]{0,80}\b(?:this|these|following|below|here)\b[^.!?\n]{0,60}[.!?]\s+"
    r"|(?:下面|以下|如下|下列|这[段句篇封条首])[^。！？\n]{0,20}(?:改|翻|译|润|总结|概括|校|缩|扩|通顺"
    r"|病句|语法|仿写|续写|回复)[^。！？\n]{0,20}[。！？]"
    r"|(?:改|翻|译|润|总结|概括|校|缩|扩|纠正|仿写|续写|回复)[^。！？\n]{0,12}(?:下面|以下|如下|下列"
    r"|这[段句篇封条首])[^。！？\n]{0,20}[。！？]"
)
"""A request to work on what follows, without a colon."""
_ASKS_FOR_WORK = re.compile(
    r"(?i)(?:(?<=^)|(?<=[.!?。！？\n])|(?<=[.!?] ))[ \t]*(?:(?:please|now|ok|hey|hi|so|and|then|also"
    r"|thanks|quick question|question|can|could|would|will|you|kindly|help me|i need you to|i want you to"
    r"|let['’]s|just|pls)[,\s]+){0,5}"
    r"(?![^.!?。！？\n]{0,300}\b(?:memory|remember|in mind|notes|reference|profile|future|later"
    r"|record)\b)(?:write|create|build|make|draft|translate|summari[sz]e|proof-?read|correct|fix|check"
    r"|convert|change|turn|put|explain|describe|compare|reply|respond|answer|rewrite|edit|improve|shorten"
    r"|expand|extend|generate|give|show|tell|find|list|sort"
    r"|review|analy[sz]e|classify|label|extract|count|parse|format|read|look at|complete|finish|continue"
    r"|solve|compute|calculate|guess|identify|name|rate|rank|refactor|implement|add|insert|replace"
    r"|use the following|paraphrase|rephrase|reword|simplify|polish"
    r"|tokeni[sz]e|evaluate|verify|debug|run|test|post|send|transcribe|caption|title|render|illustrate"
    r"|act|play|pretend|how (?:do|would|can|should|to)|what (?:does|do|is|are|would|should)|who|which"
    r"|where|why|when|is|are|does|do|did)\b[^.!?。！？\n:：]{0,200}[:：](?=\s)"
    r"|(?:帮我|帮忙|请(?!记|注意|你记|帮我记)|给我(?!记)|替我(?!记)|把(?!.{0,10}(?:记"
    r"|存)))(?!.{0,8}(?:记|存|备注|备忘|注意|知悉|留意))[^。！？\n:：]{0,60}[:：]"
)
"""A request with a colon: what stands behind it is what is to be worked on."""
_ABOUT_THIS = re.compile(
    r"(?i)^(?=[^\n]{0,300}(?:[?？]|\b(?:check|fix|review|read|look|see|translate|summari[sz]e|explain"
    r"|help|improve|rate|reply|answer|rewrite|edit|correct|analy[sz]e|tell|shorten|polish|proofread|what"
    r"|is|does|can you|could you|please)\b|帮|看|改|写|回|译|分析|评))"
    r"(?=[^\n]{0,300}(?:\b(?:this|these|here['’]?s|here is|here are|the following|below|attached"
    r"|my \w+['’]s|his|her|their|from (?:a|an|the|my) \w+)\b|这|以下|下面|如下"
    r"|我.{1,4}的))[^\n]{0,300}\n+(?=\S)",
    re.MULTILINE,
)
"""A line that asks about "this" and goes on below."""
_WORKED_ON_ABOVE = re.compile(
    r"(?i)\b(?:translat(?:e|ion of)|proof-?read|summari[sz]e|rephrase|paraphrase|reword|re-?write|polish"
    r"|spell-?check|(?:fix|check|correct|improve) (?:the |my |its )?(?:grammar|spelling|wording)"
    r"|how (?:do|would|can) (?:you|i) say)\b(?!\s+(?:the )?(?:\S*[/_.]\S+|`|\x00))"
    r"|翻译|翻成|译成|润色|校对|病句|语法"
)
"""The message as a whole is about a text: without a colon it cannot be told where that begins."""
_TEXT_NOUNS = (
    r"(?:following|below|mail|e-?mail|letter|errors?|logs?|text|paragraph|notice|article|post|ticket"
    r"|issue|readme|docs?|documentation|reviews?"
    r"|transcript|chat|conversation|thread|slack|message|wiki|changelog|commit|spec|contract|handbook"
    r"|manual|policy|config|file|snippet|output|answer"
    r"|response|stack ?trace|traceback|warning|page|website|blog|abstract|comment|story|lyrics|poem|song"
    r"|job (?:ad|posting|description)|description|announcement|advert|ad|listing|user story"
    r"|quote|email thread|minutes|survey|cv|resume|profile|bio|tweet|terms|prompt|instructions|says|said"
    r"|wrote|writes|reads|get|got|goes|here|this)"
)
_LINE_BEFORE = re.compile(r"^(?P<lead>[^\n]{0,300})[:：][ \t]*\n", re.MULTILINE)
_ANNOUNCES = re.compile(
    rf"(?i)\b{_TEXT_NOUNS}\b|这|那|以下|下面|如下|报错|日志|通知|公告|邮件|内容|原文|文章|段|信|截图|描述"
    rf"|简历|作文|群里|微信|帖子|评论|说明|文档|配置|代码|歌词|提示|错误"
)
_OWN_LIST = re.compile(
    r"(?i)\b(?:remember|keep in mind|note that|ground rules|(?:the )?rules (?:for|here|of|in)"
    r"|for (?:future )?reference|house rules|style guide|guiding principles|(?:our|my|team) policies"
    r"|ways? of working|how we work|things (?:to|you should) know|facts about|(?:our"
    r"|my) (?:\w+ )?(?:rules|conventions|preferences"
    r"|guidelines|setup|standards)|about me)\b|记住|记一下|记下|记着|规矩|约定|偏好|规范|关于我|我的情况|我们的规则"
)
_PASTED = re.compile(
    r"^#{1,4} \S|^(?i:hi|hello|dear|hey) (?i:all|everyone|team|folks|sir|madam),?[ \t]*\n|^Dear [A-Z].{0,40},[ \t]*\n"
    r"|^(?:各位|尊敬的|亲爱的|大家好|老师您好)[^\n]{0,20}[：:，,]?[ \t]*\n"
    r"|^(?i:from|subject|to|cc|sent|date|betreff|von|an):[ \t]+\S.*\n|^(?:发件人|收件人|主题|日期)[：:]",
    re.MULTILINE,
)
"""A heading, a salutation, the head of a mail: pasted text begins there."""
_PRONOUNCED = re.compile(
    r"(?i)\b(?:\w+ (?:says?|said|wrote|writes|told (?:me|us)|replied|answered|asked|posted|commented"
    r"|reads|shouted|goes|mentions?|states?)|error|message|warning|input|output|fehlermeldung|acceptance"
    r"|given|when|then|user story)\s?[:：]\s"
    r"|\b(?:copied|taken|pasted|quoted|found|stolen|lifted|seen|read|got (?:this|it|that))\b[^.!?\n:]{0,60}:\s"
    r"|(?:抄|摘|转|复制|粘贴|引|贴|搬|看到)(?:自|来|录|发|载|过来|到)?的?[^，。\n]{0,8}[：:]"
    r"|(?:说|讲|写道|写着|回复|问|提示|报错|输入|输出|原文|原话|标题|内容|题目|歌词|口号|标语|公告|通知"
    r"|作文|台词)(?:是|如下|为)?\s?[:：]"
)
"""Behind it stand another one's words, to the end of the paragraph."""
_TASK = re.compile(
    r"(?i)(?:(?:please|now|ok|hey|hi|so|can you|could you|would you|will you|i need you to|i want you to"
    r"|help me(?: to)?|let['’]s|then|and|also|just)[,\s]+)*"
    r"(?:write|create|build|implement|add|make|design|generate|code|develop|draft|refactor|rename|convert"
    r"|fix|change|update|set up|prepare|compose|produce|give me|rewrite|extend|remove|replace|plan"
    r"|model|extract|move|split|port|migrate|modify|scaffold|script|sketch|optimi[sz]e|test|describe|list"
    r"|i need|i want|i['’]d like|we need|we want)\b"
    r"|(?:请|麻烦|那|现在|首先|你)?(?:帮我|给我|替我|帮忙|来|请)?(?:写|做|实现|生成|设计|画|创建|搭|改|加"
    r"|新增|添加|修改|重构|翻译|整理|起草|出一|来一|给我|我要|我需要|我想要|把)"
)


def told(text: str) -> tuple[Sentence, ...]:
    """The sentences of a message that are the person's own statements, asking parts at their ends cut off; in order."""
    text = text[:LOOKED_AT]
    visible = own_words(text)
    return tuple(one for one in _marked(text, visible) if one.end < LOOKED_AT) if visible else ()


def own_words(text: str) -> str:
    """The message, same length, without what is not the person's own; "" when nothing of it can be relied on."""
    visible = shown(text)
    if disowned(visible):
        return ""
    end = min((end for end in _ends(visible)), default=len(visible))
    visible = visible[:end] + "\n" * (len(visible) - end)
    if (work := _WORKED_ON_ABOVE.search(visible)) and end == len(text) and not _named_work(visible, work):
        return ""
    return visible


def _ends(visible: str) -> Iterator[int]:
    """Where the person's own words end: a text to be worked on, an example or something pasted begins."""
    for asks in (_WORKED_ON, _WORK_BELOW, _ASKS_FOR_WORK, _ABOUT_THIS):
        yield from (asked.end() for asked in asks.finditer(visible) if not _OWN_LIST.search(asked[0]))
    if example := _EXAMPLE.search(visible):
        yield max(visible.rfind(mark, 0, example.start()) for mark in ".!?。！？\n") + 1
    if pasted := _PASTED.search(visible):
        yield pasted.start()
    for line in _LINE_BEFORE.finditer(visible):
        if _ANNOUNCES.search(line["lead"]) and not _OWN_LIST.search(line["lead"]):
            yield line.end()
    if spoken := _PRONOUNCED.search(visible):
        yield spoken.end()


def _named_work(visible: str, work: re.Match[str]) -> bool:
    """Whether the text to be worked on is quoted, and so hidden already."""
    return HIDDEN in visible[work.start() :]


_ASIDE = re.compile(
    rf"(?i)\s*(?:[,;]|\s[-–—])\s*(?:(?:so|and|but|ok|now|then|also),?\s+)*{QUESTION_START}"
    r"(?! (?:that|this|it|i|you)(?: \w+)?\s*\Z)(?!['’]?t (?:it|that|you|we|they))"
)
_WISH = re.compile(
    r"(?i)(?:,? (?:and|so|but)|[,;]) (?:i |we )?(?:now |just |also |really )?(?:want(?:ed)? to|would like"
    r"|['’]d like|need (?:a|an|to|some|help|your|you)|hope to"
    r"|plan to|am (?:trying|looking|thinking)|['’]m (?:trying|looking|thinking|wondering)|wonder"
    r"|was wondering)\b.*\Z|"
    r"[，,]\s*(?:现在|最近|所以|就|正好|平时|目前)*(?:我|我们)?(?:想(?!必|来|不到)|打算|准备(?!金)|希望"
    r"|求(?=推荐|助|教|解|建议)|需要|要(?=写|做|给|准备|交|搞|办)|正在|在考虑|考虑)[^。]{1,}\Z"
)
"""What somebody wants to do next is no part of what they said before."""
_REFERS_BACK = re.compile(
    r"(?i)\b(?:right|correct|is (?:that|this|it)|does (?:that|this|it)|isn['’]t it|ok|okay|sound\w*"
    r"|make sense|true|agree|"
    r"a good idea|normal|valid)\b|^\s*(?:对|是|好|行|可以|没错|合理|正确|真)(?:吗|吧|么|不)|(?:对|合理"
    r"|正确|可以|行|好|有道理|正常|合适)(?:吗|吧|么)"
)
_ASIDE_CHINESE = re.compile(
    r"[，,]\s*(?:那么?|请问|所以|想请你?|想让你|能不能|可以|能)?(?:请|麻烦|劳烦)?(?:你|您)?(?:再|就|可以"
    r"|能)?(?:帮我|帮忙|给我(?!们)|替我|帮|(?<=请)|照这|推荐|(?:有什么|有没有|怎么|如何|该怎|哪[个些里]"
    r"|什么|为什么|要不要|能不能|是不是|多少)).{2,}\Z"
)


_STANDING_CHINESE = re.compile(r"(?:以后|今后|往后|每次|每当|当我|遇到|凡是|只要|如果我|从(?:现在|今天)(?:起|开始))")
_ITEM = re.compile(r"\n[ \t]*(?:[-*•]|\d{1,2}[.)、])[ \t]*\Z")
_ASKED_AT_THE_END = re.compile(r"[?？]\Z|[吗呢]\Z")
_LAST_CLAUSE = re.compile(
    r"[，,](?!\s*(?:还是|或者|或是|那(?:么|就|这|我)?))(?=[^，,]*(?:怎[么样]|如何|什么|啥|哪|多少|几|谁"
    r"|为何|吗|呢|有没有|能不能|是不是|要不要|该不该|可以|推荐|好))[^，,]*\Z"
)


def _marked(text: str, visible: str) -> Iterator[Sentence]:
    tasked, heading = False, ""
    for sentence in sentences(text, visible):
        heading = heading if _ITEM.search(text, max(0, sentence.start - 12), sentence.start) else ""
        yield replace(_trimmed(sentence), tasked=tasked, heading=heading)
        asks = bool(_TASK.match(sentence.spoken))
        heading = heading or (sentence.text if not asks and heads(sentence.spoken) else "")
        tasked = tasked or asks


def heads(line: str) -> str:
    """The line itself where it announces the person's own rules or facts as a list, or ""."""
    return line if line.endswith((":", "：")) and _OWN_LIST.search(line) else ""


def _trimmed(sentence: Sentence) -> Sentence:
    """The sentence without a question or a request that is only joined to it; one that asks about it stays."""
    spoken = sentence.spoken
    hit = _ASIDE.search(spoken) if "?" in sentence.closing else None
    if hit is None and _STANDING_CHINESE.match(spoken):
        return sentence
    hit = hit or _ASIDE_CHINESE.search(spoken)
    hit = hit or _WISH.search(spoken)
    if hit is None and _ASKED_AT_THE_END.search(spoken + sentence.closing[:1]):
        hit = _LAST_CLAUSE.search(spoken)
    if hit is None or hit.start() < 4 or _REFERS_BACK.search(spoken[hit.start() :].lstrip(" ,，;-–—")):
        return sentence
    size = hit.start()
    return replace(sentence, text=sentence.text[:size], end=sentence.start + size, spoken=spoken[:size], closing="")
