"""Remember this: what a person asks to be kept in so many words, and what is to hold from now on."""

from __future__ import annotations

from pipeline.extract.offline.rules.phrases import rule

_NOT_RECALLED = (
    r"(?!to\b|when\b|how\b|why\b|what\b|who\b|where\b|me\b|the (?:time|day|days|other)\b|last\b|us\b"
    r"|that time\b|our (?:first|last)\b|as\b|and\b)"
)

_SUBJECT = (
    r"(?=(?:i|i['’]?m|i['’]ve|im|my|our|we|we['’]re|the|all|every|each|any|no|nobody|never|always|only"
    r"|there|in|on|at|both|when|if|\d|(?-i:[A-Z]))(?:\b|['’]))"
)

_VERB = (
    r"\b(?:is|are|was|am|has|have|uses?|runs?|must|should|needs?|lives?|prefers?|likes?|hates?|never"
    r"|always|don['’]?t|do not|doesn['’]t|can['’]?t|cannot"
    r"|only|pay|pays|bake|bakes|has to|have to|stands? for|means?|goes|go|belongs?|works?|wants?|speaks?"
    r"|owns?|starts?|ends?|opens?|closes?|gets?|takes?|comes?|expires?"
    r"|listens?|sits?|keeps?|costs?|requires?|contains?|holds?|i['’]?m|we['’]?re|it['’]s|\w+['’]s|deploy"
    r"|ship|release|close|meet|write|eat|drink|drive|call|called|allergic)\b"
)
_PLEASE = (
    r"(?:(?:please|pls|can you|could you|will you|would you|you should|you must|you can|make sure (?:you"
    r"|to)|i want you to|i need you to|always|just|kindly|try to),?\s+)*"
)

_VERBS = (
    r"(?:remember|memori[sz]e|keep (?:this |that |it )?in mind|bear (?:this |that )?in mind|(?:do not"
    r"|don['’]?t|never) (?:ever )?forget|make a (?:mental |quick )?note|take note|be aware"
    r"|(?:jot|note|write|put) (?:this |that |it |the following )?down|(?:save|store|keep|record|add|put"
    r"|file) (?:this|that|the following)(?: fact| info(?:rmation)?| one)?"
    r"(?: (?:to|in|into|on|under) (?:your |the |my )?(?:memory|notes?|profile|memories|knowledge|files?"
    r"|records?))?|(?:add|save|commit|store) to (?:your )?(?:memory|notes))"
)
_NOUNS = (
    r"(?:for (?:the|your) (?:records?|notes|memory|files)|for (?:any )?(?:future|later|your) (?:reference"
    r"|sessions?|chats?|conversations?)|for later|for next time|for the future|note to self(?: and \w+)*"
    r"|(?:one|some)thing (?:to|you should|worth) (?:remember(?:ing)?|keep(?:ing)? in mind|know(?:ing)?"
    r"|note|noting)|worth (?:remembering|noting|knowing)|to remember|memo|memory"
    r"|things? to remember|important(?: to (?:know|remember|note))?|good to know)"
)
_MORE = (
    r"(?: (?:for (?:me|later|next time|the future|future reference|good|all future (?:chats|sessions)"
    r"|reference)|about (?:me|us|this project|our team|the project|my setup)|from now on|please"
    r"|going forward|forever|permanently|too|as well|always))*"
)


_ASKING_ZH = (
    r"(?:你|您|帮我|给我|替我|要|得|务必|一定要?|千万|以后|今后|另外|永远|先|再)*(?:记住|记下来?|记着"
    r"|记牢|牢记|谨记|记一下|记一笔|记一条|记好|存一下|存下来|保存一下|备注(?:一下)?|备忘|(?<=请)注意"
    r"|写进(?:你的)?(?:记忆|备忘录?|笔记)|(?:加|存|记|写)(?:到|入|进)(?:你的)?(?:记忆|备忘录?|笔记)(?:里"
    r"|中)?|把(?:这个|这条|这点|这件事|这|下面(?:这)?[条点句]?|以下)(?:内容|信息|事)?(?:给我|帮我)?(?:记"
    r"|存|写|加|保存)[^：:，,。]{0,8}"
    r"|(?:加|存|记)(?:一|个)?(?:条|个)?(?:信息|要点)|(?:加|存|记)(?:一|个)条?(?:记忆|备忘|笔记))(?:了"
    r"|一下|下来|哦|哈|啊|呀|吧|着|好|喔|噢|呐|呢)*"
)
_REMIND_ZH = (
    r"(?:你|您|帮我|给我|要|务必|一定要?|千万)*(?:别忘(?:了|记)?|不要忘(?:了|记)?|勿忘|记得|提醒(?:你"
    r"|您)?(?:一下|一句)?|注意(?:一下)?)(?:哦|哈|啊|呀|吧|了|喔)*"
)


