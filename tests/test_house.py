"""The house keeps its rules: who may write files, and where (`architecture.md`)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent
METHODS = frozenset(
    {
        *("write_text", "write_bytes", "mkdir", "touch", "unlink", "rename", "replace", "rmdir", "chmod"),
        *("symlink_to", "hardlink_to"),
    }
)
"""Methods of a `Path` that change what is on the disk; `replace` with one argument, for texts have one with two."""
SYSTEM = frozenset(
    {
        *("open", "mkdir", "makedirs", "remove", "unlink", "rename", "replace", "rmdir", "link", "symlink"),
        *("truncate", "chmod"),
    }
)
"""The same in `os`."""
LOOKS = frozenset({"which", "get_terminal_size", "disk_usage"})
"""What in `shutil` only looks."""


@pytest.mark.parametrize(
    ("line", "writes"),
    [
        ("Path('a').write_text('x')", True),
        ("path.open('rb')", False),
        ("path.open('ab')", True),
        ("path.open(mode='r+')", True),
        ("open(name, mode)", True),
        ("open(name)", False),
        ("os.open(name, flags)", True),
        ("shutil.rmtree(name)", True),
        ("shutil.which(name)", False),
        ("path.replace(other)", True),
        ("text.replace('a', 'b')", False),
        ("replace(memory, id='a')", False),
        ("app.open(bank)", False),
    ],
)
def test_a_line_that_writes_is_told_from_one_that_does_not(line: str, writes: bool) -> None:
    assert bool(list(_writing(ast.parse(line)))) is writes


def test_the_pipeline_writes_nothing_but_the_providers_own_audit_line_and_a_private_copy() -> None:
    """`litellm_worker` opens the pipe to its parent, `hook` the provider's log (`decisions.md` §5.6).

    A database that another program keeps open is read from a private copy.
    """
    copied = "pipeline/formats/database.py"
    assert _writers("pipeline") == {"pipeline/context/provider/exchange.py", "pipeline/litellm_worker.py", copied}


def test_the_screens_and_commands_write_no_file_of_a_bank() -> None:
    """What they write: a copy for the editor, the demo's folder, the log's folder, the recording of a model's answers
    that was asked for, the last count of what waits (in the user's cache folder, `decisions.md` §3.2), and nothing to
    a closed stream.
    """
    demo = {"tui/demo/agent_files.py", "tui/demo/build.py", "tui/demo/transcripts.py"}
    streams = {"tui/__main__.py", "tui/cli/main.py", "tui/cli/say.py"}
    cached = "tui/cli/counted.py"
    assert _writers("tui") <= {"tui/editor.py", "tui/log.py", "tui/recording.py", cached, *demo, *streams}


def _writers(room: str) -> set[str]:
    files = (HOUSE / room).rglob("*.py")
    parsed = ((file.relative_to(HOUSE).as_posix(), ast.parse(file.read_text(encoding="utf-8"))) for file in files)
    return {name for name, tree in parsed if any(_writing(tree))}


def _writing(tree: ast.AST) -> Iterator[ast.Call]:
    """The calls in a tree that change what is on the disk."""
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call) and _writes(node))


def _writes(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id == "open" and _opens_to_write(call, 1)
    if not isinstance(function, ast.Attribute):
        return False
    owner = function.value.id if isinstance(function.value, ast.Name) else ""
    if owner == "shutil":
        return function.attr not in LOOKS
    if owner == "os":
        return function.attr in SYSTEM or (function.attr == "fdopen" and _opens_to_write(call, 1))
    if function.attr == "open":
        return _opens_to_write(call, 0)
    return function.attr in METHODS and not (function.attr == "replace" and len(call.args) != 1)


def _opens_to_write(call: ast.Call, place: int) -> bool:
    """Whether the mode is one that writes, or (of the function `open`) only known when it runs."""
    given = [keyword.value for keyword in call.keywords if keyword.arg == "mode"] + call.args[place : place + 1]
    if not given:
        return False
    mode = given[0].value if isinstance(given[0], ast.Constant) else None
    if isinstance(mode, str):
        return bool(set(mode) & set("wax+"))
    return isinstance(call.func, ast.Name)
