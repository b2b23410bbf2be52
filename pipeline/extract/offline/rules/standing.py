"""Never …, always …, every … must …: what a person lays down for the work."""

from __future__ import annotations

from pipeline.extract.offline.rules.phrases import (
    HABIT_TIME,
    HARD_VALUE,
    HOUSE,
    OBJECT,
    PERSON_ZH,
    PLAIN,
    POINTING,
    WEEK_ZH,
    rule,
)

NO_VERB = (
    r"(?!(?:mind|again|ever|a|an|the|been|had|fun|good|nice|so|this|that|it|has|have|was|were|got|did"
    r"|said|saw|went|knew|be afraid"
    r"|found|made|heard|thought|felt|feel|feels|wonder|love|loved|look|here|there|on|at|in|up|get|gets"
    r"|end|ends|seem|forget|see|fail|fails|works|happens?|broken|wrong|right|happy|welcome"
    r"|laugh|cry|smile|joke|argue|fight|miss|celebrate|win|lose|hang|want|like|dislike|hope|dream|talk"
    r"|die|break|glad|great|better|enough|enjoy|learn|learning|told|meant|gave|came|took|wrote|sent|ran"
    r"|understood"
    r"|lost|met|less|more|too|going|gonna|hungry|tired|late|curious|interesting|something|hurts?|sure"
    r"|true|ready|enjoyable|asked|one|disappoints?|lets? me|lets? us|stop|stops|ceases?|dull|quite|really"
    r"|worth|appreciated)\b"
    r"|(?!(?:embed|seed|feed|speed|need|shed|bring|ping|string|ring|sing)\b)\w+(?:ed|ing)\b)"
)
"""What follows "never" and "always" is something to do, and no story or mood."""
_PLURAL = (
    rf"(?!{POINTING}\b|(?:i|we|the|a|an|my|his|some|sometimes|things|as|always|perhaps|is|was|does|his"
    rf"|always|results|tests|errors|guys|users|admins|visitors|players|characters|passwords|buttons|dates"
    rf"|links|images|thanks|yes|this"
    rf"|docs)\b)(?:[\w'’/.#<>-]+ ){{0,5}}?(?:[\w'’-]{{2,}}s['’]?|data|code|people|staff|content|traffic"
    rf"|access|money|food|work|information|software|feedback|\d+ (?:lines|euros|dollars|percent))"
)

_MUST = (
    r"(?:must(?:n['’]t)?(?: (?:not|never|always|only))?|may (?:never|not|only)|ha(?:ve|s) to|needs? to"
    r"|needs?(?= (?:at least|an?|one|two|three|four|\d|approval|sign|review))|requires?(?= (?:at least"
    r"|an?|one|two|three|four|\d|approval|sign|review))|should (?:never|always|not|only)|shall (?:not"
    r"|never|only)|can(?:not|['’]t)|can (?:only|never)|(?:is|are|isn['’]t|aren['’]t) (?:not (?:allowed"
    r"|permitted)|allowed|permitted)|(?:is|are) (?:not (?:allowed|permitted)|(?:never|always"
    r"|only)(?! (?:fun|great|good|amazing|exciting|a|an|so|such|nice|hard|welcome|interesting|awesome"
    r"|tough|worth|wrong|right|there|here|happy)\b)|strictly"
    r"|forbidden|prohibited|banned|off[- ]limits|mandatory|compulsory|required|obligatory|to be)"
    r"|gets?(?= (?:squashed|split|merged|reviewed|rejected|rebased|tagged|closed|deleted|archived|two|one"
    r"|an?\b)))"
)

_QUANTIFIED = (
    r"(?:every(?!thing (?:is|works|looks|was|seems|else)\b|one (?:is|was|seems|knows|loves|hates|says)\b"
    r"|body (?:is|was|knows|loves|says)\b| time\b| so often\b| now and\b)\w*|all(?! i\b| you\b| that\b"
    r"| this\b| of (?:this|that|it|them)\b| the (?:files|tests|time|best|code)\b| tests\b| good\b| it\b"
    r"| in all\b| right\b| set\b| done\b| we\b| my (?:tests|files)\b)|each(?! of them\b| time\b)"
    r"|any(?:one|body|thing)?(?! idea\b| luck\b| more\b| way\b| chance\b| news\b| thoughts\b| time\b)"
    r"|nothing(?! (?:works|happens|is|changed|else)\b)|(?!))"
)

