"""Properties of the entry codec over generated files, fields and bytes."""

from __future__ import annotations

import difflib
from typing import Any

from hypothesis import assume, example, given
from hypothesis import strategies as st

from store.errors import BadInput
from store.memory import Memory
from store.vault.entry import edit, parse, render
from store.vault.front import decode, split
from store.vault.scalars import flatten, heal, read_tags, tags_text

WORDS = st.text(max_size=40)
AWKWARD = st.text(alphabet="ab \"'\\:-[],\n\r#\ufeff备\u2028\x85\x1c", max_size=20)
TEXT = (WORDS | AWKWARD).filter(lambda text: flatten(text) != "")
TAGS = st.lists(AWKWARD.map(flatten).filter(bool), max_size=4).map(tuple)
KEYS = st.from_regex(r"[a-z][a-z_ ]{0,8}[a-z]", fullmatch=True).filter(lambda key: key not in Memory.__slots__)
FIELDS = st.fixed_dictionaries(
    {
        "type": st.sampled_from(["FACT", "PREF", "BOUND", "COMMIT"]),
        "subject": TEXT,
        "statement": TEXT,
        "created": st.dates().map(str),
        "scope": st.sampled_from(["public", "private"]),
        "tags": TAGS,
        "confidence": st.floats(0, 1),
        "weight": st.floats(0, 1e9, exclude_min=True),
        "immutable": st.booleans(),
        "access_count": st.integers(0, 2**53 - 1),
        "feedback_net": st.integers(-1000, 1000),
        "source": AWKWARD,
        "owner": AWKWARD,
        "label": AWKWARD,
        "evidence": AWKWARD,
    }
)
ENTRY_BYTES = st.lists(
    st.sampled_from(
        [b"---", b"\n", b"\r\n", b": ", b"type", b"tags", b"[", b'"', b"\\", b"\xef\xbb\xbf", b"\xff", b"body", b" "]
    )
    | st.binary(max_size=4),
    max_size=40,
).map(b"".join)


def read(data: bytes) -> Memory:
    return parse(data, id="facts/x.md", path="facts/x.md")


def expected(name: str, value: Any) -> Any:
    """What a field reads as after it was written: one line of text that a file can hold."""
    if not isinstance(value, str):
        return value
    return heal(flatten(value)) if name in {"subject", "source"} else flatten(value)


@given(FIELDS)
def test_property_a_rendered_entry_reads_as_its_fields(fields: dict[str, Any]) -> None:
    """parse(render(x)) == x, for every field."""
    memory = read(render(fields))
    assert {name: getattr(memory, name) for name in fields} == {n: expected(n, v) for n, v in fields.items()}
    assert memory.updated == fields["created"]
    assert memory.body.split() == expected("statement", fields["statement"]).split()


@given(FIELDS, KEYS, AWKWARD)
def test_property_unknown_keys_survive(fields: dict[str, Any], key: str, value: str) -> None:
    """A key that we do not know reads as it was written."""
    memory = read(render({**fields, "extra": ((key, value),)}))
    assert memory.extra == (((key, flatten(value)),) if flatten(value) else ())


@given(FIELDS)
def test_property_writing_back_what_was_read_changes_no_byte(fields: dict[str, Any]) -> None:
    """Read, then write every value that was read: the same bytes."""
    data = render(fields)
    memory = read(data)
    same = {name: getattr(memory, name) for name in (*fields, "body", "updated", "extra")}
    assert edit(data, same, updated="2030-01-01") == data


@given(ENTRY_BYTES)
@example(b"---\n---x\n---\n")
@example(b"---\r\n\r\n---")
@example(b"\xef\xbb\xbf")
def test_property_pieces_join_to_the_same_bytes(data: bytes) -> None:
    """Whatever a file holds, reading and writing it without a change is the identity."""
    assume(b"\0" not in data)
    text = decode(data, "surrogateescape")
    assert split(text).text.encode("utf-8", "surrogateescape") == data
    assert edit(data, {}, updated="2030-01-01") == data


@given(st.binary(max_size=300) | ENTRY_BYTES)
def test_fuzz_any_bytes_are_read_or_refused(data: bytes) -> None:
    """Nothing but `BadInput`, and that for zero bytes only; what is read can be told to a journal as UTF-8."""
    try:
        memory = read(data)
    except BadInput:
        assert b"\0" in data
        return
    for text in (memory.subject, memory.statement, memory.body, memory.owner, *memory.tags):
        text.encode("utf-8")


@given(ENTRY_BYTES, st.sampled_from(["subject", "source", "label", "created", "team"]), TEXT)
def test_fuzz_an_edit_of_any_file_is_exact_or_refused(data: bytes, key: str, value: str) -> None:
    """The edited file reads as asked and says everything else as before."""
    assume(b"\0" not in data)
    before = read(data)
    try:
        after = read(edit(data, {key: value}))
    except BadInput:
        return
    found = dict(after.extra).get(key) if key == "team" else getattr(after, key)
    assert found == expected(key, value)
    if before.has_front_matter:
        assert (after.body, after.statement, after.tags) == (before.body, before.statement, before.tags)


@given(FIELDS, st.sampled_from(["subject", "source", "owner", "label"]), TEXT)
def test_property_one_key_changes_one_line(fields: dict[str, Any], key: str, value: str) -> None:
    """At most one line goes and at most one comes."""
    data = render(fields)
    before, after = data.split(b"\n"), edit(data, {key: value}).split(b"\n")
    codes = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    assert sum(max(b - a, d - c) for tag, a, b, c, d in codes if tag != "equal") <= 1


@given(TAGS)
def test_property_tags_come_back(tags: tuple[str, ...]) -> None:
    """Bare or JSON, whichever was needed."""
    assert read_tags(tags_text(tags)) == tags
