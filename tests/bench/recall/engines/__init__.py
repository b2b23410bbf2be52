"""What stands side by side: the product, its reference prototype, and search as people usually set it up."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.bench.recall.engines.engine import Engine
from tests.bench.recall.engines.fts5 import Fts5, Fts5Porter
from tests.bench.recall.engines.product import Product
from tests.bench.recall.engines.prototype import Formula, PlainIndex
from tests.bench.recall.engines.ripgrep import Ripgrep
from tests.bench.recall.engines.tantivy import Tantivy
from tests.bench.recall.engines.tinydb import Tiny

ENGINES: dict[str, Callable[[Path | None], Engine]] = {
    "product": lambda _prototype: Product(),
    "prototype": Formula,
    "prototype-index": PlainIndex,
    "fts5-prefix": lambda _prototype: Fts5(),
    "fts5-porter": lambda _prototype: Fts5Porter(),
    "tantivy": lambda _prototype: Tantivy(),
    "tinydb": lambda _prototype: Tiny(),
    "ripgrep": lambda _prototype: Ripgrep(),
}
"""How each is made, given the prototype's folder; raises `NotMeasured` where it cannot be."""
