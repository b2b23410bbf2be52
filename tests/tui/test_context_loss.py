"""What agents load from files, on the screen: with a bank, without one, and first for a folder that they load."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pipeline.context.loaded.loss import loss_report, summary
from pipeline.context.loaded.places import slug
from store.bank import Bank
from tests.lossy import RED, lossy_project
from tests.tui.conftest import Opened, settle
from tests.tui.screen import screen_text
from tui.app import Workbench
from tui.demo.agent_files import write_agent_files
from tui.demo.build import demo_places
from tui.options import Options
from tui.screens.context_loss import LossScreen
from tui.screens.welcome import Welcome


@pytest.fixture
def project(own_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project with losses, in the working folder."""
    folder = lossy_project(own_folders)
    monkeypatch.chdir(folder)
    return folder


async def reported(pilot: Pilot[int]) -> LossScreen:
    """The screen, once the files were looked at."""
    for _ in range(200):
        await settle(pilot)
        screen = pilot.app.screen
        if isinstance(screen, LossScreen) and screen.report is not None:
            await settle(pilot)
            return screen
    raise AssertionError(screen_text(pilot.app))


def opening(folder: Path) -> Workbench:
    """The workbench as `memdesk open FOLDER` starts it."""
    return Workbench(opener=lambda: Bank.open(folder), options=Options(place=folder, watch=False, remember=False))


@pytest.mark.parametrize("size", [(80, 24), (140, 40)])
async def test_a_folder_that_an_agent_loads_shows_first_what_is_lost(project: Path, size: tuple[int, int]) -> None:
    app = opening(project)
    async with app.run_test(size=size) as pilot:
        screen = await reported(pilot)
        text = screen_text(app)
        assert "3 lines are cut, 1 link leads nowhere, 1 contradiction." in text
        assert "LINES PAST A LIMIT  1" in text and "LINKS THAT LEAD NOWHERE  1" in text
        assert screen.rows.current == "cut 0"
        assert "MEMORY.md:201-203" in text
        await pilot.press("escape")
        await settle(pilot)
        assert isinstance(app.screen, Welcome)
        assert "make a bank here" in screen_text(app) and "see what agents load" in screen_text(app)
        await pilot.press("L")
        assert (await reported(pilot)).report is not None
    assert app.faults == 0


async def test_a_folder_that_is_typed_and_is_an_agents_shows_what_is_lost(project: Path, tmp_path: Path) -> None:
    app = Workbench(options=Options(place=tmp_path / "none", watch=False, remember=False))
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("o")
        await settle(pilot)
        app.screen.query_one("Line").value = str(project)  # type: ignore[attr-defined]
        await pilot.press("enter")
        screen = await reported(pilot)
        assert screen.report is not None and screen.report.folder == project
        await pilot.press("escape")
        await settle(pilot)
        assert not app.screen.has_class("-opening")


