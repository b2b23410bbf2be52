"""From fact to memory: type, subject, owner and the place of the words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.extract.options import PORT, Options, options
from pipeline.extract.placement import place, subject_of
from store.errors import BadInput
from store.memory import Quote


@pytest.mark.parametrize(
    ("content", "category", "kind"),
    [
        ("prefers tabs over spaces", "preference", "PREF"),
        ("姓名: 林", "identity", "PREF"),
        ("专长: Rust", "expertise", "PREF"),
        ("I always use fish as my shell", "preference", "PREF"),
        ("my birthday is 3 May", "", "PREF"),
        ("我习惯用两个空格缩进", "", "PREF"),
        ("我们决定用 Postgres 存事件", "", "FACT"),
        ("The build needs pnpm", "knowledge", "FACT"),
        ("I restarted the runner and it helped", "failure", "FACT"),
        ("Never push to main without a review", "", "BOUND"),
        ("不要在周五部署", "note", "BOUND"),
        ("Customer data must never leave the EU", "context", "BOUND"),
        ("The release is due on 2026-12-01", "", "COMMIT"),
        ("我们计划在12月1日上线", "", "COMMIT"),
        ("The office is closed on 24 Dec", "", "FACT"),
    ],
)
def test_the_kind_of_a_fact_decides_its_type(content: str, category: str, kind: str) -> None:
    assert place(content, category=category)["type"] == kind


def test_a_standing_wish_in_the_quote_makes_a_rule() -> None:
    quote = Quote("s-1", "line 4", "From now on, answer in German", "claude-code")
    assert place("answer in German", [quote])["type"] == "BOUND"
    assert place("answer in German")["type"] == "FACT"


def test_a_memory_names_the_place_of_its_words_once() -> None:
    quotes = [Quote("s-1", "line 4", "a", "claude-code"), Quote("s-1", "line 4", "b", "claude-code")]
    quotes.append(Quote("s-2", "u-9", "c", "codex"))
    fields = place("We use pnpm.", quotes, project="shop", owner="zed")
    assert fields == {
        "type": "FACT",
        "subject": "use pnpm",
        "statement": "We use pnpm.",
        "scope": "public",
        "source": "memory_extract",
        "confidence": 1.0,
        "project": "shop",
        "evidence": "claude-code/s-1#line 4, codex/s-2#u-9",
    }


def test_private_memories_carry_the_owner_and_no_project() -> None:
    fields = place("I prefer tabs", project="shop", owner="zed", label="profile", subject="Tabs")
    assert (fields["scope"], fields["owner"], fields["label"], fields["subject"]) == (
        "private",
        "zed",
        "profile",
        "Tabs",
    )
    assert "project" not in fields
    assert "owner" not in place("I prefer tabs")


def test_a_projects_own_bank_needs_no_project_key() -> None:
    assert "project" not in place("We use pnpm", project="shop", project_bank=True)


@pytest.mark.parametrize(
    ("content", "subject"),
    [
        ("We deploy only on Fridays.", "deploy only on Fridays"),
        ("Never push to main without a review", "Never push to main"),
        ("The staging database for the payments service lives in Frankfurt", "staging database"),
        ("我们决定用 Postgres 存事件，不用 Kafka", "决定用 Postgres 存事件"),
        ("Donaudampfschifffahrtsgesellschaftskapitän", "Donaudampfschifffahrtsgesellsc"),
        ("the", "the"),
        ("、、、、", "、、、、"),
    ],
)
def test_a_subject_is_the_first_content_words(content: str, subject: str) -> None:
    assert subject_of(content) == subject


@given(st.text(max_size=120))
def test_property_a_subject_is_short_and_never_empty(content: str) -> None:
    subject = subject_of(content)
    assert 1 <= len(subject) <= 30 and "\n" not in subject and subject == subject.strip()


def test_settings_of_the_port_are_a_set_of_options() -> None:
    assert Options(**PORT).neutralize == "strip" and Options().review_mode == "all"
    assert options({"minGapEvidence": 3.0}).min_gap_evidence == 3
    with pytest.raises(BadInput, match="no setting colour"):
        options({"colour": "red"})
    with pytest.raises(BadInput, match="neutralize cannot be 'maybe'; use substitute or strip"):
        options({"neutralize": "maybe"})
