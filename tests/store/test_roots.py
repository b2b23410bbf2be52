"""Which folder is the bank when nobody says, and what the yotta engine's config adds."""

from __future__ import annotations

from pathlib import Path

import pytest

from store.errors import BadInput
from store.roots import absolute, default_root, project_root, read_set, read_yotta_config, yotta_config_file


def test_the_first_name_given_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`decisions.md` §3.1: --bank, MEMDESK_BANK, YOTTA_MEMORY_HOME, memory_home, the default place."""
    config = tmp_path / "config"
    config.mkdir()
    (config / "config.json").write_text('{"memory_home": "/home-of-config"}')
    environ = {"MEMDESK_BANK": "/m", "YOTTA_MEMORY_HOME": "/y", "YOTTA_MEMORY_CONFIG_DIR": str(config)}
    seen = []
    bank: str | None = "/b"
    for gone in ("", "MEMDESK_BANK", "YOTTA_MEMORY_HOME", "YOTTA_MEMORY_CONFIG_DIR"):
        seen.append((str(default_root(bank, environ).path), default_root(bank, environ).named_by))
        bank = None
        if gone:
            seen.append((str(default_root(None, environ).path), default_root(None, environ).named_by))
            del environ[gone]
    assert list(dict.fromkeys(seen)) == [
        ("/b", "--bank"),
        ("/m", "MEMDESK_BANK"),
        ("/y", "YOTTA_MEMORY_HOME"),
        ("/home-of-config", str(config / "config.json")),
    ]
    default = default_root(None, {})
    assert (default.path, default.named_by) == (Path.home() / ".yottamemory", "the default place")


def test_home_is_understood_in_every_name() -> None:
    assert default_root("~/notes").path == Path.home() / "notes"
    assert default_root(None, {"MEMDESK_BANK": "~/notes"}).path == Path.home() / "notes"
    assert yotta_config_file({"YOTTA_MEMORY_CONFIG_DIR": "~/c"}) == Path.home() / "c" / "config.json"


def test_an_empty_name_is_no_name() -> None:
    environ = {"MEMDESK_BANK": "", "YOTTA_MEMORY_HOME": ""}
    assert default_root("", environ).path == Path.home() / ".yottamemory"


def test_a_relative_name_is_made_absolute_without_following_links(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    monkeypatch.chdir(tmp_path)
    assert default_root("link/../link").path == tmp_path / "link"


def test_the_project_bank_is_in_the_working_directory_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    below = tmp_path / "src"
    below.mkdir()
    (tmp_path / ".yottamemory").mkdir()
    monkeypatch.chdir(below)
    assert project_root() == below / ".yottamemory"
    assert read_set(tmp_path / "gone") == ()


def test_reading_looks_at_the_project_first(tmp_path: Path) -> None:
    project, user = tmp_path / ".yottamemory", tmp_path / "user"
    for folder in (project, user):
        folder.mkdir()
    assert read_set(user, tmp_path) == (project, user)


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff\xfe", b"[" * 100_000])
def test_a_damaged_yotta_config_counts_as_empty(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "config.json").write_bytes(content)
    assert read_yotta_config({"YOTTA_MEMORY_CONFIG_DIR": str(tmp_path)}) == {}


def test_a_memory_home_that_is_no_text_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"memory_home": 7}')
    assert default_root(None, {"YOTTA_MEMORY_CONFIG_DIR": str(tmp_path)}).named_by == "the default place"


def test_the_home_of_nobody_is_a_sentence() -> None:
    with pytest.raises(BadInput, match="home folder in ~no such user/bank is not known"):
        absolute("~no such user/bank")
