"""Any sequence of changes, undos, reopenings and compactions gives what a simple model says (`decisions.md` §4)."""

from __future__ import annotations

import tempfile
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.bank import Bank
from store.changes import DropRow, MoveMemory, PutMemory, PutRow
from store.errors import BadInput
from tests.store.world import Fast, again, fact, make, put

WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12).filter(str.strip)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("add"), WORDS),
        st.tuples(st.just("edit"), st.integers(0, 9), WORDS),
        st.tuples(st.just("move"), st.integers(0, 9), st.sampled_from(["live", "archived", "trashed"])),
        st.tuples(st.just("row"), st.sampled_from("abc"), st.integers(0, 5)),
        st.tuples(st.just("drop"), st.sampled_from("abc")),
        st.tuples(st.sampled_from(["undo", "undo", "redo", "reopen", "compact", "look"])),
    ),
    min_size=1,
    max_size=14,
)


@dataclass
class Model:
    """Memories as (statement, state) by id, rows by key, and the states that undo and redo walk through."""

    memories: dict[str, tuple[str, str]] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)
    back: list[tuple[Any, Any]] = field(default_factory=list)
    forth: list[tuple[Any, Any]] = field(default_factory=list)

    def keep(self) -> tuple[Any, Any]:
        return deepcopy((self.memories, self.rows))

    def changed(self, before: tuple[Any, Any]) -> None:
        if before != self.keep():
            self.back.append(before)
            self.forth.clear()

    def walk(self, source: list[tuple[Any, Any]], other: list[tuple[Any, Any]]) -> bool:
        if not source:
            return False
        other.append(self.keep())
        self.memories, self.rows = source.pop()
        return True


def flat(text: str) -> str:
    from store.vault.scalars import flatten

    return flatten(text)


def change(bank: Bank, model: Model, step: tuple[Any, ...]) -> None:
    """One change in the bank and in the model."""
    before, ids = model.keep(), sorted(model.memories)
    if step[0] == "add":
        id = put(bank, fact("s", f"x{step[1]}x")).ids[0]
        assert id not in model.memories
        model.memories[id] = (flat(f"x{step[1]}x"), "live")
    elif step[0] == "row":
        put(bank, PutRow("gaps", step[1], {"n": step[2]}))
        model.rows[step[1]] = step[2]
    elif step[0] == "drop":
        put(bank, DropRow("gaps", step[1]))
        model.rows.pop(step[1], None)
    elif ids:
        id = ids[step[1] % len(ids)]
        words, state = model.memories[id]
        if step[0] == "edit":
            put(bank, PutMemory(id, {"statement": f"x{step[2]}x"}, base=bank.view().memories[id].sha))
            model.memories[id] = (flat(f"x{step[2]}x"), state)
        else:
            put(bank, MoveMemory(id, step[2]))
            model.memories[id] = (words, step[2])
    model.changed(before)


def back_or_forth(bank: Bank, model: Model, name: str) -> None:
    source, other = (model.back, model.forth) if name == "undo" else (model.forth, model.back)
    if model.walk(source, other):
        getattr(bank, name)(origin="screen")
        return
    with pytest.raises(BadInput, match=f"nothing to {name}"):
        getattr(bank, name)(origin="screen")


def agree(bank: Bank, model: Model) -> None:
    view = bank.view()
    assert {id: (memory.statement, memory.state) for id, memory in view.memories.items()} == model.memories
    assert {key: row["n"] for key, row in view.rows("gaps").items()} == model.rows
    for memory in view.memories.values():
        assert (bank.path / memory.path).is_file()
    on_disk = [path for path in bank.path.rglob("*.md") if path.name != "README.md" and ".memdesk" not in path.parts]
    assert len(on_disk) == len(model.memories)


@given(STEPS)
def test_property_a_bank_does_what_the_model_says(steps: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        base, model = Path(folder), Model()
        bank, names = make(base, disk=Fast()), set[str]()
        for step in steps:
            if step[0] in {"undo", "redo"}:
                back_or_forth(bank, model, step[0])
            elif step[0] == "compact":
                with mock.patch("store.compact.is_due", lambda state: True):
                    bank.close()
            elif step[0] == "reopen":
                bank = again(base, disk=Fast())
            elif step[0] == "look":
                assert bank.refresh() == ()
            else:
                change(bank, model, step)
            agree(bank, model)
            names |= model.memories.keys()
        made = {
            effect.path_after for c in bank.history() for effect in c.files if not c.undoes and not effect.path_before
        }
        assert names <= {path for path in made if path}
        agree(again(base, disk=Fast()), model)
