"""A model server on loopback that says what a test tells it to, in the OpenAI protocol."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["Handler"], None]


@dataclass
class ModelServer:
    """The running server: where it listens, what it was asked, and the answers still to give (the last one repeats)."""

    url: str = ""
    answers: list[Answer] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    received: list[bytes] = field(default_factory=list)
    """Every byte that came in, head and body of each request."""
    hung_up: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    asked: threading.Event = field(default_factory=threading.Event)


class Handler(BaseHTTPRequestHandler):
    """One request: remembered, then answered by the next scripted answer."""

    script: ModelServer

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing on the terminal."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.script.received += [self.requestline.encode(), str(self.headers).encode(), body]
        self.script.requests.append(json.loads(body))
        self.script.asked.set()
        answers = self.script.answers
        (answers.pop(0) if len(answers) > 1 else answers[0])(self)

    def send(self, status: int, body: Any) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def says(text: str, finish: str = "stop", model: str = "scripted") -> Answer:
    """Answer with a message."""
    message = {"role": "assistant", "content": text}
    body = {
        "id": "c1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 5, "total_tokens": 17},
    }
    return lambda handler: handler.send(200, body)


def fails(status: int, message: str = "no") -> Answer:
    """Answer with an error of the protocol."""
    return lambda handler: handler.send(status, {"error": {"message": message, "type": "error", "code": None}})


def sends(body: bytes) -> Answer:
    """Answer with bytes that need not be JSON."""
    return lambda handler: handler.send(200, body)


def hangs(handler: Handler) -> None:
    """Say nothing until the caller hangs up or the test ends."""
    handler.connection.settimeout(0.05)
    while not handler.script.released.is_set():
        try:
            if handler.connection.recv(1) == b"":
                handler.script.hung_up.set()
                return
        except TimeoutError:
            continue
        except OSError:
            handler.script.hung_up.set()
            return


def drips(handler: Handler) -> None:
    """Begin an answer and send it letter by letter, without end."""
    _pours(handler, b" ", 0.02)


def floods(handler: Handler) -> None:
    """Begin an answer and send it as fast as it is taken, without end."""
    _pours(handler, b" " * 65_536, 0.0)


def _pours(handler: Handler, piece: bytes, pause: float) -> None:
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    try:
        while not handler.script.released.wait(pause):
            handler.wfile.write(piece)
    except OSError:
        handler.script.hung_up.set()
    handler.close_connection = True


@contextmanager
def model_server(*answers: Answer) -> Iterator[ModelServer]:
    """Run a server for the length of a test."""
    script = ModelServer(answers=list(answers))
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Scripted", (Handler,), {"script": script}))
    server.daemon_threads = True
    script.url = f"http://127.0.0.1:{server.server_port}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield script
    finally:
        script.released.set()
        server.shutdown()
        server.server_close()
