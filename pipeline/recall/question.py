"""The vector of a query: what it asks about, without the name in it and without what all questions share.

What a question has in common with every other question would be near to entries that ask, not to those that tell.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict

import numpy as np

from pipeline.recall.encoders import Encoder, Floats, unit

KEPT = 64
"""Queries whose vectors are kept."""
ENGLISH = (
    "What did Anna buy at the market?",
    "When did Peter move to the new flat?",
    "Where does Laura work?",
    "Who helped Daniel fix the car?",
    "Why did Emma stop running?",
    "How did Mark feel about the meeting?",
    "How many cats does Julia have?",
    "What kind of music does Sam like?",
    "Which city did Nina visit in March?",
    "What is the name of Oliver's sister?",
    "How long has Sarah been learning Spanish?",
    "What are Tom's plans for the weekend?",
    "Which editor do I prefer?",
    "What is the deadline of the report?",
    "Is Kate allergic to anything?",
    "Would Ben enjoy a trip to the mountains?",
    "What did the doctor tell Alice?",
    "What does Paul do to relax?",
    "Which database does the project use?",
    "What was decided about the budget?",
    "What hobbies does Helen have?",
    "When is the birthday of Lucy?",
    "What gift did Victor receive?",
    "What might Clara study in the future?",
)
CHINESE = (
    "小王昨天买了什么？",
    "老李什么时候搬家的？",
    "小张在哪里工作？",
    "谁帮小陈修车？",
    "他为什么不跑步了？",
    "我喜欢什么音乐？",
    "你还记得我推荐过哪本书吗？",
    "我们上次说好几点见面？",
    "小赵的妹妹叫什么名字？",
    "报告的截止日期是哪天？",
    "他对什么过敏？",
    "我曾经去过哪个城市？",
)


class Questions:
    """The vectors of queries by one encoder; threads may share it."""

    def __init__(self, encoder: Encoder) -> None:
        self.encoder = encoder
        self._shared: Floats | None = None
        self._kept: OrderedDict[str, Floats] = OrderedDict()
        self._lock = threading.Lock()

    def vector(self, text: str, name: str = "") -> Floats:
        """The unit vector [dim] of a query, without the `name` in it; raises `EncoderProblem`."""
        bare = re.sub(re.escape(name), "", text, flags=re.IGNORECASE) if name else text
        with self._lock:
            known = self._kept.get(bare)
        if known is None:
            known = unit(self.encoder.encode([bare], "query") - self._common())[0]
            with self._lock:
                self._kept[bare] = known
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
        return known

    def _common(self) -> Floats:
        """What questions have in common, both languages weighing the same."""
        if self._shared is None:
            found = self.encoder.encode([*ENGLISH, *CHINESE], "query")
            self._shared = np.mean([part.mean(0) for part in np.split(found, [len(ENGLISH)])], 0, dtype=np.float32)
        return self._shared
