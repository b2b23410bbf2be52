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
    """The statement and a body that says more; of a profile fact its value, of a work projection its summary."""
    if memory.label == "profile":
        return read_stored(memory.statement or memory.body.strip(), dict(memory.extra).get("name", ""))[2]
    if memory.label == "work-projection":
        return _summary(memory.body.strip() or memory.statement)
    said = memory.display or memory.body.strip()
    more = memory.body.strip()
    return said if not more or " ".join(more.split()) == " ".join(said.split()) else f"{said}\n{more}"


def _summary(text: str) -> str:
    """A projection without its first line of JSON, or without the comments of the older form."""
    first, _, rest = text.partition("\n")
    return rest.strip() if first.lstrip().startswith("{") and rest.strip() else _COMMENT.sub("", text).strip()


def name_of(memory: Memory) -> str:
    """The name of a memory: that of its key `name`, else its subject, else its file."""
    named = dict(memory.extra).get("name", "")
    return named or memory.subject or memory.name.removesuffix(".md")


def preview(memory: Memory, length: int = PREVIEW) -> str:
    """The beginning of what a memory says, on one line."""
    return truncate(" ".join(content_of(memory).split()), length)
