"""The phrases that the offline door knows, by subject: what was asked for first (`decisions.md` §5.2)."""

from __future__ import annotations

from pipeline.extract.offline.rules import (
    asking,
    decided,
    liking,
    person,
    person_chinese,
    project,
    project_chinese,
    standing,
)
from pipeline.extract.offline.rules.phrases import LEAD, Kind, Rule

__all__ = ["LEAD", "RULES", "Kind", "Rule"]

RULES: tuple[Rule, ...] = (
    *asking.RULES,
    *standing.RULES,
    *decided.RULES,
    *liking.RULES,
    *person.RULES,
    *person_chinese.RULES,
    *project.RULES,
    *project_chinese.RULES,
)
"""In the order in which they are tried; a sentence gives at most one finding."""
