"""I prefer …, I usually …, X for me: what a person likes, how they work."""

from __future__ import annotations

from pipeline.extract.offline.rules.phrases import OBJECT, OBJECT_ZH, POINTING, rule
from pipeline.extract.offline.rules.standing import NO_VERB

_HOW = (
    r"(?: really| strongly| usually| generally| much| personally| also| only| always| mostly| still"
    r"| definitely| do| just| simply| normally| typically| absolutely| particularly| especially| quite"
    r"| very much| tend to| clearly| greatly| honestly)*"
)

_OFTEN = (
    r"(?:usually|normally|typically|generally|mostly|mainly|always|only ever|rarely|seldom|hardly ever"
    r"|almost always|almost never|tend to|nearly always|prefer to|never|primarily|exclusively|regularly"
    r"|consistently|habitually|as a rule|do(?:n['’]t| not) (?:usually|normally|generally|really"
    r"|typically))"
)

_NO_HABIT = (
    r"(?!(?:don['’]t|do not|get|see|find|forget|end|feel|wonder|think|have (?:problems?|trouble|issues?|to|a (?:hard"
    r"|problem))|fail|struggle|hear|assume|say|mean|hope|know|need|want|seem|understand|ask"
    r"|enjoy (?:these|this|our|talking|your|it|chatting)|confuse|mix|mess|love (?:it|this|these|how|when)"
    r"|appreciate|learn|lose|miss|break|make mistakes|have been|was|were|had|am|laugh|cry|regret)\b)"
)

_LIKE = (
    r"(?:prefer|like|love|dislike|hate|enjoy|avoid|favou?r|loathe|detest|despise|adore|swear by"
    r"|stick (?:to|with)|can['’]?t stand|cannot stand|can['’]?t bear|do(?:n['’]?t| not) (?:like|enjoy"
    r"|care for|want|love)|am (?:a (?:big |huge )?fan of|not (?:a|much of a) (?:big |huge )?fan of"
    r"|not (?:into|fond of)|fond of|allergic to)|['’]?m (?:a (?:big |huge )?fan of|not (?:a"
    r"|much of a) (?:big |huge )?fan of|not (?:into|fond of)|fond of))"
)

_LIKED = (
    r"(?!(?:it|this|that|them|him|her|you|your|how|what|where|why|when|which|all|option|plan|either"
    r"|neither|to (?:see|know|think|say|thank|ask|go|be|just|take a)|so|as|being|nothing|something|(?!(?:cook|bak|hik"
    r"|read|travell?|runn|swimm|garden|paint|sing|climb|cycl|danc|knitt|fish|camp|ski|sail|sew|draw|ski"
    r"|us)ing\b)\w+ing\b(?<!pudding)(?<!string)|talking|chatting|hearing|seeing|the|a lot|both|one"
    r"|version|these|those|our (?:chats|talks)|part|where|spending|getting your|when)\b|(?:it|that)['’]s)"
)


