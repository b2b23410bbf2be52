"""Turns a context case into a view, a request and a provider home with real child scripts, and runs it."""

from __future__ import annotations

import json
import shlex
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from pipeline.context.fates import Fates
from pipeline.context.pack import Pack, assemble
from pipeline.context.provider import hook as hooks
from pipeline.context.provider.exchange import AUDIT_FILE
from pipeline.context.report import explained, hook_block
from pipeline.context.request import DEFAULT_LIMIT, Request
from store.access import path_owner
from store.joined import joined
from store.memory import Memory
from store.vault.scalars import read_int
from store.view import View

CASES: dict[str, dict[str, Any]] = {
    case["id"]: case
    for case in map(
        json.loads, (Path(__file__).parent / "cases/context-cases.jsonl").read_text(encoding="utf-8").splitlines()
    )
}
NOW = datetime(2026, 11, 30, 10, tzinfo=UTC)
ODD_LIMIT = 50
"""What `--limit 0` and `--limit many` mean in the cases (`spec/context.md` §1); the product refuses both."""
PATIENT = 5000
"""Time-out of a provider whose case names none: the case is about its answer, not about this machine's speed."""
LONG = {"<400 letters>": "l" * 400, "<2,500 letters y>": "y" * 2500, "5,000 letters": "p" * 5000}
MANY = {
    "60 readable FACTs, different dates": [
        ("facts/m-{:04}.md", n, f"2026-{1 + n // 28:02}-{1 + n % 28:02}") for n in range(60)
    ],
    "501 FACTs facts/t-0000.md": [("facts/t-{:04}.md", n, "2026-01-01") for n in range(501)],
    "exactly 500 FACTs facts/t-0000.md": [("facts/t-{:04}.md", n, "2026-01-01") for n in range(500)],
    "500 FACTs with statements of 2,000 letters each": [("facts/t-{:04}.md", n, "2026-01-01") for n in range(500)],
}


def area(*prefixes: str) -> list[str]:
    """The ids of all cases of some areas."""
    return [name for name, case in CASES.items() if case["area"].startswith(prefixes)]


def memory_of(entry: Mapping[str, Any], ordinal: int = 0) -> Memory:
    """An entry of a case as a memory; what it does not name has the defaults of the case file."""
    path = entry["file"]
    owner = path_owner(path) or entry.get("owner", "")
    fields = {key: value for key, value in entry.items() if key not in {"file", "owner", "scope", "tags", "statement"}}
    return Memory(
        id=path,
        path=path,
        sha="",
        statement=LONG.get(entry["statement"], entry["statement"]),
        owner=owner,
        scope="private" if path.startswith("private/") else entry.get("scope", "public"),
        tags=tuple(entry.get("tags", ())),
        ordinal=ordinal,
        **fields,
    )


def _rows(words: str) -> list[tuple[str, int, str]]:
    return next(rows for start, rows in MANY.items() if words.startswith(start))


def _many(words: str) -> list[Memory]:
    text = "x" * 2000 if "2,000 letters" in words else "x"
    rows = [
        {"file": name.format(n), "subject": f"s{n}", "statement": text, "created": day, "updated": day}
        for name, n, day in _rows(words)
    ]
    return [memory_of(row, at) for at, row in enumerate(rows)]


def view_of(entries: Iterable[Mapping[str, Any]] | str) -> View:
    """A bank of the entries, in their order."""
    if isinstance(entries, str):
        return View.of(_many(entries))
    return View.of([memory_of(entry, at) for at, entry in enumerate(entries)])


def bank(given: Mapping[str, Any]) -> View:
    """The view of a case: of one bank, or of the project's and the user's."""
    entries = given.get("entries", ())
    if isinstance(entries, dict):
        return joined(view_of(entries["project"]), view_of(entries["user"]))
    return view_of(entries)


def request_of(command: str, given: Mapping[str, Any]) -> Request:
    """The request that a command of the case file stands for."""
    words = shlex.split(command)
    options: dict[str, str] = {}
    for at, word in enumerate(words):
        if word.startswith("--") and at + 1 < len(words) and not words[at + 1].startswith("--"):
            options[word] = words[at + 1]
    owner = options.get("--owner", "")
    stored = given.get("files", {}).get(f"private/{owner or options.get('--agent', '')}/profile.md", "")
    return Request(
        agent=options.get("--agent", ""),
        owner=owner,
        focus=options.get("--focus", ""),
        limit=read_int(options["--limit"]) or ODD_LIMIT if "--limit" in options else DEFAULT_LIMIT,
        budget=read_int(options.get("--budget", "0")),
        years=(options["--year"],) if "--year" in options else (),
        explain="--explain" in words,
        now=NOW,
        profile=LONG.get(stored, stored),
        profile_day="2026-10-20" if stored else "",
    )


@dataclass(frozen=True)
class Ran:
    """One run of a case: the pack, the pack without a provider, and what the provider's home holds afterwards."""

    view: View
    request: Request
    pack: Pack
    plain: Pack
    hook: hooks.HookResult
    home: Path
    seconds: float = 0.0

    @cached_property
    def fates(self) -> Fates:
        return Fates(self.pack)

    @property
    def block(self) -> dict[str, Any]:
        return hook_block(self.hook)

    @property
    def audit(self) -> list[dict[str, Any]]:
        path = self.home / AUDIT_FILE
        return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []

    @property
    def payload(self) -> dict[str, Any]:
        """What the script read from its stdin."""
        found: dict[str, Any] = json.loads((self.home / "request.json").read_text(encoding="utf-8"))["payload"]
        return found

    @property
    def started(self) -> bool:
        return (self.home / "pids").exists()

    @cached_property
    def report(self) -> dict[str, Any]:
        return explained(self.pack)


