"""Did the person ask for this to be remembered, in so many words? Then it is ready at once (`decisions.md` §2.5)."""

from __future__ import annotations

import re

from pipeline.extract.canonical import normalise

_ENDS = re.compile(r"[.!?](?=\s|$)|[。！？；]")
_REQUEST = re.compile(
    r"\W*(?:(?:also|and|so|ok(?:ay)?|but|hey)\b[\s,]*)?"
    r"(?:please[\s,]+|pls\s+|can you\s+|could you\s+|i want you to\s+)?(?:always\s+)?"
    r"(?:remember|memori[sz]e|keep in mind|bear in mind|note|make a note|take note|don'?t forget|do not forget"
    r"|never forget|for the record|for (?:future|later|your) reference|note to self|jot (?:this |that )?down"
    r"|write (?:this|that) down"
    r"|(?:save|store|keep|add|put) (?:this|that|the following)? ?(?:to|in|into|for) (?:your )?"
    r"(?:memory|notes|mind|later|next time)"
    r"|save to memory|add to memory)\b(?!\s+(?:when|how|why|who|what|where|me\b))",
    re.IGNORECASE,
)
_REQUEST_ZH = re.compile(
    r"\W*(?:另外|还有|对了|那|以后|今后|从现在起)?[，,\s]*(?:请|麻烦)?(?:你|您)?(?:帮我|给我|替我|务必|一定要?|要)*(?:永远)?"
    r"(?:记住|记下|记着|记一下|记一笔|存一下|备注|记好|记得|牢记|谨记"
    r"|别忘(?:了|记)?|不要忘(?:了|记)|勿忘|请注意)"
)


def asked_for(text: str, quote: str) -> bool:
    """Whether the sentence of `text` that holds `quote` begins by asking to remember it; questions do not."""
    wanted = normalise(quote)
    place = text.find(wanted)
    if place < 0:
        return False
    before = [hit.end() for hit in _ENDS.finditer(text, 0, place)]
    sentence = text[before[-1] if before else 0 :]
    ending = _ENDS.search(sentence, place - (before[-1] if before else 0) + max(0, len(wanted) - 1))
    sentence = sentence[: ending.end()] if ending else sentence
    if sentence.rstrip().endswith(("?", "？")):
        return False
    return bool(_REQUEST.match(sentence) or _REQUEST_ZH.match(sentence))
