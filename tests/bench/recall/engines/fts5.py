"""SQLite FTS5 as it is usually set up: a table with a prefix index, all words first, any word when nothing has all."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from tests.bench.recall.corpus import Row
from tests.bench.recall.engines.engine import Engine

_WORD = re.compile(r"\w+")


class Fts5(Engine):
    """Tokeniser unicode61, prefixes of one to three letters."""

    name: ClassVar[str] = "fts5-prefix"
    tokenizer: ClassVar[str] = "unicode61"

    def build(self, rows: Sequence[Row], folder: Path) -> None:
        """One table with the texts."""
        base = sqlite3.connect(folder / "fts5.db")
        base.execute("pragma journal_mode=wal")
        base.execute(f"create virtual table entries using fts5(text, prefix='1 2 3', tokenize='{self.tokenizer}')")
        with base:
            texts = enumerate(row.text for row in rows)
            base.executemany("insert into entries(rowid, text) values (?, ?)", texts)
            base.execute("insert into entries(entries) values ('optimize')")
        base.execute("pragma wal_checkpoint(truncate)")
        base.close()

    def open(self, folder: Path) -> None:
        """Open it with a cache that holds it whole."""
        self._base = sqlite3.connect(folder / "fts5.db")
        for pragma in ("synchronous=normal", "cache_size=-65536", "mmap_size=1073741824"):
            self._base.execute(f"pragma {pragma}")
        (self._next,) = self._base.execute("select coalesce(max(rowid), -1) + 1 from entries").fetchone()

    def search(self, text: str, k: int) -> Sequence[int]:
        """By rank; the last word may go on."""
        words = [f'"{word}"' for word in _WORD.findall(text)]
        if not words:
            return []
        if not text.endswith(" "):
            words[-1] += "*"
        return self._match(" AND ".join(words), k) or (self._match(" OR ".join(words), k) if len(words) > 1 else [])

    def _match(self, asked: str, k: int) -> list[int]:
        found = self._base.execute("select rowid from entries where entries match ? order by rank limit ?", (asked, k))
        return [at for (at,) in found]

    def add(self, row: Row) -> None:
        """One insert, committed."""
        with self._base:
            self._base.execute("insert into entries(rowid, text) values (?, ?)", (self._next, row.text))
        self._next += 1

    def delete(self, at: int) -> None:
        """One delete, committed."""
        with self._base:
            self._base.execute("delete from entries where rowid = ?", (at,))

    def close(self) -> None:
        """Close the file."""
        self._base.close()


class Fts5Porter(Fts5):
    """The same with English stems."""

    name: ClassVar[str] = "fts5-porter"
    tokenizer: ClassVar[str] = "porter unicode61"
