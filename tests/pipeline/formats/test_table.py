"""The table of formats is data that a person can extend, and what is wrong in their file is told with its line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pipeline.formats.envelopes import own_file as own_envelopes
from pipeline.formats.find import find
from pipeline.formats.read import own_problems, read
from pipeline.formats.readers import reader_of
from pipeline.formats.session import Author
from pipeline.formats.table import load, load_own, own_file, packaged
from store.errors import BadInput
from tests.pipeline.formats.writing import authors, dump, texts, user, words

OWN = """
# the log of an agent of mine
[format.harbour]
what = "a log of the harbour agent"
tool = "Harbour agent"
places = ["~/harbour/*.log"]

[format.harbour.fields]
role = "who"
person = ["me"]
model = ["bot"]
text = "message.body"
time = "at"
id = "n"
session = "talk"
project = "dir"
commands = ["!"]

[[told]]
format = "harbour"
has = ["who", "talk"]

[format.codex]
places = ["~/old-laptop/codex/*.jsonl"]
"""
LINES = [
    {
        "who": "me",
        "talk": "t1",
        "n": 1,
        "at": 1777629600,
        "dir": "/home/x/quay",
        "message": {"body": "Boats leave at 7."},
    },
    {"who": "bot", "talk": "t1", "n": 2, "message": {"body": "Noted."}},
    {"who": "me", "talk": "t2", "n": 3, "message": {"body": [{"type": "text", "text": "The quay is closed."}]}},
    {"who": "cron", "talk": "t1", "n": 4, "message": {"body": "Boats leave at 9."}},
    {"who": "me", "talk": "t1", "n": 5, "message": {"body": "<memories>Boats leave at 8.</memories> Ropes are blue."}},
    {"who": "me", "talk": "t1", "n": 6, "message": {"body": "!reload"}},
]


@pytest.fixture
def own(own_folders: Path) -> Path:
    path = own_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(OWN, "utf-8")
    return path


def test_every_packaged_format_has_a_reader_for_its_shapes() -> None:
    for format in packaged().by_name.values():
        reader = reader_of(format)
        by_shape = {"lines": reader.lines, "document": reader.document, "path": reader.path}
        assert all(by_shape[shape] is not None for shape in format.shapes), format.name


def test_a_format_of_a_person_s_own_is_found_told_and_read(own: Path, own_folders: Path) -> None:
    path = own_folders / "harbour" / "june.log"
    path.parent.mkdir()
    path.write_bytes(dump(LINES))
    formats, problems = load_own()
    assert problems == ()
    assert [(item.path, item.format) for item in find(own_folders, {}, formats)] == [(path, "harbour")]
    first, second = read(path)
    assert (first.key, first.project, second.key) == ("harbour/t1", "/home/x/quay", "harbour/t2")
    assert words(first) == [("1", "Boats leave at 7."), ("5", "Ropes are blue.")]
    assert texts(second) == ["The quay is closed."]
    assert authors(first)[1:] == [
        ("model", "Noted."),
        ("injected", "Boats leave at 9."),
        ("injected", "Boats leave at 8."),
        ("typed", "Ropes are blue."),
        ("command", "!reload"),
    ]
    assert (first.turns[0].at, first.turns[1].at) == (1_777_629_600_000, None)


def test_places_are_added_to_a_format_that_is_known(own: Path, own_folders: Path) -> None:
    path = own_folders / "old-laptop" / "codex" / "x.jsonl"
    path.parent.mkdir(parents=True)
    path.touch()
    assert [item.format for item in find(own_folders, {}, load(own))] == ["codex"]
    assert load(own).get("codex").reader == "codex"


def test_the_rules_of_a_person_come_first(own: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(dump([LINES[0] | {"role": "user", "content": "x"}]))
    assert read(path)[0].format == "harbour"
    assert read(path, formats=packaged())[0].format == "openai"


def test_envelopes_of_a_person_s_own_are_taken_off_wherever_a_file_is_read(own_folders: Path, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_bytes(dump([user("<my-notes>not mine</my-notes> mine")]))
    assert texts(read(path)[0]) == ["<my-notes>not mine</my-notes> mine"]
    own_envelopes().parent.mkdir(parents=True, exist_ok=True)
    own_envelopes().write_text('[[envelope]]\ntag = "my-notes"\n', "utf-8")
    assert texts(read(path)[0]) == ["mine"]


def test_without_the_person_s_envelopes_nothing_is_read(own_folders: Path, tmp_path: Path) -> None:
    """What a tool wrote must not count as the person's because of a slip in a table."""
    path = tmp_path / "s1.jsonl"
    path.write_bytes(dump([user("x")]))
    own_envelopes().parent.mkdir(parents=True, exist_ok=True)
    own_envelopes().write_text('[[envelope]]\ntag = "a"\n\n[[envelope]]\ntagg = "my-notes"\n', "utf-8")
    with pytest.raises(BadInput, match=r"envelopes\.toml line 5: tagg is not known here"):
        read(path)
    (problem,) = own_problems()
    assert "Until then no transcript is read." in problem.message


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("[format.x", 1, "is not valid TOML"),
        ("\n\nx = 1", 3, "x is not known here"),
        ("format = 1", 1, "format is a table"),
        ('told = "x"', 1, "write each rule as"),
        ('[format.x]\nwhat = "x"', 1, "a new format needs [format.x.fields]"),
        ('[format."X Y"]\nwhat = "x"', 1, "cannot be a format's name"),
        ('[format.x]\nreader = "os"', 2, "reader is not known here"),
        ("[format.x]\nwhat = 3", 2, "what is a text in quotes"),
        ('[format.x]\nshapes = ["path"]\n[format.x.fields]\ntext = "t"', 2, "shapes are"),
        ('[format.x.fields]\nrole = "r"', 1, "text is missing"),
        ('[format.x.fields]\ntext = "t"\nperson = [1]', 3, "person is a text in quotes"),
        ('[format.x.fields]\ntext = "t"\nuser = "x"', 3, "user is not known here"),
        ('[format.codex]\nwhat = "mine"', 2, "what is not known here; there are places"),
        ('[format.codex]\nplaces = ["logs/*.jsonl"]', 2, "begin it with ~/ or /"),
        ('[format.codex]\nplaces = ["~/../*.jsonl"]', 2, "is no place"),
        ("[format.codex]\nplaces = 1", 2, "places is a list"),
        (
            '[[format.codex.places]]\nfiles = ["*"]\n\n[[format.codex.places]]\nhome = "x"',
            4,
            "files is a list of patterns",
        ),
        ('[[format.codex.places]]\nfiles = ["*"]\nid = "("', 3, "id is no regular expression"),
        ('[[format.codex.places]]\nfiles = ["/etc/*"]', 2, "files is a list of patterns"),
        ('[[told]]\nformat = "codex"\nhas = ["a"]\n\n[[told]]\nformat = "y"\nhas = ["a"]', 6, "'y' is no format"),
        ('[[told]]\nformat = "codex"', 1, "a rule needs has, any or where"),
        ('[[told]]\nformat = "codex"\nin = "page"', 3, "in is one of line, list"),
    ],
)
def test_a_fault_in_the_table_is_named_with_its_line_and_the_rest_works_on(
    own: Path, text: str, line: int, why: str
) -> None:
    own.write_text(text, "utf-8")
    with pytest.raises(BadInput) as caught:
        load(own)
    sentence = str(caught.value)
    assert sentence.startswith(f"{own} line {line}") and why in sentence and "\n" not in sentence
    formats, (problem,) = load_own()
    assert formats is packaged()
    assert problem.message == f"{sentence} Until then only the built-in formats are known."
    assert [one.message for one in own_problems()] == [problem.message]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"\n\xff", "line 2 is not UTF-8 text"),
        (b"#" * (2 << 20), "is over 1 MiB"),
        (b"x = " + b"[" * 9_000, "nested too deeply"),
    ],
)
def test_a_table_that_is_none_is_one_sentence(own: Path, data: bytes, why: str) -> None:
    own.write_bytes(data)
    with pytest.raises(BadInput, match=why):
        load(own)


