"""Where each agent keeps what it loads, and the settings that move or bound it (`spec/formats.md` §2-4, §14)."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pipeline.context.loaded.reading import is_file, is_folder, read
from pipeline.formats.table import packaged

CLEANUP_DAYS = 30
"""After so many days Claude Code deletes a transcript, unless `cleanupPeriodDays` says otherwise (§2.1)."""
HERMES_MEMORY, HERMES_USER = 2_200, 1_375
"""Characters of Hermes's two files, unless its configuration says otherwise (§14)."""
CODEX_DOCUMENT = 32 * 1024
"""Bytes of AGENTS.md files that Codex takes in all, unless `project_doc_max_bytes` says otherwise (Codex's manual)."""
SETTINGS, SETTINGS_BYTES = "settings.json", 1 << 18
_MANAGED = {"darwin": "/Library/Application Support/ClaudeCode", "win32": "C:/Program Files/ClaudeCode"}


@dataclass(frozen=True, slots=True)
class Places:
    """The folders of the agents on this machine. `managed` is what an administrator gives to Claude Code."""

    home: Path
    claude: Path
    codex: Path
    hermes: Path
    gemini: Path
    managed: Path

    @property
    def projects(self) -> Path:
        """Claude Code's folder of every project's transcripts and memory."""
        return self.claude / "projects"


def places(home: Path | None = None, environ: Mapping[str, str] | None = None) -> Places:
    """The usual places below `home`, moved by the variables of `environ` (by default this process's)."""
    home = Path.home() if home is None else home
    environ = os.environ if environ is None else environ
    formats = packaged()

    def root(name: str) -> Path:
        return formats.get(name).places[0].root(home, environ)

    managed = Path(_MANAGED.get(sys.platform, "/etc/claude-code"))
    return Places(home, root("claude-code"), root("codex"), root("hermes"), root("gemini-cli") / ".gemini", managed)


def shown(path: Path, folder: Path, home: Path) -> str:
    """A file's name for people: below the folder, else with `~` for the home folder, else whole."""
    for base, lead in ((folder, ""), (home, "~/")):
        if path.is_relative_to(base) and path != base:
            return lead + path.relative_to(base).as_posix()
    return str(path)


def cleanup_days(claude: Path, project: Path | None = None) -> int:
    """After how many days Claude Code deletes a transcript, started in `project`: what the nearest of its settings says
    that names a number of days."""
    near = (project / ".claude" / name for name in ("settings.local.json", "settings.json")) if project else ()
    for file in (*near, claude / SETTINGS):
        days = _settings(file).get("cleanupPeriodDays")
        if isinstance(days, int) and not isinstance(days, bool) and days >= 0:
            return days
    return CLEANUP_DAYS


def memory_folder(places: Places) -> Path | None:
    """Where the person's settings move Claude Code's auto memory to, or None."""
    named = _settings(places.claude / SETTINGS).get("autoMemoryDirectory")  # a project could name any folder
    if not isinstance(named, str) or not named.strip():
        return None
    path = places.home / named[2:] if named.startswith("~/") else Path(named)
    return path if path.is_absolute() else None


def hermes_limits(hermes: Path) -> dict[str, int]:
    """The limits of Hermes's `MEMORY.md` and `USER.md` in characters, as its `config.yaml` sets them."""
    text = _beginning(hermes / "config.yaml").decode("utf-8", "replace")
    keys = {"MEMORY.md": ("memory_char_limit", HERMES_MEMORY), "USER.md": ("user_char_limit", HERMES_USER)}
    return {name: _number(text, key, ":", usual) for name, (key, usual) in keys.items()}


def codex_limit(codex: Path) -> int:
    """How many bytes of AGENTS.md files Codex takes, as its `config.toml` sets it."""
    text = _beginning(codex / "config.toml").decode("utf-8", "replace")
    return _number(text, "project_doc_max_bytes", "=", CODEX_DOCUMENT)


def _number(text: str, key: str, sign: str, usual: int) -> int:
    found = re.search(rf"^[ \t]*{key}[ \t]*{sign}[ \t]*([0-9][0-9_]{{0,11}})[ \t]*(?:#.*)?$", text, re.MULTILINE)
    return int(found[1].replace("_", "")) if found else usual


def _settings(file: Path) -> Mapping[str, Any]:
    try:
        found = json.loads(_beginning(file))
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _beginning(path: Path) -> bytes:
    return b"\n".join(read(path, Path(path.anchor)).raw)[:SETTINGS_BYTES]  # settings may lie elsewhere, behind a link


def slug(project: Path) -> str:
    """A project's folder as Claude Code names its own folder for it (§1.3)."""
    return re.sub(r"[^A-Za-z0-9]", "-", str(project))


def slugs(project: Path) -> tuple[str, ...]:
    """The names that Claude Code may have for a folder: as its main checkout or itself, links resolved or not."""
    folders = dict.fromkeys((main_checkout(project) or project, project))
    return tuple(dict.fromkeys(slug(path) for one in folders for path in (Path(os.path.realpath(one)), one)))


def main_checkout(folder: Path) -> Path | None:
    """The repository that a folder belongs to, the main checkout for a linked worktree; None outside of any."""
    for here in (folder, *folder.parents):
        mark = here / ".git"
        if is_folder(mark):
            return here
        if is_file(mark):
            return _main_of(mark) or here
    return None


def _main_of(mark: Path) -> Path | None:
    told = _beginning(mark).decode("utf-8", "replace").partition("gitdir:")[2].strip()
    parts = Path(told).parts
    if told and parts[-3:-1] == (".git", "worktrees"):
        return Path(*parts[:-3])
    return None
