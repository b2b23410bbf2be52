"""Named baselines: kept for their owner alone, beside the bank and never in it."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store import places
from store.baselines import (
    Saved,
    baseline_folder,
    baselines,
    check_baseline_name,
    delete_baseline,
    load_baseline,
    save_baseline,
)
from store.errors import BadInput, StorageFailure
from store.vault.disk import Disk


def document(made: str = "2026-11-30T12:00:00.000Z", **rest: Any) -> dict[str, Any]:
    return {"schema": 1, "made": made, "agent": "ana", "lines": [["1", "", "a"], ["3", "x", "b"]], **rest}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder that stands for a bank, with a file in it."""
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank" / "a.md").write_text("a", encoding="utf-8")
    return tmp_path / "bank"


def test_a_baseline_is_saved_listed_read_replaced_and_deleted(root: Path) -> None:
    assert baselines(root) == ()
    assert save_baseline(root, " before the hook ", document()) is False
    assert save_baseline(root, "later", document("2026-12-01T12:00:00.000Z")) is False
    assert baselines(root) == (
        Saved("later", "2026-12-01T12:00:00.000Z", "ana", 2),
        Saved("before the hook", "2026-11-30T12:00:00.000Z", "ana", 2),
    )
    assert load_baseline(root, "before the hook", "ana") == document(name="before the hook")
    assert save_baseline(root, "later", document(agent="bo")) is True
    assert [saved.agent for saved in baselines(root)] == ["bo", "ana"]
    delete_baseline(root, "later")
    assert [saved.name for saved in baselines(root)] == ["before the hook"]
    assert sorted(path.name for path in root.iterdir()) == ["a.md"]


def test_what_is_not_there_is_a_sentence(root: Path) -> None:
    with pytest.raises(BadInput, match="save one first"):
        load_baseline(root, "x", "ana")
    save_baseline(root, "here", document())
    save_baseline(root, "hers", document(agent="bo"))
    with pytest.raises(BadInput, match=r"no baseline 'x' that can be read; choose one of 'here'\.$"):
        load_baseline(root, "x", "ana")
    with pytest.raises(BadInput, match="nothing was deleted"):
        delete_baseline(root, "x")


def test_a_damaged_file_is_left_out_and_can_be_saved_over(root: Path) -> None:
    save_baseline(root, "here", document())
    (path,) = baseline_folder(root).iterdir()
    path.write_text("{", encoding="utf-8")
    assert baselines(root) == ()
    with pytest.raises(BadInput, match="that can be read"):
        load_baseline(root, "here", "ana")
    assert save_baseline(root, "here", document()) is True
    assert [saved.name for saved in baselines(root)] == ["here"]


def test_a_file_that_was_cut_is_listed_and_refused_when_it_is_read(root: Path) -> None:
    save_baseline(root, "here", document())
    (path,) = baseline_folder(root).iterdir()
    path.write_bytes(path.read_bytes()[:-9])
    assert [saved.name for saved in baselines(root)] == ["here"]
    with pytest.raises(BadInput, match="that can be read"):
        load_baseline(root, "here", "ana")


def test_a_pipe_in_its_place_holds_nothing_up(root: Path) -> None:
    save_baseline(root, "before", document())
    (file,) = baseline_folder(root).iterdir()
    file.unlink()
    os.mkfifo(file)
    assert baselines(root) == ()
    with pytest.raises(BadInput, match="There is no baseline 'before' that can be read"):
        load_baseline(root, "before", "ana")


def test_two_banks_do_not_share_their_baselines_and_two_ways_to_one_bank_do(root: Path, tmp_path: Path) -> None:
    save_baseline(root, "here", document())
    (tmp_path / "other").mkdir()
    (tmp_path / "link").symlink_to(root)
    assert baselines(tmp_path / "other") == ()
    assert [saved.name for saved in baselines(tmp_path / "link")] == ["here"]


def test_a_baseline_is_its_owners_alone_and_leaves_nothing_half_written(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_baseline(root, "here", document())
    (path,) = baseline_folder(root).iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600

    def refuse(self: Disk, source: Path, target: Path) -> None:
        raise StorageFailure("The disk is full.")

    monkeypatch.setattr(Disk, "replace", refuse)
    with pytest.raises(StorageFailure):
        save_baseline(root, "here", document(agent="bo"))
    assert [one.name for one in baseline_folder(root).iterdir()] == [path.name]
    assert baselines(root)[0].agent == "ana"


def test_a_state_folder_in_the_bank_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "state_home", lambda: root / "state")
    with pytest.raises(StorageFailure, match="XDG_STATE_HOME"):
        save_baseline(root, "here", document())
    assert sorted(path.name for path in root.iterdir()) == ["a.md"]


def test_a_state_folder_that_cannot_be_is_a_sentence(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / ("x" * 300)))
    with pytest.raises(StorageFailure, match="could not be made"):
        save_baseline(root, "before", document())
    assert baselines(root) == ()


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\x1b[0m", "x" * 61, "a\u202eb"])
def test_a_name_that_no_row_can_show_is_refused(root: Path, name: str) -> None:
    with pytest.raises(BadInput, match="1 to 60 visible characters"):
        save_baseline(root, name, document())


@settings(max_examples=20)
@given(
    st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=30), st.text(st.characters()), st.text()
)
def test_property_any_name_and_any_text_come_back(
    tmp_path_factory: pytest.TempPathFactory, name: str, text: str, agent: str
) -> None:
    root = tmp_path_factory.mktemp("bank")
    save_baseline(root, name, document(agent=agent, lines=[["3", "", text]]))
    assert load_baseline(root, name, "ana")["lines"] == [["3", "", text]]
    assert [saved.name for saved in baselines(root)] == [check_baseline_name(name)]
    assert json.dumps(load_baseline(root, name, "ana"))
