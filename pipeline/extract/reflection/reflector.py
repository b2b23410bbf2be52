"""Insights and suggestions by a model: one question beside those for facts, within the calls of a range."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipeline.extract.evidence import Record
from pipeline.extract.reflection.insight import SAID, Insight, classify, known_as, read_insights
from pipeline.extract.reflection.insight_rows import file_insights, stored
from pipeline.extract.reflection.loose import value_of
from pipeline.extract.reflection.suggestion import Suggestion, long_enough, read_suggestions
from pipeline.extract.reflection.suggestion_rows import SuggestionRules, file_suggestions
from pipeline.extract.stages import Reflect
from pipeline.extract.work import Extractor, Filed, Harvest
from store.setting_file import split_keywords
from store.settings import bank_value
from store.view import View


@dataclass(frozen=True, slots=True)
class Reflector:
    """What a bank wants to be asked: insights, suggestions or both; `keywords` always count (`spec/memora.md` §8.1)."""

    insights: bool = True
    suggestions: bool = True
    keywords: tuple[str, ...] = ()

    def question(self, view: View, records: Sequence[Record], now: int) -> Reflect | None:
        """What to ask about these records: those that may hold something new; None when there are none.

        `now` is milliseconds.
        """
        known = stored(view) if self.insights else ()
        new = {
            record.source_ref
            for record in records
            if self.insights and classify(record.text, self.keywords).extract and not known_as(record.text, known, SAID)
        }
        long = {record.source_ref for record in records if self.suggestions and long_enough(record.text)}
        shown = tuple(record for record in records if record.source_ref in new | long)
        return Reflect(shown, now, bool(new), bool(long)) if shown else None

    def answered(self, reply: str, question: Reflect, by: str) -> Reflected:
        """What a reply to a question holds; one that cannot be read holds nothing. `by` is the model."""
        return Reflected(
            read_insights(reply) if question.insights else (),
            read_suggestions(reply) if question.suggestions else (),
            by,
            frozenset(record.source_ref for record in question.records),
            value_of(reply) is not None or reply.strip() in ("", "null"),
        )


@dataclass(frozen=True, slots=True)
class Reflected:
    """The insights and suggestions of one reply, as an extractor of the range that they came from."""

    insights: tuple[Insight, ...] = ()
    suggestions: tuple[Suggestion, ...] = ()
    by: str = ""
    shown: frozenset[str] = frozenset()
    readable: bool = True

    @property
    def count(self) -> int:
        """How much the reply proposes."""
        return len(self.insights) + len(self.suggestions)

    def file(self, harvest: Harvest) -> Filed:
        """Rows for what holds, over the rows that are there; only what the model was shown can be quoted."""
        harvest = replace(harvest, records=tuple(one for one in harvest.records if one.source_ref in self.shown))
        found = (file_insights(harvest, self.insights, self.by), file_suggestions(harvest, self.suggestions, self.by))
        return Filed(
            tuple(row for part in found for row in part.rows),
            tuple(key for part in found for key in part.new),
            tuple(fate for part in found for fate in part.fates),
        )

    def claims(self, records: Sequence[Record], content: str, citations: object) -> bool:
        """A fact of its own is never taken away."""
        return False


def reflector(view: View, asks: bool) -> Reflector | None:
    """What this bank wants to be asked, None for nothing; `asks`: there is a model that can be."""
    insights, suggestions = (asks and _wanted(view, name, asks) for name in ("insights", "suggestions"))
    if not insights and not suggestions:
        return None
    return Reflector(insights, suggestions, split_keywords(str(bank_value(view, "insight_keywords"))))


def rule_extractors(view: View, asks: bool) -> tuple[Extractor, ...]:
    """The rules that stand in for a model's suggestions, where a person has switched them on."""
    return () if asks or not _wanted(view, "suggestions", asks) else (SuggestionRules(),)


def _wanted(view: View, name: str, asks: bool) -> bool:
    """Whether insights or suggestions are on: as the bank says, else with a model."""
    said = bank_value(view, name)
    return said == "on" or (said != "off" and asks)
