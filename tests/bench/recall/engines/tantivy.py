"""tantivy with our cut, the last word as a prefix, and its fuzzy terms when nothing matches."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from tests.bench.recall.corpus import Row
from tests.bench.recall.cutting import cut, cut_typed, is_cjk
from tests.bench.recall.engines.engine import Engine, NotMeasured

MEMORY = 128_000_000
"""Bytes of the writer while it builds."""
MEMORY_LATER = 50_000_000


class Tantivy(Engine):
    """One text field of tokens that were cut before."""

    name: ClassVar[str] = "tantivy"

    def __init__(self) -> None:
        try:
            import tantivy
        except ImportError as error:
            raise NotMeasured("tantivy is not installed; `make bench-recall` installs it.") from error
        self._lib: Any = tantivy
        builder = tantivy.SchemaBuilder()
        builder.add_unsigned_field("at", stored=True, indexed=True, fast=True)
        builder.add_text_field("text", tokenizer_name="spaces", index_option="freq")
        self._schema = builder.build()
        self._writer: Any = None

    def _index(self, folder: Path) -> Any:
        lib = self._lib
        index = lib.Index(self._schema, path=str(folder))
        index.register_tokenizer("spaces", lib.TextAnalyzerBuilder(lib.Tokenizer.whitespace()).build())
        return index

    def _document(self, at: int, text: str) -> Any:
        return self._lib.Document.from_dict({"at": at, "text": " ".join(cut(text))}, self._schema)

    def build(self, rows: Sequence[Row], folder: Path) -> None:
        """One thread, one commit."""
        writer = self._index(folder).writer(MEMORY, 1)
        for at, row in enumerate(rows):
            writer.add_document(self._document(at, row.text))
        writer.commit()
        writer.wait_merging_threads()

    def open(self, folder: Path) -> None:
        """Open the folder."""
        self._opened = self._index(folder)
        self._opened.reload()
        self._next = self._opened.searcher().num_docs

    def search(self, text: str, k: int) -> Sequence[int]:
        """All words; else all words but for an edit; else any word."""
        tokens, occur = cut_typed(text), self._lib.Occur
        if not tokens:
            return []
        for how, fuzzy in ((occur.Must, False), (occur.Must, True), (occur.Should, False)):
            if found := self._match(self._query(tokens, how, fuzzy), k):
                return found
        return []

    def _match(self, query: Any, k: int) -> list[int]:
        searcher = self._opened.searcher()
        hits = searcher.search(query, k, count=False).hits
        return list(searcher.fast_field_values("at", [place for _, place in hits])) if hits else []

    def _query(self, tokens: Sequence[tuple[str, bool]], how: Any, fuzzy: bool) -> Any:
        return self._lib.Query.boolean_query([(how, self._term(token, open_, fuzzy)) for token, open_ in tokens])

    def _term(self, token: str, open_: bool, fuzzy: bool) -> Any:
        query, either = self._lib.Query, self._lib.Occur.Should
        exact = query.term_query(self._schema, "text", token, index_option="freq")
        choices = [(either, exact)]
        if open_:
            choices.append((either, query.fuzzy_term_query(self._schema, "text", token, distance=0, prefix=True)))
        if fuzzy and len(token) >= 4 and not is_cjk(token):
            edits = 1 if len(token) < 8 else 2
            choices.append((either, query.fuzzy_term_query(self._schema, "text", token, distance=edits, prefix=open_)))
        return query.boolean_query(choices) if len(choices) > 1 else exact

    def add(self, row: Row) -> None:
        """One document, committed."""
        self._writing().add_document(self._document(self._next, row.text))
        self._next += 1
        self._commit()

    def delete(self, at: int) -> None:
        """One delete, committed."""
        # By term, unsigned fields are not deleted from.
        self._writing().delete_documents_by_query(self._lib.Query.term_query(self._schema, "at", at))
        self._commit()

    def _writing(self) -> Any:
        self._writer = self._writer or self._opened.writer(MEMORY_LATER, 1)
        return self._writer

    def _commit(self) -> None:
        self._writer.commit()
        self._opened.reload()

    def close(self) -> None:
        """Let the writer go."""
        self._writer = self._opened = None
