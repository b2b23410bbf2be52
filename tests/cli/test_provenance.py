"""Where a memory comes from and when it was said, on the command line; facets for programs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.desk import Desk, entry

TYPED = "Remember that the staging host moves to Hetzner on 2026-11-02."


@pytest.fixture
def transcript(tmp_path: Path) -> Path:
    """A Claude Code session of three weeks ago in which a person asks to remember something."""
    record = {
        "type": "user",
        "uuid": "u-1",
        "sessionId": "s-1",
        "timestamp": "2026-09-20T10:01:30.000Z",
        "cwd": "/home/dev/tide",
        "message": {"role": "user", "content": TYPED},
    }
    path = tmp_path / "s-1.jsonl"
    path.write_text(json.dumps(record) + "\n", encoding="utf-8")
    return path


def waiting(desk: Desk, transcript: Path) -> dict[str, Any]:
    """The one proposal that the offline rules make of it."""
    desk.json("extract", str(transcript), "--offline")
    (found,) = desk.json("review").json["proposals"]
    return dict(found)


def test_a_memory_says_in_show_where_its_words_stand_and_how_long_ago_they_were_said(
    desk: Desk, transcript: Path
) -> None:
    found = waiting(desk, transcript)
    assert "facets" not in found and found["fields"]["observed"] == "2026-09-20T10:01Z"
    desk("approve", found["id"], "--owner", "aria", tty=True)
    (kept,) = desk.json("list").memories
    (shown,) = desk.json("show", kept["id"]).memories
    assert (shown["evidence"], shown["observed"]) == (["claude-code/s-1#u-1"], "2026-09-20T10:01Z")
    text = desk("show", kept["id"]).out
    assert "said" in text and "3 weeks ago, 2026-09-20T10:01Z" in text


def test_a_memory_that_names_no_source_claims_none(desk: Desk) -> None:
    path = entry(desk.root, "facts/2026/10/2026-10-12-0001.md", "Fires at 1240 C")
    (shown,) = desk.json("show", path).memories
    assert shown["evidence"] == [] and "observed" not in shown
    assert "said" not in desk("show", path).out


def test_with_the_setting_on_a_program_sees_the_facets_and_the_file_has_day_and_tags(
    desk: Desk, transcript: Path
) -> None:
    assert desk("config", "set", "facets", "on").code == 0
    found = waiting(desk, transcript)
    assert found["facets"] == {
        "temporalType": "point",
        "eventStartedAt": 1_793_577_600_000,
        "keys": [{"key": "Hetzner", "type": "entity", "origin": "deterministic"}],
    }
    assert (found["fields"]["when"], found["fields"]["tags"]) == ("2026-11-02", ["Hetzner"])
    desk("approve", found["id"], "--owner", "aria", tty=True)
    (kept,) = desk.json("list").memories
    assert kept["tags"] == ["Hetzner"] and "2026-11-02" in desk("show", kept["id"]).out
