"""The setting-file and suggestion cases of `spec/memora.md` §11."""

from __future__ import annotations

import errno
import json
import os
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from pipeline import review
from pipeline.extract.effects import Snapshot
from pipeline.extract.evidence import Record
from pipeline.extract.reflection.suggestion import Suggestion, by_rules, chosen, each, long_enough, read_suggestions
from pipeline.extract.reflection.suggestion_rows import file_suggestions
from pipeline.extract.work import Harvest
from store.bank import Bank
from store.errors import BadInput, NotPermitted
from store.setting_file import parse_frontmatter, serialize_frontmatter
from store.setting_files import read_folder
from store.vault.disk import Disk
from tests.conformance.memora_cases import cases
from tests.store.world import folders, make

NOW = 1_796_032_800_000


def test_mem_cfg_01_front_matter_is_flat_and_splits_at_the_first_colon() -> None:
    case = cases()["MEM-CFG-01"]
    assert [list(parse_frontmatter(raw)) for raw in case["given"]["inputs"]] == case["then"]["result"]
    assert (
        serialize_frontmatter({"id": "a", "x": None, "t": "p: q"}) == case["then"]['serialize {id:a, x:null, t:"p: q"}']
    )
    assert serialize_frontmatter({}) == case["then"]["serialize {}"]


def test_mem_cfg_03_the_scan_leaves_drafts_and_readmes_out(tmp_path: Path) -> None:
    case = cases()["MEM-CFG-03"]
    assert [*read_folder(Disk(), tmp_path)[0]] == case["then"]["missing folder"]
    folder = tmp_path / "settings" / "rules"
    folder.mkdir(parents=True)
    for entry in case["given"]["folder rules/"]:
        name, _, note = entry.partition(" (")
        text = f"---\n{note.rstrip(')')}\n---\nBe brief." if note.startswith("name:") else "Be brief."
        (folder / name).write_text(text, encoding="utf-8")
    files, problems = read_folder(Disk(), tmp_path)
    assert ([file.name for file in files.values()], problems) == (case["then"]["names"], ())


def test_mem_cfg_04_templates_are_skipped_and_what_cannot_be_read_is_told(tmp_path: Path) -> None:
    class Refusing(Disk):
        def step(self, call: str, path: Any) -> None:
            if call == "read" and str(path).endswith("bad.md"):
                raise OSError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    case = cases()["MEM-CFG-04"]
    for name, text in {**case["given"]["files"], "rules/bad.md": "x"}.items():
        file = tmp_path / "settings" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    files, problems = read_folder(Refusing(), tmp_path)
    loaded = [file.name for file in files.values() if not file.template]
    skipped = [file.name for file in files.values() if file.template] + [Path(one.path).stem for one in problems]
    assert (loaded, skipped) == (case["then"]["loaded"], case["then"]["skipped"])
    assert [(one.path, "bad.md" in one.message) for one in problems] == [("settings/rules/bad.md", True)]


def test_mem_cfg_06_rules_suggest_from_what_is_said_outright() -> None:
    case = cases()["MEM-CFG-06"]
    for (said, reply), wanted in zip(case["when"]["turns"], case["then"]["result"], strict=True):
        found = by_rules([("event:1", said)]) if long_enough(said, reply) else ()
        assert [(one.kind, one.confidence) for one in found] == [(one["type"], one["confidence"]) for one in wanted]
        for one, then in zip(found, wanted, strict=True):
            assert then["content contains (case-insensitive)"] in one.content.lower()
            assert one.evidence[0].quote in said