RULES = (
    # I prefer …, I can't stand …, I'm not a fan of …
    rule("preference", rf"(?P<body>i{_HOW} {_LIKE}\s+{_LIKED}\S.+)", "addressed", "trouble"),
    rule(
        "preference",
        rf"(?P<body>i{_HOW} (?:can['’]?t stand|hate|dislike|prefer|loathe|avoid) (?:those|these"
        rf"|the) (?!(?:last|first|second|third|new|idea|way|fact|version|output|results?"
        rf"|errors?)\b)(?:[\w-]+ ){{0,3}}?[\w-]+s\b.+)",
    ),
    rule(
        "preference",
        rf"(?P<body>i{_HOW} (?:like|prefer|love|take|want|drink|eat) my [\w -]+?s? (?:as|in|with|without|short"
        rf"|long|black|hot|cold|sorted|formatted|written|plain|simple|to be|on|at|concise|brief|well|medium"
        rf"|rare|bound|structured|grouped|ordered)\b.+)",
    ),
    rule(
        "preference",
        r"(?P<body>(?:i|i['’]d) (?:prefer|like|want|need) (?:you to |your |all |my )?(?:answers|replies"
        r"|responses|explanations|summaries|emails|code samples|commit messages|lists|reports|plans)\b.+)",
        "supposition",
        "addressed",
    ),
    rule("preference", rf"(?P<body>i {_OFTEN}\s+{_NO_HABIT}(?!\w+ {POINTING}\b){NO_VERB}\S.+)", "addressed"),
    rule(
        "preference",
        rf"(?P<body>i (?:only|always|never|mostly|mainly|usually|rarely|primarily|exclusively|just) (?:use"
        rf"|work|write|code|read|cook|drink|eat|buy|wear|drive|shop|bake|run|train|write|play|listen|watch"
        rf"|develop|speak)\s+{OBJECT}\S.+)",
    ),
    rule(
        "preference",
        rf"(?P<body>i do(?:n['’]?t| not) (?:use|eat|drink|drive|smoke|speak|own|do (?!not|it|that|this)"
        rf"|work (?:on|with|in|at|week|fri|mon|after|before|past)|take (?:calls|phone|meetings|sugar)|write"
        rf"|read|touch|wear|watch|have (?:an? (?:car|smartphone|phone|printer|oven|dishwasher|tv|garden"
        rf"|microwave|freezer|scale|mixer)|kids|children|social media))\s*{OBJECT}(?!(?:the (?:same|function"
        rf"|file)|any of)\b).+)",
    ),
    rule(
        "preference",
        r"(?P<body>my (?:preferred|favou?rite|usual|default|go-?to|main|primary|daily"
        r"|standard)(?: [\w-]+){1,3} (?:is|are|has always been)\s+(?!(?:it|this|that|your|the (?:first|second"
        r"|last|one)|waiting|how|when|where|to|part|being|watching)\b)\S.+)",
    ),
    rule(
        "preference",
        rf"(?P<body>i['’]?m (?:also |really |definitely )?(?:not (?:a|much of a) (?:big |huge )?fan of"
        rf"|a (?:big |huge |great )?fan of|not (?:into|fond of|keen on)|fond of|keen on)\s+{_LIKED}\S.+)",
    ),
    rule(
        "preference",
        rf"(?P<body>i (?:also |only |still |do |just |mostly )*(?:drink|eat|drive|wear|commute|cycle"
        rf"|play(?= (?:the|an?|in|chess|football|tennis|guitar|piano|violin|cello|drums)\b)|sing in|grow|sleep"
        rf"|get up|wake up|go to bed|paint|knit|collect|take (?:my|the (?:train|bus|tram|bike))|train for"
        rf"|do (?:the|all|most of) [\w ]+? (?:for|at|in|on)|keep (?:my|a|all|the)|meditate|run (?:marathons"
        rf"|every|\d)|brew|fish|volunteer|rent|share|cook for|live with|live on|travel with|swim|hike|bake|sew"
        rf"|buy|shop at|bank with|vote|fast)\b(?! {POINTING}\b)(?! (?:a|the) (?:look|break|note|while|minute"
        rf"|second|screenshot|backup|copy|list|record of this)\b)\s?.*)",
    ),
    rule(
        "preference",
        rf"(?P<body>for (?:my |all |most |quick |bigger |new |personal |the )*[\w -]{{3,30}},? i (?:always "
        rf"|usually |only |mostly |still )?(?:use|prefer|take|go with|write in|choose|wear|pick|rely on"
        rf"|stick to|stick with)\s+{OBJECT}\S.+)",
    ),
    rule(
        "preference",
        r"(?P<body>(?!(?:it|this|that|these|those|read|use|if|the|not|one|works|for|run|there|error|write"
        r"|change|fix|print|show|give|list|answer)\b)[\w+/' -]{3,40} only(?:,? please|,? for me|, (?:i|no"
        r"|never|not) .*))\Z",
    ),
    rule("preference", r"(?P<body>i like it when you .+)"),
    rule(
        "preference",
        rf"(?P<body>(?:when|for|while) \w+ing,? i (?!(?:get|see|have|keep getting|need|want|can|could|am"
        rf"|noticed|found|got)\b)\w+(?<!ed)\s+{OBJECT}\S.+)",
    ),
    rule(
        "preference",
        r"(?P<body>i (?!(?:need|want|have|see|get|tried|lost|found|did|do|am|was|can|could|would|know|think"
        r"|mean|said|said|ran|made|put|got|had|took|broke|understand|understood|thought|forgot|gave|sent"
        r"|wrote|saw|let|hope)\b)\w+(?<!ed) (?:everything|all my [\w ]+|all the \w+|my \w+s|most things"
        r"|most of my \w+|dates|numbers|names|files|branches|prices|amounts|code) (?:in|on|with|by|as|at|from"
        r"|through|via|under|to)\b.+)",
    ),
    rule(
        "preference",
        r"(?P<body>i (?:write|use|format|name|spell|say|call|put|eat|drink|wear|cook|read|type|work|count"
        r"|sort|measure|store|keep|buy|pay|take) [^,;?]{2,60}, (?:never|not) \S.+)",
    ),
    rule(
        "preference",
        rf"(?P<body>my (?:\w+ )?(?:style|approach|rule of thumb|motto|habit|routine|taste|comfort food|setup"
        rf"|workflow|schedule|method|ritual|diet|strength|weakness|goal in writing) (?:is|are"
        rf"|has always been)\s*:?\s+(?!{POINTING}\b|\w+ing\b|to\b|not working|broken|a mess)\S.+)",
    ),
    rule(
        "preference",
        r"(?P<body>i(?:['’]?m| am) (?:happiest|most productive|at my best|more productive|most comfortable"
        r"|better (?:with|at)|a fan) (?:with|when|in|at|on|before|after|if|working|alone)?\b.+)",
        "condition",
    ),
    rule(
        "preference",
        rf"(?P<body>i (?:can['’]?t|cannot|can not) (?:concentrate|focus|sleep|work|eat|drink|drive"
        rf"|read (?:small|long|tiny|on|without|maps|music|handwriting)|see (?:red|green|colou?rs?|small|well)"
        rf"|hear|do (?:evenings|mornings|mondays|weekends|nights|early|late|maths?|fridays)|swim|smell|taste"
        rf"|digest|lift|sit (?:long|for)|use (?:my|a mouse|screens)|bear|tolerate|take (?:calls|aspirin"
        rf"|ibuprofen|penicillin)|wear|cook|bend)\b(?! (?:{POINTING}|the)\b).*)",
    ),
    rule(
        "preference",
        r"(?P<body>i['’]d (?:(?:much|far|always) (?:rather|sooner)|always (?:choose|take|prefer|pick"
        r"|go for)) .+)",
        "supposition",
    ),
    rule(
        "preference",
        r"(?P<body>i (?:really |absolutely |also )?(?:hate|dislike|can['’]?t stand"
        r"|don['’]?t like)(?: it)? when (?!(?:you|it|this|that|my|he|she)\b).+)",
    ),
    rule(
        "preference",
        rf"(?P<body>i (?:always |usually |mostly |only |still )?(?:take notes|listen to|subscribe to"
        rf"|write letters|pay (?:in|by|with)|bike|walk to|draw|practi[cs]e|study in"
        rf"|speak with)\b(?! {POINTING}\b)(?! (?:the|an?) ).*)",
    ),
    # … for me; X over Y; short answers please
    rule(
        "preference",
        r"(?P<body>(?!(?:fix|do|write|check|make|run|translate|can|could|is|it|this|that|these|works?|good"
        r"|fine|find|get|send|thanks|explain|draft|create|add|review|look|please|what|leave|the|open|move"
        r"|generate|set|build|clean|convert)\b)[\w'’/. -]{2,60}?\b(?:only|over|instead of|rather than|clock"
        r"|units|format|style|theme|mode|layout|spacing|indentation|quotes"
        r"|notation)\b[\w'’/. -]{0,40}? for me\b(?:,? (?:please|thanks|thank you|always|thx))?.{0,80})\Z",
    ),
    rule("preference", r"(?P<body>for me,? (?:please )?(?:only|always|never) .{3,80})"),
    rule(
        "preference",
        r"(?P<body>(?!(?:it|this|that|these|use|put|turn|move|hand|pull|drag|take|go|look|think|start|bring"
        r"|run|hover|get|carry|went|switch|iterate|loop|based)\b)[\w.+#'’-]+(?: [\w.+#'’-]+){0,2} over [\w.+#'"
        r"’-]+(?: [\w.+#'’-]+){0,2},? (?:always|any ?day|every time|please|in (?:every|all|any) .{2,40}"
        r"|whenever possible|everywhere|for everything|if possible))\Z",
        "condition",
    ),
    rule(
        "preference",
        r"(?P<body>(?!(?:it|this|that|these|use|i)\b)[\w.+#'’-]+(?: [\w.+#'’-]+){0,2}, (?:not|never"
        r"|no) [\w.+#'’-]+(?: [\w.+#'’-]+){0,2},? (?:always|any ?day|please|everywhere|for everything"
        r"|in (?:all|every) .{2,30}))\Z",
    ),
    rule(
        "preference",
        r"(?P<body>(?:please )?(?:keep|make) (?:your |the |all )?(?:answers|replies|responses|explanations"
        r"|messages to me) (?!with|from|for|in the)\S.+)",
        general=True,
    ),
    rule(
        "preference",
        r"(?P<body>(?:please )?(?:no|avoid|do(?:n['’]?t| not) (?:use|put|write|add|give me)|skip|leave out"
        r"|drop|spare me|stop using) [\w ,'’-]{3,50}? (?:in|from|with) (?:your |all |any of your )?(?:answers"
        r"|replies|responses|explanations|messages))\Z",
        "addressed",
    ),
    rule(
        "preference",
        r"(?P<body>(?:short|brief|concise|long|detailed|plain|direct|blunt|honest|terse|formal|informal"
        r"|simple) (?:answers|replies|responses|explanations|sentences)\b(?: (?:only|please|are|suit|work"
        r"|preferred|help|over|without|with|and)\b.*)?)\Z",
    ),
    rule(
        "preference",
        r"(?P<body>i find (?!it\b|this\b|that\b|out\b|these\b|the (?:code|function|second|first"
        r"|error)\b)[\w '’-]{3,50}? (?:easier|better|clearer|more (?:readable|useful|pleasant|helpful"
        r"|natural)|harder|annoying|distracting|hard|tiring|exhausting|confusing)\b.*)",
        "trouble",
    ),
    rule(
        "preference",
        r"(?P<body>i (?:work|think|learn|focus|sleep|write|code|concentrate) (?:best|better|most"
        r"|faster) (?:in|at|with|when|by|before|after|from|during|on|if|late|early)\b.+)",
        "condition",
    ),
    rule(
        "preference",
        r"(?P<body>(?!(?:it|this|that|which|what)\b)[\w '’-]{3,50}? (?:suits?|works? (?:best|better)|(?:is"
        r"|are) (?:easier|better|best|easiest|fine|enough)) (?:me best|me better|me|for me)(?: .{0,60})?)\Z",
    ),
    rule(
        "preference",
        r"(?P<body>(?:please )?(?:call|address) me (?!back|when|if|later|crazy|at|tomorrow|today|old|on|a|an"
        r"|the)\S.+)",
    ),
    rule(
        "preference",
        r"(?P<body>i(?:['’]m| am|m) (?:more )?(?:an? (?:early bird|night owl|morning person|evening person"
        r"|visual learner|light sleeper|tea drinker|coffee drinker|meat eater|picky eater|keyboard person"
        r"|mouse person|list person)|a \w+ (?:person|guy|girl|learner|eater|drinker|user))\b.*)",
    ),
    # 我喜欢 …, 我受不了 …
    rule(
        "preference",
        rf"(?P<body>(?:我|我们|咱们|本人)(?:个人|自己|一般|通常|平时|一直|总是|都|还是|比较|更加?|最|很|非常"
        rf"|真的?|也|特别|不太?|从来不|从不|其实|向来|就|只|超|蛮|挺|稍微|有点|一贯|尤其)*(?:喜欢|偏好"
        rf"|习惯(?!了)|讨厌|爱用|爱看|爱吃|爱喝|爱听|倾向于?|只用|常用|受不了|反感|不爱|更愿意|偏爱|钟爱|热衷"
        rf"|喜爱|厌恶|看不惯|怕吃)\s*(?!的(?![^，,]*是))(?!{OBJECT_ZH[3:-1]}).{{2,}})(?<!了呢)\Z",
        "embedded question",
    ),
    # 我平时都 …, 写周报我都 …
    rule(
        "preference",
        r"(?P<body>(?:我|本人)(?:个人|自己|这边)?(?:(?:一般|通常|平时|平常|总是|向来|从来(?=不)|从不|一向"
        r"|基本上?|主要|习惯上|大多|大部分时间|长期|常年|每天|每周|每晚|每个?月|每逢|(?:每)?(?:周"
        r"|星期)[一二三四五六日末]|早上|晚上|上午|下午|周末|工作日|几乎|只)+(?:都|也|是|会|在|只)*"
        r"|一直(?:都)?(?=用|住|吃|写|喝|按|在用|是用|拿|坐)|都是?(?=用|按|以|拿|写|从|走|靠)|不(?=用(?!管|再"
        r"|担心|说|谢)|吃|喝|抽|看电视|开车|熬夜|加班|接电话|玩))(?!不明白|不懂|不知道|不理解|没|以为|想|觉得"
        r"|在想|都在想|搞不|分不|记不|说不|报|收到|遇到|出现|卡|忘|犯|是这么想)(?![这那它他她你]).{2,})",
    ),
    rule(
        "preference",
        r"(?P<body>我(?:写|做|看|听|读|吃|喝|买|穿|用|开|画|记|备|上|教|跑|出|睡|改|读|拍|点|煮"
        r"|泡)[^，,。你他她这那的了]{0,6}?(?:只|都|一般|通常|总是|从来|从不|习惯|喜欢|偏好|不(?=用|放|看|吃"
        r"|加|写|穿|戴|开|喝|带)|一定|必须|必)(?!是因为|没|报|会报|出)[^这那它]{2,}.*)",
    ),
    rule(
        "preference",
        r"(?P<body>(?!我|你|他|她|这|那|把|请|帮)[^，,。我你]{1,12}我(?:都|一般|通常|平时|习惯|喜欢|只"
        r"|从来不?|一直|总是|更喜欢|不喜欢|从不|向来|基本|偏好)(?!在想|没|想|不(?:懂|会|知道|明白|清楚"
        r"|记得))(?:是|用|按|写|放|不|喜欢|习惯|吃|喝|走|选|会|要|只|看|做|拿|坐|买|穿)*[^，,]{1,}.*)",
    ),
    rule(
        "preference",
        r"(?P<body>(?:跟|对|给|和)我(?:说话|说|讲|讲话|沟通|交流|回复|回答|写)?[^，,这那]{2,14}(?:就行|就好"
        r"|即可|就可以|吧|为主|最好)(?:[，,].*)?)\Z",
    ),
    rule(
        "preference",
        r"(?P<body>(?:(?:你的|所有的?|以后的|给我的)?(?:回答|回复|解释|答复|代码注释|注释|示例代码|邮件|总结"
        r"|说明|变量名|提交信息|标题)(?:的时候|时|里|中)?(?:请|都|一律|统一|尽量|最好|永远|务必|麻烦)+)(?:要"
        r"|用|保持|简短|简洁|直接|不要|别|少|短|控制|写|以|按|给)[^这那]*.*)",
        general=True,
    ),
    rule(
        "preference",
        r"(?P<body>(?:我的?(?:口味|饮食|编辑器|终端|系统|电脑|手机|键盘|时区|常用语言|主力语言"
        r"|默认[^，,]{1,6}|习惯|偏好|原则|风格)(?:偏|比较|是|用的是|用|在|一直是"
        r"|装的是)(?![这那什]))[^，,]{1,}.*)",
    ),
    rule("preference", r"(?P<body>(?:叫|称呼)我(?:[^，,这那一]{1,8})(?:就行|就好|就可以|即可|吧)(?:[，,].*)?)\Z"),
)
