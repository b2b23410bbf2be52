"""A wish to remember something is recognised by its own sentence, in English and Chinese."""

from __future__ import annotations

import pytest

from pipeline.extract.asked import asked_for


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("We talked. Please remember that I deploy on Fridays. Thanks!", "I deploy on Fridays"),
        ("Remember: tests run with pytest", "tests run with pytest"),
        ("ok, note that the host is called puffin", "the host is called puffin"),
        ("Don't forget we use tabs.", "we use tabs"),
        ("Keep in mind the API is versioned", "the API is versioned"),
        ("请记住我住在杭州。", "我住在杭州"),
        ("帮我记一下。记住，部署要走 VPN", "部署要走 VPN"),
        ("别忘了周五发布。", "周五发布"),
        ("For future reference: releases are cut from stable.", "releases are cut from stable"),
        ("Add this to your memory: I have two kids.", "I have two kids"),
        ("Keep this in mind, our office closes at four.", "our office closes at four"),
        ("麻烦记一下，我的课都在周二。", "我的课都在周二"),
    ],
)
def test_a_sentence_that_asks_to_remember(text: str, quote: str) -> None:
    assert asked_for(text, quote)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("Please remember that I deploy on Fridays. We use tabs.", "We use tabs"),
        ("Do you remember my name?", "remember my name"),
        ("Remember that we use svn?", "we use svn"),
        ("Remember when we used svn. That was bad", "we used svn"),
        ("I remember that night", "that night"),
        ("The note says tabs", "says tabs"),
        ("你记得我住在杭州吗？", "我住在杭州"),
        ("CI runs on Buildkite", "somewhere else"),
    ],
)
def test_a_sentence_that_does_not(text: str, quote: str) -> None:
    assert not asked_for(text, quote)
