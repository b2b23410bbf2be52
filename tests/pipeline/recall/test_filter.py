"""The filter while typing: what is typed, half typed or nonsense, always gives memories and never an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.recall.filter import Selection, narrows, parse, select
from store.view import View
from tests.conformance.memories import make

TEA = make("tea", "Green tea before noon", type="PREF", owner="ana", tags=("drinks", "pinned"), created="2026-11-02")
PORT = make("Port", "Staging listens on 8081", owner="lan", source="chat with Sam", created="2026-10-12")
BOUND = make("production", "Never on Friday", type="BOUND", owner="ana", immutable=True, created="2026-09-30")
STREET = make("Straße", "Die STRASSE ist 8081 m lang", label="insight", created="")
GONE = make("old vpn", "gone", state="trashed", created="2025-01-01")
KEPT = make("older vpn", "kept", state="archived", created="2024-01-01")
BANK = View.of(
    [TEA, PORT, BOUND, STREET, GONE, KEPT],
)


def found(text: str, view: View = BANK) -> list[str]:
    return [memory.subject for memory in select(view, text).memories]


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("", ["tea", "Port", "production", "Straße"]),
        ("GREEN", ["tea"]),
        ("8081 port", ["Port"]),
        ("8081", ["Port", "Straße"]),
        ("strasse", ["Straße"]),
        ("on 8081", ["Port"]),
        ('"ist 8081"', ["Straße"]),
        ('"ist 80', ["Straße"]),
        ("8081 -strasse", ["Port"]),
        ('8081 -"ist 8081"', ["Port"]),
        ("-8081", ["tea", "production"]),
        ("type:pref", ["tea"]),
        ("type:P", ["tea"]),
        ("TYPE:bound", ["production"]),
        ("type:pref type:bound", ["tea", "production"]),
        ("type:pref,bound", ["tea", "production"]),
        ("-type:fact", ["tea", "production"]),
        ("type:nothing", []),
        ("tag:drink", ["tea"]),
        ("tag:drinks tag:pinned", ["tea"]),
        ("tag:drinks tag:other", []),
        ("owner:ana", ["tea", "production"]),
        ("owner:ana -is:immutable", ["tea"]),
        ("label:ins", ["Straße"]),
        ("source:sam", ["Port"]),
        ('source:"with sam"', ["Port"]),
        ("before:2026-10", ["production"]),
        ("before:2026-10-12", ["production"]),
        ("after:2026-10", ["tea"]),
        ("after:2026-10-11", ["tea", "Port"]),
        ("after:2025 before:2027", ["tea", "Port", "production"]),
        ("is:pinned", ["tea"]),
        ("is:immutable", ["production"]),
        ("is:priv", ["tea", "production"]),
        ("-is:private", ["Port", "Straße"]),
        ("is:trash", ["old vpn"]),
        ("is:archived", ["older vpn"]),
        ("is:archived kept", ["older vpn"]),
        ("vpn", []),
        ("http://x", []),
    ],
)
def test_what_is_typed_finds(text: str, subjects: list[str]) -> None:
    assert found(text) == subjects


@pytest.mark.parametrize(
    "text", ["type:", "tag:", "is:", "is:p", "is:t -", "-", '"', '""', '-"', "before:", "-owner:", " "]
)
def test_what_is_half_typed_leaves_everything(text: str) -> None:
    place = {"is:t -": ["old vpn"]}
    assert found(text) == place.get(text, ["tea", "Port", "production", "Straße"])


def test_words_that_mean_nothing_are_named() -> None:
    assert parse("is:green after:soon type:fact before:2026-1").unknown == ("is:green", "after:soon")
    assert parse("is:p after:20").unknown == ()
    assert parse("type:nonsense type:fa -type:x,pref").unknown == ("type:nonsense", "-type:x,pref")


@pytest.mark.parametrize(
    "date",
    ["foo", "99-99", "2026-13-45", "2026-13", "2026-00", "2026-02-30", "0000-01", "2026--1", "2026-10-12T", "٢٠٢٦"],
)
def test_what_is_no_date_means_nothing(date: str) -> None:
    assert parse(f"before:{date}").unknown == (f"before:{date}",)
    assert found(f"before:{date}") == found("")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("2026", "2026"),
        ("2026-", "2026"),
        ("2026-0", "2026"),
        ("2026-5", "2026-05"),
        ("2026-1", "2026-01"),
        ("2026-05-", "2026-05"),
        ("2026-5-3", "2026-05-03"),
        ("2024-02-29", "2024-02-29"),
    ],
)
def test_a_date_may_be_short_and_without_its_noughts(typed: str, meant: str) -> None:
    wanted = parse(f"after:{typed}")
    assert ([term.values for term in wanted.terms], wanted.unknown) == ([(meant,)], ())


def test_dates_go_by_the_date_that_a_list_shows() -> None:
    """A list shows when a memory last changed, and when it was made only where it never did."""
    kept = make("kept", "as it was", created="2026-01-05")
    changed = make("changed", "corrected later", created="2026-01-05", updated="2026-11-20")
    view = View.of([kept, changed])
    assert [one.subject for one in select(view, "after:2026-06").memories] == ["changed"]
    assert [one.subject for one in select(view, "before:2026-06").memories] == ["kept"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("tea type:fact before:2026 -is:pinned http://x note:5 'a", ""),
        ('"typ:pref"', ""),
        ("typ:pref", "typ:pref means nothing; write type: for that, or put it in quotes to look for the words."),
        ("-tags:x", "-tags:x means nothing; write tag: for that, or put it in quotes to look for the words."),
        ("before:20", "before:20 means nothing; write a date as 2026, 2026-10 or 2026-10-12."),
        ("-before:foo", "-before:foo means nothing; write a date as 2026, 2026-10 or 2026-10-12."),
        ("type:nonsense", "type:nonsense means nothing; write type: with one of FACT, PREF, BOUND, COMMIT."),
        ("is:p", "is:p means nothing; write is: with one of archived, immutable, pinned, private, trash."),
        ("tag:", "tag: means nothing; write something behind the colon, or leave it out."),
    ],
)
def test_a_finished_query_is_refused_for_what_it_cannot_mean(text: str, sentence: str) -> None:
    assert parse(text).refusal == sentence


def test_typing_on_looks_only_at_what_is_left() -> None:
    first = select(BANK, "80")
    second = select(BANK, "8081", first)
    assert list(second.indices) == [1, 3]
    poisoned = Selection(first.pool, first.texts, [1], first.filter)
    assert list(select(BANK, "8081", poisoned).indices) == [1]


@pytest.mark.parametrize(
    ("before", "after", "narrower"),
    [
        ("te", "tea", True),
        ("te", "tea type:pref", True),
        ("te", '"tea before"', True),
        ("tea", "te", False),
        ("tea -gre", "tea -green", False),
        ("tea -green", "tea -gre", True),
        ("type:p", "type:pr", False),
        ("type:pref", "type:pref type:fact", False),
        ("tea", "tea is:trash", False),
        ("", "anything", True),
    ],
)
def test_when_the_last_answer_may_be_narrowed(before: str, after: str, narrower: bool) -> None:
    assert narrows(parse(before), parse(after)) is narrower


def test_a_new_state_of_the_bank_is_looked_through_whole() -> None:
    old = select(BANK, "80")
    changed = View.of([PORT, make("new", "also 8081")])
    assert [memory.subject for memory in select(changed, "808", old).memories] == ["Port", "new"]


QUERY = st.lists(
    st.sampled_from(
        ["tea", "80", "-8", '"on 8', "type:", "type:f", "is:", "is:trash", "is:pin", "-is:", "before:", "20"]
    )
    | st.text(max_size=4),
    max_size=5,
).map(" ".join)


@given(QUERY)
def test_fuzz_nothing_typed_is_ever_an_error(text: str) -> None:
    selection = select(BANK, text)
    assert list(selection.indices) == sorted(set(selection.indices))
    assert all(0 <= index < len(selection.pool) for index in selection.indices)


@given(QUERY, st.integers(0, 40))
def test_property_narrowing_gives_what_looking_at_everything_gives(text: str, cut: int) -> None:
    before = select(BANK, text[:cut])
    assert list(select(BANK, text, before).indices) == list(select(BANK, text).indices)
