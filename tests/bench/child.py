"""Programs that are measured run in processes of their own and answer one request a line.

So two sizes can be measured in turns, neither pays for the other's memory, and a bank is opened by a fresh interpreter.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

STATUS = Path("/proc/self/status")


class Child:
    """`python -m tests.bench.<module> <arguments>`, asked with `ask`."""

    def __init__(self, module: str, *arguments: object, env: Mapping[str, str]) -> None:
        words = [sys.executable, "-m", f"tests.bench.{module}", *map(str, arguments)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def ask(self, what: str, *arguments: object) -> Any:
        """The answer to one request."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps([what, *arguments]), file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"The measured program ended while it was asked for {what!r}.")
        return json.loads(answer)


def serve(answers: Mapping[str, Callable[..., Any]]) -> None:
    """Answer the requests of standard input until it ends."""
    for line in sys.stdin:
        what, *arguments = json.loads(line)
        print(json.dumps(answers[what](*arguments)), flush=True)


def resident(name: str) -> int:
    """Bytes of resident memory: `VmRSS` now, `VmHWM` at its peak; the peak for both where the system tells no more."""
    if STATUS.exists():
        line = next(line for line in STATUS.read_text().splitlines() if line.startswith(name))
        return int(line.split()[1]) * 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
