"""Bank cases: scores, and the part of explain that is arithmetic (`spec/bank.md` §11, §13.3)."""

from __future__ import annotations

import pytest

from pipeline.measure import round3
from pipeline.recall.explain import explain_memory
from pipeline.recall.scores import recency, utility
from tests.conformance.memories import TODAY, make


@pytest.mark.parametrize(("kind", "expected"), [("FACT", 0.62), ("PREF", 0.65), ("COMMIT", 0.665), ("BOUND", 0.68)])
def test_yb_047_fresh_utility(kind: str, expected: float) -> None:
    """FACT 0.62, PREF 0.65, COMMIT 0.665, BOUND 0.68."""
    assert round3(utility(make("kiln", "1240 C", type=kind, owner="aria"), TODAY)) == expected


def test_yb_048_breakdown_of_a_used_preference() -> None:
    """confidence 0.27, usage 0.133, recency 0.193, type 0.12, structure 0.08, total 1.194; 2.1; vitality 0.9."""
    memory = make(
        "tea",
        "green",
        type="PREF",
        owner="aria",
        confidence=0.9,
        created="2026-04-15",
        updated="2026-10-01",
        source="dialogue",
        tags=("drinks",),
        weight=1.5,
        access_count=8,
        last_accessed="2026-09-22",
        feedback_net=2,
    )
    report = explain_memory(memory, TODAY)
    parts = report.utility
    assert (parts.confidence, parts.usage, parts.recency, parts.type, parts.structure, parts.total) == (
        0.27,
        0.133,
        0.193,
        0.12,
        0.08,
        1.194,
    )
    assert (parts.weight, report.importance, report.vitality) == (1.5, 2.1, 0.9)


def test_yb_049_breakdown_of_a_disliked_fact() -> None:
    """confidence 0.21, usage 0.031, recency 0.155, type 0.09, structure 0.03, total 0.413; 0.811; vitality 0.58."""
    memory = make(
        "vpn",
        "old endpoint",
        confidence=0.7,
        created="2025-03-01",
        updated="2025-06-01",
        weight=0.8,
        access_count=25,
        last_accessed="2026-01-15",
        feedback_net=-3,
    )
    report = explain_memory(memory, TODAY)
    parts = report.utility
    assert (parts.confidence, parts.usage, parts.recency, parts.type, parts.structure, parts.total) == (
        0.21,
        0.031,
        0.155,
        0.09,
        0.03,
        0.413,
    )
    assert (report.importance, report.vitality) == (0.811, 0.58)


@pytest.mark.parametrize(
    ("kind", "created", "expected"),
    [
        ("FACT", "2024-10-12", 0.5),
        ("FACT", "2025-10-12", 0.7071),
        ("PREF", "2025-10-12", 0.5),
        ("COMMIT", "2026-08-28", 0.7071),
        ("COMMIT", "2026-04-15", 0.25),
        ("BOUND", "2016-10-14", 1),
        ("FACT", "2026-10-17", 1),
        ("PREF", "2026-10-17", 1),
        ("COMMIT", "2026-10-17", 1),
    ],
)
def test_yb_050_recency(kind: str, created: str, expected: float) -> None:
    """0.5, 0.7071, 0.5, 0.7071, 0.25, 1, 1."""
    assert round(recency(make("x", type=kind, owner="aria", created=created), TODAY), 4) == expected


def test_a_number_of_any_size_is_rounded() -> None:
    assert (round3(1.23456), round3(-0.0005), round3(1e306), round3(-1e308)) == (1.235, 0, 1e306, -1e308)