def test_prompts_that_a_tool_remembers_are_read_by_session(tmp_path: Path) -> None:
    claude = tmp_path / "history.jsonl"
    quay = {"pastedContents": {}, "timestamp": 1777629600000, "project": "/home/x/quay"}
    lines = [
        {"display": "Ferries leave at 9.", **quay, "sessionId": "s1"},
        {"display": "/model opus", **quay, "sessionId": "s1"},
        {"display": "An old one.", **quay},
    ]
    claude.write_bytes(dump(lines))
    first, loose = read(claude)
    assert (first.key, first.project, authors(first)) == (
        "claude-history/s1",
        "/home/x/quay",
        [("typed", "Ferries leave at 9."), ("command", "/model opus")],
    )
    assert (loose.id, texts(loose)) == ("history:/home/x/quay", ["An old one."])
    codex = tmp_path / "codex.jsonl"
    codex.write_bytes(dump([{"session_id": "c1", "ts": 1777629600, "text": "Use snappy."}]))
    assert [(one.key, one.turns[0].at, words(one)) for one in read(codex)] == [
        ("codex-history/c1", 1_777_629_600_000, [("line 1", "Use snappy.")])
    ]
    gemini = tmp_path / "logs.json"
    entries = [
        {"sessionId": "g1", "messageId": n, "type": kind, "message": text, "timestamp": "2026-05-20T10:00:05Z"}
        for n, (kind, text) in enumerate([("user", "Use dashes."), ("user", "?"), ("info", "Cancelled.")])
    ]
    gemini.write_text(json.dumps(entries, indent=1), "utf-8")
    (logged,) = read(gemini)
    assert (logged.key, words(logged)) == ("gemini-logs/g1", [("[0]", "Use dashes.")])
    assert [turn.author for turn in logged.turns] == [Author.TYPED, Author.COMMAND, Author.INJECTED]


