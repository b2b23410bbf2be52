"""`context --layout memora`: a chat as it is sent, for a person, for a program, and for a bank that stays as it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from store.bank import Bank
from tests.cli.desk import Desk, tree

SAID = [
    {"role": "user", "content": "hello"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "c1", "function": {"name": "grep", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "nothing"},
]


@pytest.fixture
def filled(desk: Desk) -> Desk:
    desk.remember("FACT", "kiln", "Fires at 1240 C")
    desk.remember("FACT", "clay", "Comes from the river")
    rules = desk.root / "settings" / "rules"
    rules.mkdir(parents=True)
    (rules / "brief.md").write_text("Be brief.\n", encoding="utf-8")
    return desk


def chat(desk: Desk, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = desk.json("context", "--as", "aria", "--layout", "memora", *words).json
    return found


def test_a_chat_is_printed_message_by_message(filled: Desk) -> None:
    answer = filled("context", "--as", "aria", "--layout", "memora", "--focus", "kiln", "--dry-run")
    assert (answer.code, answer.err) == (0, "")
    lines = answer.out.splitlines()
    assert [line for line in lines if line.startswith("[")] == ["[system]", "[system]", "[user]"]
    assert "Be brief." in lines
    assert any(line.endswith("] kiln: Fires at 1240 C") for line in lines)
    assert "river" not in answer.out


def test_a_program_reads_the_messages_with_the_conversation_among_them(filled: Desk, tmp_path: Path) -> None:
    file = tmp_path / "said.json"
    file.write_text(json.dumps(SAID), encoding="utf-8")
    found = chat(filled, "--focus", "kiln", "--conversation", str(file))
    assert list(found) == ["schema", "hook", "text", "layout", "unit", "messages"]
    assert (found["layout"], found["unit"]) == ("memora", "tokens")
    assert found["messages"][1:4] == SAID
    assert found["messages"][-1] == {"role": "user", "content": "<user_input>\nkiln\n</user_input>"}


def test_explained_every_segment_says_where_it_comes_from_and_why(filled: Desk) -> None:
    found = chat(filled, "--focus", "kiln", "--explain")
    told = {one["section"]: one for one in found["segments"]}
    assert (told["bootstrap"]["origins"], told["bootstrap"]["why"]) == (
        ["settings/rules/brief.md"],
        "every rule is told",
    )
    assert told["recall"]["stands"] is True
    assert told["recall"]["chars"] > told["recall"]["tokens"] > 0
    assert found["budget"]["limit"] == 120_000
    assert found["budget"]["used"] == sum(one["tokens"] for one in found["segments"] if one["stands"])
    counts = found["decisions"]["counts"]
    assert (counts["included"], counts["unmatched"], counts["live"]) == (1, 1, 2)
    lines = filled("context", "--as", "aria", "--layout", "memora", "--focus", "kiln", "--explain").out
    assert "every rule is told" in lines
    assert "2 live memories: included 1, unmatched 1" in lines


def test_looking_at_a_chat_writes_nothing_and_a_real_one_counts_what_came_to_mind(filled: Desk) -> None:
    before = tree(filled.root)
    words = ("context", "--as", "aria", "--layout", "memora", "--focus", "kiln")
    for more in ("--dry-run", "--explain", "--no-usage"):
        assert filled(*words, more).code == 0
    assert tree(filled.root) == before
    assert filled(*words).code == 0
    rows = Bank.open(filled.root, read_only=True).view().rows("usage")
    assert [row["hit_days"] for row in rows.values()] != []
    assert len(rows) == 1


def test_a_conversation_belongs_to_a_chat(filled: Desk, tmp_path: Path) -> None:
    file = tmp_path / "said.json"
    file.write_text("[", encoding="utf-8")
    plain = filled("context", "--as", "aria", "--conversation", str(file))
    assert plain.code == 2
    assert "--layout memora" in plain.err
    broken = filled("context", "--as", "aria", "--layout", "memora", "--conversation", str(file))
    assert broken.code == 2
    assert "no JSON list of messages" in broken.err
    missing = filled("context", "--as", "aria", "--layout", "memora", "--conversation", str(tmp_path / "no.json"))
    assert missing.code == 2
    assert "the messages so far" in missing.err
    assert filled("context", "--as", "aria", "--layout", "other").code == 2
