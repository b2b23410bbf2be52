"""Queries that nobody would type on purpose, half typed, in many scripts."""

from __future__ import annotations

import random

from hypothesis import strategies as st

_PIECES = (
    *(
        "type:",
        "type:f",
        "TYPE:pref",
        "type:,",
        "tag:",
        'tag:"a b',
        "-tag:x",
        "owner:ana",
        "-owner:",
        "session:codex/4f",
    ),
    *("before:2026", "before:2026-13", "after:2026-1", "after:", "is:", "is:p", "is:trash", "-is:pinned", "is:pending"),
    *("id:2026", "id:/", "sort:", "sort:ti", "label:x", "source:chat", "typ:x", "is:archived", "is:trash,archived"),
    *('"', '""', '"green', '"green tea"', '-"', '-"on 8081', "-", "--", "-->", "-tea", "- tea", "“绿茶”", "”", "＂"),
    *(
        "绿",
        "绿茶",
        "备份 每周",
        "カフェ",
        "ｶﾞｽ",
        "한국어",
        "🍵",
        "👩‍👩‍👧",
        "→",
        "❤️",
        "שלום",
        "مرحبا",
        "नमस्ते",
        "\u202eabc",
        "\u200d",
    ),
    *(
        "ＧＲＥＥＮ",
        "Ｔｅａ",
        "café",
        "cafe\u0301",
        "ﬁle",
        "Straße",
        "İstanbul",
        "ſ",
        "ǆ",
        "Ω",
        "e",
        "a",
        "1",
        "_",
        "\u0301",
    ),
    *(
        "getUserName",
        "user_name",
        "self.x[0]",
        "foo()",
        "C++",
        "~/a/b.py",
        "/var/log",
        "C:\\x",
        "a.b@c.de",
        "#12",
        "x=1",
    ),
    *(
        "(",
        ")",
        "[a-z]*",
        "*",
        "?",
        "^",
        "\\",
        "AND",
        "OR",
        "NOT",
        "NEAR(",
        "type:type:fact",
        "a:b:c",
        "：",
        "tag：工作，家",
    ),
    *("\x00", "\x1b[31m", "\ud800", "\t", "\n", "'", "`", "%", "{", "0" * 40, "a" * 200, "💥" * 30),
)
_chance = random.Random(5)
HOSTILE = tuple(
    "".join(
        piece + _chance.choice((" ", " ", "", "  "))
        for piece in (_chance.choice(_PIECES) for _ in range(_chance.randint(1, 5)))
    )
    for _ in range(500)
)
"""Five hundred of them, the same in every run."""

TYPED = st.lists(st.sampled_from(_PIECES) | st.text(max_size=4), max_size=5).map(" ".join)
"""Any of them, and more, for properties."""
