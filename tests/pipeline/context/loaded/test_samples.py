"""The samples of every layout: the packaged ones, and all of a folder named by MEMDESK_SAMPLES."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from pipeline.context.loaded.detect import Detected, detect
from pipeline.context.loaded.loss import loss_report
from pipeline.context.loaded.places import places
from tests.pipeline.context.loaded.disk import told, tree

DATA = Path(__file__).parents[3] / "data" / "layouts"
ROOTS = {"own": DATA} | ({"all": Path(os.environ["MEMDESK_SAMPLES"])} if os.environ.get("MEMDESK_SAMPLES") else {})
FOLDERS = ("claude-auto-memory", "codex-memories", "hermes", "instruction-files", "gemini-cli", "tricky")


@pytest.fixture(params=ROOTS.values(), ids=list(ROOTS))
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The samples in a folder of their own, so that no repository stands above them."""
    for name in FOLDERS:
        shutil.copytree(request.param / name, tmp_path / "samples" / name)
    return tmp_path / "samples"


def found(folder: Path, home: Path) -> Detected:
    return detect(folder, places(home, {}))


def test_claude_codes_memory_loads_its_index_and_has_one_dead_link(root: Path, tmp_path: Path) -> None:
    folder = root / "claude-auto-memory"
    (want,) = json.loads((folder / "expected.json").read_text("utf-8")).values()
    (loaded,) = found(folder, tmp_path).layouts
    assert loaded.name == "claude-memory"
    assert [piece.name for piece in loaded.pieces if piece.fate == "loaded"] == want["loaded_by_default"]
    assert len([piece for piece in loaded.pieces if piece.name != "MEMORY.md"]) == want["entries"]
    assert len([link for link in loaded.links if link.name == "MEMORY.md"]) == want["index_links"]
    assert [link.target for link in loaded.links if link.state == "missing"] == want["dangling_links"]
    assert [piece.name for piece in loaded.pieces if piece.outcome == "not_indexed"] == want["unindexed"]


def test_codexs_memories_load_the_summary_alone(root: Path, tmp_path: Path) -> None:
    folder = root / "codex-memories"
    want = json.loads((folder / "expected.json").read_text("utf-8"))["."]
    (loaded,) = found(folder, tmp_path).layouts
    assert loaded.name == "codex-memories"
    assert [piece.name for piece in loaded.pieces if piece.fate == "loaded"] == want["always_loaded"]
    made_from = [piece.name for piece in loaded.pieces if piece.reason == "what the memories are made from"]
    assert [name.partition("/")[0] for name in made_from] == [name.rstrip("/") for name in want["derived_only"]]
    assert loaded.losses == ()


def test_hermess_entries_are_counted_against_their_limits(root: Path, tmp_path: Path) -> None:
    (loaded,) = found(root / "hermes", tmp_path).layouts
    assert [(limit.of, limit.most, limit.unit) for limit in loaded.limits] == [
        ("MEMORY.md", 2200, "characters"),
        ("USER.md", 1375, "characters"),
    ]
    assert told(loaded) == [
        ("loaded", "MEMORY.md", "1"),
        ("loaded", "MEMORY.md", "3-4"),
        ("loaded", "MEMORY.md", "6"),
        ("loaded", "USER.md", "1"),
        ("loaded", "USER.md", "3"),
    ]
    assert loaded.losses == ()


def test_instruction_files_expand_imports_and_stop_at_a_circle(root: Path, tmp_path: Path) -> None:
    layouts = found(root / "instruction-files", tmp_path).layouts
    loaded = next(one for one in layouts if one.name == "agents-instructions")
    assert [(link.name, link.target, link.state) for link in loaded.links] == [
        ("AGENTS.md", "docs/style.md", "found"),
        ("docs/style.md", "../AGENTS.md", "circle"),
    ]
    assert told(loaded) == [
        ("loaded", "AGENTS.md", "1-4"),
        ("not loaded", "AGENTS.md", "5"),
        ("loaded", "AGENTS.md", "7-12"),
        ("loaded", "docs/style.md", "1-2"),
    ]
    assert loaded.pieces[1].outcome == "for_people"


def test_a_dangling_index_is_told_line_by_line(root: Path, tmp_path: Path) -> None:
    (loaded,) = found(root / "tricky" / "10-dangling-index", tmp_path).layouts
    assert [(link.line, link.target, link.state) for link in loaded.links] == [
        (3, "expo-router-limitations.md", "missing"),
        (4, "Style.md", "case"),
        (5, "../../../etc/passwd", "outside"),
        (6, "https://example.org/x", "external"),
    ]
    assert [loss.first for loss in loaded.losses] == [3, 4, 5]


def test_a_saved_fact_that_gemini_holds_twice_is_told(root: Path, tmp_path: Path) -> None:
    report = loss_report(root / "gemini-cli", home=tmp_path, environ={})
    (loss,) = report.of("repeated")
    assert [(line.line, line.text) for line in loss.lines] == [
        (6, "The user prefers line styles over colour in charts."),
        (7, "The user prefers line styles over colours in charts."),
    ]


def test_looking_changes_no_sample(root: Path, tmp_path: Path) -> None:
    before = tree(root)
    for name in FOLDERS:
        loss_report(root / name, home=tmp_path, environ={})
    assert tree(root) == before
