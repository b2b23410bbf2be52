"""`--as AGENT`: what an agent sees, what becomes of what it wants changed, and what it may never do."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.desk import Desk, entry, new_desk, switch, tree

KILN = "facts/2026/10/2026-10-12-0001.md"
TONE = "private/aria/prefs/2026/10/2026-10-12-0001.md"
TEMPO = "private/lan/prefs/2026/10/2026-10-12-0001.md"


@pytest.fixture
def shared(desk: Desk) -> Desk:
    """A public fact, a preference of aria's and one of lan's."""
    desk.remember("FACT", "kiln", "Fires at 1240 C")
    desk.remember("PREF", "tone", "brief answers", "--owner", "aria")
    desk.remember("PREF", "tempo", "walks at noon", "--owner", "lan")
    return desk


def test_an_agent_sees_what_is_public_and_what_is_its_own(shared: Desk) -> None:
    assert shared.json("list", "--as", "aria").subjects == ["kiln", "tone"]
    assert shared.json("list", "--as", "lan").subjects == ["kiln", "tempo"]
    assert shared.json("list", "--as", "nobody").subjects == ["kiln"]
    assert shared.json("list", "--as", "aria").json["total"] == 2
    assert shared.json("list").subjects == ["kiln", "tone", "tempo"]


def test_an_agents_new_memory_waits_for_a_person(shared: Desk) -> None:
    before = tree(shared.root)
    answer = shared("remember", "PREF", "tone", "no emoji", "--as", "aria")
    assert answer.code == 0
    assert answer.out.endswith(": filed; a person decides with `memdesk review`.\n")
    assert tree(shared.root) == before
    (waiting,) = shared.json("review").json["proposals"]
    assert (waiting["kind"], waiting["content"], waiting["by"]) == ("remember", "no emoji", "aria")
    assert waiting["fields"]["owner"] == "aria"


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (("edit", KILN, "--statement", "Fires at 1250 C"), "edit"),
        (("forget", KILN), "forget"),
        (("edit", TONE, "--tag", "style"), "edit"),
    ],
)
def test_what_an_agent_wants_changed_waits_too(shared: Desk, words: tuple[str, ...], kind: str) -> None:
    before = tree(shared.root)
    (filed,) = shared.json(*words, "--as", "aria").json["proposals"]
    assert tree(shared.root) == before
    (waiting,) = shared.json("review").json["proposals"]
    assert (waiting["id"], waiting["kind"]) == (filed["id"], kind)


def test_the_same_wish_is_filed_once(shared: Desk) -> None:
    fates = [
        shared.json("forget", KILN, "--as", agent).json["proposals"][0]["fate"] for agent in ("aria", "aria", "lan")
    ]
    assert fates == ["filed", "waits already", "waits already"]
    assert shared("review", "--count").out == "1\n"


def test_what_a_person_rejected_is_not_filed_again(shared: Desk) -> None:
    (filed,) = shared.json("forget", KILN, "--as", "aria").json["proposals"]
    assert shared("reject", filed["id"], tty=True).code == 0
    answer = shared("forget", KILN, "--as", "aria")
    assert (answer.code, answer.out) == (3, "")
    assert answer.err == "This was rejected before; a person can restore it in the workbench.\n"


def test_an_agent_sees_only_its_own_proposals(shared: Desk) -> None:
    shared.json("remember", "PREF", "tone", "no emoji", "--as", "aria")
    shared.json("remember", "PREF", "tempo", "runs", "--as", "lan")
    assert [one["by"] for one in shared.json("review", "--as", "lan").json["proposals"]] == ["lan"]
    assert shared("review", "--count", "--as", "aria").out == "1\n"
    assert shared("review", "--count").out == "2\n"


def test_an_agents_secret_is_refused_whatever_it_says(shared: Desk) -> None:
    words = ("remember", "FACT", "ci", "token ghp_" + "Q" * 36)
    for more in ((), ("--secret-ok",)):
        answer = shared(*words, *more, "--as", "aria")
        assert (answer.code, answer.out) == (2, "")
        assert "QQQQ" not in answer.err
        assert "--secret-ok" not in answer.err
    assert shared.json("review").json["proposals"] == []


@pytest.mark.parametrize(
    "words",
    [
        ("undo",),
        ("config", "set", "theme", "light"),
        ("config", "set", "yotta_index", "on"),
        ("approve", "prop_1", "--yes"),
        ("reject", "prop_1", "--yes"),
        ("extract", "--offline", "missing.jsonl"),
        ("init", "elsewhere"),
    ],
)
def test_what_is_a_persons_act_is_refused_to_an_agent(shared: Desk, words: tuple[str, ...]) -> None:
    before = tree(shared.root)
    for tty in (True, False):
        answer = shared(*words, "--as", "aria", tty=tty)
        assert (answer.code, answer.out) == (3, "")
        assert "leave out --as" in answer.err
    assert tree(shared.root) == before


def test_an_agent_that_may_write_writes_under_its_own_name_alone(tmp_path: Path) -> None:
    desk = new_desk(tmp_path, agents_write=True)
    assert desk.json("remember", "PREF", "tone", "brief", "--as", "aria").id == TONE
    change = desk.json("log").json["changes"][0]
    assert (change["by"], change["reason"]) == ("aria", "remember tone")
    assert desk("forget", TONE, "--as", "lan").code == 3
    assert desk("edit", TONE, "--owner", "lan", "--as", "aria").code == 3
    assert desk("forget", TONE, "--as", "aria").code == 0


def test_a_person_can_forget_a_bound_an_agent_cannot(tmp_path: Path) -> None:
    desk = new_desk(tmp_path, agents_write=True)
    id = desk.json("remember", "BOUND", "release", "no Friday deploys", "--as", "aria").id
    assert desk("forget", id, "--as", "aria").code == 3
    assert desk("forget", id).code == 0


def test_a_grant_lets_read_and_not_write(shared: Desk) -> None:
    (shared.root / "grants.json").write_text('{"aria": ["lan"]}')
    assert shared.json("show", TEMPO, "--as", "aria").subjects == ["tempo"]
    before = tree(shared.root)
    answer = shared("forget", TEMPO, "--as", "aria")
    assert answer.code == 3
    assert "walks" not in answer.err
    assert tree(shared.root) == before


def test_a_name_that_others_have_too_lists_only_what_the_agent_may_see(shared: Desk) -> None:
    entry(shared.root, "private/aria/bounds/2026/10/2026-10-12-0001.md", "x", kind="BOUND", owner="aria")
    answer = shared("show", "2026-10-12-0001", "--as", "aria")
    assert answer.code == 2
    assert KILN in answer.err
    assert TEMPO not in answer.err
    assert shared.json("show", "2026-10-12-0001", "--as", "nobody").subjects == ["kiln"]


def test_an_agents_history_tells_nothing_of_others(shared: Desk) -> None:
    both = shared.json("edit", KILN, "--statement", "1250 C").json["changes"][0]["change"]
    shared.json("forget", KILN, TEMPO)
    shared("undo")
    switch(shared, yotta_index=True)
    seen = shared.json("log", "--as", "aria").json["changes"]
    assert [change["reason"] for change in seen] == [
        "edit FACT 2026-10-12-0001",
        "remember tone",
        "remember kiln",
    ]
    assert seen[0]["change"] == both
    for words in (("log",), ("log", KILN), ("show", KILN), ("show", KILN, "--explain")):
        answer = shared(*words, "--as", "aria", "--json")
        assert "lan" not in answer.out.replace("explain", "")
        assert "tempo" not in answer.out
        assert all(not change["rows"] for change in answer.json.get("changes", []))


def test_approving_what_an_agent_proposed_puts_it_in_the_bank(shared: Desk) -> None:
    (filed,) = shared.json("edit", KILN, "--statement", "Fires at 1250 C", "--as", "aria").json["proposals"]
    assert shared("approve", filed["id"], tty=True).code == 0
    assert shared.json("show", KILN).memories[0]["statement"] == "Fires at 1250 C"
    assert shared("undo").code == 0
    assert shared.json("show", KILN).memories[0]["statement"] == "Fires at 1240 C"
    assert json.loads(shared("review", "--json").out)["ready"] == 1
