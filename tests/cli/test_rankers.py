"""`recall` with another ranker or an embedding program, and `suggest`, as a person or a script calls them."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest

from store.bank import Bank
from store.index.embedded import embedded_file
from tests.cli.desk import NOW, Desk, tree

FIXED = """
import json, sys
texts = json.load(sys.stdin)["texts"]
print(json.dumps({"vectors": [[1, 0 if "lunch" in text else 1] for text in texts]}))
"""
COMMAND = shlex.join([sys.executable, "-c", FIXED])
WORDLESS = "There are no searchable words in the query; write one that says what to look for.\n"


@pytest.fixture
def filled(desk: Desk) -> Desk:
    desk.remember("FACT", "kiln", "Fires at 1240 C")
    desk.remember("FACT", "lunch", "at noon, kiln off")
    desk.remember("PREF", "tea", "喜欢绿茶", "--owner", "aria")
    return desk


def usage(desk: Desk) -> dict[str, dict[str, object]]:
    """The ledger's rows of use by the subject of the memory."""
    bank = Bank.open(desk.root, read_only=True)
    try:
        view = bank.view()
        return {view.memories[id].subject: dict(row) for id, row in view.rows("usage").items()}
    finally:
        bank.close()


def test_the_memora_ranker_explains_itself(filled: Desk) -> None:
    lines = filled("recall", "when does the kiln fire", "--ranker", "memora", "--explain").out.splitlines()
    assert lines[0].endswith("kiln: Fires at 1240 C  0.200")
    assert [line.strip() for line in lines[1:6]] == [
        "has 'kiln'",
        "has 'fire'",
        "number 1 of what has the words",
        "score 0.5",
        "0.6 of the similarity and 0.4 of the score make 0.2",
    ]
    found = filled.json("recall", "绿茶", "--ranker", "memora", "--explain").json
    assert (found["ranker"], found["query"], found["total"]) == ("memora", "绿茶", 1)
    (memory,) = found["memories"]
    assert (memory["score"], memory["final"], memory["explain"]["terms"]) == (0.5, 0.2, ["绿茶"])
    assert usage(filled) == {}


def test_a_memora_recall_that_is_used_boosts_what_it_shows(filled: Desk) -> None:
    for _ in range(2):
        assert filled("recall", "绿茶", "--ranker", "memora").code == 0
    row = usage(filled)["tea"]
    assert (row["score"], row["accessed_at"], row["access_count"]) == (0.6, "2026-10-12T12:00:00.000Z", 2)
    assert NOW.startswith("2026-10-12T12:00:00")
    for more in ("--no-usage", "--explain"):
        assert filled.json("recall", "绿茶", "--ranker", "memora", more).memories[0]["score"] == 0.6
    assert usage(filled)["tea"]["score"] == 0.6 and list(usage(filled)) == ["tea"]
    filled("recall", "kiln")
    assert "score" not in usage(filled)["kiln"]


@pytest.mark.parametrize("query", ["!!!", "", "what is the"])
def test_a_query_without_words_says_so(filled: Desk, query: str) -> None:
    answer = filled("recall", query, "--ranker", "memora")
    assert (answer.code, answer.out, answer.err) == (0, "", WORDLESS)
    found = filled.json("recall", query, "--ranker", "memora").json
    assert (found["memories"], found["total"], found["wordless"]) == ([], 0, True)


def test_memora_shows_five_unless_told_otherwise(desk: Desk) -> None:
    for number in range(7):
        desk.remember("FACT", "kiln", f"note {number}")
    answer = desk("recall", "kiln", "--ranker", "memora", "--no-usage")
    assert (len(answer.out.splitlines()), answer.err) == (5, "5 of 7 shown; --limit shows more.\n")
    assert len(desk.json("recall", "kiln", "--ranker", "memora", "--limit", "6").memories) == 6


def test_memora_joins_meaning_and_words(filled: Desk) -> None:
    words = ("recall", "kiln", "--ranker", "memora", "--no-usage", "--embedding", COMMAND)
    found = filled.json(*words)
    assert [(memory["subject"], memory["final"]) for memory in found.memories] == [
        ("kiln", 0.8),
        ("tea", 0.8),
        ("lunch", 0.624),
    ]
    ranked = filled.json(*words, "--fusion", "rrf")
    assert ranked.subjects == ["kiln", "lunch", "tea"] and ranked.memories[0]["final"] == 0.033
    assert filled("recall", "kiln", "--fusion", "rrf").err == "--fusion says how memora ranks; add --ranker memora.\n"


def test_words_alone_are_searched_for_and_boost_nothing(filled: Desk) -> None:
    words = ("recall", "noon kiln", "--ranker", "memora", "--words")
    assert filled.json(*words, "any").subjects == ["kiln", "lunch"]
    assert filled.json(*words, "all").subjects == ["lunch"]
    assert "score" not in usage(filled)["lunch"]
    assert filled("recall", "?", *words[2:], "all").err == WORDLESS
    refused = [
        filled("recall", " ", *words[2:], "any"),
        filled("recall", "kiln", "--words", "any"),
        filled(*words, "any", "--fusion", "rrf"),
    ]
    assert [(answer.code, answer.err) for answer in refused] == [
        (2, "There is nothing to search for; write a word.\n"),
        (2, "--words says how memora ranks; add --ranker memora.\n"),
        (2, "--words searches by words alone; leave out --fusion and --embedding.\n"),
    ]


