"""A fresh process that opens an engine's index, answers, and says how much memory that took."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.bench.child import resident, serve


def cold(name: str, folder: str, prototype: str | None, texts: Sequence[str]) -> dict[str, Any]:
    """Seconds of importing numpy, of opening and of the first answer; memory after all answers."""
    before, start = resident("VmRSS"), time.perf_counter()
    import numpy  # noqa: F401  # what the index needs of it is counted, and told apart

    numpy_seconds, numpy_size = time.perf_counter() - start, resident("VmRSS") - before
    from tests.bench.recall.engines import ENGINES

    engine = ENGINES[name](Path(prototype) if prototype else None)
    engine.at_hand(Path(folder))
    before, start = resident("VmRSS"), time.perf_counter()
    engine.open(Path(folder))
    engine.search(texts[0], 20)
    seconds = time.perf_counter() - start
    for text in texts[1:]:
        engine.search(text, 20)
    size = resident("VmRSS") - before
    engine.close()
    return {"seconds": seconds, "size": size, "numpy_seconds": numpy_seconds, "numpy_size": numpy_size}


if __name__ == "__main__":
    serve({"cold": cold})
