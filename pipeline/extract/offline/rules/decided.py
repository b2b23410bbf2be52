"""We decided …, we're going with …, X is out: what a person or their team settled on, and what they put right."""

from __future__ import annotations

from pipeline.extract.offline.rules.phrases import OBJECT, OBJECT_ZH, PERSON_ZH, PLAIN, POINTING, rule

_WE = (
    r"(?:we|my \w+ and i|the (?:whole |\w+['’]s? )?(?:team|board|committee|company|group|family"
    r"|management|class|council|crew|steering group|steering committee|project group|department"
    r"|org(?:anisation|anization)?|leads|architects|partners|band|club|jury|department heads)"
    r"|our (?:whole )?(?:team|board|committee|company|group|family|management|council|crew|department)"
    r"|everyone|all of us)"
)

_ADVERBS = (
    r"(?:(?:['’]ve| have| has)?(?: all| both| now| finally| already| just| also| recently| officially"
    r"| unanimously| collectively| eventually| jointly| ultimately| together)*)"
)

_DECIDED = (
    r"(?:decided (?:to|on|that|against|not to|for|in favou?r of|we)|agreed (?:to|on|that|not to|we)"
    r"|settled (?:on|for)|chose|chosen|picked(?! an?\b)|opted (?:for|to|against)|standardi[sz]ed on|went with"
    r"|gone with|ended up (?:choosing|using|picking|going with)|signed (?:with|up with|a contract"
    r"|the contract)|awarded|commissioned|elected|appointed|hired (?-i:(?=[A-Z]))|booked (?-i:(?=[A-Z]))"
    r"|voted (?:to|for|against|in favou?r of)"
    r"|committed to|adopted(?! an?\b)|approved|ruled out|landed on|resolved to|signed off on|elected to)"
)

_CHANGED = r"(?:switched|migrated|moved|went back|gone back|changed over|converted|upgraded|downgraded|transitioned)"
_ENDED = (
    r"(?:dropped|abandoned|retired|ditched|deprecated|got rid of|stopped (?:using|supporting|doing"
    r"|writing|buying|accepting|selling|working with|publishing)|started using|moved (?:away|off) from"
    r"|gave up(?: on)?|given up(?: on)?|quit|phased out|sunset|discontinued|scrapped|killed|replaced"
    r"|cancelled|renamed|killed off)"
)

_LAST = (
    r"(?:last (?:month|year|spring|summer|autumn|fall|winter|quarter|week)|(?:\w+ )?(?:years?|months?"
    r"|weeks?) ago|in \d{4}|for good|since|completely|entirely|permanently|this (?:year|month|spring"
    r"|summer)|back in)"
)


