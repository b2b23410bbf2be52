"""The Context as a person uses it: what the agent gets, what fell out and why, and what would be otherwise."""

from __future__ import annotations

import os
import re
from datetime import datetime, timedelta

import pytest

from store.bank import Bank
from tests.tui.conftest import NOW, Home, MakeBank, Opened
from tests.tui.context_world import (
    FORGETS,
    HOSTILE,
    MEMORIES,
    counted,
    focused,
    id_of,
    press,
    quiet,
    row_of,
    screen,
    visit,
)
from tests.tui.screen import screen_text
from tui.screens.context_text import TextRows

pytestmark = pytest.mark.usefixtures("quick_rounds", "quick_rest")


@pytest.fixture
def bank(make_bank: MakeBank) -> Bank:
    """The birthday bank."""
    return make_bank(MEMORIES)


# --- evictions


@pytest.mark.parametrize("no_colour", ["", "1"])
async def test_evictions_are_marked_by_sign_and_word_with_and_without_colour(
    bank: Bank, opened: Opened, home: Home, monkeypatch: pytest.MonkeyPatch, no_colour: str
) -> None:
    home()
    if no_colour:
        monkeypatch.setenv("NO_COLOR", no_colour)
    async with opened(bank) as pilot:
        text = await focused(pilot)
        assert row_of(text, "party").startswith(" - evicted    2.6  (2)")
        assert row_of(text, "party").rstrip("▁▂▃▄▅▆▇█ ").endswith("by forget-old")
        rows = screen(pilot).rows
        place = next(at for at in range(len(rows.source)) if rows.source.id(at) == id_of(bank, "party"))
        sign = next(part for part in rows.render_line(place - rows.scroll_offset.y) if part.text == "-")
        plain = next(part for part in rows.render_line(place + 1 - rows.scroll_offset.y) if part.text == "FACT   ")
        coloured = sign.style is not None and plain.style is not None and sign.style.color != plain.style.color
        assert coloured or no_colour


async def test_what_moved_up_because_of_an_eviction_has_its_own_sign(bank: Bank, opened: Opened, home: Home) -> None:
    home()
    async with opened(bank) as pilot:
        await visit(pilot)
        screen(pilot).try_out(screen(pilot).now.__class__("ana", "", 0, 2), None)
        text = await quiet(pilot)
        assert row_of(text, "party").startswith(" - evicted    3    (2)")
        assert row_of(text, "東京").startswith(" ^ included   3      2")
        assert "moved up" in row_of(text, "東京")
        assert "^" in next(line for line in text.splitlines() if "+ in" in line)


async def test_the_detail_says_who_took_it_out_and_where_it_would_be(bank: Bank, opened: Opened, home: Home) -> None:
    home()
    async with opened(bank) as pilot:
        await focused(pilot)
        screen(pilot).rows.go_to(id_of(bank, "party"))
        text = await quiet(pilot)
    assert "forget-old took it out and gave no reason. Answered in 0 of 5,000 ms." in text
    assert "Without the hook it would be second in section 2.6 (the task).  H turns the" in text
    assert re.search(r"- evicted   [-0-9]{15}   FACT   public", text)


async def test_turning_the_hook_off_puts_back_what_it_took_and_shows_the_difference(
    bank: Bank, opened: Opened, home: Home
) -> None:
    home()
    async with opened(bank, size=(100, 30)) as pilot:
        before = await focused(pilot)
        assert counted(before)[0]["evicted"] == 2
        text = await press(pilot, "H")
        assert "hook off" in text and counted(text)[0]["evicted"] == 0
        assert row_of(text, "party").startswith(" + included   2.6    2")
        assert "forget-old takes it" in row_of(text, "party")
        assert "Hook off: 2 came in. Read only: a preview changes nothing." in text
        text = await press(pilot, "d")
        assert "against today   2 came in, 0 left" in text
        source = screen(pilot).text.source
        assert isinstance(source, TextRows)
        place = source.place(id_of(bank, "party")) or 0
        assert source.text(place) == "- [FACT] party: the birthday party was at the lake in 2019"
        assert (source.sign(place), source.note(place)) == ("+", "came in")
        assert source.first_change == screen(pilot).text.cursor < place
        screen(pilot).text.cursor = place
        assert re.search(r"\+ +- \[FACT\] party: .* came in", await quiet(pilot))
        assert screen(pilot).current_memory().subject == "party"  # type: ignore[union-attr]
        text = await press(pilot, "escape", "H")
        assert "hook last answer" in text and counted(text)[0]["evicted"] == 2


