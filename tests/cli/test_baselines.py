"""`context --save` and `--since`: what an agent is told, then and now, and why it is something else."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from store.baselines import baseline_folder
from tests.cli.desk import Desk
from tests.tui.context_world import files

KILN = "facts/2026/10/2026-10-12-0001.md"


@pytest.fixture
def filled(desk: Desk) -> Desk:
    desk.remember("FACT", "kiln", "Fires at 1240 C")
    desk.remember("FACT", "glaze", "Tin white")
    desk.remember("PREF", "tone", "brief answers", "--owner", "aria")
    desk.remember("PREF", "tempo", "walks at noon", "--owner", "lan")
    return desk


def test_a_saved_pack_says_later_what_came_in_what_left_and_what_says_something_else(filled: Desk) -> None:
    answer = filled("context", "--as", "aria", "--save", "before")
    assert (answer.code, answer.out) == (0, "Saved the pack of aria as before.\n")
    filled.remember("FACT", "clay", "Stoneware")
    filled("edit", KILN, "--statement", "Fires at 1260 C")
    filled("forget", "facts/2026/10/2026-10-12-0002.md")
    lines = filled("context", "--as", "aria", "--since", "before").out.splitlines()
    assert lines[0] == "Since before, today 12:00, as aria:"
    assert "- - [FACT] kiln: Fires at 1240 C" in lines
    at = lines.index("+ - [FACT] kiln: Fires at 1260 C")
    assert lines[at + 1].startswith("    reworded: it was changed since (change ")
    at = lines.index("+ - [FACT] clay: Stoneware")
    assert lines[at + 1].startswith("    came in: it was written since (change ") and lines[at + 1].endswith("clay)")
    at = lines.index("- - [FACT] glaze: Tin white")
    assert lines[at + 1].startswith("    left: it is in the trash (change ")
    assert lines[-1].startswith("1 came in, 1 left, 1 reworded, 0 moved; ")


def test_what_is_not_given_is_as_it_was_then(filled: Desk) -> None:
    filled("context", "--as", "aria", "--focus", "kiln", "--limit", "2", "--budget", "5000", "--save", "before")
    found = filled.json("context", "--as", "aria", "--since", "before").json
    assert (found["inputs"], found["items"], found["lines"], found["units"]) == ({}, [], [], 0)
    assert filled("context", "--as", "aria", "--since", "before").out.endswith("Nothing changed.\n")
    fewer = filled.json("context", "--as", "aria", "--since", "before", "--limit", "1").json
    assert fewer["inputs"] == {"limit": {"before": 2, "after": 1}}
    assert [(item["kind"], item["cause"]) for item in fewer["items"]] == [("moved", "limit")]


def test_packs_of_two_layouts_are_compared_and_not_measured_against_each_other(filled: Desk) -> None:
    filled("context", "--as", "aria", "--layout", "memora", "--save", "chat")
    same = filled("context", "--as", "aria", "--since", "chat").out
    assert same.endswith("Nothing changed.\n")
    lines = filled("context", "--as", "aria", "--since", "chat", "--layout", "yotta").out.splitlines()
    assert "layout memora then, yotta now" in lines and lines[-1].endswith(" moved; another layout.")


def test_a_program_reads_every_item_with_its_cause(filled: Desk) -> None:
    filled("context", "--as", "aria", "--save", "before")
    filled("forget", KILN)
    found = filled.json("context", "--as", "aria", "--since", "before").json
    assert found["since"] == {"name": "before", "made": "2026-10-12T12:00:00.000Z", "agent": "aria"}
    (item,) = [item for item in found["items"] if item["id"] == KILN]
    assert (item["kind"], item["cause"], item["why"]) == ("left", "trashed", "it is in the trash")
    assert (item["before"], item["section_before"]) == ("- [FACT] kiln: Fires at 1240 C", "3")
    assert item["change"]["reason"] == "forget FACT 2026-10-12-0001"
    assert {"sign": "-", "section": "3", "text": "- [FACT] kiln: Fires at 1240 C"} in found["lines"]


def test_baselines_are_listed_saved_over_and_deleted(filled: Desk) -> None:
    assert filled("context", "--as", "aria", "--baselines").out == "No baseline is kept; save one with --save NAME.\n"
    filled("context", "--as", "aria", "--save", "before")
    again = filled.json("context", "--as", "aria", "--save", "before").json
    assert again["saved"] == {"name": "before", "agent": "aria", "replaced": True}
    (kept,) = filled.json("context", "--as", "aria", "--baselines").json["baselines"]
    assert (kept["name"], kept["agent"], kept["made"]) == ("before", "aria", "2026-10-12T12:00:00.000Z")
    assert filled("context", "--as", "aria", "--delete-baseline", "before").out == "Deleted the baseline before.\n"
    assert filled.json("context", "--as", "aria", "--baselines").json["baselines"] == []
    answer = filled("context", "--as", "aria", "--delete-baseline", "before")
    assert (answer.code, answer.err) == (2, "There is no baseline 'before' of aria; nothing was deleted.\n")


def test_another_agents_baseline_is_neither_shown_nor_replaced_nor_deleted(filled: Desk) -> None:
    filled("context", "--as", "aria", "--save", "before")
    for words in (("--since", "before"), ("--save", "before")):
        answer = filled("context", "--as", "lan", *words)
        assert (answer.code, answer.out) == (3, "") and "another agent's" in answer.err
    assert filled("context", "--as", "lan", "--delete-baseline", "before").code == 2
    assert filled.json("context", "--as", "lan", "--baselines").json["baselines"] == []
    assert filled("context", "--as", "aria", "--since", "before").code == 0


def test_a_name_is_the_same_however_its_accents_are_written(filled: Desk) -> None:
    whole, parted = "caf\u00e9", "cafe\u0301"
    filled("context", "--as", "lan", "--save", whole)
    for words in (("--save", parted), ("--since", parted)):
        assert filled("context", "--as", "aria", *words).code == 3
    assert filled.json("context", "--as", "lan", "--delete-baseline", parted).json["deleted"] == whole
    assert filled.json("context", "--as", "lan", "--baselines").json["baselines"] == []


def test_the_profile_of_another_owner_is_as_it_was_then(filled: Desk) -> None:
    (filled.root / "grants.json").write_text('{"aria": ["lan"]}')
    stored = filled.root / "private" / "lan" / "profile.md"
    stored.write_text("Lan walks at noon and reads at night.\n", encoding="utf-8")
    assert "reads at night" in filled("context", "--as", "aria", "--owner", "lan").out
    filled("context", "--as", "aria", "--owner", "lan", "--save", "hers")
    found = filled.json("context", "--as", "aria", "--since", "hers").json
    assert (found["inputs"], found["lines"]) == ({}, [])


PAGES = """
import json, sys
asked = json.load(sys.stdin)
out = [one["file"] for one in asked["payload"]["candidates"] if one["subject"] == "glaze"]
print(json.dumps({"ok": True, "data": {"drop": out} if asked["capability"] == "context.paging" else {}}))
"""


def test_whether_the_pack_was_paged_is_as_it_was_then(
    filled: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "provider"
    home.mkdir()
    entry = {"id": "pager", "capabilities": ["context.paging"], "command": [sys.executable, "-S", "-c", PAGES]}
    text = json.dumps({"schema": 1, "providers": [entry | {"timeout_ms": 5000}]})
    (home / "provider.json").write_text(text, encoding="utf-8")
    monkeypatch.setenv("YOTTA_PROVIDER_HOME", str(home))
    words = ("context", "--as", "aria", "--budget", "4000")
    filled(*words, "--save", "paged")
    filled(*words, "--no-paging", "--save", "whole")
    filled(*words, "--no-hook", "--paging", "--save", "paged alone")
    for name in ("paged", "whole", "paged alone"):
        found = filled.json("context", "--as", "aria", "--since", name).json
        assert (found["inputs"], found["items"], found["lines"]) == ({}, [], []), name
    lines = filled("context", "--as", "aria", "--since", "whole", "--paging").out.splitlines()
    assert lines[1] == "paging off then, on now"
    at = lines.index("- - [FACT] glaze: Tin white")
    assert lines[at + 1] == "    left: paging is not as it was then"
    found = filled.json("context", "--as", "aria", "--since", "paged", "--no-paging").json
    assert found["inputs"] == {"paging": {"before": None, "after": False}}
    assert [(item["kind"], item["cause"]) for item in found["items"]] == [("came_in", "paging")]


def test_an_unknown_baseline_names_those_that_there_are(filled: Desk) -> None:
    filled("context", "--as", "aria", "--save", "before")
    answer = filled("context", "--as", "aria", "--since", "after")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "There is no baseline 'after' that can be read; choose one of 'before'.\n"


def test_an_unknown_baseline_names_none_of_another_agents(filled: Desk) -> None:
    filled("context", "--as", "aria", "--save", "aria's secret plan")
    answer = filled("context", "--as", "lan", "--since", "after")
    said = "There is no baseline 'after' that can be read; save one first, with `memdesk context --save NAME`.\n"
    assert (answer.code, answer.out, answer.err) == (2, "", said)


def test_a_refused_baseline_is_no_text_of_it(filled: Desk) -> None:
    filled("context", "--as", "aria", "--save", "before")
    (path,) = baseline_folder(filled.bank or Path()).iterdir()
    head, document = path.read_text(encoding="utf-8").splitlines()
    path.write_text(f"{head}\n{json.dumps({**json.loads(document), 'lines': [7]})}\n", encoding="utf-8")
    answer = filled("context", "--as", "aria", "--since", "before")
    assert answer.code == 2 and answer.err.endswith("is damaged; delete it and save it anew.\n")


def test_no_way_of_looking_at_a_pack_changes_a_byte_of_the_bank(filled: Desk, tmp_path: Path) -> None:
    """Previews, with a provider that is asked and without, and everything that saves or compares."""
    home = tmp_path / "provider"
    home.mkdir()
    script = 'import json, sys; sent = json.load(sys.stdin); print(json.dumps({"ok": True, "data": {"evict": []}}))'
    entry = {"id": "look", "capabilities": ["memory.hook"], "command": [sys.executable, "-S", "-c", script]}
    (home / "provider.json").write_text(json.dumps({"schema": 1, "providers": [entry]}), encoding="utf-8")
    hooked = Desk(filled.bank, {**filled.environ, "YOTTA_PROVIDER_HOME": str(home), "PATH": os.environ["PATH"]})
    assert filled.bank is not None
    before = files(filled.bank)
    for desk in (filled, hooked):
        for words in (
            ("--dry-run",),
            ("--dry-run", "--focus", "kiln", "--budget", "900", "--limit", "1"),
            ("--no-usage", "--json"),
            ("--explain", "--json", "--no-hook"),
            ("--profile",),
            ("--save", "before"),
            ("--since", "before", "--json"),
            ("--baselines",),
            ("--delete-baseline", "before"),
        ):
            assert desk("context", "--as", "aria", *words).code == 0, words
        assert files(filled.bank) == before
    assert (home / "provider-audit.jsonl").exists()
