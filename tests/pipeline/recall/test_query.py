"""What a person types to find memories is understood at every letter, and never an error."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.recall.filtering.completing import complete
from pipeline.recall.filtering.query import LIVE, SORTS, Phrase, Query, Term, parse
from store.view import View
from tests.conformance.memories import make
from tests.pipeline.recall.hostile import HOSTILE, TYPED


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("green tea", "green tea"),
        ("green tea ", "green tea "),
        ("type:fact gre", "gre"),
        ("Gre type:fact", "Gre "),
        ('"green te', "green te"),
        ('"green tea"', "green tea "),
        ('"green tea" pot -cup', "green tea pot "),
        ("-cup tea", "tea"),
        ("C++ foo_bar() ~/x.py", "C++ foo_bar() ~/x.py"),
        ("http://x note:5 时间：3点", "http://x note:5 时间：3点"),
        ("type:fact sort:time", ""),
        ("-", ""),
        ("", ""),
    ],
)
def test_the_words_to_rank_by_are_what_no_operator_is_and_a_space_ends_the_last_one(text: str, words: str) -> None:
    assert parse(text).words == words


@pytest.mark.parametrize(
    ("text", "phrases", "without"),
    [
        ('"green tea"', [Phrase("green tea")], []),
        ('"Green  Te', [Phrase("green te", open=True)], []),
        ('"green ', [Phrase("green")], []),
        ("“绿茶” tea", [Phrase("绿茶")], []),
        ('-cup -"green te', [], [Phrase("cup"), Phrase("green te")]),
        ("-Ｃａｆé", [], [Phrase("cafe")]),
        ('"" "  " -""', [], []),
        ("--> -- -", [], []),
    ],
)
def test_phrases_and_words_left_out_are_folded(text: str, phrases: list[Phrase], without: list[Phrase]) -> None:
    found = parse(text)
    assert (list(found.phrases), list(found.without)) == (phrases, without)


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("type:fact", [Term("type", ("fact",))]),
        ("TYPE:Fact,pref type:bound", [Term("type", ("fact", "pref", "bound"))]),
        ("tag:work tag:home -tag:old,older", [Term("tag", ("work", "home")), Term("tag", ("old", "older"), True)]),
        ('owner:"Ana Maria",lan', [Term("owner", ("ana maria", "lan"))]),
        ('tag:"green te', [Term("tag", ("green te",))]),
        ("tag：工作，家", [Term("tag", ("工作", "家"))]),
        ("session:claude-code/4f id:2026-10 label:x source:chat", None),
        ("before:2026 after:2025-3-9", [Term("before", ("2026",)), Term("after", ("2025-03-09",))]),
        ("is:pinned,imm -is:priv", [Term("is", ("pinned", "immutable")), Term("is", ("private",), True)]),
        ("-is:trash", [Term("is", ("trash",), True)]),
        ("type: tag:, is: is:p before: before:20 sort: -owner:", []),
    ],
)
def test_operators_are_joined_each_with_its_alternatives(text: str, terms: list[Term] | None) -> None:
    found = list(parse(text).terms)
    assert [term.key for term in found] == text.replace(":", " ").split()[::2] if terms is None else found == terms


@pytest.mark.parametrize(
    ("text", "places"),
    [
        ("tea", (LIVE,)),
        ("is:trash tea", ("trash",)),
        ("is:arch", ("archived",)),
        ("is:pend", ("pending",)),
        ("is:trash,archived", ("trash", "archived")),
        ("is:trash is:pinned", ("trash",)),
        ("-is:trash", (LIVE,)),
    ],
)
def test_where_to_look(text: str, places: tuple[str, ...]) -> None:
    found = parse(text)
    assert (found.places, found.place) == (places, places[0])


def test_the_order_asked_for_last_counts() -> None:
    assert [parse(f"sort:{sort}").sort for sort in SORTS] == list(SORTS)
    assert parse("sort:time sort:rel").sort == "relevance"
    assert (parse("sort:t").sort, parse("sort:t").unfinished) == ("", ("sort:t",))
    assert parse("-sort:time").unknown == ("-sort:time",)


def test_only_words_narrow_nothing() -> None:
    assert not parse("green tea type:").narrows
    assert all(parse(text).narrows for text in ("type:fact", '"tea', "-tea", "is:trash"))


def test_words_that_mean_nothing_are_named() -> None:
    assert parse("is:green after:soon type:fact before:2026-1").unknown == ("is:green", "after:soon")
    assert parse("is:p after:20").unknown == ()
    assert parse("type:nonsense type:fa -type:x,pref").unknown == ("type:nonsense", "-type:x,pref")
    assert parse("is:p type: before:20").unfinished == ("is:p", "type:", "before:20")


@pytest.mark.parametrize(
    "date",
    ["foo", "99-99", "2026-13-45", "2026-13", "2026-00", "2026-02-30", "0000-01", "2026--1", "2026-10-12T", "٢٠"],
)
def test_what_is_no_date_means_nothing(date: str) -> None:
    found = parse(f"before:{date}")
    assert (found.unknown, found.terms) == ((f"before:{date}",), ())


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
        ("２０２６-10", "2026-10"),
    ],
)
def test_a_date_may_be_short_and_without_its_noughts(typed: str, meant: str) -> None:
    wanted = parse(f"after:{typed}")
    assert ([term.values for term in wanted.terms], wanted.unknown) == ([(meant,)], ())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("tea type:fact before:2026 -is:pinned http://x note:5 port:80 'a sort:time", ""),
        ('"typ:pref"', ""),
        ("typ:pref", "typ:pref means nothing; write type: for that, or put it in quotes to look for the words."),
        ("-tags:x", "-tags:x means nothing; write tag: for that, or put it in quotes to look for the words."),
        ("before:20", "before:20 means nothing; write a date as 2026, 2026-10 or 2026-10-12."),
        ("-before:foo", "-before:foo means nothing; write a date as 2026, 2026-10 or 2026-10-12."),
        ("type:nonsense", "type:nonsense means nothing; write type: with one of FACT, PREF, BOUND, COMMIT."),
        ("is:p", "is:p means nothing; write is: with one of archived, immutable, pending, pinned, private, trash."),
        ("sort:x", "sort:x means nothing; write sort: with one of relevance, time, type, use, place."),
        ("tag:", "tag: means nothing; write something behind the colon, or leave it out."),
    ],
)
def test_a_finished_query_is_refused_for_what_it_cannot_mean(text: str, sentence: str) -> None:
    assert parse(text).refusal == sentence


# --- what can stand there

TEA = make("tea", "Green tea", type="PREF", owner="Ana", tags=("drinks", "pinned"), created="2026-11-02")
POT = make("pot", "a pot", owner="Ana", tags=("drinks", "work at home"), source="chat with Sam", created="2026-11-20")
PORT = make("port", "8081", owner="lan", tags=("工作",), created="2025-10-12", evidence="codex/4f2a#7, codex/9b#1")
GONE = make("gone", "old", owner="Bo", state="trashed")
BANK = View.of([TEA, POT, PORT, GONE])


def offered(text: str, at: int | None = None) -> list[tuple[str, int | None]]:
    """What the cursor at `|` (or at the end) may become, whole, with the counts."""
    at = text.index("|") if "|" in text else len(text)
    text = text.replace("|", "")
    found = complete(text, at, BANK)
    return [(found.put(text, value)[0].rstrip(), value.count) for value in found.values]


@pytest.mark.parametrize(
    ("text", "offers"),
    [
        ("t", [("type:", None), ("tag:", None)]),
        ("tea -ow", [("tea -owner:", None)]),
        ("ty|pe:fact tea", [("type:fact tea", None)]),
        ("type:", [("type:FACT", 2), ("type:PREF", 1), ("type:BOUND", 0), ("type:COMMIT", 0)]),
        ("type:f| tea", [("type:FACT tea", 2)]),
        ("tag:", [("tag:drinks", 2), ("tag:pinned", 1), ('tag:"work at home"', 1), ("tag:工作", 1)]),
        ("tag:drinks,wo", [('tag:drinks,"work at home"', 1)]),
        ('tag:"wo|rk" tea', [('tag:"work at home" tea', 1)]),
        ("tag：工", [("tag：工作", 1)]),
        ("-owner:a", [("-owner:Ana", 2)]),
        ("is:trash owner:", [("is:trash owner:Bo", 1)]),
        ("session:4f", [("session:codex/4f2a", 1)]),
        ("source:sam", [('source:"chat with Sam"', 1)]),
        ("is:p", [("is:pending", 0), ("is:pinned", 1), ("is:private", 1)]),
        ("is:t", [("is:trash", 1)]),
        ("sort:t", [("sort:time", None), ("sort:type", None)]),
        ("after:", [("after:2026", 0), ("after:2025", 2)]),
        ("after:2026", [("after:2026-11", 0)]),
        ("before:2026-11", [("before:2026-11-20", 2), ("before:2026-11-02", 1)]),
        ('"ty', []),
        ("nothing", []),
    ],
)
def test_what_can_stand_there_is_offered_with_how_many_memories_have_it(
    text: str, offers: list[tuple[str, int | None]]
) -> None:
    assert offered(text) == offers


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("tea type:f", "tea type:FACT |"),
        ("type:f| tea", "type:FACT| tea"),
        ("ty", "type:|"),
        ("after:202", "after:2026|"),
    ],
)
def test_behind_a_value_that_was_taken_the_next_word_is_typed_and_a_date_goes_on(text: str, taken: str) -> None:
    at = text.find("|") if "|" in text else len(text)
    found = complete(text.replace("|", ""), at, BANK)
    whole, cursor = found.put(text.replace("|", ""), found.values[0])
    assert f"{whole[:cursor]}|{whole[cursor:]}" == taken


def test_an_empty_box_offers_the_operators() -> None:
    assert [text for text, _ in offered("")][:3] == ["type:", "tag:", "owner:"]


def test_a_name_is_offered_as_it_is_looked_for() -> None:
    name = TEA.name.removesuffix(".md")
    assert (f"id:{name}", 1) in offered(f"id:{name}")


# --- whatever is typed


def test_every_beginning_of_five_hundred_hostile_queries_is_understood() -> None:
    assert len(set(HOSTILE)) > 450
    for typed in (query[:end] for query in HOSTILE for end in range(min(len(query), 60) + 1)):
        found = parse(typed)
        assert isinstance(found, Query), typed
        assert (not found.refusal) == (not (found.unknown or found.unfinished or found.mistaken)), typed


@given(TYPED, st.integers(0, 60))
def test_fuzz_nothing_typed_is_ever_an_error(text: str, at: int) -> None:
    found = complete(text, at, BANK)
    assert 0 <= found.start <= found.end <= len(text)
    assert all(word in text for word in parse(text).words.split())


@given(TYPED, st.integers(0, 60), st.data())
def test_property_what_is_offered_is_understood_when_it_is_put_in(text: str, at: int, data: st.DataObject) -> None:
    found = complete(text, at, BANK)
    if not found.values:
        return
    value = data.draw(st.sampled_from(found.values))
    whole, cursor = found.put(text, value)
    assert whole[found.start : cursor].rstrip(" ") == value.text
    head = parse(whole[:cursor])
    assert value.text.endswith(":") or head.terms or head.sort or head.places != (LIVE,)
