"""`python -m tests.bench [--quick] [--only NAME]`: a line for each measurement, exit code 1 when a limit is missed."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.bench import answering, approving, deciding, first_frame, opening, packing, what_if, zoo
from tests.bench.report import Line, table
from tests.bench.setting import Setting, forget_surroundings

MEASURES: dict[str, Callable[[Setting], Iterator[Line]]] = {
    "open": opening.measure,
    "first-frame": first_frame.measure,
    "answer": answering.measure,
    "pack": packing.measure,
    "what-if": what_if.measure,
    "zoo": zoo.measure,
    "decide": deciding.measure,
    "approve": approving.measure,
}
"""In this order: approving adds memories to the banks, so it comes last."""


def main() -> int:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench", description="Ratios against baselines of the same run."
    )
    parser.add_argument(
        "--only", action="append", choices=MEASURES, help="measure only this; may be given several times"
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the memories, a third of the repetitions")
    asked = parser.parse_args()
    forget_surroundings()
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="memdesk-bench-") as folder:
        setting = Setting(Path(folder), (500, 2_000, 10_000), 0.34) if asked.quick else Setting(Path(folder))
        for name in asked.only or MEASURES:
            for line in MEASURES[name](setting):
                print(f"{line.name}: {line.subject}: {line.values} {line.verdict}", flush=True)
                lines.append(line)
    print(f"\n{table(lines)}")
    missed = [line for line in lines if line.passed is False]
    print(f"\n{len(missed)} of {sum(line.passed is not None for line in lines)} limits missed.")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
