"""Reading and making entries: tolerant in, exact out."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest

from store.errors import BadInput
from store.memory import Memory
from store.vault.entry import parse, render

SAMPLE = Path(__file__).parents[2] / "data" / "yotta-vault" / "vault"
NEW = {"type": "FACT", "subject": "tea", "statement": "green", "created": "2026-10-12"}


def read(data: bytes | str, path: str = "facts/x.md") -> Memory:
    return parse(data.encode() if isinstance(data, str) else data, id=path, path=path)


def front(*lines: str, body: str = "body\n") -> str:
    return "\n".join(["---", *lines, "---", body])


def lines_of(**fields: Any) -> list[str]:
    return render({**NEW, **fields}).decode().splitlines()


def test_the_worked_vault_reads_to_its_values() -> None:
    """The file with every field of `spec/bank.md` §24."""
    path = "facts/2026/09/2026-09-03-0002.md"
    data = (SAMPLE / path).read_bytes()
    assert parse(data, id=path, path=path, ordinal=3) == Memory(
        id=path,
        path=path,
        sha=hashlib.sha256(data).hexdigest(),
        type="FACT",
        subject="备份",
        statement="每周演练",
        body="每周演练",
        scope="public",
        owner="lan",
        tags=(),
        confidence=1.0,
        created="2026-09-03",
        updated="2026-10-06",
        source="对话",
        weight=1.2,
        access_count=3,
        last_accessed="2026-10-11",
        feedback_net=1,
        hit_days="s2026-10-11:1|u2026-10-06:1|s2026-09-18:2",
        hit_queries="q70e372ab:2|q9fcfba97:1",
        ordinal=3,
    )


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("facts/2026/10/2026-10-11-0003.md", {"tags": ("pinned",), "subject": "deploy window"}),
        ("private/aria/prefs/2026-09-01-0001.md", {"tags": ("自我档案",), "weight": 1.0, "owner": "aria"}),
        ("private/aria/bounds/2026/09/2026-09-05-0001.md", {"immutable": True, "weight": 2.0, "type": "BOUND"}),
        ("private/lan/prefs/2026/10/2026-10-02-0001.md", {"statement": "回答先给结论", "scope": "private"}),
        (".archive/facts/2025/01/2025-01-14-0001.md", {"weight": 0.512, "feedback_net": -3, "confidence": 0.85}),
    ],
)
def test_other_files_of_the_worked_vault(path: str, expected: dict[str, Any]) -> None:
    """Tags, weights, counters and owners as published."""
    memory = parse((SAMPLE / path).read_bytes(), id=path, path=path)
    assert {name: getattr(memory, name) for name in expected} == expected


@pytest.mark.parametrize(
    "text",
    [
        "just text\n",
        "---\n---\nbody\n",
        "---\ntype: BOUND\nnever closed\n",
        "----\ntype: BOUND\n---\n",
        "--- x\ntype: BOUND\n---\n",
        "\n---\ntype: BOUND\n---\n",
        "",
    ],
)
def test_a_text_without_front_matter_is_a_fact_without_statement(text: str) -> None:
    """The whole file is its body (`decisions.md` §10.6)."""
    memory = read(text)
    assert (memory.type, memory.subject, memory.statement, memory.scope) == ("FACT", "", "", "public")
    assert memory.has_front_matter is False
    assert memory.body == text.strip("\n")


def test_a_byte_order_mark_and_windows_line_ends_are_read() -> None:
    """Both are tolerated; the values carry neither."""
    memory = read(b"\xef\xbb\xbf---\r\ntype: PREF\r\nstatement: a b\r\n---\r\n\r\na\r\nb\r\n")
    assert (memory.type, memory.statement, memory.body) == ("PREF", "a b", "a\nb")
    assert memory.display == "a\nb"


def test_broken_utf8_is_read_with_marks() -> None:
    """A byte that is no text shows as the replacement character; the rest is there."""
    assert read(b"---\nstatement: caf\xe9 noir\n---\nx\n").statement == "caf\ufffd noir"


@pytest.mark.parametrize("data", [b"\0" * 64, b"---\ntype: FACT\n---\nx\0y", "---\ntype: FACT\n---\n".encode("utf-16")])
def test_a_file_with_zero_bytes_cannot_be_read(data: bytes) -> None:
    """It is no text: one sentence says what to do."""
    with pytest.raises(BadInput, match=r"zero bytes.*restore it from a backup"):
        read(data)


def test_front_matter_ends_at_64_kib_and_a_body_does_not() -> None:
    """A longer front matter is refused, at the byte; a body of any length is kept whole."""
    fits = front("x: " + "a" * (64 * 1024 - 4), body="b" * 300_000)
    assert len(read(fits).body) == 300_000
    with pytest.raises(BadInput, match="64 KiB"):
        read(front("x: " + "a" * (64 * 1024 - 3)))
    with pytest.raises(BadInput, match="64 KiB"):
        read(front("x: " + "备" * 22_000))


def test_below_private_the_path_owner_and_private_scope_apply() -> None:
    """A file cannot make itself readable by everyone (bank-D15), with or without front matter."""
    text = front("type: PREF", "scope: public", "owner: mallory")
    for path in ("private/aria/prefs/x.md", ".archive/private/aria/prefs/x.md", ".trash/s/private/aria/prefs/x.md"):
        assert (read(text, path).owner, read(text, path).scope) == ("aria", "private")
        assert (read("plain", path).owner, read("plain", path).scope) == ("aria", "private")


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("confidence: 0.85", "confidence", 0.85),
        ("confidence: 0", "confidence", 0.0),
        ("confidence: high", "confidence", None),
        ("confidence:", "confidence", 1.0),
        ("confidence: 1e999", "confidence", None),
        ("weight: 0", "weight", 1.0),
        ("weight: -2", "weight", 1.0),
        ("weight: 1.2x", "weight", 1.2),
        ("access_count: 7 times", "access_count", 7),
        ("access_count: many", "access_count", 0),
        ("access_count: " + "9" * 5000, "access_count", 2**53 - 1),
        ("feedback_net: -3", "feedback_net", -3),
        ("immutable: True", "immutable", False),
        ("immutable: true", "immutable", True),
        ("type: bound", "type", "BOUND"),
        ("scope: secret", "scope", "private"),
        ("statement: 'a' and 'b'", "statement", "a' and 'b"),
        ('statement: "', "statement", '"'),
        ("statement: a: b: c", "statement", "a: b: c"),
        ("label: insight", "label", "insight"),
        ("project: tide", "project", "tide"),
        ("evidence: dsh/s1#4", "evidence", "dsh/s1#4"),
        ("name: tide-notes", "extra", (("name", "tide-notes"),)),
    ],
)
def test_typed_reads(line: str, name: str, value: object) -> None:
    """Each field as `spec/bank.md` §3.3 reads it."""
    assert getattr(read(front(line)), name) == value


@pytest.mark.parametrize(
    ("kind", "scope"), [("FACT", "public"), ("PREF", "private"), ("COMMIT", "private"), ("note", "public")]
)
def test_scope_comes_from_the_type_when_missing(kind: str, scope: str) -> None:
    """`spec/bank.md` §5."""
    assert read(front(f"type: {kind}")).scope == scope


def test_backslashes_of_an_older_engine_are_healed_in_subject_and_source() -> None:
    """Any run of them directly before a double quote (`spec/bank.md` §25.4)."""
    memory = read(front(r"subject: the \\\"red\" one", r"source: \"chat\"", r"label: \"x"))
    assert (memory.subject, memory.source, memory.label) == ('the "red" one', '"chat"', '\\"x')


def test_a_statement_is_healed_only_when_the_body_says_so() -> None:
    """Without that proof the backslashes may be the person's own."""
    line = r"statement: say \\\"hi\\\" now"
    assert read(front(line, body='say\n"hi" now\n')).statement == 'say "hi" now'
    assert read(front(line, body="something else\n")).statement == r"say \\\"hi\\\" now"


