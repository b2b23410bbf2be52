"""Facts that share words with a waiting one: the most alike first, the same as by comparing each with each."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipeline.extract.identity import gap_id
from pipeline.extract.ledger.gaps import Gap
from pipeline.extract.words import content_words, jaccard
from pipeline.review.alike import SIMILAR, Alike
from pipeline.review.nearby import SHOWN, Neighbour, WaitingWords, near_gaps, near_waiting
from store.changes import DropRow, PutRow
from tests.pipeline.review_desk import desk, gap

WORDS = ("pier", "ferry", "timetable", "码头", "开门", "monday", "berth", "42", "-")
SAID = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
FACTS = st.lists(st.tuples(SAID, st.sampled_from(("api", "web"))), min_size=1, max_size=40)


def facts(said: list[tuple[str, str]]) -> list[Gap]:
    return [Gap(f"gap_{(at * 7) % 40:02}_{at}", project, text) for at, (text, project) in enumerate(said)]


def compared(gap: Gap, others: list[Gap]) -> list[tuple[str, float]]:
    """What resembles a fact, by comparing it with each."""
    found = [
        (one.id, like)
        for one in others
        if one.key != gap.key and one.project == gap.project
        if (like := jaccard(one.content, gap.content)) >= SIMILAR and content_words(gap.content)
    ]
    return sorted(found, key=lambda one: (-one[1], one[0]))


@given(FACTS)
def test_property_the_nearest_are_those_that_comparing_each_with_each_finds(said: list[tuple[str, str]]) -> None:
    every = facts(said)
    words = WaitingWords.of(every)
    for one in every:
        near = [(found.id, found.similarity) for found in near_gaps(words, one)]
        assert near == compared(one, every)[:SHOWN]


def test_every_fact_that_is_alike_is_found_in_order_when_somebody_wants_more() -> None:
    every = [Gap(f"gap_{at:04}", "api", f"the pier opens at nine, berth {at % 30} {at}") for at in range(700)]
    found = [(one.id, like) for one, like in Alike.of(every).nearest(content_words(every[5].content))]
    assert ("gap_0005", 1.0) in found and len({like for _, like in found}) > 2
    assert [one for one in found if one[0] != "gap_0005"] == compared(every[5], every)


def test_a_queue_of_facts_that_are_all_alike_compares_none_by_itself() -> None:
    every = [Gap(f"gap_{at:05}", "api", f"The pier opens at nine on weekdays, berth-{at:05}") for at in range(3000)]
    words = WaitingWords.of(every)
    for one in every[::100]:
        near = near_gaps(words, one)
        assert [found.id for found in near] == [f"gap_{at:05}" for at in range(6) if every[at] is not one][:SHOWN]


def test_what_was_decided_since_is_no_neighbour_and_what_came_since_is_one() -> None:
    said = [f"the pier opens at nine, berth {at}" for at in range(4)]
    bank = desk(gaps={key: row for text in said[:3] for key, row in gap(text).items()})
    first, second = (f"|{gap_id(text)}" for text in said[:2])
    assert {one.text for one in near_waiting(bank.view(), first)} == set(said[1:3])
    bank.record([DropRow("gaps", second)])
    assert [one.text for one in near_waiting(bank.view(), first)] == [said[2]]
    assert near_waiting(bank.view(), second) == ()
    (row,) = gap(said[3]).values()
    bank.record([PutRow("gaps", f"|{row['id']}", row)])
    like = jaccard(said[0], said[3])
    found = [Neighbour("gaps", gap_id(text), like, text) for text in said[2:]]
    assert near_waiting(bank.view(), first) == tuple(sorted(found, key=lambda one: one.id))
