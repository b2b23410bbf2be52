"""Transcripts in the usual places are listed, not read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pipeline.formats.find import Found, about, find, places, search
from pipeline.formats.table import build, packaged

UUID = "019e3a10-5b7c-7d02-9c11-2f4e6a8b0c3d"


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


@pytest.mark.parametrize(
    ("path", "format", "name", "project"),
    [
        (".claude/projects/-home-x/s1.jsonl", "claude-code", "s1", "-home-x"),
        (".claude/projects/-home-x/s1/subagents/agent-a.jsonl", "claude-code", "s1:agent-a", "-home-x"),
        (".claude/history.jsonl", "claude-history", "history", ""),
        (f".codex/sessions/2026/05/18/rollout-2026-05-18T07-30-01-{UUID}.jsonl", "codex", UUID, ""),
        (f".codex/sessions/2026/05/18/rollout-2026-05-18T07-30-01-{UUID}.jsonl.zst", "codex", UUID, ""),
        (f".codex/archived_sessions/rollout-2026-05-18T07-30-01-{UUID}.jsonl", "codex", UUID, ""),
        (".codex/history.jsonl", "codex-history", "history", ""),
        (
            ".gemini/tmp/tide/chats/session-2026-05-20T10-00-5f0d2c9e.jsonl",
            "gemini-cli",
            "session-2026-05-20T10-00-5f0d2c9e",
            "tide",
        ),
        (".gemini/tmp/tide/chats/session-1.json", "gemini-cli", "session-1", "tide"),
        (".gemini/tmp/tide/chats/s1/a1.jsonl", "gemini-cli", "a1", "tide"),
        (".gemini/tmp/tide/checkpoint-x.json", "gemini-cli", "checkpoint-x", "tide"),
        (".gemini/tmp/tide/logs.json", "gemini-logs", "logs", "tide"),
        (".local/share/opencode/storage/session/3f/ses_1.json", "opencode", "ses_1", ""),
        (".local/share/opencode/opencode.db", "opencode", "opencode", ""),
        (".openclaw/agents/main/sessions/7f3e.jsonl", "openclaw", "7f3e", ""),
        (".hermes/sessions/session_20260601_080000_ab12cd.jsonl", "hermes", "20260601_080000_ab12cd", ""),
        (".hermes/profiles/work/state.db", "hermes", "state", ""),
        (".dsh/sessions/--home-x--/d1/session.jsonl.zstd", "dsh", "d1", "--home-x--"),
    ],
)
def test_every_tool_is_found_and_its_path_tells_the_session(
    tmp_path: Path, path: str, format: str, name: str, project: str
) -> None:
    file = make(tmp_path / path, 5)
    assert find(tmp_path, {}) == [Found(file, format, 3, 5_000)]
    told, folder = about(file, packaged().get(format))
    assert (told, folder.name if folder else "") == (name, project)


@pytest.mark.parametrize(
    "path",
    [
        ".codex/sessions/2026/05/18/notes.jsonl",
        ".codex/memories/raw_memories.md",
        ".gemini/tmp/tide/checkpoints/x.json",
        ".gemini/history/x/y.json",
        ".local/share/opencode/storage/message/ses_1/msg_1.json",
        ".local/share/opencode/storage/part/msg_1/prt_1.json",
        ".openclaw/workspace/memory/2026-06-03.md",
        ".hermes/memories/MEMORY.md",
    ],
)
def test_what_lies_beside_the_transcripts_is_left_alone(tmp_path: Path, path: str) -> None:
    make(tmp_path / path, 5)
    assert find(tmp_path, {}) == []


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("CLAUDE_CONFIG_DIR", "projects/p/s1.jsonl"),
        ("CODEX_HOME", f"sessions/2026/05/18/rollout-x-{UUID}.jsonl"),
        ("DSH_HOME", "--p--/d/session.jsonl"),
        ("GEMINI_CLI_HOME", ".gemini/tmp/p/chats/session-1.json"),
        ("XDG_DATA_HOME", "opencode/storage/session/p/ses_1.json"),
        ("OPENCLAW_STATE_DIR", "agents/main/sessions/s1.jsonl"),
        ("HERMES_HOME", "sessions/s1.jsonl"),
    ],
)
def test_other_roots_are_named_by_the_environment(tmp_path: Path, name: str, path: str) -> None:
    moved = make(tmp_path / "moved" / path, 1)
    assert [item.path for item in find(tmp_path, {name: str(tmp_path / "moved")})] == [moved]
    assert find(tmp_path, {name: str(tmp_path / "none")}) == []


def test_places_of_a_person_s_own_are_looked_into(tmp_path: Path) -> None:
    own = {"format": {"claude-code": {"places": [f"{tmp_path}/old/*/*.jsonl", "~/backup/*.jsonl"]}}}
    table = build(own, packaged())
    here = [make(tmp_path / "old" / "-home-x" / "s1.jsonl", 2), make(tmp_path / "home" / "backup" / "s2.jsonl", 1)]
    assert [item.path for item in find(tmp_path / "home", {}, table)] == here
    assert about(here[0], table.get("claude-code")) == ("s1", here[0].parent)


def test_a_file_that_two_patterns_fit_is_listed_once(tmp_path: Path) -> None:
    table = build({"format": {"claude-code": {"places": ["~/.claude/projects/*/*.jsonl"]}}}, packaged())
    make(tmp_path / ".claude" / "projects" / "p" / "s1.jsonl", 1)
    assert len(find(tmp_path, {}, table)) == 1


def test_without_any_tool_nothing_is_found(tmp_path: Path) -> None:
    assert find(tmp_path, {}) == []
    (tmp_path / ".claude").write_text("a file")
    assert find(tmp_path, {}) == []


def test_a_link_that_leads_back_or_nowhere_ends(tmp_path: Path) -> None:
    path = make(tmp_path / ".claude" / "projects" / "p" / "s1.jsonl", 1)
    (path.parent / "loop").symlink_to(path.parent)
    (path.parent / "gone.jsonl").symlink_to(tmp_path / "missing")
    assert [item.path for item in find(tmp_path, {})] == [path]


def test_a_database_counts_as_written_when_what_waits_beside_it_is(tmp_path: Path) -> None:
    store = tmp_path / ".local/share/opencode"
    make(store / "opencode.db", 5)
    make(store / "opencode.db-wal", 9)
    assert [(item.path.name, item.modified) for item in find(tmp_path, {})] == [("opencode.db", 9_000)]


def test_a_search_that_takes_too_long_says_so_and_keeps_what_it_has(tmp_path: Path) -> None:
    make(tmp_path / ".claude" / "projects" / "p" / "s1.jsonl", 1)
    assert search(tmp_path, {}, patience=-1).complete is False
    whole = search(tmp_path, {})
    assert (len(whole.found), whole.complete) == (1, True)


def test_thousands_of_files_are_listed_within_the_patience(tmp_path: Path) -> None:
    for project in range(20):
        folder = tmp_path / ".claude" / "projects" / f"-home-p{project}"
        folder.mkdir(parents=True)
        for number in range(150):
            (folder / f"{number}.jsonl").touch()
    whole = search(tmp_path, {})
    assert (len(whole.found), whole.complete) == (3_000, True)


def test_the_places_say_whose_they_are(tmp_path: Path) -> None:
    looked = places(tmp_path, {"CODEX_HOME": "/elsewhere"})
    assert ("Claude Code", tmp_path / ".claude" / "projects") in looked
    assert ("Codex CLI", Path("/elsewhere/sessions")) in looked
    assert {tool for tool, _ in looked} >= {"DSH", "Gemini CLI", "opencode", "OpenClaw", "Hermes"}
