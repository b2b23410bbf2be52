"""The ledger's rows through TinyDB: readable with its queries, opened by the stock library, written by nobody else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tinydb import TinyDB, where
from tinydb.table import Document

from store.bank import Bank
from store.changes import PutRow
from store.errors import BadInput
from store.ledger import LedgerDB, checked
from tests.store.world import again, approve, make


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    bank = make(tmp_path)
    bank.record(
        [PutRow("gaps", f"g{n}", {"n": n, "state": "open" if n % 2 else "ready", "more": {"a": [n]}}) for n in range(5)]
    )
    return bank


def database(bank: Bank) -> LedgerDB:
    return LedgerDB(bank.view().tables)


def test_rows_are_found_with_tinydb_queries_by_their_keys(bank: Bank) -> None:
    gaps = database(bank).table("gaps")
    assert len(gaps) == 5
    assert [row.doc_id for row in gaps.search(where("state") == "open")] == ["g1", "g3"]
    assert gaps.get(doc_id="g2")["n"] == 2
    assert gaps.get(doc_id="missing") is None
    assert [row["n"] for row in gaps.get(doc_ids=["g4", "nobody"])] == [4]
    assert gaps.get(where("n") == 3).doc_id == "g3"
    assert gaps.get(where("n") == 99) is None
    assert gaps.count(where("n") > 2) == 2
    assert gaps.contains(doc_id="g0")
    assert sorted(row.doc_id for row in gaps.all()) == ["g0", "g1", "g2", "g3", "g4"]
    assert database(bank).tables() == {"gaps"}


def test_results_are_copies_and_cost_the_ledger_nothing(bank: Bank) -> None:
    gaps = database(bank).table("gaps")
    gaps.get(doc_id="g1")["more"]["a"].append("changed")
    for row in gaps:
        row["n"] = "changed"
    assert bank.view().rows("gaps")["g1"]["more"] == {"a": [1]}
    assert bank.view().rows("gaps")["g1"]["n"] == 1


def test_queries_are_never_answered_from_an_earlier_answer(bank: Bank) -> None:
    gaps = database(bank).table("gaps")
    assert len(gaps.search(where("state").matches("OPEN", flags=re.IGNORECASE))) == 2
    assert gaps.search(where("state").matches("OPEN")) == []
    bank.record([PutRow("gaps", "g0", {"state": "open"})])
    assert len(database(bank).table("gaps").search(where("state") == "open")) == 3


def test_comparing_unlike_types_is_no_match(bank: Bank) -> None:
    bank.record([PutRow("gaps", "odd", {"n": "many"})])
    assert len(database(bank).table("gaps").search(where("n") > 2)) == 2


@pytest.mark.parametrize(
    "write",
    [
        lambda table: table.insert({"a": 1}),
        lambda table: table.insert_multiple([{"a": 1}]),
        lambda table: table.update({"a": 1}),
        lambda table: table.update_multiple([({"a": 1}, where("n") == 1)]),
        lambda table: table.upsert(Document({"a": 1}, doc_id=1)),
        lambda table: table.remove(where("n") == 1),
        lambda table: table.truncate(),
    ],
    ids=["insert", "insert_multiple", "update", "update_multiple", "upsert", "remove", "truncate"],
)
def test_nothing_is_written_past_the_bank(bank: Bank, write: Any) -> None:
    with pytest.raises(TypeError, match=r"Bank\.commit"):
        write(database(bank).table("gaps"))
    with pytest.raises(TypeError, match=r"Bank\.commit"):
        database(bank).drop_tables()
    assert len(bank.view().rows("gaps")) == 5


def test_a_snapshot_opens_with_stock_tinydb(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    approve(bank, "tea")
    monkeypatch.setattr("store.compact.is_due", lambda state: True)
    bank.close()
    with TinyDB(bank.ledger / "snapshot-000002.json", access_mode="r") as stock:
        assert stock.tables() == {"_meta", "gaps", "receipts"}
        rows = {row["_key"]: row for row in stock.table("gaps").all()}
        assert rows["g1"]["more"] == {"a": [1]}
        assert stock.table("gaps").get(where("_key") == "tea")["state"] == "approved"
        (meta,) = stock.table("_meta").all()
        assert (meta["format"], meta["n"]) == (1, bank.status().last_frame)


def test_a_ledger_after_compaction_is_the_same_ledger(
    tmp_path: Path, bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {name: dict(rows) for name, rows in bank.view().tables.items()}
    monkeypatch.setattr("store.compact.is_due", lambda state: True)
    bank.close()
    found = again(tmp_path)
    assert {name: dict(rows) for name, rows in found.view().tables.items() if rows} == before
    assert found.record([PutRow("gaps", "g9", {"n": 9})]) == 2


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters()), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_property_a_value_is_kept_exactly_or_refused(value: Any) -> None:
    import orjson

    try:
        kept = checked(value)
    except BadInput:
        return
    assert kept == value
    assert orjson.loads(orjson.dumps(kept)) == value


def test_deep_nesting_is_refused_and_not_followed() -> None:
    value: Any = 1
    for _ in range(100):
        value = [value]
    with pytest.raises(BadInput, match="nested"):
        checked(value)
