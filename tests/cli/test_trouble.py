"""When something is wrong: hostile text, broken files, a busy, damaged, full or locked bank."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.vault.disk import Disk
from tests.cli.desk import Desk, entry, new_desk, tree
from tui.cli import banks
from tui.cli.say import print_json, row, say

ID = "facts/2026/10/2026-10-12-0001.md"
HOSTILE = {
    "escape codes": "\x1b[2J\x1b]0;owned\x07 bell \x9b31m",
    "bidi": "user \u202eevil\u2066 x \u200f",
    "markup": "[red]not red[/red] [@click=app.quit]x[/]",
    "zero width": "a\u200bb\ufeffc",
    "carriage return": "safe\rEVIL",
}
ACTING = {chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))}


@pytest.fixture
def kiln(desk: Desk) -> Desk:
    desk.remember("FACT", "kiln", "Fires at 1240 C")
    return desk


# --- hostile text ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_is_printed_and_cannot_act(desk: Desk, text: str) -> None:
    entry(desk.root, ID, text.replace("\r", " "), subject=f"x {text}".replace("\r", " "))
    for words in (
        ("list",),
        ("show", ID),
        ("show", ID, "--explain"),
        ("recall",),
        ("recall", "x", "--explain"),
        ("context", "--as", "aria", "--explain"),
        ("log",),
        ("list", "--json"),
        ("show", ID, "--json"),
    ):
        answer = desk(*words)
        assert answer.code == 0
        assert set(answer.out) & ACTING <= {"\n"}, words
        assert set(answer.err) & ACTING <= {"\n"}, words
    assert "[red]" not in text or "[red]not red[/red]" in desk("list").out


def test_json_gives_programs_the_text_as_it_is(desk: Desk) -> None:
    statement = "\x1b[2J \u202eevil\u2066 \x85 日本語"
    entry(desk.root, ID, statement.replace("\x85", ""), subject="x")
    assert desk.json("list").memories[0]["statement"] == statement.replace("\x85", "")


def test_a_line_of_256_kib_is_one_short_line_in_a_list_and_whole_in_show(desk: Desk) -> None:
    long = "long " * 52_000
    entry(desk.root, ID, "short", subject="x")
    path = desk.root / ID
    path.write_text(path.read_text().replace("---\nshort\n", f"---\n{long}\n"), encoding="utf-8")
    assert all(len(line) < 2_200 for line in desk("list").out.splitlines())
    assert desk.json("show", ID).memories[0]["body"].strip() == long.strip()


def test_bytes_that_are_no_text_are_shown_as_such(desk: Desk) -> None:
    entry(desk.root, ID, "short", subject="x")
    path = desk.root / ID
    path.write_bytes(path.read_bytes() + b"\xff\xfe \xed\xa0\x80 end\n")
    for words in (("list",), ("show", ID), ("show", ID, "--json"), ("context", "--as", "aria"), ("recall", "end")):
        assert desk(*words).code == 0


def test_a_query_that_is_no_text_is_no_accident(kiln: Desk) -> None:
    for words in (
        ("recall", "a\udcff"),
        ("list", "a\udcff"),
        ("show", "a\udcff"),
        ("remember", "FACT", "a\udcff", "b"),
    ):
        answer = kiln(*words)
        assert answer.code in {0, 2}, answer
        assert "unexpected" not in answer.err


@given(st.text())
def test_fuzz_no_text_talks_to_the_terminal(text: str) -> None:
    from contextlib import redirect_stdout
    from io import BytesIO, TextIOWrapper

    raw = BytesIO()
    with redirect_stdout(TextIOWrapper(raw, encoding="utf-8", write_through=True)):
        row(text, "next", text)
        lines = raw.getvalue().decode()
        say(text)
        print_json({"text": text})
    assert lines.count("\n") == 1
    shown = raw.getvalue().decode()
    assert not {char for char in shown if char != "\n" and unicodedata.category(char) in {"Cc", "Cs"}}
    assert not set(shown) & (ACTING - {"\n"})


@given(st.text())
def test_property_json_keeps_every_text(text: str) -> None:
    from contextlib import redirect_stdout
    from io import BytesIO, TextIOWrapper

    raw = BytesIO()
    with redirect_stdout(TextIOWrapper(raw, encoding="utf-8", write_through=True)):
        print_json({"text": text})
    assert json.loads(raw.getvalue()) == {"schema": 1, "text": text}


# --- a bank in trouble -----------------------------------------------------------------------------------------------

HOLDER = """
import sys
from pathlib import Path
from store.lock import WriterLock
with WriterLock(Path(sys.argv[1])).held():
    print("held", flush=True)
    sys.stdin.read()
