"""Our API listens on …, releases go out on …, X owns Y: how the work of a person is made and run."""

from __future__ import annotations

from pipeline.extract.offline.rules.phrases import HABIT_TIME, HARD_VALUE, NO_ORDER, PLAIN, POINTING, VALUE, rule

_HABITS = (
    r"(?:deploy|use(?! an?\b(?!.*(?-i:[A-Z]))(?! (?:shared|monthly|weekly|single|separate)))|ship|release"
    r"|host|store|keep|run(?! into)|test(?! in prod)|write|build|support|target|follow"
    r"|work (?:in|with|from|on|at|until|part|full|remotely)|meet|publish|tag|branch|squash|rebase|merge"
    r"|review|version|log|track|bill|invoice|sell|serve|cook|teach|bake|order"
    r"|pay|speak|call|prefix|pin|lint|format|commit|train|rotate|back up|archive|stick to|rely on"
    r"|depend on|require|allow|accept|offer|charge|deliver|import|export|generate|document|measure|print"
    r"|rent|own|lease|organi[sz]e|hold|open|close|start|finish|count|name|label|sort|monitor|maintain"
    r"|operate|translate|localize|cache|queue|encrypt|sign|embed|vendor|fork|mirror|buy|grow|brew|compile"
    r"|code|develop|design|plan|schedule|have (?:\d|one|two|three|four|five|six|seven|eight|nine|ten|no"
    r"|a (?:weekly|daily|monthly|monorepo|staging|strict|team|policy|rule|shared|single|separate"
    r"|dedicated|standing)))"
)
_HOW = (
    r"(?:(?: all| both| only| always| mostly| mainly| usually| generally| currently| now| still| also"
    r"| typically| normally| just| exclusively| primarily| never)*)"
)

_OURS = (
    r"(?:our(?! (?:flight|train(?! )|trip|meeting|call|appointment|wedding|party|exam|presentation|dinner"
    r"|lunch|holiday|vacation|visit|journey|bus|hotel|interview|order|parcel|booking|reservation|date"
    r"|talk|speech|baby|garden party|guests?|car|last|next|recent|previous|first|latest|other"
    r"|own journey)\b)|my (?:company|team"
    r"|project|app|shop|site|startup|office|school|class|department|employer"
    r"|firm|clinic|restaurant|store|blog|server|website|repo|library|thesis|lab|band|club|farm)(?:['’]s)?"
    r"|this (?:repo(?:sitory)?|project|codebase|code base|service|app|monorepo|team|shop|company|site"
    r"|library|package|restaurant|clinic|school|office)(?:['’]s)?)"
)

