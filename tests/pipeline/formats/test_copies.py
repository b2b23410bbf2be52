"""What a resumed session copied into a new file counts once."""

from __future__ import annotations

from pipeline.formats.copies import CHANGED, Seen, without_copies
from pipeline.formats.session import Author, Session, Turn


def session(name: str, started: int | None, *turns: tuple[str, str]) -> Session:
    listed = tuple(Turn(place, ref, Author.TYPED, text) for place, (ref, text) in enumerate(turns, 1))
    return Session("claude-code", name, f"{name}.jsonl", listed, started=started)


def flags(found: tuple[Session, ...]) -> list[list[bool]]:
    return [[turn.inherited for turn in one.turns] for one in found]


def test_a_copied_record_belongs_to_the_session_that_began_first() -> None:
    later, first = session("b", 200, ("u1", "x"), ("u2", "new")), session("a", 100, ("u1", "x"))
    found = without_copies([later, first])
    assert [one.id for one in found] == ["b", "a"]
    assert flags(found) == [[True, False], [False]]


def test_a_changed_copy_is_kept_and_told() -> None:
    found = without_copies([session("a", 100, ("u1", "x")), session("b", None, ("u1", "y"))])
    assert flags(found) == [[False], [False]]
    assert [[item.reason for item in one.damage] for one in found] == [[], [CHANGED]]


def test_records_without_an_id_of_their_own_are_left_alone() -> None:
    refs = ["line 1", "seq 4", "[0]"]
    one, other = (session(name, 1, *((ref, "x") for ref in refs)) for name in "ab")
    assert flags(without_copies([one, other])) == [[False] * 3] * 2


def test_both_versions_within_one_file_stay() -> None:
    found = without_copies([session("a", 1, ("u1", "x"), ("u1", "y"), ("u1", "x"))])
    assert flags(found) == [[False, False, False]]
    assert found[0].damage == ()


def test_a_record_told_again_is_the_same_or_changed() -> None:
    seen = Seen()
    assert [seen.tell("u1", text) for text in "xxyxy"] == ["new", "same", "changed", "same", "same"]
