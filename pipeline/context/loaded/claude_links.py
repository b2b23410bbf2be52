"""Links between the files of Claude Code's auto memory: where each leads, and which lead nowhere."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from pipeline.context.loaded.claude_folder import INDEX, NAME, Folder
from pipeline.context.loaded.loaded import Link, Loss, State, cite
from pipeline.context.loaded.markdown import Target, front, targets, without_comments
from pipeline.context.loaded.reading import OUTSIDE, inside, there


def links(found: Folder) -> Iterable[Link]:
    """Every link of the index and of the other files, with where it leads."""
    names, folded = _names(found), {_composed(name).casefold(): name for name in found.topics}
    for name, one in ((INDEX, found.index), *found.topics.items()):
        for target in targets(without_comments(one.lines)[0]):
            if target.kind == "name":
                state, leads, words = _named(target.text, names)
            else:
                state, leads, words = _leads(found, target, Path(name).parent, folded)
            yield Link(one.path, name, target.line, target.text, state, one.lines[target.line - 1], words, leads)


def _names(found: Folder) -> Mapping[str, str]:
    """The files by what `[[…]]` may call them: the name in the front matter, or that of the file."""
    topics = found.topics.items()
    named = {_plain(Path(name).stem): name for name in found.topics}
    return named | {_plain(front(one.lines)[0].get("name", "") or name): name for name, one in topics}


def _named(text: str, names: Mapping[str, str]) -> tuple[State, str, str]:
    """Which file a `[[name]]` means."""
    name = names.get(_plain(text), "")
    return ("found", name, "") if name or text == INDEX else ("missing", "", "no memory has this name")


def _leads(found: Folder, target: Target, beside: Path, folded: Mapping[str, str]) -> tuple[State, str, str]:
    """Where a link leads. What lies outside the folder is never looked at, not even whether it is there."""
    if target.external:
        return "external", "", "leads to the web"
    relative = relative_path(target.text.partition("#")[0].partition("?")[0], beside)
    if relative is None or (there(found.path / relative) and _out(found.path / relative, found.path)):
        return "outside", "", OUTSIDE
    if relative in found.topics:
        return "found", relative, ""
    if (other := folded.get(_composed(relative).casefold())) is not None:
        same = _composed(other) == _composed(relative) and there(found.path / relative)
        return ("found", other, "") if same else ("case", other, f"the file is called {other}")
    return ("found", "", "") if there(found.path / relative) else ("missing", "", "there is no such file")


def relative_path(path: str, beside: Path) -> str | None:
    """A link's path below the folder, lexically; None for one that climbs out, or is absolute."""
    if path.startswith(("/", "~", "\\")) or "\0" in path:
        return None
    plain = Path(os.path.normpath(beside / path)).as_posix()
    return None if plain == ".." or plain.startswith("../") else "" if plain == "." else plain


def _out(path: Path, folder: Path) -> bool:
    return not inside(Path(os.path.realpath(path)), Path(os.path.realpath(folder)))


def _composed(name: str) -> str:
    """A name in one form: some systems write an accent as a letter of its own."""
    return unicodedata.normalize("NFC", name)


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "-", name.strip().casefold())


def pointed(links: Sequence[Link]) -> dict[str, Link]:
    """The files that the index points to, each with the first line that does; one in other letters comes last."""
    found: dict[str, Link] = {}
    for link in sorted(links, key=lambda link: link.state == "case"):
        if link.name == INDEX and link.leads:
            found.setdefault(link.leads, link)
    return found


def dead(links: Sequence[Link]) -> Iterable[Loss]:
    """The links that lead nowhere, in other letters, or out of the folder."""
    todos = {
        "missing": "Write the file again, or take the link out.",
        "case": "Write the name as the file has it: on other machines the link leads nowhere.",
        "outside": "Keep memories inside the folder; a link that climbs out can lead an agent anywhere.",
    }
    for link in links:
        if link.state in todos:
            told, _ = cite(link.file, link.name, [(link.line, link.text)])
            title = f"{link.target}: {link.words}"
            yield Loss("link", NAME, title, todos[link.state], link.file, link.name, link.line, link.line, told)