async def test_without_a_what_if_nothing_differs_from_today(bank: Bank, opened: Opened, home: Home) -> None:
    home()
    async with opened(bank) as pilot:
        await visit(pilot)
        text = await press(pilot, "d")
        assert "no difference   this is today's pack" in text
        assert "Today: as ana, no focus, no budget, limit 10, hook on." in text


async def test_every_memory_is_accounted_for_whatever_is_asked(bank: Bank, opened: Opened, home: Home) -> None:
    home()
    async with opened(bank, size=(140, 40)) as pilot:
        await visit(pilot)
        for keys in ((), ("H",), ("minus", "minus"), ("/", *"birthday", "enter"), ("escape",)):
            numbers, total = counted(await press(pilot, *keys))
            assert sum(numbers.values()) == total == len(bank.view().live) == 11
            assert numbers["private to others"] == 1 and numbers["always"] == 2


# --- inputs


async def test_plus_and_minus_try_another_budget_at_once(bank: Bank, opened: Opened) -> None:
    async with opened(bank, size=(140, 40)) as pilot:
        text = await visit(pilot, agree="")
        assert "no budget" in text and "budget 1" not in text
        assert "There is no budget to enlarge" in await press(pilot, "+")
        used = screen(pilot).preview.pack.bar.used  # type: ignore[union-attr]
        text = await press(pilot, "-")
        smaller = screen(pilot).now.budget
        assert smaller == (used - 1) // 100 * 100 and f"budget {smaller:,}" in text
        text = await press(pilot, "-")
        assert screen(pilot).now.budget == smaller - 100 and f"budget {smaller - 100:,}" in text
        assert " left. Read only" in text and "! budget" in text and "short" in text
        assert "NEXT WITH MORE BUDGET" in await press(pilot, "j")
        text = await press(pilot, "+", "+")
        assert screen(pilot).now.budget == smaller + 100 and "budget" in text
        assert counted(text)[0].get("budget", 0) == 0


async def test_a_budget_can_be_typed_and_what_is_no_number_is_refused(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await visit(pilot, agree="")
        assert "A budget is a whole number of characters" in await press(pilot, "=", *"many", "enter")
        text = await press(pilot, *["backspace"] * 4, *"1,300", "enter")
        assert screen(pilot).now.budget == 1300 and "/ 1,300" in text and "Budget 1,300" in text


async def test_a_refused_memory_says_how_much_is_missing_and_which_budget_takes_it(bank: Bank, opened: Opened) -> None:
    async with opened(bank, size=(140, 40)) as pilot:
        await visit(pilot, agree="")
        used = screen(pilot).preview.pack.bar.used  # type: ignore[union-attr]
        screen(pilot).try_out(screen(pilot).now.__class__("ana", "", used - 200, 10), None)
        text = await quiet(pilot)
        assert row_of(text, "planning").startswith(" ! budget")
        screen(pilot).rows.go_to(id_of(bank, "planning"))
        text = await quiet(pilot)
        assert "characters were refused when" in text and "= types one." in text
        budget = int(re.search(r"a budget of ([\d,]+)", text)[1].replace(",", ""))  # type: ignore[index]
        screen(pilot).try_out(screen(pilot).now.__class__("ana", "", budget, 10), None)
        assert row_of(await quiet(pilot), "planning").startswith((" + included", ">+ included"))


async def test_what_if_tries_everything_at_once_and_escape_goes_back_to_today(bank: Bank, opened: Opened) -> None:
    async with opened(bank, size=(100, 30)) as pilot:
        await visit(pilot, agree="")
        await press(pilot, "w", *"birthday", "tab", *"1400", "tab", "backspace", "backspace", "3")
        text = await press(pilot, "ctrl+s")
        assert "what if" in text and "budget 1,400   limit 3" in text and "against today" in text
        assert screen(pilot).now.focus == "birthday" and screen(pilot).today.focus == ""
        await press(pilot, "escape")
        text = await press(pilot, "escape")
        assert "what if" not in text.splitlines()[1] and "no budget   limit 10" in text


async def test_a_what_if_can_become_today_and_is_there_the_next_time(bank: Bank, opened: Opened) -> None:
    async with opened(bank, remember=True) as pilot:
        await visit(pilot, agree="")
        await press(pilot, "w", *"tea", "tab", *"1500", "tab", "tab", "tab", "tab", "m", "ctrl+s")
        assert screen(pilot).today.budget == 1500
    async with opened(bank, remember=True) as pilot:
        text = await visit(pilot, agent="", agree="")
        assert "as ana" in text and "/ tea" in text and "budget 1,500" in text and "what if" not in text.splitlines()[1]


async def test_a_bad_limit_is_said_in_the_form(bank: Bank, opened: Opened) -> None:
    async with opened(bank) as pilot:
        await visit(pilot, agree="")
        text = await press(pilot, "w", "tab", "tab", "backspace", "backspace", "0", "ctrl+s")
        assert "A limit is a whole number from 1 on" in text


# --- what is shown


@pytest.mark.parametrize("columns", [140, 110, 100, 80, 72, 60, 40])
async def test_what_does_not_fit_behind_the_focus_is_left_out_whole(bank: Bank, opened: Opened, columns: int) -> None:
    """The hook first, then the budget, then the limit: no word of them is cut."""
    async with opened(bank, size=(columns, 30)) as pilot:
        await visit(pilot, agree="")
        await press(pilot, "minus")
        line = screen_text(pilot.app).splitlines()[1]
        assert re.search(r" no hook(   budget 1,\d00(   limit 10)?)?$", line), line


async def test_of_a_hook_that_waits_a_narrow_window_shows_the_beginning(bank: Bank, opened: Opened, home: Home) -> None:
    home()
    async with opened(bank, size=(40, 30)) as pilot:
        line = (await visit(pilot, agree="")).splitlines()[1]
        assert re.search(r" hook waits[a-z ]*\.\.$", line), line


async def test_the_profile_that_another_engine_keeps_is_in_the_pack(bank: Bank, opened: Opened) -> None:
    """As in `memdesk context`: the text of `private/<owner>/profile.md`."""
    folder = bank.path / "private" / "ana"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "profile.md").write_text("Ana drinks gunpowder tea.\n", encoding="utf-8")
    async with opened(bank, size=(140, 40)) as pilot:
        await visit(pilot, agree="")
        preview = screen(pilot).preview
        assert preview is not None
        assert "Ana drinks gunpowder tea." in preview.pack.text