@pytest.mark.parametrize(
    ("value", "tags"),
    [
        ("[a, b]", ("a", "b")),
        ('["a", "b"]', ("a", "b")),
        (r"[\"pinned\"]", ("pinned",)),
        (r"[\\\"a, b\\\", \\\"c\\\"]", ("a, b", "c")),
        ('["a, b"]', ("a, b",)),
        ("['x', y]", ("x", "y")),
        ("solo", ("solo",)),
        ("a, b", ("a", "b")),
        ("[1, 2]", ("1", "2")),
        ('["a", 2]', ("a", "2")),
        ("", ()),
        ("[]", ()),
        ("[" * 50_000 + '"', None),
    ],
)
def test_tags_are_read_in_every_form(value: str, tags: tuple[str, ...] | None) -> None:
    """Bare, JSON, and JSON polluted by rewrites (`spec/bank.md` §25.3); a bomb of brackets is just a tag."""
    found = read(front(f"tags: {value}")).tags
    assert len(found) == 1 if tags is None else found == tags


def test_a_new_entry_quotes_only_where_reading_would_strip() -> None:
    """Quotes inside stand raw; a value in equal quotes gets one more pair (`spec/bank.md` §25.2)."""
    assert 'statement: say "hi" now' in lines_of(statement='say "hi" now')
    assert "statement: ''quoted''" in lines_of(statement="'quoted'")
    assert 'subject: """' in lines_of(subject='"')


