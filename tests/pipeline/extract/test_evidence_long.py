"""A message of any length is shown by its beginning, and looked at no further than that takes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.extract.canonical import normalise
from pipeline.extract.coverage import centred, windows
from pipeline.extract.entries import Entry
from pipeline.extract.evidence import FIRST_LOOK, RAW_POINTS, RECORD_POINTS, record_of
from pipeline.extract.offline.door import propose
from pipeline.extract.offline.framing import LOOKED_AT
from pipeline.extract.options import Options
from store import secret
from store.secret import mask
from tests.store.test_secret_beginning import KEY, PIECES, TOKEN

FILLERS = ("", "and so it goes on. ", " \n", "I live in Oslo.\n", "unbroken", "话")


def said(text: str, question: str = "") -> Entry:
    return Entry(3, "user", "user", text, 1, 90_000, question)


def as_whole(text: str) -> tuple[str, str]:
    """The words for models and for rules as they are when the whole message is looked at."""
    raw = mask(text)
    return mask(normalise(raw))[:RECORD_POINTS], raw[:LOOKED_AT]


@settings(max_examples=25)
@given(st.lists(st.sampled_from((*PIECES, *KEY)), max_size=30), st.sampled_from(FILLERS), st.integers(1, 60_000))
def test_property_a_record_is_what_it_is_when_the_whole_message_is_looked_at(
    pieces: list[str], filler: str, size: int
) -> None:
    half = len(pieces) // 2
    text = "".join(pieces[:half]) + filler * (size // max(1, len(filler))) + "".join(pieces[half:])
    record, (shown, raw) = record_of(said(text)), as_whole(text)
    assert (record.text if record else "") == shown
    if record:
        assert normalise(record.raw) == normalise(raw)


def test_a_huge_message_costs_no_more_than_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    real = secret._masked
    monkeypatch.setattr(secret, "_masked", lambda part: looked.append(len(part)) or real(part))
    entry = said(f"Remember that {TOKEN} is gone. " + "Nothing else is said here.\n" * 100_000)
    assert len(windows([entry], Options())) == 1
    assert max(looked) < 2 * FIRST_LOOK


def test_what_rules_find_in_a_huge_message_is_what_they_find_in_its_beginning() -> None:
    text = "Remember that the staging host is called kestrel-3. " + "It is late today.\n" * 20_000
    record = record_of(said(text))
    assert record is not None and len(record.raw) == RAW_POINTS == LOOKED_AT
    assert propose([record])["incidents"][0]["evidence"][0]["quote"].startswith("Remember that the staging host")


def test_a_question_is_masked_and_cut_too() -> None:
    record = record_of(said("yes", f"Is {TOKEN} yours? " + "Or not? " * 200))
    assert record is not None
    assert record.question == f"Is [REDACTED] yours? {'Or not? ' * 200}"[:500]


def test_words_far_into_a_message_are_shown_where_a_model_asks_for_them() -> None:
    entry = said("nothing here. " * 9_000 + f"The kiln is called Vesta, {TOKEN}. " + "or there. " * 900)
    record = record_of(entry)
    assert record is not None and "Vesta" not in record.text
    (found,) = centred([record], [entry], ["vesta"], 12_000)
    assert "The kiln is called Vesta, [REDACTED]." in found.text and len(found.text) == RECORD_POINTS
