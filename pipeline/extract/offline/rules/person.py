"""I live in …, I'm a …, N years of …: who a person is, what they do, what they can, how they are."""

from __future__ import annotations

from pipeline.extract.offline.rules.phrases import DURATION, POINTING, rule

_I = r"(?:i['’]?m|i am|im)"
_NOT_ROLES = (
    r"(?!(?:bit|fan|little|number|stranger|winner|matter|lot|believer|total idiot|bug|big fan|huge fan"
    r"|moment|step|mess|wreck|failure|sucker|goner|firm|better|bad person|good person|mystery|tad|touch"
    r"|while|quick|different person|follower|customer of|reader of|no|few|couple|happy|sad|lucky"
    r"|proud)\b)"
)

_ROLE_WORDS = (
    r"(?:nurse|chef|cook|lead|cto|ceo|cfo|coo|pm|dba|sre|sysadmin|admin|architect|pilot|dad|mum|mom"
    r"|father|mother|parent|student|undergrad|postdoc|phd|apprentice|trainee|freelance\w*|vegan"
    r"|vegetarian|developer|dev|coder|nerd|novice|beginner|newbie|rookie|expert|veteran|native|pensioner"
    r"|widow\w*"
    r"|carpenter|plumber|lawyer|judge|coach|clerk|barista|midwife|priest|monk|nun|vet|paramedic|surgeon"
    r"|gp|guard|guide|host|pro|amateur|hobbyist|half of|member|owner|founder|co-?founder|boss|head"
    r"|director|intern|volunteer|scientist|analyst|consultant|assistant|accountant|resident|immigrant"
    r"|expat|citizen|diabetic|insomniac|introvert|extrovert|polyglot|celiac|coeliac|mechanic|musician"
    r"|politician|historian|librarian|technician|electrician|physician|mathematician|statistician|twin"
    r"|runner|cyclist|swimmer|climber|gardener|baker|farmer|butcher|potter|florist|tailor|teacher"
    r"|lecturer|professor|tutor|trainer|translator|interpreter|writer|author|editor|journalist|reporter"
    r"|designer|illustrator|photographer|engineer|programmer|tester|maintainer|contributor|researcher"
    r"|physicist|chemist|biologist|economist|therapist|psychologist|dentist|doctor|pharmacist|optician"
    r"|secretary|receptionist|manager|planner|buyer|seller|driver|sailor|soldier|officer|sergeant"
    r"|policeman|policewoman|firefighter|singer|dancer|actor|actress|painter|sculptor|composer|conductor"
    r"|organist|drummer|guitarist|pianist|user|speaker|smoker|drinker|eater|hunter|angler|collector|gamer"
    r"|player|caretaker|janitor|cleaner|builder|bricklayer|roofer|welder|operator|worker|carer|caregiver"
    r"|nanny|specialist|generalist|paralegal|notary|solicitor|barrister|attorney|bookkeeper|cashier"
    r"|waiter|waitress|bartender|sommelier|concierge|steward|stewardess|flight attendant|dispatcher"
    r"|surveyor|landscaper|beekeeper|brewer|winemaker|distiller|jeweller|jeweler|watchmaker|luthier"
    r"|archivist|curator|conservator|archaeologist|anthropologist|geologist|linguist|philosopher"
    r"|theologian|sociologist|\w+(?:ologist|ographer|etrist|iatrist|keeper|maker|smith|wright))s?"
)
_LIVES = (
    r"(?:(?-i:[A-ZÀ-Þ])|(?:the )?(?-i:[A-ZÀ-Þ]|uk|us|usa|netherlands)|(?:a|the|our|my) (?:small |big "
    r"|tiny |old |rural |remote |quiet |little |new |suburban |large |shared |rented |two-room "
    r"|third-floor )*(?:town|city|village|flat|apartment|house|farm|farmhouse|countryside|suburbs?"
    r"|mountains|north|south|east|west|valley|centre|center|studio|dorm|houseboat|caravan|van|basement"
    r"|attic|(?:\w+ )?floor)\b|(?!(?:a|an|the|fear|hope|peace|constant|denial|my|our"
    r"|your|sin|luxury|harmony|this|that|it|what|here|there|hell|chaos|two|terror|squalor|vim|emacs|excel"
    r"|spreadsheets|meetings|slack|jira|front|general|perpetual)\b)(?-i:[a-zß-ÿ])[\w'’-]+)"
)

