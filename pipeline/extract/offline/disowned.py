"""Signs that a message as a whole is not to be taken at its word: taken back, played, sung, not to be kept, pasted.

Each looks at a message whose quotes and code are hidden (`pipeline/extract/offline/framing.py`).
"""

from __future__ import annotations

import re

_TAKEN_BACK = re.compile(
    r"(?i)\b(?:jk|j/k|(?:just|only|totally|was|am|i['’]?m) (?:kidding|joking|messing|teasing|trolling)"
    r"|kidding\b|sarcasm|psych"
    r"|(?:scrap|scratch|strike|forget|disregard|ignore) (?:all )?(?:that|it|what i|my last|the last|the previous"
    r"|everything i|i said)|disregard|never ?mind (?:that|what|all|the above|my last)|i take (?:that|it"
    r"|this|all of it) back"
    r"|take that back|on second thoughts?|thinking of (?:someone|somebody|something|another)"
    r"|(?:i|i['’]ve|i have|i must have) (?:just )?mixed (?:that|this|it|them|those"
    r"|things|something)? ?up|misspoke|misremember\w*|misremembered|made (?:that|it|this) up"
    r"|that['’]s (?:a lie|not true at all)"
    r"|(?<=[(（])\s?not really|not really,|doesn['’]t count|don['’]t take (?:that|this|it|me) serious\w*|not serious"
    r"|pulling your leg|as a joke|for a laugh"
    r"|it['’]s a joke|was a joke|a joke|just testing|testing (?:you|whether|if)|gotcha|april fools?"
    r"|old job|my bad|wrong (?:chat|window|person"
    r"|project|thread)|i was wrong|confus(?:ed|ing) (?:it|that|this|them) with|i got that wrong|i['’]m wrong)\b"
    r"|(?<=[.!?…,;:\n)—–-])(?<=(?s:.{12}))\s{0,3}(?:(?:hmm+|oh|haha|ah|uh|er|sorry|well|ok|okay|hm|oops"
    r"|um)[,.!…\s]{1,5}){0,4}(?:wait[,.!…—-]|wait (?:no|that|actually|sorry)|no,? wait|hold on"
    r"|actually,? no\b"
    r"|(?:haha|oh|hmm+|wait|oops|er|uh),? no\b|no[,.!…]|no,? (?:sorry|not|i|it|we|that|this|they|he|she"
    r"|of course)\b|oops|whoops|nah,|or not\b|nope\b)"
    r"|(?<=[。！？…，,\n])\s{0,2}(?:等下|等一下|哦不|不不|啊不|呃不|额不|哎不|不是我|不是的|不对|错了"
    r"|说反|搞错|弄错|不是这样)"
    r"|开.{0,3}玩笑|说笑|信了[吗吧没]|你信[吗不么]|信不信|唬你|别真|逗你|玩笑话|骗你|别当真|不要当真"
    r"|当我没说|收回|(?<![你您又])(?:说错|记错|弄错|搞错"
    r"|打错|发错)|(?<![你您又])(?:记混|搞混|弄混)|瞎说|乱说|胡说|瞎编|我编的|哪能呢|不对不对|哦不|啊不|呃不"
    r"|等等[，,]\s?不(?:对|是)"
    r"|忽略(?:刚才|上面|前面|这)|打脸|不算数?[。！!]?\Z|作废|(?<!不能)撤回|其实(?:并)?没有|别管(?:这|它|我"
    r"|上面)|说着玩|随口(?:一)?说|算了[，,。！!]|算了\Z|瞎扯|吹牛|说反了|别记|骗人的|假的[。！!]?\Z|口误"
    r"|才怪|反话|测试一下你"
)
"""Signs that the message takes back what it said."""
_SECOND_THOUGHTS = re.compile(
    r"(?i)(?<=[^.!?…。！？\n]{12})[.!?…]{1,4}[\"'”’)]{0,2}\s{1,3}(?:ha+h?|haha\w*|hehe\w*|eh+|hm+|oh|er|um|wait"
    r"|actually|correction|no|nah|nope|oops|whoops|psych|whatever|(?:ok|okay|well|and|but),? (?:no|not"
    r"|nah|actually|that|i (?:lied|made|was|mean)|fine|maybe)|just kidding|not (?:really|true|exactly)"
    r"|come to think|hang on|hold on|i lied|sike|jokes? aside|joke|seriously|sorry,? (?:no|wrong|i)|gosh"
    r"|apologies|please (?:ignore|forget|disregard|delete)|(?:ignore|forget|disregard|delete|drop|erase"
    r"|cancel|undo) )\b"
    r"|[.!?…;,—–-]\s{0,3}[^.!?…\n]{0,50}\b(?:i lied|i['’]?m lying|a lie|untrue|not true|isn['’]t true"
    r"|wrong (?:repo|project|file|window|chat|tab|person|thread|team|company|account)|my mistake"
    r"|by mistake|chang(?:ed|ing) my mind|made you look|fooled|gullible|bluff\w*|made[- ]up"
    r"|i don['’]t care|pulling|in jest|tongue in cheek|sarcas\w+|retract|withdraw|not serious"
    r"|nothing of that|none of (?:this|that) is true|delete (?:that|this|it)|erase (?:that|this|it)"
    r"|drop (?:that|this|it)|undo that|unsay|so not)\b"
    r"|(?<=[^。！？…\n]{3})[。！？…!?～~]{1,6}\s{0,3}(?:啊[不，,]|哎呀?[，,不]|唉|呃|额|嗯?不对|不不|不，"
    r"|算[了啦吧]|其实(?!我们|是我们|公司)|骗|逗|没有啦|说笑|才怪|假的|等[下等一]|哦[，,不]|噢|好吧"
    r"|我[开说记搞弄看]{1,2}(?:玩笑|错|混|反)|刚才|忘[了掉]吧|当我|别信|别当|删[掉了]|不是真|嘿|哈|皮一下"
    r"|瞎|编的|乱讲|吹|不过是|想多了|看错|串了|改主意|反悔|口误|更正|纠正|不用了|不用记)"
    r"|[，,。！？…]\s{0,2}[^。！？\n]{0,12}(?:骗你|逗你|瞎编|编的|别信|别当真|当真了?吧|没这回事|口嗨"
    r"|皮一下|吹牛|吹的|胡说|乱说|删掉这|删了吧|忘掉吧|忘了吧|不算数|不是真的|改主意|反悔|看错了|记混"
    r"|串了)"
)
"""A later sentence that begins with second thoughts about what was said before it."""
_NOT_TO_BE_KEPT = re.compile(
    r"(?i)\b(?:do not|don['’]?t|dont|no need to|need not|needn['’]t|(?:do not|don['’]?t|dont) (?:have"
    r"|need|want you) to|not to|rather you"
    r" (?:didn['’]t|not)|no reason to|shouldn['’]t|should not|must not|mustn['’]t|can['’]t|stop|without"
    r"|avoid|refrain from)"
    r"\s+(?:ever |please |bother to |bother )?(?:(?:remember(?:ing)?|sav(?:e|ing)|stor(?:e|ing)|not(?:e"
    r"|ing)|record(?:ing)?|memori[sz](?:e|ing)"
    r"|log(?:ging)?|retain(?:ing)?|jot(?:ting)?|writ(?:e|ing) down|keep(?:ing)?|learn(?:ing)?)"
    r"(?: down| to (?:your )?memory)?,?\s*(?:(?:any|some|all|much|part) of )?(?:this|that|it\b|these"
    r"|those|what i|anything i|any of|the following"
    r"|the next|my last)|(?:\w+ )?(?:\w+ )?\w+ (?:to|in|into) (?:your |long[- ]term )?(?:memory|notes)\b)"
    r"|\b(?:do not|don['’]?t|dont|never) (?:please )?\w+ (?:anything )?(?:from|of|about) (?:this|these"
    r"|our) (?:chat|conversation|session|message|talk)"
    r"|\b(?:do not|don['’]?t|dont|no) (?:need|have) to (?:keep track|remember|note|save|store|record|memori[sz]e)\b"
    r"|\bno (?:memory|memories|records?|saving|storing|remembering)\b|\bshould forget\b|\bforget (?:it "
    r"|this )?(?:right |straight )?(?:after|afterwards|away)\b|\boff[- ]the[- ]record\b"
    r"|\b(?:strictly )?(?:between|among) (?:us|you and me|ourselves)\b"
    r"|\bconfidentially\b|\bin confidence\b"
    r"|\b(?:nothing|none)\b.{0,40}\b(?:memory|your notes|the record)\b|\b(?:not|out of|away from"
    r"|never)\b.{0,40}\byour (?:memory|notes)\b"
    r"|\bnot (?:meant |intended )?for (?:the record|your memory|storage|keeping|saving)\b"
    r"|\bforget (?:this|everything|all of this)\b"
    r"|\bkeep (?:this|that) (?:off|between|out|private|secret)\b|\bkeep (?:this|that|it) (?:to yourself"
    r"|between us|off the record|out of (?:your )?(?:memory|notes))\b|\b(?:just|only) venting\b"
    r"|\bignore (?:this|the following)\b"
    r"|(?:不用|不要|别|不必|不需要|无需|没必要|甭|勿|不想(?:让)?你|不希望你|用不着)(?!忘"
    r"|.{0,2}忘)[^，。！？,.!?\n]{0,10}?(?:记忆|记[下住着录]|存下|存[到进入起档]|保存|记到|记进"
    r"|记(?=[：:，,。]|\Z)|写进|留底|留存)"
    r"|(?:这|那|下面|以下|上面|刚才|接下来|后面)[^。！？\n]{0,12}?(?:不用|别|不要|不必|无需|用不着"
    r"|没必要)(?:帮我|给我|替我)?(?:记|存|保存|写下|收录)"
    r"|(?:不想|不要|不愿|别|不希望)(?:你|被|让你|它被|被你)*记|(?:别|不要|不用|甭"
    r"|不必)[^，。！？\n]{0,6}记(?:了|啦|哈|啊|$)|别外传|私下说|只跟你说|别告诉|别往心里去"
    r"|吐槽一下|发泄一下|别留记录"
)
"""Signs that the person does not want the message to be kept."""
_PARTS = re.compile(
    r"(?i)\byou(?:['’]re| are) (?:a|an|the|my)\b(?=.*\bi(?:['’]m| am) (?:a|an|the|your)\b)|\bi(?:['’]m"
    r"| am) (?:a|an|the|your)\b(?=.*\byou(?:['’]re| are) (?:a|an|the|my)\b)"
    r"|(?<![一-龥]是)你(?:现在)?是(?!不是)[^，。？]{1,8}[，,。](?=.*我(?:是|演|当|来))|我(?:是|演"
    r"|当)[^，。]{1,10}[，,。](?=.*你(?:是(?!不是)|演|当(?!年)|来当))|来一?[段场出](?:相声|戏|小品|对话"
    r"|脱口秀|评书|话剧)",
    re.DOTALL,
)
"""Both have a part."""
_PLAYED = re.compile(
    r"(?i)\b(?:pretend|role[- ]?play(?:ing)?|let['’]?s (?:play|do a (?:scene|role)|act|imagine|suppose"
    r"|assume)|imagine|act as|act like|acting as"
    r"|play(?:ing)? (?:the (?:role|part)|a \w+ (?:who|in)|my)|in character|my character|the protagonist"
    r"|the narrator|hypothetical(?:ly)?"
    r"|suppose|supposing|in (?:this|our|the|my) (?:\w+ ){0,2}?(?:game|story|scenario|role|scene|world"
    r"|campaign|simulation|novel|tale|adventure"
    r"|sketch|dialogue|play|drill|interview practice|mock interview|exercise|skit|screenplay|universe|script where)"
    r"|(?:interview|conversation|sales|language) practice|mock interview|dungeon master|[,;] you(?:['’]re"
    r"| are) (?:the|my|an?) (?!best|one|right|great|genius|star|hero|legend|lifesaver|only)"
    r"|once upon a time"
    r"|make[- ]believe|from the (?:point of view|perspective) of"
    r"|(?:dialogue|debate|conversation|dialog|interview|job interview|oral|speaking|language|sales"
    r"|roleplay|rehears\w+|vocabulary) (?:practice|training|exercise|drill|rehearsal|game)|simulat(?:e"
    r"|ion)|wizard|dragon|pirate|knight|kingdom|castle|vampire|elf|dwarf|innkeeper|tavern|starship"
    r"|spaceship|sorcerer|detective|butler|squire|your majesty|thy|thou|princess|emperor|fictional"
    r"|fan ?fic(?:tion)?|improv"
    r"|as if (?:i|you) (?:were|was)|speak(?:ing)? as|write (?:me )?(?:a|an|the) (?:\w+ )?(?:story|poem"
    r"|song|scene|monologue|diary|haiku|limerick|tale|rap|ballad|bio)"
    r"|you will be (?:a|an|the|my)|you play|i(?:['’]ll| will) (?:be|play) (?:a|an|the|your)|persona)\b"
    r"|(?:(?<=^)|(?<=[.!?\n]\s)|(?<=\n))(?:from now on,? |now,? |ok(?:ay)?,? |today )?you(?:['’]re"
    r"| are) (?:now )?(?:(?:a|an|my|the|called|named)\b|(?-i:[A-Z]))(?!\w* (?:right|great|welcome))"
    r"|扮演|角色|假装|假设|设想|想象(?:一下|你|我)|我们来(?:演|玩|模拟)|来演|演一[段场个]|演个|我演"
    r"|玩[一个]*游戏|剧本|设定(?:是|为|如下|[：:])|模拟(?!器|盘|数据)|小说里|故事里|游戏里|剧情|穿越|从前"
    r"|(?:(?<=^)|(?<=[。！？\n]))(?:现在|从现在起|从现在开始"
    r"|接下来)?[，,]?你(?:现在)?(?:就)?是(?:一[个名位只]|我的|[^我你，。]{2,8}[，,。])|你来当|我来当"
    r"|假如你是|如果你是|以.{1,8}的(?:身份|口吻|视角)|你当.{1,10}我当|你演|你来演|你做.{1,6}我做.{1,6}"
    r"|来玩|海龟汤|狼人杀|剧本杀|侦探|骑士|魔法|皇帝|皇上|朕|本宫|大侠|江湖|火星|外星|飞船|城堡|吸血鬼"
    r"|县令|公主殿下|福尔摩斯|华生|孙悟空|情景对话|对话练习|口语练习|练口语|演练|面试练习|模拟面试"
    r"|(?i:(?:(?<=^)|(?<=[.!?\n]\s))(?:please )?be (?:my|a|an|the) \w+)"
)
"""Signs that the message plays a part or tells a story."""
_SUNG = re.compile(
    r"(?i)\b(?:radio (?:goes|plays|sings)"
    r"|songs?|lyrics?|poems?|verses?|chorus|sang|sings?|singing|sung|karaoke|ear ?worm"
    r"|stuck in my head|melody|the (?:play|movie|film|novel) with the line|finish the line|next line"
    r"|nursery rhyme|hymn|ballad|limerick|proverb|idiom|famous (?:line|quote)|who (?:said|wrote|sang))\b"
    r"|歌词|这首歌|那首歌|哪首歌|首歌|谁唱|唱的|下一句|上一句|前一句|后一句|后面是啥|出自哪|哪首诗|这首诗"
    r"|谁写的诗|古诗|名句|谚语|成语|台词|电影里|唐诗|宋词|儿歌|顺口溜"
)
"""A message about a song or a poem quotes it, with or without marks."""
_SIGNED_OFF = re.compile(
    r"(?i)^(?:best|kind|warm|many)?\s?(?:regards|wishes|best|sincerely|yours\b.*|cheers|此致|敬上|祝好"
    r"|顺颂.*),?[ \t]*(?:\w+[ \t]*)?$",
    re.MULTILINE,
)
_ABOUT_ABOVE = re.compile(
    r"(?i)\n\s{0,3}(?:[^\n]{0,80}\b(?:what does (?:this|that|it|he|she|they)|explain (?:this|that|it|me)"
    r"|(?:who|which one) (?:is|was|of them)|is (?:this|that|it|he|she) (?:right|legal|valid|true|ok|fair"
    r"|normal|correct|legally)|what (?:is|do) (?:this|that|they|he|she)|mean(?:s|ing)?|from (?:this|that"
    r"|the above)|the above|translate|summari[sz]e|tl;?dr|thoughts\?|your opinion|trade-?offs|reply to"
    r"|respond to|how (?:do|should) i (?:reply|respond|answer))\b[^\n]{0,80}|[^\n]{0,30}(?:什么意思"
    r"|啥意思|怎么回|这(?:段|句|封|个|条|是)|翻译|总结|概括|谁对|合理吗|对吗)[^\n]{0,30})\s*\Z"
)
"""The last line asks about what stands above it."""


def disowned(visible: str) -> bool:
    """Whether nothing of a message, quotes and code hidden, is a lasting statement of the person's own."""
    return any(sign.search(visible) for sign in _SIGNS)


_SIGNS = (
    _TAKEN_BACK,
    _SECOND_THOUGHTS,
    _NOT_TO_BE_KEPT,
    _PLAYED,
    _PARTS,
    _SIGNED_OFF,
    _SUNG,
    _ABOUT_ABOVE,
)
