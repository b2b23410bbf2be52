"""The review desk: what waits for a person, and what a decision commits."""

from pipeline.review.decide import approve, postpone, reject, restore
from pipeline.review.edits import forget, remember, restore_memory
from pipeline.review.nearby import Neighbour
from pipeline.review.proposals import Proposed, propose
from pipeline.review.waiting import Counts, Waiting, counts, find, queue, rejected, resemblances

__all__ = [
    "Counts",
    "Neighbour",
    "Proposed",
    "Waiting",
    "approve",
    "counts",
    "find",
    "forget",
    "postpone",
    "propose",
    "queue",
    "reject",
    "rejected",
    "remember",
    "resemblances",
    "restore",
    "restore_memory",
]