_PARTS = (
    r"(?:called|named|written (?:in|with|as)|hosted (?:on|in|at|by|with)|deployed (?:on|to|via|from|with"
    r"|by|in|as|at)|stored (?:in|on|at|as|under)|kept (?:in|on|at|under)|based (?:on|in)|built (?:with|on"
    r"|from|in|by|as)|split (?:into|in|by)|limited to|restricted to|managed (?:by|with|in|through)"
    r"|owned by|maintained by|run by|handled by|generated (?:by|from|with)|cut from|published (?:on|to"
    r"|every|under|in)|pinned to|capped at|located (?:in|at|on|under)|licensed|made (?:of|up of|from|with"
    r"|by)|organi[sz]ed (?:in|by|as|into)|grouped by|prefixed|versioned|tagged|encrypted|backed (?:up|by)"
    r"|configured (?:in|via|by|through|with)|defined (?:in|by)|documented (?:in|on|at)|tracked (?:in|with"
    r"|on)"
    r"|scheduled (?:for|on|at|by)|closed on|open (?:on|from|until|till|every|daily|mon|tue|wed|thu|fri"
    r"|sat|sun|\d)|released (?:on|every|under|from)|sorted by|measured in|billed (?:in|by|monthly|per)"
    r"|paid (?:in|by|on|monthly|weekly)|served (?:by|from|at|on)|exposed (?:on|at|via)|mounted (?:at|on"
    r"|under)|rebuilt|refreshed|rotated|archived (?:after|in|to)|deleted after|retained for"
    r"|rate[- ]limited|required to|compiled (?:with|to|for)|formatted with|linted with|tested (?:with|on"
    r"|against)|translated (?:by|with|into)|cached (?:in|for|by)|numbered|labelled|labeled|spelled"
    r"|abbreviated|reachable (?:at|on|via)|available (?:at|on|only|under)|due (?:on|every|by)|due)"
)
_COMPLEMENT = (
    rf"(?:{_PARTS}\b|(?:always|only|mostly|mainly|all|never|both|exclusively|strictly|still|at most"
    rf"|at least|up to|usually|primarily|around|about|roughly|just|entirely|currently|now)\s+(?:in|on|at"
    rf"|an?|the|from|{_PARTS}|(?-i:[A-Z])|\d|\w+)|(?:an?|one|two|three|four|five|six|\d)\s(?!(?:few"
    rf"|bit|mess|joke|pain|disaster|nightmare|problem|lot|little|same|reason|best|worst|one that|only one"
    rf"|first time|moment|bottleneck)\b)|(?:in|on|at|under|behind|from|inside|within|per|via|by|near"
    rf"|next to|above|below|across)\s(?!(?:fire|trouble|progress|flux|danger|general|my way|the way|this"
    rf"|that|it|question|doubt|a mess|bad shape|good shape)\b)|(?-i:[A-Z])|\x00|[/~]\w|\d)"
)

_STATIVE = (
    r"(?:has|have|gets?(?= (?:about |around |over |roughly |up to |between )?\d)|can(?:not"
    r"|['’]t) (?:install|use|open|access|run|change|pay|read|write|speak|print|upload|be)|report|reports"
    r"|read|uses?|runs?(?! (?:slow|out|fine|into))|listens?|lives?|sits?|targets?|requires?|supports?"
    r"|ships?|points?|belongs?|consists?|contains?|comprises?|starts?|begins?|ends?|opens?|closes?"
    r"|covers?|accepts?|exposes?|depends? on|relies on|rely on|follows?|speaks?|talks? to|connects? to"
    r"|writes?|reads? from|stores?|keeps?|sends?|reports? to|goes? (?:out|live|through|to|via)|takes?"
    r"|costs?|holds?|serves?|resides?|falls?|expires?|deploys?|builds?|comes? (?:from|in|with)|mean|means"
    r"|stands? for|defaults? to|maps? to|resolves? to|redirects? to|allows?|offers?|sells?|delivers?"
    r"|meets?|publishes|releases?|needs?|handles?|seats?|charges?|pays?|counts?|employs?|weighs?"
    r"|measures?|lasts?|rotates?|resets?|syncs?|inherits?|implements?|returns?(?= (?:an?|the) \w+ id)"
    r"|enforces?|generates?|produces?)"
)

_RUNS = (
    r"(?:(?:runs?|goes|go|ships?|leaves?|starts?|begins?|ends?|opens?|closes?|happens?|lands?|arrives?|is"
    r"|are|takes? place|expires?|resets?|restarts?|rotates?|renews?|deploys?|delivers?|publishes|meets?"
    r"|refreshes|syncs?|rebuilds?|comes?(?: out| in| from)?|drops?|closed|open|falls?|kicks? off|fires?"
    r"|triggers?|wakes?|switches|freezes|get|gets|come|need to|changes?|collects?|pays?|sends?|moves?"
    r"|finishes|updates?|archives?|purges?|wipes?|polls?|lasts?|rehearses?|practi[cs]es?|trains?|gathers?"
    r"|convenes?|assembles?|repeats?|come due|is due|are due)\b)"
)