def test_a_new_entry_flattens_the_statement_and_keeps_the_text_as_body() -> None:
    """Newlines become single spaces in the line; the body has them, and ends in one newline."""
    assert render({**NEW, "statement": "\none\r\n\r\ntwo\n\n"}).decode().endswith("---\none\n\ntwo\n")
    assert "statement: one two" in lines_of(statement="\none\r\n\r\ntwo\n\n")
    assert render({**NEW, "body": "said otherwise"}).decode().endswith("---\nsaid otherwise\n")


def test_tags_are_bare_unless_one_needs_quotes() -> None:
    """`[a, b]`, else JSON (`spec/bank.md` §25.3)."""
    assert "tags: [a, 测试]" in lines_of(tags=("a", " 测试 ", ""))
    assert 'tags: ["a, b", "测试"]' in lines_of(tags=("a, b", "测试"))


def test_numbers_are_printed_minimally() -> None:
    """`spec/bank.md` §3.2."""
    found = lines_of(confidence=0.95, weight=2.0, access_count=3)
    assert {"confidence: 0.95", "weight: 2", "access_count: 3"} <= set(found)


def test_fields_of_none_and_empty_ones_are_left_out() -> None:
    """A self profile has no weight; an unknown owner has no line (`spec/bank.md` §3.6)."""
    found = lines_of(weight=None, owner="", source=None)
    assert not any(line.startswith(("weight", "owner", "source")) for line in found)


def test_our_own_keys_follow_the_known_ones_and_others_come_last() -> None:
    """Label, project, evidence, then further keys in their order."""
    found = lines_of(evidence="dsh/s#1", label="insight", extra=(("zeta", "1"), ("name", "n")), team="core")
    assert found[-7:] == ["label: insight", "evidence: dsh/s#1", "zeta: 1", "name: n", "team: core", "---", "green"]


def test_text_that_a_file_cannot_hold_is_marked() -> None:
    """Zero characters and lone surrogates become U+FFFD, so that the file stays readable."""
    assert read(render({**NEW, "statement": "a\0b\ud83dc"})).statement == "a\ufffdb\ufffdc"


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"type": "NOTE"}, "type"),
        ({"statement": " \n "}, "statement"),
        ({"subject": ""}, "subject"),
        ({"created": None}, "created"),
        ({"scope": "secret"}, "scope"),
        ({"confidence": 1.5}, "confidence"),
        ({"weight": float("nan")}, "weight"),
        ({"weight": 0}, "weight"),
        ({"access_count": "many"}, "access_count"),
        ({"sha": "0"}, "sha"),
        ({"extra": (("a: b", "c"),)}, "key"),
        ({"extra": (("---", "c"),)}, "key"),
        ({"statement": "x" * 70_000}, "64 KiB"),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_sentence(fields: dict[str, Any], word: str) -> None:
    """The sentence names the field."""
    with pytest.raises(BadInput, match=word):
        render({**NEW, **fields})
