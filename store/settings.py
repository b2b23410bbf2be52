"""Every setting, once: its key, kind, default, words and the place where it is kept (`decisions.md` §3.7)."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import urlsplit

from store.errors import BadInput, NotPermitted

if TYPE_CHECKING:
    from store.changes import PutRow
    from store.usage import UsageSettings
    from store.view import View

Kind = Literal["text", "switch", "number", "whole"]
Place = Literal["person", "bank"]
Value = str | bool | int | float

TABLE = "settings"
KEYMAP = "keymap."
"""Prefix of the keys that give an action other keys; the workbench knows the actions."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting. `words` say what it does; numbers lie within `least` and `most`.

    `place`: `person` is `config.toml`, `bank` the bank's ledger. `workbench_only` marks what `memdesk config set`
    refuses. `yotta` marks a threshold that the yotta engine's config file gives the default for.
    """

    key: str
    kind: Kind
    default: Value
    words: str
    place: Place = "person"
    least: float = 0
    most: float = math.inf
    workbench_only: bool = False
    yotta: bool = False
    choices: tuple[str, ...] = ()
    """The words that a text takes beside none at all; empty: any."""
    models: bool = False
    """Whether a text with `choices` may also name a model, as `provider/name`."""
    address: bool = False
    """Whether a text names a server."""


def _yotta(key: str, default: Value, words: str) -> Setting:
    kind: Kind = "switch" if isinstance(default, bool) else "whole" if isinstance(default, int) else "number"
    return Setting(key, kind, default, words, "bank", yotta=True)


SETTINGS: tuple[Setting, ...] = (
    Setting(
        "theme",
        "text",
        "",
        "colours of the workbench: dark, light or terminal; empty: chosen from the terminal",
        choices=("dark", "light", "terminal"),
    ),
    Setting("mouse", "switch", True, "take the mouse in the workbench"),
    Setting("read_only", "switch", False, "open banks without ever writing"),
    Setting("model", "text", "", "language model for extraction, as litellm names it; empty: the offline rules"),
    Setting("api_base", "text", "", "address of the model's server, when it is not its provider's own", address=True),
    Setting("model_timeout", "number", 60.0, "seconds that one call to the model may take", least=0.1, most=3600),
    Setting("parallel", "whole", 2, "calls to the model that may be under way at the same time", least=1, most=32),
    Setting("window_messages", "whole", 64, "messages of a transcript per call to the model", least=1, most=1000),
    Setting(
        "small_model",
        "text",
        "",
        "ask five messages at a time, statement by statement: on or off; empty: on for a model on this machine",
        choices=("on", "off"),
    ),
    Setting("embedding_cmd", "text", "", "program that gives recall the vectors of texts; empty: none"),
    Setting("embedding_timeout", "whole", 3000, "milliseconds that one run of it may take", least=1, most=600_000),
    Setting(
        "meaning",
        "text",
        "",
        "recall by meaning: off, bundled (offline), or an embedding model as litellm names it; empty: bundled if there",
        choices=("off", "bundled"),
        models=True,
    ),
    Setting(
        "meaning_api_base",
        "text",
        "",
        "address of the embedding model's server, when not its provider's own",
        address=True,
    ),
    Setting("meaning_query_prefix", "text", "", "what the embedding model wants before a question, such as query:"),
    Setting("meaning_entry_prefix", "text", "", "what the embedding model wants before a memory, such as passage:"),
    Setting("facets", "switch", False, "say of each fact what it is, when it holds, where it counts and what finds it"),
    Setting(
        "insights",
        "text",
        "",
        "propose insights into a conversation: on or off; empty: on with a model that is not small",
        "bank",
        choices=("on", "off"),
    ),
    Setting(
        "suggestions",
        "text",
        "",
        "suggest rules, personas and skills: on (also without a model) or off; empty: on with a model",
        "bank",
        choices=("on", "off"),
    ),
    Setting("insight_keywords", "text", "", "words, with commas, that make any message worth an insight", "bank"),
    Setting("agents_write", "switch", False, "agents write at once instead of proposing", "bank", workbench_only=True),
    Setting(
        "scripted_decisions",
        "switch",
        False,
        "approve and reject may be run by scripts with --yes",
        "bank",
        workbench_only=True,
    ),
    Setting(
        "min_gap_evidence",
        "whole",
        2,
        "sessions that must say a fact found in passing before it is ready for review",
        "bank",
        least=1,
        most=20,
    ),
    Setting("yotta_index", "switch", False, "keep index.json for the yotta engine", "bank"),
    _yotta("usage_enabled", True, "count searches and uses of each memory by day and by query"),
    _yotta("usage_retention_days", 90, "days for which those counts are kept"),
    _yotta("usage_query_slots", 12, "queries that are counted for each memory"),
    _yotta("maintain_decay_halflife_FACT", 730.0, "days after which a FACT's recency is halved"),
    _yotta("maintain_decay_halflife_PREF", 365.0, "days after which a PREF's recency is halved"),
    _yotta("maintain_decay_halflife_COMMIT", 90.0, "days after which a COMMIT's recency is halved"),
    Setting(
        "context_audit_min_coverage",
        "number",
        0.5,
        "part of a line's words that a memory must have for an audit to count the line as landed",
        "bank",
        least=0.001,
        most=1,
        yotta=True,
    ),
)

_BY_KEY = {setting.key: setting for setting in SETTINGS}
_ON = frozenset({"true", "on", "yes", "1"})
_OFF = frozenset({"false", "off", "no", "0"})
_MODEL = re.compile(r"[^\s/]+/\S+")
"""A model's whole name: a slip in another word must never send anything anywhere."""


