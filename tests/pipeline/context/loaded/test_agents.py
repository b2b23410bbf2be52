"""Hermes's capped files, Codex's memories, and what Gemini CLI wants to remember."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pipeline.context.loaded.codex import codex_memories
from pipeline.context.loaded.hermes import hermes, split_entries
from pipeline.context.loaded.reading import Read
from tests.pipeline.context.loaded.disk import Machine, cited, put, told

ENTRY = st.text("ab é東\t-@", min_size=1, max_size=6).map(str.strip).filter(bool)


def test_hermess_entries_past_the_limit_are_told_word_for_word(machine: Machine) -> None:
    entries = ["a" * 1000, "b" * 1193, "c\nsecond line", "d"]
    put(machine.home / ".hermes" / "memories" / "MEMORY.md", "\n§\n".join(entries) + "\n")
    loaded = hermes(machine.home / ".hermes" / "memories")
    assert [(one.fate, one.lines, one.size) for one in loaded.pieces] == [
        ("loaded", "1", 1000),
        ("loaded", "3", 1193),
        ("cut", "5-6", 13),
        ("cut", "8", 1),
    ]
    (loss,) = loaded.losses
    assert (loss.kind, loss.place) == ("cut", "MEMORY.md:5-8")
    assert loss.title == "2 entries stand past the limit: 2,216 of 2,200 characters"
    assert cited(loss) == [("MEMORY.md", 5, "c"), ("MEMORY.md", 6, "second line"), ("MEMORY.md", 8, "d")]


def test_a_file_that_is_exactly_full_takes_nothing_more(machine: Machine) -> None:
    folder = machine.home / ".hermes" / "memories"
    put(folder / "USER.md", "é" * 1375)
    loaded = hermes(folder)
    assert told(loaded) == [("loaded", "USER.md", "1")]
    assert [(loss.kind, loss.title) for loss in loaded.losses] == [
        ("cut", "USER.md is full: 1,375 of 1,375 characters")
    ]
    put(folder / "USER.md", "é" * 1374)
    assert hermes(folder).losses == ()


def test_hermess_own_configuration_sets_the_limits(machine: Machine) -> None:
    put(machine.home / ".hermes" / "config.yaml", "memory:\n  memory_char_limit: 5\n  user_char_limit: 4000 # roomy\n")
    put(machine.home / ".hermes" / "memories" / "MEMORY.md", "abcdef")
    loaded = hermes(machine.home / ".hermes" / "memories")
    assert [limit.most for limit in loaded.limits] == [5, 4000]
    assert told(loaded) == [("cut", "MEMORY.md", "1")]


def test_an_entry_that_stands_there_twice_counts_as_a_duplicate(machine: Machine) -> None:
    put(machine.home / ".hermes" / "memories" / "MEMORY.md", "likes tea\n§\nother\n§\nlikes tea\n")
    loaded = hermes(machine.home / ".hermes" / "memories")
    assert [(one.outcome, one.lines) for one in loaded.pieces] == [("always", "1"), ("always", "3"), ("duplicate", "5")]
    assert loaded.pieces[2].reason == "the same as the entry in line 1"


def test_writes_that_wait_for_a_person_are_told(machine: Machine) -> None:
    put(machine.home / ".hermes" / "memories" / "MEMORY.md", "x\n")
    put(machine.home / ".hermes" / "pending" / "memory" / "1.json", "{}")
    (loss,) = hermes(machine.home / ".hermes" / "memories").losses
    assert (loss.kind, loss.title) == ("unread", "1 staged entry waits for a decision")


@given(st.lists(ENTRY, min_size=1, max_size=5))
def test_property_hermess_entries_come_back_with_their_lengths(texts: list[str]) -> None:
    raw = tuple("\n§\n".join(texts).encode().split(b"\n"))
    found = list(split_entries(Read(Path("MEMORY.md"), raw, len(raw))))
    assert [entry.text for entry in found] == texts
    assert [entry.first for entry in found] == [1 + 2 * at for at in range(len(texts))]
    assert found[-1].end == len("\n§\n".join(texts))


def test_codex_knows_its_summary_by_the_first_line(machine: Machine) -> None:
    folder = machine.home / ".codex" / "memories"
    put(folder / "memory_summary.md", "v1\n\n## User preferences\n- Parquet over CSV.\n")
    assert codex_memories(folder).losses == ()
    put(folder / "memory_summary.md", "v1 \n- Parquet over CSV.\n")
    (loss,) = codex_memories(folder).losses
    assert (loss.kind, loss.place) == ("unread", "memory_summary.md:1")
    assert loss.title == "the first line is not exactly v1, by which Codex knows its summary"


def test_without_its_summary_codex_loads_nothing_and_a_lost_rollout_is_a_dead_link(machine: Machine) -> None:
    folder = machine.home / ".codex" / "memories"
    put(folder / "MEMORY.md", "# Task Group: x\n### rollout_summary_files\n- rollout_summaries/a.md (cwd=/x)\n")
    put(folder / "raw_memories.md", "# Raw\n")
    put(folder / "skills" / "deploy" / "SKILL.md", "# Deploy\n")
    loaded = codex_memories(folder)
    assert [(one.name, one.fate) for one in loaded.pieces] == [
        ("memory_summary.md", "not loaded"),
        ("MEMORY.md", "not loaded"),
        ("raw_memories.md", "not loaded"),
        ("skills/deploy/SKILL.md", "not loaded"),
    ]
    assert [(loss.kind, loss.place, loss.title) for loss in loaded.losses] == [
        ("link", "MEMORY.md:3", "rollout_summaries/a.md: the summary of that session is gone"),
        ("unread", "memory_summary.md", "there is no memory_summary.md: nothing is loaded at start"),
    ]


def test_what_gemini_wants_to_remember_waits_and_is_not_applied(machine: Machine) -> None:
    folder = machine.home / ".gemini"
    patch = "--- /dev/null\n+++ MEMORY.md\n@@ -0,0 +1,2 @@\n+# Project\n+- Charts without colour.\n"
    put(folder / "tmp" / "abc" / "memory" / ".inbox" / "private" / "x.patch", patch)
    put(folder / "tmp" / "abc" / "memory" / "MEMORY.md", "- text\n")
    (loaded,) = machine.report(folder).layouts
    assert [(one.name, one.fate, one.reason) for one in loaded.pieces] == [
        ("tmp/abc/memory/MEMORY.md", "not loaded", "loaded in its own project"),
        ("tmp/abc/memory/.inbox/private/x.patch", "not loaded", "waits for your decision in Gemini CLI"),
    ]
    (loss,) = loaded.losses
    assert [(line, text) for _, line, text in cited(loss)] == [(4, "+# Project"), (5, "+- Charts without colour.")]
