"""Providers that misbehave: the program of each, the status in which it ends, and what it takes out (§20, §21)."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path

SHORT, PATIENT = 120, 5000
"""Time limits in ms: of programs that never end by themselves, and of those that do."""
NEW, OLD, RULE = "facts/new.md", "facts/café.md", "bounds/rule.md"
"""The files of the bank that every program is asked about."""
SECRET = "the vault opens at 04:12"
"""What one of its memories says, and nothing else may."""

GOOD = json.dumps({"ok": True, "data": {"evict": [NEW]}})
FORK = "import subprocess; child = lambda **how: subprocess.Popen([sys.executable, '-IS', '-c', {code!r}], **how)\n"
SLEEPER = FORK.format(code="import time; time.sleep(60)")
DEAF = FORK.format(
    code="import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (1, 2, 3, 15)]; time.sleep(60)"
)
QUIET = "null = subprocess.DEVNULL\n"
DAEMON = "if os.fork(): {parent}\nos.setsid()\nif os.fork(): os._exit(0)\n{child}"


@dataclass(frozen=True, slots=True)
class Animal:
    """A program (Python, behind `PROLOGUE`), how it ends, and what of the bank it takes out."""

    script: str
    status: str
    out: tuple[str, ...] = ()
    note: str = ""
    limit: int = PATIENT


PROLOGUE = """\
import json, os, signal, sys, time
def read(): return sys.stdin.buffer.read()
def say(what):
    data = what if isinstance(what, bytes) else what.encode()
    while data: data = data[os.write(1, data):]
def forever():
    while True: time.sleep(60)
