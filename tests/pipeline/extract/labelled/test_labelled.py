"""How right `offline` is: at least 0.95 of what it proposes, and no less of what could be found than it finds today."""

from __future__ import annotations

import pytest

from tests.pipeline.extract.labelled.scoring import (
    SETS,
    Snippet,
    judged,
    labelled,
    outcomes,
    report,
    same_words,
    score,
    wilson,
)

PRECISION = 0.95
RECALL = {"development": 0.94, "invented": 0.83, "held_back": 0.41, "unseen": 0.57}
"""What was measured less a small margin: a rule that is lost makes it fall below."""


@pytest.mark.parametrize("name", SETS)
def test_what_is_proposed_without_a_model_is_right_and_most_is_found(name: str) -> None:
    found = outcomes(name)
    counted = score(found)
    wrong = [(one.snippet.id, quote) for one in found for quote in one.proposed if quote not in one.right]
    assert counted.right / counted.proposed >= PRECISION, f"{report(name)}\n{wrong}"
    assert counted.covered / counted.facts >= RECALL[name], report(name)


@pytest.mark.parametrize("name", SETS)
def test_what_says_a_secret_or_shall_not_be_kept_is_never_proposed(name: str) -> None:
    kinds = ("secret", "negated_remember")
    assert [one.snippet.id for one in outcomes(name) if one.snippet.kind in kinds and one.proposed] == []


@pytest.mark.parametrize("name", SETS)
def test_a_set_holds_enough_of_both_kinds_in_both_languages(name: str) -> None:
    snippets = labelled(name)
    assert len(snippets) >= 120 and len({one.id for one in snippets}) == len(snippets)
    assert sum(bool(one.facts) for one in snippets) >= 40 and sum(not one.facts for one in snippets) >= 40
    assert sum(one.lang == "zh" for one in snippets) >= 40 and sum(one.lang == "en" for one in snippets) >= 40
    assert all(fact in one.text for one in snippets for fact in one.facts)


def test_a_proposal_is_right_when_its_quote_covers_a_labelled_fact() -> None:
    text = "I live in Porto. The weather is nice today."
    outcome = judged(Snippet("x", text, "en", "identity", ("I live in Porto",)))
    assert (outcome.proposed, outcome.right, outcome.covered) == (outcome.right, outcome.proposed, ("I live in Porto",))
    outcome = judged(Snippet("x", text, "en", "identity", ("The weather is nice today",)))
    assert len(outcome.proposed) >= 1 and (outcome.right, outcome.covered) == ((), ())


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ((0, 10), (2, 5), True),
        ((2, 5), (0, 10), True),
        ((0, 10), (4, 20), True),
        ((0, 10), (5, 20), False),
        ((0, 10), (10, 20), False),
    ],
)
def test_two_places_are_the_same_when_they_share_more_than_half_of_the_shorter(
    left: tuple[int, int], right: tuple[int, int], same: bool
) -> None:
    assert same_words(left, right) is same


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"), [(50, 50, 0.929, 1.0), (0, 50, 0.0, 0.071), (8, 10, 0.490, 0.943), (0, 0, 0.0, 1.0)]
)
def test_the_interval_is_that_of_wilson(hits: int, of: int, low: float, high: float) -> None:
    found = wilson(hits, of)
    assert (round(found[0], 3), round(found[1], 3)) == (low, high)


def test_the_table_tells_counts_and_intervals_by_language_and_kind() -> None:
    lines = report("development").splitlines()
    assert lines[0].split() == ["development", "snippets", "precision", "recall"]
    assert lines[1].split()[:2] == ["all", "180"]
    assert [line for line in lines if not line.startswith(" ")] == [lines[0], "by language", "by kind"]
    assert any(line.split()[:4] == ["smalltalk", "6", "-", "-"] for line in lines)
