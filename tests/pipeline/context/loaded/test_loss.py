"""The loss report: which layouts are where, what is about to go, the report as a whole, and its bounds."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pipeline.context.loaded import reading
from pipeline.context.loaded.claude_memory import claude_memory
from pipeline.context.loaded.loss import loads, summary
from pipeline.context.loaded.reading import Room
from pipeline.context.loaded.told import loss_json
from store.errors import BadInput
from tests.pipeline.context.loaded.disk import Machine, of, put, tree

# --- which layouts are there


def test_a_project_has_its_instructions_and_its_own_memory(machine: Machine) -> None:
    put(machine.project / "CLAUDE.md", "- rule\n")
    put(machine.memory / "MEMORY.md", "- [A](a.md)\n")
    put(machine.memory / "a.md", "text\n")
    report = machine.report(machine.project)
    assert [(one.name, one.folder, one.project) for one in report.layouts] == [
        ("claude-memory", machine.memory, machine.project),
        ("claude-instructions", machine.project, machine.project),
    ]


def test_a_linked_worktree_has_the_memory_of_its_main_checkout(machine: Machine) -> None:
    worktree = machine.home / "tidepool-fix"
    put(worktree / ".git", f"gitdir: {machine.project}/.git/worktrees/fix\n")
    put(machine.memory / "MEMORY.md", "text\n")
    assert [one.folder for one in machine.report(worktree).layouts] == [machine.memory]


def test_claude_codes_home_has_every_projects_memory_and_the_persons_instructions(machine: Machine) -> None:
    put(machine.home / ".claude" / "CLAUDE.md", "- mine\n")
    for name in ("-a", "-b"):
        put(machine.home / ".claude" / "projects" / name / "memory" / "MEMORY.md", "text\n")
    found = machine.report(machine.home / ".claude").layouts
    assert [one.name for one in found] == ["claude-memory", "claude-memory", "claude-instructions"]
    assert [one.project for one in found] == [*(found[at].folder.parent for at in (0, 1)), None]


@pytest.mark.parametrize(
    ("folder", "names"),
    [
        (".claude/projects", ["claude-memory"]),
        (".codex", ["codex-memories", "agents-instructions"]),
        (".codex/memories", ["codex-memories"]),
        (".hermes", ["hermes"]),
        (".hermes/memories", ["hermes"]),
        (".gemini", ["gemini-instructions"]),
        ("work/.openclaw", []),
        ("notes", []),
        ("elsewhere", ["hermes"]),
    ],
)
def test_a_folder_is_told_by_what_stands_in_it(machine: Machine, folder: str, names: list[str]) -> None:
    home = machine.home
    put(home / ".claude" / "projects" / "-a" / "memory" / "MEMORY.md", "text\n")
    put(home / ".codex" / "memories" / "memory_summary.md", "v1\n")
    put(home / ".codex" / "AGENTS.md", "- mine\n")
    put(home / ".hermes" / "memories" / "MEMORY.md", "one\n")
    put(home / ".gemini" / "GEMINI.md", "- mine\n")
    put(home / ".gemini" / "tmp" / "abc" / "chats" / "s.json", "{}")
    put(home / "work" / ".openclaw" / "MEMORY.md", "- tomatoes\n")
    put(home / "work" / ".openclaw" / "memory" / "2026-06-03.md", "- day\n")
    put(home / "notes" / "a.md", "- note\n")
    put(home / "elsewhere" / "MEMORY.md", "one\n§\ntwo\n")
    assert [one.name for one in machine.report(home / folder).layouts] == names
    assert loads(home / folder, home, {}) is bool(names)


def test_without_a_path_the_usual_places_and_the_working_folder_are_looked_at(machine: Machine) -> None:
    put(machine.memory / "MEMORY.md", "text\n")
    put(machine.home / ".codex" / "memories" / "memory_summary.md", "v1\n")
    put(machine.home / ".hermes" / "memories" / "USER.md", "one\n")
    put(machine.home / ".gemini" / "GEMINI.md", "- mine\n")
    put(machine.project / "AGENTS.md", "- rule\n")
    report = machine.report(here=machine.project)
    assert report.folder is None
    assert [one.name for one in report.layouts] == [
        *("claude-memory", "codex-memories", "hermes"),
        *("gemini-instructions", "agents-instructions"),
    ]


def test_a_folder_that_is_not_there_is_refused(machine: Machine) -> None:
    with pytest.raises(BadInput, match="is not there; name a folder that an agent loads"):
        machine.report(machine.home / "gone")


def test_a_folder_that_may_not_be_looked_into_is_no_folder_without_losses(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(machine.project / "CLAUDE.md", "- rule\n")
    scandir = os.scandir

    def refuse(path: Path) -> Any:
        if path == machine.project:
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(BadInput, match="cannot be looked into: nobody may read it"):
        machine.report(machine.project)


@pytest.mark.parametrize("name", ["closed", "closed/CLAUDE.md", "closed/deeper"])
def test_whoever_asks_about_a_folder_that_nobody_may_read_is_told_so_and_not_that_it_is_not_there(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    closed = put(machine.home / "closed" / "CLAUDE.md", "- rule\n").parent
    shut(closed, monkeypatch)
    with pytest.raises(BadInput, match=f"{name} cannot be looked into: nobody may read it; change that"):
        machine.report(machine.home / name)


def test_a_memory_that_nobody_may_read_is_told_beside_what_could_be_looked_at(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(machine.home / ".claude" / "CLAUDE.md", "- rule\n")
    put(machine.memory / "MEMORY.md", "text\n")
    put(machine.home / ".codex" / "memories" / "MEMORY.md", "text\n")
    shut(machine.memory, monkeypatch)
    shut(machine.home / ".codex", monkeypatch)
    told = "cannot be looked into: nobody may read it; change that to see what is lost there."
    assert machine.report().notes == (f"{machine.memory} {told}", f"{machine.home / '.codex'} {told}")


def test_a_pipe_is_no_folder(machine: Machine) -> None:
    os.mkfifo(machine.home / "pipe")
    with pytest.raises(BadInput, match="cannot be looked into: it is no folder"):
        machine.report(machine.home / "pipe")


def shut(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on nobody may look into this folder, whoever runs the test."""
    scandir, stat = os.scandir, os.stat

    def lists(path: Any) -> Any:
        refuse(path, at=True)
        return scandir(path)

    def looks(path: Any, **rest: Any) -> Any:
        refuse(path, at=False)
        return stat(path, **rest)

    def refuse(path: Any, *, at: bool) -> None:
        if isinstance(path, str | Path) and (folder in Path(path).parents or (at and Path(path) == folder)):
            raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", lists)
    monkeypatch.setattr(os, "stat", looks)


