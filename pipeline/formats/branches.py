"""Which records a rewind left behind (`spec/formats.md` §2.1, "Branches")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto


@dataclass(frozen=True, slots=True)
class Node:
    """A record's place in the tree: the id of its parent ("" for none), and whether it is a prompt of the person."""

    parent: str
    prompt: bool = False


class _Place(Enum):
    LIVE = auto()
    BESIDE = auto()
    """Off the live branch, but no prompt was typed since: parallel tool calls, queued messages, side notes."""
    ABANDONED = auto()
    LOOSE = auto()
    """Not joined to the live branch: a second beginning, or one whose parent is in another file."""


def abandoned(nodes: Mapping[str, Node], last: str) -> frozenset[str]:
    """The ids of the records on branches that were rewound.

    The live branch leads from a root to the record `last`. A branch counts as abandoned from its first prompt on: only
    a prompt makes a rewind, while parallel tool results and queued messages also hang beside the live branch.
    """
    places: dict[str, _Place] = {}
    current = last
    while current in nodes and current not in places:
        places[current] = _Place.LIVE
        current = nodes[current].parent
    for name in nodes:
        _place(name, nodes, places)
    return frozenset(name for name, place in places.items() if place is _Place.ABANDONED)


def _place(name: str, nodes: Mapping[str, Node], places: dict[str, _Place]) -> None:
    """Settles a record and every unsettled ancestor of it; a ring of parents is loose."""
    path: list[str] = []
    current = name
    while current in nodes and current not in places:
        path.append(current)
        places[current] = _Place.LOOSE
        current = nodes[current].parent
    above = places.get(current, _Place.LOOSE)
    for step in reversed(path):
        if above is not _Place.LOOSE:
            hangs = above is _Place.ABANDONED or nodes[step].prompt
            above = _Place.ABANDONED if hangs else _Place.BESIDE
        places[step] = above
