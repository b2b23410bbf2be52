"""Whatever stands in the files: the report comes, no line has two fates, nothing is changed."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.context.loaded.told import loss_json
from tests.pipeline.context.loaded.disk import Machine, put, tree

NAMES = st.sampled_from(
    ["MEMORY.md", "USER.md", "CLAUDE.md", "AGENTS.md", "a.md", "sub/B.md", ".claude/rules/r.md", "memory_summary.md"]
)
TEXTS = (
    *("- a line\n", "@a.md\n", "@sub/B.md ", "[x](a.md)", "[[b]]", "<!--", "-->", "```\n", "\0", "\r\n", "\n", "---\n"),
    *("§\n", "name: x\n", "never push\n", "- push\n", "\ufeff", "@../x.md\n", "v1\n"),
)
PIECES = st.sampled_from([b"\xff", *(text.encode() for text in TEXTS)])
FILES = st.dictionaries(NAMES, st.lists(PIECES, max_size=12).map(b"".join), max_size=6)


@settings(max_examples=max(20, settings().max_examples // 10))  # each writes a folder
@given(FILES)
def test_fuzz_every_line_has_one_fate_and_nothing_is_changed(machine: Machine, files: dict[str, bytes]) -> None:
    shutil.rmtree(machine.project)
    machine.project.mkdir()
    for name, data in files.items():
        put(machine.project / name, data)
    before = tree(machine.project)
    report = machine.report(machine.project)
    for loaded in report.layouts:
        spans: dict[Path, list[int]] = {}
        for piece in loaded.pieces:
            if piece.outcome != "duplicate" or loaded.name == "hermes":
                spans.setdefault(piece.file, []).extend(range(max(1, piece.first), piece.last + 1))
        for file, lines in spans.items():
            assert len(lines) == len(set(lines))
            assert set(lines) <= set(range(1, file.read_bytes().count(b"\n") + 2) if file.exists() else ())
    for loss in report.losses:
        assert loss.title and loss.todo
        assert all(line.text.strip() for line in loss.lines)
    loss_json(report)
    assert tree(machine.project) == before


LONG = 150_000
HOSTILE = {
    "brackets": "[" * LONG,
    "names": "[[" * LONG,
    "half a link": "[a](" * LONG,
    "imports": "@a" * LONG + " x",
    "missing imports": "@a.md " * LONG,
    "ticks": " ".join("`" * number for number in range(1, 500)),
    "heading": "# a" + " " * LONG + "b",
    "key": "---\na:" + " " * LONG + "b\n---",
    "comments": "<!--" * LONG,
    "one word": "- " + "a" * LONG,
    "paths": "- " + "a/" * LONG,
    "many brackets": ("- " + "[" * 900 + "\n") * 900,
    "many words": ("- " + "x." * 400 + "\n") * 900,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_line_holds_the_report_up(machine: Machine, text: str) -> None:
    put(machine.project / "CLAUDE.md", text)
    put(machine.memory / "MEMORY.md", f"- [A](a.md)\n{text}")
    put(machine.memory / "a.md", text)
    assert [one.name for one in machine.report(machine.project).layouts] == ["claude-memory", "claude-instructions"]