"""


@contextmanager
def held(desk: Desk) -> Iterator[int]:
    """Another process that holds the bank's lock meanwhile; its number."""
    words = [sys.executable, "-c", HOLDER, str(desk.root / ".memdesk")]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield other.pid
        assert other.stdin is not None
        other.stdin.close()


def test_a_locked_bank_is_named_with_its_holder_and_still_read(kiln: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(banks, "WAIT", 0.1)
    monkeypatch.setattr("tui.cli.recall.PATIENCE", 0.1)
    monkeypatch.setattr("tui.cli.context.PATIENCE", 0.1)
    before = tree(kiln.root)
    with held(kiln) as pid:
        answer = kiln("remember", "FACT", "glaze", "celadon")
        assert (answer.code, answer.out, answer.err.count("\n")) == (4, "", 1)
        assert answer.err.startswith(f"Process {pid} on ")
        assert "try again" in answer.err
        assert kiln("list").out == f"FACT    {ID}  kiln: Fires at 1240 C\n"
        for words in (("recall", "kiln"), ("context", "--as", "aria")):
            answer = kiln(*words, "--json")
            assert (answer.code, answer.json["schema"]) == (0, 1)
            assert answer.err.startswith("This use was not counted: ")
        assert kiln("show", ID).code == 0
    assert tree(kiln.root) == before
    assert kiln("remember", "FACT", "glaze", "celadon").code == 0


def test_read_only_refuses_every_change(kiln: Desk) -> None:
    before = tree(kiln.root)
    for words in (
        ("remember", "FACT", "a", "b"),
        ("edit", ID, "--tag", "x"),
        ("forget", ID),
        ("undo",),
        ("forget", ID, "--as", "aria"),
        ("config", "set", "yotta_index", "on"),
    ):
        answer = kiln("--read-only", *words)
        assert (answer.code, answer.out, answer.err) == (
            3,
            "",
            "The bank was opened for reading only; open it without --read-only and the setting read_only to write.\n",
        ), words
    assert tree(kiln.root) == before


def full(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on every write finds the disk full."""

    def write(disk: Disk, handle: int, data: memoryview) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Disk, "write", write)


def test_a_full_disk_refuses_a_change_and_leaves_everything(kiln: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    before = tree(kiln.root)
    with monkeypatch.context() as patch:
        full(patch)
        answer = kiln("remember", "FACT", "glaze", "celadon")
        assert (answer.code, answer.out, answer.err.count("\n")) == (5, "", 1)
        assert "no space left" in answer.err.lower()
        assert kiln("edit", ID, "--tag", "x", "--json").json["error"]["message"]
        assert kiln("list").code == 0
        recalled = kiln("recall", "kiln", "--json")
        assert (recalled.code, recalled.subjects) == (0, ["kiln"])
        assert recalled.err.startswith("This use was not counted: ")
    assert tree(kiln.root) == before
    assert len(kiln.json("log").json["changes"]) == 1
    assert kiln("remember", "FACT", "glaze", "celadon").code == 0


def damage(desk: Desk) -> None:
    """Bytes that nobody wrote, in the middle of the journal."""
    journal = next((desk.root / ".memdesk").glob("journal-*"))
    data = journal.read_bytes()
    journal.write_bytes(data[: len(data) // 3] + b"garbage" + data[len(data) // 3 :] + data)


def test_a_damaged_ledger_is_told_once_and_the_memories_are_read(kiln: Desk) -> None:
    damage(kiln)
    answer = kiln("list")
    assert (answer.code, answer.out) == (0, f"FACT    {ID}  kiln: Fires at 1240 C\n")
    assert answer.err.count("\n") == 1
    assert "ledger" in answer.err
    refused = kiln("remember", "FACT", "glaze", "celadon")
    assert (refused.code, refused.out, refused.err.count("\n")) == (3, "", 1)
    assert kiln("recall", "kiln").code == 0
    assert kiln("context", "--as", "aria").code == 0


def test_an_encrypted_bank_shows_what_is_public_and_refuses_to_write(desk: Desk) -> None:
    entry(desk.root, ID, "Fires at 1240 C")
    (desk.root / "keys").mkdir()
    before = tree(desk.root)
    answer = desk("list")
    assert (answer.code, answer.out) == (0, f"FACT    {ID}  kiln: Fires at 1240 C\n")
    assert answer.err == "This bank is encrypted: its public memories can be read here, and nothing can be written.\n"
    refused = desk("remember", "FACT", "glaze", "celadon")
    assert (refused.code, refused.out, refused.err) == (3, "", answer.err)
    assert desk("init", str(desk.root), "--attach").out == f"There is an encrypted bank at {desk.root} already.\n"
    assert tree(desk.root) == before


def test_a_file_without_front_matter_is_shown_by_its_first_line(desk: Desk) -> None:
    (desk.root / "facts" / "note.md").write_text("# Just a note\n\nwith text\n")
    answer = desk("list")
    assert answer.code == 0
    assert "facts/note.md" in answer.out
    assert "unexpected" not in answer.err


def test_an_unexpected_fault_is_one_sentence_and_its_details_are_in_the_log(
    kiln: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("entry text must not be here")

    monkeypatch.setattr("tui.cli.read.lying", broken)
    answer = kiln("list")
    assert (answer.code, answer.out, answer.err.count("\n")) == (5, "", 1)
    path = Path(answer.err.rpartition(" ")[2].strip().removesuffix("."))
    assert "RuntimeError" in path.read_text(encoding="utf-8")


def test_two_banks_and_one_of_them_damaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user = new_desk(tmp_path)
    user.remember("FACT", "kiln", "hot")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MEMDESK_BANK", str(user.root))
    project = Desk(None)
    assert project("init", "--project").code == 0
    project.remember("FACT", "glaze", "celadon", "--project")
    damage(user)
    answer = project.json("list")
    assert sorted(answer.subjects) == ["glaze", "kiln"]
    assert answer.err.count("\n") == 1


def test_a_message_is_one_line_although_the_name_in_it_has_two(tmp_path: Path) -> None:
    answer = Desk(tmp_path / "odd\nname")("list")
    assert answer.code == 2
    assert answer.err.count("\n") == 1
    assert "odd␊name is not there" in answer.err


@pytest.mark.parametrize("now", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-12:00"])
def test_an_instant_beyond_the_calendar_is_refused_in_words(desk: Desk, now: str) -> None:
    answer = desk.at(now)("remember", "FACT", "kiln", "cools")
    assert answer.code == 2
    assert answer.err == "MEMDESK_NOW is not an ISO instant with a zone; write it like 2026-11-30T10:00:00+00:00.\n"


def test_a_bank_that_names_no_folder_is_refused_and_not_left_out(desk: Desk) -> None:
    """As when a script's variable is empty: another bank than the one meant would be written to."""
    answer = Desk(None, {**desk.environ, "MEMDESK_BANK": str(desk.root)})("--bank", "", "remember", "FACT", "a", "b")
    assert (answer.code, answer.err) == (
        2,
        "--bank names no folder; leave it out for your own bank, or give its path.\n",
    )
    assert desk.json("list").memories == []


def test_no_bank_is_made_in_a_folder_that_an_agent_goes_on_writing(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_text("- [tea](tea.md)\n")
    before = tree(tmp_path)
    answer = Desk(None)("init", str(tmp_path))
    assert answer.code == 2
    assert "looks like a Claude auto-memory folder" in answer.err
    assert tree(tmp_path) == before


ROOT = Path(__file__).parents[2]
GONE = """
import os, sys
from tui.cli.main import run
os.chdir(sys.argv[1])
os.rmdir(sys.argv[1])
print(run(["--bank", sys.argv[2], "list"]), run(["--bank", "elsewhere", "list"]))
"""


def test_a_command_works_in_a_folder_that_was_deleted(desk: Desk, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    words = [sys.executable, "-c", GONE, str(gone), str(desk.root)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stdout, done.stderr.strip()) == (
        0,
        "0 2\n",
        "The folder that you are in was deleted; go to another one, or write whole paths.",
    )
