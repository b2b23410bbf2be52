"""Suggestions of rules, personas and skills: what they rest on, what waits, and what approving one writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import review
from pipeline.extract.options import Options
from pipeline.extract.reflection.suggestion import by_rules, read_suggestions, setting_name
from pipeline.extraction import ExtractReport, extract
from pipeline.model import OfflineDoor
from pipeline.review.inspection import inspect
from pipeline.review.setting import diff_of
from pipeline.review.source import Sources
from store.bank import Bank
from store.changes import Changeset, PutSettingFile
from store.errors import BadInput, Changed, SecretFound
from store.setting_file import check_name, parse_frontmatter
from store.settings import bank_change
from tests.pipeline.extract.test_insight import NOW, Reflecting, talk
from tests.store.world import again, make

pytestmark = pytest.mark.usefixtures("stopped_clock")

SAID = "whatever comes, I always want commit messages in the imperative mood"
SECRET = "ghp_exampleexampleexample0123456789"
RULE = "Write commit messages in the imperative mood."
PATH = "settings/rules/commit-messages.md"


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return make(tmp_path)


def entry(**more: Any) -> dict[str, Any]:
    return {
        "type": "rule",
        "name": "commit-messages",
        "content": RULE,
        "description": "How commits are written",
        "keywords": ["commit", "git"],
        "confidence": 0.9,
        "reason": "They said so.",
        "evidence": [{"sourceRef": "event:1", "quote": "I always want commit messages in the imperative mood"}],
    } | more


def suggest(bank: Any, *entries: Any, said: str = SAID, session: str = "s-1") -> ExtractReport:
    door = Reflecting({"insights": [], "suggestions": list(entries)})
    return extract([talk(said, name=session)], bank, door, Options())


def waiting(bank: Bank) -> list[review.Waiting]:
    return [one for one in review.queue(bank.view(), NOW) if one.kind == "suggestion"]


def test_a_suggestion_waits_with_its_words_and_approving_it_writes_the_file(bank: Bank, tmp_path: Path) -> None:
    suggest(bank, entry())
    (item,) = waiting(bank)
    assert dict(item.fields) == {
        "label": "rule",
        "subject": "commit-messages",
        "statement": RULE,
        "description": "How commits are written",
        "keywords": ("commit", "git"),
    }
    assert (item.state, item.confidence, item.reason, item.by) == ("ready", 0.9, "They said so.", "scripted")
    assert [one.text for one in item.quotes] == ["I always want commit messages in the imperative mood"]
    committed = bank.commit(review.approve(bank.view(), item))
    assert committed.reason == "approve suggestion commit-messages"
    fields, body = parse_frontmatter((bank.path / PATH).read_text(encoding="utf-8"))
    assert fields == {
        "id": "rule:commit-messages",
        "source": "rule",
        "name": "commit-messages",
        "description": "How commits are written",
        "keywords": "commit, git",
        "score": "0.9",
        "createdAt": "2026-11-30T10:00:00Z",
        "accessedAt": "2026-11-30T10:00:00Z",
    }
    assert (body, waiting(bank), bank.view().live) == (f"\n{RULE}\n", [], ())
    bank.undo(origin="screen")
    assert not (bank.path / PATH).exists()
    assert [one.id for one in waiting(again(tmp_path))] == [item.id]


def test_the_surest_three_are_filed_and_stand_in_that_order(bank: Bank) -> None:
    sure = [0.5, 0.6, 0.9, 0.7, 0.95]
    suggest(bank, *(entry(name=f"n{at}", content=f"Rule number {at}.", confidence=one) for at, one in enumerate(sure)))
    assert [one.confidence for one in waiting(bank)] == [0.95, 0.9, 0.7]


@pytest.mark.parametrize(
    ("bad", "outcome"),
    [
        (entry(evidence=[]), "bad quote"),
        (entry(evidence=[{"sourceRef": "event:1", "quote": "I never want commit messages"}]), "bad quote"),
        (entry(content=f"Use the token {SECRET}."), "secret"),
        (entry(description=f"token {SECRET}"), "secret"),
    ],
)
def test_what_rests_on_nothing_or_holds_a_secret_is_refused_and_stops_no_other(
    bank: Bank, bad: Any, outcome: str
) -> None:
    report = suggest(bank, bad, entry(name="good", content="Keep them short."))
    assert [fate.outcome for fate in report.sessions[0].fates] == [outcome]
    assert [one.fields["subject"] for one in waiting(bank)] == ["good"]


def test_a_suggestion_seen_again_is_counted_and_a_setting_file_that_says_so_ends_it(bank: Bank) -> None:
    suggest(bank, entry(confidence=0.6))
    suggest(bank, entry(name="commit-style", confidence=0.8), session="s-2")
    suggest(bank, entry(content="Another text under the name."), session="s-3")
    (row,) = bank.view().rows("proposals").values()
    assert (row["timesSeen"], row["confidence"], row["content"], len(row["quotes"])) == (3, 0.9, RULE, 3)
    bank.commit(review.approve(bank.view(), waiting(bank)[0]))
    report = suggest(bank, entry(name="commits"), session="s-4")
    assert [(one.outcome, one.reason) for one in report.sessions[0].fates] == [
        ("duplicate", "a setting file says so already")
    ]
    assert waiting(bank) == []


def test_a_rejected_suggestion_does_not_return_under_another_name(bank: Bank) -> None:
    suggest(bank, entry())
    bank.commit(review.reject(bank.view(), waiting(bank)[0], "no"))
    report = suggest(bank, entry(name="commits"), session="s-2")
    assert [(one.outcome, one.reason) for one in report.sessions[0].fates] == [("suppressed", "you rejected it")]
    assert waiting(bank) == []


def mine(bank: Bank, text: str = "---\ntrigger: /commit/\n---\nMy own rule.\n") -> str:
    file = bank.path / PATH
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    bank.refresh()
    return text


def test_a_file_of_that_name_is_shown_as_a_difference_and_kept_when_both_are_wanted(bank: Bank) -> None:
    text = mine(bank)
    suggest(bank, entry())
    (item,) = waiting(bank)
    assert (item.state, item.conflict, item.reason) == ("conflict", PATH, f"would replace {PATH}")
    (change,) = item.changes
    assert isinstance(change, PutSettingFile)
    old, new = diff_of(bank.view(), change)
    assert (old, "trigger: /commit/" in new, RULE in new) == (text, True, True)
    looked = inspect(bank.view(), item, Sources())
    assert f"replaces {PATH}; keep both writes it beside" in [check.words for check in looked.checks]
    bank.commit(review.approve(bank.view(), item, keep_both=True))
    assert (bank.path / PATH).read_text(encoding="utf-8") == text
    assert bank.view().setting_files["settings/rules/commit-messages-2.md"].name == "commit-messages-2"


def test_replacing_keeps_the_old_text_for_undo_and_what_the_person_had_added(bank: Bank) -> None:
    text = mine(bank)
    suggest(bank, entry())
    bank.commit(review.approve(bank.view(), waiting(bank)[0]))
    shown = bank.view().setting_files[PATH]
    assert (shown.fields["trigger"], shown.body) == ("/commit/", RULE)
    bank.undo(origin="screen")
    assert (bank.path / PATH).read_text(encoding="utf-8") == text


def test_a_file_that_came_or_changed_after_the_look_is_not_overwritten(bank: Bank) -> None:
    suggest(bank, entry())
    (item,) = waiting(bank)
    planned = review.approve(bank.view(), item)
    text = mine(bank)
    with pytest.raises(Changed, match="look at the difference"):
        bank.commit(planned)
    with pytest.raises(BadInput, match="look at the difference first"):
        review.approve(bank.view(), item)
    replacing = review.approve(bank.view(), waiting(bank)[0])
    mine(bank, text + "More.\n")
    with pytest.raises(Changed, match="was changed meanwhile"):
        bank.commit(replacing)
    assert (bank.path / PATH).read_text(encoding="utf-8") == text + "More.\n"


def test_the_queue_follows_the_files(bank: Bank) -> None:
    suggest(bank, entry())
    queue = review.follow(bank.view(), NOW)
    assert [one.state for one in queue.waiting] == ["ready"]
    mine(bank)
    queue = review.follow(bank.view(), NOW, queue)
    assert [(one.state, one.conflict) for one in queue.waiting] == [("conflict", PATH)]
    (bank.path / PATH).unlink()
    bank.refresh()
    queue = review.follow(bank.view(), NOW, queue)
    assert [one.state for one in queue.waiting] == ["ready"]


def test_approving_what_a_file_says_already_writes_nothing(bank: Bank) -> None:
    suggest(bank, entry())
    mine(bank, RULE)
    (item,) = waiting(bank)
    assert (item.changes, item.state) == ((), "ready")
    committed = bank.commit(review.approve(bank.view(), item))
    assert (committed.files, waiting(bank)) == ((), [])


def test_a_suggestion_is_edited_before_it_is_written(bank: Bank) -> None:
    suggest(bank, entry())
    edits = {
        "label": "skill",
        "subject": "提交-信息",
        "statement": "Two lines.\n\nSecond.",
        "keywords": "提交，commit",
        "description": "",
    }
    bank.commit(review.approve(bank.view(), waiting(bank)[0], edits=edits))
    shown = bank.view().setting_files["settings/skills/提交-信息.md"]
    assert (shown.kind, shown.body, shown.keywords) == ("skill", "Two lines.\n\nSecond.", ("提交", "commit"))
    assert "description" not in shown.fields


def test_an_edit_asks_about_secrets_and_takes_no_strange_field(bank: Bank) -> None:
    suggest(bank, entry())
    (item,) = waiting(bank)
    with pytest.raises(BadInput, match="has no owner"):
        review.approve(bank.view(), item, edits={"owner": "aria"})
    with pytest.raises(BadInput, match="no text left"):
        review.approve(bank.view(), item, edits={"statement": " "})
    with pytest.raises(BadInput, match="one line"):
        review.approve(bank.view(), item, edits={"keywords": ("a\nb",)})
    edits = {"statement": f"The token is {SECRET}."}
    with pytest.raises(SecretFound):
        review.approve(bank.view(), item, edits=edits)
    bank.commit(review.approve(bank.view(), item, edits=edits, allow_secrets=True))
    assert SECRET in (bank.path / PATH).read_text(encoding="utf-8")


def test_several_are_approved_as_one_change_and_two_of_one_file_are_not(bank: Bank) -> None:
    suggest(
        bank,
        entry(),
        entry(name="tone", content="Be brief and plain."),
        entry(type="skill", name="plan", content="Plan."),
    )
    done = review.together(bank.view(), waiting(bank), review.approve, "approve 3 suggestions")
    bank.commit(done.changeset)
    assert len(bank.view().setting_files) == 3
    bank.undo(origin="screen")
    assert dict(bank.view().setting_files) == {}
    first, second = waiting(bank)[:2]
    same = review.together(
        bank.view(),
        [first, second],
        lambda view, item: review.approve(view, item, edits={"label": "rule", "subject": "same"}),
    )
    assert (len(same.decided), [str(error) for _, error in same.left]) == (
        1,
        ["It touches the same thing as another of these; decide it on its own."],
    )


def test_the_rules_suggest_offline_only_where_a_person_switched_them_on(bank: Bank) -> None:
    said = "I usually use TypeScript for backend services"
    extract([talk(said)], bank, OfflineDoor(), Options())
    assert waiting(bank) == []
    bank.commit(Changeset((bank_change("suggestions", "on"),), "on"))
    extract([talk(said, name="s-2")], bank, OfflineDoor(), Options())
    (item,) = waiting(bank)
    assert (item.by, item.fields["subject"], item.confidence) == ("rules", "prefer-typescript", 0.65)
    assert "TypeScript" in item.statement and [one.text for one in item.quotes] == [said]


def test_a_bank_that_wants_no_suggestions_is_asked_for_none(bank: Bank) -> None:
    bank.commit(Changeset((bank_change("suggestions", "off"),), "off"))
    suggest(bank, entry())
    assert waiting(bank) == []


@pytest.mark.parametrize(
    ("said", "kinds"),
    [
        ("we have to build it quickly and require the tests to run", []),
        ("the UI needs work and its UX too, please", ["designer"]),
        ("only the UI needs some more work here", []),
        ("帮我重构这段代码，然后看看接口的问题吧，谢谢", ["programmer"]),
        ("do I always use tabs for everything I write?", []),
        ("I always use tabs, just kidding, of course", []),
        ('he said "I always use tabs" to everybody there', []),
        ("too short: I use Go", []),
    ],
)
def test_rules_look_at_whole_words_and_at_what_is_stated(said: str, kinds: list[str]) -> None:
    assert [one.name for one in by_rules([("event:1", said)])] == kinds


def test_a_capture_keeps_its_letters_and_ends_with_its_clause() -> None:
    (one,) = by_rules([("event:1", "I usually use TypeScript with strict mode, and nobody minds")])
    assert one.content == "A preference of the user, in their words: I usually use TypeScript with strict mode."
    (two,) = by_rules([("event:1", "我一般用 PostgreSQL，而且这个项目的团队都知道这一点")])
    assert (two.name, two.content) == ("偏好-PostgreSQL", "用户的偏好，原话：我一般用 PostgreSQL。")


@pytest.mark.parametrize(
    "entry_",
    [
        {"type": "memo"},
        {"type": None},
        {"content": " "},
        {"content": 3},
        {"name": "../.."},
        {"name": ""},
        {"confidence": 1.5},
        {"confidence": True},
        {"confidence": "0.9"},
        {"confidence": None},
    ],
)
def test_an_entry_of_another_shape_is_left_out(entry_: Any) -> None:
    assert read_suggestions(json.dumps([entry(**entry_), entry(name="a b/c")]))[0].name == "a-b-c"
    assert len(read_suggestions(json.dumps({"suggestions": [entry(**entry_), entry()]}))) == 1


@given(st.text(max_size=150))
def test_property_a_name_that_a_model_gives_is_a_name_or_nothing(text: str) -> None:
    name = setting_name(text)
    if name and len(name.encode()) <= 200:
        assert check_name(name) == name


@given(st.text(max_size=300))
def test_fuzz_rules_quote_what_stands_in_the_message(text: str) -> None:
    for one in by_rules([("event:1", f"I usually use {text} and we prefer {text}, 我习惯用{text}。")]):
        assert all(cited.quote for cited in one.evidence)
        assert one.confidence in (0.65, 0.6)
