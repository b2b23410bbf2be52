"""What a fact is about and when it holds: the facets of `spec/extraction.md` §25."""

from __future__ import annotations

KINDS = ("preference", "identity", "context", "knowledge", "failure", "note")
TEMPORAL_TYPES = ("undated", "point", "interval", "open_ended")


def valid_temporal(kind: str, started: int | None, ended: int | None) -> bool:
    """Whether the times fit the temporal type: `undated` has none, `point` a start and perhaps a later end.

    `interval` needs both, `open_ended` only a start. Times are milliseconds, not negative, whole minutes.
    """
    if any(time is not None and (time < 0 or time % 60_000) for time in (started, ended)):
        return False
    if kind == "undated":
        return started is None and ended is None
    if kind not in TEMPORAL_TYPES or started is None:
        return False
    if kind == "open_ended":
        return ended is None
    return ended > started if ended is not None else kind == "point"
