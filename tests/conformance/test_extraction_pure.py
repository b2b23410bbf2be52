"""The cases of `spec/extraction.md` that need no engine: each function against its case, by id."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from pipeline.extract.canonical import canonical
from pipeline.extract.coverage import coverage_hash, fit, in_range, plan, windows
from pipeline.extract.evidence import compact_json, entries, json_size, project_evidence, render, rendered
from pipeline.extract.facets.times import valid_temporal
from pipeline.extract.identity import gap_id, operation_id
from pipeline.extract.options import Options, options
from pipeline.extract.search import render_context, search
from pipeline.extract.words import jaccard
from pipeline.formats.dsh import project
from pipeline.formats.session import Author, Session, Turn
from pipeline.measure import units
from store.errors import BadInput
from store.secret import find_secrets, mask, port_redact
from tests.conformance import extraction_cases
from tests.conformance.extraction_cases import cases, holds, ids


def _case(name: str) -> tuple[Any, Any, Any]:
    case = cases()[name]
    return case["given"], case["when"], case["then"]


def _plain(event: Any) -> dict[str, Any]:
    found = {"seq": event.seq, "role": event.role, "author": event.author, "time": event.time}
    return found | {key: getattr(event, key) for key in ("text", "turn") if getattr(event, key) is not None}


@pytest.mark.parametrize("name", ids("projection"))
def test_events_become_text_events(name: str) -> None:
    given, _, then = _case(name)
    assert [_plain(event) for event in project(given["rawEvents"])] == then["entries"]


@pytest.mark.parametrize("name", ["EX-003", "EX-004", "EX-005"])
def test_only_the_persons_words_become_evidence(name: str) -> None:
    given, _, then = _case(name)
    records = project_evidence(extraction_cases.entries(given))
    shown = [{key: rendered(record)[key] for key in ("sourceRef", "type", "text")} for record in records]
    assert shown == then["evidence"]


def test_a_record_is_bounded_in_code_points_EX_006() -> None:
    given, _, then = _case("EX-006")
    records = project_evidence(extraction_cases.entries(given))
    assert [len(record.text) for record in records] == then["codePoints"]
    assert [units(record.text) for record in records] == then["utf16Units"]


def test_evidence_renders_as_compact_json_EX_007() -> None:
    given, _, then = _case("EX-007")
    records = project_evidence(extraction_cases.entries(given))
    assert render(records) == then["json"]
    assert json_size(records) == then["utf16Length"]


@pytest.mark.parametrize("name", [name for name in ids("coverage") if name != "EX-015"])
def test_a_range_is_planned_as_a_whole_or_not_at_all(name: str) -> None:
    given, _, then = _case(name)
    chosen = options(given.get("config", {}))
    found = extraction_cases.entries(given)
    planned = plan(found, given.get("maxEvidenceJsonChars", 12_000), chosen.max_evidence_records)
    if "plan" in then and then["plan"] is None:
        assert planned is None
        return
    assert planned is not None
    if "plan" in then:
        assert [one.seq for one in planned.entries] == then["plan"]["entrySeqs"]
        assert [record.source_ref for record in planned.records] == then["plan"]["evidenceRefs"]
    else:
        assert [len(record.text) for record in planned.records] == then["textCodePoints"]
        assert json_size(planned.records) == then["jsonLength"]


def test_one_message_less_fits_the_bound_of_records_EX_016() -> None:
    given, _, _ = _case("EX-016")
    planned = plan(extraction_cases.entries(given)[:64], max_records=64)
    assert planned is not None and len(planned.records) == 64


def test_a_budget_is_a_whole_number_EX_015() -> None:
    given, when, then = _case("EX-015")
    records = project_evidence(extraction_cases.entries(given))
    assert [fit(records, budget) is not None for budget in when["budgets"]] == then["fits"]


@pytest.mark.parametrize("name", ["EX-017", "EX-018", "EX-019", "EX-020", "EX-021", "EX-022"])
def test_a_search_returns_turns_and_their_neighbours(name: str) -> None:
    given, when, then = _case(name)
    found = search(extraction_cases.entries(given), when["throughSeq"], when["terms"], when.get("roles"))
    assert [one.seq for one in found] == then["seqs"]


def test_found_context_reads_as_lines_EX_023() -> None:
    given, _, then = _case("EX-023")
    assert render_context([one for one in extraction_cases.entries(given) if one.text]) == then["text"]


def test_found_context_is_bounded_EX_024() -> None:
    given, _, then = _case("EX-024")
    lines = render_context(extraction_cases.entries(given)).split("\n")
    assert [len(line) for line in lines] == then["lineCodePoints"]
    assert sum(map(len, lines)) == then["totalWithoutNewlines"]


@pytest.mark.parametrize("redact", [mask, port_redact])
def test_each_class_of_secret_is_masked_at_its_minimum_EX_040(redact: Any) -> None:
    given, _, then = _case("EX-040")
    assert [redact(item["text"]) for item in given["texts"]] == then["outputs"]


@pytest.mark.parametrize("bears", [lambda text: bool(find_secrets(text)), lambda text: port_redact(text) != text])
def test_one_character_less_is_no_secret_EX_041(bears: Any) -> None:
    given, _, then = _case("EX-041")
    assert [bears(item["text"]) for item in given["texts"]] == then["outputs"]


def test_split_and_named_secrets_are_found_EX_162() -> None:
    given, _, then = _case("EX-162")
    assert [bool(find_secrets(text)) for text in given["texts"]] == then["outputs"]
    assert all(mask(text) != text for text in given["texts"])


def test_ordinary_words_are_no_secrets_EX_163() -> None:
    given, _, then = _case("EX-163")
    assert [bool(find_secrets(text)) for text in given["texts"]] == then["outputs"]
    assert [mask(text) for text in given["texts"]] == given["texts"]
    assert all(port_redact(text) != text for text in given["texts"])


@pytest.mark.parametrize("name", ["EX-043", "EX-165"])
def test_content_has_one_form(name: str) -> None:
    given, _, then = _case(name)
    mode = options(given.get("config", {})).neutralize
    assert [canonical(text, mode) or None for text in given["inputs"]] == then["outputs"]


def test_content_is_cut_in_code_points_EX_044() -> None:
    given, _, then = _case("EX-044")
    assert [len(canonical(text)) for text in given["inputs"]] == then["codePoints"]


def test_a_trigger_has_one_identity_EX_045() -> None:
    given, _, then = _case("EX-045")
    assert [operation_id(one["sessionId"], one["boundarySeq"]) for one in given["snapshots"]] == then["outputs"]


def test_a_covered_range_has_a_hash_EX_046() -> None:
    given, when, then = _case("EX-046")
    found = extraction_cases.entries(given)
    for (after, through), wanted, preimage in zip(when["ranges"], then["outputs"], then["preimages"], strict=True):
        pairs = [
            [one.seq, f"{one.role}:{one.author}:{units(one.text or '')}"] for one in in_range(found, after, through)
        ]
        assert compact_json(pairs) == preimage
        assert coverage_hash(found, after, through) == wanted


def test_a_fact_has_one_identity_EX_047() -> None:
    given, _, then = _case("EX-047")
    assert [gap_id(content) for content in given["contents"]] == then["outputs"]


def test_a_long_range_is_cut_into_windows_EX_156() -> None:
    given, _, then = _case("EX-156")
    cut = windows(extraction_cases.entries(given), Options())
    assert [[window[0].seq, window[-1].seq] for window in cut] == then["windows"]
    assert all(json_size(project_evidence(window)) <= 12_000 for window in cut)


def test_the_first_event_of_a_log_is_evidence_EX_158() -> None:
    given, _, _ = _case("EX-158")
    found = extraction_cases.entries(given)
    assert [record.source_ref for record in project_evidence(in_range(found, -1, 1))] == ["event:0"]


def test_evidence_carries_the_minute_of_its_message_EX_159() -> None:
    given, _, then = _case("EX-159")
    records = project_evidence(extraction_cases.entries(given))
    assert [record.observed_at for record in records] == then["canonicalPromptObservedAt"]


def test_evidence_is_masked_before_anybody_sees_it_EX_164() -> None:
    given, _, then = _case("EX-164")
    shown = render(project_evidence(extraction_cases.entries(given)))
    assert then["anyPromptContains"]["text"] not in shown
    assert "deploy with [REDACTED] to eu-west-1" in shown


def test_paraphrases_share_content_words_EX_152() -> None:
    given, _, then = _case("EX-152")
    by_id = {gap["id"]: gap["content"] for gap in given["gaps"]}
    for one in then["suggestions"]:
        assert jaccard(by_id[one["a"]], by_id[one["b"]]) == one["jaccard"]


def test_settings_have_the_documented_defaults_EX_137() -> None:
    """The ledger is no unit of a host's, and a model's name holds its provider's (`decisions.md` §5.2, §8.1)."""
    given, _, then = _case("EX-137")
    chosen = options(given["config"])
    names = {"excludeSubagents": "exclude_subagents", "timeoutMs": "timeout_ms", "minGapEvidence": "min_gap_evidence"}
    names["gapLedgerMaxAgeMs"] = "gap_ledger_max_age_ms"
    named = None if chosen.model is None else chosen.model.partition("/")[0]
    ours = {"backend": "sqlite", "provider": named}
    holds(then, ours | {key: getattr(chosen, names.get(key, key)) for key in then.keys() - ours.keys()})