def test_stored_code_is_shown_as_it_is_read(desk: Desk) -> None:
    told = '{"category": "preference", "value": "likes dark rooms", "fieldName": "likes"}'
    desk.remember("PREF", "rooms", told, "--owner", "aria", "--label", "profile")
    answer = desk("recall", "dark", "--ranker", "memora", "--no-usage")
    assert answer.out.endswith("rooms: likes dark rooms  0.400\n")
    (memory,) = desk.json("recall", "dark", "--ranker", "memora").memories
    assert (memory["content"], memory["statement"]) == ("likes dark rooms", told)
    assert desk("recall", "fieldName", "--ranker", "memora").err == "No memory matches.\n"


def test_the_embedding_program_may_stand_in_the_settings(filled: Desk) -> None:
    assert filled("config", "set", "embedding_cmd", COMMAND).code == 0
    found = filled.json("recall", "tea", "--ranker", "yotta", "--no-usage")
    assert found.subjects == ["tea", "kiln", "lunch"]
    assert filled.json("recall", "tea", "--ranker", "yotta", "--no-usage", "--embedding", "").subjects == ["tea"]
    assert filled("config", "set", "embedding_cmd", "exit-now").code == 0
    assert filled("config", "set", "embedding_timeout", "50").code == 0
    answer = filled("recall", "tea", "--ranker", "yotta", "--no-usage")
    assert (answer.code, len(answer.out.splitlines())) == (0, 1)
    assert answer.err == "The embedding command could not be started (ENOENT); meaning was left out.\n"
    sleeping = shlex.join([sys.executable, "-c", "import time; time.sleep(60)"])
    assert "more than 50 ms" in filled("recall", "tea", "--ranker", "yotta", "--embedding", sleeping).err
    assert (
        "more than 60 ms"
        in filled("recall", "tea", "--ranker", "yotta", "--embedding", sleeping, "--embedding-timeout", "60").err
    )


def test_vectors_are_kept_beside_the_bank_and_never_in_it(filled: Desk) -> None:
    before = tree(filled.root)
    filled.json("recall", "kiln", "--ranker", "yotta", "--no-usage", "--embedding", COMMAND)
    file = embedded_file(filled.root)
    assert file.stat().st_mode & 0o777 == 0o600 and b"kiln" not in file.read_bytes()
    assert tree(filled.root) == before
    file.write_bytes(b'{"version": 1, "vectors": {"x": "y"')
    assert filled.json("recall", "kiln", "--ranker", "yotta", "--no-usage", "--embedding", COMMAND).err == ""


def test_vectors_that_cannot_be_kept_are_no_fault(filled: Desk) -> None:
    folder = embedded_file(filled.root)
    folder.mkdir(parents=True)
    answer = filled("recall", "kiln", "--ranker", "yotta", "--no-usage", "--embedding", COMMAND)
    assert (answer.code, len(answer.out.splitlines())) == (0, 3)
    assert answer.err.startswith("The vectors were not kept: ")


def test_an_agent_gives_the_program_what_it_may_read_and_nothing_else(filled: Desk, tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    command = shlex.join([sys.executable, "-c", f"import sys; open({str(asked)!r}, 'w').write(sys.stdin.read())"])
    filled("recall", "tea", "--as", "lan", "--ranker", "yotta", "--embedding", command)
    assert "noon" in asked.read_text() and "绿茶" not in asked.read_text()
    filled("recall", "tea", "--as", "aria", "--ranker", "yotta", "--embedding", command)
    assert "绿茶" in asked.read_text()


def test_suggest_tells_a_reason_and_records_nothing(filled: Desk) -> None:
    lines = filled("suggest", "kiln").out.splitlines()
    assert [line.rpartition("  ")[2] for line in lines] == [*["related to the search"] * 2, "recently accessed"]
    found = filled.at("2026-11-30T00:00:00+00:00").json("suggest", "绿茶").json
    assert list(found) == ["schema", "query", "memories", "total"]
    assert [(memory["subject"], memory["final"], memory["why"][0]) for memory in found["memories"]] == [
        ("tea", 0.35, "related to the search"),
        ("kiln", 0.35, "suggested by FACT"),
        ("lunch", 0.35, "suggested by FACT"),
    ]
    assert found["memories"][0]["preview"] == "喜欢绿茶"
    assert usage(filled) == {}


def test_suggest_without_words_and_with_nothing_to_suggest(filled: Desk) -> None:
    assert filled.json("suggest", "--limit", "1").json["total"] == 3
    assert len(filled.json("suggest", "--type", "PREF").memories) == 1
    assert filled("suggest", "?!").err == WORDLESS
    assert filled.json("suggest", "--as", "lan").subjects == ["kiln", "lunch"]
    answer = filled("suggest", "--type", "BOUND")
    assert (answer.code, answer.out, answer.err) == (0, "", "There is nothing to suggest.\n")