RULES = (
    # remember that …, note: …, for future reference: …, add this to your memory: …
    rule(
        "asked",
        rf"{_PLEASE}(?:{_VERBS}|note|{_NOUNS}){_MORE}(?:,? that\b|[^:;.?!,\n]{{0,50}}[:—–]\s"
        rf"|[^:;.?!,\n]{{0,50}}\s-\s|\s*[:—–]|\s+-|,(?=\s*(?:my|our|we|the|i|i['’]?m|all|every|never|always"
        rf"|no)\b)|\s+this\s*:)\s*{_NOT_RECALLED}(?P<body>\S.+)",
        "condition",
        "reported",
        "others",
        "trouble",
        "dated",
        "embedded question",
        "addressed",
    ),
    rule(
        "asked",
        rf"{_PLEASE}(?:remember|keep in mind|bear in mind|(?:do not|don['’]?t) forget|be aware"
        rf"|note){_MORE}\s+{_NOT_RECALLED}{_SUBJECT}(?P<body>(?=\S.*{_VERB})\S.+)",
        "condition",
        "others",
        "embedded question",
        "trouble",
    ),
    rule(
        "asked",
        rf"{_PLEASE}(?:remember|keep in mind|bear in mind|(?:do not|don['’]?t) forget)\s+(?P<body>(?:i['’]?m"
        rf"|i am|i['’]ve|my|our|we|we['’]re|i)\s(?!(?:told|said|asked|mentioned|sent|gave|showed|was|keys"
        rf"|order)\b)\S+ \S.+)",
        "condition",
        "others",
        "trouble",
    ),
    rule(
        "asked",
        r"(?P<body>(?:when|whenever|if) i (?:say|write|mention|type|call|talk about"
        r"|speak of)\b[^.;]{2,80}?,? (?:it (?:means|stands for|is)|i (?:mean|am talking|refer|always mean)"
        r"|that (?:means|is)|i['’]m talking)\b.+)",
        "condition",
        "question",
        "embedded question",
    ),
    # a quick thing to remember about me: …, you will need this later: …
    rule(
        "asked",
        rf"(?!(?:do|did|can|is|are|what|how|why|who|when|where|if|i|he|she|they|we|the|that"
        rf"|it)\b)[^:.!?\n]{{0,50}}\b(?:remember(?:ing)?|keep in mind|for (?:next time|later|future (?:chats"
        rf"|use|reference|sessions)|the future|good)|this later|(?:your|to) memory|your notes|for the record"
        rf"|don['’]t forget|do not forget|(?:should|need to|must|good to|worth|useful to) (?:know|remember"
        rf"|note))\b[^:.!?\n]{{0,40}}[:—–]\s+{_NOT_RECALLED}(?P<body>\S.{{5,}})",
        "condition",
        "reported",
        "others",
        "trouble",
        "dated",
        "embedded question",
        "addressed",
    ),
    # …, remember that
    rule(
        "asked",
        rf"(?P<body>(?=(?:i|i['’]?m|im|my|our|we|we['’]re|the|all|every|no|never"
        rf"|always)\b).{{6,200}}?)\s*[,;—–-]+\s*(?:so |and )?{_PLEASE}(?:remember|note|save|memori[sz]e"
        rf"|keep) (?:that|this|it)(?: in mind| down| for (?:later|next time|the future"
        rf"|me))?(?:,? (?:please|ok(?:ay)?|thanks))?\Z",
        "condition",
        "others",
        "trouble",
    ),
    # from now on …, … from now on
    rule(
        "asked",
        r"(?:from (?:now|here|today) on(?:wards?)?|from this point on|going forward|henceforth|as a rule"
        r"|as a general rule|by default|in (?:the )?future|in all (?:future )?(?:chats|sessions|answers"
        r"|replies)|at all times)[,:]?\s+(?:please\s+)?"
        r"(?!(?:it|this|that|there|he|she|they|i['’]ll|i will|i might|we['’]ll see)\b)(?P<body>\S.+)",
        "condition",
        "embedded question",
        "trouble",
        "question",
        "addressed",
    ),
    rule(
        "asked",
        r"(?!i\b|it\b|this\b|that\b|there\b|he\b|she\b|they\b)(?P<body>\S.{3,200}?),?\s+(?:from (?:now|here"
        r"|today) on(?:wards?)?|going forward|in (?:the )?future|every (?:single )?time|as a rule"
        r"|at all times)(?:,? (?:please|thanks|ok(?:ay)?))?\Z",
        "condition",
        "embedded question",
        general=True,
    ),
    # when I paste …, give me …
    rule(
        "asked",
        r"(?P<body>(?:when|whenever|every time|each time|any time|anytime|if) i (?:paste|ask|send|say|share"
        r"|post|give|show|type|write|mention|call|use|request|upload|drop|start|tell|talk|want|need|forget"
        r"|link|refer|quote)\b[^.;]{2,120}?[,\s]\s*"
        r"(?:then |please |just |you (?:should|must|can) |i want you to |only |always |never |do not |don['’]?t )*"
        r"(?:give|show|answer|reply|respond|use|start|keep|tell|explain|skip|assume|put|write|check|ask"
        r"|translate|list|include|default|point|read|summari[sz]e|quote|treat|stick|run|send|be|begin|add"
        r"|leave|convert|format|suggest|remind|propose|offer|mention|correct|fix|look|stop|wait|switch|call"
        r"|round|mark|omit|ignore|avoid)\b.+)",
        "condition",
        "question",
        "embedded question",
        "trouble",
        "addressed",
    ),
    # 请记住 …, 帮我记一下：…
    rule(
        "asked",
        rf"{_ASKING_ZH}[：:，,、\s]*(?P<body>\S.+)",
        "condition",
        "reported",
        "others",
        "trouble",
        "dated",
        "embedded question",
    ),
    rule(
        "asked",
        rf"{_REMIND_ZH}(?:[：:，,、\s]+|(?=我|我们|咱|公司|团队|每|所有|本))(?!要?(?:跑|去|把|提交|更新|检查"
        rf"|改|写|删|发))(?P<body>\S.+)",
        "condition",
        "reported",
        "others",
        "trouble",
        "embedded question",
    ),
    # 以后 …
    rule(
        "asked",
        r"(?:我希望)?(?:以后|今后|往后|日后|从(?:今|此)(?:以|往)?后|下次(?:起|开始)|从(?:现在|今天|今|即日"
        r"|下次|这次)(?:起|开始)|之后)(?:的?(?:所有|每次)?(?:对话|聊天|会话)(?:里|中)?)?(?:[，,：:]\s*|\s*)"
        r"(?!再说|可能|也许|会|能|想|有机会|应该|不知道|怎么|有空|咱们?再|我们再|我会|我想|我要|前端|后端"
        r"|程序员|大家)(?P<body>(?=.{0,24}?(?:请|都|一律|不要|别|必须|统一|只|每次|所有|先|用|写|给我|跟我|按"
        r"|叫|直接|务必|少|多用|尽量|默认|不用|不许|放|回|标|列|带|附|加))[^这那它].+(?<!了))\Z",
        "condition",
        "embedded question",
        "trouble",
    ),
    rule(
        "asked",
        r"(?:以后|今后|往后|从现在(?:起|开始)|从今(?:往|以)后)[，,：:]?\s*(?P<body>(?:请|都)?(?:别|不要"
        r"|不用)(?:再)?[^这那它].{1,}了)\Z",
        "condition",
    ),
    # 每次我 …，就 …
    rule(
        "asked",
        r"(?P<body>(?:当我(?!们)|每次我(?!们)|每当我?(?!们)|只要我(?!们)|凡是我(?!们)|凡是|遇到|如果我(?!们)"
        r"|要是我(?!们)|我(?=(?:发|贴|问|说|给|提|丢|传)))[^，,。]{2,24}?(?:时候?|时"
        r"|的话)?[，,]\s*(?:你)?(?:请|就|都|先|直接|一律|给我|别|不要|必须|务必|统一|只要?"
        r"|记得)+[^，,]{2,}.*)",
        "condition",
        "embedded question",
        "trouble",
        "temporary",
        "addressed",
    ),
)
