"""The review desk: what waits for a person, and what a decision commits."""

from pipeline.review.by_hand import forget, remember, restore_memory
from pipeline.review.decide import approve, postpone, reject, restore
from pipeline.review.following import Following, follow
from pipeline.review.nearby import Neighbour
from pipeline.review.proposals import Proposed, propose
from pipeline.review.together import Together, together
from pipeline.review.waiting import Counts, Waiting, counts, find, queue, rejected, resemblances

__all__ = [
    "Counts",
    "Following",
    "Neighbour",
    "Proposed",
    "Together",
    "Waiting",
    "approve",
    "counts",
    "find",
    "follow",
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
    "together",
]