def test_settings_out_of_range_are_refused_EX_138() -> None:
    given, _, then = _case("EX-138")
    assert [_accepted(config) for config in given["table"]] == then["valid"]


def _accepted(config: Mapping[str, Any]) -> bool:
    try:
        options(config)
    except BadInput as error:
        assert next(iter(config)) in str(error)
        return False
    return True


def test_times_fit_their_kind_EX_172() -> None:
    given, _, then = _case("EX-172")
    rows = given["table"]
    found = [valid_temporal(row["temporalType"], row["eventStartedAt"], row["eventEndedAt"]) for row in rows]
    assert found == then["valid"]


def test_a_transcript_becomes_text_events() -> None:
    """Typed blocks of one record join; what was rewound, copied or written by others can be crossed, not quoted."""
    turns = (
        Turn(1, "line 1", Author.INJECTED, "hook output"),
        Turn(1, "line 1", Author.TYPED, "use pnpm", at=61_000, turn=1),
        Turn(1, "line 1", Author.TYPED, "please", at=61_000, turn=1),
        Turn(2, "line 2", Author.MODEL, "ok", turn=1),
        Turn(3, "line 3", Author.TOOL, "exit 0", turn=1),
        Turn(4, "line 4", Author.CHOSEN, "yes", question="Use npm?"),
        Turn(5, "line 5", Author.TYPED, "rewound", abandoned=True),
        Turn(6, "line 6", Author.TYPED, "copied", inherited=True),
        Turn(7, "line 7", Author.OTHER_AGENT, "report"),
    )
    found = entries(Session("x", "s", "/x", turns))
    assert [(one.seq, one.role, one.author, one.text) for one in found] == [
        (1, "user", "plugin", "hook output"),
        (1, "user", "user", "use pnpm\nplease"),
        (2, "assistant", "model", "ok"),
        (3, "other", "tool", None),
        (4, "user", "user", "yes"),
        (5, "other", "other", None),
        (6, "other", "other", None),
        (7, "other", "other", None),
    ]
    records = project_evidence(found)
    assert [(record.source_ref, record.text, record.observed_at) for record in records] == [
        ("event:1", "use pnpm please", 60_000),
        ("event:4", "yes", 0),
    ]
    assert json.loads(render(records))[1]["question"] == "Use npm?"
