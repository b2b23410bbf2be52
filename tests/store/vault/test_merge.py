"""Two edits of one entry: joined when they touch different things, else named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.vault.entry import edit, parse
from store.vault.merge import Clash, hunks, merge

BASE = (
    b"---\ntype: FACT\nsubject: host\nstatement: one two\n# note\ncreated: 2026-01-01\nupdated: 2026-01-01\n"
    b"access_count: 3\n---\none\ntwo\nthree\n"
)


def swap(*pairs: tuple[bytes, bytes], data: bytes = BASE) -> bytes:
    for old, new in pairs:
        assert old in data
        data = data.replace(old, new)
    return data


def test_different_keys_are_joined() -> None:
    """Even on neighbouring lines."""
    ours, theirs = swap((b"subject: host", b"subject: server")), swap((b"statement: one two", b"statement: 1 2"))
    assert merge(BASE, ours, theirs) == swap((b"host", b"server"), (b"one two", b"1 2"))


def test_new_and_removed_keys_are_joined() -> None:
    """Ours are put in their place in the file that the other program left."""
    ours = edit(BASE, {"weight": 2, "subject": None})
    theirs = edit(BASE, {"label": "insight"})
    joined = merge(BASE, ours, theirs)
    assert joined == edit(edit(BASE, {"weight": 2, "label": "insight"}), {"subject": None})


def test_one_key_changed_twice_clashes_and_is_named() -> None:
    """Unless both say the same."""
    ours, theirs = swap((b"host", b"mine")), swap((b"host", b"yours"))
    clash = merge(BASE, ours, theirs)
    assert clash == Clash(keys=("subject",))
    assert clash.message == "Both edits changed the subject; choose one of the two texts."
    assert merge(BASE, ours, swap((b"host", b"mine"), (b"three", b"3"))) == swap((b"host", b"mine"), (b"three", b"3"))


def test_a_removed_key_against_a_changed_one_clashes() -> None:
    """Nothing is dropped silently."""
    assert merge(BASE, edit(BASE, {"subject": None}), swap((b"host", b"x"))) == Clash(keys=("subject",))


def test_dates_and_counters_hold_both_edits() -> None:
    """The later date, and the sum of the raises."""
    ours = swap((b"updated: 2026-01-01", b"updated: 2026-03-01"), (b"access_count: 3", b"access_count: 5"))
    theirs = swap((b"updated: 2026-01-01", b"updated: 2026-02-01"), (b"access_count: 3", b"access_count: 4"))
    joined = swap((b"updated: 2026-01-01", b"updated: 2026-03-01"), (b"access_count: 3", b"access_count: 6"))
    assert merge(BASE, ours, theirs) == joined


def test_other_lines_of_the_body_are_joined() -> None:
    """Also with lines added at the end by the other program."""
    ours = swap((b"\none\n", b"\nONE\n"))
    theirs = BASE + b"four\n"
    assert merge(BASE, ours, theirs) == swap((b"\none\n", b"\nONE\n")) + b"four\n"
    assert merge(BASE, theirs, ours) == swap((b"\none\n", b"\nONE\n")) + b"four\n"


def test_the_same_line_of_the_body_clashes_and_is_named() -> None:
    """1-based lines of the text that both started from."""
    clash = merge(BASE, swap((b"two\nthree", b"2\n3")), swap((b"two\nthree", b"II\nthree")))
    assert clash == Clash(lines=((2, 3),))
    assert clash.message == "Both edits changed lines 2 to 3; choose one of the two texts."


def test_two_different_additions_at_one_place_clash() -> None:
    """Their order would be a guess; equal ones are one."""
    clash = merge(BASE, BASE + b"mine\n", BASE + b"yours\n")
    assert isinstance(clash, Clash)
    assert clash.lines == ((4, 3),)
    assert clash.message == "Both edits changed the text before line 4; choose one of the two texts."
    both = merge(BASE, BASE + b"same\n", swap((b"host", b"x")) + b"same\n")
    assert both == swap((b"host", b"x")) + b"same\n"


def test_statement_and_body_may_come_from_two_sides() -> None:
    """Key and text are different places."""
    assert merge(BASE, swap((b"one two", b"new")), swap((b"three", b"3"))) == swap(
        (b"one two", b"new"), (b"three", b"3")
    )


def test_comments_changed_on_both_sides_clash() -> None:
    """A line without a key has no name to join by."""
    ours, theirs = swap((b"# note", b"# mine")), swap((b"host", b"x"))
    assert merge(BASE, ours, theirs) == Clash(loose=True)
    assert merge(BASE, theirs, ours) == swap((b"# note", b"# mine"), (b"host", b"x"))
    assert merge(BASE, ours, swap((b"three", b"3"))) == swap((b"# note", b"# mine"), (b"three", b"3"))


def test_line_ends_are_those_of_the_other_program() -> None:
    """A file that became a Windows one in between is no conflict."""
    theirs = swap((b"host", b"x")).replace(b"\n", b"\r\n")
    joined = merge(BASE, swap((b"three", b"3"), (b"statement: one two", b"statement: s")), theirs)
    expected = swap((b"host", b"x"), (b"three", b"3"), (b"statement: one two", b"statement: s"))
    assert joined == expected.replace(b"\n", b"\r\n")


def test_front_matter_that_only_one_side_gave_is_kept() -> None:
    """The other side's words go below it."""
    ours = edit(b"a\nb\n", {"subject": "s"}, updated="2026-01-01")
    joined = merge(b"a\nb\n", ours, b"a\nb\nc\n")
    assert joined == ours + b"c\n"
    assert merge(b"a\nb\n", b"a\nb\nc\n", ours) == ours + b"c\n"


