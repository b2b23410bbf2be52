"""The rebuild in a process of its own: what it leaves is usable whenever it is killed, and it ends with its starter."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.recall import rebuild as rebuilding_module
from pipeline.recall.encoding.catching_up import catch_up
from pipeline.recall.encoding.encoders import EncoderProblem, Floats, Kind
from pipeline.recall.rebuild import rebuild
from pipeline.recall.rebuilding import start_rebuild
from store.bank import Bank
from store.config import config_file
from store.index.search.files import load
from store.index.search.following import Followed
from store.index.search.meant import Meant
from store.index.search.searching import Searching, file_of
from store.index.search.turn import turn
from store.index.search.vectors import load_vectors, vectors_file
from store.joined import joined
from store.view import View
from tests.pipeline.embedding_server import embeds
from tests.pipeline.model_server import model_server
from tests.store.world import in_child

WAIT = 240.0


class Counting:
    """An encoder of four made-up numbers that counts what it is asked."""

    id, dim = "counting@1", 4

    def __init__(self, fails_after: int = 1000, dim: int = 4) -> None:
        self.asked: list[str] = []
        self.left = fails_after
        self.dim = dim

    def encode(self, texts: Sequence[str], kind: Kind) -> Floats:
        self.left -= 1
        if self.left < 0:
            raise EncoderProblem("The server of the model cannot be reached; check that it runs.")
        self.asked += texts
        drawn = [np.random.default_rng(list(text.encode())).normal(size=self.dim) for text in texts]
        found = np.array(drawn, np.float32)
        return found / np.linalg.norm(found, axis=1, keepdims=True)

    def close(self) -> None:
        """Nothing is open."""


def bank(path: Path, count: int, word: str = "harbour") -> Path:
    """A bank of files as another program would write them."""
    folder = path / "facts" / "2026" / "10"
    folder.mkdir(parents=True)
    for at in range(count):
        front = f"type: FACT\nsubject: s{at}\nstatement: {word} number{at}\ncreated: 2026-10-01\n"
        (folder / f"2026-10-01-{at:04}.md").write_text(f"---\n{front}---\n{word} number{at}\n", encoding="utf-8")
    return path


def quiet(stage: str, **more: Any) -> None:
    """Tell nobody."""


def run(*arguments: str | Path) -> list[dict[str, Any]]:
    """What the command says, line by line."""
    done = subprocess.run(
        [sys.executable, "-m", "pipeline.recall.rebuild", *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=WAIT,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def snapshot(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def litter(file: Path) -> set[str]:
    """What lies beside an index and is none of it."""
    return {path.name for path in file.parent.iterdir() if path.suffix != ".lock"} - {file.name, "rebuilding"}


def view_of(root: Path) -> View:
    return Bank.open(root, read_only=True).view()


def standing(followed: Followed) -> set[str]:
    """The ids of all rows that stand."""
    return {followed.index.key(row) for row in np.flatnonzero(followed.index.alive).tolist()}


def finds(searching: Searching, root: Path, word: str) -> int:
    followed = searching.of(view_of(root))
    scores = followed.index.word(word)
    return 0 if scores is None else int(np.count_nonzero((scores > 0) & followed.index.alive))


def test_the_command_leaves_an_index_in_the_cache_and_nothing_in_the_bank(tmp_path: Path) -> None:
    root = bank(tmp_path / "bank", 12)
    before = snapshot(root)
    stages = [line["stage"] for line in run(root)]
    assert stages == ["reading", "words", "done"]
    assert snapshot(root) == before
    segment = load(file_of([root]))
    assert segment is not None
    assert len(segment) == 12
    assert finds(Searching(file_of([root])), root, "harbour") == 12


def test_a_folder_that_is_no_bank_is_one_sentence(tmp_path: Path) -> None:
    (last,) = [line for line in run(tmp_path / "nothing") if line["stage"] == "failed"]
    assert last["message"].endswith(".")


def test_the_project_and_the_user_bank_have_one_index(tmp_path: Path) -> None:
    roots = [bank(tmp_path / "project", 2, "ferry"), bank(tmp_path / "user", 3)]
    assert rebuild(roots, quiet)
    both = joined(*(view_of(root) for root in roots))
    searching = Searching(file_of(roots))
    index = searching.of(both).index
    assert {index.key(row).partition(":")[0] for row in range(len(index))} == {"project", "user"}
    assert index.changes == 0
    assert load(file_of(roots[:1])) is None


def test_only_what_changed_is_encoded_again(tmp_path: Path) -> None:
    root, encoder = bank(tmp_path / "bank", 5), Counting()
    assert rebuild([root], quiet, encoder)
    assert len(encoder.asked) == 5
    first = next((root / "facts").rglob("*0000.md"))
    first.write_text(first.read_text().replace("harbour", "ferry"))
    next((root / "facts").rglob("*0001.md")).unlink()
    again = Counting()
    assert rebuild([root], quiet, again)
    assert again.asked == ["s0\nferry number0"]
    view = view_of(root)
    followed = Searching(file_of([root])).of(view)
    meant = Meant(file_of([root]), encoder.id)
    aligned = meant.of(followed)
    assert aligned is not None
    assert (int(aligned.has.sum()), meant.lacking(followed)) == (4, 0)
    near = aligned.near(again.encode(["s0\nferry number0"], "query")[0])
    assert followed.index.key(int(near.rows[np.argmax(near.cosines)])).endswith("0000.md")
    unchanged = Counting()
    assert rebuild([root], quiet, unchanged)
    assert unchanged.asked == []


def test_an_index_of_the_present_state_is_not_made_again(tmp_path: Path) -> None:
    root = bank(tmp_path / "bank", 3)
    assert rebuild([root], quiet)
    before = file_of([root]).stat()
    assert rebuild([root], quiet, Counting())
    assert file_of([root]).stat().st_mtime_ns == before.st_mtime_ns


def test_what_was_encoded_before_a_failure_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuilding_module, "BATCH", 2)
    root = bank(tmp_path / "bank", 6)
    with pytest.raises(EncoderProblem):
        rebuild([root], quiet, Counting(fails_after=2))
    assert finds(Searching(file_of([root])), root, "harbour") == 6
    rest = Counting()
    assert rebuild([root], quiet, rest)
    assert len(rest.asked) == 2


def test_a_model_replaced_under_its_name_is_refused_and_its_vectors_stay(tmp_path: Path) -> None:
    root = bank(tmp_path / "bank", 2)
    assert rebuild([root], quiet, Counting())
    next((root / "facts").rglob("*0001.md")).write_text("---\ntype: FACT\nstatement: new\n---\nnew\n")
    with pytest.raises(Exception, match=r"gives 5 numbers a text where the kept vectors have 4: .*made anew\."):
        rebuild([root], quiet, Counting(dim=5))
    kept = load_vectors(vectors_file(file_of([root]), "counting@1"), "counting@1")
    assert kept is not None
    assert (len(kept), kept.dim) == (1, 4)


def test_a_second_rebuild_leaves_it_to_the_first(tmp_path: Path) -> None:
    root = bank(tmp_path / "bank", 2)
    with turn(file_of([root])) as ours:
        assert ours
        assert [line["stage"] for line in run(root)] == ["busy"]
        assert not rebuild([root], quiet)
    assert rebuild([root], quiet)


def test_a_cache_folder_that_refuses_is_one_sentence(tmp_path: Path) -> None:
    root = bank(tmp_path / "bank", 2)
    blocked = file_of([root]).parent
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_text("a file where the folder would be")
    (line,) = run(root)
    assert line["stage"] == "failed"
    assert line["message"].startswith(f"The cache folder {blocked} cannot be written: ")


def test_vectors_come_from_the_model_that_the_settings_name(tmp_path: Path) -> None:
    root = bank(tmp_path / "bank", 3)
    config_file().parent.mkdir(parents=True)
    with model_server(embeds()) as server:
        config_file().write_text(f'meaning = "openai/scripted"\nmeaning_api_base = "{server.url}"\n')
        assert [line["stage"] for line in run(root)][-1] == "done"
        assert server.requests == [], "without --vectors nothing is sent"
        lines = run(root, "--vectors")
    assert lines[-2:] == [{"stage": "vectors", "done": 0, "of": 3}, {"stage": "done"}]
    assert [len(request["input"]) for request in server.requests] == [3]
    model = f"litellm:openai/scripted at {server.url}"
    kept = load_vectors(vectors_file(file_of([root]), model), model)
    assert kept is not None
    assert len(kept) == 3


def test_a_rebuild_that_fails_says_why(tmp_path: Path) -> None:
    starter = start_rebuild([tmp_path / "nothing"])
    try:
        assert starter.wait(WAIT)
        assert starter.done()
        assert starter.problem.endswith(".")
    finally:
        starter.end()


def test_the_starter_tells_how_far_it_is_and_that_it_is_done(tmp_path: Path) -> None:
    root = bank(tmp_path / "bank", 3)
    starter = start_rebuild([root])
    try:
        assert starter.wait(WAIT)
        assert (starter.done(), starter.progress, starter.problem) == (True, {"stage": "done"}, "")
    finally:
        starter.end()
    assert finds(Searching(file_of([root])), root, "harbour") == 3


def test_two_readers_see_whole_states_while_a_rebuild_runs(tmp_path: Path) -> None:
    root = bank(tmp_path / "bank", 5)
    assert rebuild([root], quiet, Counting())
    next((root / "facts").rglob("*0000.md")).unlink()
    bank(root / "facts" / "more", 40)
    readers = [Searching(file_of([root])), Searching(file_of([root]))]
    views = [view_of(root), view_of(root)]
    starter = start_rebuild([root])
    try:
        while not starter.wait(0.01):
            for searching, view in zip(readers, views, strict=True):
                assert standing(searching.of(view)) == set(view.memories)
    finally:
        starter.end()
    assert starter.progress["stage"] == "done"
    for searching, view in zip(readers, views, strict=True):
        followed = searching.of(view)
        assert (standing(followed), followed.index.changes) == (set(view.memories), 0)


def test_the_few_that_came_since_are_encoded_here(tmp_path: Path) -> None:
    root = bank(tmp_path / "bank", 4)
    assert rebuild([root], quiet, Counting())
    first = next((root / "facts").rglob("*0000.md"))
    first.write_text(first.read_text().replace("harbour", "ferry"))
    encoder = Counting()
    meant, followed = Meant(file_of([root]), encoder.id), Searching(file_of([root])).of(view_of(root))
    assert catch_up(meant, followed, encoder) == 1
    assert encoder.asked == ["s0\nferry number0"]
    assert catch_up(meant, followed, encoder) == 0
    assert meant.lacking(followed) == 0


def test_an_ended_rebuild_is_no_problem_and_leaves_nothing_running(tmp_path: Path) -> None:
    starter = start_rebuild([bank(tmp_path / "bank", 3)])
    starter.end()
    assert starter.done()
    assert starter.problem == ""
    with pytest.raises(ProcessLookupError):
        os.kill(starter.pid, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_rebuild_does_not_outlive_a_starter_that_is_killed(tmp_path: Path) -> None:
    """The child is held in the middle of its work by settings that do not end."""
    root = bank(tmp_path / "bank", 3)
    config_file().parent.mkdir(parents=True)
    os.mkfifo(config_file())
    code = (
        "import pathlib, sys, time; from pipeline.recall.rebuilding import start_rebuild\n"
        "print(start_rebuild([pathlib.Path(sys.argv[1])], vectors=True).pid, flush=True)\n"
        "time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", code, str(root)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent.stdout, config_file().open("wb"):
        child = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        assert gone(child)


def gone(pid: int) -> bool:
    """Whether a process ends in a while; one that nobody has asked about is as good as gone."""
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        status = Path(f"/proc/{pid}/stat")
        if status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False


STEPS = frozenset({"open", "os.rename", "os.remove", "os.mkdir", "fcntl.flock"})


def killed_at(point: int, root: Path, cache: Path) -> int:
    """Rebuild in a child that is killed when it touches the cache for the n-th time; the exit code."""
    left = point

    def step(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal left
        if event in STEPS and str(arguments[0]).startswith(str(cache)):
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)

    def work() -> None:
        sys.addaudithook(step)
        rebuild([root], quiet, Counting())

    return in_child(work)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_rebuild_killed_at_any_step_leaves_the_old_index_usable_and_no_litter_that_grows(tmp_path: Path) -> None:
    root = bank(tmp_path / "bank", 4)
    assert rebuild([root], quiet, Counting())
    file = file_of([root])
    name = vectors_file(file, "counting@1").name
    changed = next((root / "facts").rglob("*0000.md"))
    killed = code = 0
    for point in range(1, 40):
        changed.write_text(changed.read_text().rstrip() + f" more{point}\n")
        code = killed_at(point, root, file.parent)
        searching, meant = Searching(file), Meant(file, "counting@1")
        assert (finds(searching, root, "harbour"), finds(searching, root, f"more{point}")) == (4, 1)
        assert meant.lacking(searching.of(view_of(root))) <= 1
        assert (searching.notice, meant.notice) == ("", "")
        assert litter(file) <= {"search.new", f"{name}.new", name, "entries", "head"}
        if code == 0:
            break
        assert code == -signal.SIGKILL
        killed += 1
    assert (code, killed >= 6) == (0, True)
    assert litter(file) <= {name, "entries", "head"}
    followed = Searching(file).of(view_of(root))
    assert (followed.index.changes, Meant(file, "counting@1").lacking(followed)) == (0, 0)