def test_a_file_stands_for_its_folder(machine: Machine) -> None:
    put(machine.memory / "MEMORY.md", "text\n")
    assert machine.report(machine.memory / "MEMORY.md").folder == machine.memory


def test_a_memory_folder_that_is_a_link_is_named_and_not_followed(machine: Machine) -> None:
    put(machine.home / "elsewhere" / "MEMORY.md", "secret words\n")
    machine.memory.parent.mkdir(parents=True)
    machine.memory.symlink_to(machine.home / "elsewhere")
    report = machine.report(machine.home / ".claude")
    assert report.layouts == ()
    assert report.notes == (f"{machine.memory} is a link to another folder; name that one to look at it.",)


def test_the_persons_settings_may_move_the_memory(machine: Machine) -> None:
    put(machine.home / ".claude" / "settings.json", '{"autoMemoryDirectory": "~/mine"}')
    put(machine.home / "mine" / "MEMORY.md", "text\n")
    put(machine.home / ".codex" / "memories" / "memory_summary.md", "v1\n")
    assert [one.folder for one in machine.report(machine.project).layouts] == [machine.home / "mine"]
    assert [one.name for one in machine.report(machine.home / ".codex").layouts] == ["codex-memories"]


# --- transcripts


def test_transcripts_about_to_be_deleted_are_told_with_their_day(machine: Machine) -> None:
    put(machine.project / "CLAUDE.md", "- rule\n")
    machine.transcript("overdue", "2026-10-20T12:00:00+00:00")
    machine.transcript("soon", "2026-11-02T12:00:00+00:00")
    machine.transcript("young", "2026-11-20T12:00:00+00:00")
    losses = machine.report(machine.project).of("expiring")
    assert [(Path(loss.name).name, loss.title, loss.day, loss.age) for loss in losses] == [
        ("overdue.jsonl", "goes when Claude Code starts next; written last 41 days ago", "2026-11-19", 41),
        ("soon.jsonl", "goes on 2026-12-02, in 2 days; written last 28 days ago", "2026-12-02", 28),
    ]


