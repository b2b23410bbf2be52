"""Paging: what the program is told, what its answer may do, and what becomes of the memories that it touches."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.context.fates import Fates
from pipeline.context.pack import Pack, assemble, without_paging
from pipeline.context.provider.hook import ask
from pipeline.context.provider.paged import apply_paging
from pipeline.context.provider.paging import is_stale, page, question
from pipeline.context.report import explained, report
from pipeline.context.request import Request
from store.memory import SELF_PROFILE_SUBJECT, Memory
from store.view import View
from tests.pipeline.context.worlds import NOW, answered, hooks, paged, pagings, requests, views

PATIENT = 5000
A, B, C, D = (f"facts/{name}.md" for name in "abcd")


def fact(name: str, day: str, **fields: Any) -> Memory:
    path = f"facts/{name}.md"
    return Memory(
        id=path, path=path, sha="", subject=name, statement=f"statement of {name}", created=day, updated=day, **fields
    )


def bank(*memories: Memory) -> View:
    return View.of([replace(memory, ordinal=at) for at, memory in enumerate(memories)])


FOUR = bank(*(fact(name, f"2026-11-0{9 - at}") for at, name in enumerate("abcd")))
REQUEST = Request("nova", limit=2, budget=5000, now=NOW)


def home_of(folder: Path, answer: Any, capability: str = "context.paging") -> Path:
    """A provider home whose program keeps the question and prints an answer."""
    folder.mkdir(exist_ok=True)
    script = f"import sys; open('asked.json', 'w').write(sys.stdin.read()); print({json.dumps(answer)!r})"
    (folder / "pager.py").write_text(script, encoding="utf-8")
    entry = {"id": "pg", "capabilities": [capability], "command": [sys.executable, "-S", "pager.py"]}
    document = {"schema": 1, "providers": [{**entry, "timeout_ms": PATIENT}]}
    (folder / "provider.json").write_text(json.dumps(document), encoding="utf-8")
    return folder


def files_in(pack: Pack, section: str) -> list[str]:
    return [line.entry for line in pack.lines if line.section == section and line.entry]


# --- the question


def test_the_question_tells_the_plan_the_sizes_and_who_is_protected(tmp_path: Path) -> None:
    own = Memory(
        id="private/nova/prefs/me.md",
        path="private/nova/prefs/me.md",
        sha="",
        type="PREF",
        subject=SELF_PROFILE_SUBJECT,
        statement="agent_name: Nova",
        scope="private",
        owner="nova",
        created="2026-08-01",
    )
    rule = replace(fact("rule", "2026-11-10"), id="bounds/r.md", path="bounds/r.md", type="BOUND")
    summary = fact("sum", "2026-10-01", source="consolidate")
    view = bank(*FOUR.live, own, rule, summary)
    home = home_of(tmp_path / "home", {"ok": True})
    result = page(view, replace(REQUEST, focus="statement of d"), answered((A,), (A,)), home)
    assert result is not None and result.status == "active" and not result.applied
    document = json.loads((home / "asked.json").read_text(encoding="utf-8"))
    assert list(document) == ["schema", "capability", "request_id", "payload"]
    assert (document["schema"], document["capability"]) == (1, "context.paging")
    payload = document["payload"]
    assert list(payload) == ["agent", "budget", "focus", "truncated", "protected", "sections", "candidates"]
    assert (payload["agent"], payload["budget"], payload["truncated"]) == ("nova", 5000, False)
    assert payload["protected"] == ["private/nova/prefs/me.md"]
    assert payload["sections"]["summary"] == ["facts/sum.md"]
    assert list(payload["sections"]) == ["summary", "focus", "corridor", "high_value"]
    assert [one["file"] for one in payload["candidates"]] == [B, C, D, "facts/sum.md"]
    fields = ["file", "type", "subject", "statement", "created", "updated", "chars", "baseline_section"]
    assert [list(one) for one in payload["candidates"]] == [fields] * 4
    assert payload["candidates"][0]["chars"] == len("- [FACT] b: statement of b")
    first = {one["file"]: one["baseline_section"] for one in payload["candidates"]}
    assert all(name in payload["sections"][section] for name, section in first.items())
    assert "private/nova/prefs/me.md" not in first and "bounds/r.md" not in first


def test_a_memory_outside_the_plan_has_no_section() -> None:
    view = bank(*(fact(f"n{at:02}", f"2026-10-{30 - at:02}") for at in range(20)))
    payload = json.loads(question(view, REQUEST).text)["payload"]
    sections = [one["baseline_section"] for one in payload["candidates"]]
    assert sections[:4].count("corridor") == 2 and sections.count("high_value") == 2 and sections.count("") == 16


def test_the_plan_leaves_the_budget_aside() -> None:
    tight = json.loads(question(FOUR, replace(REQUEST, budget=1)).text)["payload"]
    assert tight["sections"]["corridor"] == [A, B]
    assert tight["sections"]["high_value"] == [C, D]


def test_at_most_500_are_sent_and_then_no_order_counts(tmp_path: Path) -> None:
    view = bank(*(fact(f"n{at:03}", "2026-10-01") for at in range(501)))
    answer = {"ok": True, "data": {"order": ["facts/n400.md"], "drop": ["facts/n000.md"], "complete": True}}
    result = page(view, REQUEST, None, home_of(tmp_path / "home", answer))
    assert result is not None and result.truncated and len(result.sent) == 500
    assert (result.drop, result.order) == (("facts/n000.md",), ())
    assert result.note == "There are more than 500 candidates: the order was not applied, for safety."


# --- when it is asked


@pytest.mark.parametrize("paging", [None, True, False])
@pytest.mark.parametrize("budget", [0, 5000])
@pytest.mark.parametrize("capability", ["context.paging", "memory.hook"])
def test_it_is_asked_with_a_budget_where_a_program_declares_it(
    paging: bool | None, budget: int, capability: str, tmp_path: Path
) -> None:
    home = home_of(tmp_path / "home", {"ok": True}, capability)
    result = page(FOUR, replace(REQUEST, paging=paging, budget=budget), None, home)
    asked = paging is not False and budget > 0 and capability == "context.paging"
    assert (home / "asked.json").exists() is asked
    expected = "active" if asked else "not_requested" if not budget else "not_installed"
    assert (result.status if result else None) == (expected if asked or paging else None)


def test_a_broken_configuration_is_told_where_paging_was_asked_for(tmp_path: Path) -> None:
    (tmp_path / "provider.json").write_text("[]")
    assert page(FOUR, REQUEST, None, tmp_path) is None
    result = page(FOUR, replace(REQUEST, paging=True), None, tmp_path)
    assert result is not None
    assert (result.status, result.note) == ("error", "provider.json is not valid: the top level must be an object.")


def test_one_program_may_hook_and_page(tmp_path: Path) -> None:
    home = home_of(tmp_path / "home", {"ok": True, "data": {"evict": [A], "drop": [B]}})
    text = (home / "provider.json").read_text().replace('["context.paging"]', '["memory.hook", "context.paging"]')
    (home / "provider.json").write_text(text)
    hook = ask(FOUR, REQUEST, home)
    result = page(FOUR, REQUEST, hook, home)
    assert result is not None
    fates = Fates(assemble(FOUR, REQUEST, hook, result))
    assert {fate.id: fate.outcome for fate in fates} == {A: "evicted", B: "paged_out", C: "included", D: "included"}
    lines = [json.loads(line) for line in (home / "provider-audit.jsonl").read_text().splitlines()]
    assert [line["capability"] for line in lines] == ["memory.hook", "context.paging"]


def test_an_answer_belongs_to_its_question(tmp_path: Path) -> None:
    result = page(FOUR, REQUEST, None, home_of(tmp_path / "home", {"ok": True}))
    assert result is not None
    assert not is_stale(result, FOUR, REQUEST, None)
    assert not is_stale(result, FOUR, replace(REQUEST, explain=True), None)
    assert is_stale(result, FOUR, replace(REQUEST, limit=3), None)
    assert is_stale(result, FOUR, replace(REQUEST, budget=4000), None)
    assert is_stale(result, FOUR, REQUEST, answered((A,), (A,)))


# --- the answer

NAMES = st.sampled_from((A, B, C, "./" + A, "", "x"))
JSON = st.none() | st.booleans() | st.integers() | st.text(max_size=3) | st.lists(st.integers(), max_size=2)


@given(
    st.dictionaries(st.sampled_from(("drop", "order", "complete", "other")), JSON | st.lists(NAMES | JSON)),
    st.booleans(),
)
def test_fuzz_only_what_was_sent_is_dropped_or_ordered(data: dict[str, object], truncated: bool) -> None:
    verdict = apply_paging(data, (A, B, C), truncated)
    assert set(verdict.drop) | set(verdict.order) <= {A, B, C}
    assert not set(verdict.drop) & set(verdict.order)
    assert len(set(verdict.order)) == len(verdict.order)
    assert not verdict.order or (data["complete"] is True and not truncated)
    assert verdict.applied == bool(verdict.drop or verdict.order)
    assert not {one.name for one in verdict.dropped} & {A, B, C}


def test_a_foreign_name_is_ignored_and_named_in_the_note() -> None:
    verdict = apply_paging({"drop": ["x", A], "order": ["y", B, "x"], "complete": True}, (A, B), False)
    assert (verdict.drop, verdict.order) == ((A,), (B,))
    assert verdict.note == "Names that were not sent are ignored: x, y."
    many = apply_paging({"drop": [f"n{at}" for at in range(9)]}, (A,), False)
    assert many.note == "Names that were not sent are ignored: n0, n1, n2, n3, n4 and 4 more."


def test_an_order_without_complete_does_nothing_and_says_so() -> None:
    verdict = apply_paging({"order": [B, A]}, (A, B), False)
    assert (verdict.applied, verdict.order, verdict.ignored) == (
        False,
        (),
        ("`order` was ignored: `complete` is not true.",),
    )


# --- the pack


def test_what_is_named_first_comes_first_in_its_section_and_the_rest_follows() -> None:
    ordered = assemble(FOUR, REQUEST, None, paged((A, B, C, D), {"order": [D, B], "complete": True}))
    assert files_in(ordered, "3") == [D, B]
    assert files_in(ordered, "4") == [A, C]
    plain = without_paging(ordered)
    assert (files_in(plain, "3"), files_in(plain, "4")) == ([A, B], [C, D])
    told = {fate.id: (fate.outcome, fate.place, fate.paged) for fate in Fates(ordered)}
    assert told == {
        D: ("included", "3 1", "moved"),
        B: ("included", "3 2", ""),
        A: ("included", "4 1", "moved"),
        C: ("included", "4 2", ""),
    }


def test_summaries_and_hits_of_the_focus_are_ordered_within_themselves() -> None:
    view = bank(*(fact(name, f"2026-11-0{9 - at}", source="consolidate") for at, name in enumerate("abcd")))
    pack = assemble(view, replace(REQUEST, limit=10), None, paged((A, B, C, D), {"order": [D, C], "complete": True}))
    assert files_in(pack, "2.5") == [D, C, A]
    assert Fates(pack).of(B).outcome == "summary_overflow"
    focused = replace(REQUEST, focus="statement", limit=3)
    before = files_in(assemble(FOUR, focused), "2.6")
    order = list(reversed(before))
    after = files_in(assemble(FOUR, focused, None, paged((A, B, C, D), {"order": order, "complete": True})), "2.6")
    assert after == order and len(order) == 3


def test_what_is_dropped_keeps_the_place_it_would_have_had_and_others_come_in() -> None:
    one = replace(REQUEST, limit=1)
    fates = Fates(assemble(FOUR, one, None, paged((A, B, C, D), {"drop": [A]})))
    rows = [(fate.id, fate.outcome, fate.place, fate.paged) for fate in fates]
    assert rows == [
        (A, "paged_out", "3 (1)", "dropped"),
        (B, "included", "3 1", "moved"),
        (C, "included", "4 1", "entered"),
        (D, "over_limit", "4 (1)", ""),
    ]
    assert fates.counts.outcomes["paged_out"] == 1 and fates.counts.moved_up == 0


def test_what_a_new_order_leaves_no_room_for_is_told() -> None:
    """With a budget for one memory, the one named first is in, and the one that was in is refused."""
    end = assemble(FOUR, replace(REQUEST, budget=0), None, paged((A,), {})).attempts[0]
    tight = replace(REQUEST, limit=1, budget=end.used_before + end.chars)
    fates = Fates(assemble(FOUR, tight, None, paged((A, B, C, D), {"order": [D], "complete": True})))
    assert (fates.of(D).outcome, fates.of(D).paged) == ("included", "entered")
    assert (fates.of(A).outcome, fates.of(A).paged) == ("budget", "left")


def test_the_profile_is_made_anew_without_what_was_paged_out() -> None:
    tea = Memory(
        id="private/nova/prefs/t.md",
        path="private/nova/prefs/t.md",
        sha="",
        type="PREF",
        subject="tea",
        statement="green tea before noon",
        scope="private",
        owner="nova",
        created="2026-11-01",
    )
    view = bank(*FOUR.live, tea)
    request = replace(REQUEST, profile="an older profile: green tea before noon", explain=True, limit=9)
    pack = assemble(view, request, None, paged((A, tea.path), {"drop": [tea.path]}))
    assert "green tea" not in pack.text
    assert "[profile] source: live reason: context.paging" in pack.trace
    assert pack.trace[0] == "[paging] status: active provider: pg dropped: 1 ordered: 0 truncated: false"
    untouched = assemble(view, request, None, paged((A, tea.path), {}))
    assert "an older profile" in untouched.text


def test_the_status_line_stands_behind_that_of_the_hook_and_a_failure_changes_nothing_else() -> None:
    failed = paged((A,), {}, status="timeout", note="The provider timed out.")
    plain = assemble(FOUR, REQUEST, answered((A,), ()))
    pack = assemble(FOUR, REQUEST, answered((A,), ()), failed)
    lines = [line.text for line in pack.lines]
    assert lines[4] == "- 扩展装载（context.paging）: 未生效：扩展超时，已退回普通记忆"
    assert lines[:4] + lines[6:] == [line.text for line in plain.lines]


def test_the_block_stands_between_hook_and_text_only_where_paging_was_asked() -> None:
    assert list(report(assemble(FOUR, REQUEST))) == ["schema", "hook", "text"]
    result = paged((A, B, C, D), {"drop": [A, "x"], "order": [C], "complete": True}, budget=5000)
    pack = assemble(FOUR, REQUEST, None, result)
    found = report(pack)
    assert list(found) == ["schema", "hook", "paging", "text"]
    assert found["paging"] == {
        "status": "active",
        "provider_id": "pg",
        "applied": True,
        "dropped": [A],
        "ordered": [C],
        "truncated": False,
        "budget": 5000,
        "used": 3 * len("- [FACT] c: statement of c"),
        "note": "Names that were not sent are ignored: x.",
    }
    items = {item["file"]: item for item in explained(pack)["decisions"]["items"]}
    assert (items[A]["outcome"], items[A]["paging"]) == ("paged_out", "dropped")


@given(st.data())
def test_property_paging_only_removes_and_moves_what_was_sent(data: st.DataObject) -> None:
    """Whatever the answer: what is paged out was sent, and a touched memory's record says how."""
    view, request = data.draw(views()), data.draw(requests())
    hook = data.draw(hooks(view, request))
    result = data.draw(pagings(view, request, hook))
    pack = assemble(view, request, hook, result)
    before = assemble(view, request, hook)
    for fate in Fates(pack):
        was, now = fate.id in before.included, fate.id in pack.included
        if fate.outcome == "always":
            continue
        assert (fate.outcome == "paged_out") == (fate.paged == "dropped")
        assert fate.outcome != "paged_out" or (result is not None and fate.memory.path in result.sent and not now)
        if fate.paged != "dropped" and (result is None or result.applied):
            assert (fate.paged == "entered") == (now and not was)
            assert (fate.paged == "left") == (was and not now)


