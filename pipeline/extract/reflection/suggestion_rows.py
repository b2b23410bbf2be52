"""Suggestions in the ledger: proposals of setting files, and the file that approving one writes (§11.5–11.6)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import count

from pipeline.extract.canonical import normalise
from pipeline.extract.effects import Fate
from pipeline.extract.evidence import Record
from pipeline.extract.reflection.filing import PROMPT, Desk, Draft, cited, proposal_key, quotes_of
from pipeline.extract.reflection.insight import SAME
from pipeline.extract.reflection.suggestion import Suggestion, by_rules, chosen, each
from pipeline.extract.work import Filed, Harvest
from pipeline.segments import overlap
from store.changes import PutSettingFile, Row
from store.errors import MemdeskError
from store.fields import items, text
from store.setting_file import SettingFile, render, setting_path
from store.view import View

KIND = "suggestion"
RULES = "rules"
"""How the fixed rules sign what they suggest."""


@dataclass(frozen=True, slots=True)
class SuggestionRules:
    """The fixed rules over the evidence of a range, as an extractor of the engine: for banks without a model."""

    def file(self, harvest: Harvest) -> Filed:
        """Rows for what the rules suggest."""
        messages = [(record.source_ref, record.raw or record.text) for record in harvest.records]
        return file_suggestions(harvest, by_rules(messages), RULES)

    def claims(self, records: Sequence[Record], content: str, citations: object) -> bool:
        """A suggestion takes no fact away: a rule for an assistant is no memory."""
        return False


def file_suggestions(harvest: Harvest, found: Iterable[Suggestion], by: str) -> Filed:
    """Rows for the surest suggestions that no setting file says already; one that cannot be filed stops no other.

    `by` is the model that worded them, or the rules.
    """
    desk = Desk(harvest, KIND)
    handled = each(chosen(tuple(found)), lambda one: _file(desk, one, by))
    for one, error in handled:
        if isinstance(error, MemdeskError):
            desk.turn_away(Fate(0, "refused", "it cannot be a setting file", one.content))
        elif isinstance(error, Exception):
            raise error
    return desk.filed()


def _file(desk: Desk, one: Suggestion, by: str) -> None:
    found = cited(desk.harvest, one.content, one.evidence, one.name, one.reason, one.description, *one.keywords)
    if isinstance(found, Fate):
        desk.turn_away(found)
        return
    if any(
        file.kind == one.kind and alike(file.body, one.content) for file in desk.harvest.view.setting_files.values()
    ):
        desk.turn_away(Fate(0, "duplicate", "a setting file says so already", one.content))
        return
    at = datetime.fromtimestamp(desk.harvest.now / 1000, UTC)
    change = PutSettingFile(setting_path(one.kind, one.name), _text(one, at))
    setting = {
        "type": one.kind,
        "name": one.name,
        "description": one.description or None,
        "keywords": list(one.keywords),
    }
    key = proposal_key(KIND, one.kind, one.name.casefold(), normalise(one.content))
    more = {"extractor": KIND, "setting": setting} | ({"prompt": PROMPT} if by != RULES else {})
    quotes = quotes_of(desk.harvest, found)
    draft = Draft(KIND, key, one.content, (change,), quotes, one.confidence, one.reason, by, more)
    desk.file(draft, _same(desk, one))


def alike(left: str, right: str) -> bool:
    """Whether two contents say the same: their words, but for a few."""
    return normalise(left) == normalise(right) or overlap(left, right) > SAME


def _same(desk: Desk, one: Suggestion) -> str | None:
    """The row that this suggestion repeats: one that waits under the same name, or one of the same content."""
    for key, row in desk.rows.items():
        known = read_suggestion(row)
        if known is None or known.kind != one.kind:
            continue
        named = known.name.casefold() == one.name.casefold() and text(row, "state") in ("waiting", "postponed")
        if named or alike(known.content, one.content):
            return key
    return None


def read_suggestion(row: Row) -> Suggestion | None:
    """The suggestion of a row of `proposals`; None for another one or a damaged one."""
    setting = row.get("setting")
    if row.get("kind") != KIND or not isinstance(setting, dict):
        return None
    confidence = row.get("confidence")
    return Suggestion(
        text(setting, "type"),
        text(setting, "name"),
        text(row, "content"),
        float(confidence) if isinstance(confidence, int | float) else 0.0,
        text(row, "reason"),
        text(setting, "description"),
        tuple(map(str, items(setting, "keywords"))),
    )


def there(view: View, one: Suggestion) -> SettingFile | None:
    """The setting file that a suggestion would replace: the one of its name, also where only the case differs.

    Raises `BadInput` for a name or a kind that no file can have.
    """
    path = setting_path(one.kind, one.name).casefold()
    return next((file for file in view.setting_files.values() if file.path.casefold() == path), None)


def setting_change(view: View, one: Suggestion, at: datetime, *, beside: bool = False) -> PutSettingFile | None:
    """The change that writes a suggestion's file over the one that was seen; None when that says the same.

    `at` becomes its time. `beside` writes it under the next free name instead. Raises `BadInput`.
    """
    old = there(view, one)
    if old is not None and normalise(old.body) == normalise(one.content):
        return None
    if old is not None and beside:
        one = next(other for n in count(2) if there(view, other := replace(one, name=f"{one.name}-{n}")) is None)
        old = None
    path = old.path if old is not None else setting_path(one.kind, one.name)
    return PutSettingFile(path, _text(one, at, old), old.sha if old is not None else None)


def _text(one: Suggestion, at: datetime, old: SettingFile | None = None) -> str:
    named = (one.description, one.keywords)
    return render(
        one.kind, one.name, one.content, one.confidence, at, description=named[0], keywords=named[1], before=old
    )
