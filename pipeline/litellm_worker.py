"""The child process in which litellm lives: JSON lines in, JSON lines out.

litellm takes seconds and 190 MB to import and prints where it likes, so it never enters the workbench's own process
(`design/llm.md` §1, §3). One request a line on stdin: `{"id", "model", "messages", "schema"?, "timeout", "max_tokens",
"api_base"?}`, for vectors of texts `{"id", "model", "input", "timeout", "pauses", "api_base"?}`, or `{"cancel": id}`;
one answer a line on stdout: `{"id", "text", …}` (of vectors: float32, row by row, in base64) or `{"id", "problem",
"message"}`.
The child ends when its stdin closes. Keys come from the environment only.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import sys
import time
from base64 import b64encode
from collections.abc import AsyncIterator
from functools import partial
from typing import IO, Any

QUIET = {
    "LITELLM_MODE": "PRODUCTION",  # or it loads a .env file found beside the installed package
    "LITELLM_OFFLINE_MODE": "true",  # or the import fetches a price map
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOG": "ERROR",
}
RETRY_AFTER = (1.0, 4.0)
"""Pauses in seconds before a call that was refused for its rate is tried again."""
MOST_BYTES = 8 << 20
"""Bytes of one response: many times what the longest valid answer takes (`spec/extraction.md` §20)."""
MOST_CHARACTERS = 1 << 20
"""Characters of one answer."""
FINISHED = frozenset({"stop", "tool_calls", "tool-calls"})
"""Finish kinds of a whole answer (`spec/extraction.md` §4)."""
TOO_LONG = "The model's answer is longer than any answer can be; run again or choose another model."
MOST_TOKENS = 1 << 40
"""More than any call can use: a count above it is none."""


class TooLongError(Exception):
    """A server sends more than any answer can be."""


def load() -> Any:
    """Import litellm, silenced (`design/llm.md` §3)."""
    os.environ.update(QUIET)
    import logging

    import httpx
    import litellm

    bound(httpx.Response)
    litellm.suppress_debug_info = True
    litellm.DEFAULT_MAX_RETRIES = 0
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.addHandler(logging.NullHandler())
        logger.propagate = False
    return litellm


def bound(response: Any) -> None:
    """Let no response bring more than `MOST_BYTES`: no client of litellm has a limit of its own."""
    whole = response.aiter_bytes

    async def aiter_bytes(self: Any, chunk_size: int | None = None) -> AsyncIterator[bytes]:
        got = 0
        async for piece in whole(self, chunk_size):
            got += len(piece)
            if got > MOST_BYTES:
                raise TooLongError
            yield piece

    response.aiter_bytes = aiter_bytes


def arguments(request: dict[str, Any]) -> dict[str, Any]:
    """The keyword arguments of one completion call, without the response format."""
    chosen: dict[str, Any] = {
        "model": request["model"],
        "messages": request["messages"],
        "temperature": 0,
        "max_tokens": request["max_tokens"],
        "timeout": request["timeout"],
        "max_retries": 0,
        "drop_params": True,
    }
    return chosen | server(request)


def server(request: dict[str, Any]) -> dict[str, Any]:
    """The keyword arguments that say where a call goes, when not to the provider's own server."""
    if not request.get("api_base"):
        return {}
    # litellm wants a key even for a server on this machine
    key = {} if os.environ.get("OPENAI_API_KEY") else {"api_key": "none"}
    return {"api_base": request["api_base"], **key}


