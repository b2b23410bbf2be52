"""Which instruction files each tool loads, as data, and where they stand for a folder (`spec/formats.md` §13)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.context.loaded.markdown import front
from pipeline.context.loaded.places import Places, codex_limit
from pipeline.context.loaded.reading import Room, inside, is_folder, read, there, walk

Front = Mapping[str, str]
FRONT_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Rules:
    """A folder of rules, its files in the order of their names. `only_for` says of one's front matter in words when
    it is not loaded at start, "" when it is."""

    folder: str
    ending: str
    only_for: Callable[[Front], str]


@dataclass(frozen=True, slots=True)
class Tool:
    """What a tool loads: `own` files of the person, then `each` of every folder from the outermost to the nearest.

    A file of `instead` stands in the place of the one that it maps to. `everywhere`: also above the repository.
    `imports`: whether `@path` is expanded. `most` gives the limit in bytes of all project files together, 0 for none.
    """

    name: str
    agent: str
    title: str
    each: tuple[str | Rules, ...]
    own: Callable[[Places], tuple[tuple[Path, tuple[str | Rules, ...]], ...]]
    instead: Mapping[str, str] = field(default_factory=dict)
    everywhere: bool = True
    imports: bool = True
    most: Callable[[Places], int] = lambda places: 0

    @property
    def names(self) -> tuple[str, ...]:
        """The files that may also stand in folders below."""
        return tuple(name for name in self.each if isinstance(name, str) and "/" not in name)


@dataclass(frozen=True, slots=True)
class Source:
    """A file that may be loaded: where it is, how far its links may lead, and why it is not loaded at start, if so."""

    path: Path
    within: Path
    later: str = ""
    replaced: str = ""
    of_project: bool = True


def _claude_rules(found: Front) -> str:
    return f"only where it works on {found['paths']}" if found.get("paths") else ""


def _cursor_rules(found: Front) -> str:
    if found.get("alwaysApply", "").casefold() == "true":
        return ""
    if found.get("globs"):
        return f"only where it works on {found['globs']}"
    return "only when its description fits, or it is asked for"


CLAUDE_RULES = Rules(".claude/rules", ".md", _claude_rules)
CLAUDE = Tool(
    "claude-instructions",
    "Claude Code",
    "Claude Code's instructions",
    ("CLAUDE.md", ".claude/CLAUDE.md", CLAUDE_RULES, "CLAUDE.local.md"),
    lambda places: (
        (places.managed, ("CLAUDE.md",)),
        (places.claude, ("CLAUDE.md", Rules("rules", ".md", _claude_rules))),
    ),
)
AGENTS = Tool(
    "agents-instructions",
    "Codex",
    "AGENTS.md",
    ("AGENTS.override.md", "AGENTS.md"),
    lambda places: ((places.codex, ("AGENTS.override.md", "AGENTS.md")),),
    instead={"AGENTS.override.md": "AGENTS.md"},
    everywhere=False,
    most=lambda places: codex_limit(places.codex),
)
GEMINI = Tool(
    "gemini-instructions",
    "Gemini CLI",
    "Gemini CLI's instructions",
    ("GEMINI.md",),
    lambda places: ((places.gemini, ("GEMINI.md",)),),
)
CURSOR = Tool(
    "cursor-rules",
    "Cursor",
    "Cursor's rules",
    (Rules(".cursor/rules", ".mdc", _cursor_rules),),
    lambda places: (),
    everywhere=False,
    imports=False,
)
COPILOT = Tool(
    "copilot-instructions",
    "GitHub Copilot",
    "GitHub Copilot's instructions",
    (".github/copilot-instructions.md",),
    lambda places: (),
    everywhere=False,
    imports=False,
)
TOOLS = (CLAUDE, AGENTS, GEMINI, CURSOR, COPILOT)


def own_sources(tool: Tool, places: Places) -> Iterator[Source]:
    """The files of the person and of the machine, which every project gets."""
    for folder, files in tool.own(places):
        within = places.home if inside(folder, places.home) else folder
        yield from _in_folder(tool, folder, files, within, of_project=False)


def project_sources(tool: Tool, folder: Path, places: Places) -> Iterator[Source]:
    """The files for a folder: of those above it, then its own; the nearest comes last and wins."""
    root = project_root(tool, folder, places)
    for here in chain(tool, folder):
        yield from _in_folder(tool, here, tool.each, root if inside(here, root) else here)


def _in_folder(
    tool: Tool, folder: Path, files: tuple[str | Rules, ...], within: Path, *, of_project: bool = True
) -> Iterator[Source]:
    for name in files:
        if isinstance(name, Rules):
            rules = (
                walk(folder / name.folder, (name.ending,), most=1_000).files if is_folder(folder / name.folder) else ()
            )
            yield from (
                Source(path, within, _later(path, within, name), of_project=of_project) for path in sorted(rules)
            )
        elif there(folder / name):
            other = next(
                (first for first, second in tool.instead.items() if second == name and there(folder / first)), ""
            )
            yield Source(folder / name, within, replaced=other, of_project=of_project)


def _later(path: Path, within: Path, rules: Rules) -> str:
    return rules.only_for(front(read(path, within, Room(FRONT_BYTES, FRONT_BYTES)).lines)[0])


def chain(tool: Tool, folder: Path) -> list[Path]:
    """The folders whose files are loaded for one, the outermost first: all above, or those of its repository."""
    above = [*reversed(folder.parents), folder]
    root = None if tool.everywhere else nearest_checkout(folder)
    return [here for here in above if root is None or inside(here, root)]


def nearest_checkout(folder: Path) -> Path | None:
    """The nearest folder with a repository in it, be it a linked worktree; None outside of any."""
    return next((here for here in (folder, *folder.parents) if there(here / ".git")), None)


def project_root(tool: Tool, folder: Path, places: Places) -> Path:
    """How far a project's links may lead: its repository, else the outermost folder below home with such a file."""
    if (root := nearest_checkout(folder)) is not None:
        return root
    above = [here for here in reversed(folder.parents) if not inside(places.home, here)]
    named = [name for name in tool.each if isinstance(name, str)]
    return next((here for here in above if any(there(here / name) for name in named)), folder)
