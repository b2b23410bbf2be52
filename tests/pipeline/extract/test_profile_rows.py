"""Profile facts from sighting to decision: counted, suppressed, restored, and never replaced unseen (§7.6)."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline import review
from pipeline.extract.profile.portrait import confirmed, portrait
from pipeline.extract.profile.rows import ProfileRow, conflicting, profile_id, read_stored
from pipeline.extract.profile.rules import Fact
from pipeline.rehearsal import Rehearsal
from pipeline.review.at_once import archive_facts
from pipeline.review.inspection import inspect
from pipeline.review.source import Sources
from store.changes import PutRow
from store.errors import Changed
from tests.pipeline.review_desk import NOW, desk, item, memory, profile, row

pytestmark = pytest.mark.usefixtures("stopped_clock")


def fact(value: str, confidence: float = 0.95, category: Any = "identity", field: str = "name") -> Fact:
    return Fact(category, field, f"{field}: {value}", confidence, value, 0, len(value), field)  # type: ignore[arg-type]


def see(bank: Rehearsal, *facts: Fact, at: int = NOW, sure: float | None = None) -> tuple[str, ...]:
    quotes = ({"session": f"s-{at}", "format": "f", "ref": "line 1", "seq": 1, "quote": "my words", "at": at},)
    return archive_facts(bank, facts, at, auto_confirm=sure, quotes=quotes)


def test_a_pending_fact_is_counted_and_takes_the_higher_confidence() -> None:
    bank = desk()
    (name,) = see(bank, fact("Ada", 0.6))
    see(bank, fact("Ada", 0.9), at=NOW + 1)
    see(bank, fact("Ada", 0.7), at=NOW + 2)
    kept = row(bank, "profile", name)
    assert (kept["timesSeen"], kept["confidence"], kept["firstSeen"], kept["lastSeen"]) == (3, 0.9, NOW, NOW + 2)
    assert (kept["state"], [quote["session"] for quote in kept["quotes"]]) == (
        "pending",
        [f"s-{NOW}", f"s-{NOW + 1}", f"s-{NOW + 2}"],
    )


def test_a_session_that_is_evaluated_again_changes_a_row_only_by_what_it_says_more() -> None:
    bank = desk()
    (name,) = see(bank, fact("Ada", 0.6))
    before = row(bank, "profile", name)
    assert see(bank, fact("Ada", 0.6)) == (name,) and row(bank, "profile", name) == before
    see(bank, fact("Ada", 0.9))
    kept = row(bank, "profile", name)
    assert (kept["timesSeen"], kept["confidence"]) == (1, 0.9)


def test_a_session_is_known_again_when_its_quotes_are_no_longer_kept() -> None:
    bank = desk()
    for at in range(20):
        (name,) = see(bank, fact("Ada"), at=NOW + at)
    see(bank, fact("Ada"), at=NOW + 6)
    kept = row(bank, "profile", name)
    assert (kept["timesSeen"], len(kept["sessions"]), len(kept["quotes"])) == (20, 20, 8)


def test_a_row_from_an_earlier_version_knows_its_sessions_by_its_quotes() -> None:
    bank = desk()
    (name,) = see(bank, fact("Ada"))
    bank.record([PutRow("profile", name, {"sessions": None})])
    see(bank, fact("Ada"))
    assert row(bank, "profile", name)["timesSeen"] == 1


def test_a_host_that_confirms_by_itself_promotes_what_became_sure() -> None:
    bank = desk()
    (name,) = see(bank, fact("Ada", 0.6), sure=0.8)
    assert row(bank, "profile", name)["state"] == "pending"
    see(bank, fact("Ada", 0.9), sure=0.8)
    assert row(bank, "profile", name)["state"] == "confirmed"


def test_a_rejected_fact_returns_only_when_it_is_said_more_surely_and_is_never_confirmed_by_itself() -> None:
    bank = desk()
    (name,) = see(bank, fact("Ada", 0.6))
    bank.commit(review.reject(bank.view(), item(bank, name), "not me"))
    for confidence in (0.5, 0.6, 0.75):
        assert see(bank, fact("Ada", confidence), sure=0.5) == ()
    assert see(bank, fact("Ada", 0.95), sure=0.8) == (name,)
    assert (row(bank, "profile", name)["state"], confirmed(bank.view())) == ("pending", ())
    see(bank, fact("Ada", 0.95), sure=0.8)
    assert row(bank, "profile", name)["state"] == "pending"
    bank.commit(review.reject(bank.view(), item(bank, name)))
    assert see(bank, fact("Ada", 0.95)) == ()


def test_a_forgotten_fact_does_not_return_however_sure_it_is() -> None:
    bank = desk()
    see(bank, fact("Ada"), sure=0.8)
    bank.commit(review.forget(bank.view(), [bank.view().live[0].id]))
    assert see(bank, fact("Ada", 1.0)) == ()


def test_what_another_machine_confirmed_is_not_asked_again_and_stands_against_another_value() -> None:
    bank = desk(memory(1, "name: Ada", label="profile", type="PREF"))
    assert see(bank, fact("Ada")) == ()
    (name,) = see(bank, fact("Ming"))
    waiting = item(bank, name)
    assert (waiting.state, waiting.reason) == ("conflict", "would replace name: Ada")
    bank.commit(review.approve(bank.view(), waiting))
    assert [one.statement for one in bank.view().live] == ["name: Ming"]
    old = row(bank, "profile", profile_id("identity", "name", "name: Ada"))
    assert (old["state"], old["supersededBy"]) == ("superseded", name)


def test_fields_of_the_two_languages_are_one_field() -> None:
    bank = desk(memory(1, "姓名: 林", label="profile", type="PREF"))
    (name,) = see(bank, fact("Ming"))
    assert item(bank, name).reason == "would replace 姓名: 林"


def test_a_value_that_was_confirmed_after_the_look_is_not_replaced_unseen() -> None:
    bank = desk()
    ada, ming = see(bank, fact("Ada"), fact("Ming"))
    seen_before = item(bank, ming)
    bank.commit(review.approve(bank.view(), item(bank, ada)))
    with pytest.raises(Changed, match="name: Ada is confirmed by now"):
        review.approve(bank.view(), seen_before)
    assert item(bank, ming).reason == "would replace name: Ada"
    bank.commit(review.approve(bank.view(), item(bank, ming)))
    assert [one.value for one in confirmed(bank.view())] == ["name: Ming"]


def test_several_values_outside_identity_are_a_list_that_nothing_replaces() -> None:
    memories = [memory(at, f"专长: {name}", label="profile", type="PREF") for at, name in enumerate(("Go", "Rust"), 1)]
    bank = desk(*memories)
    new = ProfileRow("x", "expertise", "专长", "专长: Zig", 0.9, slot="expertise")
    assert conflicting(bank.view(), (), new) is None
    assert conflicting(desk(memories[0]).view(), (), new) is not None


def test_review_shows_what_a_prompt_would_say_afterwards() -> None:
    rows = profile("identity", "name", "Ada", state="confirmed", memory="facts/2026/11/2026-11-30-0001.md")
    rows |= profile("preference", "editor", "https://zed.dev: fast")
    bank = desk(memory(1, "name: Ada"), profile=rows)
    waiting = item(bank, profile_id("preference", "editor", "editor: https://zed.dev: fast"))
    looked = inspect(bank.view(), waiting, Sources())
    assert looked.portrait == "[About the user]\n- Identity: Ada\n- Preferences: https://zed.dev: fast"
    assert portrait(confirmed(bank.view()), "en") == "[About the user]\n- Identity: Ada"


@pytest.mark.parametrize(
    ("content", "name", "read"),
    [
        ('{"category":"habit","value":"tea","fieldName":"drink"}', "x", ("habit", "drink", "tea")),
        ('{"category":["habit"],"value":"tea"}', "habit: tea", ("habit", "tea", "tea")),
        ('{"category":"mood","value":"tea"}', "", ("history", "unknown", '{"category":"mood","value":"tea"}')),
        ("name: Ada", "", ("identity", "name", "name: Ada")),
        ("工具: Zed", "whatever", ("preference", "工具", "工具: Zed")),
        ("[" * 3000, "", ("history", "unknown", "[" * 3000)),
        ("", "identity: ", ("history", "unknown", "")),
    ],
)
def test_stored_facts_are_read_tolerantly(content: str, name: str, read: tuple[str, str, str]) -> None:
    assert read_stored(content, name) == read


@pytest.mark.parametrize(
    ("first", "second"),
    [("Анна", "Иван"), ("🙂", "🙃"), ("x" * 60, "x" * 59 + "y"), ("a.b", "ab"), ("C++", "C")],
)
def test_values_that_a_slug_cannot_tell_apart_have_different_ids(first: str, second: str) -> None:
    one, two = (profile_id("identity", "name", f"name: {value}") for value in (first, second))
    assert one != two and one.startswith("profile:user-profile-identity-name-")
