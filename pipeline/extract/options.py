"""Every switch of extraction, once: product defaults, and the values under which the port is reproduced.

Defaults: `spec/extraction.md` §20 and §23, with the review mode of `decisions.md` §1.4 and the window of §5.2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Literal

from store.errors import BadInput
from store.fields import SAFE_INTEGER, is_integer

Neutralize = Literal["substitute", "strip"]


@dataclass(frozen=True, slots=True)
class Options:
    """How extraction runs. Times are milliseconds, sizes UTF-16 units of JSON, counts plain.

    `max_evidence_records` None means no bound. `window_messages` is the bound on messages per call: 64, or 5 for small
    models. `review_mode` `floor` (store without a person once enough sessions agree) is for hosts and tests only.
    """

    enabled: bool = True
    model: str | None = None
    importance: float = 0.5
    dedupe: bool = True
    exclude_subagents: bool = True
    timeout_ms: int = 60_000
    min_gap_evidence: int = 2
    gap_ledger_max_age_ms: int = 7_776_000_000
    max_evidence_json_chars: int = 12_000
    max_evidence_records: int | None = 64
    window_messages: int = 64
    split_oversize_ranges: bool = True
    max_windows_per_run: int = 8
    continue_after_retry: bool = True
    on_coverage_change: Literal["supersede", "block"] = "supersede"
    retry_proposal_in_run: bool = False
    repair_answers: bool = False
    """An answer of a wrong shape is sent back once, with what is wrong, while calls remain; on for language models."""
    settle_denied_ranges: bool = True
    replay_fidelity: bool = True
    record_sighting_on_drop: bool = True
    expired_rows: Literal["archive", "delete"] = "archive"
    neutralize: Neutralize = "substitute"
    review_mode: Literal["floor", "all"] = "all"
    partial_answers: bool = False
    """Findings may stand beside `search_required` and `cannot_resolve` (ext-D28)."""
    support_check: bool = False
    """A rewrite with a number, name or quoted string that no cited record holds goes to review (ext-D10)."""
    facets: bool = False
    """The model is asked what a fact is, when it holds, where it counts and what finds it; rules complete its answer.

    `spec/extraction.md` §25 with `decisions.md` §2.4. A small model is not asked: rules alone speak then.
    """

    @property
    def keeps_gaps(self) -> bool:
        """Whether pending facts are kept: the floor is not 0, or a person decides about everything."""
        return self.min_gap_evidence > 0 or self.review_mode == "all"


PORT: Mapping[str, Any] = {
    "max_evidence_records": None,
    "split_oversize_ranges": False,
    "continue_after_retry": False,
    "on_coverage_change": "block",
    "settle_denied_ranges": False,
    "replay_fidelity": False,
    "record_sighting_on_drop": False,
    "expired_rows": "delete",
    "neutralize": "strip",
    "review_mode": "floor",
}
"""The other value of each switch (`spec/extraction.md` §23): `replace(Options(), **PORT)` is the port."""

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "on_coverage_change": ("supersede", "block"),
    "expired_rows": ("archive", "delete"),
    "neutralize": ("substitute", "strip"),
    "review_mode": ("floor", "all"),
}
_LEAST: Mapping[str, int] = {
    "timeout_ms": 1,
    "min_gap_evidence": 0,
    "gap_ledger_max_age_ms": 1,
    "max_evidence_json_chars": 1,
    "max_evidence_records": 1,
    "window_messages": 1,
    "max_windows_per_run": 1,
}
_FIELDS = {field.name: field.default for field in fields(Options)}


def options(config: Mapping[str, Any], base: Options | None = None) -> Options:
    """Options from camelCase keys as in the case files and the settings, over `base` (product defaults).

    Raises `BadInput` naming the first key that is unknown or whose value is out of range (`spec/extraction.md` §20).
    """
    given = {_snake(key): _whole(value) for key, value in config.items()}
    for name, value in given.items():
        if name not in _FIELDS:
            raise BadInput(f"Extraction has no setting {_camel(name)}; see the list of settings.")
        if not _valid(name, value):
            raise BadInput(f"The extraction setting {_camel(name)} cannot be {value!r}; {_wanted(name)}.")
    return replace(base or Options(), **given)


def _valid(name: str, value: Any) -> bool:
    if name in _CHOICES:
        return value in _CHOICES[name]
    if name in _LEAST:
        if value is None:
            return name == "max_evidence_records"
        return is_integer(value) and _LEAST[name] <= value <= SAFE_INTEGER
    if name == "importance":
        return isinstance(value, int | float) and not isinstance(value, bool)
    if isinstance(_FIELDS[name], bool):
        return isinstance(value, bool)
    return isinstance(value, str) or (value is None and _FIELDS[name] is None)


def _whole(value: Any) -> Any:
    """3.0 is an integer in JSON (`spec/extraction.md` §21)."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _wanted(name: str) -> str:
    if name in _CHOICES:
        return "use " + " or ".join(_CHOICES[name])
    if name in _LEAST:
        return f"use a whole number of at least {_LEAST[name]}"
    if isinstance(_FIELDS[name], bool):
        return "use true or false"
    return "use a number" if name == "importance" else "use text"


def _snake(key: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", lambda hit: "_" + hit[1].lower(), key)


def _camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda hit: hit[1].upper(), name)
