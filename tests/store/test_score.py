"""Memora's score of a memory: where it comes from, and what a use makes of it (`spec/memora.md` §1, §4.1)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from store.score import accessed_of, boosts, score_of
from store.view import View
from tests.conformance.memories import make

NOW = datetime(2026, 10, 12, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("fields", "row", "score"),
    [
        ({}, None, 0.5),
        ({"label": "profile"}, None, 1.0),
        ({"label": "content"}, {}, 0.6),
        ({"label": "insight", "extra": (("quality", "high"),)}, None, 0.8),
        ({"label": "insight", "extra": (("quality", "odd"),)}, None, 0.5),
        ({"extra": (("score", "0.7"),)}, None, 0.7),
        ({"extra": (("score", "1.7"),)}, None, 0.5),
        ({"extra": (("score", "nan"),)}, None, 0.5),
        ({"extra": (("score", "high"),)}, None, 0.5),
        ({"label": "profile", "extra": (("score", "0.7"),)}, {"score": 0.3}, 0.3),
        ({"label": "profile"}, {"score": True}, 1.0),
        ({"label": "profile"}, {"score": -0.1}, 1.0),
        ({"label": "profile"}, {"score": "0.2"}, 1.0),
    ],
)
def test_a_score_is_the_ledgers_or_the_files_or_that_of_the_label(
    fields: dict[str, Any], row: dict[str, Any] | None, score: float
) -> None:
    assert score_of(make("kiln", **fields), row) == score


def test_the_last_use_is_the_latest_that_anything_tells() -> None:
    memory = make("kiln", created="2026-01-01", last_accessed="2026-03-01")
    assert accessed_of(memory) == datetime(2026, 3, 1, tzinfo=UTC)
    assert accessed_of(memory, {"accessed_at": "2026-02-01T00:00:00Z"}) == datetime(2026, 3, 1, tzinfo=UTC)
    assert accessed_of(memory, {"accessed_at": "2026-03-01T09:00:00+02:00"}) == datetime(2026, 3, 1, 7, tzinfo=UTC)
    assert accessed_of(make("kiln", created="2026-01-01")) == datetime(2026, 1, 1, tzinfo=UTC)
    assert accessed_of(make("kiln", created="soon"), {"accessed_at": "9999-12-31T23:59:59-10:00"}) is None


@pytest.mark.parametrize(("score", "increment", "raised"), [(0.5, 0.05, 0.55), (0.98, 0.05, 1.0), (0.3, -0.9, 0.1)])
def test_a_boost_stays_within_its_bounds(score: float, increment: float, raised: float) -> None:
    memory = make("kiln")
    view = View.of([memory], {"usage": {memory.id: {"score": score, "_rev": 7}}})
    (row,) = boosts(view, [memory.id, memory.id], NOW, increment=increment)
    assert (row.fields["score"], row.fields["accessed_at"], row.rev) == (raised, "2026-10-12T12:00:00.000Z", 7)


def test_what_may_not_be_counted_is_not_boosted() -> None:
    fixed, private = make("kiln", immutable=True), make("tea", type="PREF", owner="lan")
    view = View.of([fixed, private])
    assert boosts(view, [fixed.id, private.id, "gone"], NOW, agent="aria") == []
    assert [row.key for row in boosts(view, [private.id], NOW, agent="lan")] == [private.id]
