"""Other programs edit the same files at the same time: noticed, joined or kept, never lost (`storage.md` §6, 9.7)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from store.bank import Bank
from store.called import called
from store.changes import Event, MoveMemory, PutMemory
from store.errors import Changed, Conflict
from store.vault.disk import Disk
from tests.store.test_writers import ended, start
from tests.store.world import add, again, files, make, no_leftovers, put, text

LINES = 300


def live_file(bank: Bank, id: str) -> Path:
    return bank.path / bank.view().memories[id].path


def append(path: Path, line: str, *, rename: bool) -> None:
    """What an editor does: add a line to the text, in place or through a new file of the same name."""
    data = path.read_bytes() + line.encode() + b"\n"
    if rename:
        other = path.with_name(f".edit-{path.name}~")
        other.write_bytes(data)
        other.replace(path)
    else:
        with path.open("ab") as file:
            file.write(line.encode() + b"\n")


@pytest.mark.parametrize("rename", [True, False], ids=["saves by rename", "saves in place"])
def test_a_foreign_editor_and_our_edits_of_one_file_lose_no_line(tmp_path: Path, rename: bool) -> None:
    """Every line of the other program is in the live file or in `kept/`; so is every text that we acknowledged."""
    bank = make(tmp_path)
    id = add(bank, subject="shared")
    path = live_file(bank, id)

    def editor() -> None:
        for number in range(LINES):
            append(path, f"foreign {number};", rename=rename)

    child = start(editor)
    tags, refused = [], 0
    for number in range(400):
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None and number > 20:
            break
        try:
            put(bank, PutMemory(id, {"tags": (f"ours{number}",)}))
            tags.append(f"ours{number}")
        except Changed:
            refused += 1
    assert ended(child) == 0
    bank.refresh()
    bank.refresh()
    kept = "".join(bank.kept_text(one.file).decode() for one in bank.conflicts())
    everything = text(bank, id) + kept
    assert [n for n in range(LINES) if f"foreign {n};" not in everything] == []
    assert f"tags: [{tags[-1]}]" in everything
    assert len(tags) > 20
    no_leftovers(bank)


def test_an_edit_by_another_program_is_noticed_told_and_written_into_the_history(tmp_path: Path) -> None:
    bank = make(tmp_path)
    id = add(bank)
    seen: list[Event] = []
    bank.subscribe(seen.append)
    live_file(bank, id).write_text(text(bank, id).replace("green", "black"))
    bank.refresh()
    assert bank.view().memories[id].statement == "black, 80 C"
    assert [(event.kind, event.ids) for event in seen] == [("outside", (id,))]
    newest = bank.history()[0]
    assert (newest.origin, newest.by, newest.ids) == ("outside", "another program", (id,))
    assert bank.refresh() == ()
    assert len(bank.history()) == 2


def test_an_edit_by_another_program_can_be_undone_by_its_number_but_not_by_the_undo_key(tmp_path: Path) -> None:
    bank = make(tmp_path)
    id = add(bank)
    before = text(bank, id)
    live_file(bank, id).write_text(before.replace("green", "black"))
    bank.refresh()
    bank.undo(bank.history()[0].number, origin="screen")
    assert text(bank, id) == before
    bank.undo(origin="screen")
    assert bank.view().live == ()


def test_our_edit_and_a_foreign_one_of_another_field_are_joined(tmp_path: Path) -> None:
    bank = make(tmp_path)
    id = add(bank, source="chat")
    base = bank.view().memories[id].sha
    live_file(bank, id).write_text(text(bank, id).replace("source: chat", "source: mail"))
    committed = put(bank, PutMemory(id, {"subject": "Tea"}, base=base))
    memory = bank.view().memories[id]
    assert (memory.subject, memory.source) == ("Tea", "mail")
    assert committed.notes == (f"Joined with an edit of {called(id)} made meanwhile.",)
    assert [change.origin for change in bank.history()] == ["library", "outside", "library"]
    assert bank.conflicts() == ()


def test_two_edits_of_one_field_are_a_conflict_and_both_texts_are_kept(tmp_path: Path) -> None:
    bank = make(tmp_path)
    id = add(bank)
    base = bank.view().memories[id].sha
    live_file(bank, id).write_text(text(bank, id).replace("green", "black"))
    with pytest.raises(Conflict, match=r"changed meanwhile: .*the statement.*kept aside") as caught:
        put(bank, PutMemory(id, {"statement": "white, 70 C"}, base=base))
    assert "white, 70 C" in caught.value.ours
    assert "black, 80 C" in caught.value.theirs
    assert "black, 80 C" in text(bank, id)
    (kept,) = bank.conflicts()
    assert (kept.id, kept.side) == (id, "ours")
    assert bank.kept_text(kept.file).decode() == caught.value.ours
    assert bank.settle(kept.file)
    assert bank.conflicts() == ()


def test_a_whole_text_from_an_editor_is_joined_with_a_foreign_edit_of_other_lines(tmp_path: Path) -> None:
    bank = make(tmp_path)
    id = (
        put(bank, PutMemory(None, {"type": "FACT", "subject": "s", "statement": "a b c", "body": "a\nb\nc"}))
        .files[0]
        .id
    )
    source = bank.source(id).decode()
    live_file(bank, id).write_text(source.replace("\nc\n", "\nc theirs\n"))
    put(bank, PutMemory(id, text=source.replace("\na\n", "\na ours\n"), base=bank.view().memories[id].sha))
    assert text(bank, id).endswith("---\na ours\nb\nc theirs\n")


def test_an_edit_started_long_ago_holds_when_its_fields_are_as_they_were(tmp_path: Path) -> None:
    bank = make(tmp_path)
    id = add(bank, source="chat")
    path = live_file(bank, id)
    path.write_text(text(bank, id) + "typed by hand\n")
    bank = again(tmp_path)
    base = bank.view().memories[id].sha
    path.write_text(text(bank, id).replace("source: chat", "source: mail"))
    bank.refresh()
    put(bank, PutMemory(id, {"subject": "Tea"}, base=base))
    assert (bank.view().memories[id].subject, bank.view().memories[id].source) == ("Tea", "mail")
    path.write_text(text(bank, id).replace("subject: Tea", "subject: Coffee"))
    bank.refresh()
    with pytest.raises(Conflict):
        put(bank, PutMemory(id, {"subject": "Cocoa"}, base=base))


def test_a_file_renamed_by_another_program_keeps_its_identity_and_history(tmp_path: Path) -> None:
    bank = make(tmp_path)
    id = add(bank)
    old = live_file(bank, id)
    new = old.with_name("2026-01-02-0099.md")
    old.rename(new)
    bank.refresh()
    memory = bank.view().memories[id]
    place = new.relative_to(bank.path).as_posix()
    assert (memory.id, memory.path) == (id, place)
    assert bank.view().resolve(place).id == id
    assert len(bank.view().memories) == 1
    put(bank, PutMemory(id, {"subject": "Tea"}))
    bank = again(tmp_path)
    assert bank.view().memories[id].path == place
    assert [change.reason for change in bank.history(id=id)] == [
        "a change",
        f"changed outside: {called(id)}",
        "a change",
    ]
    assert add(bank, subject="next").endswith("-0100.md")


def test_a_file_deleted_by_another_program_is_gone_after_two_looks_and_can_be_brought_back(tmp_path: Path) -> None:
    bank = make(tmp_path)
    id = add(bank)
    before = text(bank, id)
    live_file(bank, id).unlink()
    bank.refresh()
    assert id not in bank.view().memories
    newest = bank.history()[0]
    assert (newest.reason, newest.files[0].path_after) == (f"deleted outside: {called(id)}", None)
    with pytest.raises(Exception, match="no memory"):
        put(bank, PutMemory(id, {"subject": "Tea"}))
    bank.undo(newest.number, origin="screen")
    assert text(bank, id) == before


def test_a_name_is_not_given_again_after_its_file_was_deleted_by_another_program(tmp_path: Path) -> None:
    bank = make(tmp_path)
    add(bank)
    second = add(bank)
    live_file(bank, second).unlink()
    bank.refresh()
    bank.close()
    assert add(again(tmp_path)).endswith("-0003.md")


def test_a_name_that_another_engine_has_just_given_is_not_overwritten(tmp_path: Path) -> None:
    bank = make(tmp_path)
    first = add(bank)
    taken = live_file(bank, first).with_name(Path(first).name.replace("0001", "0002"))
    taken.write_text("---\ntype: FACT\nsubject: theirs\nstatement: theirs\n---\ntheirs\n")
    assert add(bank).endswith("-0003.md")
    assert "theirs" in taken.read_text()


def test_an_empty_or_half_written_file_is_never_written_back_and_its_last_good_version_stays(tmp_path: Path) -> None:
    bank = make(tmp_path)
    id = add(bank)
    before = text(bank, id)
    for cut in ("", before[:30]):
        live_file(bank, id).write_text(cut)
        bank.refresh()
        assert bank.view().memories[id].statement == "green, 80 C"
        with pytest.raises(Changed, match="being written"):
            put(bank, PutMemory(id, {"subject": "Tea"}))
        assert live_file(bank, id).read_text() == cut
    live_file(bank, id).write_text(before)
    put(bank, PutMemory(id, {"subject": "Tea"}))
    assert "subject: Tea" in text(bank, id)


def test_changes_made_while_memdesk_was_closed_are_told_with_the_next_change(tmp_path: Path) -> None:
    bank = make(tmp_path)
    ids = [add(bank, subject=f"s{number}") for number in range(40)]
    bank.close()
    path = live_file(bank, ids[0])
    path.write_text(path.read_text().replace("s0", "edited"))
    live_file(bank, ids[1]).rename(path.with_name("2026-01-01-0500.md"))
    bank = again(tmp_path)
    assert bank.view().memories[ids[0]].subject == "edited"
    assert bank.view().memories[ids[1]].path.endswith("2026-01-01-0500.md")
    add(bank, subject="ours")
    origins = [change.origin for change in bank.history(limit=3)]
    assert origins == ["library", "outside", "library"]
    assert set(bank.history(limit=2)[1].ids) == {ids[0], ids[1]}


def test_our_own_changes_are_never_taken_for_foreign_ones(tmp_path: Path) -> None:
    bank = make(tmp_path)
    ids = [add(bank, subject=f"s{number}") for number in range(40)]
    bank.close()
    bank = again(tmp_path)
    put(bank, PutMemory(ids[0], {"subject": "edited"}), MoveMemory(ids[1], "trashed"))
    bank.undo(origin="screen")
    assert bank.refresh() == ()
    bank.close()
    bank = again(tmp_path)
    bank.refresh()
    add(bank)
    assert {change.origin for change in bank.history()} == {"library", "screen"}


class Meddling(Disk):
    """Another program saves the file just before ours is put into its place."""

    def __init__(self) -> None:
        self.victim: Path | None = None

    def step(self, call: str, path: object) -> None:
        if call == "exchange" and self.victim is not None:
            victim, self.victim = self.victim, None
            victim.write_text(victim.read_text() + "theirs, at the last moment\n")


def test_a_save_in_the_last_moment_before_the_exchange_is_kept_and_raised_as_a_conflict(tmp_path: Path) -> None:
    make(tmp_path)
    disk = Meddling()
    bank = again(tmp_path, disk=disk)
    id = add(bank)
    events: list[Event] = []
    bank.subscribe(events.append)
    disk.victim = live_file(bank, id)
    committed = put(bank, PutMemory(id, {"subject": "Tea"}))
    assert "subject: Tea" in text(bank, id)
    (kept,) = bank.conflicts()
    assert kept.side == "theirs"
    assert bank.kept_text(kept.file).endswith(b"theirs, at the last moment\n")
    assert "conflict" in [event.kind for event in events]
    assert "kept aside" in committed.notes[-1]
    no_leftovers(bank)


class TakingNames(Disk):
    """Another engine makes a file of the same name just before ours is put there."""

    def __init__(self) -> None:
        self.armed = False

    def step(self, call: str, path: object) -> None:
        if self.armed and call == "rename" and str(path).endswith(".md"):
            self.armed = False
            Path(str(path)).write_text("---\ntype: FACT\nsubject: theirs\nstatement: x\n---\nx\n")


def test_a_name_taken_in_the_last_moment_is_not_overwritten_and_our_text_is_kept(tmp_path: Path) -> None:
    make(tmp_path)
    disk = TakingNames()
    bank = again(tmp_path, disk=disk)
    disk.armed = True
    committed = put(bank, PutMemory(None, {"type": "FACT", "subject": "ours", "statement": "our words"}))
    bank.refresh()
    assert bank.view().memories[committed.files[0].id].subject == "theirs"
    (kept,) = bank.conflicts()
    assert kept.side == "ours"
    assert b"our words" in bank.kept_text(kept.file)


def test_a_memory_forgotten_by_another_engine_is_the_same_memory_in_the_trash(tmp_path: Path) -> None:
    bank = make(tmp_path)
    id = add(bank)
    target = bank.path / ".trash" / "2026-10-08T06-12-44-310Z" / id
    target.parent.mkdir(parents=True)
    live_file(bank, id).rename(target)
    bank.refresh()
    assert [(memory.id, memory.trashed_at) for memory in bank.view().trashed] == [(id, "2026-10-08T06:12:44.310Z")]
    put(bank, MoveMemory(id, "live"))
    assert (bank.path / id).exists()


def test_unknown_files_and_folders_in_the_bank_are_left_alone(tmp_path: Path) -> None:
    bank = make(tmp_path)
    strange = {
        "notes.txt": b"x",
        ".server/tokens.json": b"{}",
        "facts/picture.png": b"\x89PNG",
        "private/x/other/y.md": b"y",
    }
    for name, data in strange.items():
        (bank.path / name).parent.mkdir(parents=True, exist_ok=True)
        (bank.path / name).write_bytes(data)
    id = add(bank)
    put(bank, MoveMemory(id, "trashed"))
    bank.refresh()
    no_leftovers(bank)
    assert strange.items() <= files(bank.path).items()
