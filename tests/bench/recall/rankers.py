"""What answers the questions: plain BM25, the prototype, and the product by words alone and with meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.bench.recall.corpus import Row
from tests.bench.recall.engines import product
from tests.bench.recall.engines.prototype import load
from tests.bench.recall.plain import Plain
from tests.bench.recall.standing import Standing

Ask = Callable[[str, int], Sequence[int]]
"""Gives the numbers of so many best rows for a question."""

PLAIN, WORDS, MEANING = "plain BM25", "product, words alone", "product, with meaning"
PROTOTYPE, PROTOTYPE_MEANING = "prototype, words alone", "prototype, with meaning"


def _told(rows: Sequence[Row]) -> list[str]:
    """The texts with who said them, which the product knows as owner."""
    return [f"{row.owner}: {row.text}" if row.owner else row.text for row in rows]


def plain(rows: Sequence[Row], _standing: Standing) -> Ask:
    """Plain BM25."""
    return Plain(_told(rows)).ask


def prototype(rows: Sequence[Row], standing: Standing) -> Ask:
    """The prototype's full lexical formula."""
    index = _prototype(rows, standing)
    return lambda question, k: [at for at, _ in index.recall(question, k)]


def prototype_meaning(rows: Sequence[Row], standing: Standing) -> Ask:
    """The same with its default encoder."""
    index, encode = _prototype(rows, standing), load(standing.prototype, "encoders").UseMulti().encode
    index.set_vectors(encode(_told(rows)))
    return lambda question, k: [at for at, _ in index.recall(question, k, encode([question], True)[0])]


def _prototype(rows: Sequence[Row], standing: Standing) -> Any:
    made = load(standing.prototype, "recall_proto").Recall
    sessions = [row.session or row.id for row in rows]
    return made.make(_told(rows), sessions, [row.owner for row in rows], [row.day for row in rows])


def _folder(rows: Sequence[Row], standing: Standing) -> Path:
    """One for the banks alone and one for those among others, whose vectors take minutes and serve the next set too."""
    folder = standing.folder / ("among" if len(rows) >= standing.count else "alone")
    folder.mkdir(exist_ok=True)
    return folder


RANKERS: Mapping[str, Callable[[Sequence[Row], Standing], Ask]] = {
    PLAIN: plain,
    PROTOTYPE: prototype,
    PROTOTYPE_MEANING: prototype_meaning,
    WORDS: lambda rows, standing: product.asked(rows, _folder(rows, standing), meaning=False),
    MEANING: lambda rows, standing: product.asked(rows, _folder(rows, standing), meaning=True),
}
"""How each is made of a bank's rows; raises `NotMeasured` where it cannot be."""
