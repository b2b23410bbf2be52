"""`context --audit`: what of a text has landed in the bank, and what did not get into the pack."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.measure import units
from store.bank import Bank
from tests.cli.desk import Desk, switch, tree
from tests.cli.test_context import uses_of
from tui.cli.options import Options
from tui.cli.read_back import read_back

TEXT = "\n".join(
    (
        "we decided: fires at 1240 C",
        "decided: kiln fires at 1300 C",
        "must glaze the blue cups",
        "small talk",
        "must glaze the blue cups",
    )
)


@pytest.fixture
def filled(desk: Desk) -> Desk:
    desk.remember("FACT", "kiln", "fires at 1240 C")
    desk.remember("PREF", "tempo", "must walk at noon", "--owner", "lan")
    return desk


def audit(desk: Desk, text: str, *words: str) -> list[str]:
    """What is printed for a person, line by line."""
    answer = desk("context", "--as", "aria", "--audit", "-", *words, stdin=text)
    assert answer.err == ""
    return answer.out.splitlines()


def test_for_a_person_it_says_what_is_lost_with_the_command_that_would_keep_it(filled: Desk) -> None:
    assert audit(filled, TEXT) == [
        "3 lines worth keeping in stdin, as aria: 1 lost, 1 uncertain, 1 landed.",
        "",
        "lost",
        "  must glaze the blue cups",
        f"          memdesk remember FACT --as aria --bank {filled.root} --verify"
        " 'must glaze the blue' 'must glaze the blue cups'",
        "",
        "uncertain",
        "  decided: kiln fires at 1300 C  coverage 0.667, another number: 1300, not 1240"
        "  facts/2026/10/2026-10-12-0001.md",
        "",
        "landed",
        "  we decided: fires at 1240 C  facts/2026/10/2026-10-12-0001.md",
    ]


def test_a_file_is_named_by_its_whole_path(filled: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "notes.md").write_bytes(b"\xef\xbb\xbf# todo\r\nbuy \xff clay\r\n")
    monkeypatch.chdir(tmp_path)
    found = filled.json("context", "--as", "aria", "--audit", "notes.md").json
    assert (found["mode"], found["source"]) == ("input", str(tmp_path / "notes.md"))
    assert [item["text"] for item in found["items"]] == ["buy � clay"]
    assert found["thresholds"] == {"min_coverage": 0.5}


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--as", "aria", "--audit", "nowhere.md"), 2, "There is no file 'nowhere.md'"),
        (("--as", "aria", "--audit", "."), 2, "'.' is a folder"),
        (("--as", "aria", "--audit", "/dev/zero"), 2, "'/dev/zero' is a device"),
        (("--as", "aria", "--gate", "3"), 2, "add --audit"),
        (("--audit", "-"), 3, "--as AGENT"),
        (("--as", "aria", "--owner", "x/y", "--audit", "-"), 3, "cannot be an identity"),
    ],
)
def test_what_cannot_be_audited_is_said(filled: Desk, words: tuple[str, ...], code: int, said: str) -> None:
    answer = filled("context", *words, stdin="must ship")
    assert (answer.code, answer.out) == (code, "")
    assert said in answer.err


@pytest.mark.parametrize("words", [("--audit",), ("--layout", "memora", "--conversation")])
def test_a_pipe_or_a_device_in_place_of_a_file_is_refused_and_not_waited_for(
    filled: Desk, tmp_path: Path, words: tuple[str, ...]
) -> None:
    os.mkfifo(tmp_path / "notes")
    for name, kind in ((str(tmp_path / "notes"), "a pipe"), ("/dev/null", "a device")):
        answer = filled("context", "--as", "aria", *words, name)
        assert (answer.code, answer.out) == (2, "")
        assert f"{name!r} is {kind}; name one file with the " in answer.err
        assert answer.err.endswith(", or - for what comes in on stdin.\n")


def test_an_empty_text_holds_nothing_worth_keeping(filled: Desk) -> None:
    assert audit(filled, "") == ["0 lines worth keeping in stdin, as aria: 0 lost, 0 uncertain, 0 landed."]


@pytest.mark.parametrize("words", [(), ("--project",)])
def test_the_command_that_keeps_a_line_works_in_every_folder(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    project = Desk(None)
    assert project("init", ".yottamemory").code == 0
    switch(Desk(tmp_path / ".yottamemory"), agents_write=True)
    (item,) = project.json("context", "--as", "aria", "--audit", "-", *words, stdin="must glaze the cups").json["items"]
    monkeypatch.chdir(Path.home())
    assert project(*shlex.split(item["suggested_command"])[1:]).code == 0
    assert b"must glaze the cups" in b"".join(tree(tmp_path / ".yottamemory").values())


def test_without_a_text_it_says_what_did_not_get_into_the_pack(filled: Desk) -> None:
    whole = filled("context", "--as", "aria", "--audit", tty=True)
    assert (whole.code, whole.out) == (0, "0 memories did not get into the pack of aria.\n")
    short = filled("context", "--as", "aria", "--budget", "1", "--audit", "--gate", "0", tty=True)
    assert short.out.splitlines() == [
        "1 memory did not get into the pack of aria.",
        "  over the budget         facts/2026/10/2026-10-12-0001.md  kiln",
    ]
    assert short.code == 0  # a recall can still find it


def test_nothing_is_written_and_no_use_counted(filled: Desk) -> None:
    before = tree(filled.root)
    audit(filled, TEXT)
    assert filled("context", "--as", "aria", "--audit", "--budget", "1").code == 0
    assert tree(filled.root) == before
    assert uses_of(filled, "facts/2026/10/2026-10-12-0001.md") == ""


def test_a_long_line_is_cut_and_what_acts_on_a_terminal_is_not_sent_there(filled: Desk) -> None:
    lines = audit(filled, "must \x1b[31m" + "x" * 200)
    assert units(lines[3].strip()) == 120
    assert "\x1b" not in "".join(lines)


def test_the_least_coverage_is_a_setting_of_the_bank(filled: Desk) -> None:
    line = "# todo\nkiln fires at night or so"
    assert "landed" in audit(filled, line)
    switch(filled, context_audit_min_coverage=0.9)
    assert "landed" not in audit(filled, line)
    refused = filled("config", "set", "context_audit_min_coverage", "2")
    assert (refused.code, "at most 1" in refused.err) == (2, True)


@pytest.mark.parametrize(("piped", "mode"), [("must ship", "input"), ("  \n", "dropped")])
def test_what_is_piped_in_is_audited_unless_it_is_blank(filled: Desk, piped: str, mode: str) -> None:
    words = [sys.executable, "-m", "tui", "--bank", str(filled.root), "context", "--as", "aria", "--audit", "--json"]
    done = subprocess.run(words, input=piped, capture_output=True, text=True, check=True)
    assert f'"mode": "{mode}"' in done.stdout


def test_what_was_remembered_is_read_back(desk: Desk) -> None:
    written = desk("remember", "FACT", "kiln", "fires at 1240 C", "--verify")
    assert written.err == "Read back: it is there, and its subject finds it.\n"
    assert desk("remember", "FACT", "a", "must wait for it", "--verify", "--as", "aria").err == ""
    fields = {"type": "FACT", "subject": "kiln", "statement": "fires at 1300 C"}
    assert read_back(Bank.open(desk.root), Options(), fields).startswith("It cannot be read back")
