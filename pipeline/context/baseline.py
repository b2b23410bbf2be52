"""A pack as it was, kept under a name: what it was asked for, what the hook did, its lines with their memories."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pipeline.context.budget import Line
from pipeline.context.pack import Pack
from pipeline.context.request import Request, check
from pipeline.measure import units
from store import clock
from store.errors import BadInput, NotPermitted

SCHEMA = 1
NOT_REQUESTED = "not_requested"
INPUTS = ("agent", "owner", "focus", "budget", "limit", "years", "layout", "paging")
"""What of a request a baseline keeps, in the order in which a cause is looked for among them."""


@dataclass(frozen=True, slots=True)
class HookThen:
    """What the hook had done: its status (`not_requested` without one), who it was, what it and paging took out."""

    status: str = NOT_REQUESTED
    provider: str = ""
    removed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Baseline:
    """A kept pack. `made` is an ISO instant, `inputs` maps `INPUTS` to their values, `used` are units as in the bar.

    `changes` is the number of the newest change in the history of each bank that was read (key "" for one bank alone):
    later ones happened since.
    """

    name: str
    made: str
    inputs: Mapping[str, Any]
    hook: HookThen
    lines: tuple[Line, ...]
    used: int
    changes: Mapping[str, int] = field(default_factory=dict)

    @property
    def agent(self) -> str:
        """Whose pack it was."""
        return str(self.inputs["agent"])


def baseline_of(pack: Pack, name: str, changes: Mapping[str, int] | None = None) -> Baseline:
    """The pack as a baseline of that name, made now; `changes` as in `Baseline`."""
    hook, out = pack.hook, tuple(sorted(pack.removed | pack.paged))
    then = HookThen(removed=out) if hook is None else HookThen(hook.status, hook.provider, out)
    inputs = {key: _plain(getattr(pack.request, key)) for key in INPUTS}
    return Baseline(name, clock.stamp(), inputs, then, pack.lines, pack.bar.used, dict(changes or {}))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def to_document(baseline: Baseline) -> dict[str, Any]:
    """The baseline as plain values, for a file; `from_document` is its inverse."""
    return {
        "schema": SCHEMA,
        "name": baseline.name,
        "made": baseline.made,
        "agent": baseline.agent,
        "inputs": dict(baseline.inputs),
        "hook": {
            "status": baseline.hook.status,
            "provider": baseline.hook.provider,
            "removed": list(baseline.hook.removed),
        },
        "used": baseline.used,
        "changes": dict(baseline.changes),
        "lines": [[line.section, line.entry, line.text, *line.also] for line in baseline.lines],
    }


def from_document(document: Mapping[str, Any]) -> Baseline:
    """A baseline that was kept. Raises `BadInput` for a document of a newer version, or one that is damaged."""
    name = document.get("name")
    try:
        if document["schema"] != SCHEMA:
            raise BadInput(f"The baseline {name!r} was saved by a newer version; read it with that one.")
        hook = document["hook"]
        inputs = dict(document["inputs"])
        baseline = Baseline(
            name=_text(name),
            made=_text(document["made"]),
            inputs=inputs,
            hook=HookThen(_text(hook["status"]), _text(hook["provider"]), tuple(map(_text, hook["removed"]))),
            lines=tuple(_counted(document["lines"])),
            used=int(document["used"]),
            changes={_text(bank): int(number) for bank, number in document["changes"].items()},
        )
        _check(inputs)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, NotPermitted) as error:
        raise BadInput(f"The baseline {name!r} is damaged; delete it and save it anew.") from error
    return baseline


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("text is wanted here")
    return value


def _check(inputs: Mapping[str, Any]) -> None:
    """Refuse inputs that no pack could be made with again."""
    kinds: dict[str, Any] = {"agent": str, "owner": str, "focus": str, "budget": int, "limit": int}
    kinds |= {"years": list, "layout": str, "paging": bool | None}
    if "agent" not in inputs or any(not isinstance(inputs[key], kinds[key]) for key in inputs):
        raise TypeError("an input is of another kind")
    plain: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in inputs.items()}
    check(Request(**plain))


def _counted(lines: Iterable[Any]) -> Iterable[Line]:
    """The lines with their units, which follow from the text."""
    used = 0
    for section, entry, text, *also in lines:
        size = units(_text(text)) + 1
        yield Line(text, _text(section), _text(entry), used, size, also=tuple(map(_text, also)))
        used += size
