"""What is written in one language is found from another, by meaning alone, with the encoder of the extra `semantic`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import pytest

from pipeline.recall.answering import Similar, ask
from pipeline.recall.encoding.bundled import Bundled
from pipeline.recall.encoding.question import Questions
from pipeline.recall.rebuild import bring_vectors
from pipeline.recall.searchable import Searchable
from pipeline.recall.within import Within
from store.index.search.building import build
from store.index.search.following import bound, docs_of
from store.index.search.meant import Meant
from store.memory import Memory
from store.view import View

CHINESE = {
    "她对花生过敏，外出吃饭要先问配料。": "Which food is she allergic to?",
    "我们每周五下午发布新版本。": "On which day do we ship releases?",
    "他住在上海，去年从北京搬过来。": "Which city does he live in now?",
    "数据库每天凌晨三点备份一次。": "When is the database backed up?",
    "女儿今年九月开始学钢琴。": "What instrument is the daughter learning?",
    "他养了两只猫，一只叫小白。": "How many cats does he have?",
    "老板不喜欢太长的邮件。": "What kind of emails does the boss dislike?",
    "她喜欢在清晨跑步。": "When does she like to go running?",
    "我们决定用 Python 重写后端服务。": "Which language will the backend be rewritten in?",
    "妈妈的生日是十二月三日。": "When is mother's birthday?",
}
ENGLISH = {
    "He prefers tea over coffee in the morning.": "他早上喜欢喝什么？",
    "The meeting with the bank was moved to Thursday.": "和银行的会议改到哪天了？",
    "She is writing a novel about a lighthouse keeper.": "她在写一本什么书？",
    "Never send invoices without asking the accountant first.": "发送发票之前要先问谁？",
    "Their car broke down on the way to the mountains.": "他们的车在路上怎么了？",
    "He is training for a marathon in spring.": "他在为什么比赛做准备？",
    "The office has a new address near the river.": "办公室的新地址在哪里？",
    "She quit her job at the hospital last month.": "她上个月辞掉了什么工作？",
    "Passwords are rotated every ninety days.": "密码多久更换一次？",
    "Grandfather taught him how to fish.": "谁教会他钓鱼？",
}


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> tuple[Searchable, Similar]:
    return holding((*CHINESE, *ENGLISH), tmp_path_factory.mktemp("cache"))


def holding(texts: Sequence[str], cache: Path) -> tuple[Searchable, Similar]:
    """A bank of these texts with their meaning."""
    memories = [
        Memory(f"facts/{at:02}.md", f"facts/{at:02}.md", f"{at:064}", statement=text, created="2026-10-01")
        for at, text in enumerate(texts)
    ]
    view, encoder = View.of(memories), Bundled()
    segment, file = build(docs_of(memories)), cache / "search"
    bring_vectors(file, segment, view.memories, encoder, lambda *_stage, **_numbers: None)
    return Searchable(view, bound(segment, view.memories)), Similar(Meant(file, encoder.id), Questions(encoder))


def first(bank: tuple[Searchable, Similar], question: str, *, meaning: bool) -> list[str]:
    """The statements of the best three memories."""
    searchable, similar = bank
    found = ask(searchable, question, Within(date(2026, 10, 12)), limit=3, similar=similar if meaning else None)
    return [hit.memory.statement for hit in found.hits]


@pytest.mark.parametrize(
    "told", [CHINESE, ENGLISH], ids=["english asks, chinese answers", "chinese asks, english answers"]
)
def test_what_is_written_in_one_language_is_found_from_the_other(
    bank: tuple[Searchable, Similar], told: dict[str, str]
) -> None:
    found = [statement for statement, question in told.items() if statement in first(bank, question, meaning=True)]
    assert len(found) >= len(told) - 1
    assert not any(statement in first(bank, question, meaning=False) for statement, question in told.items())


@pytest.mark.parametrize("times", [1, 2])
def test_the_only_memory_of_a_bank_and_one_that_stands_twice_are_found_by_meaning(times: int, tmp_path: Path) -> None:
    text, question = "The parking garage closes at ten.", "停车库几点关门？"
    alone = holding([text] * times, tmp_path)
    assert first(alone, question, meaning=True) == [text] * times
    assert first(alone, question, meaning=False) == []