def test_the_persons_settings_say_when_transcripts_go(machine: Machine) -> None:
    machine.transcript("old", "2026-10-20T12:00:00+00:00")
    for value, number in ((90, 0), (45, 1), (0, 1), ("soon", 1), (True, 1)):
        put(machine.home / ".claude" / "settings.json", json.dumps({"cleanupPeriodDays": value}))
        assert len(machine.report(machine.home / ".claude").of("expiring")) == number


def test_the_nearest_settings_say_it(machine: Machine) -> None:
    machine.transcript("old", "2026-10-20T12:00:00+00:00")
    put(machine.home / ".claude" / "settings.json", '{"cleanupPeriodDays": 45}')
    put(machine.project / ".claude" / "settings.json", '{"cleanupPeriodDays": 90}')
    assert machine.report(machine.project).of("expiring") == ()
    put(machine.project / ".claude" / "settings.local.json", '{"cleanupPeriodDays": 41}')
    (loss,) = machine.report(here=machine.project).of("expiring")
    assert loss.day == "2026-11-30"


def test_another_projects_transcripts_are_not_told_of(machine: Machine) -> None:
    machine.transcript("old", "2026-10-20T12:00:00+00:00")
    other = machine.home / "other"
    put(other / "CLAUDE.md", "- rule\n")
    assert machine.report(other).of("expiring") == ()
    assert len(machine.report().of("expiring")) == 1


def test_a_sub_agents_transcript_goes_with_its_session(machine: Machine) -> None:
    machine.transcript("s1", "2026-10-20T12:00:00+00:00")
    machine.transcript("s1/subagents/agent-1", "2026-10-20T12:00:00+00:00")
    assert [Path(loss.name).name for loss in machine.report().of("expiring")] == ["s1.jsonl"]


# --- as a whole


def full(machine: Machine) -> None:
    """A machine on which something of every kind is lost."""
    put(machine.memory / "MEMORY.md", "- [A](gone.md)\n" + "- line of the index\n" * 201)
    put(machine.memory / "loose.md", "Never commit to main.\n")
    put(machine.project / "CLAUDE.md", "- Commit to main\n- use uv for packages\n")
    put(machine.home / ".claude" / "CLAUDE.md", "- use uv for packages\n")
    machine.transcript("old", "2026-10-20T12:00:00+00:00")


def test_the_summary_counts_every_kind(machine: Machine) -> None:
    full(machine)
    report = machine.report(machine.project)
    assert summary(report) == (
        "2 lines are cut, 1 link leads nowhere, 1 thing no agent reads, 2 statements stand in several places, "
        "1 contradiction, 1 transcript is about to be deleted."
    )
    assert [loss.kind for loss in report.losses] == [
        "cut",
        "link",
        "unread",
        "repeated",
        "repeated",
        "contradiction",
        "expiring",
    ]


