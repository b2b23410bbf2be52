"""What stands in a Markdown file that agents load: front matter, links, imports, comments, statements.

Lines keep their numbers throughout. Code (spans and fences) and HTML comments say nothing to an agent as far as links,
imports and statements go (`spec/formats.md` §13).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from pipeline.context.loaded.loaded import Statement

FRONT_LINES = 200
"""Front matter is looked for no further than this."""
STATEMENT_CHARS = 1_000
LINE_CHARS = 20_000
"""Of one line so much is looked into: a file of one line is no memory, and must not hold anything up."""
_KEY = re.compile(r"\s*([A-Za-z_][\w-]*)\s*:(.*)")
_FENCE = re.compile(r"\s{0,3}(`{3,}|~{3,})")
_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_LINK = re.compile(
    r"(?<!!)\[(?:[^\[\]\n]|\[[^\[\]\n]{0,100}\]){0,300}\]\(\s*(?:<([^>\n]{0,1000})>|([^\s()]{0,1000}(?:\([^\s()]{0,100}\)[^\s()]{0,100}){0,3}))"
    r"(?:\s+[\"'(][^\n)]{0,300})?\)"
)
_NAMED = re.compile(r"\[\[([^\]\[\n|#]{1,200})(?:[|#][^\]\n]{0,200})?\]\]")
_IMPORT = re.compile(r"(?:^|(?<=[\s(\[]))@((?:\\ |[^\s\\]){1,1000})")
_ITEM = re.compile(r"(\s*)(?:[-*+]|\d{1,4}[.)])\s+(?:\[[ xX]\]\s+)?(.*)")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s(.*)")
_EXTERNAL = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*:|//|#)")
_SILENT = re.compile(r"\s*(?:\||§\s*$|@\S+(?:\s+@\S+)*\s*$|[-*_=](?:\s*[-*_=]){2,}\s*$)")
"""Rows of tables, separators, rules, and lines that only import."""
_SENTENCE_END = ".,;:!?)]}'\""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a line points to. `kind`: a link `[text](path)`, a name `[[name]]`, or an import `@path`."""

    line: int
    text: str
    kind: str

    @property
    def external(self) -> bool:
        """A web address, or a place in the same file."""
        return bool(_EXTERNAL.match(self.text))


def front(lines: Sequence[str]) -> tuple[Mapping[str, str], int]:
    """The front matter, each key with the rest of its line, and how many lines it takes (0: there is none).

    It is often no YAML, so it is read line by line (`spec/formats.md` §2.2); indented keys count like the others, the
    first of a name wins, items of a list are joined with commas.
    """
    if not lines or lines[0].strip() != "---":
        return {}, 0
    end = next((at for at, line in enumerate(lines[1:FRONT_LINES], 1) if line.strip() == "---"), 0)
    found: dict[str, str] = {}
    key = ""
    for line in lines[1:end]:
        if (pair := _KEY.match(line)) is not None:
            key = pair[1]
            found.setdefault(key, _unquoted(pair[2].strip()))
        elif (item := _ITEM.match(line)) is not None and key:
            found[key] = ", ".join(filter(None, (found[key], _unquoted(item[2]))))
    return found, end + 1 if end else 0


def _unquoted(value: str) -> str:
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if quoted else value


def without_comments(lines: Sequence[str]) -> tuple[list[str], list[tuple[int, int]]]:
    """The lines with comments and code blanked out, and the first and last lines of each comment of its own.

    What is blanked keeps its width, so nothing moves. Comments inside code are code.
    """
    shown: list[str] = []
    comments: list[tuple[int, int]] = []
    fence, opened = "", 0
    for number, line in enumerate((line[:LINE_CHARS] for line in lines), 1):
        if not opened and (mark := _FENCE.match(line)) is not None and (not fence or _closes(line, mark[1], fence)):
            fence = "" if fence else mark[1]
            shown.append("")
        elif fence:
            shown.append("")
        else:
            text, opened = _strip(_SPAN.sub(_blank, line) if not opened else line, number, opened, comments)
            shown.append(text)
    return shown, comments


def spoken(lines: Sequence[str]) -> list[str]:
    """The lines as they speak: without comments and fences; code inside a line stays, it is part of what is said."""
    kept = zip(lines, without_comments(lines)[0], strict=True)
    return [
        line[:LINE_CHARS] if plain.strip() and "<!--" not in line and "-->" not in line else plain
        for line, plain in kept
    ]


def _closes(line: str, mark: str, fence: str) -> bool:
    return mark[0] == fence[0] and len(mark) >= len(fence) and line.strip() == mark


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _strip(line: str, number: int, opened: int, comments: list[tuple[int, int]]) -> tuple[str, int]:
    """One line without its comments, and the line on which a comment began that is still open (0: none)."""
    kept, at = "", 0
    while at < len(line):
        if opened:
            end = line.find("-->", at)
            if end < 0:
                return kept, opened
            comments.append((opened, number))
            opened, at = 0, end + 3
            continue
        start = line.find("<!--", at)
        kept += line[at:] if start < 0 else line[at:start]
        if start < 0:
            break
        opened, at = number, start + 4
    return kept, opened


def targets(shown: Sequence[str]) -> Iterator[Target]:
    """The links and names of lines whose comments and code were blanked."""
    for number, line in enumerate(shown, 1):
        for found in _LINK.finditer(line):
            if target := unquote((found[1] or found[2] or "").strip()):
                yield Target(number, target, "link")
        for found in _NAMED.finditer(line):
            yield Target(number, found[1].strip(), "name")


def imports(shown: Sequence[str], start: int = 0) -> Iterator[Target]:
    """The `@path` imports of lines whose comments and code were blanked, from line `start` on (counted from 0)."""
    for number, line in enumerate(shown[start:], start + 1):
        for found in _IMPORT.finditer(line):
            path = found[1].replace("\\ ", " ").partition("#")[0].rstrip(_SENTENCE_END)
            if path and path[0] not in "@<>*&^%$!{}" and "://" not in path:
                yield Target(number, path, "import")


def statements(shown: Sequence[str], file: Path, name: str, start: int = 0) -> Iterator[Statement]:
    """What the lines say: bullets with their continuation, paragraphs; headings, tables and imports say nothing."""
    section, held, first = "", list[str](), 0
    for number, line in enumerate([*shown[start:], ""], start + 1):
        heading, item = _HEADING.match(line), _ITEM.match(line)
        if heading or item or not line.strip() or _SILENT.match(line):
            if held and (text := " ".join(" ".join(held).split())[:STATEMENT_CHARS]):
                yield Statement(text, file, name, first, section)
            held, first = ([item[2]], number) if item else ([], 0)
            section = heading[1].strip(" \t#") if heading else section
        elif held:
            held.append(line.strip())
        else:
            held, first = [line.strip()], number