_LIVES = (
    r"(?:is on port|are on port|listens? on|runs? (?:on|under|at|in|behind|as)|lives? (?:in|at|on|under"
    r"|behind|inside)|sits? (?:in|at|on|under|behind)|is (?:at|under|behind|called|named|stored|kept"
    r"|hosted|deployed|written|located|defined|served|mounted|pinned|tagged|cut)|are (?:at|under|called"
    r"|named|stored|kept|hosted|deployed|written|located|defined|cut|prefixed|tagged|always)|points? to"
    r"|goes? to|go to|belongs? to|belongs? in|resides? (?:in|on|at)|defaults? to|stands? for|maps? to"
    r"|resolves? to|starts? with|begins? with|ends? (?:with|in)|is short for|talks? to|connects? to|uses"
    r"|use|requires|targets|ships? with|comes? from|speaks?|is written|is built|is based"
    r"|contains?|consists? of|(?:is|are) (?:in|on|always|only|never))"
)

_PASSING = (
    NO_ORDER + r"(?!(?:the |our |my |this )?(?:flight|plane|bus|ferry|trip|meeting|call|appointment|wedding|party"
    r"|exam|presentation|dinner"
    r"|lunch|holiday|vacation|visit|journey|hotel|interview|parcel|booking|reservation|talk|speech|game|match|concert"
    r"|movie|film|show)\b)"
    r"(?!(?:it|this|that|these|those|he|she|they|there|i|you|error|bug|problem|issue|failure|exception"
    r"|crash|warning|result|output|answer|response|summary|paragraph|example|line|function|loop|test"
    r"|tests|build|fix|diff|patch|the (?:error|bugs?|problem|issue|failure|exception|crash|warnings?"
    r"|results?|output|answer|summary|paragraph|example|line|loop|tests?(?! (?:data|server|suite|env"
    r"|runner|cluster|db|machine|system|account)\w*\b)"
    r"|build|fix|diff|patch|function"
    r"|method|class|variable|button|text|title|page|table|column|row|image|file|code|script|query|string"
    r"|list|array|value|number|question|story|movie|book|song|game|weather|news|sun|world|user|thing"
    r"|point|goal|idea|reason|cause|difference|first|second|third|last|next|other|same|following|cursor"
    r"|dialog|popup|form|field|chart|screen|box|link|reviewer|customer|client|patient)|a|an|some|any|what"
    r"|which|here|now|sometimes|today|as|if|when|while|because|since|although|maybe|note|see|look|let"
    r"|please|can|could|do|does|is|are|was|only|use|put|write|make|add|run|create|set|move|change|give"
    r"|show|tell|take|get|go|come|stop|start|try|keep|check|open|fix|draft|send|find|explain|compare"
    r"|imagine|thanks|oh|well|my (?!company|team|project|app|shop|site))\b)"
)

_NOBODY = (
    rf"(?!(?-i:(?!The |Our |This |All |Every |Each |Any |No |My "
    rf"|Its )[A-ZÀ-Þ][a-zß-ÿ]+ (?:[A-ZÀ-Þ][\w-]+ )?)(?:(?:now|also|always|currently|still) )?(?:is|has|was"
    rf"|lives|loves|likes|works|plays|speaks|goes|sits|comes|uses|runs|owns|supports|practi[cs]es|trains"
    rf"|wants|needs|makes|takes|gets|keeps|starts|offers|looks|enjoys|helps|teaches|studies|writes|reads"
    rf"|sells|drives|travels|moves|eats|drinks|sleeps|cooks|attends|visits|meets|collects|understands"
    rf"|feels|thinks|believes|hosts|belongs|stays|leaves|returns|plans|hopes|opens|closes|swims"
    rf"|sings)\b(?!.*{HARD_VALUE}))"
)

