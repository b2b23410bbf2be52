"""The engines side by side over a small bank, and what the bench says of one that is missing."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.bench.recall import speed
from tests.bench.recall.corpus import Row, rows
from tests.bench.recall.engines import ENGINES
from tests.bench.recall.engines.engine import NotMeasured
from tests.bench.recall.standing import Built, Standing
from tests.bench.recall.typing import sessions

COUNT = 120
OWN = tuple(name for name in ENGINES if not name.startswith("prototype"))
WORD = "quillwort"


def _bank() -> list[Row]:
    """Generated rows, three of which hold a word that no other has."""
    made = rows(COUNT)
    for at in (5, 40, 99):
        made[at] = Row(made[at].id, "mara", "FACT", (), made[at].day, f"{made[at].text[:80]} {WORD} stands here")
    return made


@pytest.fixture
def standing(tmp_path: Path) -> Standing:
    return Standing(tmp_path, COUNT, None, OWN, _bank())


def test_all_engines_find_the_same_rows_for_an_exact_word(standing: Standing) -> None:
    for name, built in standing.engines():
        assert isinstance(built, Built), name
        assert sorted(built.engine.search(WORD, 20)) == [5, 40, 99], name
        assert sorted(built.engine.search(WORD[:6], 20)) == [5, 40, 99], name
        assert len(built.engine.search(WORD, 2)) == 2, name
        assert list(built.engine.search("zzzqqqxxx", 20)) == [], name
    standing.close()


def test_a_row_that_is_added_is_found_and_one_that_is_deleted_is_not(standing: Standing) -> None:
    changing = 0
    for name, built in standing.engines():
        assert isinstance(built, Built), name
        if built.engine.changes:
            changing += 1
            built.engine.add(Row(f"m{COUNT:06}", "mara", "FACT", (), "2026-01-02", f"one more {WORD}"))
            built.engine.delete(40)
            assert sorted(built.engine.search(WORD, 20)) == [5, 99, COUNT], name
    assert changing == len(OWN) - 1
    standing.close()


def test_engines_take_turns_over_the_same_keystrokes_and_slow_ones_answer_a_sample(standing: Standing) -> None:
    engines = {name: built.engine for name, built in standing.engines() if isinstance(built, Built)}
    typed = sessions(standing.rows, seed=0, count=6)
    times = speed.typed_in_turns(engines, [typed])
    keys = [key.of for session in typed for key in session]
    for name, engine in engines.items():
        assert [one.of for one in times[name][0]] == keys[:: engine.every], name
    standing.close()


def test_a_missing_engine_is_said_to_be_not_measured_and_fails_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    built = Standing(tmp_path, COUNT, None, ("ripgrep",), _bank()).built("ripgrep")
    assert isinstance(built, NotMeasured)
    line = speed.not_measured("recall-key", "ripgrep", built)
    assert line.values.startswith("not measured: ") and line.verdict == "FAIL"


def test_a_prototype_that_was_not_named_is_said_so_and_fails_nothing(tmp_path: Path) -> None:
    built = Standing(tmp_path, COUNT, None, ("prototype",), _bank()).built("prototype")
    assert isinstance(built, NotMeasured)
    line = speed.not_measured("recall-key", "prototype", built)
    assert line.values == "not measured: the prototype was not named; give --prototype DIR." and line.verdict == ""
