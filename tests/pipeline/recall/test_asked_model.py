"""Meaning from an embedding model: a real litellm in its child process against a scripted server on loopback."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable

import numpy as np
import pytest

from pipeline.recall.encoding.asked_model import BATCH, AskedModel, EmbeddingSettings
from pipeline.recall.encoding.chosen import encoder_of
from pipeline.recall.encoding.encoders import MOST_CHARACTERS, EncoderProblem
from pipeline.recall.encoding.reached import unreached
from pipeline.worker import Worker
from store.config import Config
from tests.pipeline.embedding_server import embeds, vector
from tests.pipeline.model_server import Answer, ModelServer, fails, hangs, model_server, sends

Asking = Callable[..., AskedModel]


@pytest.fixture
def asking(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> Asking:
    """Makes the model behind a server; all of them share one child process."""

    def make(server: ModelServer, **rest: object) -> AskedModel:
        settings = EmbeddingSettings("openai/scripted", server.url, **{"timeout": 20.0, **rest})  # type: ignore[arg-type]
        model = AskedModel(settings, pauses=(0.01, 0.01))
        monkeypatch.setattr(model, "_worker", worker)
        return model

    return make


def test_texts_become_unit_vectors_in_their_order(asking: Asking) -> None:
    with model_server(embeds(backwards=True)) as server:
        model = asking(server)
        assert model.dim == 0
        found = model.encode(["harbour", "小熊灯塔"], "entry")
    assert (model.dim, found.dtype, found.shape) == (4, np.float32, (2, 4))
    for row, text in zip(found, ["harbour", "小熊灯塔"], strict=True):
        expected = np.array(vector(text))
        assert row == pytest.approx(expected / np.linalg.norm(expected), abs=1e-6)
    assert server.requests[0]["input"] == ["harbour", "小熊灯塔"]


def test_many_texts_go_in_batches_of_64(asking: Asking) -> None:
    texts = [f"text {at}" for at in range(2 * BATCH + 1)]
    with model_server(embeds()) as server:
        found = asking(server).encode(texts, "entry")
    assert [len(request["input"]) for request in server.requests] == [64, 64, 1]
    assert found.shape == (129, 4)
    assert len({row.tobytes() for row in found}) == 129


def test_questions_and_memories_are_led_in_as_the_model_wants(asking: Asking) -> None:
    with model_server(embeds()) as server:
        model = asking(server, query_prefix="query:", entry_prefix="passage: ")
        model.encode(["tea"], "query")
        model.encode(["tea"], "entry")
        assert [request["input"] for request in server.requests] == [["query: tea"], ["passage: tea"]]
        assert model.id == f"litellm:openai/scripted at {server.url} passage: "
        assert asking(server, entry_prefix="").id != model.id


def test_a_question_asked_again_is_not_sent_again(asking: Asking) -> None:
    with model_server(embeds()) as server:
        model = asking(server)
        first = model.encode(["tea"], "query")
        assert np.array_equal(model.encode(["tea"], "query"), first)
        assert len(server.requests) == 1
        several = model.encode(["milk", "tea", "water", "milk"], "query")
        assert server.requests[1]["input"] == ["milk", "water"]
        assert np.array_equal(several[1:2], first)
        assert np.array_equal(several[0], several[3])


def test_no_secret_is_sent_and_no_more_of_a_text_than_its_beginning(asking: Asking) -> None:
    secret = "ghp_" + "exampleexampleexample0123456789"
    before = "word " * ((MOST_CHARACTERS - 10) // 5)
    with model_server(embeds()) as server:
        model = asking(server)
        model.encode([f"the token is {secret} today", before + secret, "long " * 9999], "entry")
        model.encode([f"what is {secret}"], "query")
    assert secret[:12].encode() not in b"".join(server.received)
    assert max(len(text) for text in server.requests[0]["input"]) == MOST_CHARACTERS


def test_empty_and_odd_texts_are_no_trouble(asking: Asking) -> None:
    with model_server(embeds()) as server:
        model = asking(server)
        assert model.encode([], "entry").shape == (0, 0)
        assert model.encode(["", "a\udc80b", "\0"], "entry").shape == (3, 4)
        assert model.encode([], "query").shape == (0, 4)


@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_bad_moment_of_the_server_is_waited_out(status: int, asking: Asking) -> None:
    with model_server(fails(status), fails(status), embeds()) as server:
        assert asking(server).encode(["tea"], "entry").shape == (1, 4)
    assert len(server.requests) == 3


def test_a_question_waits_for_no_second_try(asking: Asking) -> None:
    with model_server(fails(500), embeds()) as server:
        with pytest.raises(EncoderProblem):
            asking(server).encode(["tea"], "query")
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        pytest.param(fails(401), "wants a key", id="wrong key"),
        pytest.param(fails(404), "There is no model", id="unknown model"),
        pytest.param(fails(500), "failed", id="server error"),
        pytest.param(sends(b"<html>not JSON"), "", id="not JSON"),
        pytest.param(sends(b'{"object": "list", "data": [], "model": "m"}'), "no usable vectors", id="no vectors"),
        pytest.param(
            sends(json.dumps({"data": [{"index": 0, "embedding": [None, "x"]}], "model": "m"}).encode()),
            "no usable vectors",
            id="no numbers",
        ),
        pytest.param(
            sends(json.dumps({"data": [{"index": 0, "embedding": []}], "model": "m"}).encode()),
            "no usable vectors",
            id="empty vector",
        ),
        pytest.param(hangs, "did not answer within 0.6 s", id="silent"),
    ],
)
def test_each_failure_is_one_sentence(answer: Answer, words: str, asking: Asking) -> None:
    with model_server(answer) as server:
        with pytest.raises(EncoderProblem) as problem:
            asking(server, timeout=0.6 if answer is hangs else 20.0).encode(["tea"], "entry")
    said = str(problem.value)
    assert words in said
    assert said.endswith(".")
    assert "Traceback" not in said


def test_a_server_that_is_not_there_is_said_so(asking: Asking) -> None:
    with model_server(embeds()) as server:
        pass
    with pytest.raises(EncoderProblem, match="cannot be reached"):
        asking(server).encode(["tea"], "query")


def test_a_question_to_a_server_here_that_is_not_there_costs_no_start_of_litellm(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with model_server(embeds()) as server:
        assert unreached("ollama/nomic-embed-text", server.url) == ""
    monkeypatch.setattr(Worker, "call", lambda *_: pytest.fail("litellm was started"))
    monkeypatch.setenv("OLLAMA_API_BASE", server.url)
    for settings in (EmbeddingSettings("ollama/nomic-embed-text"), EmbeddingSettings("openai/scripted", server.url)):
        with pytest.raises(EncoderProblem, match=f"The server of {settings.model}.* cannot be reached"):
            AskedModel(settings).encode(["tea"], "query")


@pytest.mark.parametrize("base", [None, "https://example.invalid", "http://[bad", "http://localhost:x", "nonsense"])
def test_of_any_other_server_only_asking_tells(base: str | None) -> None:
    assert unreached("openai/scripted", base) == ""


def test_a_model_that_changes_its_dimension_is_refused(asking: Asking) -> None:
    with model_server(embeds(4), embeds(5)) as server:
        model = asking(server)
        model.encode(["tea"], "entry")
        with pytest.raises(EncoderProblem, match="gives 5 numbers a text and gave 4 before"):
            model.encode(["coffee"], "entry")


def test_threads_may_share_a_model(asking: Asking) -> None:
    with model_server(embeds()) as server:
        model = asking(server)
        found: dict[int, bytes] = {}

        def ask(at: int) -> None:
            found[at] = model.encode([f"text {at % 3}"], "query").tobytes()

        threads = [threading.Thread(target=ask, args=(at,)) for at in range(9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(found) == 9
    assert len(set(found.values())) == 3


def test_nothing_is_started_or_sent_before_the_first_text() -> None:
    with model_server(embeds()) as server:
        chosen = encoder_of(Config({"meaning": "openai/scripted", "meaning_api_base": server.url}))
        assert chosen.encoder is not None
        assert chosen.encoder.id == f"litellm:openai/scripted at {server.url}"
        chosen.encoder.close()
        assert server.received == []
