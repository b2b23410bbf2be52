"""The loss report as programs read it: the same words and numbers as on the screen."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pipeline.context.loaded.loaded import Cited, Loaded, Loss, Piece
from pipeline.context.loaded.loss import LossReport


def loss_json(report: LossReport) -> dict[str, Any]:
    """One plain dictionary; paths as text, lines counted from 1 with both ends included."""
    return {
        "folder": None if report.folder is None else str(report.folder),
        "layouts": [_layout(loaded) for loaded in report.layouts],
        "losses": [_loss(loss) for loss in report.losses],
        "counts": dict(report.counts),
        "cut_lines": report.cut_lines,
        "notes": list(report.notes),
    }


def _layout(loaded: Loaded) -> dict[str, Any]:
    return {
        "name": loaded.name,
        "agent": loaded.agent,
        "title": loaded.title,
        "folder": str(loaded.folder),
        "project": None if loaded.project is None else str(loaded.project),
        "limits": [asdict(limit) for limit in loaded.limits],
        "pieces": [_piece(piece) for piece in loaded.pieces],
        "links": [
            {"file": str(link.file), "name": link.name, "line": link.line, "target": link.target, "state": link.state}
            | {"words": link.words}
            for link in loaded.links
        ],
        "notes": list(loaded.notes),
    }


def _piece(piece: Piece) -> dict[str, Any]:
    told = {
        "file": str(piece.file),
        "name": piece.name,
        "first": piece.first,
        "last": piece.last,
        "size": piece.size,
        "unit": piece.unit,
        "fate": piece.fate,
        "outcome": piece.outcome,
        "reason": piece.reason,
    }
    return told | ({"via": piece.via} if piece.via else {})


def _loss(loss: Loss) -> dict[str, Any]:
    told = {
        "kind": loss.kind,
        "layout": loss.layout,
        "title": loss.title,
        "todo": loss.todo,
        "file": None if loss.file is None else str(loss.file),
        "name": loss.name,
        "first": loss.first,
        "last": loss.last,
        "lines": [_cited(line) for line in loss.lines],
        "more": loss.more,
    }
    return told | ({"day": loss.day, "age_days": loss.age} if loss.day else {})


def _cited(line: Cited) -> dict[str, Any]:
    return {"file": str(line.file), "name": line.name, "line": line.line, "text": line.text}