async def test_a_profile_of_yesterday_is_one_day_old(bank: Bank, opened: Opened) -> None:
    file = bank.path / "private" / "ana" / "profile.md"
    file.write_text("Ana drinks gunpowder tea.\n", encoding="utf-8")
    yesterday = (datetime.fromisoformat(NOW) - timedelta(days=1)).timestamp()
    os.utime(file, (yesterday, yesterday))
    async with opened(bank, size=(80, 40)) as pilot:
        assert "the stored file, 1 day old" in await visit(pilot, agree="")


async def test_a_summary_too_many_says_what_lets_it_in(make_bank: MakeBank, opened: Opened) -> None:
    fields = ({"subject": f"month {n}", "statement": f"of {n}", "created": f"2026-11-0{n}"} for n in range(1, 6))
    bank = make_bank([*MEMORIES, *(("FACT", {**one, "source": "consolidate"}) for one in fields)])
    async with opened(bank, size=(80, 40)) as pilot:
        await visit(pilot, agree="")
        for name, newer in (("month 2", "a newer one goes"), ("month 1", "2 of the newer ones go")):
            screen(pilot).rows.go_to(id_of(bank, name))
            told = " ".join((await quiet(pilot)).split())
            assert f"It gets in when {newer}, or where a focus finds it." in told


async def test_one_outcome_only_and_what_is_out_by_reason(bank: Bank, opened: Opened, home: Home) -> None:
    home()
    async with opened(bank, size=(100, 30)) as pilot:
        await visit(pilot)
        screen(pilot).try_out(screen(pilot).now.__class__("ana", "", 0, 1), None)
        await quiet(pilot)
        text = await press(pilot, "t")
        assert "What did not get in, by reason: 7 rows." in text
        signs = [line[1] for line in text.splitlines() if re.match(r"^[ >][-:?] ", line)]
        assert "".join(signs).replace("-:", "- :").startswith("--") and signs == sorted(signs, key="-:?".index)
        text = await press(pilot, "t")
        assert "Only evicted: 2." in text and "[- evicted 2]" in text
        assert [row_of(text, subject) for subject in FORGETS]
        text = await press(pilot, "escape")
        assert "Everything, in the order of the pack." in text and "# always     1-2" in text


