"""The embedding program of a recall: which one, what is known of its vectors, and keeping what it adds."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.recall.engines.embedding import Meaning, Program, compare
from store.errors import StorageFailure
from store.index.embedded import embedded_file, keep_vectors, kept_vectors
from store.memory import Memory
from tui.cli.banks import Banks
from tui.cli.say import complain


def compared(
    banks: Banks, query: str, memories: Sequence[Memory], command: str | None, timeout_ms: int | None
) -> Meaning | None:
    """How near in meaning the memories are to the query; None when no program is named.

    `command` and `timeout_ms` are the call's own; without them the person's settings count (`spec/bank.md` §10.4).
    Vectors are kept for the next call, but not those of an encrypted bank (`decisions.md` §3.2).
    """
    named = str(banks.config.get("embedding_cmd")) if command is None else command
    if not named.strip() or not query.strip():
        return None
    program = Program(named, timeout_ms or int(banks.config.get("embedding_timeout")))
    encrypted = any(bank.encrypted for bank in banks.open.values())
    path = embedded_file(banks.bank.path)
    known = {} if encrypted else kept_vectors(path)
    meaning = compare(query, memories, program, known)
    try:
        if not encrypted:
            keep_vectors(path, known, meaning.fresh)
    except StorageFailure as error:
        complain(f"The vectors were not kept: {error}")
    return meaning
