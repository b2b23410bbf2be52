"""Names, numbers and places of files."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import BadInput
from store.vault.layout import (
    Numbers,
    archive_path,
    is_entry_path,
    made_at,
    new_path,
    stamp,
    state_of,
    trash_path,
    trashed_at,
    twin_groups,
    unused,
)

DAY = "2026-10-12"
STAMP = "2026-10-08T06-12-44-310Z"


def fact(day: str, number: int) -> str:
    return f"facts/{day[:4]}/{day[5:7]}/{day}-{number:04d}.md"


def test_a_first_memory_is_number_one() -> None:
    """Layered folders, four digits."""
    assert new_path("FACT", "", DAY, Numbers.of(())) == "facts/2026/10/2026-10-12-0001.md"
    assert new_path("COMMIT", "aria", DAY, Numbers.of(())) == "private/aria/commits/2026/10/2026-10-12-0001.md"


@pytest.mark.parametrize(
    "path",
    [
        "facts/2026-01-01-0041.md",
        "facts/distills/2026-01-01-0041.md",
        ".archive/facts/2026/01/2026-01-01-0041.md",
        f".trash/{STAMP}/facts/2026/01/2026-01-01-0041.md",
        f".trash/{STAMP}/.archive/facts/2026/01/2026-01-01-0041.md",
    ],
)
def test_a_number_used_anywhere_counts(path: str) -> None:
    """Live at any depth, archive and trash (bank-D06)."""
    assert new_path("FACT", "", DAY, Numbers.of([path])) == fact(DAY, 42)
    assert new_path("FACT", "", DAY, Numbers.of(()).with_path(path)) == fact(DAY, 42)


@pytest.mark.parametrize(
    "path",
    [
        "facts/notes.md",
        "facts/2026-01-01-041.md",
        "facts/2026-01-01-0041.txt",
        "facts/2026-01-01-0041.2.md",
        "README.md",
    ],
)
def test_other_names_take_no_part(path: str) -> None:
    """Only `YYYY-MM-DD-NNNN.md[.enc]` (`spec/bank.md` §4.3)."""
    numbers = Numbers.of([path])
    assert new_path("FACT", "", DAY, numbers) == fact(DAY, 1)
    assert numbers.with_path(path) is numbers


def test_encrypted_names_take_part() -> None:
    """The same sequence with and without `.enc`."""
    numbers = Numbers.of(["private/lan/bounds/2026/02/2026-02-02-0009.md.enc"])
    assert new_path("BOUND", "lan", DAY, numbers).endswith("-0010.md")


def test_past_9999_the_lowest_free_number_of_the_day_is_taken() -> None:
    """A name is never given twice, on any day (bank-D06)."""
    numbers = Numbers.of([fact("2026-01-01", 9999), fact(DAY, 1), fact(DAY, 3), fact(DAY, 10000)])
    given_names = []
    for _ in range(3):
        given_names.append(new_path("FACT", "", DAY, numbers))
        numbers = numbers.with_path(given_names[-1])
    assert given_names == [fact(DAY, 2), fact(DAY, 4), fact(DAY, 5)]


def test_a_day_without_a_free_name_says_so() -> None:
    """9,999 a day are enough; more is one sentence."""
    numbers = Numbers.of(fact(DAY, number) for number in range(1, 10_000))
    with pytest.raises(BadInput, match="tomorrow"):
        new_path("FACT", "", DAY, numbers)
    assert new_path("FACT", "", "2026-10-13", numbers) == fact("2026-10-13", 1)


@pytest.mark.parametrize("owner", ["", ".", "..", "a/b", "a\\b", "a\nb", "x" * 129, "\ud800"])
def test_an_owner_that_cannot_be_a_folder_is_refused(owner: str) -> None:
    """Text from outside is never a path (`spec/bank.md` §6.1)."""
    with pytest.raises(BadInput, match="owner"):
        new_path("PREF", owner, DAY, Numbers.of(()))


@pytest.mark.parametrize("day", ["2026-13-01", "20261012", "../../etc", "2026-10-12T00", ""])
def test_a_day_that_is_none_is_refused(day: str) -> None:
    """It would become part of a path."""
    with pytest.raises(BadInput, match="date"):
        new_path("FACT", "", day, Numbers.of(()))


def test_an_unknown_type_is_refused() -> None:
    """The sentence lists the four."""
    with pytest.raises(BadInput, match="FACT, PREF, BOUND, COMMIT"):
        new_path("NOTE", "aria", DAY, Numbers.of(()))


@given(st.lists(st.tuples(st.sampled_from(["2026-01-01", DAY]), st.integers(1, 10_050)), max_size=30))
def test_property_a_new_name_was_never_given(used: list[tuple[str, int]]) -> None:
    """Whatever exists, in bulk or one by one, the next name is new."""
    paths = [fact(day, number) for day, number in used]
    grown = Numbers.of(())
    for path in paths:
        grown = grown.with_path(path)
    for numbers in (Numbers.of(paths), grown):
        assert new_path("FACT", "", DAY, numbers) not in paths
    assert new_path("FACT", "", DAY, Numbers.of(paths)) == new_path("FACT", "", DAY, grown)


@pytest.mark.parametrize(
    ("path", "archived"),
    [
        ("facts/distills/2025-01-14-0001.md", ".archive/facts/2025-01-14-0001.md"),
        ("facts/a/b/2025/01/x.md", ".archive/facts/2025/01/x.md"),
        ("private/lan/prefs/x.md", ".archive/private/lan/prefs/x.md"),
        (f".trash/{STAMP}/private/lan/prefs/2025/01/x.md.enc", ".archive/private/lan/prefs/2025/01/x.md.enc"),
    ],
)
def test_archive_places(path: str, archived: str) -> None:
    """Type folder with the month of the source, if it has one (`spec/bank.md` §2.5)."""
    assert archive_path(path) == archived


@pytest.mark.parametrize(
    ("path", "origin", "state"),
    [
        ("facts/2026/10/x.md", "facts/2026/10/x.md", "live"),
        ("private/a/prefs/x.md.enc", "private/a/prefs/x.md", "live"),
        (".archive/facts/x.md", "facts/x.md", "archived"),
        (".archive/prefs/x.md", ".archive/prefs/x.md", "archived"),
        (f".trash/{STAMP}/private/a/prefs/x.md", "private/a/prefs/x.md", "trashed"),
        (f".trash/{STAMP}/.archive/facts/x.md", "facts/x.md", "trashed"),
    ],
)
def test_where_a_file_was_made(path: str, origin: str, state: str) -> None:
    """The id of a file whose ledger is lost (`decisions.md` §2.1)."""
    assert (made_at(path), state_of(path)) == (origin, state)


def test_trash_paths_carry_the_instant() -> None:
    """UTC with milliseconds, as `spec/bank.md` §14.1 writes it."""
    instant = datetime(2026, 10, 8, 8, 12, 44, 310_000, timezone(timedelta(hours=2)))
    assert stamp(instant) == STAMP
    path = trash_path("facts/x.md", stamp(instant))
    assert path == f".trash/{STAMP}/facts/x.md"
    assert trashed_at(path) == "2026-10-08T06:12:44.310Z"
    assert trashed_at(".trash/sometime/facts/x.md") == trashed_at("facts/x.md") == trashed_at(".trash/audit.md") == ""


def test_a_taken_archive_name_gets_a_number() -> None:
    """Nothing is ever overwritten (bank-D39)."""
    taken = {".archive/facts/x.md", ".archive/facts/x.2.md", ".archive/facts/y.md.enc"}
    assert unused(".archive/facts/x.md", taken.__contains__) == ".archive/facts/x.3.md"
    assert unused(".archive/facts/y.md.enc", taken.__contains__) == ".archive/facts/y.2.md.enc"
    assert unused(".archive/facts/z.md", taken.__contains__) == ".archive/facts/z.md"


@pytest.mark.parametrize(
    ("path", "entry"),
    [
        ("facts/x.md", True),
        ("facts/distills/x.md", True),
        ("facts/2026/10/x.md.enc", True),
        ("private/a/prefs/2026/10/x.md", True),
        ("private/a/profile.md", False),
        ("private/a/distills/x.md", False),
        ("private/a/prefs", False),
        ("facts/x.txt", False),
        ("facts/._x.md", False),
        ("facts/../x.md", False),
        ("/facts/x.md", False),
        (".archive/facts/x.md", False),
        ("README.md", False),
    ],
)
def test_entry_paths_of_the_live_tree(path: str, entry: bool) -> None:
    """`spec/bank.md` §2.3."""
    assert is_entry_path(path) is entry


def test_private_copies_share_an_identity_by_path_and_only_named_files_do() -> None:
    """The path's owner counts for private files; other names never collide (`spec/bank.md` §2.6)."""
    flat, deep = "private/a/prefs/2026-01-01-0001.md", "private/a/prefs/2026/01/2026-01-01-0001.md.enc"
    other = "private/b/prefs/2026-01-01-0001.md"
    owners = {flat: "x", deep: "y", other: "x", "facts/notes.md": "x", "facts/a/notes.md": "x"}
    assert twin_groups(owners) == [(deep, flat)]
