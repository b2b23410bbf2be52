"""`python -m tests.bench.large [--size 1GB]`: a transcript too large for memory is read and evaluated.

The file is made in a temporary folder and removed again. Each measurement is a fresh process (`large_child.py`).
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.bench import large_file
from tests.bench.child import Child
from tests.bench.report import MS, Line, table
from tests.bench.setting import Setting, forget_surroundings

MEGABYTE = 1_000_000
GROWTH = 100 * MEGABYTE
"""Bytes by which resident memory may grow at its peak."""
SPEED = 0.5
"""Part of the speed of `json.loads` on each line that reading has to reach."""
STOP = 0.2
"""Seconds from cancelling to the end of reading."""
ROUNDS = 3
CANCELLED_AT = (0.02, 0.25, 0.5, 0.75, 0.98, 1.0)
"""Parts of the file after which reading is cancelled."""
_UNITS = {"": 1, "KB": 1_000, "MB": MEGABYTE, "GB": 1_000 * MEGABYTE}
_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?(KB|MB|GB|)")


def measure(setting: Setting, size: int, rounds: int = ROUNDS) -> Iterator[Line]:
    """The lines of the report, for a file of so many bytes."""
    path = setting.folder / f"{large_file.SESSION}.jsonl"
    lines = large_file.write(path, size)
    made = path.stat().st_size
    what = f"{made / MEGABYTE:,.1f} MB in {lines:,} lines"
    yield Line("large-file", what, f"longest line {_longest(path) / MEGABYTE:.2f} MB")
    timed = [(_ask(setting, path, "json"), _ask(setting, path, "read")) for _ in range(rounds)]
    read = timed[0][1]
    yield _memory("large-memory", "reading it", max(one["growth"] for _, one in timed), rounds)
    told = read["progress"]
    whole = told["last"] == made and told["ascending"]
    yield Line("large-progress", "calls of progress", f"{told['calls']:,}", "up to the last byte", whole)
    yield _speed(timed)
    yield _cancelled(setting, path)
    yield from _evaluated(setting, path)


def _cancelled(setting: Setting, path: Path) -> Line:
    with Child("large_child", env=setting.env) as child:
        times = [child.ask("cancel", str(path), part) for part in CANCELLED_AT]
    slowest, stopped = max(one["seconds"] for one in times), sum(one["stopped"] for one in times)
    return Line(
        "large-cancel",
        f"from cancel to stop, slowest of {len(times)} places",
        f"{slowest * MS:.0f} ms",
        f"≤ {STOP * MS:.0f} ms",
        slowest <= STOP and stopped >= len(times) - 1,
        "after the last byte it may have ended already",
    )


def _longest(path: Path) -> int:
    with path.open("rb") as file:
        return max(map(len, file))


def _ask(setting: Setting, path: Path, what: str, *arguments: object) -> dict[str, Any]:
    with Child("large_child", env=setting.env) as child:
        answer: dict[str, Any] = child.ask(what, str(path), *arguments)
    return answer


def _memory(name: str, subject: str, growth: int, times: int) -> Line:
    shown, limit = f"{growth / MEGABYTE:.1f} MB", f"< {GROWTH / MEGABYTE:.0f} MB"
    return Line(name, f"peak growth of resident memory, {subject}", shown, limit, growth < GROWTH, f"worst of {times}")


def _speed(rounds: Sequence[tuple[dict[str, Any], dict[str, Any]]]) -> Line:
    """Processor time, so that other programs weigh as little as they can; the best round of each."""
    base, read = (min(pair[side]["cpu"] for pair in rounds) for side in (0, 1))
    wall = min(pair[1]["seconds"] for pair in rounds)
    return Line(
        "large-speed",
        "speed of reading against json.loads on each line",
        f"{base / read:.2f} × ({read:.2f} s of processor time against {base:.2f} s; {wall:.2f} s on the clock)",
        f"≥ {SPEED} ×",
        base / read >= SPEED,
        f"best of {len(rounds)} in turns, a fresh process each",
    )


def _evaluated(setting: Setting, path: Path) -> Iterator[Line]:
    """All of `memdesk extract --offline`, until nothing is left, and again over the grown file."""
    answer = _ask(setting, path, "extract", str(setting.folder / "bank"))
    yield _memory("large-extract", "evaluating it offline", answer["growth"], 1)
    done = answer["left"] == 0 and answer["again"] == answer["added"]
    yield Line(
        "large-grown",
        f"messages evaluated of {answer['messages']:,}, and after the file grew",
        f"{answer['evaluated']:,}, then {answer['again']:,}",
        f"all, then {answer['added']:,}",
        done and answer["evaluated"] == answer["messages"],
        f"{answer['seconds']:.1f} s",
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, and give 1 when a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.large", description="A transcript beyond memory.")
    parser.add_argument("--size", type=size_of, default=size_of("1GB"), help="bytes, or a number with KB, MB or GB")
    asked = parser.parse_args(arguments)
    forget_surroundings()
    lines: list[Line] = []
    with tempfile.TemporaryDirectory(prefix="memdesk-large-") as folder:
        for line in measure(Setting(Path(folder)), asked.size):
            print(f"{line.name}: {line.subject}: {line.values} {line.verdict}", flush=True)
            lines.append(line)
    print(f"\n{table(lines)}")
    return int(any(line.passed is False for line in lines))


def size_of(text: str) -> int:
    """Bytes of a size in words, as "2MB"; raises `ArgumentTypeError`."""
    found = _SIZE.fullmatch(text.strip().upper())
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; give bytes, or a number with KB, MB or GB")
    return int(float(found[1]) * _UNITS[found[2]])


if __name__ == "__main__":
    sys.exit(main())