async def test_the_pack_itself_is_shown_and_each_line_leads_to_its_memory(
    bank: Bank, opened: Opened, home: Home
) -> None:
    home()
    async with opened(bank) as pilot:
        await focused(pilot)
        text = await press(pilot, "T", "g")
        assert ">  # 开工上下文包（yotta-memory context）" in text
        source = screen(pilot).text.source
        assert isinstance(source, TextRows)
        lines = [source.text(at) for at in range(len(source))]
        pack = screen(pilot).preview.pack  # type: ignore[union-attr]
        gone = [source.text(at) for at in range(len(source)) if source.sign(at) == "-"]
        assert [text for text in pack.text.splitlines() if text not in lines] == []
        assert "party" in "".join(gone)
        screen(pilot).text.cursor = lines.index("- [FACT] party: the birthday party was at the lake in 2019")
        text = await quiet(pilot)
        assert screen(pilot).current_memory().subject == "party"  # type: ignore[union-attr]
        assert "only without the hook" in text and "forget-old took it out" in text
        assert "evicted    2.6  (2)" in await press(pilot, "T")


async def test_a_wide_window_shows_list_pack_and_detail_side_by_side(bank: Bank, opened: Opened, home: Home) -> None:
    home()
    async with opened(bank, size=(140, 40)) as pilot:
        text = await focused(pilot)
    lines = text.splitlines()
    assert len(lines) == 40 and all(len(line) <= 140 for line in lines)
    assert "outcome    place    chars  memory" in lines[6]
    assert "hook on: forget-old" in lines[1] and "as ana" in lines[1]
    assert "pack   with what the hook changes" in text and "SCORES" not in lines[0]
    assert re.search(r"\[f+h+p+.*\] +[\d,]+ chars, no budget", lines[2])
    assert "f fixed" in lines[3] and "after it" in lines[3]


async def test_the_provider_panel_shows_the_request_and_why_each_name_did_not_count(
    bank: Bank, opened: Opened, home: Home
) -> None:
    home()
    async with opened(bank, size=(120, 50)) as pilot:
        await visit(pilot)
        text = await press(pilot, "P")
        assert "forget-old is the first in the list that declares memory.hook." in text
        assert "2 evicted" in text and "looked at 8" in text
        assert re.search(r"x facts/old\.md +no such memory", text)
        assert re.search(r"x 7 +a list element that is no text", text)
        assert re.search(r"x \{\"a\": 1\} +a list element that is no text", text)
        text += await press(pilot, "G")
        assert "8 memories, 1 private" in text and re.search(r"private +PREF +tea: green tea before noon", text)
        assert "no surprise" not in text and "marzipan" not in text
        assert re.search(r'agent +"ana"', text)
        text = await press(pilot, "escape")
        assert "as ana" in text


async def test_text_from_outside_is_shown_as_it_is(make_bank: MakeBank, opened: Opened, home: Home) -> None:
    home(f'import json; print(json.dumps({{"ok": False, "message": {HOSTILE!r}}}))')
    bank = make_bank([("FACT", {"subject": HOSTILE, "statement": HOSTILE}), ("PREF", {**MEMORIES[7][1]})])
    async with opened(bank, size=(140, 40)) as pilot:
        text = await visit(pilot, agent="")
        assert "[@click=app.quit]x[/] [/] [red]y ␛]52;c;aGk=␇ �abc" in text
        assert "\x1b" not in text and "\u202e" not in text
        await press(pilot, "j", "T", "escape", "P")
        assert "[@click=app.quit]x[/]" in screen_text(pilot.app)


async def test_a_read_only_workbench_previews_and_refuses_changes(bank: Bank, opened: Opened) -> None:
    async with opened(bank, read_only=True) as pilot:
        text = await visit(pilot, agree="")
        assert counted(text)[0]["included"] == 8
        assert "--read-only" in await press(pilot, "j", "x")
        assert len(bank.view().live) == len(MEMORIES)


@pytest.mark.parametrize(
    "sizes", [[(39, 9), (40, 10), (60, 20), (79, 24)], [(80, 24), (100, 30), (110, 12), (140, 40)]]
)
async def test_every_size_shows_rows_and_stays_inside_its_window(
    bank: Bank, opened: Opened, home: Home, sizes: list[tuple[int, int]]
) -> None:
    home()
    async with opened(bank, size=(140, 40)) as pilot:
        await focused(pilot)
        await press(pilot, "j", "j", "j")
        current = screen(pilot).rows.current
        for size in sizes:
            await pilot.resize_terminal(*size)
            text = await quiet(pilot)
            assert len(text.split("\n")) == size[1]
            if size != (39, 9):
                assert "by forget-old" in text or "party" in text
            await pilot.resize_terminal(80, 24)
            await quiet(pilot)
            assert screen(pilot).rows.current == current and screen(pilot).rows.has_focus
