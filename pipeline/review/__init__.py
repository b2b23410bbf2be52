"""The review desk: what waits for a person, and what a decision commits."""

from pipeline.review.by_hand import forget, remember, restore_memory
from pipeline.review.decide import approve, reject
from pipeline.review.following import Following, follow
from pipeline.review.left_out import LeftOut, again, denied, failures, give_up, preview
from pipeline.review.linking import Link, links, links_of
from pipeline.review.merging import Part, merge, parts, same_as, split
from pipeline.review.nearby import Neighbour
from pipeline.review.proposals import Proposed, propose
from pipeline.review.rewording import reword
from pipeline.review.shelving import archive, extend, postpone, restore
from pipeline.review.together import Together, together
from pipeline.review.waiting import Counts, Waiting, counts, find, queue, rejected, resemblances, with_resemblances

__all__ = [
    "Counts",
    "Following",
    "LeftOut",
    "Link",
    "Neighbour",
    "Part",
    "Proposed",
    "Together",
    "Waiting",
    "again",
    "approve",
    "archive",
    "counts",
    "denied",
    "extend",
    "failures",
    "find",
    "follow",
    "forget",
    "give_up",
    "links",
    "links_of",
    "merge",
    "parts",
    "postpone",
    "preview",
    "propose",
    "queue",
    "reject",
    "rejected",
    "remember",
    "resemblances",
    "restore",
    "restore_memory",
    "reword",
    "same_as",
    "split",
    "together",
    "with_resemblances",
]
