"""Snippets as people type them, with what the offline rules should keep of each: contents in order, or nothing."""

from __future__ import annotations

KEPT: tuple[tuple[str, tuple[str, ...]], ...] = (
    # asked for in so many words
    ("Remember that we deploy only on Fridays.", ("we deploy only on Fridays",)),
    ("please remember: the staging database is called puffin", ("the staging database is called puffin",)),
    ("Remember, my birthday is 3 May.", ("my birthday is 3 May",)),
    (
        "Please note that the API key lives in 1Password, not in the repo.",
        ("the API key lives in 1Password, not in the repo",),
    ),
    ("Keep in mind that our CI runners have only 2 cores", ("our CI runners have only 2 cores",)),
    (
        "ok thanks! For future reference: releases are cut from the stable branch",
        ("releases are cut from the stable branch",),
    ),
    (
        "remember that if the build fails, the cache has to be cleared",
        ("if the build fails, the cache has to be cleared",),
    ),
    ("记住我们只在周五部署。", ("我们只在周五部署",)),
    ("请记住：测试数据库叫 puffin", ("测试数据库叫 puffin",)),
    ("请注意，发布分支是 stable", ("发布分支是 stable",)),
    ("帮我记一下：服务器在法兰克福", ("服务器在法兰克福",)),
    # names
    ("My name is Lin Wei.", ("My name is Lin Wei",)),
    ("hi! please call me Zed", ("call me Zed",)),
    ("我叫王小明，是后端", ("我叫王小明",)),
    # preferences
    ("I prefer tabs over spaces.", ("I prefer tabs over spaces",)),
    ("btw, I really like short commit messages", ("I really like short commit messages",)),
    ("I always use fish as my shell", ("I always use fish as my shell",)),
    ("I don't like emojis in commit messages.", ("I don't like emojis in commit messages",)),
    ("My favourite editor is Zed", ("My favourite editor is Zed",)),
    ("我喜欢简短的回答。", ("我喜欢简短的回答",)),
    ("我习惯用两个空格缩进", ("我习惯用两个空格缩进",)),
    ("我不喜欢在提交信息里用表情", ("我不喜欢在提交信息里用表情",)),
    ("我更偏好深色主题", ("我更偏好深色主题",)),
    # decisions
    ("We decided to use Postgres for the event store.", ("We decided to use Postgres for the event store",)),
    ("ok, let's go with NATS as the broker", ("let's go with NATS as the broker",)),
    ("We'll use pnpm in the frontend.", ("We'll use pnpm in the frontend",)),
    ("we've settled on trunk based development", ("we've settled on trunk based development",)),
    ("我们决定用 Postgres 存事件。", ("我们决定用 Postgres 存事件",)),
    ("那就用 NATS 做消息队列吧", ("就用 NATS 做消息队列",)),
    ("我们已经改用 pnpm 了", ("我们已经改用 pnpm 了",)),
    # corrections
    ("No, it's Postgres, not MySQL.", ("it's Postgres, not MySQL",)),
    ("Actually, the staging host is called heron.", ("the staging host is called heron",)),
    ("actually our API listens on port 8443, not 8080", ("our API listens on port 8443, not 8080",)),
    ("不对，应该是 8443 端口。", ("应该是 8443 端口",)),
    ("不对，不是 MySQL，是 Postgres", ("不是 MySQL，是 Postgres",)),
    # standing instructions
    ("Never push to main without a review.", ("Never push to main without a review",)),
    ("Always run the linter before committing!", ("Always run the linter before committing",)),
    ("From now on, answer in German.", ("answer in German",)),
    ("Customer data must never leave the EU", ("Customer data must never leave the EU",)),
    ("please never force-push unless I say so", ("never force-push unless I say so",)),
    ("we never deploy on Fridays", ("we never deploy on Fridays",)),
    ("不要在周五部署。", ("不要在周五部署",)),
    ("以后请用中文回答", ("用中文回答",)),
    ("提交前必须跑一遍测试", ("提交前必须跑一遍测试",)),
    ("我们从不在周五部署", ("我们从不在周五部署",)),
    # two things, and things beside code
    (
        "Always squash commits. And we decided to drop Windows support.",
        ("Always squash commits", "we decided to drop Windows support"),
    ),
    ("Some notes:\n- never commit generated files\n- tests live in spec/", ("never commit generated files",)),
    ("```\nnever do this\n```\nI prefer explicit imports.", ("I prefer explicit imports",)),
    # the items of a list, with what its heading says of them
    (
        "House rules for our newsletter:\n- no puns in headlines\n- sentences under 20 words",
        (
            "House rules for our newsletter: no puns in headlines",
            "House rules for our newsletter: sentences under 20 words",
        ),
    ),
    # what leads into a statement, and what is asked behind it, are no part of it
    ("No, that's wrong: our tests are in spec/, not test/.", ("our tests are in spec/, not test/",)),
    ("After yesterday's meeting we're going with Stripe for payments.", ("we're going with Stripe for payments",)),
    ("We live in Ghent, what can we do on Sunday?", ("We live in Ghent",)),
    ("我家住在呼和浩特，绿植怎么养？", ("我家住在呼和浩特",)),
    ("日志系统已经从 ELK 改用 Loki，帮我改一下部署脚本", ("日志系统已经从 ELK 改用 Loki",)),
    # how things are, without a word that asks to keep it
    ("The staging server listens on port 8443.", ("The staging server listens on port 8443",)),
    ("Releases go out on Tuesdays.", ("Releases go out on Tuesdays",)),
    ("部署只能在周二进行。", ("部署只能在周二进行",)),
    ("Our app has 500 users in Ghent.", ("Our app has 500 users in Ghent",)),
)

