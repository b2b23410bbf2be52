"""Why a sentence states nothing lasting of the person's own: a question, a guess, a joke, another's word, a moment.

A question, a supposition, a joke or another person's word is typed text too, and supports no fact about what is so
(`spec/formats.md` §1.1).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from pipeline.extract.offline.sentences import Sentence
from store.secret import MASK

Doubt = Literal[
    "",
    "question",
    "embedded question",
    "supposition",
    "condition",
    "reported",
    "others",
    "joke",
    "temporary",
    "dated",
    "trouble",
    "addressed",
    "secret",
]
"""`embedded question`: a question word inside; `others`: about somebody else; `dated`: on one day; `trouble`: something
goes wrong; `addressed`: about what the assistant said or made."""

NOTHING: frozenset[Doubt] = frozenset()
NO_DOUBT: Doubt = ""

_PRONOUN = "i|you|we|he|she|it|they|there|this|that|these|those|the|our|my|your|anyone|anybody|someone|every\\w*|all"
_AUXILIARY = (
    "do|does|did|is|are|was|were|am|can|could|should|shall|would|will|won't|have|has|isn't|aren't|don't"
    "|doesn't|didn't"
    "|can't|couldn't|shouldn't|wouldn't|must|may"
)
QUESTION_START = (
    rf"(?:(?:{_AUXILIARY})\s+(?:{_PRONOUN})\b|(?:what|why|how|when|where|which|who|whose|whom)\b(?!ever)"
    rf"|any (?:idea|tip))"
)
_QUESTION_START = re.compile(
    rf"(?i)(?:(?:and|so|but|ok|okay|hey|hi|also|btw|wait|hmm|well|then|now),?\s+)*"
    rf"(?!when(?:ever)? (?:i|we|you)\b.*[, ](?:please|just|don['’]t|give|show|answer|reply|use|start|never"
    rf"|always|only"
    rf"|keep|skip|tell|put|write|check|ask|assume|explain)\b){QUESTION_START}"
)
_QUESTION_CHINESE = re.compile(
    r"(?:[吗呢嘛]|(?<![什这那怎多])么)\s*[~～]*\Z|是不是|要不要|能不能|可不可以|有没有|会不会|该不该"
    r"|好不好|对不对|行不行|需不需要|用不用|是否|还是说?[^，]*呢|为什么|为啥|为何|凭什么"
    r"|怎么(?:办|样|回事|看|弄|做|写|用|改|算|会|还|没|才|这么|那么)|多少|几个|几点|几号"
    r"|[是用在走叫选][^，,是]{1,14}还是(?![会要想很挺得])"
)
_ASKING_WORDS_CHINESE = re.compile(r"怎么|怎样|如何|哪[个些里种一]|谁(?!都)|什么(?!都)|啥|咋")
_SUPPOSITION = re.compile(
    r"(?i)\b(?:would|wouldn't|maybe|perhaps|might|could|suppose|supposing|assume|assuming|imagine"
    r"|hypothetically|probably"
    r"|possibly|presumably|apparently|supposedly|i (?:think|guess|wonder|wish|suspect|believe|hope|doubt"
    r"|was thinking|am"
    r" thinking|figure|reckon|feel like)|i['’]?m (?:thinking|considering|not sure|unsure|tempted|leaning"
    r"|toying|hoping"
    r"|planning|wondering)|not sure|let's say|say we|what if|in theory|ideally|for example|for instance"
    r"|e\.g|as an example"
    r"|consider(?:ing)?|evaluat(?:e|ing)|thinking (?:about|of)|pretend|seems?|seemingly|plan(?:s"
    r"|ning)? (?:to|on)|leaning"
    r"|undecided|not decided|nothing (?:is )?decided|haven['’]t decided|not settled|someday|some day|at some point"
    r"|one day|eventually|sooner or later|wants? to|wanna|hop(?:e|ing) to|intend(?:s|ing)? to|we['’]ll see|who knows"
    r"|as far as i (?:know|remember|recall)|afaik|iirc|if i (?:remember|recall)|or something|some(?:how|what)"
    r"|thinking out loud|brainstorming|by definition|kind of|sort of|like to (?:have|know|see|get|try"
    r"|learn|switch|move)"
    r"|i find myself|at some stage|should probably|the idea is to|ideal(?:ly)?|i could see|tempting"
    r"|rumou?r(?:s|ed)?|proposal|proposed|draft idea|in talks|discussing|debating|tbd|tentative(?:ly)?)\b"
    r"|\b(?:i|we|you|they|it|he|she)['’]d\b"
)
_CONDITION = re.compile(r"(?i)\b(?:if|unless|whether|in case|should you|provided that|as soon as|once we|once i)\b")
_SUPPOSITION_CHINESE = re.compile(
    r"也许|可能|或许|大概|说不定|说不准|估计|应该会|猜|假设|比如|例如|譬如|考虑|想想|打算|不确定|不太确定"
    r"|好像|似乎|感觉|我?觉得|试试|要是能|没准|未必"
    r"|(?:还|都|尚)(?:没|未)(?:有)?(?:最终)?(?:定|决定|确定|想好|商量|敲定|批)|没定|未定|待定|在讨论"
    r"|讨论中|商量中|纠结|犹豫|有点想|想(?:要|把|让|换|试|改|搬|去|买|学|转|找|做)|准备(?:把|换|去|搬|学"
    r"|试|用|转|改|做)"
    r"|计划(?!书|表)|倾向|有朝一日|总有一天|将来|迟早|就算|哪怕|有钱了|理论上|按理|听起来|不一定|据我所知"
    r"|原则上可以|就好了|该多好"
)
_CONDITION_CHINESE = re.compile(r"如果|假如|要是|倘若|万一|的话|除非|若(?=[^干])|假使|一旦")
_PEOPLE = (
    r"boss|manager|lead|leader|colleagues?|co-?workers?|friends?|wife|husband|partner|clients?|customer"
    r"|reviewer|teachers?"
    r"|professor|interns?|vendor|author|brother|sister|mom|mum|mother|dad|father|girlfriend|boyfriend"
    r"|sons?|daughters?"
    r"|kids?|child|children|room-?mate|flat-?mate|neighbou?rs?['’]?|aunt|uncle|cousin|grand\w+|landlord"
    r"|guest|competitors?"
    r"|dog|cat|ex|baby|niece|nephew|parents|in-laws|supervisor|mentor|instructor|doctor|buddy|mate"
    r"|recruiter|candidate"
    r"|applicant|patient|student|pupil|guy|man|woman|girl|boy|lady|person|company next door|other team|previous team"
    r"|old team|last team|former team|old company|previous company|former company|last company|old job"
)
_SOURCES = (
    r"docs?|documentation|article|readme|book|tutorial|error|log|output|ticket|issue|spec|message|email"
    r"|mail|bot|assistant"
    r"|model|agent|team|guide|manual|handbook|wiki|blog|post|tweet|paper|lecture|video|podcast|policy"
    r"|contract|letter|note"
    r"|comment|sign|song|poem|film|movie|standard|linter|compiler|warning|notice|style guide|changelog|release notes"
)
_OTHERS = (
    rf"(?:he|she|they|someone|somebody|everyone|people|folks|some|many|most|[A-Z][a-z]+"
    rf"|(?:[Mm]y|[Oo]ur|[Tt]he|[Yy]our|[Hh]is|[Hh]er|[Aa]n?|[Tt]heir|[Tt]his|[Tt]hat"
    rf"|[Oo]ne)\s+(?:[\w’'-]+\s+){{0,2}}(?:{_PEOPLE}|{_SOURCES}))"
)
_REPORTED = re.compile(
    rf"\b{_OTHERS}\s+(?:\w+\s+)?(?:said|says|told|tells|thinks|wants|claims|claimed|asked|asks|prefers"
    rf"|likes|loves|hates"
    r"|recommends?|recommended|suggests?|suggested|wrote|writes|mentioned|mentions|insists?|insisted"
    r"|believes?|argues?|argued"
    r"|states?|stated|warns?|warned|advises?|advised|swears?|swore|keeps? (?:saying|telling)|posted|tweeted|replied"
    r"|reads|demands|requested|complains|complained|repeated|reports|reported|joked|explained)\b"
    r"|(?i:\b\w+(?:s|one|body|people|folks)\s+(?:keep |always |often |usually |still |sometimes "
    r"|also )?(?:say|saying|claim|claiming|post|posting|tell|telling|preach|preaching|argue|arguing"
    r"|insist|insisting|swear|write|writing|recommend|recommending|suggest|suggesting|think|believe|teach"
    r"|advise|warn)\s+(?:that|you|me|us|to|we|it|i)\b)"
    r"|(?i:\baccording to\b|\bi (?:was told|heard|read|saw|have read|have heard|['’]ve heard"
    r"|['’]ve read) (?:that\b|somewhere"
    r"|on|in|about)?|\ballegedly\b|\bquote\b|\bthey say\b|\bit says\b|\bsupposed to\b|\bsays (?:that"
    r"|to)\b|\bpeople say\b)"
)
_REPORTED_CHINESE = re.compile(
    r"(?:他|她|他们|她们|老板|同事|领导|经理|客户|朋友|老师|有人|别人|人家|大家|医生|专家|作者|博主|网友"
    r"|导师|父母|爸妈|妈妈|爸爸|老婆|老公|室友|邻居|小[一-龥])(?:[一-龥]{0,4}?)"
    r"(?:说|讲|写着|写道|写了|告诉|认为|觉得|喜欢|讨厌|习惯|要求|建议|推荐|提到|提过|规定|主张|坚持|强调"
    r"|问|回复|留言)"
    r"|(?:网上|文档|文章|教程|书上|报错|日志|助手|模型|手册|通知|公告|AI|网页|博客|说明书|合同|海报|群里"
    r"|新闻|报纸|论文|规范)(?:里|上|中|文件|内容)*(?:说|讲|写着|写道|写了|写的|认为|要求|建议|推荐|提到"
    r"|提过|规定|主张|强调)"
    r"|听说|据说|说是|所谓|据报道|传言|有种说法|俗话|常言|古人|名言"
)
_OTHERS_START = re.compile(
    rf"(?i)(?:(?:and|but|so|also|ok|hey|hi|well|btw)[,\s]+)*"
    rf"(?:(?:my|our|his|her|their|your|the|a|an|this|that|one"
    rf"|some)\s+(?:[\w’'-]+\s+){{0,2}}?(?:{_PEOPLE})\b(?!\s+(?:tongue|and i|data|records?|names?"
    rf"|portal|service|files?|photos?|list|ids?|app|area|room|library"
    rf"|side|code|sdk|field|table|api|database|page|module|numbers?)\b)|(?:he|she|they|someone|somebody"
    rf"|people|most people|everyone else)\b)"
)
_KIN_CHINESE = (
    "妈|爸|老公|老婆|丈夫|妻子|先生|太太|孩子|儿子|女儿|朋友|同学|室友|舍友|邻居|同事|老板|领导|客户"
    "|奶奶|爷爷|外婆|外公|姥姥|姥爷|哥|姐|弟|妹|表|堂|叔|姨|舅|男友|女友|对象|闺蜜|老师|导师|房东|前公司"
    "|前东家|上家|经理|主管|上司|领导|徒弟|学生|婆婆|公公|岳|侄|外甥|猫|狗"
)
_OTHERS_CHINESE = re.compile(
    rf"(?:^|[，,：:；])\s*(?:(?:但是?|不过|因为|而且|所以|其实)?(?:我|我们|我家|咱|咱们|他|她|有个|有位"
    rf"|一个|一位|某)(?:的|家|们|有个|有位)*(?:{_KIN_CHINESE})|(?:小[一-龥](?!时|组|店|学|区|公司|孩|猫|狗"
    rf"|程序|型|馆|数|写|说|于|心)|老[王李张刘陈杨赵黄周吴](?!师)|{_KIN_CHINESE}(?!的?照片|的?作业|的?成绩"
    rf"|办公室|系统|端|名|信息|数据|资料|编号|群|会)|他|她|他们|她们|别人|人家|有人|某人|隔壁|某公司|某个"
    rf"|对手|竞品|同行|网友|大家|很多人|别的(?:组|公司|团队)))"
)
_JOKE = re.compile(
    r"(?i)\b(?:lol|lmao|rofl|ha(?:ha)+h?|hehe+|sigh|ugh|yay)\b|[🤷🤦💀🥲😆😭🫠😂🤣😜😝🤪😉🙄🙃😏😅😒🤡🎶🎵♪♫]|(?:^"
    r"|\s)/s\b|哈哈|呵呵|嘿嘿|嘻嘻"
    r"|\b(?:oh sure|yeah,? right|as if"
    r"|means i (?:cry|suffer)|said no(?:body| one)|send help|exactly what i (?:wanted|needed)|i just love"
    r"|so much fun|thrilled|my favou?rite (?:hobby|pastime|activity|way to)"
    r"|what could (?:possibly )?go wrong|because of course"
    r"|(?:^|[.!?] )(?:oh,? |just |well,? )?(?:fantastic|great|wonderful|brilliant|awesome|lovely|super"
    r"|marvell?ous|splendid|bravo),\s(?!thanks|thank|that|now|so|and|but|ok|next|here|please|can|could"
    r"|let|one|also|my|our|we|i (?:use|prefer|live|work|am|have))|(?:^|[.!?] )(?:oh,? (?:yes|yeah|sure"
    r"|right|absolutely|definitely)|sure|of course|totally|absolutely|wow),? (?:because )?(?:i|we|our|my"
    r"|everyone|everybody)\b.{0,40}\b(?:always|never|every|love|loves|adore)\b|lucky me|living the dream"
    r"|rocket science|prayers?|praying|pixie dust|black magic|voodoo|duct tape"
    r"|on fire|nobody ever|said nobody|a tradition|like (?:real|true|proper) \w+|eye bags|sleep is for"
    r"|along the way|random features|for the (?:\w+(?:th|third|second"
    r"|umpteenth)|millionth) time|world[- ]class|as everyone knows|obviously we all|because obviously)\b"
    r"|(?i:\b(?:oh,? |just |how )?(?:great|wonderful|fantastic|brilliant|lovely|awesome|marvell?ous"
    r"|splendid|of course|sure),? (?:i (?:just |really |so |do )?(?:love|enjoy|adore)|another|exactly"
    r"|yet another|just what|because|we (?:all|never|always)|my favou?rite))"
    r"|最(?:爱|喜欢).{1,20}了(?:[，,！!]|\Z)|对对对|靠祈祷|靠缘分|靠运气|靠玄学|玄学|心诚则灵|呵|才怪"
    r"|真的太.{1,6}了呢"
    r"|可真|绝绝子|烧香|上香|都不嫌|而已|祖传|业界领先|谁看谁|遥遥领先|真是(?:体贴|太|好)|求求了|真卷"
    r"|好家伙|绝了"
)
_DAYS = "today|tonight|tomorrow|this (?:morning|afternoon|evening|week|weekend|month)"
_TEMPORARY = re.compile(
    r"(?i)\b(?:for now|just (?:this )?once|only this once|for the moment|for the time being|temporarily"
    r"|temporary|meanwhile"
    r"|this (?:time|once|round|run)|tomorrow|tonight"
    r"|(?:in|for|on|to|with) this (?:session|pr|branch|file|commit|chat|conversation|case|task|one|ticket"
    r"|example|exercise"
    r"|change|patch|function|test|script|page|demo|draft|document|letter|class|method|query|table|email"
    r"|mail|text|paragraph)"
    r"|right now|atm|(?:mins?|minutes|hours|hrs|days) left|at the moment"
    r"|until (?:then|later|further|i|we|the|next|tomorrow|tonight|\w+day)"
    r"|while (?:i|we|you|the)"
    r"|as a test|for (?:the|a) (?:demo|test|meeting|call|presentation|workshop|interview|moment|while"
    r"|second|minute|few)"
    r"|first of all|quick(?:ly)? (?:test|try|check)|just (?:had|did|got|came|went|finished|started|woke"
    r"|saw)|still (?:waiting"
    r"|tired|on my)|on my (?:phone|way)|so far|any more for today|these (?:two|few|couple of) days"
    r"|in a (?:bit|minute|sec|hour)"
    r"|(?:next|coming) (?:mon|tues|wednes|thurs|fri|satur|sun)day|out sick|on (?:holiday|vacation|leave)"
    r"|currently down)\b"
)
_DATED = re.compile(
    rf"(?i)\b(?:{_DAYS}|yesterday|last (?:night|week|time)|this (?:year|quarter)|for (?:dinner|lunch"
    rf"|breakfast)|in (?:room|hall) \w+|an hour ago|earlier)\b"
)
_TEMPORARY_CHINESE = re.compile(
    r"这次|这一次|本次|这回|(?<![优首事原祖领率])先(?![生进前]|看|给|列|写|总结|说|用一|打|跑|问|过|评|审"
    r"|做|把|备|通|查|测|建)|暂时|临时|今晚|明天|待会|等下|等会|一会儿?|眼下"
    r"|这会儿?|这阵子|这几天|这两天|过两天|这周|下周(?!期)|马上|正在|目前还|现在还|先这样|先别|先不|改天"
    r"|回头|此刻|出差|等我"
)
_ONE_DAY = re.compile(
    r"(?i)^(?!.*\b(?:always|never|every|each|only|no|nobody|closed|open|usually|policy|except|don['’]t|must|may)\b)"
    r".*\bon (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)\b"
)
"""One Saturday, as nothing says that it is any."""
_DATED_CHINESE = re.compile(
    r"今天(?!起|开始)|今早|今儿|昨天|昨晚|刚才|刚刚|前天|上周(?!五|期)|(?<![每逢])(?:周"
    r"|星期)[一二三四五六日天](?:晚上?|早上|下午|上午|中午)?(?:有|要(?!求)|去|吃|见|考|回|来|到|交|约|聚"
    r"|请)|上午好|早上好|下午好|晚上好"
)
_TROUBLE = re.compile(
    r"(?i)\b(?:errors?|fail(?:s|ed|ing|ures?)?|crash(?:es|ed|ing)?|exceptions?|traceback|broken|bugs?"
    r"|buggy|hangs?|hanging"
    r"|freez(?:es?|ing)|stuck (?:at|in|with)|doesn['’]?t (?:work|compile|build|start|load|show|run|match"
    r"|fit|exist|return|respond)"
    r"|not working|isn['’]t working|won['’]t (?:start|work|build|compile|load)|weird|strange|wrong(?:ly)?"
    r"|problems?|issues?"
    r"|slow|timeouts?|times? out|timing out|leak(?:s|ing)?|missing|nan|undefined|null|refused|rejected"
    r"|denied|red|flaky"
    r"|out of (?:memory|date|disk)|too (?:long|short|big|slow|many|much|formal|cold|small)|complain(?:s"
    r"|ing)?|confus(?:ed|ing)"
    r"|throws?|throwing|typo|a mess|disaster|nightmare|trouble|down|panic(?:s|ked)?|segfaults?|(?:status"
    r"|http|code|an?|returns?|gives?|gets?|getting|got) (?:code )?[45]\d\d|stops? working"
    r"|keeps? (?:\w+ing))\b"
)
_TROUBLE_CHINESE = re.compile(
    r"报错|出错|错误|失败|崩|卡住|卡死|卡着|不行|不起作用|打不开|连不上|跑不(?:起来|通)|编译不|异常|问题"
    r"|超时|太慢|很慢|好慢|挂了|坏了|漏|缺|丢|乱码|返回空|匹配不|不对劲|奇怪|死循环|内存溢出|怪"
    r"|少一?[个条行]|多一?[个条行]了|写得太|不出来|没反应"
)
_ADDRESSED = re.compile(
    r"(?i)\byou(?:['’]ve| have| just| also| only| already| even){0,2} (?:gave|given|wrote|written|said"
    r"|made|did|changed|returned|used"
    r"|forgot|missed|added|removed|put|broke|called|showed|suggested|sent|mentioned|produced|generated"
    r"|got|had|kept|ignored"
    r"|skipped|left|were|meant|asked|told)\b|\byou(?:['’]re| are)? (?:always|never|keep|still|seem"
    r"|constantly|often)\b"
    r"|\byour (?:\w+ ){0,2}(?:code|answer|example|summary|version|draft|output|function|reply|response"
    r"|table|text|script|solution|fix|diff|patch"
    r"|regex|query|suggestion|second|first|last|previous|compose|file|list|translation|explanation|plan"
    r"|sketch|snippet|loop)\b"
    r"|\b(?:in|on) line \d+\b"
    r"|\bwhen you (?:say|write|do|are|answer|talk)\b|\byour\b(?! own)|\b(?:first|second|third|fourth|last"
    r"|previous|next|above|following) (?:paragraph|example|version"
    r"|sentence|draft|answer|one|option|line|point|section)\b"
)
_ADDRESSED_CHINESE = re.compile(
    r"你(?:给|写|刚|说|的(?!时候)|这|那|总是?|老是?|又|改|生成|返回|用的|发|提|漏|忘(?!记)|把|上[一次]"
    r"|记[的了着过]|前面|上面|刚才)|第[一二三四五六七八九十\d]+(?:段|版|句|个例|条|点|列|页|格|张|个版)|上面(?:这|那)"
    r"|刚才"
)
_SECRET = re.compile(
    r"(?i)\b(?:pass ?words?|pass ?phrases?|pass ?codes?|pin(?: code| number)?|api[ _-]?keys?|(?:access"
    r"|auth|bearer|api|secret|refresh|bot)[ _-]?tokens?"
    r"|tokens?|secrets?|credentials?|private keys?|(?:safe|door|gate|alarm|entry|lock|garage|vault|locker"
    r"|access|unlock)(?:['’]s)? (?:code|combination)"
    r"|combination|recovery (?:code|phrase|key)|seed phrase|cvv|card number|iban|social security number"
    r"|ssn|logins?|pwd|psk)\b"
    r"(?P<between>[^.!?\n]{0,60}?)(?:\s(?:is|are|was|be|reads?)\b|['’]s\b|[:=])\s*(?:still |now |just |called )?"
    r"(?!(?:stored|kept|in|never|always|required|managed|generated|not|only|valid|rotated|hashed"
    r"|encrypted|handled|checked|sent"
    r"|passed|read|injected|mounted|a|an|the|my|our|loaded|shared|set|on|at|under|issued|from|refreshed"
    r"|expired|verified|case"
    r"|must|should|short|long|needed|optional|masked|redacted|scoped|per|and|or|to|what|where|how|very"
    r"|too|all|limited)\b)\S"
    r"|\blog-?ins?\b[^.!?\n]{0,30}\S\s?/\s?\S"
    r"|\b(?:wi-?fi|wlan|hotspot|ssid)\b.*(?:[:=]|\bkey\b|\bis\b)|\bkey \S*\d\S*|\b(?:use|with"
    r"|using)(?: the| this)? (?:token|key|password|secret|passphrase|pin) (?=\S*[\d-])\S{4,}"
)
_SECRET_CHINESE = re.compile(
    r"(?:密码|口令|密钥|令牌|验证码|暗号|卡号|银行卡|身份证号?|账号|PIN ?码|pin ?码|门禁码|开锁码|助记词"
    r"|私钥)[^，。,.;；!?！？]{0,12}?(?:是|为|[:：=]|\s)\s*[A-Za-z0-9!@#$%^&*_.-]{3,}"
    r"|(?:[Tt]oken|[Aa][Pp][Ii] ?[Kk]ey|[Ss]ecret)[^，。,.;；!?！？a-z]{0,12}?(?:是|为"
    r"|[:：=])\s*[A-Za-z0-9!@#$%^&*_.-]{3,}"
)


def _secret(sentence: Sentence) -> bool:
    """Looked for in quotes and code too: there a secret is most likely to stand."""
    return MASK in sentence.text or bool(_SECRET.search(sentence.text) or _SECRET_CHINESE.search(sentence.text))


def _asks(sentence: Sentence) -> bool:
    marked = "?" in sentence.closing or "？" in sentence.closing
    spoken = sentence.spoken
    return marked or bool(_QUESTION_START.match(spoken) or _QUESTION_CHINESE.search(spoken))


def _either(*patterns: re.Pattern[str]) -> Callable[[Sentence], bool]:
    return lambda sentence: any(pattern.search(sentence.spoken) for pattern in patterns)


_CHECKS: tuple[tuple[Doubt, Callable[[Sentence], bool]], ...] = (
    ("secret", _secret),
    ("question", _asks),
    ("embedded question", _either(_ASKING_WORDS_CHINESE)),
    ("supposition", _either(_SUPPOSITION, _SUPPOSITION_CHINESE)),
    ("condition", _either(_CONDITION, _CONDITION_CHINESE)),
    ("reported", _either(_REPORTED, _REPORTED_CHINESE)),
    ("others", lambda one: bool(_OTHERS_START.match(one.spoken) or _OTHERS_CHINESE.search(one.spoken))),
    ("joke", lambda one: bool(_JOKE.search(one.text + one.closing))),
    ("temporary", _either(_TEMPORARY, _TEMPORARY_CHINESE)),
    ("dated", _either(_DATED, _ONE_DAY, _DATED_CHINESE)),
    ("trouble", _either(_TROUBLE, _TROUBLE_CHINESE)),
    ("addressed", _either(_ADDRESSED, _ADDRESSED_CHINESE)),
)


def doubts(sentence: Sentence) -> frozenset[Doubt]:
    """Every reason why a sentence states nothing lasting of the person's own."""
    return frozenset(name for name, applies in _CHECKS if applies(sentence))


def doubt(sentence: Sentence, accepted: frozenset[Doubt] = NOTHING) -> Doubt:
    """The first such reason, or ""; those `accepted` belong to what is said ("never push unless …")."""
    return next((name for name, applies in _CHECKS if name not in accepted and applies(sentence)), NO_DOUBT)