_NO_PART = (
    r"(?!(?:every|each|all|any|both)(?: the| of the)? (?:\w+ )?(?:rows?|buttons?|pages?|columns?|cells?|fields?"
    r"|checkbox(?:es)?|labels?|icons?(?! come)|menus?|headings?|titles?|paragraphs?|sentences?|lines?"
    r"|words?|items?|answers?"
    r"|names?|images?|slides?|sections?|charts?|tables?|inputs?|elements?|cards?|chapters?|scenes?"
    r"|episodes?|characters?|players?|levels?|users?|admins?|visitors?|screens?|outputs?|steps?|day|night"
    r"|week|morning|evening|month|year|now|once|bit|second|cloud|questions?|verses?|stanzas?|bullets?"
    r"|links?|dates|numbers)\b)"
)
"""No part of a page or a text: what is said of those is how somebody wants one made."""
_DOES = (
    r"(?:must(?! (?:have (?:been|had|\w+ed|so|fun)|be (?:so|very|a|such|really|the)|feel)\b)|ha(?:s"
    r"|ve) to|needs?|should(?! be (?:fine|ok|easy|good))|gets? \w+|requires?|may (?:only|not|never)"
    r"|can(?:not|['’]t)(?! (?:wait|believe|imagine|stop|help))|can only|goes through|follows?|belongs? (?:to|in))"
)
_IS = (
    r"(?:is|are|comes?|stays?|uses?|runs?|leaves?|lives?|ships?|contains?|starts?|ends?|goes|go|has|have"
    r"|happens? (?:in|on|at|via|through)|lands? (?:in|on)|includes?|passes)"
)

_CONCRETE = rf"(?=.*(?:{HARD_VALUE}|\b\d|(?<=[\w,] )(?-i:(?!I\b)[A-Z])|{HABIT_TIME}))"