def setting_named(key: str) -> Setting:
    """The setting of a key; raises `BadInput` that names the nearest key."""
    if key in _BY_KEY:
        return _BY_KEY[key]
    if key.startswith(KEYMAP) and key != KEYMAP:
        return Setting(key, "text", "", f"keys for {key.removeprefix(KEYMAP)}, separated by commas")
    raise BadInput(f"There is no setting {key!r}{nearest(key)}.")


def nearest(key: str) -> str:
    """`; did you mean …?` for a key that does not exist, or where to find them all."""
    close = difflib.get_close_matches(key, _BY_KEY, n=1, cutoff=0.5)
    return f"; did you mean {close[0]!r}" if close else "; `memdesk config get` lists them all"


def parse_value(setting: Setting, text: str) -> Value:
    """The value that a person's words give a setting; raises `BadInput` that says what is accepted."""
    word = text.strip()
    lower = word.casefold()
    if setting.kind == "switch":
        if setting.yotta:
            return lower not in {"false", "0"}  # `spec/bank.md` §22.2: only these two are off
        if lower not in _ON | _OFF:
            raise BadInput(f"{setting.key} is on or off; {text!r} is neither.")
        return lower in _ON
    if setting.kind in {"number", "whole"}:
        return check_value(setting, _number(setting, word))
    return check_value(setting, word)


def _number(setting: Setting, word: str) -> int | float:
    try:
        return int(word) if setting.kind == "whole" else float(word)
    except ValueError:
        kind = "a whole number" if setting.kind == "whole" else "a number"
        raise BadInput(f"{setting.key} needs {kind}; {word!r} is none.") from None


def check_value(setting: Setting, value: Any) -> Value:
    """A typed value, if the setting takes it; raises `BadInput` that says what is accepted."""
    if setting.kind == "switch":
        if isinstance(value, bool):
            return value
        raise BadInput(f"{setting.key} is true or false.")
    if setting.kind == "text":
        if not isinstance(value, str):
            raise BadInput(f"{setting.key} needs text in quotes.")
        return _check_text(setting, value)
    return _check_number(setting, value)


def _check_text(setting: Setting, value: str) -> str:
    if setting.address and value and not _names_a_server(value):
        raise BadInput(f"{setting.key} is an address that begins with http:// or https://; {value!r} is none.")
    if not value or not setting.choices or value in setting.choices or (setting.models and _MODEL.fullmatch(value)):
        return value
    words = ", ".join((*setting.choices, *(("a model as provider/name",) if setting.models else ())))
    raise BadInput(f"{setting.key} is {words} or empty; {value!r} is none of these.")


def _names_a_server(address: str) -> bool:
    try:
        parts = urlsplit(address)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return good and not any(sign.isspace() for sign in address)


def _check_number(setting: Setting, value: Any) -> int | float:
    wanted = int if setting.kind == "whole" else int | float
    if isinstance(value, bool) or not isinstance(value, wanted):
        raise BadInput(f"{setting.key} needs {'a whole number' if setting.kind == 'whole' else 'a number'}.")
    if not setting.least <= value <= setting.most or math.isinf(value):
        top = "" if math.isinf(setting.most) else f" and at most {setting.most:g}"
        raise BadInput(f"{setting.key} must be at least {setting.least:g}{top}.")
    return value if setting.kind == "whole" else float(value)


def only_in_workbench(key: str) -> NotPermitted:
    """The refusal to switch a setting anywhere else (`decisions.md` §4.12)."""
    return NotPermitted(f"{key} is switched only in the workbench: open it and use the command palette (ctrl+p).")


def bank_change(key: str, value: Value, *, workbench: bool = False) -> PutRow:
    """The change that sets a bank's setting, for `Bank.commit`.

    Raises `BadInput` for a key of another place or a bad value, `NotPermitted` for one that only the workbench
    switches (`decisions.md` §1.3, §4.12).
    """
    setting = setting_named(key)
    if setting.place != "bank":
        raise BadInput(f"{key} is a setting of yours, not of the bank.")
    if setting.workbench_only and not workbench:
        raise only_in_workbench(key)
    from store.changes import PutRow  # not on the way to the first frame, which needs the person's settings

    return PutRow(TABLE, key, {"value": check_value(setting, value)})


def bank_value(view: View, key: str, yotta: Mapping[str, Any] | None = None) -> Value:
    """A bank's setting: the ledger's value, else for thresholds what yotta's config file says, else the default."""
    setting = setting_named(key)
    for found in (view.setting(key), (yotta or {}).get(key) if setting.yotta else None):
        if found is None:
            continue
        try:
            return parse_value(setting, found) if isinstance(found, str) else check_value(setting, found)
        except BadInput:
            continue
    return setting.default


def usage_settings(view: View, yotta: Mapping[str, Any] | None = None) -> UsageSettings:
    """How uses are counted in this bank (`spec/bank.md` §12)."""
    from store.usage import UsageSettings

    return UsageSettings(
        bool(bank_value(view, "usage_enabled", yotta)),
        int(bank_value(view, "usage_retention_days", yotta)),
        int(bank_value(view, "usage_query_slots", yotta)),
    )


def half_lives(view: View, yotta: Mapping[str, Any] | None = None) -> dict[str, float]:
    """Half-life of each type in days (`spec/bank.md` §11.1); 0 counts as not set."""
    found: dict[str, float] = {}
    for kind in ("FACT", "PREF", "COMMIT"):
        setting = setting_named(f"maintain_decay_halflife_{kind}")
        value = float(bank_value(view, setting.key, yotta))
        found[kind] = value if value > 0 else float(setting.default)
    return found


def audit_min_coverage(view: View, yotta: Mapping[str, Any] | None = None) -> float:
    """The part of a line's words that one memory must have for the line to have landed (`spec/context.md` §15)."""
    return float(bank_value(view, "context_audit_min_coverage", yotta))
