"""A whole small file of every format in which each text that no person wrote says so."""

from __future__ import annotations

import json
from typing import Any

from tests.pipeline.formats.test_claude_code import REFUSED
from tests.pipeline.formats.test_dsh import HEADER, event, said
from tests.pipeline.formats.writing import assistant, called, result, user

MACHINE = "MACHINE"
"""Stands in every text below that no person wrote."""
AT = "2026-05-01T10:00:00Z"


def _codex(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": AT, "type": kind, "payload": payload}


def _item(role: str, *texts: str, kind: str = "input_text") -> dict[str, Any]:
    content = [{"type": kind, "text": text} for text in texts]
    return _codex("response_item", type="message", role=role, content=content)


def _gemini(id: str, kind: str, *texts: str, **more: Any) -> dict[str, Any]:
    return {"id": id, "timestamp": AT, "type": kind, "content": [{"text": text} for text in texts]} | more


def _node(name: str, parent: str | None, children: list[str], role: str, content: dict[str, Any], **more: Any) -> Any:
    message = {
        "id": name,
        "author": {"role": role},
        "create_time": 1777629600.5,
        "content": content,
        "recipient": "all",
    }
    return {"id": name, "parent": parent, "children": children, "message": message | {"metadata": {}} | more}


def _text(*parts: Any) -> dict[str, Any]:
    return {"content_type": "text", "parts": list(parts)}


def _claw(id: str, role: str, *texts: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": text} for text in texts]
    return {"type": "message", "id": id, "timestamp": AT, "message": {"role": role, "content": content} | more}


def _part(id: str, message: str, kind: str, text: str, **more: Any) -> tuple[str, dict[str, Any]]:
    session = "ses_2" if message == "msg_8" else "ses_1"
    held = {"id": id, "messageID": message, "sessionID": session, "type": kind, "text": text}
    return f"part/{message}/{id}.json", held | more


def _message(id: str, role: str, session: str = "ses_1", **more: Any) -> tuple[str, dict[str, Any]]:
    held = {"id": id, "sessionID": session, "role": role, "time": {"created": 1779264001000}}
    return f"message/{session}/{id}.json", held | more


CLAUDE = [
    {"type": "summary", "summary": f"{MACHINE} title", "leafUuid": "x"},
    user(f"<local-command-caveat>{MACHINE}</local-command-caveat>", "u0", isMeta=True),
    user("first words", "u1", "u0"),
    assistant([{"type": "text", "text": f"{MACHINE} reply"}, *called("Read", {"path": MACHINE}, "t1")], "a1", "u1"),
    user([result(f"{MACHINE} output", "t1")], "u2", "a1", toolUseResult={"stdout": MACHINE}),
    user(
        [{"type": "text", "text": f"<system-reminder>{MACHINE}</system-reminder>"}, {"type": "text", "text": "second"}],
        "u3",
    ),
    assistant(called("AskUserQuestion", {"questions": [{"question": f"{MACHINE}?"}]}, "t2"), "a2", "u3"),
    user([result(f'User has answered your questions: "{MACHINE}?"="blue"', "t2")], "u4", "a2"),
    assistant(called("mcp__evil", {"questions": []}, "t3"), "a3", "u4"),
    user([result(f'User has answered your questions: "{MACHINE}?"="{MACHINE}"', "t3")], "u5", "a3"),
    user([result(REFUSED + "stop that", "t4", is_error=True)], "u6", "a3"),
    {"type": "progress", "uuid": "p1", "data": {"message": user(f"{MACHINE} prompt", "x1")}},
    {"type": "attachment", "uuid": "q1", "attachment": {"type": "queued_command", "prompt": "queued words"}},
    {"type": "attachment", "uuid": "q2", "attachment": {"type": "todo_reminder", "content": MACHINE}},
    user(f"This session is being continued from a previous conversation {MACHINE}", "u7", isCompactSummary=True),
    user(f"{MACHINE} task", "u8", "u7", isSidechain=True, agentId="a"),
    user("last words", "u9", "u7", promptSource="typed", origin={"kind": "human"}),
    user(f"{MACHINE} notice", "u10", "u9", promptSource="system", origin={"kind": "task-notification"}),
]
DSH = [
    HEADER,
    event(0, "turn/start", turn=1),
    said(1, "first words"),
    said(2, f"{MACHINE} hook", "plugin", plugin="hooks"),
    event(3, "assistant/message", message={"content": [{"type": "text", "text": MACHINE}]}),
    {"type": "text-chunks", "seq0": 4, "time0": 1, "data": {"dt": [0], "texts": [MACHINE, MACHINE]}},
    event(
        6, "tool/result", message={"content": [{"type": "tool-result", "content": [{"type": "text", "text": MACHINE}]}]}
    ),
    event(7, "agent/inbox/spliced", inserted=[said(1, MACHINE)]),
    said(8, "last words"),
]
OPENAI = [
    {"role": "system", "content": f"{MACHINE} rules"},
    {"role": "user", "content": f"<memories>{MACHINE}</memories>first words"},
    {"role": "assistant", "content": MACHINE, "tool_calls": [{"function": {"name": MACHINE}}]},
    {"role": "tool", "content": [{"type": "text", "text": MACHINE}]},
    {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "last words"}]},
    {"type": "function_call_output", "output": MACHINE},
]
CODEX = [
    _codex("session_meta", id="c1", timestamp=AT, cwd="/x", originator="codex_cli_rs", cli_version="0.1", source="cli"),
    _item("developer", MACHINE),
    _item("user", f"# AGENTS.md instructions for /x\n\n<INSTRUCTIONS>\n{MACHINE}\n</INSTRUCTIONS>"),
    _item("user", f"<environment_context>{MACHINE}</environment_context>"),
    _codex("turn_context", turn_id="t1", cwd="/x", model="m"),
    _item("user", "first words"),
    _codex("event_msg", type="user_message", message="first words"),
    _codex("response_item", type="reasoning", summary=[{"type": "summary_text", "text": MACHINE}]),
    _item("assistant", MACHINE, kind="output_text"),
    _codex("event_msg", type="agent_message", message=MACHINE),
    _codex(
        "response_item", type="function_call", name="shell", call_id="k1", arguments=json.dumps({"command": MACHINE})
    ),
    _codex("response_item", type="function_call_output", call_id="k1", output=MACHINE),
    _item("user", f"<turn_aborted>{MACHINE}</turn_aborted>"),
    _codex(
        "response_item",
        type="function_call",
        name="request_user_input",
        call_id="k2",
        arguments=json.dumps({"questions": [{"id": "q1", "question": f"{MACHINE}?"}]}),
    ),
    _codex(
        "response_item",
        type="function_call_output",
        call_id="k2",
        output=json.dumps({"answers": {"q1": {"answers": ["blue"]}}}),
    ),
    _codex("compacted", message=MACHINE, replacement_history=[_item("user", MACHINE)["payload"]]),
    _item("user", f"Another language model started to solve this problem {MACHINE}"),
    _item("user", "last words"),
    _codex("event_msg", type="user_message", message="last words"),
]
GEMINI = [
    {"sessionId": "g1", "projectHash": "9b1c2d3e4f", "startTime": AT, "lastUpdated": AT, "kind": "main"},
    _gemini("u0", "user", f"<session_context>{MACHINE}</session_context>"),
    _gemini("u1", "user", "first words"),
    _gemini(
        "a1",
        "gemini",
        MACHINE,
        thoughts=[{"subject": MACHINE, "description": MACHINE}],
        toolCalls=[
            {
                "id": "k1",
                "name": "read_file",
                "args": {"file_path": MACHINE},
                "result": [{"functionResponse": {"id": "k1", "response": {"output": MACHINE}}}],
            }
        ],
    ),
    _gemini("i1", "info", MACHINE),
    _gemini("u2", "user", "/memory show"),
    {"$set": {"lastUpdated": AT}},
    _gemini(
        "u3",
        "user",
        "last words",
        f"\n--- Content from referenced files ---\n{MACHINE}\n--- End of content ---",
        displayContent=[{"text": "last words"}],
    ),
    _gemini("u4", "user", "words taken back"),
    {"$rewindTo": "u4"},
]
CHATGPT = [
    {
        "title": MACHINE,
        "conversation_id": "c1",
        "create_time": 1777629600.5,
        "current_node": "n5",
        "mapping": {
            "root": {"id": "root", "parent": None, "children": ["sys"], "message": None},
            "sys": _node("sys", "root", ["ctx"], "system", _text(MACHINE)),
            "ctx": _node(
                "ctx",
                "sys",
                ["n1"],
                "user",
                {"content_type": "user_editable_context", "user_profile": MACHINE, "user_instructions": MACHINE},
                metadata={"is_visually_hidden_from_conversation": True},
            ),
            "n1": _node("n1", "ctx", ["n2"], "user", _text("first words")),
            "n2": _node("n2", "n1", ["n3", "n9"], "assistant", _text(MACHINE)),
            "n3": _node("n3", "n2", ["n4"], "tool", {"content_type": "execution_output", "text": MACHINE}),
            "n4": _node("n4", "n3", ["n5"], "assistant", _text(MACHINE), recipient="bio"),
            "n5": _node(
                "n5", "n4", [], "user", {"content_type": "multimodal_text", "parts": [{"asset": MACHINE}, "last words"]}
            ),
            "n9": _node("n9", "n2", [], "assistant", _text(MACHINE)),
        },
    }
]
CLAUDE_AI = [
    {
        "uuid": "c1",
        "name": MACHINE,
        "summary": MACHINE,
        "created_at": AT,
        "chat_messages": [
            {"uuid": "m1", "sender": "human", "text": "", "content": [{"type": "text", "text": "first words"}]},
            {
                "uuid": "m2",
                "sender": "assistant",
                "text": MACHINE,
                "content": [
                    {"type": "thinking", "thinking": MACHINE},
                    {"type": "tool_result", "content": [{"type": "text", "text": MACHINE}]},
                    {"type": "text", "text": MACHINE},
                ],
            },
            {
                "uuid": "m3",
                "sender": "human",
                "text": "last words",
                "created_at": AT,
                "attachments": [{"file_name": "a.txt", "extracted_content": MACHINE}],
                "files": [{"file_name": MACHINE}],
            },
        ],
    }
]
LETTA = {
    "agents": [
        {
            "name": "a1",
            "system": MACHINE,
            "block_ids": ["b1"],
            "messages": [
                {"id": "m0", "role": "system", "content": [{"type": "text", "text": MACHINE}], "created_at": AT},
                {
                    "id": "m1",
                    "role": "user",
                    "content": [
                        {"type": "text", "text": json.dumps({"type": "user_message", "message": "first words"})}
                    ],
                },
                {
                    "id": "m2",
                    "role": "user",
                    "content": [{"type": "text", "text": json.dumps({"type": "heartbeat", "reason": MACHINE})}],
                },
                {"id": "m3", "role": "assistant", "content": [{"type": "text", "text": MACHINE}]},
                {"id": "m4", "role": "tool", "content": [{"type": "text", "text": MACHINE}]},
                {"id": "m5", "role": "user", "content": [{"type": "text", "text": "last words"}]},
            ],
        }
    ],
    "blocks": [{"id": "b1", "label": "human", "value": MACHINE}],
    "tools": [{"name": "t", "source_code": MACHINE}],
    "files": [],
}
OPENCLAW = [
    {"type": "session", "version": 2, "id": "7f3e", "timestamp": AT, "cwd": "/x"},
    {"type": "model_change", "id": "e1", "modelId": MACHINE},
    _claw("e2", "user", "[Wed 2026-06-03 07:00 UTC] first words"),
    _claw("e3", "assistant", MACHINE),
    _claw("e4", "toolResult", MACHINE, toolCallId="k1"),
    {"type": "compaction", "id": "e5", "summary": MACHINE, "firstKeptEntryId": "e4"},
    {"type": "custom", "id": "e6", "data": {"text": MACHINE}},
    _claw("e7", "user", "last words"),
]
HERMES = [
    {"role": "session_meta", "session_id": "h1", "model": "m", "timestamp": AT},
    {"role": "user", "content": "first words", "timestamp": AT},
    {
        "role": "assistant",
        "content": MACHINE,
        "tool_calls": [{"id": "k1", "function": {"name": "memory", "arguments": json.dumps({"content": MACHINE})}}],
    },
    {"role": "tool", "tool_call_id": "k1", "content": MACHINE},
    {"role": "user", "content": f"[CONTEXT COMPACTION - REFERENCE ONLY] {MACHINE}"},
    {"role": "system", "content": MACHINE},
    {"role": "user", "content": "last words"},
]
OPENCODE = dict(
    [
        ("session/p/ses_1.json", {"id": "ses_1", "projectID": "p", "directory": "/x", "title": MACHINE}),
        ("session/p/ses_2.json", {"id": "ses_2", "projectID": "p", "directory": "/x", "parentID": "ses_1"}),
        _message("msg_1", "user"),
        _part("prt_10", "msg_1", "text", "first words"),
        _part("prt_11", "msg_1", "text", MACHINE, synthetic=True),
        _part("prt_12", "msg_1", "file", MACHINE, filename="a.txt", url=MACHINE),
        _message("msg_2", "assistant"),
        _part("prt_20", "msg_2", "text", MACHINE),
        _part("prt_21", "msg_2", "tool", MACHINE, tool="bash", state={"status": "completed", "output": MACHINE}),
        _message("msg_3", "user"),
        _part("prt_30", "msg_3", "compaction", MACHINE),
        _message("msg_4", "assistant", summary=True),
        _part("prt_40", "msg_4", "text", MACHINE),
        _message("msg_5", "user"),
        _part("prt_50", "msg_5", "text", "last words"),
        _part("prt_51", "msg_5", "text", MACHINE, ignored=True),
        _part("prt_52", "msg_5", "subtask", MACHINE, prompt=MACHINE),
        _message("msg_8", "user", "ses_2"),
        _part("prt_80", "msg_8", "text", MACHINE),
    ]
)
MAPPED = [
    {"who": "user", "body": f"<memories>{MACHINE}</memories> first words", "n": 1, "talk": "t", "at": AT},
    {"who": "assistant", "body": MACHINE, "n": 2, "talk": "t"},
    {"who": "cron", "body": [{"type": "text", "text": MACHINE}], "n": 3, "talk": "u"},
    {"who": "user", "body": [{"type": "text", "text": "last words"}, {"type": "image", "text": MACHINE}], "talk": "t"},
]