"""A name and what they do says who somebody is, unless the rest can only be of a thing."""
_STANDING_THINGS = (
    r"(?:servers?|apis?|services?|gateway|databases?|db|back-?end|front-?end|staging|production"
    r"|environments?|cluster|queue|broker|cache|ttl|repo(?:sitory)?"
    r"|branch|pipeline|ci|runners?|builds|deployments?|releases?|train|backups?|cron|jobs?|config|loader"
    r"|docs|documentation|logs|monitoring|dashboard|domain"
    r"|url|endpoint|health ?checks?|port|host|vms?|network|vpn|wiki|tracker|migrations|tokens|assets"
    r"|schema|packages?|monorepo|app|apps|site|website|shop|store"
    r"|office|library|clinic|school|company|team|policy|season|(?:fiscal |financial |tax |school )?year"
    r"|semester|term|sprint|stand-?up|retro|newsletter"
    r"|warehouse|fridge|freezer|inventory|kitchen|choir|band|club|orchestra|museum|bakery|restaurant|lab"
    r"|department|building|archive|calendar|rota|roster"
    r"|shift|schedule|time ?zone|currency|proxy|load balancer|firewall|registry|bucket|storage|vault"
    r"|scheduler|worker|workers|daemon|bot|crawler|importer|exporter"
    r"|exports?|imports?|feeds?|syncs?|snapshots?|certificates?|printer|heating|system|software|platform"
    r"|product|stack|framework|linter|compiler|bundler|mail"
    r"|tests|suite|secrets manager|secrets|flags|catalogue|catalog|price list|menu|payroll|billing"
    r"|support|helpdesk|reception|canteen|gym|studio|practice"
    r"|codes?|numbers?|ids?|prefix|suffix|deadline|limit|quota|budget year|window|freeze|rehearsals?"
    r"|lessons?|classes|courses?|services|trash|bins?|gate|doors?)"
)
"""What is the same next month: a letter, a flight or a table of today's work is not."""
_TEAM = (
    r"(?:owns?(?! an?\b)|maintains?|is responsible for|are responsible for|is in charge of|are in charge of"
    r"|is on call|are on call|approves?|signs? off(?: on)?|reviews?|looks? after|runs the|manages? the"
    r"|leads? the|handles?|takes care of|does (?:only )?the|does all|only does|administers|decides (?:on"
    r"|about)|has the final say|does the|is the (?:owner|lead|contact|maintainer|product owner|tech lead"
    r"|architect|on-call|point of contact|release manager)|covers the|keeps the)"
)