async def test_a_folder_that_no_agent_loads_says_only_that_it_is_no_bank(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x", encoding="utf-8")
    app = opening(tmp_path)
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(200):
            await settle(pilot)
            if isinstance(app.screen, Welcome) and not app.screen.has_class("-opening"):
                break
        assert isinstance(app.screen, Welcome)
        assert "make a bank here" in screen_text(app)


async def test_without_a_bank_the_usual_places_can_be_looked_at(project: Path, tmp_path: Path) -> None:
    app = Workbench(options=Options(place=tmp_path / "none", watch=False, remember=False))
    async with app.run_test(size=(100, 30)) as pilot:
        await settle(pilot)
        await pilot.press("j", "j", "enter")
        screen = await reported(pilot)
        assert screen.report is not None and screen.report.folder is None
        assert "3 lines are cut" in screen_text(app)


async def test_the_lines_that_are_lost_are_shown_literally_and_copied_exactly(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copied: list[str] = []
    monkeypatch.setattr("tui.clipboard.copy", lambda _, text, what: copied.append(text) or f"Copied {what}.")
    app = opening(project)
    async with app.run_test(size=(140, 40)) as pilot:
        await reported(pilot)
        text = screen_text(app)
        assert "201  - line 201" in text
        assert "202  - ␛[31mred␛[0m [bold]b[/bold] �text [x](gone.md)" in text
        assert "to do  Shorten the index" in text
        await pilot.press("y")
        assert "Copied this row." in screen_text(app)
        assert f"  MEMORY.md:202  {RED}\n  MEMORY.md:203  - last\n" in copied[0]
        await pilot.press("Y")
        assert '"cut_lines": 3' in copied[1]


async def test_enter_opens_a_loss_and_the_lines_of_a_file(project: Path) -> None:
    app = opening(project)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await reported(pilot)
        await pilot.press("J")
        assert screen.pane.scroll_offset.y == 1
        await pilot.press("K", "enter")
        await settle(pilot)
        assert "203  - last" in screen_text(app)
        await pilot.press("escape")
        screen.rows.go_to("piece 0 1")
        await pilot.press("enter")
        for _ in range(100):
            await settle(pilot)
            if app.screen is not screen:
                break
        text = screen_text(app)
        assert "MEMORY.md: cut" in text and "   201  - line 201" in text
        await pilot.press("escape")
        await settle(pilot)
        assert app.screen is screen


async def test_a_contradiction_shows_both_places(project: Path) -> None:
    app = opening(project)
    async with app.run_test(size=(140, 40)) as pilot:
        screen = await reported(pilot)
        screen.rows.go_to("contradiction 0")
        await settle(pilot)
        text = screen_text(app)
        assert "tabs against spaces" in text
        assert "CLAUDE.md:1  Use tabs for indentation" in text.replace("      CLAUDE.md", "CLAUDE.md")
        assert "CLAUDE.local.md:1  Use spaces for indentation" in text


async def test_looking_again_sees_what_was_mended_and_keeps_its_place(project: Path, own_folders: Path) -> None:
    app = opening(project)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await reported(pilot)
        screen.rows.go_to("contradiction 0")
        index = own_folders / ".claude" / "projects" / slug(project) / "memory" / "MEMORY.md"
        index.write_text("- one line\n", encoding="utf-8")
        await pilot.press("r")
        for _ in range(100):
            await settle(pilot)
            if "1 contradiction." in screen_text(app):
                break
        assert "lines are cut" not in screen_text(app)
        assert screen.rows.current == "contradiction 0"


async def test_another_folder_can_be_looked_at_from_there(project: Path, own_folders: Path) -> None:
    memory = own_folders / ".codex" / "memories"
    memory.mkdir(parents=True)
    (memory / "MEMORY.md").write_text("# Task Group: x\n", encoding="utf-8")
    (memory / "raw_memories.md").write_text("# Raw\n", encoding="utf-8")
    app = opening(project)
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await reported(pilot)
        await pilot.press("o", *"/no/such", "enter")
        await settle(pilot)
        assert "/no/such is not there; name a folder that an agent loads" in screen_text(app)
        app.screen.query_one("Line").value = str(memory)  # type: ignore[attr-defined]
        await pilot.press("enter")
        for _ in range(100):
            await settle(pilot)
            if screen.report is not None and screen.report.folder == memory:
                break
        assert "1 thing no agent reads." in screen_text(app)


async def test_the_context_screen_opens_it_and_comes_back(project: Path, bank: Bank, opened: Opened) -> None:
    before = sorted(path for path in bank.path.rglob("*"))
    async with opened(bank) as pilot:
        app = pilot.app
        assert isinstance(app, Workbench)
        app.open_screen("context")
        await settle(pilot)
        await pilot.press("L")
        await reported(pilot)
        assert "3 lines are cut" in screen_text(app)
        await pilot.press("tab", "escape", "escape")
        await settle(pilot)
        assert app.current_mode == "context" and not isinstance(app.screen, LossScreen)
    assert sorted(path for path in bank.path.rglob("*")) == before


async def test_where_nothing_is_loaded_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    app = Workbench(options=Options(place=tmp_path / "none", watch=False, remember=False))
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("L")
        await reported(pilot)
        assert "No agent that Memdesk knows loads anything here." in screen_text(app)
        await pilot.press("enter", "y", "Y", "q")
        await settle(pilot)
        assert isinstance(app.screen, Welcome)


def test_the_demos_agent_loses_something_of_every_kind_that_can_be_mended(tmp_path: Path) -> None:
    write_agent_files(tmp_path, date(2026, 11, 30))
    found = loss_report(home=tmp_path / "home", environ={"CLAUDE_CONFIG_DIR": str(tmp_path / "claude")})
    assert summary(found) == (
        "7 lines are cut, 2 links lead nowhere, 2 things no agent reads, "
        "1 statement stands in several places, 1 contradiction."
    )


async def test_the_demo_shows_its_own_files_and_not_those_of_the_working_folder(
    project: Path, demo: Bank, tmp_path: Path, opened: Opened
) -> None:
    with demo_places(tmp_path / "demo"):
        async with opened(demo, name="demo") as pilot:
            app = pilot.app
            assert isinstance(app, Workbench)
            app.do_context_loss()
            screen = await reported(pilot)
            assert screen.report is not None
            assert {loaded.agent for loaded in screen.report.layouts} == {"Claude Code"}
            assert all(loaded.folder.is_relative_to(tmp_path / "demo") for loaded in screen.report.layouts[:1])
            assert "CLAUDE.local.md" not in str(screen.report)
