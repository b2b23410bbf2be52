"""Baselines of the packs of open banks, for the command and the screen: kept, read, and what happened since."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.context.baseline import Baseline, baseline_of, from_document, to_document
from pipeline.context.pack import Pack
from pipeline.context.since import Touched, touched_since
from store.baselines import check_baseline_name, load_baseline, save_baseline

if TYPE_CHECKING:
    from store.bank import Bank


def keep(root: Path, name: str, pack: Pack, banks: Mapping[str, Bank]) -> bool:
    """Keep a pack under a name; whether one of that name was replaced. `banks` as in `newest`.

    Raises `BadInput` for a name that cannot be used, `StorageFailure` when the state folder refuses.
    """
    baseline = baseline_of(pack, check_baseline_name(name), newest(banks))
    return save_baseline(root, name, to_document(baseline))


def read(root: Path, name: str) -> Baseline:
    """The baseline of that name. Raises `BadInput` when there is none that can be read."""
    return from_document(load_baseline(root, name))


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
