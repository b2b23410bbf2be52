"""The context pack over the largest bank, and what asking a provider costs beyond the provider itself."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from tests.bench.child import Child
from tests.bench.report import MS, Line, middle, spread
from tests.bench.setting import Setting

LIMIT = 0.060
"""Seconds for a pack and the counts of all fates over the largest bank, with a warm view."""
WARM_UP = 3
TRIVIAL = 'import sys; sys.stdin.read(); print(\'{"ok": true, "data": {"evict": []}}\')'


def measure(setting: Setting) -> Iterator[Line]:
    """Build packs on one view; then call a provider that does nothing."""
    times = setting.times(30)
    home, command = setting.folder / "provider", [sys.executable, "-c", TRIVIAL]
    _configure(home, command)
    with Child("on_bank", setting.bank(setting.small), env=setting.env) as child:
        child.ask("open")
        child.ask("pack", WARM_UP)
        fewer = child.ask("pack", times)
    with Child("on_bank", setting.bank(setting.large), env=setting.env) as child:
        child.ask("open")
        child.ask("pack", WARM_UP)
        packed = child.ask("pack", times)
        yield Line(
            "pack",
            f"p50/p95 of a pack and all fate counts over {setting.large:,} memories, warm view",
            f"{middle(packed) / LIMIT:.2f} × the limit ({spread(packed)})",
            f"p50 ≤ {LIMIT * MS:.0f} ms",
            middle(packed) <= LIMIT,
            f"{times} packs, {WARM_UP} to warm up",
        )
        yield Line(
            "pack",
            f"growth of that from {setting.small:,} memories",
            f"{middle(packed) / middle(fewer):.2f} × for {setting.large / setting.small:.0f} × the memories"
            f" ({spread(packed)} against {spread(fewer)})",
            counted=f"{times} packs each, {WARM_UP} to warm up",
        )
        child.ask("hook", str(home), WARM_UP)
        calls = [(_bare(command), *child.ask("hook", str(home), 1)) for _ in range(times)]
    bare, asked = (list(side) for side in zip(*calls, strict=True))
    yield Line(
        "provider",
        "p50/p95 of asking a trivial provider against running it bare",
        f"{middle(asked) / middle(bare):.2f} × ({spread(asked)} against {spread(bare)})",
        counted=f"{times} of each in turns, {WARM_UP} to warm up",
    )


def _configure(home: Path, command: list[str]) -> None:
    provider = {"id": "trivial", "capabilities": ["memory.hook"], "command": command, "timeout_ms": 5000}
    home.mkdir()
    (home / "provider.json").write_text(json.dumps({"schema": 1, "providers": [provider]}), encoding="utf-8")


def _bare(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, input=b"{}", stdout=subprocess.PIPE, check=True)
    return time.perf_counter() - start