RULES = (
    # we deploy …, we host …, we support …
    rule(
        "project",
        rf"(?P<body>we{_HOW} {_HABITS}\s+(?!(?:it|this|that|these|those|them|him|her|his|you|your|out|into|and"
        rf"|as|so|up|ok|fine|here|there|to (?:see|know)|when|how|what|the (?:same|other|next|previous"
        rf"|following|above|function|code below)|something|nothing|anything)\b)\S.+)",
    ),
    rule(
        "project",
        r"(?P<body>we(?:['’]re| are) (?:stuck on|pinned to|still on|on|limited to|running on|running"
        r"|hosted on|hosted (?:by|in|at)|built on|based on|using|locked (?:to|into)|bound to|targeting"
        r"|an? [\w -]{0,30}?(?:team|company|startup|family|shop|school|clinic|studio|group|charity"
        r"|nonprofit|non-profit|agency|bakery|restaurant|farm|cooperative|co-op|duo|trio|household|hotel"
        r"|library|firm|practice|lab)|\d+ (?:people(?! for)|developers|engineers|employees)|(?:two|three|four|five"
        r"|six|seven|eight|nine|ten|twelve) (?:people|developers|engineers|employees)|closed (?:on|between"
        r"|every|over)|open (?:on|from|every|until|\d))\s*(?!(?:it|this|that|the same|our way|track|fire|top"
        r"|hold|a break|board|page|schedule|the (?:way|road|right|wrong|verge|same))\b)(?=.{2,}).*)",
    ),
    rule(
        "project",
        r"(?P<body>there(?:['’]s| is| are) (?:only |no |exactly |just )?(?:one|two|three|four|five|six|\d+|no"
        r"|an?) [\w /'’-]{2,50}? (?:here|in (?:this|our) [\w -]+|at our [\w -]+|of us|per (?:customer|user"
        r"|team|service|region|tenant|project))\b.*)",
    ),
    # our API …
    rule(
        "project",
        rf"(?P<body>{_OURS} (?!(?:problem|issue|bug|goal|question|idea|plan|next|main problem"
        rf"|biggest)\b)(?:[\w/'’.()-]+[ ]){{0,6}}?(?:is|are)\s+{PLAIN}{_COMPLEMENT}.+)",
    ),
    rule(
        "project",
        rf"(?P<body>{_OURS} (?!(?:problem|issue|bug|goal|question|idea|plan|next|main problem"
        rf"|biggest)\b)(?:[\w/'’.()-]+[ ]){{0,6}}?{_STATIVE}\s+(?!(?:{POINTING}|been|to be|a (?:bug|problem"
        rf"|look|while|lot|hard time)|\w+ed|forever|ages|too|so|very|no idea)\b)\S.+)",
    ),
    rule(
        "project",
        rf"(?P<body>this (?:repo(?:sitory)?|project|codebase|code base|monorepo|team|shop|company"
        rf"|library) {_STATIVE}\s+(?!(?:{POINTING}|been|\w+ed)\b)\S.+)",
    ),
    # the staging server listens on port …, the healthcheck is /livez
    rule(
        "project",
        rf"(?P<body>{_PASSING}{_NOBODY}(?=(?:(?:the |our )?(?:[\w/'’.()+#-]+ ){{0,5}}?{_STANDING_THINGS}\b)"
        rf"|(?!the )(?:[\w'’/-]+ ){{0,3}}[\w'’-]+s )(?:the )?(?:[\w/'’.()+#-]+[ ]){{1,6}}?{_LIVES}\s(?"
        rf":[\w,'’ -]{{0,40}}?\b(?:in|at|on|to|with|under|as|called|named|port|by|from|of|for|behind|branch"
        rf"|version|only|the|an?)\s)?(?:{VALUE}|[\w,'’() -]{{0,40}}?\s{HARD_VALUE}).*)",
        general=True,
    ),
    rule(
        "project",
        rf"(?P<body>{_PASSING}(?=the (?:[\w/'’.()+#-]+ ){{0,4}}?{_STANDING_THINGS}\b)(?:the )(?:(?!is\b"
        rf"|are\b)[\w/'’.()+#-]+[ ]){{1,5}}?(?:is|are)\s+(?:(?:always"
        rf"|only|still|just)\s)?(?:port |version |branch |at |on |under )?(?:\x00{{3,}}"
        rf"|[/~][\w.-]+(?:/[\w.-]*)*|https?://\S+|v?\d+\.\d+\S*|\d{{2,5}}(?: \w+)?|[\w-]+(?:\.[\w-]+)+"
        rf"|utc\b\S*|(?:next\.js|node\.js)|an? (?:\w+ )?(?-i:[A-Z][\w+#.-]+)(?: \w+)?(?: (?:on|in|with|behind"
        rf"|running|from|at|app|server|database|site|project|cluster|instance|board"
        rf"|service)\b.*)?)(?:[,;\s]+(?!long\b|times\b|wrong\b|seconds?\b|px\b|lines\b|rows\b|characters\b"
        rf"|errors?\b|instead\b).*)?)\Z",
        general=True,
    ),
    rule(
        "project",
        rf"(?P<body>(?:our |the )(?!(?:function|method|variable|class|button|file|script|error|song|movie"
        rf"|book)\b)(?:[\w'’-]+ ){{1,4}}?(?:is|are|was) (?:now )?(?:called|named|renamed to|known as|nicknamed"
        rf"|codenamed|abbreviated (?:as|to))\s+(?!{POINTING}\b)[^\s,;]+(?: [^\s,;]+){{0,2}}(?:[,;].*)?)\Z",
        general=True,
    ),
    rule(
        "project",
        r"(?P<body>(?:the|our|this) (?:[\w-]+ ){1,3}?(?:is|are) (?:strictly )?(?:protected|read-only|private"
        r"|open[- ]source|closed[- ]source|append-only|immutable|self-hosted|on-?prem\w*|invite-only"
        r"|deprecated)(?:[,;] .*)?)\Z",
        general=True,
    ),
    rule(
        "project",
        rf"(?P<body>{_PASSING}(?:our |all |the )?(?:[\w'’-]+ ){{0,3}}?[\w'’-]{{3,}}s have (?:exactly |always "
        rf"|up to |at most |only |at least )?(?:\d+|two|three|four|five|six|seven|eight|nine|ten"
        rf"|twelve) (?:digits|characters|letters|parts|fields|members|seats|legs|floors|slots|lessons|courses"
        rf"|hours|days|beds|tables)\b.*)",
        general=True,
    ),
    # releases go out on Tuesdays, harbour codes are always four letters
    rule(
        "project",
        rf"(?P<body>{_PASSING}{_NOBODY}(?:[\w/'’.()+#-]+[ ]){{1,7}}?{_RUNS}\b[^;?]{{0,80}}?{HABIT_TIME}.*)",
        general=True,
    ),
    rule(
        "project",
        rf"(?P<body>{_PASSING}(?:[\w/'’.()+#-]+[ ]){{0,4}}?[\w-]{{3,}}s (?:deliver|arrive|open|close|start|run"
        rf"|ship|meet|come|go out|go|leave|land|are due)\s(?:on )?(?:mon|tues|wednes|thurs|fri|satur"
        rf"|sun)days?\b.*)",
        general=True,
    ),
    rule(
        "project",
        rf"(?P<body>{_PASSING}(?:(?!tests?\b|you\b)[\w/'’.()+#-]+[ ]){{0,5}}?(?:[\w-]{{3,}}s|data|code"
        rf"|staff) (?:(?:are|have|start|end|use|contain|go|come|live|carry|follow|get|begin|include|stay|run"
        rf"|need|take|belong|cost) (?:always|never|only)|(?:always|never|only) (?:have|start|end|use|contain"
        rf"|go|come|live|carry|follow|get|begin|include|stay|run|need|take|belong|cost))\s+{PLAIN}\S.+)",
        general=True,
    ),
    rule(
        "project",
        r"(?P<body>(?:the |our )?(?:shop|store|office|cafe|café|restaurant|bakery|library|clinic|museum"
        r"|kitchen|bar|studio|gym|school|salon|market|pharmacy|practice|lab|pool|gallery|workshop|warehouse"
        r"|canteen|reception|support desk|help ?desk|hotline) (?:is |are )?(?:always )?(?:opens?|closes?|open"
        r"|closed)\b.*(?:\d|day|noon|midnight|week).*)",
    ),
    rule(
        "project",
        r"(?P<body>we (?:track|log|report|file|triage|handle|collect|document|discuss|label|manage) (?:our "
        r"|all |the )?(?:bugs|issues|errors|exceptions|incidents|problems)(?: and \w+)? (?:in|on|with|via"
        r"|through|at) .+)",
        "trouble",
    ),
    rule(
        "project",
        rf"(?P<body>(?:the |our )?(?:production|prod|staging|dev|qa|ci|backend|back-end|frontend|front-end"
        rf"|billing|payroll|shipping|support|main|master|trunk|payments?|reporting|search|auth|monitoring"
        rf"|logging|caching|hosting|catering|accounting) (?:is|are|runs?|lives?|sits?|uses?|goes|consists? of"
        rf"|has)\s+{PLAIN}(?=.*{VALUE})(?!(?:the|this|that|it)\b)\S.+)",
        general=True,
    ),
    rule(
        "project",
        rf"(?P<body>{_PASSING}(?:the |our )(?:[\w/'’.-]+ ){{1,5}}?(?:reads?|writes?|loads?|looks in|logs?"
        rf"|saves?|stores?|caches|dumps?|outputs|exports?|imports?|imports|parses|expects?|accepts?|rejects"
        rf"|ignores|validates|sends?|posts?|publishes|deploys?|uploads?|syncs?|copies"
        rf"|keeps?) (?:[\w ]{{0,30}})?(?:\x00{{3,}}|(?<![\w.])[/~][\w.-]+(?:/[\w.-]*)*|\b[\w-]+\.(?:toml|ya?ml"
        rf"|json|ini|env|conf|csv|txt|log|md|db|sqlite|xml)\b|https?://\S+|\bport \d+|\b(?:S3|Redis|Postgres"
        rf"|Kafka|stdout|stderr|stdin|UTF-8|latin-1)\b).*)",
        general=True,
    ),
    rule(
        "project",
        rf"(?P<body>{NO_ORDER}(?!{POINTING}\b|(?:i|we|a|an|what|my|let|please|can|could|write|add|put|make|use"
        rf"|thanks|oh)\b)(?:the )?(?:(?!is\b|are\b)[\w'’/-]+ ){{1,4}}?(?:\w+s|is|are|have|go|stay|run|use|come"
        rf"|get|take|need|belong|live|start|end|close|open|mean) {PLAIN}[^,;?]{{2,60}}? (?:in|at|on|for"
        rf"|with) (?:our|this) (?:\w+ )?(?:app|repo|project|codebase|bakery|team|company|office|school|shop"
        rf"|clinic|kitchen|restaurant|house|household|department|lab|club|family|system|setup|monorepo|service"
        rf"|services|stack|studio|museum|library|warehouse|factory|farm|building|country|city|town|business"
        rf"|product|pipeline))\Z",
        general=True,
    ),
    rule(
        "project",
        r"(?P<body>(?:back-?end|front-?end|db|database|hosting|ci|(?:tech )?stack|os|language|framework"
        r"|editor|shell|terminal|deployment|auth|cache|queue|package manager|build tool|test runner|tests"
        r"|linter|formatter|orm|infra|monitoring|runtime|browser|time ?zone|distro"
        r"|cloud)\s*:\s*(?-i:[A-Z])[\w.+# /,&-]{1,60})\Z",
    ),
    # X owns Y, X stands for Y
    rule(
        "project",
        rf"(?P<body>(?:(?-i:[A-ZÀ-Þ])[\w'’-]+(?: (?-i:[A-ZÀ-Þ])[\w'’-]+)?(?: (?:from|in"
        rf"|on) [\w ]{{2,20}})?(?: and (?-i:[A-Z])\w+)?|the [\w-]+(?: [\w-]+)? team|(?-i:[A-Z])[\w-]+ team"
        rf"|team (?-i:[A-Z])\w+) {_TEAM}\b(?! (?:it|this|that|a (?:car|house|dog|cat)|him|her|my|his"
        rf"|her)\b).*)",
        "others",
    ),
    rule(
        "project",
        rf"(?P<body>{_PASSING}(?:the |our )?(?:[\w/'’.-]+ ){{1,5}}?(?:is|are) (?:done|made|written|paid|baked"
        rf"|printed|produced|supplied|delivered|cleaned|audited|translated|designed|hosted|signed|issued"
        rf"|prepared|owned|maintained|handled|run|managed|looked after|reviewed|approved|operated"
        rf"|administered) by (?!{POINTING}\b|(?:an?|the (?:system|browser|os|framework|library))\b)\S.+)",
        general=True,
    ),
    rule(
        "project",
        r"(?P<body>(?:(?-i:[A-Z])[\w-]{1,20}|\x00+) (?:stands for|is short for|is our (?:name|word|term"
        r"|internal name|codename|code name|abbreviation|acronym) for|means .{3,60}? (?:here|for us"
        r"|in our \w+|at our \w+))\b.*)",
    ),
    rule("project", r"(?P<body>(?:when we say|by) .{2,30}? we mean .+)"),
)
