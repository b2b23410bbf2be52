"""Keys that are answered with a question: it stands before the next key is looked at, so that none slips past it."""

from __future__ import annotations

from collections.abc import Callable, Generator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from textual.message_pump import MessagePump
from textual.screen import Screen

from tui.faults import report
from tui.messages import Said

Asking = Generator[Screen[Any], Any, None]
"""What is asked: each question is given as its screen, and its answer is what comes back."""

Node = TypeVar("Node", bound=MessagePump)
Given = ParamSpec("Given")


def asks(flow: Callable[Concatenate[Node, Given], Asking]) -> Callable[Concatenate[Node, Given], None]:
    """For a method that asks: `answer = yield Confirm(...)`. Called, it has asked its first question when it returns.

    A fault after an answer is said and leaves the workbench as it was.
    """

    @wraps(flow)
    def begin(node: Node, /, *args: Given.args, **named: Given.kwargs) -> None:
        _go_on(node, flow(node, *args, **named), None)

    return begin


def _go_on(node: MessagePump, asking: Asking, answer: object) -> None:
    try:
        question = asking.send(answer)
    except StopIteration:
        return
    except Exception as error:  # as for everything that the workbench does on the side
        node.post_message(Said(report(error)))
        return
    node.app.push_screen(question, lambda given: _go_on(node, asking, given))
