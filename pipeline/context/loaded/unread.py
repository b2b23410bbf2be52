"""Files and lines that no agent can read: not text, closed to everybody, outside, or nothing leads to them."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.context.loaded.loaded import Loss, cite, counted
from pipeline.context.loaded.markdown import front
from pipeline.context.loaded.reading import NO_TEXT, OUTSIDE, Read, there

ADVICE = {
    "nobody may read it": "Give yourself the right to read it again (chmod u+r).",
    OUTSIDE: "Put the file itself here; Memdesk does not look at where the link leads, and an agent may refuse it.",
    NO_TEXT: "Save it as UTF-8.",
}


def damage(layout: str, one: Read, name: str) -> Iterator[Loss]:
    """What of a file cannot be read: all of it, or lines that are no UTF-8. A file that is not there is no damage."""
    if one.fault:
        if there(one.path):
            todo = ADVICE.get(one.fault, "Look at what stands there, and put a file of text in its place.")
            yield unread(layout, one, name, one.fault, todo)
    elif one.bad:
        told, more = cite(one.path, name, [(number, one.lines[number - 1]) for number in one.bad])
        many = f"{len(one.bad):,} lines hold" if len(one.bad) > 1 else "a line holds"
        title, first, last = f"{many} bytes that are no UTF-8", one.bad[0], one.bad[-1]
        todo = "Save the file as UTF-8; an agent sees other characters there."
        yield Loss("unread", layout, title, todo, one.path, name, first, last, told, more)


def unread(layout: str, one: Read, name: str, why: str, todo: str) -> Loss:
    """A whole file that no agent reads, with the first lines behind its front matter."""
    start = front(one.lines)[1]
    lines = [(number, text) for number, text in enumerate(one.lines[start:], start + 1) if text.strip()]
    told, more = cite(one.path, name, lines[:8])
    rest = max(0, len(lines) - 8) + more
    return Loss("unread", layout, why, todo, one.path, name, lines=told, more=rest)


def large(*files: Read) -> list[str]:
    """A sentence about the files that were looked into only in part; none when there are none."""
    names = [one.path.name for one in files if one.more]
    if len(names) > 1:
        others = counted(len(names) - 1, "more file", "more files")
        return [f"{names[0]} and {others} were looked into only as far as the bounds allow."]
    return [f"{name} is so large that only its beginning was looked into." for name in names]
