"""Claude Code's auto memory: the beginning of the index is loaded, the rest of the folder only through it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.context.loaded.claude_memory import claude_memory, whole_lines
from pipeline.context.loaded.reading import Read
from tests.pipeline.context.loaded.disk import Machine, cited, of, piece, put, told


def test_an_index_of_200_lines_is_loaded_whole(machine: Machine) -> None:
    put(machine.memory / "MEMORY.md", "".join(f"- line {number}\n" for number in range(1, 201)))
    loaded = claude_memory(machine.memory, machine.places)
    assert told(loaded) == [("loaded", "MEMORY.md", "1-200")]
    assert loaded.losses == ()


def test_what_stands_below_line_200_is_cut_and_told_word_for_word(machine: Machine) -> None:
    put(machine.memory / "MEMORY.md", "".join(f"- line {number}\n" for number in range(1, 204)) + "\n\n")
    loaded = claude_memory(machine.memory, machine.places)
    assert told(loaded) == [("loaded", "MEMORY.md", "1-200"), ("cut", "MEMORY.md", "201-203")]
    assert (loaded.pieces[1].outcome, loaded.pieces[1].reason) == ("over_limit", "past the first 200 lines")
    (loss,) = loaded.losses
    assert loss.kind == "cut" and loss.place == "MEMORY.md:201-203"
    assert cited(loss) == [("MEMORY.md", number, f"- line {number}") for number in (201, 202, 203)]


def test_25_000_bytes_end_the_index_before_200_lines_do_and_the_cut_falls_between_lines(machine: Machine) -> None:
    line = "é" * 124 + "\n"  # 249 bytes
    put(machine.memory / "MEMORY.md", line * 102)
    loaded = claude_memory(machine.memory, machine.places)
    assert told(loaded) == [("loaded", "MEMORY.md", "1-100"), ("cut", "MEMORY.md", "101-102")]
    assert (loaded.pieces[0].size, loaded.pieces[1].size) == (24_900, 498)
    assert (loaded.pieces[1].outcome, loaded.pieces[1].reason) == ("budget", "past the first 25,000 bytes")


def test_exactly_25_000_bytes_are_loaded(machine: Machine) -> None:
    put(machine.memory / "MEMORY.md", "a" * 24_990 + "\n" + "b" * 9 + "\n")
    assert told(claude_memory(machine.memory, machine.places)) == [("loaded", "MEMORY.md", "1-2")]
    put(machine.memory / "MEMORY.md", "a" * 24_990 + "\n" + "b" * 10 + "\n")
    assert told(claude_memory(machine.memory, machine.places))[1] == ("cut", "MEMORY.md", "2")


def test_a_first_line_longer_than_the_limit_is_cut_in_its_middle(machine: Machine) -> None:
    put(machine.memory / "MEMORY.md", "x" * 30_000 + "\n- second\n")
    loaded = claude_memory(machine.memory, machine.places)
    assert [(one.fate, one.lines, one.size) for one in loaded.pieces] == [
        ("loaded", "1", 25_000),
        ("cut", "1-2", 5_010),
    ]
    assert loaded.pieces[0].reason == "cut in the middle of the line"


@given(st.lists(st.integers(0, 400), max_size=300))
def test_property_the_loaded_lines_are_the_most_that_fit(widths: list[int]) -> None:
    raw = tuple(b"x" * width for width in widths)
    last = max((number for number, width in enumerate(widths, 1) if width), default=0)
    loaded = whole_lines(Read(Path("MEMORY.md"), raw, len(raw), sum(widths) + len(widths)))
    assert len(b"\n".join(raw[:loaded])) <= 25_000
    assert loaded <= 200
    if loaded < min(last, 200):
        assert len(b"\n".join(raw[: loaded + 1])) > 25_000


def test_files_are_told_by_whether_the_index_leads_to_them(machine: Machine) -> None:
    put(machine.memory / "MEMORY.md", "- [A](a.md) - one\n- [B](sub/b.md)\n" + "\n" * 200 + "- [C](c.md)\n")
    for name in ("a.md", "sub/b.md", "c.md", "d.md"):
        put(machine.memory / name, f"what {name} says\n")
    loaded = claude_memory(machine.memory, machine.places)
    assert [(one.name, one.outcome) for one in loaded.pieces[2:]] == [
        ("a.md", "on_demand"),
        ("c.md", "not_indexed"),
        ("d.md", "not_indexed"),
        ("sub/b.md", "on_demand"),
    ]
    assert piece(loaded, "c.md").reason == "only line 203 of MEMORY.md points to it, and that is cut"
    unread = [loss for loss in loaded.losses if loss.kind == "unread"]
    assert [(loss.place, loss.title) for loss in unread] == [
        ("d.md", "no line of MEMORY.md points to it"),
        ("MEMORY.md:203", "1 memory file is pointed to only by lines that are cut"),
    ]


def test_a_file_that_only_another_memory_points_to_is_told_as_such(machine: Machine) -> None:
    put(machine.memory / "MEMORY.md", "- [A](a.md)\n")
    put(machine.memory / "a.md", "see [[b]] and [[a]]\n")
    put(machine.memory / "b.md", "---\nname: b\n---\n\nwhat b says\n")
    (loss,) = claude_memory(machine.memory, machine.places).losses
    assert (loss.place, loss.title) == ("b.md", "no line of MEMORY.md points to it; a.md does")
    assert cited(loss) == [("b.md", 5, "what b says")]


def test_a_link_in_code_or_a_comment_is_none_and_an_anchor_leads_to_its_file(machine: Machine) -> None:
    put(
        machine.memory / "MEMORY.md",
        "`[x](no.md)`\n<!-- [y](no.md) -->\n```\n[z](no.md)\n```\n- [A](<a file.md#part>)\n",
    )
    put(machine.memory / "a file.md", "text\n")
    loaded = claude_memory(machine.memory, machine.places)
    assert [(link.target, link.state) for link in loaded.links] == [("a file.md#part", "found")]


def test_names_in_double_brackets_are_found_by_the_front_matter_or_the_file(machine: Machine) -> None:
    put(machine.memory / "MEMORY.md", "- [A](a_b.md), [[other thing]], [[A-B]], [[gone]]\n")
    put(machine.memory / "a_b.md", "---\nname: Other_Thing\ndescription: a: b\n---\ntext\n")
    loaded = claude_memory(machine.memory, machine.places)
    assert [(link.target, link.state) for link in loaded.links] == [
        ("a_b.md", "found"),
        ("other thing", "found"),
        ("A-B", "found"),
        ("gone", "missing"),
    ]


@pytest.mark.parametrize("target", ["../secret.md", "/etc/passwd", "~/x.md", "sub/../../secret.md"])
def test_a_link_out_of_the_folder_is_never_followed(machine: Machine, target: str) -> None:
    put(machine.memory.parent / "secret.md", "secret words of another folder\n")
    put(machine.memory / "MEMORY.md", f"- [S]({target})\n")
    loaded = claude_memory(machine.memory, machine.places)
    assert [(link.target, link.state) for link in loaded.links] == [(target, "outside")]
    assert "secret words" not in repr(loaded)


def test_a_symbolic_link_out_of_the_folder_is_never_followed(machine: Machine) -> None:
    secret = put(machine.memory.parent / "secret.md", "secret words of another folder\n")
    put(machine.memory / "MEMORY.md", "- [S](s.md)\n- [T](dir/secret.md)\n")
    (machine.memory / "s.md").symlink_to(secret)
    (machine.memory / "dir").symlink_to(machine.memory.parent)
    loaded = claude_memory(machine.memory, machine.places)
    assert [link.state for link in loaded.links] == ["outside", "outside"]
    assert piece(loaded, "s.md").outcome == "unlooked"
    assert "secret words" not in repr(loaded)


def test_what_is_no_utf_8_is_told_with_its_lines(machine: Machine) -> None:
    put(machine.memory / "MEMORY.md", "- [A](a.md)\n- [B](b.md)\n")
    put(machine.memory / "a.md", b"good\ncaf\xe9\n")
    put(machine.memory / "b.md", "wide".encode("utf-16"))
    report = machine.report(machine.memory)
    assert of(report, "unread") == [
        ("a.md:2", "a line holds bytes that are no UTF-8"),
        ("b.md", "it is UTF-16 or no text at all, and agents read UTF-8"),
    ]


def test_a_file_that_nobody_may_read_is_told(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    put(machine.memory / "MEMORY.md", "- [A](a.md)\n")
    closed = put(machine.memory / "a.md", "text\n").resolve()
    opened = Path.open

    def refuse(path: Path, *rest: Any) -> Any:
        if path == closed:
            raise PermissionError(13, "Permission denied")
        return opened(path, *rest)

    monkeypatch.setattr(Path, "open", refuse)
    assert of(machine.report(machine.memory), "unread") == [("a.md", "nobody may read it")]


def test_without_an_index_nothing_is_loaded(machine: Machine) -> None:
    put(machine.memory / "a.md", "text\n")
    report = machine.report(machine.memory.parent)
    assert told(report.layouts[0])[0] == ("not loaded", "MEMORY.md", "")
    assert of(report, "unread") == [("MEMORY.md", "there is no MEMORY.md: 1 file is never found")]
