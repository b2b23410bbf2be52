"""The pack without a hook: sections, orders, budget, duplicates, focus, profile (`spec/context.md` §1–§13)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pipeline.context.fates import Fates
from pipeline.context.pack import Pack, assemble
from pipeline.context.profile import profile
from pipeline.context.provider.hook import question
from pipeline.context.report import explained, refused
from pipeline.context.request import check
from pipeline.measure import days, units
from pipeline.recall.scores import backfill_score
from store.errors import MemdeskError
from store.view import View
from tests.conformance.context_world import (
    CASES,
    bank,
    request_of,
    section_files,
    section_lines,
    view_of,
)

TODAY = "2026-11-30"


def _pack(name: str, command: str | None = None, **changes: Any) -> Pack:
    case = CASES[name]
    request = request_of(command or case["when"]["command"], case["given"])
    return assemble(bank(case["given"]), replace(request, **changes))


def _then(name: str) -> Any:
    return CASES[name]["then"]


def _start(pack: Pack, file: str) -> int:
    """The offset in UTF-16 units at which the line of a file starts in the text."""
    line = next(line for line in pack.lines if line.entry == file)
    before = pack.text[: pack.text.index(line.text)]
    assert units(before) == line.used_before
    return units(before)


def test_the_sections_stand_in_order_CTX_SEC_01() -> None:
    then = _then("CTX-SEC-01")
    headings = [line.text for line in _pack("CTX-SEC-01").lines if line.text.startswith("#") and line.section != "2"]
    headings.insert(3, "## 2. 用户画像摘要")
    assert headings == then["headings_in_order"]
    without = _pack("CTX-SEC-01", "context --agent nova").text
    assert "## 2.6" not in without
    assert "## 8." not in without


def test_summaries_first_then_the_newest_then_the_most_valuable_CTX_SEC_02() -> None:
    then = _then("CTX-SEC-02")
    pack = _pack("CTX-SEC-02")
    assert list(pack.trace) == then["trace"]
    for file, score in then["section_4_scores"].items():
        assert backfill_score(pack.view.memories[file], TODAY) == pytest.approx(score, abs=5e-5)
    assert section_lines(pack, "3")[0] == then["first_line_of_3"]


def test_newer_first_then_more_used_then_original_order_CTX_SEC_03() -> None:
    assert section_files(_pack("CTX-SEC-03"), "3") == _then("CTX-SEC-03")["section_3"]


def test_a_limit_of_zero_or_no_number_means_fifty_CTX_SEC_04() -> None:
    counts = [
        len(section_files(_pack("CTX-SEC-04", command), "3")) for command in CASES["CTX-SEC-04"]["when"]["commands"]
    ]
    assert counts == _then("CTX-SEC-04")["lines_in_section_3"]


def test_a_fourth_summary_is_itemised_as_overflow_CTX_SEC_05() -> None:
    then = _then("CTX-SEC-05")
    pack = _pack("CTX-SEC-05")
    assert section_files(pack, "2.5") == then["section_2.5"]
    assert section_files(pack, "3") == then["section_3"]
    assert "facts/s1.md" not in pack.text
    assert Fates(pack).of("facts/s1.md").outcome == "summary_overflow"


def test_boundaries_are_always_whole_CTX_SEC_06() -> None:
    assert section_lines(_pack("CTX-SEC-06"), "5") == _then("CTX-SEC-06")["section_5"]


def test_a_commitment_of_seven_days_is_fine_and_of_eight_overdue_CTX_SEC_07() -> None:
    case = CASES["CTX-SEC-07"]
    for day, age, overdue in zip(
        case["given"]["commit_updated_variants"], case["then"]["days"], case["then"]["overdue_remark"], strict=True
    ):
        entry = {
            "file": "private/nova/commits/c.md",
            "type": "COMMIT",
            "subject": "c",
            "statement": "x",
            "updated": day,
        }
        pack = assemble(view_of([entry]), request_of("context --agent nova", {}))
        assert days(day, TODAY) == age
        commit = section_lines(pack, "7")[3]
        assert (f"{age} 天" in commit) is overdue
        assert day in commit


def test_what_is_older_than_180_days_is_counted_CTX_SEC_08() -> None:
    then = _then("CTX-SEC-08")
    pack = _pack("CTX-SEC-08")
    assert [days(memory.created, TODAY) for memory in pack.view.live] == then["ages"]
    commit, archive = section_lines(pack, "7")[3:]
    assert f" {then['archive_reminder_count']} " in archive
    assert commit == "- 还没有任何 COMMIT：收工前写下第一条。"


def test_nothing_is_said_of_what_may_not_be_read_CTX_SEC_09() -> None:
    pack = _pack("CTX-SEC-09")
    printed = str(explained(pack))
    assert "do not show" not in printed
    assert "private/rhea" not in printed
    assert section_files(pack, "3") == _then("CTX-SEC-09")["section_3"]
    assert Fates(pack).counts.unseen["unreadable"] == 1


def test_a_refused_pack_has_a_code_and_no_hook_CTX_SEC_10() -> None:
    """Without a bank the command has no view to ask with (exit 2 by `decisions.md` §7); the report is the same."""
    then = _then("CTX-SEC-10")
    assert refused() == then["json"]
    for variant, command in {"no identity": "context --json", "bad year": "context --agent nova --year 26"}.items():
        request = request_of(command, {})
        with pytest.raises(MemdeskError) as refusal:
            check(request)
        assert refusal.value.exit_code == then["exit_code"][variant]
        with pytest.raises(MemdeskError):
            assemble(View.of([]), request)


def test_the_year_is_that_of_creation_CTX_SEC_11() -> None:
    pack = _pack("CTX-SEC-11")
    assert section_files(pack, "3") == _then("CTX-SEC-11")["section_3"]
    assert Fates(pack).counts.unseen["outside_year"] == 1


def test_a_line_that_ends_on_the_budget_fits_CTX_BUD_01() -> None:
    file = "facts/2026/11/2026-11-28-0001.md"
    free = _pack("CTX-BUD-01", "context --agent nova")
    start = _start(free, file)
    assert units(next(line.text for line in free.lines if line.entry == file)) == 52
    found = []
    for budget in (start + 52, start + 51):
        tries = Fates(_pack("CTX-BUD-01", "context --agent nova", budget=budget)).of(file).attempts
        found.append([(attempt.outcome, attempt.section) for attempt in tries])
    assert found == [[("included", "3")], [("budget", "3"), ("budget", "4")]]


def test_a_shorter_memory_may_fit_after_a_refused_one_CTX_BUD_02() -> None:
    then = _then("CTX-BUD-02")
    start = _start(_pack("CTX-BUD-02", "context --agent nova"), "facts/long.md")
    pack = _pack("CTX-BUD-02", "context --agent nova --explain", budget=start + 13)
    assert section_files(pack, "3") == then["section_3"]
    assert list(pack.trace) == then["trace"]
    assert section_lines(pack, "3") == [then["line_of_short"]]


def test_a_tiny_budget_refuses_all_that_it_governs_CTX_BUD_03() -> None:
    then = _then("CTX-BUD-03")
    pack = _pack("CTX-BUD-03")
    for key in ("2.5", "3", "4", "5", "6"):
        assert section_files(pack, key) == then[f"section_{key}"]
    dropped = [line for line in pack.trace if line.startswith("[dropped]")]
    assert (len(dropped), len(set(dropped))) == (then["dropped_lines"], then["distinct_dropped_files"])
    assert units(pack.text) > 1
    assert section_lines(pack, "3") == []
    assert Fates(pack).counts.outcomes["budget"] == 4


def test_an_emoji_counts_two_CTX_BUD_04() -> None:
    then = _then("CTX-BUD-04")
    start = _start(_pack("CTX-BUD-04", "context --agent nova"), "facts/emoji.md")
    packs = [_pack("CTX-BUD-04", "context --agent nova", budget=start + more) for more in (19, 18)]
    assert ["facts/emoji.md" in section_files(pack, "3") for pack in packs] == then["included"]
    assert section_lines(packs[0], "3") == [then["line"]]
    assert units(then["line"]) == then["line_units"]


def test_no_negative_or_unreadable_budget_limits_anything_CTX_BUD_05() -> None:
    case = CASES["CTX-BUD-05"]
    commands = [f"context --agent nova {words if words != '(none)' else ''}" for words in case["when"]["commands"]]
    packs = [_pack("CTX-BUD-05", command) for command in commands]
    assert len({pack.text for pack in packs}) == 1
    sent = [question(pack.view, pack.request).text for pack in packs]
    budgets = [text.split('"budget": ')[1].split(",")[0] for text in sent]
    assert [int(budget) for budget in budgets] == case["then"]["payload.budget"]


def test_a_long_profile_is_printed_whole_and_leaves_no_room_CTX_BUD_06() -> None:
    pack = _pack("CTX-BUD-06")
    assert "p" * 5000 in pack.text
    assert section_files(pack, "3") == []
    assert _then("CTX-BUD-06")["trace_has"] in pack.trace
    assert pack.bar.over > 0


def test_a_summary_that_answers_the_focus_is_shown_once_CTX_DUP_01() -> None:
    then = _then("CTX-DUP-01")
    pack = _pack("CTX-DUP-01")
    wanted = then["trace_contains_in_order"]
    assert [line for line in pack.trace if line in wanted] == wanted
    assert pack.text.count("redis notes merged") == then["lines_with_facts/sum.md_text"]
    assert section_files(pack, "2.6") == ["facts/r.md"]
    assert "facts/r.md" not in section_files(pack, "3")
    assert not any("facts/r.md reason: duplicate" in line for line in pack.trace)


def test_the_same_file_of_two_banks_is_shown_once_and_said_to_differ_CTX_DUP_02() -> None:
    then = _then("CTX-DUP-02")
    pack = _pack("CTX-DUP-02")
    assert section_lines(pack, "3") == ["- [FACT] team port: 8080"]
    assert list(pack.trace) == then["trace"]
    fate = Fates(pack).of("user:facts/2026-11-09-0001.md")
    assert (fate.outcome, fate.root, fate.duplicate_of) == ("duplicate", "user", "project:facts/2026-11-09-0001.md")
    assert fate.differs


def test_one_hit_has_its_raw_score_and_several_the_fused_one_CTX_FOC_01() -> None:
    case = CASES["CTX-FOC-01"]
    for words, wanted in zip(case["when"]["commands"], case["then"]["trace_2.6"], strict=True):
        pack = _pack("CTX-FOC-01", f"context --agent nova {words}")
        assert [line for line in pack.trace if "focus_match" in line] == wanted
    fates = Fates(_pack("CTX-FOC-01", "context --agent nova --focus redis"))
    assert {fates.scores(fate.memory).scale for fate in fates} == {"fused", ""}


def test_a_boundary_that_answers_the_focus_is_shown_twice_CTX_FOC_02() -> None:
    then = _then("CTX-FOC-02")
    pack = _pack("CTX-FOC-02")
    assert section_lines(pack, "2.6") == then["section_2.6"]
    assert section_lines(pack, "5") == then["section_5"]
    fates = Fates(pack)
    fate = fates.of("private/nova/bounds/2026/10/2026-10-01-0001.md")
    assert (fate.outcome, fate.place) == ("always", "5 1")
    assert "2.6" in fates.also_visible_in(fate)


def test_a_preview_changes_nothing_CTX_FOC_03() -> None:
    case = CASES["CTX-FOC-03"]
    view = bank(case["given"])
    before = dict(view.memories)
    pack = assemble(view, request_of(case["when"]["command"], case["given"]))
    assert section_files(pack, "2.6") == ["facts/2026-11-01-0001.md"]
    assert dict(view.memories) == before
    assert view.memories["facts/2026-11-01-0001.md"].access_count == 0


def test_the_profile_groups_what_is_known_without_inference_PRO_01() -> None:
    then = _then("PRO-01")
    lines = profile(bank(CASES["PRO-01"]["given"]), "nova", "nova", TODAY).split("\n")
    assert [line for line in lines if line.startswith("## ")] == then["groups"]
    items = [line for line in lines if line.lstrip().startswith("- ")]
    assert items == [*then["item_lines"], "  - private/nova/bounds/2026-11-03-0001.md"]


def test_the_profile_reads_year_and_month_folders_PRO_02() -> None:
    text = profile(bank(CASES["PRO-02"]["given"]), "nova", "nova", TODAY)
    found = [word for word in ("FLAT", "LAYERED") if word in text]
    assert found == _then("PRO-02")["product (0.20 rule)"]


def test_the_profile_of_another_owner_needs_the_readers_own_right_PRO_03() -> None:
    then, given = _then("PRO-03"), CASES["PRO-03"]["given"]
    with pytest.raises(MemdeskError) as refusal:
        profile(View.of([]), "nova", "rhea", TODAY)
    assert refusal.value.exit_code == then["first"]["exit_code"]
    request = request_of("context --agent nova --owner rhea", given)
    assert request.profile == "rhea profile body"
    assert "rhea profile body" not in assemble(View.of([]), request).text
    granted = View.of([], grants={"nova": ("rhea",)})
    assert "rhea profile body" in assemble(granted, request).text


def test_a_stored_profile_is_printed_with_its_age_known_and_a_missing_one_made_PRO_04() -> None:
    pack = _pack("PRO-04", "context --agent nova")
    assert section_lines(pack, "2") == ["```markdown", "stale text from last month", "```"]
    assert (pack.profile.source, pack.profile.age_days) == ("stored", 41)
    made = _pack("PRO-04", "context --agent nova", profile="")
    assert made.profile.source == "generated"
    assert "- short answers（confidence 1 · 未访问）" in section_lines(made, "2")


def test_every_case_of_the_pack_has_its_test() -> None:
    """The ids at the ends of the names above are the cases of these areas."""
    wanted = {
        name.replace("-", "_") for name, case in CASES.items() if case["area"].startswith(("context.", "profile"))
    }
    names = [name for name in globals() if name.startswith("test_")]
    assert {name for name in wanted if not any(test.endswith(f"_{name}") for test in names)} == set()