def test_mem_cfg_07_the_sure_ones_are_handed_on_in_order_and_one_failure_stops_no_other() -> None:
    case = cases()["MEM-CFG-07"]
    given = case["given"]
    reply = json.dumps(
        [
            {"type": "rule", "name": f"r{at}", "content": "x", "confidence": sure}
            for at, sure in enumerate(given["llm confidences in order"])
        ]
    )
    handled: list[float] = []

    def handler(one: Suggestion) -> None:
        handled.append(one.confidence)
        if len(handled) == 2:
            raise ValueError("the second one")

    found = read_suggestions(reply)
    results = each(chosen(found, given["minConfidence"], given["maxSuggestions"], by_confidence=False), handler)
    assert handled == case["then"]["handled confidences"]
    assert [type(result) for _, result in results] == [type(None), ValueError, type(None)]
    assert [one.confidence for one in chosen(found)] == [0.95, 0.9, 0.7]


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return make(tmp_path)


def suggest(bank: Bank, one: Suggestion) -> review.Waiting:
    """The row of a suggestion that a model made, with the person's words."""
    harvest = Harvest(
        bank.view(),
        (Record("event:1", "please always use the imperative mood", 1),),
        Snapshot("claude-code/s", 1),
        NOW,
        lambda seq, quote: [{"session": "s", "format": "claude-code", "ref": "line 1", "seq": seq, "quote": quote}],
    )
    reply = {"type": one.kind, "name": one.name, "content": one.content, "confidence": one.confidence}
    cited = [{"sourceRef": "event:1", "quote": "always use the imperative mood"}]
    filed = file_suggestions(harvest, read_suggestions(json.dumps([reply | {"evidence": cited}])), "model")
    bank.record(filed.rows)
    return review.find(bank.view(), filed.new[0], NOW)


@pytest.mark.parametrize("kind", ["rule", "persona", "skill"])
def test_mem_cfg_08_approving_writes_the_file_and_no_memory(
    bank: Bank, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    case = cases()["MEM-CFG-08"]
    given, then = case["given"]["suggestion"], case["then"]
    monkeypatch.setenv("MEMDESK_NOW", case["when"]["now"])
    item = suggest(bank, Suggestion(kind, given["name"], given["content"], given["confidence"]))
    bank.commit(review.approve(bank.view(), item))
    place = {"rule": Path(then["file"]).parent.name, "persona": "personas", "skill": "skills"}[kind]
    file = bank.path / "settings" / place / "commit-style.md"
    fields, body = parse_frontmatter(file.read_text(encoding="utf-8"))
    wanted = {**then["frontmatter includes"], "id": f"{kind}:commit-style", "source": kind}
    assert {name: fields[name] for name in wanted} == wanted and fields["name"] == "commit-style"
    assert body.strip() == then["body"]
    assert (bank.view().live, (bank.path / "index.json").exists()) == ((), then["index written"])
    assert then["persona goes to"] == "cfg/personas/" and then["skill goes to"] == "cfg/skills/"


def test_mem_cfg_08_where_nothing_can_be_written_it_is_refused(bank: Bank, tmp_path: Path) -> None:
    """A bank always has its settings folder; what the original calls no configDir is a bank that is only read."""
    given = cases()["MEM-CFG-08"]["given"]["suggestion"]
    item = suggest(bank, Suggestion(given["type"], given["name"], given["content"], given["confidence"]))
    bank.close()
    shown = Bank.open(tmp_path / "bank", read_only=True, **folders(tmp_path))
    with pytest.raises(NotPermitted):
        shown.commit(review.approve(shown.view(), item))
    assert not (shown.path / "settings").exists()


def test_mem_cfg_09_a_name_never_leads_out_of_its_folder(bank: Bank) -> None:
    case = cases()["MEM-CFG-09"]
    item = suggest(bank, Suggestion("rule", "style", "Use the imperative mood.", 0.8))
    accepted = []
    for name in case["given"]["names"]:
        try:
            changeset = review.approve(bank.view(), item, edits={"subject": name})
        except BadInput:
            assert not (bank.path / "settings").exists()
            continue
        bank.commit(changeset)
        accepted.append(name)
    assert accepted == case["then"]["accepted"]
    assert [*bank.view().setting_files] == [f"settings/rules/{name}.md" for name in accepted]
    assert datetime.fromisoformat(next(iter(bank.view().setting_files.values())).fields["createdAt"]).tzinfo is not None
