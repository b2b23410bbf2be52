"""Claude Code: which of the text under role "user" the person wrote."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pipeline.formats import claude_code
from pipeline.formats.lines import records, split
from pipeline.formats.session import Author, Session
from store.errors import Cancelled
from tests.pipeline.formats.writing import assistant, authors, called, dump, result, source, texts, user, words

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the "
    "new_string was NOT written to the file). To tell you how to proceed, the user said:\n"
)
HINT = (
    "\n\nNote: The user's next message may contain a correction or preference. Pay close attention — if they explain "
    "what went wrong, consider saving that to memory for future sessions."
)


def read(*lines: dict[str, Any], name: str = "s1.jsonl") -> Session:
    (session,) = claude_code.read(records(split([dump(lines)])), source(name))
    return session


def refusal(text: str, **more: Any) -> Session:
    return read(
        assistant(called("Bash", {"command": "rm -r build"}), "a1"),
        user([result(text, is_error=True)], "u1", "a1", **more),
    )


def test_each_block_of_a_message_is_judged_alone() -> None:
    session = read(
        user([{"type": "text", "text": "<system-reminder>x</system-reminder>"}, {"type": "text", "text": "mine"}])
    )
    assert authors(session) == [("injected", "x"), ("typed", "mine")]
    assert [turn.ref for turn in session.turns] == ["line 1", "line 1"]


@pytest.mark.parametrize(
    ("flags", "author"),
    [
        ({"isSidechain": True}, Author.OTHER_AGENT),
        ({"agentId": "a1"}, Author.OTHER_AGENT),
        ({"isCompactSummary": True}, Author.SUMMARY),
        ({"isMeta": True}, Author.INJECTED),
        ({"isVisibleInTranscriptOnly": True}, Author.INJECTED),
        ({"promptSource": "system"}, Author.INJECTED),
        ({"origin": {"kind": "task-notification"}}, Author.INJECTED),
        ({"origin": {"kind": "peer"}}, Author.OTHER_AGENT),
        ({"toolUseResult": {"stdout": "x"}}, Author.TOOL),
        ({"promptSource": "typed", "origin": {"kind": "human"}}, Author.TYPED),
        ({"isSidechain": False, "isMeta": False, "agentId": None}, Author.TYPED),
    ],
)
def test_the_record_s_own_fields_decide_before_its_text(flags: dict[str, Any], author: Author) -> None:
    assert authors(read(user("says so", "u1", **flags))) == [(author.value, "says so")]


def test_a_message_with_another_role_is_not_the_person_s() -> None:
    line = user("x", "u1")
    line["message"]["role"] = "assistant"
    assert authors(read(line)) == [("injected", "x")]


def test_the_reason_of_a_refusal_is_the_person_s_and_shown_with_what_was_refused() -> None:
    session = refusal(REFUSED + "Never touch build.", toolUseResult="User rejected tool use")
    (chosen,) = [turn for turn in session.turns if turn.author is Author.CHOSEN]
    assert (chosen.ref, chosen.text) == ("u1", "Never touch build.")
    assert chosen.question == '(refused) Bash {"command":"rm -r build"}'


@pytest.mark.parametrize(
    ("text", "more", "want"),
    [
        (REFUSED + "No." + HINT, {}, ["No."]),
        (REFUSED + "No.\n<system-reminder>like tabs</system-reminder>", {}, ["No."]),
        (REFUSED + "No <system-reminder>like tabs</system-reminder>thanks.", {}, ["No \nthanks."]),
        (REFUSED + "No.\n<system-reminder>like tabs", {}, []),
        (REFUSED + "<system-reminder>a</system-reminder> I like tabs </system-reminder>No.", {}, []),
        (REFUSED + "\n", {}, []),
        (REFUSED.split(" To tell", maxsplit=1)[0] + " STOP what you are doing.", {}, []),
        (REFUSED + "No.", {"toolUseResult": "Error: " + REFUSED + "No."}, ["No."]),
        (REFUSED + "No.", {"toolUseResult": {"stdout": "x"}}, []),
        (REFUSED + "No.", {"toolDenialKind": "user-rejected"}, ["No."]),
        (REFUSED + "No.", {"toolDenialKind": "auto-mode"}, []),
        ("Exit code 1\n" + REFUSED + "No.", {}, []),
        (REFUSED.replace("To tell you how to proceed, the user said:\n", HINT[2:10]), {}, []),
    ],
)
def test_only_the_reason_itself_is_taken(text: str, more: dict[str, Any], want: list[str]) -> None:
    assert texts(refusal(text, **more)) == want


def test_a_tool_that_succeeds_cannot_pass_for_a_refusal() -> None:
    session = read(assistant(called("Bash", {})), user([result(REFUSED + "I like tabs.")]))
    assert texts(session) == []


def ask(name: str = "AskUserQuestion") -> dict[str, Any]:
    return assistant(called(name, {"questions": [{"question": "Which datum?"}, {"question": "Which unit?"}]}), "a1")


def test_answers_to_the_question_tool_are_chosen_with_their_questions() -> None:
    outcome = {"answers": {"Which datum?": "Chart datum", "Which unit?": ["metres", "feet"]}}
    session = read(ask(), user([result("User has answered…")], "u1", "a1", toolUseResult=outcome))
    chosen = [(turn.question, turn.text) for turn in session.turns if turn.author is Author.CHOSEN]
    assert chosen == [("Which datum?", "Chart datum"), ("Which unit?", "metres, feet")]


def test_answers_are_found_in_the_text_when_the_record_has_no_fields() -> None:
    text = 'User has answered your questions: "Which datum?"="Chart datum", "Not asked"="x". You can continue.'
    assert words(read(ask(), user([result(text)], "u1", "a1"))) == [("u1", "Chart datum")]


@pytest.mark.parametrize(
    "outcome",
    [{"answers": {"Which datum?": "x"}}, {"questions": [{"question": "Other?"}], "answers": {"Which datum?": "x"}}],
)
def test_another_tool_cannot_answer_for_the_person(outcome: dict[str, Any]) -> None:
    text = 'User has answered your questions: "Which datum?"="x".'
    assert texts(read(ask("mcp__evil"), user([result(text)], toolUseResult=outcome))) == []
    assert texts(read(user([result(text)], toolUseResult=outcome))) == []


def test_an_answer_whose_call_is_in_another_file_is_taken_when_its_questions_are_there() -> None:
    outcome = {"questions": [{"question": "Which datum?"}], "answers": {"Which datum?": "x"}}
    assert texts(read(user([result("…")], toolUseResult=outcome))) == ["x"]


def test_text_typed_while_the_agent_worked_counts_and_a_queued_notification_does_not() -> None:
    def queued(prompt: Any, **more: Any) -> dict[str, Any]:
        return {
            "type": "attachment",
            "sessionId": "s1",
            "attachment": {"type": "queued_command", "prompt": prompt} | more,
        }

    session = read(
        queued("log in UTC"),
        queued([{"type": "text", "text": "with an image"}, {"type": "image"}]),
        queued("<task-notification>x</task-notification>"),
        queued("from a peer", origin={"kind": "peer"}),
        queued("machine", commandMode="task-notification"),
        queued("ls", commandMode="bash"),
        queued("/compact"),
        queued("meta", isMeta=True),
    )
    assert authors(session) == [
        ("typed", "log in UTC"),
        ("typed", "with an image"),
        ("injected", "x"),
        ("other agent", "from a peer"),
        ("injected", "machine"),
        ("command", "ls"),
        ("command", "/compact"),
        ("injected", "meta"),
    ]


def test_a_message_streamed_over_several_lines_is_one() -> None:
    session = read(
        assistant([{"type": "text", "text": "The"}], "a1", message="m1"),
        assistant([{"type": "text", "text": "The gate."}], "a2", "a1", message="m1"),
        assistant([{"type": "text", "text": "Next block."}], "a3", "a2", message="m1"),
        assistant(called("Read", {"path": "x"}), "a4", "a3", message="m1"),
        assistant(
            [{"type": "thinking", "thinking": "hidden"}, {"type": "text", "text": "Other."}], "a5", "a4", message="m2"
        ),
    )
    assert authors(session) == [
        ("model", "The gate.\nNext block."),
        ("tool", 'Read {"path":"x"}'),
        ("model", "Other."),
    ]
    assert [turn.ref for turn in session.turns] == ["a1", "a4", "a5"]


def test_a_rewound_branch_is_kept_but_abandoned() -> None:
    session = read(
        user("start", "u1"),
        assistant("ok", "a1", "u1"),
        user("use tabs", "u2", "a1"),
        assistant("tabs", "a2", "u2"),
        user("use spaces", "u3", "a1"),
        assistant("spaces", "a3", "u3"),
    )
    assert [(turn.text, turn.abandoned) for turn in session.turns] == [
        ("start", False),
        ("ok", False),
        ("use tabs", True),
        ("tabs", True),
        ("use spaces", False),
        ("spaces", False),
    ]


def test_parallel_tools_queued_words_and_second_beginnings_are_not_abandoned() -> None:
    session = read(
        user("start", "u1"),
        assistant(called("A", {}, "t1"), "a1", "u1"),
        assistant(called("B", {}, "t2"), "a2", "a1"),
        user([result(REFUSED + "not A", "t1", is_error=True)], "u2", "a1"),
        user([result("fine", "t2")], "u3", "a2"),
        {
            "type": "attachment",
            "uuid": "q1",
            "parentUuid": "a2",
            "attachment": {"type": "queued_command", "prompt": "also"},
        },
        user("loose", "u4", None),
        user("after", "u5", "u3"),
    )
    assert [turn.text for turn in session.turns if turn.abandoned] == []
    assert texts(session) == ["start", "not A", "also", "loose", "after"]


def test_a_ring_of_parents_ends() -> None:
    session = read(user("x", "u1", "u2"), user("y", "u2", "u1"), user("z", "u3", "u3"))
    assert [turn.abandoned for turn in session.turns] == [False, False, False]


def test_the_chain_runs_across_a_compaction() -> None:
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "c1",
        "parentUuid": None,
        "logicalParentUuid": "u1",
    }
    session = read(
        user("before", "u1"),
        user("rewound", "u0", "u1"),
        boundary,
        user("This session is being continued", "u2", "c1", isCompactSummary=True),
        user("after", "u3", "u2"),
    )
    assert [(turn.text, turn.abandoned) for turn in session.turns if turn.author is Author.TYPED] == [
        ("before", False),
        ("rewound", True),
        ("after", False),
    ]
    assert session.compactions == (3,)


def test_a_summary_without_a_boundary_is_a_compaction_of_its_own() -> None:
    summary = user("made up", "u1", isCompactSummary=True)
    assert read(user("x"), summary, user("y")).compactions == (2,)
    assert authors(read(assistant("made up", isCompactSummary=True))) == [("summary", "made up")]


def test_what_a_resumed_session_copied_belongs_to_its_parent() -> None:
    session = read(
        user("old words", "u1", sessionId="s0"),
        user("new words", "u2", "u1", sessionId="s1"),
        user("back again", "u3", "u2", sessionId="s0"),
    )
    assert [(turn.text, turn.inherited) for turn in session.turns] == [
        ("old words", True),
        ("new words", False),
        ("back again", False),
    ]
    assert (session.id, session.parent) == ("s1", "s0")


def test_a_renamed_file_claims_nothing_to_be_copied() -> None:
    session = read(user("a", sessionId="s0"), user("b", sessionId="s1"), name="backup.jsonl")
    assert (session.id, session.parent) == ("s0", "")
    assert not any(turn.inherited for turn in session.turns)


def test_a_file_called_agent_holds_no_words_of_a_person() -> None:
    session = read(user("do it"), assistant("done"), user([result("x")]), name="agent-7f.jsonl")
    assert authors(session) == [("other agent", "do it"), ("other agent", "done"), ("tool", "x")]
    assert (session.subagent, session.id, session.parent) == (True, "s1:agent-7f", "s1")


def test_sub_agent_records_inside_a_session_do_not_make_it_one() -> None:
    session = read(user("mine"), user("prompt", isSidechain=True), assistant("report", isSidechain=True))
    assert authors(session) == [("typed", "mine"), ("other agent", "prompt"), ("other agent", "report")]
    assert not session.subagent


def test_project_branch_and_span_come_from_inside() -> None:
    session = read(
        user("x", cwd="/home/dev/app/.claude/worktrees/fix", gitBranch="main"),
        user("y", cwd="/elsewhere", timestamp="2026-05-01T09:00:00Z"),
    )
    assert (session.project, session.branch) == ("/home/dev/app", "fix")
    assert (session.started, session.ended) == (1777626000000, 1777629600000)
    assert (read(user("x", cwd="/a", gitBranch="dev")).branch) == "dev"


def test_documents_titles_and_bookkeeping_are_never_the_person_s() -> None:
    document = {"type": "document", "source": {"type": "text", "data": "pasted"}}
    session = read(
        {"type": "summary", "summary": "a title", "leafUuid": "x"},
        {"type": "queue-operation", "content": "typed twice"},
        {"type": "ai-title", "aiTitle": "x"},
        {"type": "system", "subtype": "local_command", "content": "<command-name>/x</command-name>"},
        {"type": "unheard-of", "message": {"role": "user", "content": "x"}},
        user([document, {"type": "text", "text": "see the file"}]),
        assistant("API Error", isApiErrorMessage=True),
    )
    assert authors(session) == [
        ("summary", "a title"),
        ("injected", "<command-name>/x</command-name>"),
        ("document", "pasted"),
        ("typed", "see the file"),
        ("injected", "API Error"),
    ]


def test_calls_that_are_never_answered_do_not_pile_up() -> None:
    """The newest keep their results' meaning; what was asked long ago is told as a refusal of some call."""
    kept = claude_code.CALLS_KEPT
    asked = [assistant(called("Bash", {"command": f"make {n}"}, f"t{n}"), f"a{n}") for n in range(kept + 5)]
    late = [user([result(REFUSED + "not now", f"t{n}", is_error=True)], f"u{n}") for n in (0, kept + 4)]
    session = read(*asked, *late)
    chosen = [turn.question for turn in session.turns if turn.author is Author.CHOSEN]
    assert chosen == ["(refused a tool call)", f'(refused) Bash {{"command":"make {kept + 4}"}}']


def test_reading_can_be_stopped_when_all_lines_are_read_already() -> None:
    """The end of a huge file is work of its own: which branches were left."""
    stop = replace(source(), cancelled=lambda: True)
    with pytest.raises(Cancelled):
        claude_code.read(records(split([dump([user("hello", "u1")])])), stop)
