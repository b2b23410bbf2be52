"""The search, recall and suggest cases of `spec/memora.md` §6."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest

from pipeline.recall.engines.fusion import FUSIONS, Fused, rrf
from pipeline.recall.engines.memora import WORDLESS, recall, search, search_memories, tool_limit
from pipeline.recall.engines.suggest import suggest
from pipeline.recall.hits import Recall
from pipeline.recall.within import Within
from store.changes import PutRow
from store.errors import BadInput
from store.memory import Memory
from store.score import accessed_of, boosts, score_of
from store.view import View
from tests.conformance.memora_cases import cases
from tests.store.world import again, make, put
from tests.store.world import fact as new_fact

WITHIN = Within(date(2026, 7, 1))


def case(id: str) -> Mapping[str, Any]:
    return cases()[id]


def view(rows: Iterable[Mapping[str, Any]]) -> View:
    """A bank with the memories of a case, in order; scores and times stand in the ledger."""
    memories, usage = [], {}
    for at, row in enumerate(rows):
        extra = (("name", row["name"]),) if "name" in row else ()
        path = f"facts/2026/{at:04}.md"
        label, said = row["source"], row["content"]
        memories.append(Memory(row["id"], path, "", label=label, statement=said, extra=extra, ordinal=at))
        usage[row["id"]] = {"score": row["score"], "accessed_at": row.get("accessedAt")}
    return View.of(memories, {"usage": usage})


def ids(found: Recall) -> list[str]:
    return [hit.memory.id for hit in found.hits]


def similar(pairs: Sequence[tuple[str, float]]) -> Callable[..., Sequence[tuple[str, float]]]:
    """A channel of meaning that answers in one way."""
    return lambda query, among, top, least: pairs


@pytest.mark.parametrize("id", ["MEM-SEA-01", "MEM-SEA-03"])
def test_keyword_search(id: str) -> None:
    """Any word, in content or name, ordered by score; Chinese without a dictionary."""
    wanted = case(id)
    found = search(view(wanted["given"]["memories"]), wanted["when"]["query"], WITHIN)
    assert ids(found) == wanted["then"]["ids"]
    assert all(hit.number("keyword_rank") and hit.terms for hit in found.hits)


def test_mem_sea_02_a_blank_query_and_a_limit_that_is_none_are_refused() -> None:
    """Each is a configuration error."""
    for query, limit in case("MEM-SEA-02")["when"]["calls"]:
        with pytest.raises(BadInput, match=r"write a word|1 memory or more"):
            search(view([]), query, WITHIN, limit=limit)


def fuse(strategy: Any, entries: Sequence[Sequence[Any]], limit: int) -> list[Fused]:
    """Those with a similarity were found by meaning, the others by words alone."""
    scores = {id: score for id, score, _ in entries}
    meaning = [(id, similarity) for id, _, similarity in entries if similarity]
    return FUSIONS[strategy](meaning, [id for id, _, similarity in entries if not similarity], scores, limit)


def test_mem_sea_04_the_weighted_sum() -> None:
    """A .62, B .62, C .42, D .36, equal ones in the order of the lists; cut at 2, and at 0."""
    wanted = case("MEM-SEA-04")
    entries, then = wanted["given"]["entries (id, score, similarity)"], wanted["then"]
    found = fuse(wanted["when"]["strategy"], entries, wanted["when"]["limit"])
    assert [one.id for one in found] == then["order"]
    assert [one.fused for one in found] == pytest.approx(then["fused"], abs=1e-6)
    assert [one.id for one in fuse("linear", entries, 2)] == then["limit 2"]
    assert [one.id for one in fuse("linear", entries, 0)] == then["limit 0"]


def test_mem_sea_05_reciprocal_ranks() -> None:
    """C .032266, A .016393, D .016129, B .016129: equal ones by score."""
    wanted = case("MEM-SEA-05")
    given, then = wanted["given"], wanted["then"]
    meaning = [(id, 0.9) for id in given["vector ranking"]]
    found = rrf(meaning, given["keyword ranking"], given["scores"], 10, wanted["when"]["k"])
    assert [one.id for one in found] == then["order"]
    assert {one.id: one.fused for one in found} == pytest.approx(then["fused"], abs=1e-6)
    assert [(one.meaning_rank, one.keyword_rank) for one in found] == [(3, 1), (1, 0), (0, 2), (2, 0)]


def test_mem_sea_06_a_channel_that_fails_leaves_the_other() -> None:
    """The hit by words, with similarity 0 and its score unchanged; no error, one sentence."""
    wanted = case("MEM-SEA-06")

    def broken(*_: object) -> Sequence[tuple[str, float]]:
        raise RuntimeError("no vectors")

    bank = view(wanted["given"]["memories"])
    found = search(bank, wanted["when"]["query"], WITHIN, similar=broken)
    told = [
        {"id": hit.memory.id, "similarity": hit.number("similarity"), "score": hit.number("score")}
        for hit in found.hits
    ]
    assert told == wanted["then"]["hits"]
    assert found.notes == ("Meaning could not be compared (RuntimeError); these were found by their words.",)


def test_mem_rec_01_settings_are_never_recalled() -> None:
    """The insight alone; nothing for a query without words, which is said."""
    wanted = case("MEM-REC-01")
    bank = view(wanted["given"]["memories"])
    assert ids(recall(bank, wanted["when"]["query"], WITHIN)) == wanted["then"]["ids"]
    empty = recall(bank, "!!! ???", WITHIN)
    assert (ids(empty), empty.wordless, empty.notes) == (wanted["then"]['query "!!! ???"'], True, (WORDLESS,))


def test_mem_rec_02_a_turn_that_uses_what_it_recalled_boosts_it(tmp_path: Path) -> None:
    """Returned and stored score .55, used now."""
    wanted = case("MEM-REC-02")
    (one,) = wanted["given"]["memories"]
    bank = make(tmp_path)
    id = put(bank, new_fact("deploy", one["content"], label="insight")).files[0].id
    bank.record([PutRow("usage", id, {"score": one["score"], "accessed_at": one["accessedAt"], "charged": 3})])
    found = recall(bank.view(), wanted["when"]["query"], WITHIN)
    rows = boosts(bank.view(), ids(found), datetime.fromisoformat(wanted["given"]["now"]))
    assert [row.fields["score"] for row in rows] == [wanted["then"]["returned score"]]
    bank.record(rows)
    bank.close()
    after = again(tmp_path).view()
    row = after.rows("usage")[id]
    assert score_of(after.memories[id], row) == wanted["then"]["stored score"]
    used = accessed_of(after.memories[id], row)
    assert used is not None and used == datetime.fromisoformat(wanted["then"]["stored accessedAt"])
    assert "charged" not in row


def test_mem_rec_03_a_preview_changes_nothing() -> None:
    """Found; score and time as they were."""
    wanted = case("MEM-REC-03")
    bank = view(wanted["given"]["memories"])
    assert ids(recall(bank, wanted["when"]["query"], WITHIN)) == wanted["then"]["ids"]
    row = bank.rows("usage")[wanted["then"]["ids"][0]]
    assert (row["score"], row["accessed_at"]) == (wanted["then"]["stored score"], wanted["then"]["stored accessedAt"])


@pytest.mark.parametrize("by", ["words", "meaning"])
def test_mem_rec_04_what_is_excluded_takes_no_place(by: str) -> None:
    """The insight, however many rules have the words and however near their meaning is."""
    wanted = case("MEM-REC-04")
    rules = [{"id": f"rule:{n}", "source": "rule", "score": 0.9, "content": f"deploy {n}"} for n in range(10)]
    bank = view([*rules, wanted["given"]["memories"][1]])
    channel = similar([*((rule["id"], 0.9) for rule in rules), ("insight:i", 0.5)]) if by == "meaning" else None  # type: ignore[misc]
    found = recall(bank, wanted["when"]["query"], WITHIN, limit=wanted["given"]["limit"], similar=channel)
    assert ids(found) == wanted["then"]["ids"]


def test_mem_rec_06_a_guardrail_is_not_recalled() -> None:
    """The insight alone."""
    wanted = case("MEM-REC-06")
    assert ids(recall(view(wanted["given"]["memories"]), wanted["when"]["query"], WITHIN)) == wanted["then"]["ids"]


def test_mem_rec_07_the_search_tool() -> None:
    """All words or any of them; limits that are none, or too many; an empty query is refused."""
    wanted = case("MEM-REC-07")
    bank, then = view(wanted["given"]["memories"]), wanted["then"]
    asked = {"query": wanted["when"]["query"]}
    assert sorted(ids(search_memories(bank, asked | {"mode": "near"}, WITHIN))) == then["ids (any order)"]
    matched = sorted(ids(search_memories(bank, asked | {"mode": "match"}, WITHIN)))
    assert matched == then["mode match"] == sorted(ids(search_memories(bank, asked | {"mode": "foo"}, WITHIN)))
    assert (tool_limit("abc"), tool_limit(99)) == (then['limit "abc"'], then["limit 99"])
    assert then["empty query"] == "ARGUMENT_ERROR"
    with pytest.raises(BadInput, match="`query` is empty"):
        search_memories(bank, {"query": ""}, WITHIN)


def test_mem_rec_08_suggestions() -> None:
    """A direct hit leads even with lower relevance; each has its reason."""
    wanted = case("MEM-REC-08")
    now = datetime.fromisoformat(wanted["given"]["now"])
    found = suggest(view(wanted["given"]["memories"]), wanted["when"]["query"], WITHIN, now)
    then = wanted["then"]
    assert ids(found) == then["order"]
    assert {hit.memory.id: hit.final for hit in found.hits} == then["relevance"]
    assert {hit.memory.id: hit.parts[0].said for hit in found.hits} == then["reasons"]
