"""Baselines of the packs of open banks, for the command and the screen: kept, read, and what happened since."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.context.baseline import Baseline, baseline_of, from_document, to_document
from pipeline.context.budget import UNITS
from pipeline.context.pack import LAYOUTS, Pack
from pipeline.context.since import KINDS, Item, Kind, Other, Since, Touched, touched_since
from store.baselines import check_baseline_name, load_baseline, save_baseline
from tui.literal import count, one_line

if TYPE_CHECKING:
    from store.bank import Bank

KIND_WORDS: Mapping[Kind, str] = {
    "came_in": "came in",
    "left": "left",
    "reworded": "reworded",
    "moved": "moved",
}


def keep(root: Path, name: str, pack: Pack, banks: Mapping[str, Bank]) -> bool:
    """Keep a pack under a name; whether one of that name was replaced. `banks` as in `newest`.

    Raises `BadInput` for a name that cannot be used, `StorageFailure` when the state folder refuses.
    """
    baseline = baseline_of(pack, check_baseline_name(name), newest(banks))
    return save_baseline(root, name, to_document(baseline))


def read(root: Path, name: str, agent: str) -> Baseline:
    """The baseline of that name. Raises `BadInput` when there is none that can be read, naming those of `agent`."""
    return from_document(load_baseline(root, name, agent))


def newest(banks: Mapping[str, Bank]) -> dict[str, int]:
    """The number of the newest change in the history of each bank; one alone has the key ""."""
    return {name: change.number for name, bank in banks.items() for change in bank.history(limit=1)}


def happened(baseline: Baseline, banks: Mapping[str, Bank]) -> dict[str, Touched]:
    """What the histories say of each memory since the baseline was made, by its id in the view of these banks."""
    found: dict[str, Touched] = {}
    for name, number in newest(banks).items():
        then = baseline.changes.get(name, 0)
        later = banks[name].history(limit=max(0, number - then))
        found |= touched_since(later, then, f"{name}:" if name else "")
    return found


# --- in words


def note(item: Item) -> str:
    """The cause of an item in a few words, for the end of a line."""
    moved = f"was in {item.before}: " if item.kind == "moved" else ""
    change = f", change {item.touched.number}" if item.touched is not None else ""
    return f"{moved}{item.words}{_needs(item)}{change}"


def why(item: Item) -> str:
    """The cause of an item in words, with the change of the bank, or what it would take."""
    moved = f"from {item.before} to {item.after}, " if item.kind == "moved" else ""
    change = f" (change {item.touched.number}: {one_line(item.touched.reason)})" if item.touched is not None else ""
    return f"{moved}{item.words}{_needs(item)}{change}"


def _needs(item: Item) -> str:
    if item.needs is None:
        return ""
    return f", needs limit {item.needs:,}" if item.cause == "over_limit" else f", {item.needs:,} short"


def other_words(other: Other) -> str:
    """An input that was another one: `budget 4,000 then, none now`."""
    return f"{other.name} {_value(other, other.before)} then, {_value(other, other.after)} now"


def _value(other: Other, value: Any) -> str:
    if other.name == "budget":
        return f"{value:,}" if value else "none"
    if other.name == "paging":
        return "as configured" if value is None else "on" if value else "off"
    return one_line(", ".join(value) if isinstance(value, tuple) else f"{value}".replace("_", " ")) or "none"


def sums(found: Since) -> str:
    """How much changed: `1 came in, 0 left, 1 reworded, 0 moved; 120 characters more`."""
    if not found.told.changed:
        return "nothing changed"
    parts = [f"{found.count(kind):,} {KIND_WORDS[kind]}" for kind in KINDS]
    return f"{', '.join(parts)}; {size_words(found)}"


def size_words(found: Since) -> str:
    """How much larger or smaller; packs of two layouts are not measured alike."""
    return more(found.told.units, unit_of(found)) if measured_alike(found) else "another layout"


def more(units: int, one: str) -> str:
    """A difference in size: `120 characters more`, `1 token fewer`."""
    return f"{count(abs(units), one)} {'more' if units >= 0 else 'fewer'}"


def measured_alike(found: Since) -> bool:
    """Whether both packs are of one layout, which counts in one unit."""
    return all(other.name != "layout" for other in found.inputs)


def unit_of(found: Since) -> str:
    """One of what the kept pack was counted in: a character, or a token."""
    layout = LAYOUTS.get(str(found.baseline.inputs.get("layout", "")))
    return (layout.measure if layout is not None else UNITS).word.removesuffix("s")