_HAS = r"(?:\d+|one|two|three|four|five|six|seven|a|an|no|several|many|mild|severe|type [12]|chronic|only|both)"
_FIELD = (
    r"(?-i:[A-Z][\w.+#-]*|c\b|python|rust|java|sql|javascript|typescript|golang|go\b|kotlin|swift|php"
    r"|ruby|cobol|fortran|excel|linux|docker|kubernetes|git\b|german|french|spanish|english|italian|dutch"
    r"|chinese|japanese|arabic|russian|portuguese|turkish|polish|korean|programming|coding|frontend"
    r"|backend|front-end|back-end|design|statistics|math|maths|cooking|baking|music theory|electronics"
    r"|networking|accounting|photography|marketing|machine learning|databases|devops|web development"
    r"|computers|html|css|regex\w*)"
)


RULES = (
    # my name is …, everyone calls me …, I go by …
    rule(
        "name",
        r"(?P<body>(?:my (?:full |first |last |real |middle )?name(?:['’]s| is)|everyone calls me"
        r"|people call me|(?:my )?(?:friends|colleagues|students|customers|team mates|teammates) call me"
        r"|i go by|i(?:['’]m| am) called|you can call me)\s+(?!(?:it|this|that|not|in|on|a|an|the|and|for|by"
        r"|irrelevant|important|crazy|mud)\b)\S.+)",
        "trouble",
    ),
    # I live in …, I'm from …, I moved to …
    rule(
        "person",
        rf"(?P<body>(?:i|we)(?: (?:currently|now|still|also|both|all|actually|mostly))* (?:live|reside) (?:in"
        rf"|near|at|outside|by|on|close to|just outside|north of|south of|between|an? [\w ]{{2,20}} (?:from"
        rf"|outside)|(?:right )?next to) {_LIVES}.*)",
        "trouble",
    ),
    rule(
        "person",
        rf"(?P<body>(?:{_I}|we['’]?re|we are)(?: (?:currently|now|originally|actually|also|permanently"
        rf"|both))* (?:from|based in|based (?:near|out of)|located in|living in|born in|born and raised in"
        rf"|a native of|originally from) {_LIVES}.*)",
        "trouble",
    ),
    rule(
        "person",
        r"(?P<body>i (?:moved|relocated|emigrated|immigrated) (?:from [\w ]+ )?to (?-i:[A-ZÀ-Þ])\S*.*)",
        "trouble",
        "dated",
    ),
    rule(
        "person",
        r"(?P<body>i (?:was born|grew up|graduated|majored|trained as|retired|retrained|studied (?!hard|the |this"
        r"|that|it\b|your))\b.+)",
        "trouble",
    ),
    rule(
        "person",
        rf"(?P<body>(?:my|our) (?:home ?town|time ?zone|native (?:language|tongue)|mother tongue"
        rf"|first language|second language|birthday|surname|last name|first name|given name|maiden name"
        rf"|family name|middle name|nickname|handle|pronouns|job|job title|title|role|position|profession"
        rf"|occupation|day job|employer|major|degree|background|speciality|specialty|working hours|work hours"
        rf"|office hours|working days|days? off|shift|blood type|shoe size|height|star sign|nationality"
        rf"|religion|age|initials|callsign|(?:github|gitlab|git|user|account|twitter|mastodon|discord"
        rf"|slack)(?: user)?(?: ?name| handle)?|editor|ide|shell|terminal|os|operating system|browser"
        rf"|window manager|laptop|desktop|phone|computer|machine|work machine|keyboard|keyboard layout|keymap"
        rf"|distro|locale|(?:tech )?stack|camera|car|bike|instrument|diet|oven|printer|tablet|e-?reader|mouse"
        rf"|monitor)(?: at (?:work|home))? (?:is|are|runs|=|has|was)(?: (?:actually|officially|an?|the|on|in"
        rf"|at|spelled|still|always|only|from|a))*\s+"
        rf"(?!(?:{POINTING}|not|\w+ing|broken|slow|down|dead|frozen|stuck|full|fine|ok|crashing|acting|so|very"
        rf"|too|really|about to|being|going|gone|missing|locked|lost|killing|new|old|dying|better|bad|good"
        rf"|great|awful|terrible|hot|loud|on fire)\b)\S.+)",
        "embedded question",
    ),
    # I'm a …, I'm the only …, as a … I …
    rule(
        "person",
        rf"(?P<body>{_I}(?: (?:also|actually|basically|just|only|still|now|currently|both|really|mainly"
        rf"|primarily|originally|by trade|not))*,? (?:an?|the|one of (?:the|our|two|three)|your|head|half"
        rf"|part)\s+{_NOT_ROLES}(?:[\w'’/&.+#-]+[ ,]+){{0,6}}?{_ROLE_WORDS}\b(?!['’]s (?:fault"
        rf"|problem))(?!\s+(?:mode|room|place)).*)",
        "trouble",
    ),
    rule(
        "person",
        rf"(?P<body>{_I} (?-i:[A-ZÀ-Þ][\w'’-]+)(?: (?-i:[A-ZÀ-Þ][\w'’-]+))?(?:,| and| from"
        rf"| \() ?(?:i (?:maintain|run|work|own|lead|manage|teach|do|build|write|look)|an?\b|the\b|i['’]m|from"
        rf"|head|lead|(?-i:[A-Z])|\d).*)",
        "trouble",
    ),
    rule(
        "person",
        rf"(?P<body>as (?:an?|the)(?: only| sole| single| new| lead| main| senior| junior| solo)?\s+(?!(?:user"
        rf"|customer|visitor|test|result|rule|matter|first|last|next|side|workaround|quick|temporary|start"
        rf"|reminder|follow|heads|bonus|general|consequence|precaution|guest|shopper|buyer|reader|side note"
        rf"|thank|joke|backup|fallback|default|final|developer i want|admin i want|whole"
        rf"|group)\b)(?:[\w'’-]+ ){{0,4}}?{_ROLE_WORDS}\b[\w ,'’-]{{0,40}}?,?\s(?:i"
        rf"|we)(?:['’]\w+)?\s(?!want to be able|would|want to (?:see|log|pay|click|search|filter)).+)",
        "trouble",
    ),
    rule(
        "person",
        rf"(?P<body>{_I} the (?!(?:one|same|opposite|middle|process|mood|dark|loop|office|kitchen|wrong|right"
        rf"|last|first|end|way|verge|edge|fence|lookout|phone|train|bus|car|road|only one (?:who|that)|worst"
        rf"|best|king|queen)\b)(?:[\w'’-]+ ){{1,3}}?(?:for|of|at|in|on|here)\b(?! (?:{POINTING}|fire"
        rf"|time)\b).*)",
        "trouble",
    ),
    rule(
        "person",
        rf"(?P<body>(?:(?:\w+ )?(?:retired|former|self-taught|junior|senior|aspiring|freelance|part-time|new"
        rf"|long-time|first-time) )?(?:[\w-]+ ){{0,2}}?{_ROLE_WORDS} (?:here(?=[,.!;:]|\Z)|by day|by trade"
        rf"|by training|by night).*)",
        "trouble",
    ),
    rule(
        "person",
        r"(?P<body>we(?:['’]?re| are) (?:two|three|four|five|six|seven|eight|nine|ten|a couple of"
        r"|a handful of|\d+) (?!(?:minutes?|hours?|days?|weeks?|months?|years?|steps?|points?"
        r"|goals?)\b)\w+.*)",
        "trouble",
    ),
    # I work as …, I teach …, I run a …
    rule(
        "person",
        rf"(?P<body>(?:(?!i\b|we\b|you\b)[\w ,'’-]{{3,60}}?,? and now )?i(?: (?:also|mostly|mainly|currently"
        rf"|now|only|usually|still|do|just|mainly|primarily))* work (?:as|at|for|in|part[- ]?time"
        rf"|full[- ]?time|remote(?:ly)?|freelance|night|shift|shifts|from home|from \d|from (?-i:[A-Z])|\d|mon"
        rf"|tue|wed|thu|fri|sat|sun|weekends|nights|mornings|afternoons|evenings|only|three|four|two|on (?:the"
        rf"|a|an|our) [\w -]*?(?:team|crew|ward|desk|farm|ship|project|app|product|service|platform|side)"
        rf"|with (?:children|kids|patients|students|animals|people|horses|data|wood|(?-i:[A-Z]))|alone|solo"
        rf"|under|between|every)(?!\w)(?! {POINTING}\b).*)",
        "trouble",
    ),
    rule(
        "person",
        r"(?P<body>(?!i\b|we\b|you\b|it\b)[\w ,'’-]{3,70}?,? (?:and|but) (?:now )?i (?:now )?(?:do (?!not|it"
        r"|this|that)\w+|work (?:as|at|for|in)|teach|study|run an?|live in)\b.+)",
        "trouble",
    ),
    rule(
        "person",
        rf"(?P<body>i(?: (?:also|mostly|mainly|currently|now|only|still|myself|just|primarily))* (?:teach"
        rf"|study|coach|lecture|freelance|consult|volunteer|tutor|research|farm|breed|majored|major in"
        rf"|specialise|specialize|moonlight)\b(?! (?:{POINTING}|the (?:code|docs|output|error))\b).+)",
        "trouble",
    ),
    rule(
        "person",
        r"(?P<body>i(?: (?:also|mostly|mainly|currently|now|only|still|myself|just|primarily))* (?:run|own"
        r"|manage|lead|maintain|head|supervise|administer|look after|take care of|co-?own|operate|keep|raise"
        r"|edit|moderate|organi[sz]e|chair|mentor|am responsible for|am in charge of)\s+(?:an?|our|my|two"
        r"|three|four|several|the|all|\d+)\s(?!(?:tests?|script|command|code|same|following|linter"
        r"|server locally|build|migration|query|function|program|app locally|error|file|notebook|container"
        r"|job|issue|problem|dev server|copy|list of|question)s?\b)[^,;?]{2,}.*)",
    ),
    rule(
        "person",
        rf"(?P<body>(?:{_I}|we['’]?re|we are) (?:responsible for|in charge of|on the [\w -]+ team"
        rf"|part of the [\w -]+ team|on call (?:for|every)|head of|the one who|the person who|(?:cto|ceo|cfo"
        rf"|coo|head|director|lead|vp)\b|in (?:my|the) (?:first|second|third|fourth|fifth|final|last"
        rf"|middle) (?:year|semester|trimester)|in (?:sales|marketing|finance|hr|it support|support|logistics"
        rf"|academia|retail|consulting|healthcare|nursing|law|publishing|insurance|banking|construction"
        rf"|real estate|the (?:water|legal|finance|sales|marketing|art|english|math|history"
        rf"|physics) department)|retired|semi-retired|self-employed|unemployed|between jobs|on parental leave"
        rf"|\d{{2}}(?: years old| and(?!\w)|(?=,)|\Z)|in my (?:twenties|thirties|forties|fifties|sixties"
        rf"|seventies|early|mid|late))(?!\w).*)",
        "trouble",
    ),
    # I've been … for …, … years of …
    rule(
        "person",
        rf"(?P<body>i(?:['’]?ve| have)(?: also| only| now)* been (?!(?:trying|waiting|looking|debugging"
        rf"|struggling|fighting|stuck|staring|getting|seeing|thinking|wondering|meaning|having"
        rf"|told)\b)[\w'’ ,/+#.-]{{2,60}}? (?:(?:for|since) "
        rf"(?:(?:the (?:last|past) )?{DURATION}|(?:over|about|almost|nearly|more than) [^.]{{1,12}} years|ages)"
        rf"|since (?:\d{{4}}|my|i was|school|university|college|childhood)).*)",
        "trouble",
    ),
    rule(
        "person",
        rf"(?P<body>i(?:['’]?ve got| have(?: got)?|['’]ve| bring) (?:(?:over|about|almost|nearly|more than"
        rf"|around|only|roughly|some|at least|just) )*{DURATION}(?:['’])? (?:of |worth of |working |experience"
        rf"|in |doing ).+)",
    ),
    rule(
        "person",
        rf"(?P<body>{DURATION} (?:of|in|into|as) [\w ,'’+#-]{{3,60}}?(?:, and i|, but i|, i|behind me"
        rf"|under my belt|now|, (?:\w+|two|three|\d+) (?:years?|months?|weeks?|days?) (?:of|in)).*)",
    ),
    rule(
        "person",
        r"(?P<body>i(?:['’]?ve| have) (?:never|not|hardly|barely|only ever|always|mostly"
        r"|never really) (?:used|written|worked (?:with|in|on|as)|programmed|learned|learnt|coded|cooked"
        r"|driven|done any|touched|played|studied|taken|had (?:any|a) (?:formal|training)|owned|lived|been to"
        r"|baked|sewn|spoken) (?!(?:it|this|that|these|the (?:function|file|code)|a (?:problem|bug))\b).+)",
    ),
    rule(
        "person",
        rf"(?P<body>been \w+ing [\w ,'’+#-]{{2,50}}? (?:for {DURATION}|since \d{{4}})\b.*)",
        "trouble",
    ),
    rule(
        "person",
        r"(?P<body>i (?:handle|oversee|coordinate|do) (?!(?:it|this|that|these|those|not|the|my|all|both|so"
        r"|what|want|have|need|think|know|understand|get|see)\b)[\w -]{3,40} (?:for|at|in) (?:an?|the|our|my"
        r"|several|two|three) .+)",
    ),
    rule(
        "person",
        r"(?P<body>i(?:['’]ve| have) (?:always |mostly |only |also )?worked (?:as|at|for|in) (?!(?:it|this"
        r"|that|a (?:similar|few))\b).+)",
        "trouble",
    ),
    # what I know and do not
    rule(
        "person",
        rf"(?P<body>{_I}(?: (?:not|very|quite|pretty|really|fairly|completely|totally|still|only|relatively"
        rf"|rather|also|absolutely|somewhat))* (?:new to|comfortable (?:with|in)|familiar with|unfamiliar with"
        rf"|experienced (?:in|with)|good (?:at|with)|bad (?:at|with)|terrible (?:at|with)|great (?:at|with)"
        rf"|hopeless (?:at|with)|proficient in|fluent in|native in|bilingual|trilingual|self-taught"
        rf"|rusty (?:in|at|with|on)|strong in|weak in|trained (?:in|as)|qualified (?:in|as)|certified (?:in"
        rf"|as)|an? (?:absolute |total |complete )?(?:beginner|newcomer|novice|expert|newbie)|no (?:expert"
        rf"|programmer|developer|designer|native speaker))(?! {POINTING}\b).*)",
        "trouble",
    ),
    rule(
        "person",
        rf"(?P<body>i(?: (?:only|also|mostly|mainly))* (?:speak|know|understand|read|write|code (?:in|mostly)"
        rf"|program (?:in|mostly)|develop in) (?:(?:a bit of|a little|some|basic|only|just|enough|no"
        rf"|nothing about|very little|very basic|both|mostly|mainly|fluent|native|next to nothing about"
        rf"|almost no|little|hardly any) )+(?!{POINTING}\b|of\b|things?\b|people\b)\S.*)",
    ),
    rule(
        "person",
        rf"(?P<body>i(?: (?:only|also|mostly|mainly|already|really))* (?:speak|know|write|code in|program in"
        rf"|develop in|understand) {_FIELD}(?! (?:is|are|has|was|that|how)\b).*)",
    ),
    rule(
        "person",
        rf"(?P<body>i (?:do(?:n['’]?t| not)|can(?:not|['’]?t)) (?:speak|know|understand|read|write|program"
        rf"|code|cook|drive|swim|eat|tolerate|digest|have) (?:(?:any|much|a thing about|anything about"
        rf"|a word of|how to (?:code|program|cook|drive|swim))\b(?! (?:of |about )?(?:{POINTING}|idea|time"
        rf"|clue|access|problem)s?\b)|{_FIELD}|(?:gluten|dairy|nuts|peanuts|meat|fish|shellfish|pork|eggs"
        rf"|lactose|sugar|milk|wheat|soy|seafood|spicy|alcohol)\b).*)",
    ),
    rule(
        "person",
        rf"(?P<body>i can (?:only |also |barely )?(?:read|speak|write|play|cook|code in|program in"
        rf"|touch[- ]type|understand|type)(?! {POINTING}\b)(?: (?:a little|some|basic|fluent|the|both"
        rf"|only))* {_FIELD}.*)",
    ),
    rule(
        "person",
        r"(?P<body>i never (?:learned|learnt|studied|finished|went to|had (?:any|a) (?:formal|training)|took"
        r"|did any) (?!(?:this|that|it|your)\b).+)",
        "trouble",
    ),
    rule(
        "person",
        r"(?P<body>(?:i )?(?:just|recently) moved (?:here )?(?:from|to) (?-i:[A-ZÀ-Þ])\S*(?: (?:with|from"
        r"|last|for|and) .*)?)",
        "dated",
    ),
    rule(
        "person",
        r"(?P<body>my (?:\w+ and i|team|company|department|school|class|group|crew|family) (?:run|own|manage"
        r"|live|work|teach"
        r"|sell|make|build|keep|consists? of|is (?:\d|two|three|four|five|six|seven|eight|nine|ten|based|in"
        r"|from|spread"
        r"|split|called|made up|an?)|has (?:\d|two|three|four|five|six|seven|eight|nine|ten|offices|a (?:farm"
        r"|shop|house)))\b"
        r" (?!(?:trouble|chaos|great|awesome|amazing|busy|bit|mess|lot|joke)\b).+)",
        "trouble",
    ),
    rule(
        "person",
        r"(?P<body>i have (?:no|little|some|a lot of|zero|limited|a bit of|much|plenty of"
        r"|extensive) (?:\w+ )?(?:experience|background|training|knowledge|education|qualifications?)\b.*)",
    ),
    rule(
        "person",
        rf"(?P<body>(?!{POINTING}\b)(?-i:[A-Z])\w+ (?:is|isn['’]t|is not) my (?:first|second|third|native"
        rf"|mother|main|strong|day|weakest|strongest)\b.+)",
    ),
    rule(
        "person",
        r"(?P<body>(?!(?:it|this|that|i)\b)[\w +#.-]{2,30} is (?:all |completely |totally |very |pretty "
        r"|quite |still |rather )*new to me\b.*)",
    ),
    # body, family, home
    rule(
        "person",
        rf"(?P<body>{_I}(?: (?:also|slightly|severely|mildly|very|badly|highly|partially|red-green|legally"
        rf"|strictly|mostly|completely|a|an|both))* (?:allergic to|intolerant to|colou?r[- ]?blind"
        rf"|left-?handed|right-?handed|ambidextrous|deaf|blind|hard of hearing|short-?sighted|near-?sighted"
        rf"|far-?sighted|dyslexic|dyscalculic|vegetarian|vegan|pescatarian|flexitarian|teetotal"
        rf"|lactose[- ]intolerant|gluten[- ](?:free|intolerant)|celiac|coeliac|diabetic|autistic"
        rf"|neurodivergent|asthmatic|epileptic|hypermobile|in a wheelchair|a wheelchair user|married|divorced"
        rf"|widowed|single parent|jewish|muslim|hindu|buddhist|catholic|religious|kosher|halal|tone[- ]deaf"
        rf"|sober|nocturnal|bald|\d(?:\.\d+)? ?m(?:eters?)? tall|\d{{3}} ?cm)\b.*)",
        "trouble",
    ),
    rule(
        "person",
        rf"(?P<body>(?:i|we)(?: (?:also|both))*(?:['’]ve got"
        rf"| have(?: got)?) {_HAS} (?:[\w-]+ ){{0,3}}?(?:kids?|children|daughters?|sons?|twins|toddlers?"
        rf"|teenagers?|grandchildren|dogs?|cats?|horses?|chickens|hens|cows|goats|rabbits|wife|husband|degree"
        rf"|phd|master['’]?s|garden|balcony|allotment|farm|bees|hives|adhd|asthma|diabetes|dyslexia|epilepsy"
        rf"|arthritis|migraines?|tinnitus|allerg(?:y|ies)|celiac|coeliac|ibs|bakery|shop|restaurant|car"
        rf"|employees|brothers?|sisters?|siblings|autism|tremors?|hearing loss|induction (?:hob|stove)"
        rf"|gas stove|oven)\b.*)",
        "trouble",
    ),
    rule(
        "person",
        r"(?P<body>i have (?:adhd|asthma|diabetes|dyslexia|epilepsy|arthritis|migraines?|tinnitus"
        r"|celiac disease|coeliac disease|ibs|autism|dyscalculia|rsi|carpal tunnel|hay fever|insomnia"
        r"|low vision|poor eyesight|bad knees|a bad (?:back|knee|hip|shoulder))\b.*)",
    ),
)
