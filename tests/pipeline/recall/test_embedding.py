"""The embedding program: what it is asked, what its answer counts as, and that nothing it does harms a recall."""

from __future__ import annotations

import json
import math
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.context.provider import process
from pipeline.recall.engines import embedding
from pipeline.recall.engines.embedding import FIRST_CHUNK, Meaning, Program, compare, cosines, text_of
from pipeline.recall.engines.yotta import ranked
from pipeline.recall.within import Within
from tests.conformance.memories import TODAY, make

PATIENT = 20_000
ANSWERING = """
import json, sys
texts = json.load(sys.stdin)["texts"]
open("asked", "a").write(json.dumps(texts) + "\\n")
print(json.dumps({"vectors": [[1, len(text)] for text in texts]}))
"""


def script(text: str, timeout_ms: int = PATIENT) -> Program:
    """A program in Python."""
    return Program(shlex.join([sys.executable, "-c", text]), timeout_ms)


def asked(folder: Path) -> list[list[str]]:
    """The texts of each run."""
    return [json.loads(line) for line in (folder / "asked").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Programs run in the folder of whoever calls."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_it_is_asked_for_the_query_and_for_each_text_that_is_not_known(here: Path) -> None:
    first, second = make("缓存", "Redis", tags=("db", "hot")), make("kiln", "1240 C")
    program = script(ANSWERING)
    meaning = compare("Was ist DAS", [first, second], program, {program.key(text_of(second)): [1, 0]})
    assert asked(here) == [["was ist das", "缓存 Redis db hot"]]
    assert list(meaning.fresh) == [program.key("缓存 Redis db hot")]
    assert meaning.similarity.keys() == {first.id, second.id} and meaning.notes == ()


def test_a_large_bank_is_asked_for_in_several_runs_and_each_text_once(here: Path) -> None:
    memories = [make("kiln", f"note {number}") for number in range(40)] + [make("kiln", "note 0")]
    meaning = compare("kiln", memories, script(ANSWERING))
    runs = asked(here)
    assert len(runs[0]) == FIRST_CHUNK and len(runs) > 1
    assert sorted(text for run in runs for text in run) == sorted(["kiln", *(f"kiln note {n} " for n in range(40))])
    assert len(meaning.similarity) == 41


def test_when_it_takes_too_long_the_next_recall_goes_on(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedding, "PATIENCE_MS", 0)
    memories = [make("kiln", f"note {number}") for number in range(20)]
    program = script(ANSWERING)
    meaning = compare("kiln", memories, program)
    assert meaning.notes == ("The embedding command has not embedded 5 memories yet; recall again to go on.",)
    assert len(meaning.similarity) == len(meaning.fresh) == 15
    assert compare("kiln", memories, program, meaning.fresh).notes == ()


def test_without_a_query_nothing_is_asked(here: Path) -> None:
    assert compare("  ", [make("kiln")], script(ANSWERING)) == Meaning()
    assert not (here / "asked").exists()


WRONG = {
    "print('hello')": "The embedding command's answer is no vector for each text",
    "print('{}')": "The embedding command's answer is no vector for each text",
    "print('[[1]]')": "The embedding command's answer is no vector for each text",
    "print('{\"vectors\": [[1]]}')": "The embedding command's answer is no vector for each text",
    "print('{\"vectors\": [[1], 2]}')": "The embedding command's answer is no vector for each text",
    'print(\'{"vectors": [[1], ["2"]]}\')': "The embedding command's answer is no vector for each text",
    "print('{\"vectors\": [[1], [true]]}')": "The embedding command's answer is no vector for each text",
    "print('{\"vectors\": [[1], [NaN]]}')": "The embedding command's answer is no vector for each text",
    "print('{\"vectors\": [[1], [1e999]]}')": "The embedding command's answer is no vector for each text",
    "print('x' * 1048577)": "The embedding command's answer is longer than 1,048,576 bytes",
    "raise SystemExit(3)": "The embedding command ended with exit code 3",
    "import os; os.kill(os.getpid(), 9)": "The embedding command was ended by signal 9",
}


@pytest.mark.parametrize("text", WRONG, ids=str)
def test_what_goes_wrong_is_said_in_one_sentence_and_counts_for_nothing(text: str) -> None:
    meaning = compare("kiln", [make("kiln")], script(text))
    assert meaning == Meaning(notes=(f"{WRONG[text]}; meaning was left out.",))


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("no-such-program --fast", "The embedding command could not be started (ENOENT)"),
        ("'no end", "The embedding command has a quote that is never closed"),
        ("''", "The embedding command is empty"),
        ("  ", "The embedding command is empty"),
    ],
)
def test_a_command_that_is_none_is_no_fault(command: str, sentence: str) -> None:
    assert compare("kiln", [make("kiln")], Program(command)).notes == (f"{sentence}; meaning was left out.",)


def test_a_command_that_hangs_is_given_up() -> None:
    meaning = compare("kiln", [make("kiln")], script("import time; time.sleep(60)", 200))
    assert meaning.notes == ("The embedding command took more than 200 ms; meaning was left out.",)


def test_whoever_interrupts_the_wait_leaves_no_program_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[subprocess.Popen[bytes]] = []
    spawn = process._spawn

    def spawned(*words: Any) -> subprocess.Popen[bytes]:
        children.append(spawn(*words))
        return children[-1]

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(process, "_spawn", spawned)
    monkeypatch.setattr(process, "_serve", interrupted)
    with pytest.raises(KeyboardInterrupt):
        compare("kiln", [make("kiln")], script("import time; time.sleep(60)"))
    assert children[0].wait(PATIENT / 1000) == -signal.SIGKILL


VECTORS = st.lists(st.floats(-1e300, 1e300) | st.integers(-5, 5).map(float), min_size=1, max_size=4)


def plain(first: Sequence[float], second: Sequence[float]) -> float:
    """The cosine, in whole numbers of a common scale so that nothing overflows."""
    if len(first) != len(second) or not any(first) or not any(second):
        return 0.0
    one, two = ([value / max(map(abs, vector)) for value in vector] for vector in (first, second))
    product = math.fsum(a * b for a, b in zip(one, two, strict=True))
    return product / math.sqrt(math.fsum(a * a for a in one) * math.fsum(b * b for b in two))


@given(VECTORS, st.lists(VECTORS, max_size=4))
def test_property_only_cosines_above_nothing_count(query: list[float], others: list[list[float]]) -> None:
    found = cosines(query, {str(at): vector for at, vector in enumerate(others)})
    for at, vector in enumerate(others):
        cosine = plain(query, vector)
        assert found.get(str(at), 0.0) == pytest.approx(max(cosine, 0.0), abs=1e-6)
    assert all(0 < value <= 1 for value in found.values())


def test_beside_similarities_words_count_in_parts_of_the_best_match() -> None:
    """bank-D27: a cosine is no more swamped by match scores, which have no upper end."""
    best, weak, near = make("kiln kiln", "kiln"), make("port", "of the kiln"), make("oven", "heats clay")
    found = ranked([best, weak, near], "kiln", Within(date.fromisoformat(TODAY)), similarity={near.id: 0.9})
    assert [hit.memory.subject for hit in found.hits] == ["kiln kiln", "oven", "port"]
    assert [hit.score for hit in found.hits] == [7, 0.9, 1]
