"""`python -m tests.bench.recall --data PATH... [--prototype DIR] [--rows N] [--only NAME]`: recall and its neighbours.

A line for each measurement, exit code 1 when a limit is missed. Engines take turns in this one process.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
"""One thread for numpy's products, set before it is imported: more of them make small ones slow on shared cores."""
FEWEST = 1_000
"""Rows: a tenth of them must still hold words for every kind of session."""
PARTS = ("quality", "speed", "robust", "life")
"""In this order: a life adds rows and deletes some, so it comes last."""


def main() -> int:
    """Run what was asked for."""
    from tests.bench.recall import life, quality, robust, speed
    from tests.bench.recall.standing import Standing
    from tests.bench.report import Line, table
    from tests.bench.setting import Setting, forget_surroundings

    asked = _parser().parse_args()
    measures: dict[str, Callable[[Standing], Iterator[Line]]] = {
        "quality": lambda standing: quality.measure(standing, asked.data),
        "speed": speed.measure,
        "robust": robust.measure,
        "life": life.measure,
    }
    forget_surroundings()
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="memdesk-recall-") as folder:
        os.environ.update(Setting(Path(folder)).env)
        standing = Standing(Path(folder), asked.rows, asked.prototype)
        for name in asked.only or PARTS:
            for line in measures[name](standing):
                print(f"{line.name}: {line.subject}: {line.values} {line.verdict}", flush=True)
                lines.append(line)
        standing.close()
    print(f"\n{table(lines)}")
    missed = [line for line in lines if line.passed is False]
    print(f"\n{len(missed)} of {sum(line.passed is not None for line in lines)} limits missed.")
    return 1 if missed else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.recall", description="Recall against its neighbours, in the same run."
    )
    parser.add_argument("--data", type=_file, nargs="+", default=[], help="files of conversations with questions")
    parser.add_argument("--prototype", type=Path, help="folder of the reference prototype")
    parser.add_argument("--rows", type=_rows, default=100_000, help=f"rows of the generated bank, from {FEWEST:,} on")
    parser.add_argument("--only", action="append", choices=PARTS, help="measure only this; may be given several times")
    return parser


def _file(text: str) -> Path:
    if not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"{text!r} is no file")
    return Path(text)


def _rows(text: str) -> int:
    if not text.isdecimal() or int(text) < FEWEST:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of rows from {FEWEST:,} on")
    return int(text)


if __name__ == "__main__":
    os.environ.update(dict.fromkeys(THREADS, "1"))
    sys.exit(main())
