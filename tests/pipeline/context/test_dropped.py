"""What did not get into a pack, each memory once and with the reason that its fate says too."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.context.audit.dropped import left_out, report
from pipeline.context.fates import Fates
from pipeline.context.pack import assemble
from pipeline.context.request import LAYOUTS
from tests.pipeline.context.worlds import hooks, pagings, requests, views

SAID = {
    "evicted": "evicted",
    "unlisted": "unlisted",
    "paged_out": "paged_out",
    "budget": "budget_exceeded",
    "block_full": "block_full",
}
"""The reason of each fate that keeps a memory out though it was on its way in."""


@settings(max_examples=max(20, settings().max_examples // 6))
@given(st.data())
def test_property_each_memory_is_told_once_with_the_reason_of_its_fate(data: st.DataObject) -> None:
    view, request = data.draw(views()), data.draw(requests(LAYOUTS))
    hook = data.draw(hooks(view, request))
    pack = assemble(view, request, hook, data.draw(pagings(view, request, hook)))
    items = left_out(pack)
    fates = Fates(pack)
    assert len({item.memory.id for item in items}) == len(items)
    for item in items:
        outcome = fates.of(item.memory.id).outcome
        assert SAID.get(outcome, item.reason) == item.reason
        assert outcome in SAID or outcome in {"always", "included", "duplicate"}, "refused here, it stands elsewhere"
    told = {item.memory.id for item in items}
    assert told >= {fate.id for fate in fates if fate.outcome in SAID}
    summary = report(items)["summary"]
    assert summary["dropped"] == summary["recallable"] == len(items)
