"""Bank cases: the embedding program of recall (`spec/bank.md` §10.4)."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

from store.index.embedded import embedded_file, kept_vectors
from tests.cli.desk import Desk, new_desk

PROGRAM = """
import json, sys
vectors = json.load(open({vectors!r}))
texts = json.load(sys.stdin)["texts"]
print(json.dumps({{"vectors": [vectors[text] for text in texts]}}))
"""


def program(folder: Path, vectors: dict[str, list[int]]) -> str:
    """A command that answers with the vector of each text."""
    (folder / "vectors.json").write_text(json.dumps(vectors), encoding="utf-8")
    (folder / "embed it.py").write_text(PROGRAM.format(vectors=str(folder / "vectors.json")), encoding="utf-8")
    return shlex.join([sys.executable, str(folder / "embed it.py")])


def kiln(tmp_path: Path) -> Desk:
    """One memory that has the word, and two that have not."""
    desk = new_desk(tmp_path)
    desk.remember("FACT", "kiln", "kiln at dawn")
    desk.remember("FACT", "oven", "heats clay")
    desk.remember("FACT", "lunch", "is at noon")
    return desk


def test_yb_045_the_greater_of_match_and_similarity_counts(tmp_path: Path) -> None:
    """entry1 scores 0.5, entry2 is not a hit (cosine < 0), entry3 scores 4 (max of 4 and 1)."""
    desk = kiln(tmp_path)
    told = {"kiln kiln at dawn ": [1, 0, 1], "oven heats clay ": [1, 1, 0], "lunch is at noon ": [-1, 0, 0]}
    command = program(tmp_path, told | {"kiln": [1, 0, 1]})
    found = desk.json("recall", "KILN", "--ranker", "yotta", "--embedding", command)
    assert [(memory["subject"], memory["score"]) for memory in found.memories] == [("kiln", 4), ("oven", 0.5)]
    assert found.err == ""
    assert "means something similar (similarity 0.5)" in found.memories[1]["why"]
    assert sorted(kept_vectors(embedded_file(desk.root)).values()) == [[-1, 0, 0], [1, 0, 1], [1, 1, 0]]
    program(tmp_path, {"kiln": [1, 0, 1]})  # what was embedded is known now: only the query is asked for
    assert desk.json("recall", "kiln", "--ranker", "yotta", "--embedding", command).memories[1]["score"] == 0.5


def test_yb_046_a_command_that_fails_leaves_the_plain_ranking(tmp_path: Path) -> None:
    """Same result as without the plugin, exit 0, no cache file entry for the failed texts."""
    desk = kiln(tmp_path)
    plain = desk.json("recall", "kiln", "--ranker", "yotta", "--no-usage")
    failing = shlex.join([sys.executable, "-c", "raise SystemExit(1)"])
    found = desk("recall", "kiln", "--ranker", "yotta", "--no-usage", "--json", "--embedding", failing)
    assert (found.code, found.out) == (0, plain.out)
    assert found.err == "The embedding command ended with exit code 1; meaning was left out.\n"
    assert kept_vectors(embedded_file(desk.root)) == {}
