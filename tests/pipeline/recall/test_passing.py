"""Operators, phrases and words left out let the right memories through, one by one as all rows of an index at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.recall.filtering.judging import passes, says
from pipeline.recall.filtering.passing import Columns, passing
from pipeline.recall.filtering.query import parse
from store.index.search.building import build
from store.index.search.following import Followed, bound, docs_of, follow
from store.layered import Layered
from store.memory import Memory
from tests.conformance.memories import make
from tests.pipeline.recall.hostile import HOSTILE, TYPED

TEA = make("tea", "Green tea before noon", type="PREF", owner="ana", tags=("drinks", "pinned"), created="2026-11-02")
PORT = make("Port", "Staging listens on 8081", owner="lan", source="chat with Sam", created="2026-10-12")
BOUND = make("production", "Never on Friday", type="BOUND", owner="ana", immutable=True, created="2026-09-30")
STREET = make("Straße", "Die STRASSE ist 8081 m lang", label="insight", created="", evidence="codex/4f2a#7")
CODE = make("code", "call getUserName() in src/user_name.py\nwhere the\n  cup is", created="2026-10-01")
CHINA = make("备份", "每周演练，Ｃａｆé → ❤️ אבג", tags=("工作",), created="2026-10-01", evidence="codex/9b#1, cc/4f#2")
GONE = make("old vpn", "gone", state="trashed", created="2025-01-01")
KEPT = make("older vpn", "kept", state="archived", created="2024-01-01")
EVERY = (TEA, PORT, BOUND, STREET, CODE, CHINA, GONE, KEPT)
LIVE = ["tea", "Port", "production", "Straße", "code", "备份"]


def followed(*memories: Memory, late: tuple[Memory, ...] = ()) -> Followed:
    """An index of memories, of which some came after its segment was made."""
    before = bound(build(docs_of(memories)), Layered({one.id: one for one in memories}))
    return follow(before, before.memories.with_changes({one.id: one for one in late})) if late else before


COLUMNS = Columns(followed(*EVERY[:3], *EVERY[5:], late=EVERY[3:5]))


def found(text: str, columns: Columns = COLUMNS) -> list[str]:
    """The subjects that pass, by both ways, which must agree."""
    query = parse(text)
    rows = np.flatnonzero(passing(columns, query)).tolist()
    ids = {columns.followed.memory(row).id for row in rows}
    memories = sorted(columns.followed.memories.values(), key=lambda one: one.name)  # as they were made
    assert ids == {one.id for one in memories if passes(one, query)}
    return [one.subject for one in memories if one.id in ids]


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ("", LIVE),
        ("any words rank and hide nothing", LIVE),
        ("type:pref", ["tea"]),
        ("type:P", ["tea"]),
        ("TYPE:bound", ["production"]),
        ("type:pref type:bound", ["tea", "production"]),
        ("type:pref,bound", ["tea", "production"]),
        ("-type:fact", ["tea", "production"]),
        ("-type:fact,pref", ["production"]),
        ("type:nothing", []),
        ("tag:drink", ["tea"]),
        ("tag:drinks tag:工", ["tea", "备份"]),
        ("tag:drinks owner:lan", []),
        ("owner:ana -is:immutable", ["tea"]),
        ("owner:ana,lan type:fact", ["Port"]),
        ("label:ins", ["Straße"]),
        ("source:sam", ["Port"]),
        ('source:"with sam"', ["Port"]),
        ("session:4f", ["Straße", "备份"]),
        ("session:codex", ["Straße", "备份"]),
        ("session:codex/4f2a", ["Straße"]),
        ("before:2026-10", ["production"]),
        ("before:2026-10-12", ["production", "code", "备份"]),
        ("after:2026-10", ["tea"]),
        ("after:2026-10-11", ["tea", "Port"]),
        ("after:2025 before:2027", ["tea", "Port", "production", "code", "备份"]),
        ("before:2026-10 before:2026-10-12", ["production", "code", "备份"]),
        ("-after:2026-10-01", ["production", "Straße", "code", "备份"]),
        ("is:pinned", ["tea"]),
        ("is:pinned,immutable", ["tea", "production"]),
        ("is:priv", ["tea", "production"]),
        ("-is:private", ["Port", "Straße", "code", "备份"]),
        ("is:trash", ["old vpn"]),
        ("is:archived", ["older vpn"]),
        ("is:trash,archived", ["old vpn", "older vpn"]),
        ("is:archived -kept", []),
        ("is:pending", []),
        ("-is:trash", LIVE),
    ],
)
def test_operators(text: str, subjects: list[str]) -> None:
    assert found(text) == subjects


@pytest.mark.parametrize(
    ("text", "subjects"),
    [
        ('"ist 8081"', ["Straße"]),
        ('"ist 80', ["Straße"]),
        ('"ist 80"', []),
        ('"on 8081"', ["Port"]),
        ('"green  TEA"', ["tea"]),
        ('"strasse"', ["Straße"]),
        ('"8081"', ["Port", "Straße"]),
        ("-8081", ["tea", "production", "code", "备份"]),
        ("-808", LIVE),
        ('-"on 8081" -friday', ["tea", "Straße", "code", "备份"]),
        ('"each other"', []),
        ('"user', ["code"]),
        ("-getusername", ["tea", "Port", "production", "Straße", "备份"]),
        ("-name", ["tea", "Port", "production", "Straße", "备份"]),
        ('"user_name.py"', ["code"]),
        ('"src/user', ["code"]),
        ('"where the cup is"', ["code"]),
        ('"getUserName() in"', ["code"]),
        ('"()"', ["code"]),
        ('"/"', ["code"]),
        ('"，"', ["备份"]),
        ('"() /"', []),
        ('-"_"', ["tea", "Port", "production", "Straße", "备份"]),
        ('"练"', ["备份"]),
        ('"周演"', ["备份"]),
        ('"每周演练', ["备份"]),
        ('"演练，cafe"', ["备份"]),
        ("-每周演 -tea", ["Port", "production", "Straße", "code"]),
        ('"ＣＡＦÉ"', ["备份"]),
        ('"→"', ["备份"]),
        ('"❤"', ["备份"]),
        ('"אבג"', ["备份"]),
        ('"m"', ["Straße"]),
    ],
)
def test_phrases_are_whole_words_side_by_side_and_so_are_words_left_out(text: str, subjects: list[str]) -> None:
    assert found(text) == subjects


def test_a_memory_is_found_by_its_name_as_it_was_and_as_it_is() -> None:
    moved = make("moved", "elsewhere", id="facts/2026/10/2026-10-12-9001.md", path="facts/2027/1/2027-01-01-0001.md")
    columns = Columns(followed(TEA, moved))
    for name in ("2026-10-12-9001", "2027-01-01-0001.md", "facts/2026/10/2026-10-12-9001.md", "facts/2027"):
        assert found(f"id:{name}", columns) == ["moved"]
    assert found("id:9001", columns) == []


def test_dates_go_by_the_date_that_a_list_shows() -> None:
    """A list shows when a memory last changed, and when it was made only where it never did."""
    kept = make("kept", "as it was", created="2026-01-05")
    changed = make("changed", "corrected later", created="2026-01-05", updated="2026-11-20")
    columns = Columns(followed(kept, changed))
    assert (found("after:2026-06", columns), found("before:2026-06", columns)) == (["changed"], ["kept"])


def test_the_persons_words_under_a_memory_count_as_its_own() -> None:
    def quotes(memory: Memory) -> tuple[str, ...]:
        return ("I only drink it cold",) if memory is TEA else ()

    memories = Layered({one.id: one for one in (TEA, PORT)})
    columns = Columns(bound(build(docs_of((TEA, PORT), quotes)), memories, quotes), quotes=quotes)
    query = parse('"drink it cold"')
    assert [columns.followed.memory(row) for row in np.flatnonzero(passing(columns, query)).tolist()] == [TEA]
    assert passes(TEA, query, quotes) and not passes(TEA, query)


def test_what_is_typed_on_is_looked_for_among_what_was_left() -> None:
    columns = Columns(followed(*EVERY))
    phrase = '"ist 8081 m lang"'
    for end in range(len('"ist'), len(phrase) + 1):
        assert found(phrase[:end], columns) == ["Straße"]
    for end in range(len(phrase) - 1, len('"ist'), -1):
        assert found(phrase[:end], columns) == ["Straße"]
    assert found('"ist 9', columns) == []


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("green", True),
        ("gre noo", True),
        ("noon green ana", True),
        ("reen", False),
        ("green cup", False),
        ("", True),
        ("- →", False),
    ],
)
def test_a_list_of_words_is_a_list_of_beginnings(text: str, holds: bool) -> None:
    assert says(TEA, text) is holds


def test_every_beginning_of_five_hundred_hostile_queries_lets_memories_through_without_error() -> None:
    for typed in (query[:end] for query in HOSTILE for end in (len(query), len(query) // 2, len(query) * 3 // 4)):
        found(typed)
        assert isinstance(says(CHINA, typed), bool)


# --- whatever the memories, whatever is typed, however the index came to be

TEXTS = st.lists(
    st.sampled_from(
        [
            "on",
            "8081",
            "tea",
            "teas",
            "Straße",
            "getUserName",
            "user_name",
            "绿茶",
            "绿",
            "茶杯",
            "，",
            "://",
            "-",
            "→",
            "é",
            "ＯＮ",
        ]
    ),
    max_size=4,
).map(" ".join)
MEMORIES = st.builds(
    make,
    TEXTS,
    TEXTS,
    type=st.sampled_from(["FACT", "PREF", "COMMIT"]),
    owner=st.sampled_from(["", "ana", "Ánna"]),
    tags=st.lists(st.sampled_from(["tea", "pinned", "Tee time", '"q"']), max_size=2).map(tuple),
    label=st.sampled_from(["", "insight"]),
    source=st.sampled_from(["", "chat on 8081"]),
    immutable=st.booleans(),
    evidence=st.sampled_from(["", "codex/on#1", "cc/tea#2, codex/x#3", "odd"]),
    created=st.sampled_from(["", "2026-10-12", "2025-01-31", "soon"]),
    state=st.sampled_from(["live", "live", "archived", "trashed"]),
)
_KEYED = st.sampled_from(
    (
        *(
            "type:f",
            "type:pref,c",
            "tag:t",
            "-tag:pinned",
            "owner:an",
            "label:i",
            "source:chat",
            "session:c",
            "session:on",
        ),
        *("id:2026", "before:2026", "after:2025", "-before:2026-10-13", "is:pinned", "-is:imm", "is:trash", "is:priv"),
        "is:archived,trash",
    )
)
_SAID = TEXTS.flatmap(lambda text: st.sampled_from([f'"{text}"', f'"{text}', f'-"{text}"', f"-{text}", text]))
QUERIES = st.lists(_KEYED | _SAID, max_size=4).map(" ".join) | TYPED


@given(st.lists(MEMORIES, max_size=6), st.data())
def test_property_all_rows_at_once_give_what_each_memory_gives(memories: list[Memory], data: st.DataObject) -> None:
    """Also while memories change, come and go, and while an earlier state is still asked."""
    states = [followed(*memories)]
    columns = [Columns(states[0])]
    for _ in range(data.draw(st.integers(0, 3))):
        held = list(states[-1].memories.values())
        put = data.draw(st.lists(MEMORIES, max_size=2))
        put += [replace(one, tags=("tea",)) for one in held[: data.draw(st.integers(0, 2))]]
        drop = tuple(one.id for one in held[-data.draw(st.integers(1, 2)) :]) if held else ()
        drop = tuple(id for id in drop if id not in {one.id for one in put})
        states.append(follow(states[-1], states[-1].memories.with_changes({one.id: one for one in put}, drop)))
        columns.append(Columns(states[-1], columns[-1]))
    for _ in range(3):
        text = data.draw(QUERIES)
        for one in data.draw(st.permutations(columns)):
            query, index = parse(text), one.followed.index
            rows = passing(one, query)
            assert len(rows) == len(index)
            standing = {row: one.followed.memory(row) for row in np.flatnonzero(index.alive).tolist()}
            assert {row for row, memory in standing.items() if passes(memory, query)} == set(
                np.flatnonzero(rows).tolist()
            )
