"""A transcript that a scripted model is asked about, the answers of that model, and what came of them."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

from store.bank import Bank
from tests.cli.desk import Desk
from tests.pipeline.model_server import Handler, ModelServer, says

KEY = "claude-code/talk"
EN, ZH = "Harbour codes are always four letters.", "港口代码总是四个大写字母。"


def write_talk(path: Path, said: tuple[str, ...]) -> Path:
    lines = []
    for number, text in enumerate(said):
        head = {"sessionId": path.stem, "cwd": "/home/mei/api", "timestamp": f"2026-10-11T10:{number:02}:00.000Z"}
        lines.append({"type": "user", "uuid": f"u{number}", **head, "message": {"role": "user", "content": text}})
        answer = [{"type": "text", "text": f"The agent believes in unicorns, {number}."}]
        lines.append(
            {"type": "assistant", "uuid": f"a{number}", **head, "message": {"role": "assistant", "content": answer}}
        )
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def embedded(prompt: str, tag: str) -> list[dict[str, Any]]:
    """The JSON that a prompt holds between a pair of tags."""
    found = re.search(rf"<{tag}>\n(.*)\n</{tag}>", prompt, re.DOTALL)
    assert found is not None
    data: list[dict[str, Any]] = json.loads(found[1])
    return data


def helpful(handler: Handler) -> None:
    """Answer every stage as its prompt asks: each message is a fact, with the message's beginning as its quote."""
    prompt = handler.script.requests[-1]["messages"][0]["content"]
    if "<memory_evidence>" in prompt:
        shown = embedded(prompt, "memory_evidence")
        facts = [
            {"content": one["text"], "evidence": [{"sourceRef": one["sourceRef"], "quote": one["text"][:30]}]}
            for one in shown
            if "REDACTED" not in one["text"]
        ]
        body: dict[str, Any] = {"status": "complete", "incidents": facts}
    else:
        shown = embedded(prompt, "user_evidence_candidates")
        verdicts = [
            {"candidateId": one["candidateId"], "status": "accepted", "content": one["evidence"][0]["quote"]}
            for one in shown
        ]
        body = {"results": verdicts}
    says(json.dumps({"answer": body}))(handler)


def talk(desk: Desk, *said: str, name: str = "talk") -> Path:
    path = write_talk(desk.root.parent / f"{name}.jsonl", said or (EN, ZH))
    path.write_text(path.read_text(encoding="utf-8").replace('"uuid": "', f'"uuid": "{name}-'), encoding="utf-8")
    return path


def run(desk: Desk, server: ModelServer, path: Path, *more: str, model: str = "openai/scripted") -> Any:
    """`memdesk extract --json` with the model of this server."""
    return desk("extract", str(path), "--model", model, "--api-base", server.url, "--json", *more)


def proposed(*facts: tuple[str, str, str], **more: Any) -> str:
    """The answer to a proposal: (content, ref, quote) each."""
    incidents = [
        {"content": content, "evidence": [{"sourceRef": ref, "quote": quote}], **more} for content, ref, quote in facts
    ]
    return json.dumps({"status": "complete", "incidents": incidents}, ensure_ascii=False)


def accepted(*contents: str) -> str:
    """The answer of the last stage."""
    results = [
        {"candidateId": f"candidate_{number}", "status": "accepted", "content": content}
        for number, content in enumerate(contents)
    ]
    return json.dumps({"results": results}, ensure_ascii=False)


def everything(desk: Desk, server: ModelServer, *answers: Any) -> bytes:
    """All bytes that the server got, that lie in the bank and in the folders of logs and state, or were printed."""
    roots = [desk.root, *(Path(os.environ[name]) for name in ("HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"))]
    files = [path for root in roots if root.exists() for path in root.rglob("*") if path.is_file()]
    printed = [text.encode() for answer in answers for text in (answer.out, answer.err)]
    return b"\n".join([*server.received, *(path.read_bytes() for path in files), *printed])


def tables(desk: Desk) -> dict[str, dict[str, Any]]:
    bank = Bank.open(desk.root)
    found = {name: dict(bank.view().rows(name)) for name in ("cursors", "receipts", "failures", "gaps", "profile")}
    bank.close()
    return found
