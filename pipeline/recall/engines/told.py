"""What a memory says, as a person reads it: stored forms of Memora are decoded (`spec/memora.md` §6.4, §7.3, §14)."""

from __future__ import annotations

import re

from pipeline.extract.profile.rows import read_stored
from pipeline.segments import truncate
from store.memory import Memory

PREVIEW = 120
"""Characters of a preview (`spec/memora.md` §2.1, §6.6)."""
_COMMENT = re.compile(r"<!--\s*wp:.*?-->", re.DOTALL)


def content_of(memory: Memory) -> str:
    """What is stored in code as a person reads it, else the statement and a body that says more."""
    if told := decoded(memory):
        return told
    said, more = memory.display, memory.body.strip()
    return said if " ".join(more.split()) in {"", " ".join(said.split())} else f"{said}\n{more}".strip()


def said_of(memory: Memory) -> str:
    """What `content_of` tells, perhaps twice: for those who look for words in many memories."""
    return decoded(memory) or f"{memory.statement} {memory.body}"


def decoded(memory: Memory) -> str:
    """The value of a profile fact, the summary of a work projection; "" for what is stored as it is read."""
    if memory.label == "profile":
        written = memory.statement or memory.body.strip()
        told = read_stored(written, dict(memory.extra).get("name", ""))[2]
    elif memory.label == "work-projection":
        written = memory.body.strip() or memory.statement
        told = _summary(written)
    else:
        return ""
    return "" if told == written else told


def _summary(text: str) -> str:
    """A projection without its first line of JSON, or without the comments of the older form."""
    first, _, rest = text.partition("\n")
    return rest.strip() if first.lstrip().startswith("{") and rest.strip() else _COMMENT.sub("", text).strip()


def name_of(memory: Memory) -> str:
    """The name of a memory: that of its key `name`, else its subject, else its file."""
    named = dict(memory.extra).get("name", "") if memory.extra else ""
    return named or memory.subject or memory.name.removesuffix(".md")


def preview(memory: Memory, length: int = PREVIEW) -> str:
    """The beginning of what a memory says, on one line."""
    return truncate(" ".join(content_of(memory).split()), length)
