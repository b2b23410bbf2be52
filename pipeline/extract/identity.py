"""Names that follow from what they name: operations, segments, retries, gaps (`spec/extraction.md` §8, §23.3, §25)."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from pipeline.extract.canonical import canonical
from pipeline.extract.evidence import compact_json, utf8
from pipeline.extract.options import Neutralize

GAP_ID = re.compile(r"gap_[A-Za-z0-9_-]{1,64}")
"""Shape of a gap's id; match it whole (`spec/extraction.md` §10.1)."""


def operation_id(session_id: str, boundary_seq: int) -> str:
    """The identity of one trigger."""
    return "memory_" + _sha({"sessionId": session_id, "trigger": "compaction", "boundarySeq": boundary_seq})


def segment_id(operation: str, after: int, through: int) -> str:
    """The identity of every window of a trigger but its last, which has the trigger's own."""
    return "memory_segment_" + _sha({"operationId": operation, "afterSeq": after, "throughSeq": through})


def retry_id(trigger: str, first: str, coverage: str) -> str:
    """The identity of an evaluation again of a range that was evaluated or failed before (`spec/extraction.md` §25)."""
    return "memory_retry_" + _sha({"triggerId": trigger, "firstOperationId": first, "coverageHash": coverage})


def gap_id(content: str, mode: Neutralize = "substitute") -> str:
    """The identity of a fact by its content: white space and composition do not matter, letters do."""
    return "gap_" + hashlib.sha256(utf8(canonical(content, mode))).hexdigest()[:24]


def _sha(value: dict[str, Any]) -> str:
    return hashlib.sha256(utf8(compact_json(value))).hexdigest()
