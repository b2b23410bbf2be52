"""What changed since a baseline as plain values: what `context --since --json` prints."""

from __future__ import annotations

from typing import Any

from pipeline.context.since import KINDS, Item, Since

SCHEMA = 1


def report(found: Since) -> dict[str, Any]:
    """Other inputs, how many memories came in, left or changed, each with its cause, and the lines that differ."""
    baseline, told = found.baseline, found.told
    return {
        "schema": SCHEMA,
        "schemaVersion": SCHEMA,
        "since": {"name": baseline.name, "made": baseline.made, "agent": baseline.agent},
        "inputs": {one.name: {"before": one.before, "after": one.after} for one in found.inputs},
        "counts": {kind: found.count(kind) for kind in KINDS},
        "units": told.units,
        "items": [_item(item) for item in found.items],
        "lines": [
            {"sign": changed.sign, "section": changed.line.section, "text": changed.line.text}
            for changed in told.lines
            if changed.sign != " "
        ],
    }


def _item(item: Item) -> dict[str, Any]:
    touched = item.touched
    change = {"number": touched.number, "at": touched.at, "reason": touched.reason} if touched is not None else None
    rest = {"change": change, "needs": item.needs, "before": item.text_before, "after": item.text_after}
    sections = {"section_before": item.before, "section_after": item.after}
    told = {key: value for key, value in (rest | sections).items() if value not in (None, "")}
    return {"id": item.id, "kind": item.kind, "cause": item.cause, "why": item.words} | told