def response_format(schema: dict[str, Any]) -> dict[str, Any]:
    """The OpenAI form of "answer in this JSON schema"."""
    return {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": schema}}


async def complete(litellm: Any, request: dict[str, Any]) -> Any:
    """One completion: with the schema, then once without where a server refuses the format."""
    kwargs = arguments(request)
    async with asyncio.timeout(request["timeout"]):
        if not request.get("schema"):
            return await litellm.acompletion(**kwargs)
        try:
            return await litellm.acompletion(**kwargs, response_format=response_format(request["schema"]))
        except litellm.ContextWindowExceededError:
            raise
        except litellm.BadRequestError:
            return await litellm.acompletion(**kwargs)


async def embed(litellm: Any, request: dict[str, Any]) -> Any:
    """The vectors of some texts, in one call."""
    chosen = {name: request[name] for name in ("model", "input", "timeout")}
    async with asyncio.timeout(request["timeout"]):
        return await litellm.aembedding(
            **chosen, **server(request), encoding_format="float", max_retries=0, drop_params=True
        )


async def patiently(litellm: Any, request: dict[str, Any], emit: Any) -> Any:
    """`complete` or `embed`, tried again after a refusal for the rate; each wait is told.

    Vectors are asked for in long rows of calls, which should outlive a server's bad moment: any passing fault of it
    counts there.
    """
    call, pauses = complete, RETRY_AFTER
    passing: tuple[type[Exception], ...] = (litellm.RateLimitError,)
    if "input" in request:
        call, pauses = embed, tuple(request["pauses"])
        passing += (litellm.InternalServerError, litellm.BadGatewayError)
        passing += (litellm.ServiceUnavailableError, litellm.APIConnectionError)
    for pause in pauses:
        try:
            return await call(litellm, request)
        except passing:
            emit({"id": request["id"], "waiting": pause})
            await asyncio.sleep(pause)
    return await call(litellm, request)


def usage(litellm: Any, response: Any, model: str) -> dict[str, Any]:
    """Tokens and dollars of a call, as far as server and price list say something that can be true."""
    counts = getattr(response, "usage", None)
    tokens = [_tokens(getattr(counts, name, None)) for name in ("prompt_tokens", "completion_tokens")]
    return {"tokens_in": tokens[0], "tokens_out": tokens[1], "cost": cost_of(litellm, response, model)}


def cost_of(litellm: Any, response: Any, model: str) -> float | None:
    """What a call cost in dollars by litellm's list, or None for a model without a known price."""
    try:
        cost = float(litellm.completion_cost(response, model=model))
    except Exception:  # litellm raises many kinds here, and all of them mean that the price is unknown
        return None
    return cost if math.isfinite(cost) and cost >= 0 else None


def _tokens(value: Any) -> int | None:
    counted = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS
    return value if counted else None


def reply(litellm: Any, response: Any, model: str) -> dict[str, Any]:
    """The answer's text, or the problem that the answer is, and what it used."""
    choice = response.choices[0] if response.choices else None
    message = "The model sent an empty answer; try again or choose another model." if choice is None else fault(choice)
    body = (
        {"problem": "provider", "message": message} if message or choice is None else {"text": choice.message.content}
    )
    return body | usage(litellm, response, model)


def vectors(litellm: Any, response: Any, request: dict[str, Any]) -> dict[str, Any]:
    """The vectors of an answer in the order of the texts, or the problem that there are none, and what it used."""
    import numpy as np

    try:
        rows = sorted(response.data, key=lambda row: row["index"])
        found = np.array([row["embedding"] for row in rows], "<f4")
    except (TypeError, ValueError, KeyError):
        found = np.empty(0, "<f4")
    usable = found.ndim == 2 and len(found) == len(request["input"]) and found.shape[1] > 0 and np.isfinite(found).all()
    message = f"{request['model']} sent no usable vectors; choose a model for embeddings."
    body = {"text": b64encode(found.tobytes()).decode()} if usable else {"problem": "provider", "message": message}
    return body | usage(litellm, response, request["model"])


def fault(choice: Any) -> str:
    """Why an answer that came is none (`spec/extraction.md` §4), as a sentence; "" for one that can be read."""
    text, finish = choice.message.content or "", choice.finish_reason
    if getattr(choice.message, "refusal", None) or finish == "content_filter":
        return "The model refused to answer; try another model or `--offline`."
    if finish == "length":
        return "The model's answer was cut short; use a model with room for longer answers."
    if finish not in FINISHED:
        return "The model broke off its answer; run again."
    if not text.strip():
        return "The model sent an empty answer; try again or choose another model."
    return TOO_LONG if len(text) > MOST_CHARACTERS else ""


def problem(litellm: Any, error: Exception, request: dict[str, Any]) -> dict[str, Any]:
    """An exception of litellm as a problem: its class (`spec/extraction.md` §13) and a sentence."""
    model, words = request["model"], str(error)
    at = f" at {request['api_base']}" if request.get("api_base") else ""
    if _too_long(error):
        return {"problem": "provider", "message": TOO_LONG}
    if isinstance(error, litellm.ContextWindowExceededError):
        return {"problem": "provider", "message": f"The text is too long for {model}; choose one with a larger window."}
    if isinstance(error, litellm.AuthenticationError) or "Missing credentials" in words or "api_key" in words:
        return {"problem": "configuration", "message": f"{model} wants a key; set it in the environment and try again."}
    if isinstance(error, litellm.NotFoundError):
        return {"problem": "configuration", "message": f"There is no model {model}{at}; check its name."}
    if isinstance(error, litellm.BadRequestError):
        return {"problem": "configuration", "message": f"{model}{at} does not understand the call; check the name."}
    if isinstance(error, litellm.RateLimitError):
        return {"problem": "provider", "message": f"{model} refuses for its rate; wait a little and run again."}
    if isinstance(error, litellm.Timeout):
        return {"problem": "timeout", "message": f"{model}{at} did not answer within {request['timeout']:g} s."}
    if "onnection" in words:
        return {"problem": "provider", "message": f"The server of {model}{at} cannot be reached; check that it runs."}
    return {"problem": "provider", "message": f"{model}{at} failed ({type(error).__name__}); run again later."}


def _too_long(error: BaseException | None) -> bool:
    """Whether the limit on a response stands behind an error; clients wrap what is raised below them."""
    for _ in range(8):
        if error is None or isinstance(error, TooLongError):
            break
        error = error.__cause__ or error.__context__
    return isinstance(error, TooLongError)


async def answer(litellm: Any, request: dict[str, Any], emit: Any) -> None:
    """Carry out one request and emit its answer."""
    started = time.monotonic()
    try:
        response = await patiently(litellm, request, emit)
        body = vectors(litellm, response, request) if "input" in request else reply(litellm, response, request["model"])
    except asyncio.CancelledError:
        body = {"problem": "aborted", "message": "The call was stopped."}
    except TimeoutError:
        body = problem(litellm, litellm.Timeout("", request["model"], ""), request)
    except Exception as error:  # litellm's own classes are many and change; none may end the child
        body = problem(litellm, error, request)
    emit({"id": request["id"], "seconds": round(time.monotonic() - started, 3), **body})


def forget(tasks: dict[str, asyncio.Task[None]], name: str, _: asyncio.Task[None]) -> None:
    """Drop a finished task."""
    tasks.pop(name, None)


async def serve(lines: IO[bytes], emit: Any) -> None:
    """Answer requests until the input ends, several at a time."""
    litellm = load()
    emit({"ready": True})
    tasks: dict[str, asyncio.Task[None]] = {}
    while line := await asyncio.to_thread(lines.readline):
        request = json.loads(line)
        if "cancel" in request:
            if task := tasks.get(request["cancel"]):
                task.cancel()
            continue
        task = asyncio.create_task(answer(litellm, request, emit))
        tasks[request["id"]] = task
        task.add_done_callback(partial(forget, tasks, request["id"]))
    for task in tasks.values():
        task.cancel()


def main() -> None:
    """Serve on the real standard streams; whatever a library prints goes to standard error."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)

    def emit(message: dict[str, Any]) -> None:
        out.write(json.dumps(message, ensure_ascii=True) + "\n")

    asyncio.run(serve(sys.stdin.buffer, emit))


if __name__ == "__main__":
    main()