def test_a_document_of_a_person_s_own_may_hold_its_messages_under_a_key(own: Path, tmp_path: Path) -> None:
    own.write_text(
        '[format.x]\nshapes = ["document", "lines"]\n[format.x.fields]\nrole = "by"\ntext = "said"\n'
        'messages = "turns"\nsession = "name"\nid = "id"\n[[told]]\nformat = "x"\nin = "object"\nhas = ["turns"]\n',
        "utf-8",
    )
    said = [
        {"by": "user", "said": "one", "id": 7},
        {"by": "model", "said": "two"},
        "torn",
        {"by": "user", "said": "one", "id": 7},
    ]
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"name": "talk", "turns": said}), "utf-8")
    (found,) = read(path)
    assert (found.key, words(found), len(found.damage)) == ("x/talk", [("7", "one")], 1)
    lines = tmp_path / "b.jsonl"
    lines.write_bytes(dump([{"name": "a", "turns": said[:2]}, {"turns": said[:1]}]))
    assert [(one.id, texts(one)) for one in read(lines, format="x")] == [("a", ["one"]), ("b:line 2", ["one"])]


def test_the_examples_of_the_readme_work(own: Path, own_folders: Path, tmp_path: Path) -> None:
    readme = (Path(__file__).parents[3] / "README.md").read_text("utf-8")
    formats, envelopes = (part.partition("```")[0] for part in readme.split("```toml\n")[1:])
    own.write_text(formats, "utf-8")
    own_envelopes().write_text(envelopes, "utf-8")
    path = own_folders / "harbour" / "logs" / "a.jsonl"
    path.parent.mkdir(parents=True)
    lines = [{"who": "me", "message": {"body": f"{extra} mine"}} for extra in ("<my-notes>not</my-notes>", "")]
    path.write_bytes(dump([*lines, {"who": "bot", "message": {"body": "yours"}}]))
    table, problems = load_own()
    assert problems == () and own_problems() == ()
    assert [(item.path, item.format) for item in find(own_folders, {}, table)] == [(path, "harbour")]
    assert texts(read(path)[0]) == ["mine", "mine"]


def test_a_log_that_names_no_session_is_told_apart_by_where_it_lies_and_one_that_does_by_its_name(
    own: Path, tmp_path: Path
) -> None:
    """Otherwise two folders' `chat.jsonl` would be one session; a name in the records says more than a folder."""
    nameless = {"who": "me", "message": {"body": "Boats leave at 7."}}
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "chat.jsonl").write_bytes(dump([nameless, LINES[0]]))
    found = [read(tmp_path / folder / "chat.jsonl", format="harbour") for folder in ("a", "b")]
    assert [[one.id for one in sessions] for sessions in found] == [["chat", "t1"], ["chat", "t1"]]
    (loose, named), (other, same) = found
    assert named.key == same.key == "harbour/t1"
    assert loose.key.startswith("harbour/chat@") and other.key.startswith("harbour/chat@") and loose.key != other.key
    assert read(tmp_path / "b" / ".." / "a" / "chat.jsonl", format="harbour")[0].key == loose.key
