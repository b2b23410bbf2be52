"""Exports are read in the zip archive that they come in: nothing is unpacked to disk, and no bomb goes off."""

from __future__ import annotations

import json
import struct
import zipfile
from pathlib import Path
from typing import Any

import pytest

from pipeline.formats import archive
from pipeline.formats.read import read, recognise
from store.errors import BadInput, Cancelled
from tests.pipeline.formats.writing import DATA, texts

CHATGPT = (DATA / "transcripts" / "chatgpt" / "conversations.json").read_bytes()
CLAUDE = (DATA / "transcripts" / "claude-ai" / "conversations.json").read_bytes()


def packed(path: Path, members: dict[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> Path:
    with zipfile.ZipFile(path, "w", how) as found:
        for name, data in members.items():
            found.writestr(name, data)
    return path


def renamed(data: bytes, number: int) -> bytes:
    """The same conversations under other ids."""
    value: list[dict[str, Any]] = json.loads(data)
    return json.dumps([one | {"conversation_id": f"c{number}", "id": f"c{number}"} for one in value]).encode()


@pytest.mark.parametrize(("data", "format"), [(CHATGPT, "chatgpt"), (CLAUDE, "claude-ai")])
def test_the_conversations_in_an_archive_read_like_the_file(tmp_path: Path, data: bytes, format: str) -> None:
    plain = tmp_path / "conversations.json"
    plain.write_bytes(data)
    zipped = packed(tmp_path / "export.zip", {"users.json": b"[]", "conversations.json": data, "chat.html": b"<html>"})
    assert recognise(zipped).format == format
    assert recognise(zipped).what.endswith(", zipped")
    (want,), (found,) = read(plain), read(zipped)
    assert (found.key, found.turns, found.project) == (want.key, want.turns, want.project)
    assert (found.path, found.size) == (str(zipped), zipped.stat().st_size)


def test_shards_are_read_one_after_the_other_also_in_a_folder_of_the_archive(tmp_path: Path) -> None:
    members = {f"export/conversations-00{number}.json": renamed(CHATGPT, number) for number in (1, 0)}
    assert [one.id for one in read(packed(tmp_path / "a.zip", members))] == ["c0", "c1"]
    for name, data in members.items():
        (tmp_path / name.rpartition("/")[2]).write_bytes(data)
    assert [one.id for one in read(tmp_path / "conversations-001.json")] == ["c1"]


def test_the_account_is_not_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []
    opened = zipfile.ZipFile.open

    def spy(self: zipfile.ZipFile, member: Any, *rest: Any, **more: Any) -> Any:
        looked.append(getattr(member, "filename", member))
        return opened(self, member, *rest, **more)

    path = packed(tmp_path / "a.zip", {"users.json": CLAUDE, "memories.json": b"[]", "conversations.json": CLAUDE})
    monkeypatch.setattr(zipfile.ZipFile, "open", spy)
    assert len(read(path)) == 1
    assert set(looked) == {"conversations.json"}


@pytest.mark.parametrize(
    "members", [{"users.json": CLAUDE}, {"notes.txt": b"x"}, {}, {"conversations.json": b'{"a": 1}'}]
)
def test_an_archive_without_conversations_is_one_sentence(tmp_path: Path, members: dict[str, bytes]) -> None:
    with pytest.raises(BadInput, match=r"zip archive without conversations\*\.json; unpack it"):
        read(packed(tmp_path / "a.zip", members | {"x": b""}))


def test_an_archive_that_unpacks_without_end_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "ALWAYS", 1 << 20)
    bomb = b'[{"mapping": {}, "title": "' + b"x" * (40 << 20)
    path = packed(tmp_path / "a.zip", {"conversations.json": bomb})
    with pytest.raises(BadInput) as told:
        read(path)
    assert str(told.value) == (
        f"{path} unpacks to far more than an export holds, so nothing of it was read; unpack it and give the file "
        "inside if it is what it should be."
    )


def test_a_person_may_say_what_an_archive_holds(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {"conversations.json": b'[{"role": "user", "content": "mine"}]'})
    (found,) = read(path, format="openai")
    assert texts(found) == ["mine"]


def test_a_damaged_or_locked_archive_is_one_sentence(tmp_path: Path) -> None:
    whole = packed(tmp_path / "a.zip", {"conversations.json": CHATGPT}).read_bytes()
    cut = tmp_path / "cut.zip"
    cut.write_bytes(whole[: len(whole) // 2])
    torn = bytearray(whole)
    torn[200] ^= 0xFF
    (tmp_path / "torn.zip").write_bytes(torn)
    for path in (cut, tmp_path / "torn.zip"):
        with pytest.raises(BadInput, match=r"cannot be unpacked \(the archive is damaged"):
            read(path)
    locked = bytearray(whole)
    for sign, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        struct.pack_into("<H", locked, locked.index(sign) + at, 1)
    (tmp_path / "locked.zip").write_bytes(locked)
    with pytest.raises(BadInput, match="it is locked with a password"):
        read(tmp_path / "locked.zip")


def test_reading_an_archive_can_be_stopped_and_tells_how_far_it_is(tmp_path: Path) -> None:
    path = packed(tmp_path / "a.zip", {f"conversations-{n}.json": renamed(CHATGPT, n) for n in range(5)})
    told: list[int] = []
    assert len(read(path, progress=told.append)) == 5
    assert told == sorted(told) and 0 < told[-1] <= path.stat().st_size
    with pytest.raises(Cancelled):
        read(path, cancelled=lambda: True)