RULES = (
    # we decided …, the team voted for …, I decided …
    rule(
        "decision",
        rf"(?P<body>{_WE}{_ADVERBS} {_DECIDED}\s+(?!(?:it|this|those|these|them|nothing|what|how|which|when"
        rf"|one|option|answer|number|pizza|team)\b)\S.+)",
        "dated",
    ),
    rule(
        "decision",
        rf"(?P<body>i{_ADVERBS} (?:decided (?:to|on|that|against|not to)|settled on|opted for"
        rf"|committed to)\s+(?!(?:it|this|that|those|these|them|nothing|what|how|which|when|do|try|ask|look"
        rf"|write to)\b)\S.+)",
        "dated",
    ),
    # we switched to …, I moved from … to …
    rule(
        "decision",
        rf"(?P<body>we{_ADVERBS} (?:switched|migrated|moved) (?:over )?to\s+{OBJECT}(?!(?:the|a|an|main|master"
        rf"|your|my|next)\b)\S.+)",
        "dated",
    ),
    rule(
        "decision",
        rf"(?P<body>(?:we|i|{_WE}){_ADVERBS} {_CHANGED}(?: [^,;:]{{1,50}}?)?? (?:to|from|over to|off|away from"
        rf"|back to)\s+(?!{POINTING}\b)(?=[^;]*?(?:(?-i:\b[A-Z])|\x00|{_LAST}))(?!(?:the )?(?:next|other|main"
        rf"|master|branch|tab|window|folder|directory)\b)\S.+)",
        "dated",
    ),
    rule(
        "decision",
        rf"(?P<body>(?:we|i|{_WE}){_ADVERBS} {_ENDED}\s+(?!(?:off|by|in|out"
        rf"|for)\b){OBJECT}(?=[^;]*?(?:(?-i:\b[A-Z])|\x00"
        rf"|{_LAST}))(?!(?:a|an|my|your|some)\b)\S.+)",
        "dated",
    ),
    # we're going with …, we'll use …, we use …, let's go with …
    rule(
        "decision",
        rf"(?P<body>we(?:['’]re| are)(?: all| now| officially| definitely)* (?:going (?:with|for|ahead with)"
        rf"|using|switching to|standardi[sz]ing on|sticking (?:with|to)|moving to|dropping|migrating to"
        rf"|staying (?:with|on)|keeping|replacing)\s+{OBJECT}(?!the old\b)\S.+)",
    ),
    rule(
        "decision",
        rf"(?P<body>we(?:['’]re| are)(?: all| now| officially| definitely)* (?:moving|migrating|switching"
        rf"|replacing|porting) (?!{POINTING}\b)[^,;]{{2,50}}? (?:to|over to|with|from) {OBJECT}\S.+)",
        "dated",
    ),
    rule(
        "decision",
        rf"(?P<body>we(?:['’]ll| will) (?:use|go with|stick with|keep using|switch to|go for|stay with"
        rf"|stay on)\s+{OBJECT}(?!(?:a|an|the|one|all)\b)\S.+)",
    ),
    rule(
        "decision",
        rf"(?P<body>let['’]?s (?:go with|use|stick with|stick to|standardi[sz]e on|switch to"
        rf"|settle on)\s+{OBJECT}(?!(?:a|an|the|your|my|one|option|plan|all|tabs?"
        rf"|to)\b)\S.+)(?<! here)(?<! then)\Z",
        general=True,
    ),
    # it's settled: …, final decision: …, the team voted: …
    rule(
        "decision",
        rf"(?:it(?:['’]s| is|s)? (?:now |finally |all )?(?:settled|decided|agreed|official|final|done)|(?:the "
        rf"|our |my )?(?:final |main |latest |last |group |team )*(?:decision|verdict|outcome|conclusion"
        rf"|resolution|agreement|result of the (?:vote|meeting))(?: (?:is|was|from [\w ]+|of [\w ]+"
        rf"|on [\w ]+))?|settled|decided|agreed|resolved|approved|(?:the team|we|the board|the committee"
        rf"|everyone|the group)(?: have| has|['’]ve)?(?: all| finally| just)? (?:voted|decided|agreed"
        rf"|settled(?: it| this)?|made up our minds|made a decision))"
        rf"\s*[:—–-]+\s*(?:that )?(?P<body>(?!{POINTING}\b)\S+\s+\S.+)",
        "dated",
    ),
    rule(
        "decision",
        rf"(?:the |our |my )[\w -]{{2,30}}? (?:is|are|has been|have been) (?:now |finally |already "
        rf"|all )*(?:decided|settled|fixed|final|confirmed|chosen"
        rf"|agreed)\s*[:—–-]+\s*(?P<body>(?!{POINTING}\b)\S+\s+\S.+)",
        "dated",
    ),
    rule(
        "decision",
        r"(?P<body>(?!(?:it|this|that|i)\b)\S.{8,120}?)[,;—–-]+\s*(?:and )?(?:that['’]?s|it['’]s|this is"
        r"|that is) (?:now |all )?(?:fixed|settled|final|decided|confirmed|official|agreed|a done deal"
        r"|set in stone)\Z",
        "dated",
    ),
    rule("decision", r"(?P<body>i(?:['’]?m| am) (?:done|finished|through) with (?-i:[A-Z])[\w .+-]*[,;—–-]+\s*\S.+)"),
    rule("decision", rf"(?:the |our |my )?(?:final )*decision is(?: that| to)?\s+(?P<body>{OBJECT}\S.+)", "dated"),
    # X is out, we …; we no longer …; instead of X we use Y
    rule(
        "decision",
        rf"(?P<body>(?!{POINTING}\b)[\w.+#-]+(?: [\w.+#-]+){{0,2}} (?:is|are) (?:out|gone|history|dead"
        rf"|no longer an option)(?: for good)?,\s*(?:and )?(?:we|it['’]s|it is|now"
        rf"|[\w.+#-]+(?: [\w.+#-]+){{0,2}} (?:is|are)) \S.+)",
        "dated",
    ),
    rule(
        "decision",
        rf"(?P<body>we (?:will not|won['’]t|are not going to|aren['’]t going to) (?:use|support|ship|sell"
        rf"|offer|accept|deploy|run|do|build|renew|hire|rewrite)\s+{OBJECT}\S.+)",
    ),
    rule("decision", r"(?P<body>(?:it['’]?s official|official),?\s+(?:the|our|we) \S.+)"),
    rule(
        "decision",
        r"(?P<body>we (?:no longer (?:use|support|ship|sell|offer|accept|work|deploy|run|need|have|do|write)"
        r"|do(?:n['’]t| not) (?:use|support|ship|sell|offer|accept|run|do) .{2,60}? (?:anymore|any more"
        r"|any longer))\b.*)",
        "dated",
    ),
    rule(
        "decision",
        rf"(?P<body>instead of [^,]{{2,40}},? we (?:now )?(?:use|run|write|go|went|are using"
        rf"|have)\s+{OBJECT}\S.+)",
        "dated",
    ),
    rule(
        "decision",
        rf"(?P<body>(?:the|our) (?:new )?[\w -]{{2,40}}? will be (?:called|named|written in|hosted (?:on|by"
        rf"|in)|built (?:with|on|in)|held (?:on|in|at)|based (?:on|in)|released on|launched on|moved to"
        rf"|replaced by|at)\s+{OBJECT}(?!(?:a|an|the)\b)\S.+)",
        "dated",
    ),
    # 我们决定 …, 会上定了 …, 最终选了 …
    rule(
        "decision",
        r"(?P<body>(?:(?:我们|咱们|咱|我|我俩|我和.{1,4}|团队|公司|组里|班委|大家|董事会|委员会|学校|会上"
        r"|项目组|双方|全家|家里|部门|技术组|产品组|评审会|管理层|股东会|社团|系里|院里|店里)(?:里|上|内部"
        r"|一起|经过讨论|讨论后|商量后|开会)*)"
        r"(?:昨天|今天|上周|刚刚|刚|已经|最终|最后|终于|都|一致|现在|正式|也|就)*(?:决定(?!权)|定了(?!吗)"
        r"|定下来?|商量好|商定|敲定|选定|选了|约定|说好|达成一致|一致同意|同意(?!书)|通过了|拍板|投票(?:决定"
        r"|通过)?)(?:了|好|下来)*[，,：:]?\s*"
        rf"(?!{OBJECT_ZH[3:-1]}).{{2,}}(?<!吗))",
        "dated",
        "others",
    ),
    rule(
        "decision",
        rf"(?P<body>(?:(?:我们|咱们|咱|团队|公司|组里|项目组|部门|店里|学校"
        rf"|全组)(?:里)?(?:的)?(?:[^，,。我你]{{0,10}}?))(?:已经|最终|最后|终于|都|一致|现在|全部|早就|正式|也"
        rf"|从.{{1,16}})*(?:统一(?:用|成|使用|采用)?|改用|改成|改为|换成了?|换到了?|切换到|切到|迁移到|迁到"
        rf"|转到|转用|弃用|放弃|停用|不再(?:用|使用|支持|接|做|维护)|淘汰|采用|只用|都用|用的是|用|使用)(?:了"
        rf"|使用)?\s*{OBJECT_ZH}(?!不|得|户|来|时|于).{{1,}})",
        "dated",
    ),
    rule("decision", rf"(?:那么?)?(?P<body>就(?:用|选|采用|定为|定在|按)\s*{OBJECT_ZH}(?!行|好).{{2,}})", general=True),
    rule(
        "decision",
        rf"(?P<body>(?:最终|最后|正式|已经|终于)(?:我们|大家|还是)*(?:决定|定了?|敲定|选了?|选定|确定|定下来?"
        rf"|用了?|采用了?|改用|改成了?|换成了?)(?:了|用|为|是|在)*\s*{OBJECT_ZH}(?!不了).{{2,}})",
        "dated",
    ),
    rule(
        "decision",
        r"(?:决定了|定了|定下来了?|说好了|商量好了|拍板了|定好了|敲定了|一致决定|会议决定|会上决定|最终决定"
        r"|最后决定)[，,：:\s]*(?P<body>(?![这那它吗]).{3,})",
        "dated",
    ),
    rule(
        "decision",
        rf"(?P<body>(?!{PERSON_ZH}(?!们)|把|将|帮|请)(?:我们|咱们)?[^，,。我你]{{1,14}}?(?:已经|早就|现在|全部"
        rf"|都|正式|刚|最近|上周|上个?月|去年|今年|昨天)*从\s*[^，,。]{{1,16}}?\s*(?:改用|改成|改为|换成|换到"
        rf"|切换到|切到|迁移到|迁到|转到|升级到|升到|搬到|挪到)(?:了)?\s*{OBJECT_ZH}.+)",
        "dated",
    ),
    rule(
        "decision",
        r"(?P<body>我(?:已经|早就|现在|上个?月|去年|今年|最近|刚|刚刚|前年|上周"
        r"|昨天)*(?:把.{1,8})?从\s*[^，,。]{1,14}?\s*(?:改用|换成|换到|切到|切换到|迁到|转到|搬到|转行|跳槽"
        r"|转去|转做)(?:了|做|到|去|成)*\s*[^，,。这那]+.*)",
        "dated",
    ),
    rule(
        "decision",
        rf"(?P<body>(?!{PERSON_ZH}(?!们)|把|将|帮|请|按钮|颜色|字体)(?:我们|咱们)?[^，,。我你]{{2,14}}?(?:已经"
        rf"|早就|现在|正式|全部|都|最后|最终)*(?:换成|改成|改为|改名为?|更名为|改叫|定为|定在|改到|调整为"
        rf"|升级到|推迟到|提前到|延期到)(?:了)?\s*{OBJECT_ZH}.{{1,}}?了?(?:[，,].*)?)(?<!吗)\Z",
        "dated",
        "others",
        general=True,
    ),
    rule(
        "decision",
        rf"(?P<body>(?:原来|之前|以前)(?:我们)?(?:用|是|的)?[^，,]{{1,16}}[，,](?:现在|后来|如今)(?:我们|都"
        rf"|已经|全)*(?:改用|换成|用|改成|是|换)了?\s*{OBJECT_ZH}.+)",
        "dated",
    ),
    # it's X, not Y — where what is put right has a name; X is A, not B
    rule(
        "correction",
        r"(?P<body>(?:it['’]?s|it is|that['’]s|that is|they['’]re|its) (?:spelled|spelt|pronounced|written"
        r"|called|named|actually (?:spelled|called|named|written))\s+\S.+)",
        pronouns=True,
    ),
    rule(
        "correction",
        r"(?P<body>(?:it['’]?s|it is|that['’]s|that is)\s+(?:on |in |at |from |by "
        r"|port )?(?:(?-i:[A-Z][\w.+#/-]*)|\d[\w.:]*|/\S+|\x00+)(?:\s[\w.+#/-]+){0,4},?\s+(?:not|instead of"
        r"|rather than)\s+(?!sure|yet|working|done|ready|really|a problem|just)\S.+)",
        pronouns=True,
    ),
    rule(
        "correction",
        rf"(?P<body>(?:our|my|we|the|i|i['’]m|we['’]re|(?-i:[A-Z]\w+))\s?(?!\s?(?:problem|bug|error|issue"
        rf"|question|point|fix|function|code|output|result|answer|method|class|variable|failure|crash|cause"
        rf"|reason|trick|idea|goal|test|sum|total|count|value|variable|arrow|box|width|height|length|index"
        rf"|column|row|parameter|argument|keys?|types?|name of the|paragraph|sentence|title|image|picture|plot"
        rf"|axis|label|font|colou?r|exception|warning|return|return value|line|loop|bigger|biggest"
        rf"|main)\b)[^,;:?]{{0,60}}?\b(?:is|are|am|['’]m|['’]re|starts?|ends?|runs?|lives?|listens?|uses?|use"
        rf"|goes|sits?|belongs?|means?|takes?|comes?|closes?|opens?|speaks?|write|deploy|ship|work|works"
        rf"|go)\s+{PLAIN}(?!{POINTING}\b)[^,;?]+,\s*(?:not|and not|instead of|rather than)\s+(?!sure|yet"
        rf"|working|done|ready|really|a problem|just|only|necessarily|because|that|it\b"
        rf"|this)\S[^;?]{{1,80}})\Z",
    ),
    # 不是 X，是 Y；用的是 X 不是 Y；在 X 不在 Y
    rule(
        "correction",
        r"(?P<body>i['’]?m not (?:an? )?[\w -]{2,30}[,;—–-]+\s*(?:but )?i(?:['’]?m| am| just| only| do"
        r"| simply)\b(?! (?:trying|asking|saying|just|not|wondering|sure)\b)(?<!not sure).+)",
    ),
    rule(
        "correction",
        r"(?P<body>we(?:['’]?re| are) not (?:an? |the )?[\w -]{2,30}[,;—–-]+\s*(?:but )?we(?:['’](?:re|ve)"
        r"| are| have| do| use| run)\b(?! (?:trying|asking|just|still|not|working)\b).+)",
    ),
    rule("correction", r"(?P<body>ours (?:is|are) (?:called|named|on|in|at|written)\s+\S.+)"),
    rule(
        "correction",
        rf"(?P<body>we do(?:n['’]?t| not) (?:use|have|run|write|deploy|ship|sell"
        rf"|do) [^,;]{{2,40}}[,;—–-]+\s*(?:but )?we (?:use|have|run|write|deploy|ship|sell|do)\s+{OBJECT}\S.+)",
    ),
    rule(
        "correction",
        rf"(?P<body>不是\s*(?![不我说因没想要真为很])[^，,]{{1,18}}[，,]\s*(?:而)?(?:应该)?是\s*{OBJECT_ZH}(?!["
        rf"因不想说要]).+)",
    ),
    rule(
        "correction",
        rf"(?P<body>(?!{PERSON_ZH}(?!们)|这|变量|参数|返回|结果|数量|总和|答案|函数|图片|标题|颜色|字体|输出"
        rf"|值)(?:我们|咱们)?[^，,]{{0,16}}?(?:(?<!应该)是|用的是|用|在|叫|姓|读"
        rf"|念|写作|教的是|学的是)\s*{OBJECT_ZH}[^，,]{{1,24}}[，,]?\s*(?:而)?不(?:是|在|用|叫|读|姓|念"
        rf"|走)(?!说|吗|很|因为|想|要|会|能)[^，,]{{1,24}})(?<!的)\Z",
    ),
    rule(
        "correction",
        r"(?P<body>我(?:是|姓|叫|住|读|在|学)(?!说|想|要|觉|不)[^，,]{1,16}[，,]?\s*(?:而)?不(?:是|姓|叫|住"
        r"|读|在|学)(?!说|想|要|很)[^，,]{1,16}.*)",
    ),
    rule(
        "correction",
        r"(?P<body>我不(?:是|姓|叫|住|在|做)(?!说|想|要|很|不|故意|来|在说|在乎|针对"
        r"|为了)[^，,]{1,14}[，,]\s*(?:我)?(?:而)?(?:其实)?(?:是|姓|叫|住|在|做)(?!说|想|要|因为|来"
        r"|觉得)[^，,]{1,20}.*)",
    ),
    rule(
        "correction",
        rf"(?P<body>(?:其实)?应该(?:是|用|叫|在|为|读|写作)\s*{OBJECT_ZH}(?!我|先|把)(?=.*(?:\d|[A-Za-z]|不是"
        rf"|而不)).{{2,}})",
        "addressed",
        general=True,
    ),
)
"""`PLAIN` guards against moods: "we're using" a thing, not "being" in a state."""