"""


def says(text: str, status: str = "invalid_output", *, out: tuple[str, ...] = (), note: str = "") -> Animal:
    """A program that reads everything, prints a text, and ends."""
    return Animal(f"read(); say({text!r})", status, out, note)


def answers(data: object, *, out: tuple[str, ...] = (), **rest: object) -> Animal:
    """A program that says ok with this data."""
    return says(json.dumps({"ok": True, "data": data, **rest}), "active", out=out)


def stuck(script: str) -> Animal:
    """A program that has to be ended."""
    return Animal(script, "timeout", note="The provider timed out.", limit=SHORT)


ZOO: dict[str, Animal] = {
    # --- never ends
    "is slow": stuck("read(); time.sleep(60); say('{}')"),
    "is silent": stuck("read(); forever()"),
    "never reads and never ends": stuck("forever()"),
    "closes stdin and lives on": stuck("os.close(0); forever()"),
    "closes stdout before it answers": stuck("read(); os.close(1); forever()"),
    "closes all pipes and lives on": stuck("[os.close(n) for n in (0, 1, 2)]; forever()"),
    "sleeps after a good answer": stuck(f"read(); say({GOOD!r}); forever()"),
    "answers a byte at a time": stuck("while True: say(b' '); time.sleep(0.005)"),
    "floods stderr for ever": stuck("while True: os.write(2, b'x' * 4096)"),
    "spins": stuck("while True: pass"),
    "ignores SIGTERM": stuck(f"signal.signal(signal.SIGTERM, signal.SIG_IGN); say({GOOD!r}); forever()"),
    "catches every signal": stuck(
        "for n in set(signal.valid_signals()) - {9, 19}:\n"
        "    try: signal.signal(n, lambda *a: None)\n"
        "    except OSError: pass\n"
        "forever()"
    ),
    "stops itself": stuck("os.kill(os.getpid(), signal.SIGSTOP)"),
    "waits for its child": stuck(f"{SLEEPER}child().wait()"),
    "forks a child that holds the pipes": stuck(f"{SLEEPER}read(); child(); say({GOOD!r})"),
    "forks a child that ignores signals": stuck(f"{DEAF}read(); child(); say({GOOD!r})"),
    "forks a child in a group of its own": stuck(f"{SLEEPER}child(process_group=0); say({GOOD!r}); forever()"),
    "forks the leader of a session": stuck(f"{SLEEPER}child(start_new_session=True); say({GOOD!r})"),
    "forks a quiet leader of a session and waits": stuck(
        f"{SLEEPER}{QUIET}child(stdin=null, stdout=null, stderr=null, start_new_session=True); forever()"
    ),
    "daemonises with the pipes in hand": stuck(DAEMON.format(parent=f"say({GOOD!r}); os._exit(0)", child="forever()")),
    "has great-grandchildren": stuck("for _ in range(3):\n    if os.fork(): forever()\n    os.setsid()\nforever()"),
    "becomes another program": stuck("os.execv('/bin/sleep', ['sleep', '60'])"),
    # --- dies
    "dies by a signal after a good answer": Animal(
        f"say({GOOD!r}); os.kill(os.getpid(), signal.SIGKILL)", "error", note="The provider was ended by signal 9."
    ),
    "aborts": Animal("os.kill(os.getpid(), signal.SIGABRT)", "error", note="The provider was ended by signal 6."),
    "fails after a good answer": Animal(
        f"read(); say({GOOD!r}); os._exit(3)", "error", note="The provider ended with exit code 3."
    ),
    "raises": Animal("raise SystemError(read().decode())", "error", note="The provider ended with exit code 1."),
    "is no program": Animal("", "error", note="The provider could not be started (ENOENT)."),
    # --- reads or writes too little or too much
    "never reads": Animal(f"say({GOOD!r})", "active", (NEW,)),
    "closes stdin and answers": Animal(f"os.close(0); say({GOOD!r})", "active", (NEW,)),
    "closes stdout and ends": Animal(f"read(); say({GOOD!r}); os.close(1)", "active", (NEW,)),
    "says nothing": says(""),
    "floods stdout": Animal(
        "while True: say(b'x' * 65536)", "error", note="The provider failed: its answer is longer than 262,144 bytes."
    ),
    "floods stderr before it answers": Animal(f"os.write(2, b'x' * 60_000); say({GOOD!r})", "active", (NEW,)),
    "leaves a child with stderr": Animal(
        f"{SLEEPER}{QUIET}read(); child(stdin=null, stdout=null); say({GOOD!r})", "active", (NEW,)
    ),
    "says it all in one letter a time": Animal(f"read(); [say(c) for c in {GOOD!r}]", "active", (NEW,)),
    # --- no JSON
    "says half of it": says(GOOD[:-3]),
    "says it twice": says(GOOD + "\n" + GOOD),
    "talks around it": says(f"Here you are: {GOOD}"),
    "ends in NUL": says(GOOD + "\0"),
    "is NUL": says("\0"),
    "nests deeply": says('{"ok": true, "data": {"evict": ' + "[" * 100_000 + "]" * 100_000 + "}}"),
    "says NaN": says('{"ok": true, "data": {"evict": [NaN]}}'),
    "says a list": says(f"[{GOOD}]"),
    "says a string": says(json.dumps(GOOD)),
    "says a number": says("1"),
    "says null": says("null"),
    "says ok in words": says('{"ok": "true", "data": {}}'),
    "says ok as a number": says('{"ok": 1}'),
    "does not say ok": says(f'{{"data": {{"evict": ["{NEW}"]}}}}'),
    "has no licence": says(
        '{"ok": false, "code": "license_required", "message": "pay"}', "license_required", note="pay"
    ),
    "fails politely": says('{"ok": false, "code": "busy"}', "error", note="busy"),
    # --- JSON, and odd
    "begins with a BOM": says("\ufeff" + GOOD, "active", out=(NEW,)),
    "is padded": says(f" \n\t{GOOD}\u00a0\n", "active", out=(NEW,)),
    "is not UTF-8": Animal(
        'read(); say(b\'{"ok": true, "data": {"evict": ["facts/\\xff.md", "facts/new.md"]}}\')', "active", (NEW,)
    ),
    "says huge numbers": says(
        f'{{"ok": true, "data": {{"evict": ["{NEW}", {"9" * 5000}, 1e999]}}}}', "active", out=(NEW,)
    ),
    "says a key twice": says(f'{{"ok": false, "ok": true, "data": {{"evict": ["{NEW}"]}}}}', "active", out=(NEW,)),
    "has no data": answers(None),
    "has a list of data": answers([NEW]),
    "evicts a text": answers({"evict": NEW}),
    "evicts what it may not": answers({"evict": [RULE, "private/rhea/prefs/x.md", "../../etc/passwd"]}),
    "evicts other spellings": answers({"evict": ["./" + NEW, "FACTS/new.md", f" {NEW}", "facts\\new.md", "new.md"]}),
    "evicts another Unicode form": answers({"evict": ["facts/cafe\u0301.md"]}),
    "evicts no texts": answers({"evict": [None, 0, 1, True, {}, [NEW], {"file": NEW}]}),
    "evicts a lone surrogate": answers({"evict": ["\ud800", NEW]}, out=(NEW,)),
    "evicts twice": answers({"evict": [NEW, NEW]}, out=(NEW,)),
    "evicts ten thousand": answers({"evict": [f"facts/{n}.md" for n in range(10_000)] + [NEW]}, out=(NEW,)),
    "selects nothing": answers({"selected": [], "complete": True}, out=(NEW, OLD)),
    "selects without complete": answers({"selected": []}),
    # --- writes where it may
    "writes files in its folder": Animal(
        f"open('notes.txt', 'w').write('mine'); read(); say({GOOD!r})", "active", (NEW,)
    ),
    "changes its own configuration": Animal(f"open('provider.json', 'w').write('[]'); say({GOOD!r})", "active", (NEW,)),
    "takes the audit file away": Animal(
        f"read(); os.symlink('/dev/full', 'provider-audit.jsonl'); say({GOOD!r})", "active", (NEW,)
    ),
    "removes its own folder": Animal(
        f"import shutil; read(); shutil.rmtree(os.getcwd()); say({GOOD!r})", "active", (NEW,)
    ),
}
"""By what each does."""


def cage(home: Path, animal: Animal, capability: str = "memory.hook") -> Path:
    """A provider home with the program in it."""
    home.mkdir()
    (home / "p.py").write_text(PROLOGUE + animal.script, encoding="utf-8")
    command = [sys.executable, "-IS", "p.py"] if animal.script else ["./missing"]
    entry = {"id": "zoo", "capabilities": [capability], "command": command, "timeout_ms": animal.limit}
    (home / "provider.json").write_text(json.dumps({"schema": 1, "providers": [entry]}), encoding="utf-8")
    return home
