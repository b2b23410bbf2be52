"""`remember --verify`: what was written is read from the disk again and looked for as its reader would."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.recall.engines.yotta import recall
from store.access import may_read
from store.bank import Bank
from store.clock import today
from tui.cli.options import Options


def read_back(bank: Bank, options: Options, fields: Mapping[str, Any]) -> str:
    """One sentence on whether the memory is there and its subject finds it (`spec/bank.md` §7.6)."""
    again = Bank.open(bank.path, read_only=True)
    try:
        view = again.view()
    finally:
        again.close()
    agent = options.agent
    subject, statement = str(fields["subject"]).strip(), str(fields["statement"]).strip()
    said = (fields["type"], subject, statement)
    written = [one for one in view.live if (one.type, one.subject, one.statement) == said]
    seen = {one.id for one in written if agent is None or may_read(one, view.reader(agent))}
    found = recall(view, subject, today=today(), agent=agent, limit=max(1, len(view.live)))
    if seen & {hit.memory.id for hit in found.hits}:
        return "Read back: it is there, and its subject finds it."
    return "It cannot be read back; look for it with `memdesk list`."
