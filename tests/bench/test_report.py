"""The bench's own arithmetic."""

from __future__ import annotations

from tests.bench.report import Line, middle, percentile, spread, table


def test_a_percentile_is_a_value_that_was_observed() -> None:
    values = [5.0, 1.0, 4.0, 2.0, 3.0]
    assert [percentile(values, rank) for rank in (0, 20, 21, 50, 95, 100)] == [1.0, 1.0, 2.0, 3.0, 5.0, 5.0]
    assert middle([2.0, 1.0]) == 1.0
    assert percentile(list(map(float, range(1, 101))), 95) == 95.0
    assert spread([0.001, 0.002, 0.003]) == "2.0/3.0 ms"


def test_the_table_lines_up_and_says_what_was_missed() -> None:
    lines = [Line("key", "rows", "1.0 ×", "≤ 2 ×", True, "9 times"), Line("page", "rows", "3.0 ×", "≤ 2 ×", False)]
    assert table(lines).splitlines() == [
        "line  measured  value  limit        repetitions",
        "key   rows      1.0 ×  ≤ 2 ×  pass  9 times",
        "page  rows      3.0 ×  ≤ 2 ×  FAIL",
    ]
