"""A real litellm in its child process against a scripted server: what a person gets for each thing that can happen."""

from __future__ import annotations

import subprocess
import sys
import time
from importlib.metadata import distribution, version

import pytest

from pipeline.reply import ModelProblem, Reply, never
from pipeline.worker import Worker
from tests.pipeline.model_server import Answer, ModelServer, fails, hangs, model_server, says, sends

SCHEMA = {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]}


def ask(worker: Worker, server: ModelServer, timeout: float = 20.0) -> Reply | ModelProblem:
    request = {
        "model": "openai/scripted",
        "api_base": server.url,
        "messages": [{"role": "user", "content": "say something"}],
        "schema": SCHEMA,
        "timeout": timeout,
        "max_tokens": 100,
    }
    return worker.call(request, never)


def test_an_answer_comes_back_with_its_tokens(worker: Worker) -> None:
    with model_server(says('{"status":"complete"}')) as server:
        reply = ask(worker, server)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.tokens_in, reply.tokens_out) == ('{"status":"complete"}', 12, 5)
    sent = server.requests[0]
    assert sent["temperature"] == 0
    assert sent["response_format"]["json_schema"]["schema"] == SCHEMA


def test_a_server_that_refuses_the_schema_is_asked_once_more_without_it(worker: Worker) -> None:
    with model_server(fails(400, "response_format is not supported"), says("{}")) as server:
        reply = ask(worker, server)
    assert isinstance(reply, Reply)
    assert "response_format" not in server.requests[1]


@pytest.mark.parametrize(
    ("answer", "kind", "words"),
    [
        pytest.param(fails(401), "configuration", "wants a key", id="wrong key"),
        pytest.param(fails(404), "configuration", "There is no model", id="unknown model"),
        pytest.param(fails(500), "provider", "failed", id="server error"),
        pytest.param(fails(503), "provider", "failed", id="overloaded"),
        pytest.param(sends(b"<html>not JSON"), "provider", "", id="not JSON"),
        pytest.param(sends(b'{"choices": []}'), "provider", "empty answer", id="no choices"),
        pytest.param(says(""), "provider", "empty answer", id="nothing said"),
        pytest.param(says('{"stat', finish="length"), "provider", "cut short", id="cut"),
        pytest.param(says("No.", finish="content_filter"), "provider", "refused", id="refusal"),
        pytest.param(
            fails(400, "This model's maximum context length is 10 tokens"), "provider", "too long", id="too long"
        ),
    ],
)
def test_each_failure_is_one_sentence_and_a_class(worker: Worker, answer: Answer, kind: str, words: str) -> None:
    with model_server(answer) as server:
        problem = ask(worker, server)
    assert isinstance(problem, ModelProblem)
    assert problem.kind == kind
    assert words in problem.message
    assert problem.message.endswith(".")
    assert "Traceback" not in problem.message


def test_a_refused_rate_is_waited_out(worker: Worker) -> None:
    with model_server(fails(429), says("{}")) as server:
        assert isinstance(ask(worker, server), Reply)
    assert len(server.requests) == 2


def test_a_silent_server_times_out(worker: Worker) -> None:
    with model_server(hangs) as server:
        problem = ask(worker, server, timeout=0.6)
        assert isinstance(problem, ModelProblem)
        assert problem.kind == "timeout"
        assert server.hung_up.wait(5)


def test_a_server_that_is_not_there_is_said_so(worker: Worker) -> None:
    with model_server(says("{}")) as server:
        pass
    problem = ask(worker, server)
    assert isinstance(problem, ModelProblem)
    assert "cannot be reached" in problem.message


def test_cancelling_hangs_up_at_once(worker: Worker) -> None:
    with model_server(hangs) as server:
        request = {
            "model": "openai/scripted",
            "api_base": server.url,
            "messages": [{"role": "user", "content": "x"}],
            "timeout": 60.0,
            "max_tokens": 10,
        }
        started = time.monotonic()
        problem = worker.call(request, server.asked.is_set)
        assert problem == ModelProblem("aborted", "The call was stopped.")
        assert server.hung_up.wait(5)
        assert time.monotonic() - started < 60


def test_a_child_that_dies_is_said_so_and_the_next_call_works(worker: Worker) -> None:
    with model_server(hangs, says("{}")) as server:
        process = worker.child().process

        def kill_when_asked() -> bool:
            if server.asked.is_set() and process.poll() is None:
                process.kill()
            return False

        request = {
            "model": "openai/scripted",
            "api_base": server.url,
            "messages": [{"role": "user", "content": "x"}],
            "timeout": 30.0,
            "max_tokens": 10,
        }
        assert isinstance(worker.call(request, kill_when_asked), ModelProblem)
        assert isinstance(ask(worker, server), Reply)


def test_litellm_is_an_allowed_release_without_start_up_files() -> None:
    files = distribution("litellm").files or []
    assert not [file for file in files if str(file).endswith(".pth")]
    assert version("litellm") not in {"1.82.7", "1.82.8"}
    assert version("litellm").startswith("1.110.")


def test_the_door_does_not_bring_litellm_into_this_process() -> None:
    code = "import pipeline.model, sys; sys.exit('litellm' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
