"""What of a bank's setting files a chat is told: the persona, the rules, the skill that fits (`spec/memora.md` §11–12).

Guardrails check what is said and are never told; setting files are never recalled (`decisions.md` §2.3).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.segments import occurs, score_by_keywords
from store.setting_file import SettingFile
from store.view import View

LONGEST_PATTERN, SEARCHED = 300, 400
"""Characters of a trigger, and of the words that it is tried on."""
MOST_REPEATS = 3
"""Repetitions in a trigger: with each, a search may take as many times longer as there are characters."""
_SLASHED = re.compile(r"/(.*)/[a-z]*", re.DOTALL)
_ESCAPED = re.compile(r"\\.", re.DOTALL)
_REPEATED_GROUP = re.compile(r"\)[*+{]")


@dataclass(frozen=True, slots=True)
class Told:
    """One setting file, whether a chat is told of it, and why."""

    file: SettingFile
    stands: bool
    why: str


def personas(view: View, name: str) -> tuple[Told, ...]:
    """The personas; the one of that name stands, else the first (`spec/memora.md` §12)."""
    files = of_kind(view, "persona")
    able = [file for file in files if not file.template]
    named = next((file for file in able if file.name == name), None)
    active = named or next(iter(able), None)
    why = "it is the persona asked for" if named else "it is the first persona"
    idle = "another persona is active"
    return tuple(Told(file, file is active, why if file is active else _idle(file, idle)) for file in files)


def rules(view: View) -> tuple[Told, ...]:
    """The rules; all stand but those that are only a template."""
    return tuple(Told(file, not file.template, _idle(file, "every rule is told")) for file in of_kind(view, "rule"))


def skills(view: View, words: str) -> tuple[Told, ...]:
    """The skills; at most one stands: the first whose trigger fits the words, else that with most of its keywords."""
    files = of_kind(view, "skill")
    able = [file for file in files if not file.template]
    fitting = next((file for file in able if _triggered(file, words)), None)
    best = fitting or _most_keywords(able, words)
    return tuple(Told(file, file is best, _skill_why(file, words, best)) for file in files)


def guardrails(view: View) -> tuple[Told, ...]:
    """The guardrails; none stands."""
    return tuple(Told(file, False, "guardrails check, they are not told") for file in of_kind(view, "guardrail"))


def of_kind(view: View, kind: str) -> list[SettingFile]:
    """The setting files of a kind, in path order."""
    return [view.setting_files[path] for path in sorted(view.setting_files) if view.setting_files[path].kind == kind]


def _idle(file: SettingFile, otherwise: str) -> str:
    return "it is only a template" if file.template else otherwise


def _most_keywords(files: Sequence[SettingFile], words: str) -> SettingFile | None:
    scored = [(score_by_keywords(words, file.keywords), file) for file in files]
    best = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    return best[1] if best[0] > 0 else None


def _skill_why(file: SettingFile, words: str, best: SettingFile | None) -> str:
    hits = [keyword for keyword in file.keywords if occurs(keyword, words)]
    if file is best:
        return "its trigger fits" if _triggered(file, words) else f"it is about {', '.join(hits)}"
    if file.template:
        return "it is only a template"
    if problem := trigger(file)[1]:
        return problem
    return "another skill fits better" if hits else "no trigger and no keyword of it fits"


def _triggered(file: SettingFile, words: str) -> bool:
    pattern = trigger(file)[0]
    return pattern is not None and pattern.search(words[:SEARCHED]) is not None


def trigger(file: SettingFile) -> tuple[re.Pattern[str] | None, str]:
    """The trigger of a skill, `/pattern/flags` or a plain pattern, and what is wrong with it; None when there is none.

    Flags are ignored and case never counts (`spec/memora.md` §11.2).
    """
    written = file.fields.get("trigger", "")
    slashed = _SLASHED.fullmatch(written)
    text = slashed[1] if slashed else written
    if not text:
        return None, ""
    if _is_costly(text):
        return None, "its trigger could search for too long"
    try:
        return re.compile(text, re.IGNORECASE), ""
    except (re.error, RecursionError, OverflowError):
        return None, "its trigger is no pattern that can be read"


def _is_costly(pattern: str) -> bool:
    """Whether a pattern could search for longer than anybody waits: by repeated groups, or by many repetitions."""
    plain = _ESCAPED.sub("x", pattern)
    repeats = sum(plain.count(sign) for sign in "*+{")
    return len(pattern) > LONGEST_PATTERN or repeats > MOST_REPEATS or _REPEATED_GROUP.search(plain) is not None
