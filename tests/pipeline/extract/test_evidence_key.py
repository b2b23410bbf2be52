"""The places of a memory's words in its file: safe to print, and the same names when they are read back."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.extract.evidence_key import evidence_key, evidence_places
from store.bank import Bank
from store.changes import Changeset, PutMemory
from store.memory import Quote

NAMES = st.text(st.characters(), min_size=1, max_size=12) | st.text("%aF1 ,#/\x1b\u202e\ud800\n\"'", max_size=12)


def quote(session: str, ref: str = "line 18", form: str = "codex") -> Quote:
    return Quote(session, ref, "words", form)


@pytest.mark.parametrize(
    ("session", "written"),
    [
        ("rollout-2026", "codex/rollout-2026#line 18"),
        ("\x1b]0;owned\x07", "codex/%1B]0;owned%07#line 18"),
        ("a\u202eb\u200b", "codex/a%E2%80%AEb%E2%80%8B#line 18"),
        ("\x9b2J", "codex/%C2%9B2J#line 18"),
        ("two\r\nlines", "codex/two%0D%0Alines#line 18"),
        ("one, two#3", "codex/one%2C two%233#line 18"),
        ("100% sure, %41", "codex/100% sure%2C %2541#line 18"),
        ("会议 记录", "codex/会议 记录#line 18"),
        (" edge ", "codex/%20edge%20#line 18"),
        ("\ud800", "codex/%ED%A0%80#line 18"),
    ],
)
def test_a_session_is_named_so_that_printing_the_file_is_safe(session: str, written: str) -> None:
    assert evidence_key([quote(session)]) == written
    assert evidence_places(written) == (f"codex/{session}#line 18",)


def test_each_place_stands_once() -> None:
    assert evidence_key([quote("a"), quote("a"), quote("b", "u1")]) == "codex/a#line 18, codex/b#u1"
    assert evidence_key([]) == "" and evidence_places("") == ()


def test_what_an_earlier_version_wrote_reads_as_it_stands() -> None:
    assert evidence_places("codex/50%#u1, codex/%FF#u2, x/\x1b#u3") == ("codex/50%#u1", "codex/%FF#u2", "x/\x1b#u3")


@given(st.lists(st.tuples(NAMES, NAMES), min_size=1, max_size=3, unique=True))
def test_property_any_names_are_read_back_and_none_can_act_on_a_terminal(names: list[tuple[str, str]]) -> None:
    written = evidence_key([quote(session, ref) for session, ref in names])
    assert evidence_places(written) == tuple(f"codex/{session}#{ref}" for session, ref in names)
    assert not any(unicodedata.category(one) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for one in written)


def test_the_file_of_a_memory_holds_nothing_that_a_terminal_obeys(tmp_path: Path) -> None:
    bank = Bank.create(tmp_path / "bank", state_dir=tmp_path / "state", cache_dir=tmp_path / "cache")
    session = "\x1b]52;c;aGk=\x07\u202e"
    fields = {"type": "FACT", "subject": "s", "statement": "t", "evidence": evidence_key([quote(session)])}
    (name,) = bank.commit(Changeset([PutMemory(None, fields)], "remember")).ids
    memory = bank.view().memories[name]
    data = (tmp_path / "bank" / memory.path).read_bytes()
    assert b"\x1b" not in data and b"\x07" not in data and "\u202e" not in data.decode()
    assert evidence_places(memory.evidence) == (f"codex/{session}#line 18",)
    bank.close()
