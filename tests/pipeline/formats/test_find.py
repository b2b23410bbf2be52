"""Transcripts in the usual places are listed, not read."""

from __future__ import annotations

import os
from pathlib import Path

from pipeline.formats.read import Found, find


def make(path: Path, at: int, size: int = 3) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x" * size)
    os.utime(path, (at, at))
    return path


def test_transcripts_are_listed_newest_first(tmp_path: Path) -> None:
    claude, harness = tmp_path / ".claude" / "projects" / "-home-x", tmp_path / ".dsh" / "sessions" / "--home-x--"
    main = make(claude / "s1.jsonl", 100)
    agent = make(claude / "s1" / "subagents" / "agent-1.jsonl", 300, 7)
    packed = make(harness / "d1" / "session.jsonl.zstd", 200)
    bare = make(tmp_path / ".dsh" / "_no-cwd" / "d2" / "session.jsonl", 50)
    make(claude / "memory" / "MEMORY.md", 900)
    make(claude / "s1" / "tool-results" / "big.jsonl", 900)
    make(harness / "d1" / "other.jsonl", 900)
    assert find(tmp_path, {}) == [
        Found(agent, "claude-code", 7, 300_000),
        Found(packed, "dsh", 3, 200_000),
        Found(main, "claude-code", 3, 100_000),
        Found(bare, "dsh", 3, 50_000),
    ]


def test_other_roots_are_named_by_the_environment(tmp_path: Path) -> None:
    path = make(tmp_path / "cc" / "projects" / "p" / "s1.jsonl", 1)
    found = find(tmp_path, {"CLAUDE_CONFIG_DIR": str(tmp_path / "cc"), "DSH_HOME": str(tmp_path / "none")})
    assert [item.path for item in found] == [path]


def test_without_any_tool_nothing_is_found(tmp_path: Path) -> None:
    assert find(tmp_path, {}) == []
    (tmp_path / ".claude").write_text("a file")
    assert find(tmp_path, {}) == []


def test_a_link_that_leads_back_or_nowhere_ends(tmp_path: Path) -> None:
    path = make(tmp_path / ".claude" / "projects" / "p" / "s1.jsonl", 1)
    (path.parent / "loop").symlink_to(path.parent)
    (path.parent / "gone.jsonl").symlink_to(tmp_path / "missing")
    assert [item.path for item in find(tmp_path, {})] == [path]