def test_programs_read_the_same_report(machine: Machine) -> None:
    full(machine)
    report = machine.report(machine.project)
    body = json.loads(json.dumps(loss_json(report)))
    assert list(body) == ["folder", "layouts", "losses", "counts", "cut_lines", "notes"]
    assert body["counts"] == {"cut": 1, "link": 1, "unread": 1, "repeated": 2, "contradiction": 1, "expiring": 1}
    assert body["cut_lines"] == 2
    cut = body["losses"][0]
    assert (cut["name"], cut["first"], cut["last"]) == ("MEMORY.md", 201, 202)
    assert [line["line"] for line in cut["lines"]] == [201, 202]
    assert body["layouts"][0]["pieces"][1]["fate"] == "cut"
    assert body["losses"][-1]["age_days"] == 41


def test_looking_changes_no_byte_and_no_time(machine: Machine) -> None:
    full(machine)
    before = tree(machine.home)
    machine.report(machine.project)
    machine.report(here=machine.project)
    assert tree(machine.home) == before


def test_nothing_lost_is_said(machine: Machine) -> None:
    put(machine.project / "CLAUDE.md", "- one rule\n")
    assert summary(machine.report(machine.project)) == "Nothing is lost."


# --- bounds


def test_a_file_that_is_too_large_is_counted_and_its_size_is_said(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "KEPT_BYTES", 4_096)
    monkeypatch.setattr(reading, "CHUNK", 1_024)
    put(machine.memory / "MEMORY.md", "- line of an index\n" * 5_000)
    report = machine.report(machine.memory)
    assert report.cut_lines == 4_800
    (loss,) = report.of("cut")
    assert loss.more + len(loss.lines) == 4_800
    assert report.notes == ("MEMORY.md is so large that only its beginning was looked into.",)


def test_an_index_that_is_too_long_to_count_is_told_as_far_as_it_was(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "KEPT_BYTES", 4_096)
    monkeypatch.setattr(reading, "COUNTED_BYTES", 40_000)
    monkeypatch.setattr(reading, "CHUNK", 1_000)
    put(machine.memory / "MEMORY.md", "- one line here, 25 long\n" * 5_000)
    (loss,) = machine.report(machine.memory).of("cut")
    assert loss.title == "at least 1,400 lines are never loaded: past the first 200 lines"


def test_of_very_many_large_files_only_so_much_is_looked_into(machine: Machine) -> None:
    put(machine.memory / "MEMORY.md", "".join(f"- [M](m{number}.md)\n" for number in range(4)))
    for number in range(4):
        put(machine.memory / f"m{number}.md", f"- statement {number} of this file\n" * 4_000)
    loaded = claude_memory(machine.memory, machine.places, room=Room(left=100_000, each=60_000))
    assert [(one.name, one.fate, one.last > 0) for one in loaded.pieces] == [
        ("MEMORY.md", "loaded", True),
        ("m0.md", "not loaded", True),
        ("m1.md", "not loaded", True),
        ("m2.md", "not loaded", False),
        ("m3.md", "not loaded", False),
    ]
    assert loaded.notes == ("m0.md and 3 more files were looked into only as far as the bounds allow.",)
    (machine.memory / "m2.md").unlink()
    (machine.memory / "m3.md").unlink()
    loaded = claude_memory(machine.memory, machine.places, room=Room(left=100_000, each=60_000))
    assert loaded.notes == ("m0.md and 1 more file were looked into only as far as the bounds allow.",)


def test_a_folder_with_too_many_files_is_looked_at_in_part(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.context.loaded.claude_memory.MOST_FILES", 20)
    put(machine.memory / "MEMORY.md", "text\n")
    for number in range(40):
        put(machine.memory / f"m{number:02}.md", "text\n")
    report = machine.report(machine.memory)
    assert len(report.layouts[0].pieces) <= 21
    assert any("holds more files than the first" in note for note in report.notes)


def test_a_pipe_or_a_folder_in_the_place_of_a_file_holds_nothing_up(machine: Machine) -> None:
    os.mkfifo(put(machine.project / "x", "").parent / "CLAUDE.md")
    (machine.project / "AGENTS.md").mkdir()
    report = machine.report(machine.project)
    assert of(report, "unread") == [("CLAUDE.md", "it is not a file"), ("AGENTS.md", "it is not a file")]
