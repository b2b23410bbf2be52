"""Files of conversations with questions whose evidence is known, read into banks.

`{"conversations": [{"id", "turns": [{"id", "session", "time", "speaker", "text", "caption"?}],
"questions": [{"category", "question", "evidence": [turn ids]}]}]}`; what else stands there is left aside.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.bench.recall.corpus import Row
from tests.bench.recall.cutting import is_cjk

ADVERSARIAL = 5
"""The category of questions that credit the wrong speaker: told apart."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, and the rows that hold the answer."""

    category: int
    text: str
    right: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Told:
    """One conversation as a bank."""

    id: str
    rows: tuple[Row, ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class DataSet:
    """One file.

    `kind` is told from what it holds: dialogue, facts (every row a session of its own), chinese, or across
    (questions in one language, rows in the other).
    """

    name: str
    kind: str
    banks: tuple[Told, ...]


def read(path: Path) -> DataSet:
    """The banks of a file; questions without evidence that is there are left out."""
    banks = tuple(_told(one) for one in json.loads(path.read_text(encoding="utf-8"))["conversations"])
    return DataSet(path.stem, _kind(banks), banks)


def _told(conversation: dict[str, Any]) -> Told:
    name = str(conversation["id"])
    places = {turn["id"]: at for at, turn in enumerate(conversation["turns"])}
    alone = len({turn["session"] for turn in conversation["turns"]}) == len(conversation["turns"])
    rows = tuple(_row(name, at, turn, alone=alone) for at, turn in enumerate(conversation["turns"]))
    asked = (
        Question(
            int(one["category"]),
            one["question"],
            tuple(dict.fromkeys(places[turn] for turn in one["evidence"] if turn in places)),
        )
        for one in conversation["questions"]
    )
    return Told(name, rows, tuple(question for question in asked if question.right))


def _row(conversation: str, at: int, turn: dict[str, Any], *, alone: bool) -> Row:
    """A turn as a row. Where every turn is `alone` in its session there are none: it is known when each was said."""
    photo = f" [photo: {turn['caption']}]" if turn.get("caption") else ""
    session, moment = f"{conversation}-{turn['session']}", ""
    if alone:
        session, moment = "", turn["time"]
    return Row(
        f"{conversation}-{at:05}",
        turn["speaker"] or "",
        "FACT",
        (),
        turn["time"][:10],
        turn["text"] + photo,
        session,
        moment,
    )


def _kind(banks: Sequence[Told]) -> str:
    chinese = _mostly_chinese([row.text for bank in banks for row in bank.rows])
    if chinese != _mostly_chinese([question.text for bank in banks for question in bank.questions]):
        return "across"
    alone = not any(row.session for bank in banks for row in bank.rows)
    return "chinese" if chinese else "facts" if alone else "dialogue"


def _mostly_chinese(texts: Sequence[str]) -> bool:
    return sum(any(map(is_cjk, text)) for text in texts) * 2 > len(texts)


def together(banks: Sequence[Told], others: Sequence[Row], size: int) -> Told:
    """All banks as one of `size` rows: half of the others before them, half behind."""
    held = sum(len(bank.rows) for bank in banks)
    around = [replace(row, session="") for row in others[: max(0, size - held)]]
    rows, questions = around[: len(around) // 2], []
    for bank in banks:
        start = len(rows)
        rows.extend(bank.rows)
        questions += [replace(one, right=tuple(start + at for at in one.right)) for one in bank.questions]
    rows.extend(around[len(around) // 2 :])
    return Told("together", tuple(rows), tuple(questions))
