"""The utility of a memory part by part (`spec/context.md` part G; the bank's own formula, `spec/bank.md` §11.2)."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.measure import round3
from pipeline.recall.explain import explain_memory
from pipeline.recall.scores import utility
from tests.conformance.context_world import CASES, bank
from tests.conformance.memories import make

TODAY = "2026-11-30"


def test_each_part_of_a_memorys_utility_EXP_02() -> None:
    """Explaining records no use here (`decisions.md` §2.7)."""
    case = CASES["EXP-02"]
    (memory,) = bank(case["given"]).live
    found, then = explain_memory(memory, TODAY), case["then"]
    parts = {name: getattr(found.utility, name) for name in then["parts"]}
    assert parts == then["parts"]
    assert (found.utility.total, found.importance) == (then["utility"], then["importance"])
    assert (found.age, found.standing) == (then["age_days"], then["state"])


PLAIN: dict[str, Any] = {"created": "2026-02-03"}
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "with source": {"source": "chat"},
    "with a tag": {"tags": ("a",)},
    "confidence 0 (counts as 1)": {"confidence": 0.0},
    "access_count 20": {"access_count": 20},
    "access_count 40": {"access_count": 40},
    "feedback_net 3": {"feedback_net": 3},
    "feedback_net -3": {"feedback_net": -3},
    "no created": {"created": ""},
    'created "soon"': {"created": "soon"},
    "as PREF": {"type": "PREF", "owner": "nova"},
    "as COMMIT": {"type": "COMMIT", "owner": "nova"},
    "as BOUND": {"type": "BOUND", "owner": "nova"},
}


@pytest.mark.parametrize("name", VARIANTS)
def test_the_utility_of_a_fact_and_of_its_variants_EXP_03(name: str) -> None:
    then = CASES["EXP-03"]["then"]
    assert set(VARIANTS) == set(then) - {"tolerance"}
    memory = make("kiln", "1240 C", **(PLAIN | VARIANTS[name]))
    assert utility(memory, TODAY) == pytest.approx(then[name], abs=then["tolerance"])
    assert round3(utility(memory, TODAY)) == round3(then[name])