def run(view: View, request: Request, home: Path) -> Ran:
    """Ask the provider of `home`, as a real process, and make the pack with its answer."""
    began = time.monotonic()
    hook = hooks.ask(view, request, home)
    return Ran(
        view, request, assemble(view, request, hook), assemble(view, request), hook, home, time.monotonic() - began
    )


def section_files(pack: Pack, key: str) -> list[str]:
    """The files whose lines stand in a section, in order."""
    return [pack.view.memories[line.entry].path for line in pack.lines if line.section == key and line.entry]


def section_lines(pack: Pack, key: str) -> list[str]:
    """The content lines of a section, without heading and blank lines."""
    return [line.text for line in pack.lines if line.section == key and line.text and not line.text.startswith("#")]


def entry_files(pack: Pack) -> list[str]:
    """The files in sections 2.5 to 6, in order."""
    return [file for key in ("2.5", "2.6", "3", "4", "5", "6") for file in section_files(pack, key)]


def write_home(home: Path, provider_json: Any, script: str, timeout_ms: int | None = PATIENT) -> Path:
    """A provider home with a configuration and, as `provider.py`, a real script; time-outs that are not named wait."""
    home.mkdir(parents=True, exist_ok=True)
    (home / "provider.py").write_text(PROLOGUE + script, encoding="utf-8")
    if provider_json is None:
        return home
    if isinstance(provider_json, str):
        (home / "provider.json").write_text(provider_json, encoding="utf-8")
        return home
    text = json.dumps(provider_json)
    text = text.replace('"<python>"', json.dumps(sys.executable)).replace(
        '"<provider>"', json.dumps(str(home / "provider.py"))
    )
    document = json.loads(text)
    for provider in document.get("providers", ()):
        if timeout_ms is not None and isinstance(provider, dict):
            provider.setdefault("timeout_ms", timeout_ms)
    (home / "provider.json").write_text(json.dumps(document), encoding="utf-8")
    return home


PROLOGUE = """
import json, os, pathlib, signal, subprocess, sys, time

with open("pids", "a") as marks:
    marks.write(f"{os.getpid()}\\n")

def read():
    data = sys.stdin.buffer.read()
    pathlib.Path("request.json").write_bytes(data)
    return data

def say(text, exit_code=0):
    sys.stdout.buffer.write(text.encode("utf-8") if isinstance(text, str) else text)
    sys.stdout.flush()
    os._exit(exit_code)

"""

NOTHING = '{"ok": true, "data": {"evict": []}}'
NEWEST = "facts/2026/11/2026-11-28-0001.md"
EVICT_NEWEST = json.dumps({"ok": True, "data": {"evict": [NEWEST]}})

BEHAVIOUR: dict[str, str] = {
    "evicts nothing": f"read(); say('{NOTHING}')",
    "stores the request": f"read(); say('{NOTHING}')",
    "stores the request, evicts nothing": f"read(); say('{NOTHING}')",
    "would evict the newest FACT": f"read(); say('{EVICT_NEWEST}')",
    "reads stdin, then sleeps 10 s": "read(); time.sleep(10)",
    "prints a valid answer and kills itself with SIGKILL": (
        f"read(); print('{NOTHING}', flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    ),
    '200,000 bytes on stderr, then {"ok": true, "data": {"evict": []}}': (
        f"read(); sys.stderr.write('e' * 200_000); sys.stderr.flush(); say('{NOTHING}')"
    ),
    '300,000 bytes on stderr, then {"ok": true, "data": {"evict": []}}': (
        f"read(); sys.stderr.write('e' * 300_000); sys.stderr.flush(); say('{NOTHING}')"
    ),
    'never reads stdin; prints {"ok": true, "data": {"evict": ["facts/2026/11/2026-11-28-0001.md"]}} and exits 0': (
        f"say('{EVICT_NEWEST}')"
    ),
    'never reads stdin; prints {"ok": true, "data": {"evict": []}} and exits 0': f"say('{NOTHING}')",
    "prints a valid answer, forks a child that keeps stdout open for 4 s, exits 0": (
        "read()\nchild = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(30)'])\n"
        f"open('pids', 'a').write(f'{{child.pid}}\\n')\nsay('{NOTHING}')"
    ),
    "ignores SIGTERM, prints a valid answer, lives 3 s": (
        f"signal.signal(signal.SIGTERM, signal.SIG_IGN); read(); print('{NOTHING}', flush=True); time.sleep(30)"
    ),
    "writes its cwd, argv and environment to a file": (
        "read()\nopen('seen.json', 'w').write(json.dumps("
        "{'cwd': os.getcwd(), 'argv': sys.argv[1:], 'env': dict(os.environ)}))\n"
        f"say('{NOTHING}')"
    ),
}


def script_of(provider: Any, stdout: str | None = None) -> str:
    """The script that behaves as a case says: by words, or by what it prints and its exit code."""
    if isinstance(provider, str):
        return BEHAVIOUR[provider]
    told = provider or {}
    text = stdout if stdout is not None else told.get("stdout", "")
    return f"read(); say({text!r}, {told.get('exit', 0)})"


def alive(home: Path) -> list[int]:
    """Processes that the provider started and that still run (a dead one that nobody has fetched yet is dead)."""
    pids = [int(line) for line in (home / "pids").read_text().split()] if (home / "pids").exists() else []
    return [pid for pid in pids if _runs(pid)]


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[-1].split()[0]
    except OSError:
        return False
    return state != "Z"