LEFT: tuple[str, ...] = (
    # questions
    "Do you remember that we deploy on Fridays?",
    "Should we always use pnpm?",
    "what do you think, do I prefer tabs",
    "Why does it never work?",
    "我们是不是决定用 Postgres",
    "你记住我叫什么了吗？",
    "要不要以后都用 pnpm",
    # suppositions
    "Maybe we'll use Kafka.",
    "If we go with Kafka, we'll use Avro.",
    "I would prefer Rust for this.",
    "I think we decided on Postgres",
    "Let's say we always cache.",
    "如果我们决定用 Kafka，就用 Avro。",
    "也许以后都用 pnpm 吧",
    "假如我喜欢深色主题",
    "要是不要缓存就好了",
    # other people's words
    "My boss says we always ship on Friday.",
    'The readme says "never use tabs".',
    "He told me: always rebase.",
    "老板说我们决定用 Java。",
    "文档里写着“不要在周五部署”",
    "> I prefer tabs\nwhat is this about?",
    # jokes
    "We always deploy on Friday night lol",
    "Remember that I am the king. Just kidding!",
    "我喜欢加班，开玩笑的",
    "不要睡觉哈哈",
    # for this time only
    "For now, always use the mock server.",
    "just this once never mind the linter",
    "We'll use sqlite for this test.",
    "这次不要跑测试",
    "先不要提交",
    "暂时就用 SQLite",
    "I prefer the second option right now",
    # one task
    "Remember to run the tests.",
    "Run the tests and commit.",
    "don't touch that file",
    "use the other function",
    "不要改这个文件",
    "把日志删掉",
    "记得跑测试",
    # nothing to stand on alone
    "remember that",
    "Remember it is slow.",
    "let's go with that one",
    "I like it",
    "I like this approach",
    "就用这个",
    "我喜欢这个方案",
    "no, it's not",
    "actually I am done",
    # complaints and stories
    "it never works",
    "The test always fails on CI.",
    "I never said that",
    "we always had problems with that vendor",
    "测试总是失败",
    "remember when we broke production",
    "I remember that we used Jenkins.",
    # somebody else's text
    "Translate into French: I live in Rome.",
    "Summarise this mail:\n\nHi all,\nwe always meet on Mondays.",
    "Can you check this job ad?\n\nWe never work weekends.",
    "帮我润色：我是一名老师，我住在南京。",
    # a part that is played, an example
    "You are a pirate. You never sleep, I live in a castle.",
    "For example: we always deploy on Mondays.",
    # taken back, or not to be kept
    "I live in Madrid. Wait, no, that's my brother.",
    "我对海鲜过敏……等下，不是我，是我姐。",
    "No need to save this: we only have two customers.",
    "这条不用记，我们团队其实只有三个人。",
    # what the agent has noted
    "把你记的关于我住址的内容都删掉吧。",
    "我住的地方的资料都清空吧",
    # how something is to be made
    "Write a parser. Every function must return a list.",
    # code
    "```py\n# always use tabs\n```",
    "    never = True",
    "the function `never_always` is broken",
)