RULES = (
    # never …, always …, don't ever …, you must not …, under no circumstances …
    rule(
        "bound",
        rf"(?P<body>(?:never ever|never|always|(?:do not|don['’]?t) ever|under no circumstances|you (?:must"
        rf"|may|should|shall|are) (?:never|not|always|only)|you mustn['’]t|must (?:not|never|always)"
        rf"|make sure (?:to always|to never|you always|you never)|strictly no|absolutely no)\s+{NO_VERB}\S.+)",
        "condition",
        "embedded question",
        "trouble",
        "temporary",
        "addressed",
        general=True,
    ),
    rule(
        "bound",
        r"(?P<body>(?:always|never) (?:have|use|put|run|get) (?:an?|the|at least|all|your|our|my) \S.+)",
        "condition",
        "trouble",
        general=True,
    ),
    # we never …, we don't …
    rule(
        "bound",
        rf"(?P<body>we (?:always|never|only ever|strictly|consistently|do(?:n['’]t"
        rf"| not) ever)\s+{NO_VERB}\S.+)",
        "condition",
        "trouble",
    ),
    rule(
        "bound",
        rf"(?P<body>we (?:do(?:n['’]?t| not)|no longer|cannot|can['’]t|mustn['’]t|must not) (?:use|deploy"
        rf"|commit|allow|touch|log|mock|merge|push|edit|hard-?code|call|expose|delete|offer|accept|put|add"
        rf"|create|rely|send|share|discuss|print|store|keep|work|ship|release|write|support|publish|name|serve"
        rf"|sell|take|force|squash|rebase|import|track|charge|open|close|run|host|test"
        rf"|do)\s+{OBJECT}(?!(?:any |a )?(?:idea|clue|time|information|reason)\b)\S.+)",
        "condition",
    ),
    # every … must …, nobody may …, only … may …, no … without …
    rule(
        "bound",
        rf"(?P<body>{_NO_PART}{_QUANTIFIED}\b[^,;:?]{{0,80}}?\s{_DOES}\s+{PLAIN}(?!{POINTING}\b)\S.+)",
        "condition",
        general=True,
    ),
    rule(
        "bound",
        rf"(?P<body>{_NO_PART}(?!any|both){_CONCRETE}{_QUANTIFIED}\b[^,;:?]{{0,80}}?\s{_IS}\s+{PLAIN}"
        rf"(?!{POINTING}\b)\S.+)",
        "condition",
        general=True,
    ),
    rule(
        "bound",
        r"(?P<body>(?:nobody|no one|no-one|none of us|not even \w+)(?: [\w'’ -]{1,40}?)? (?:(?!knows|cares"
        r"|understands|likes|loves|wants|is|was|has|helps|believes|does|this|us|seems|answers me|comes|tells"
        r"|minds|gets it|laughs)\w+s|may|can|must|should|shall|is allowed|gets|edits|touches|merges|pushes"
        r"|deploys|changes|opens|leaves|enters|uses|signs|approves|works|commits|reviews|writes|has access"
        r"|goes|talks|calls|speaks|answers|ships|releases|logs|runs|takes|brings)\b(?! (?:me|it|this|that|why"
        r"|how|what)\b).+)",
        "condition",
        general=True,
    ),
    rule(
        "bound",
        r"(?P<body>only (?!if\b|then\b|when\b|after\b|just\b|thing\b|problem\b|one\b|a\b|the (?:first|last"
        r"|second)\b|once\b|now\b)[^,;:]{2,60}? (?:may|can|is allowed|are allowed|must|should|has|have"
        r"|gets?|merges?|approves?|deploys?|signs?|edits?|decides?|goes|go|belongs?)\b .+)",
        "condition",
        general=True,
    ),
    rule(
        "bound",
        r"(?P<body>no (?:[\w-]+ ){0,2}?(?:deploy(?:ment)?s?|releases?|commits?|merges?|merging|push(?:es"
        r"|ing)?|force[- ]push(?:es|ing)?|meetings?|calls?|emojis?|exclamation marks?|exceptions?|overtime"
        r"|refunds?|discounts?|dogs?|food|drinks?|phones?|visitors?|smoking|hot-?fix(?:es)?|secrets?"
        r"|abbreviations?|passive voice|slang|jargon|anglicisms|shoes|homework|screens|changes|work|emails?"
        r"|mails?|alcohol|orders?|deliver(?:y|ies)|photos?|loud music|nuts?|meat)"
        r" (?:on|after|before|in|without|during|outside|unless|over|under|to|for|from|by|between|past|at"
        r"|inside|around|with)\b.+)",
        "condition",
        general=True,
    ),
    # commits must …, invoices above … need …, branches are never …
    rule(
        "bound",
        rf"(?P<body>{_NO_PART}(?!.*\b(?:in the (?:output|table|text|chart|list)"
        rf"|on the page)\b){_PLURAL}(?: (?!and |or |but |that "
        rf"|which )[^,;:?]{{1,50}}?)? {_MUST} (?!have (?:been|had"
        rf"|\w+ed|so|fun)\b|feel\b|mean\b|love\b|always (?:fun|great|a )|be (?:so|very|really|such|quite|super"
        rf"|pretty|a|an|the|joke|bug|mistake|kidding|nice|hard|tough|fun|wrong|broken|great|amazing|exciting"
        rf"|stoked|proud|hungry|tired|busy|awesome|happy|excited|incredible|beautiful)\b)(?!{POINTING}\b)\S.+)",
        "condition",
        "trouble",
        general=True,
    ),
    rule(
        "bound",
        r"(?P<body>(?!(?:it|this|that|he|she|they|there|i|we|you|a|an|user|the (?:button|text|function|page"
        r"|title|output|result|script|form|answer|code|list|table|image|method|class|file|header|footer"
        r"|summary|query|problem|issue|first|second|list)|button"
        r"|function)\b)[^\s,;:][^,;:?]{2,80}?\s(?:must (?:not|never|always|only)|mustn['’]t|may (?:never"
        r"|not|only)|(?:is|are) (?:strictly )?(?:off[- ]limits|forbidden|prohibited|not allowed|banned"
        r"|mandatory|taboo|compulsory)|has to (?:always|stay|remain|go through)|should (?:never"
        r"|always))\b\s*.*)",
        "condition",
        general=True,
    ),
    rule(
        "bound",
        rf"(?P<body>(?:our|my) [^,;:?]{{2,60}}? (?:must|ha(?:s|ve) to|needs? to|should (?:always|never|not)"
        rf"|cannot|can['’]t be|can only|requires?|is not allowed|are not allowed) (?!{POINTING}\b)\S.+)",
        "condition",
    ),
    rule(
        "bound",
        r"(?P<body>it(?:['’]s| is) (?:strictly |absolutely )?(?:forbidden|prohibited|not allowed|mandatory"
        r"|compulsory|our (?:rule|policy|habit|practice)) (?:here |for us |for \w+ )?(?:to|that)\b.+)",
        "condition",
        pronouns=True,
    ),
    rule(
        "bound",
        rf"(?P<body>(?:{_PLURAL}|tests|results) (?:go|live|sit|come|stay|start|end|get|are|use|have|need"
        rf"|follow|run|belong|open|close) [^,;?]{{3,80}}, (?:never|not|always|and never|but never) \S.+)",
        "condition",
        general=True,
    ),
    # our rule is …, house rule: …, …, no exceptions
    rule(
        "bound",
        rf"(?:our|the|house|team|company|one|my|family|lab|office|school|studio|kitchen|another|general|basic"
        rf"|golden|ground|internal|standing)(?: (?:golden|house|team|coding|naming|company|general|basic|main"
        rf"|only|hard|strict|simple|first|most important|standing|family|lab|office|review|deploy(?:ment)?"
        rf"|branch(?:ing)?|commit|style|merge|release))* {HOUSE}(?: here| for [^,:;]{{1,40}}?"
        rf"| in [^,:;]{{1,40}}?| at [^,:;]{{1,40}}?| with [^,:;]{{1,40}}?| on [^,:;]{{1,40}}?)?\s*(?:is|are"
        rf"|says|:|has always been|—|-)(?: that| to)?:?\s+{PLAIN}(?P<body>\S.{{4,}})",
        "condition",
        "embedded question",
        "trouble",
    ),
    rule(
        "bound",
        r"(?P<body>(?!(?:it|this|that|i)\b)\S.{24,160}?)[,;.—–-]+\s*(?:ever|always|every (?:single )?time"
        r"|at all times)\Z",
        "condition",
        "trouble",
        "embedded question",
        general=True,
    ),
    rule(
        "bound",
        rf"(?P<body>(?!(?:it|this|that|i)\b)\S.{{5,160}}?)[,;.—–-]+\s*(?:no exceptions?"
        rf"|without (?:any )?exceptions?|no matter (?:what|who|how small)|period|full stop|that['’]?s (?:our|a"
        rf"|the|my) (?:\w+ )?{HOUSE}|that['’]?s how we (?:do|work|roll|run)[\w ]*|(?:this|it)(?: is"
        rf"|['’]s) (?:our|a|the|my) (?:\w+ )?{HOUSE}|team {HOUSE}|house {HOUSE}|company {HOUSE})(?: (?:here"
        rf"|too|for us|around here))?\Z",
        "condition",
        "trouble",
        "embedded question",
    ),
    rule("bound", rf"(?P<body>(?!{POINTING}\b)\S.{{5,120}}? without (?:any )?exceptions?)\Z", "condition", "trouble"),
    # 严禁 …, 千万不要 …
    rule(
        "bound",
        r"(?P<body>(?:永远|千万|绝对|任何时候都?|无论如何都?|无论什么情况都?|不管怎样都?)(?:不要|别|不能"
        r"|不可以|不得|不许|不准)[^这那它他她你]{2,}(?<!了))",
        "condition",
        "embedded question",
        "trouble",
        general=True,
    ),
    rule(
        "bound",
        r"(?P<body>(?:严禁|禁止|不得|不准|不许|切勿|切忌|绝不能?|杜绝|从不"
        r"|请勿)(?![紧急怕管了再说动改删停])[^这那它他她你]{2,}(?<!了))",
        "condition",
        "trouble",
        general=True,
    ),
    rule(
        "bound",
        rf"(?P<body>(?:不要|别|不能|不可以|尽量不要)(?![紧急怕管了再说停]|着急|害怕|担心|客气|忘|放弃|难过"
        rf"|介意|生气)(?=[^，,。]*(?:任何|所有|一律|每次|每个|规矩|规定|约定|{WEEK_ZH}|线上|生产|主干|主分支"
        rf"|master|main\b|下班)|.*(?:规矩|规定|约定|惯例|原则))[^这那它他她你].{{2,}}(?<!了))",
        "condition",
        "trouble",
        general=True,
    ),
    # 我们从不 …, 我们一律 …
    rule(
        "bound",
        r"(?P<body>(?:我们|咱们|我司|公司|团队|组里|我们(?:组|团队|公司|店|项目|学校|家|这边|这里)|店里"
        r"|家里)[^，,我你]{0,6}(?:从来?不|绝不|总是|一律|始终|统一|坚决不|一般不|通常不|都不)(?!知道|记得"
        r"|是|会|懂|明白|清楚|了解)(?!我).{2,})",
        "condition",
    ),
    # 所有 … 都得 …, 提交信息必须 …, 只有 … 才能 …
    rule(
        "bound",
        r"(?P<body>(?!(?:所有|每[个条段一章集幕关页首节回句]?|全部)的?(?:大|小|一级|二级)?(?:标题|段|句|字"
        r"|图片|图|表格|章|小节"
        r"|颜色|按钮|页面|链接|结尾|开头|文字|选项|题|例句|引号|标点|名字|答案|列|行))(?:所有|每[个次条份位项段一]?"
        r"|任何|全部|凡是?|各个?|一切|全[体员组司]|只要)(?!的?(?:东西"
        r"|事情)|个月|天(?!的)|次我|当我)[^，,我你]{1,30}?(?:都(?!转|换|改|放到|移|删|加上|去掉|去除|压"
        r"|重命名|替换|调|翻译|画|列|整理|导出|合并|拆|缩|变|失败|报|没|不见|丢|成了|标)|必须|务必|一律|不得"
        r"|不准|不许|不能|不可以|禁止|严禁|只能|要|得|需要?|统一|应该?|至少|以)[^这那]{2,}(?<!了))",
        "condition",
        "trouble",
        "embedded question",
        general=True,
    ),
    rule(
        "bound",
        rf"(?P<body>(?!{PERSON_ZH}(?!们[组团公店项学班厂部的])|请|把|帮|给|用|先|再|就|如果|按钮"
        rf"|每[章集幕关页首节回句段]|结尾|开头|用户"
        rf"|玩家|主角|角色|系统要求|密码至少|函数|返回|输出|页面|标题|文字|字体|答案"
        rf"|结果|报错|字数|内容|参数|脚本|表格|图片|背景|今天|明天)(?:我们(?=[组团公店项学班厂部的]))?[^，,。我"
        rf"你]{{2,26}}?(?:必须|务必|一律|不得"
        rf"|不准|不许|不允许|严禁|禁止|一定要|一定不能|一定得|绝不能|都得|都必须|都要(?!不)|统一(?=用|使用"
        rf"|采用|放|写|命名|以|叫|按|走|成|由|在)|绝对不能|千万不能|千万别)(?!会|没)[^这那]{{2,}}(?<!了))",
        "condition",
        "embedded question",
        general=True,
    ),
    rule(
        "bound",
        rf"(?P<body>(?!{PERSON_ZH}|请|把|帮|给|先|如果)[^，,。我你]{{2,22}}?(?:只能|只准|只许|只允许|仅限|只在"
        rf"|只)(?=[^，,]*(?:{WEEK_ZH}|用|在|由|走|从|通过|放|写|向|给|对))(?!是|有|要|会"
        rf"|能先)[^这那先]{{2,}}(?<!了))",
        "condition",
        general=True,
    ),
    rule(
        "bound",
        r"(?P<body>(?:只有|除了)[^，,我你]{1,24}?(?:才能|才可以|才有权|谁都不|都不能|都不许|都不准)"
        r"[^这那]{2,}(?<!了))",
        "condition",
        "embedded question",
        "others",
        general=True,
    ),
    rule(
        "bound",
        rf"(?P<body>(?!{PERSON_ZH}|请|把|帮|给|先|如果|页面|按钮|图片|程序|脚本|系统|软件|电脑|手机|文件|接口"
        rf"|函数|键盘|浏览器)[^，,。我你他她它这那]{{3,20}}?(?:不能|不可以)(?!用|打开|登录|显示|运行|上传|下载"
        rf"|工作|识别|播放|编译|启动|访问|保存|正常|理解|接受|再|连|加载|点|选|是|说|算"
        rf"|只)[^，,。这那]{{2,}})(?<!了)\Z",
        general=True,
    ),
    rule(
        "bound",
        rf"(?P<body>(?!{PERSON_ZH}|请|把|帮|给|先|如果)[^，,。我你他她它这那]{{3,20}}?(?:只有|只由"
        rf"|仅)[^，,。我你他她它这那]{{1,12}}?(?:能|可以|有权|才能|负责|有权限)[^，,。这那]{{1,}})(?<!了)\Z",
        general=True,
    ),
    # …，没有例外；我们的规矩是 …
    rule(
        "bound",
        rf"(?P<body>(?!{PERSON_ZH}(?!们))[^，,。][^。]{{3,80}}?)[，,]\s*(?:没有例外|无一例外|不例外|谁也不例外"
        rf"|这是?[^，,。]{{0,6}}?(?:规矩|规定|惯例|约定|铁律|原则|传统|要求))\Z",
        "condition",
        "trouble",
        "embedded question",
    ),
    rule(
        "bound",
        r"(?:(?:我们|咱们|我)?(?:这边|公司|组里|团队|项目(?:里)?|店里|家里|组|班|学校"
        r"|部门)?(?:的)?(?:[^，,。是]{1,6}的?)?(?:规矩|规定|约定|惯例|规范|流程|原则|铁律)(?:是|：|:"
        r"|，)(?:这样(?:的)?)?[：:，,]?\s*)(?P<body>[^这那吗]{3,}.*)",
        "condition",
        "embedded question",
        "trouble",
    ),
)
