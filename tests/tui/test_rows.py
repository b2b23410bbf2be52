"""The list: any length, a cursor that stays on its row, marks, ranges, and the mouse."""

from __future__ import annotations

from collections.abc import Sequence

from textual.app import App, ComposeResult

from tests.tui.screen import screen_text
from tui import keys
from tui.text import fit
from tui.theme import DEFAULTS
from tui.widgets.rows import Piece, Rows


class Numbers:
    """Rows named by numbers; counts how many were asked for."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers, self.asked = numbers, 0
        self._places = {number: at for at, number in enumerate(numbers)}

    def __len__(self) -> int:
        return len(self.numbers)

    def id(self, index: int) -> str:
        return str(self.numbers[index])

    def find(self, id: str) -> int | None:
        return self._places.get(int(id))

    def row(self, index: int, width: int) -> Sequence[Piece]:
        self.asked += 1
        return [(fit(f" row {self.numbers[index]}", width), "")]


class Stage(App[None]):
    """A list alone."""

    def __init__(self, numbers: Sequence[int]) -> None:
        super().__init__()
        self.source = Numbers(numbers)
        self.opened: list[int] = []

    def compose(self) -> ComposeResult:
        yield Rows(self.source)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return DEFAULTS

    @property
    def rows(self) -> Rows:
        return self.query_one(Rows)

    def action_do(self, id: str) -> None:
        getattr(self.rows, keys.BY_ID[id].method)()

    def on_rows_opened(self, message: Rows.Opened) -> None:
        self.opened.append(message.index)


async def test_a_hundred_thousand_rows_cost_what_is_on_screen() -> None:
    app = Stage(range(100_000))
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press("j", "j", "j")
        assert app.source.asked < 60
        await pilot.press("G")
        assert app.rows.current == "99999"
        assert "row 99999" in screen_text(app)
        await pilot.press("g")
        assert screen_text(app).startswith("> row 0")
        assert app.source.asked < 120


async def test_the_cursor_stays_on_its_row_when_rows_come_and_go() -> None:
    app = Stage(range(100))
    async with app.run_test(size=(40, 10)) as pilot:
        await pilot.press("j", "j", "j", "j")
        app.rows.show(Numbers(range(3, 100)))
        assert app.rows.current == "4"
        app.rows.show(Numbers([*range(100, 200), *range(3, 100)]))
        assert app.rows.current == "4"


async def test_when_its_row_is_gone_the_cursor_takes_the_next_one_that_is_there() -> None:
    app = Stage(range(10))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("j", "j")
        app.rows.show(Numbers([0, 1, 5, 6]))
        assert app.rows.current == "5"
        app.rows.show(Numbers([0, 1]))
        assert app.rows.current == "1"
        app.rows.show(Numbers([]))
        assert app.rows.current is None
        await pilot.press("j", "k", "space", "enter", "G")
        assert app.rows.targets == ()


async def test_marks_belong_to_rows_and_survive_a_new_order() -> None:
    app = Stage(range(10))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("space", "j", "space")
        assert app.rows.targets == ("0", "2")
        app.rows.show(Numbers(range(9, -1, -1)))
        assert app.rows.targets == ("2", "0")
        assert screen_text(app).count("*") == 2
        assert app.rows.unmark()
        assert not app.rows.unmark()


async def test_without_marks_an_action_takes_the_row_under_the_cursor() -> None:
    app = Stage(range(10))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("j", "j")
        assert app.rows.targets == ("2",)


async def test_a_range_is_marked_from_here_to_there() -> None:
    app = Stage(range(10))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("j", "v", "j", "j")
        assert screen_text(app).count("*") == 3
        await pilot.press("v", "G")
        assert app.rows.targets == ("1", "2", "3")


async def test_all_rows_shown_are_marked_and_unmarked_at_once() -> None:
    app = Stage(range(10))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("*")
        assert len(app.rows.targets) == 10
        await pilot.press("*")
        assert app.rows.targets == ("0",)


async def test_the_mouse_moves_the_cursor_marks_in_the_gutter_and_opens() -> None:
    app = Stage(range(10))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.click(Rows, offset=(10, 4))
        assert app.rows.current == "4"
        await pilot.click(Rows, offset=(0, 2))
        assert app.rows.marks == {"2"}
        await pilot.click(Rows, offset=(10, 3), times=2)
        assert app.opened == [3]
        await pilot.click(Rows, offset=(10, 11))
        assert app.rows.current == "3"


async def test_the_terminals_own_cursor_stands_on_the_row() -> None:
    app = Stage(range(10))
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("j", "j", "j")
        assert app.cursor_position.y == 3


async def test_the_page_keys_move_by_what_is_seen() -> None:
    app = Stage(range(100))
    async with app.run_test(size=(40, 11)) as pilot:
        await pilot.press("pagedown")
        assert app.rows.current == "10"
        await pilot.press("ctrl+d")
        assert app.rows.current == "15"
        await pilot.press("ctrl+u", "pageup")
        assert app.rows.current == "0"