@given(views(), requests(), st.randoms(use_true_random=False))
def test_property_an_order_changes_no_set_where_everything_fits(view: View, request: Request, random: Any) -> None:
    """Without a budget and with room for all, the same memories are shown in another order."""
    request = replace(request, budget=0, limit=50, focus="")
    files = list(dict.fromkeys(question(view, request).files))
    random.shuffle(files)
    plain = assemble(view, request)
    pack = assemble(view, request, None, paged(tuple(files), {"order": files, "complete": True}))
    if len(pack.standing.summaries) <= 3 and not pack.standing.twins:
        assert sorted(pack.included) == sorted(plain.included)


def test_a_fault_of_our_own_leaves_the_pack_whole_and_its_values_out_of_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise IndexError(B)

    monkeypatch.setattr("pipeline.context.provider.exchange.run", fails)
    hook = ask(FOUR, REQUEST, home_of(tmp_path / "hook", {}, "memory.hook"))
    paging = page(FOUR, REQUEST, hook, home_of(tmp_path / "paging", {}))
    assert paging is not None
    note = "Memdesk itself failed while it asked the provider (IndexError)."
    assert [(one.status, one.note, one.provider) for one in (hook, paging)] == [("error", note, "pg")] * 2
    assert assemble(FOUR, REQUEST, hook, paging).included == assemble(FOUR, REQUEST).included
    assert "exchange.py" in caplog.text and B not in caplog.text