def test_front_matter_that_one_side_lost_clashes_with_a_change_of_it() -> None:
    """The keys in question are named."""
    clash = merge(BASE, swap((b"host", b"x")), b"one\ntwo\nthree\n")
    assert isinstance(clash, Clash)
    assert "subject" in clash.keys


def test_binary_rubbish_clashes_as_a_whole() -> None:
    """Never joined, never an error."""
    assert merge(BASE, swap((b"host", b"x")), b"\0\0") == Clash(lines=((1, 12),))


def test_a_huge_rewrite_is_compared_as_one_piece() -> None:
    """No quadratic wait; the answer is still right."""
    old = [f"old {n}" for n in range(5000)]
    new = [f"new {n}" for n in range(5000)]
    assert hunks(["x", *old, "y"], ["x", *new, "y"]) == [(1, 5001, tuple(new))]


LINES = st.lists(st.sampled_from(["a", "b", "c", "", "---"]), max_size=6).map("\n".join)
TEXTS = st.builds(
    lambda subject, tags, body: f"---\ntype: FACT\nsubject: {subject}\ntags: {tags}\n---\n{body}\n".encode(),
    st.sampled_from(["s", "t", "u"]),
    st.sampled_from(["[]", "[a]", "[b]"]),
    LINES,
)


@given(TEXTS, TEXTS)
def test_property_one_sided_edits_win(base: bytes, other: bytes) -> None:
    """Whoever changed something gets it, and the same change twice is one."""
    assert merge(base, other, base) == other
    assert merge(base, base, other) == other
    assert merge(base, other, other) == other


@given(TEXTS, TEXTS, TEXTS)
def test_property_a_merge_is_the_same_from_both_sides(base: bytes, ours: bytes, theirs: bytes) -> None:
    """Either both ways clash, or both give one text, in which each value is somebody's."""
    one, other = merge(base, ours, theirs), merge(base, theirs, ours)
    assert isinstance(one, Clash) == isinstance(other, Clash)
    if isinstance(one, Clash):
        return
    assert one == other
    texts = [parse(data, id="x", path="x") for data in (base, ours, theirs, one)]
    assert texts[3].subject in {text.subject for text in texts[:3]}
    assert texts[3].tags in {text.tags for text in texts[:3]}


@given(LINES, LINES)
def test_property_hunks_turn_one_text_into_the_other(old: str, new: str) -> None:
    """Applied from the end, they give exactly the new lines."""
    lines, wanted = old.split("\n"), new.split("\n")
    for hunk in reversed(hunks(lines, wanted)):
        lines[hunk.start : hunk.end] = hunk.lines
    assert lines == wanted


@pytest.mark.parametrize("field", ["subject", "statement", "tags"])
def test_our_edit_survives_four_hundred_lines_of_another_program(field: str) -> None:
    """The stress of `storage.md` §6 in small: every line of theirs and our field are there."""
    theirs = BASE + b"".join(b"line %d\n" % n for n in range(400))
    value = ("x",) if field == "tags" else "other"
    joined = merge(BASE, edit(BASE, {field: value}), theirs)
    assert isinstance(joined, bytes)
    assert getattr(parse(joined, id="x", path="x"), field) == value
    assert joined.count(b"\nline ") == 400
