"""What is kept without a model: few facts, each an exact piece of what the person wrote."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.extract.admission import Admitted, admit, candidates
from pipeline.extract.answer import Complete, covers, parse_canonical, parse_proposal
from pipeline.extract.evidence import Entry, project_evidence
from pipeline.extract.identity import gap_id
from pipeline.extract.offline.door import answer, findings, propose
from pipeline.extract.offline.doubt import doubt
from pipeline.extract.offline.sentences import sentences
from pipeline.extract.profile.rules import facts
from pipeline.extract.stages import Canonicalize, Localize, OpenGap, Propose
from tests.pipeline.extract.snippets import KEPT, LEFT


def _records(*texts: str) -> tuple:  # type: ignore[type-arg]
    return project_evidence([Entry(seq, "user", "user", text) for seq, text in enumerate(texts, 1)])


@pytest.mark.parametrize(("text", "contents"), KEPT)
def test_what_a_person_says_in_so_many_words_is_kept(text: str, contents: tuple[str, ...]) -> None:
    assert tuple(finding.content for finding in findings(text)) == contents


@pytest.mark.parametrize("text", LEFT)
def test_what_says_nothing_lasting_is_left(text: str) -> None:
    assert findings(text) == ()


def test_both_stages_pass_the_same_doors_as_a_model() -> None:
    records = _records(*(text for text, _ in KEPT))
    first = parse_proposal(answer(Propose(records[:8], 0)))
    assert isinstance(first, Complete) and len(first.incidents) == 8
    admitted = [admit(incident, records) for incident in first.incidents]
    assert all(isinstance(one, Admitted) for one in admitted)
    shown = candidates([one for one in admitted if isinstance(one, Admitted)], records)
    verdicts = parse_canonical(answer(Canonicalize(shown, 0)))
    assert verdicts is not None and covers(verdicts, [one.id for one in shown])
    assert [one.content for one in verdicts] == [incident.content for incident in first.incidents]


def test_the_rules_never_ask_for_a_search() -> None:
    records = _records("yes, use that one")
    assert answer(Propose(records, 0)) == '{"status":"complete","incidents":[]}'
    assert answer(Localize(records, "[assistant event:0] NATS?", 0)) == '{"status":"complete","incidents":[]}'


def test_more_than_ten_findings_keep_what_was_asked_for() -> None:
    texts = [f"I prefer tool{index} over tool{index}x" for index in range(10)] + ["Remember that CI runs on Buildkite"]
    incidents = propose(_records(*texts))["incidents"]
    assert len(incidents) == 10 and incidents[0]["content"] == "CI runs on Buildkite"


@pytest.mark.parametrize(
    "piece", ["We deploy on Fridays. ", "a b ", "\n", "“", "a. ", "我们用Redis，", "fix a: ", "hm. oh, "]
)
def test_a_megabyte_is_read_in_no_time_whatever_it_holds(piece: str) -> None:
    begun = time.monotonic()
    text = (piece * (1_000_000 // len(piece)))[:1_000_000]
    assert len(findings(text)) <= 20_000 and len(facts(text)) <= 2
    assert time.monotonic() - begun < 30


def test_a_list_that_is_announced_is_cited_with_its_heading_and_passes_both_stages() -> None:
    records = _records("Please remember these rules for our shop:\n- closed on Mondays\n- no dogs inside")
    first = parse_proposal(answer(Propose(records, 0)))
    assert isinstance(first, Complete)
    assert [[cited.quote for cited in one.evidence] for one in first.incidents] == [
        ["closed on Mondays", "Please remember these rules for our shop:"],
        ["no dogs inside", "Please remember these rules for our shop:"],
    ]
    admitted = [one for incident in first.incidents if isinstance(one := admit(incident, records), Admitted)]
    verdicts = parse_canonical(answer(Canonicalize(candidates(admitted, records), 0)))
    assert [one.content for one in verdicts or ()] == [incident.content for incident in first.incidents]


def test_the_same_fact_said_twice_is_one_finding() -> None:
    assert len(propose(_records("Never push to main.", "never  push to main", "Never push to main!"))["incidents"]) == 2


def test_a_pending_fact_in_the_same_words_is_cited() -> None:
    gaps = [OpenGap(gap_id("Build with pnpm, always."), "Build with pnpm, always.", 1)]
    (incident,) = propose(_records("Always build with pnpm"), gaps)["incidents"]
    assert incident["gapId"] == gaps[0].id


@pytest.mark.parametrize(
    "text",
    [
        "Remember that the pass" + "word is hunter2",
        "Note that the Wi-Fi pass" + "phrase at the office is correct-horse-example.",
        "Remember: the safe's code is 19-33-7.",
        "请记住，门禁密码是 4711。",
        "we always use the to" + "ken abcd-efgh-1234",
    ],
)
def test_a_secret_is_never_proposed(text: str) -> None:
    assert propose(_records(text))["incidents"] == []


PROFILE: tuple[tuple[str, list[tuple[str, str, float]]], ...] = (
    ("我叫王小明，我住在杭州", [("identity", "姓名: 王小明", 0.95), ("identity", "住址: 杭州", 0.9)]),
    ("我是谁", []),
    ("我当护士，我擅长急救", [("identity", "职业: 护士", 0.85), ("expertise", "专长: 急救", 0.75)]),
    ("我喜欢TS", []),
    ("我喜欢用Zed，我用Emacs", [("preference", "偏好: Zed", 0.85)]),
    ("我用Emacs", [("preference", "工具: Emacs", 0.8)]),
    ("今天下雨", []),
)
"""MEM-PRO-01."""


@pytest.mark.parametrize(("text", "wanted"), PROFILE)
def test_facts_about_the_person_MEM_PRO_01(text: str, wanted: list[tuple[str, str, float]]) -> None:
    assert [(fact.category, fact.value, fact.confidence) for fact in facts(text)] == wanted


def test_an_open_word_offers_both_fields_and_a_duration_is_no_tool_MEM_PRO_02() -> None:
    (fact,) = facts("我是设计师")
    assert fact.confidence == 0.60 and fact.choices == ("姓名", "职业")
    assert facts("我用了三个小时") == ()


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("My name is Lin Wei and I live in the Netherlands.", ["name: Lin Wei", "home: the Netherlands"]),
        ("Please call me Zed.", ["name: Zed"]),
        ("I'm based in São Paulo, Brazil", ["home: São Paulo"]),
        ("I work as a data engineer at Acme", ["job: data engineer"]),
        ("I prefer answers in German", ["preference: answers in German"]),
        ("I like using Neovim", ["preference: Neovim"]),
        ("I use fish shell", ["tool: fish shell"]),
        ("I'm good at SQL and I know Rust", ["expertise: SQL"]),
        ("call me tomorrow", []),
        ("I live in fear", []),
        ("can I use Rust?", []),
        ("I use it daily", []),
        ("I know that it fails", []),
        ("if I live in Berlin, what then", []),
        ('the form says "my name is Bob"', []),
        ("我会处理", []),
        ("我会Python", ["专长: Python"]),
        ("如果我叫王小明", []),
        ("请使用中文", []),
        ("我是一名后端工程师", ["职业: 后端工程师"]),
        ("我是认真的", []),
        ("我用Node.js", ["工具: Node.js"]),
    ],
)
def test_facts_about_the_person_in_both_languages(text: str, wanted: list[str]) -> None:
    assert [fact.value for fact in facts(text)] == wanted


PIECES = [
    "```",
    "`",
    "\n",
    "\n\n",
    " ",
    "> ",
    "- ",
    "“",
    "”",
    '"',
    "?",
    "。",
    "    ",
    "我叫",
    "I use ",
    "\x00",
    "🚀",
    "e\u0301",
]
WORDS = st.sampled_from([*(text for text, _ in KEPT), *LEFT, *PIECES, "\u200b", "jk"])
MESSAGES = st.lists(WORDS, max_size=8).map("".join) | st.text(max_size=120)


@given(MESSAGES)
@example("the function `a_b` is brokenHouse rules for our newsletter:\n- no puns in headlines")
def test_property_every_quote_is_an_exact_piece_of_the_message(text: str) -> None:
    for finding in findings(text):
        assert text[finding.start : finding.end] == finding.quote
        said = (
            finding.content.removeprefix(finding.heading.rstrip(":： ") + ": ") if finding.heading else finding.content
        )
        assert finding.heading in text
        assert said in " ".join(finding.quote.split()) or said in finding.quote
    for fact in facts(text):
        assert text[fact.start : fact.end] == fact.quote
        assert fact.value == f"{fact.field}: {fact.value.removeprefix(fact.field + ': ')}"
        assert fact.quote.endswith(fact.value.removeprefix(fact.field + ": "))
    for sentence in sentences(text):
        assert text[sentence.start : sentence.end] == sentence.text and len(sentence.spoken) == len(sentence.text)
        doubt(sentence)


@given(st.lists(MESSAGES, max_size=6))
def test_property_offline_answers_are_valid_and_admitted(texts: list[str]) -> None:
    records = _records(*texts)
    found = parse_proposal(answer(Propose(records, 0)))
    assert isinstance(found, Complete)
    for incident in found.incidents:
        assert isinstance(admit(incident, records), Admitted)
    assert json.loads(answer(Propose(records, 0))) == json.loads(answer(Localize(records, "", 0)))
