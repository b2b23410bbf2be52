"""What the command and the screen of an audit share: the text of a file, and the words for what became of its lines."""

from __future__ import annotations

import stat
from pathlib import Path

from pipeline.context.audit.comparison import Status
from pipeline.context.audit.disagreement import Difference
from store.errors import BadInput, StorageFailure
from store.roots import absolute, default_root
from store.vault.front import BOM

WORDS: dict[Status, str] = {"missing": "lost", "uncertain": "uncertain", "landed": "landed"}
"""What a line's status is called."""
OR_STDIN = ", or - for what comes in on stdin"
"""What a command says beside the file that it asks for."""


def text_of(data: bytes) -> str:
    """Bytes from outside as text: what is no UTF-8 stands as a replacement character."""
    return data.decode("utf-8", "replace").removeprefix(BOM)


def named_text(name: str, what: str = "the text to audit") -> tuple[str, str]:
    """The text of the file of that name, and its absolute path; `what` it should hold.

    Raises `BadInput` when there is no such file, `StorageFailure` when it cannot be read.
    """
    path = named_file(name, what)
    try:
        return text_of(path.read_bytes()), str(path)
    except OSError as error:
        raise _unreadable(name, error) from error


def named_file(name: str, what: str = "the text to audit") -> Path:
    """The absolute path of a file that can be read to its end: a pipe or a device might never come to one.

    Nothing is opened. Raises `BadInput` for what is no file, `StorageFailure` where nobody may look.
    """
    path = absolute(name)
    try:
        mode = path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise BadInput(f"There is no file {name!r}; name {what}.") from None
    except OSError as error:
        raise _unreadable(name, error) from error
    if stat.S_ISDIR(mode):
        raise BadInput(f"{name!r} is a folder; name one file with {what}.")
    if not stat.S_ISREG(mode):
        kind = "a pipe" if stat.S_ISFIFO(mode) else "a socket" if stat.S_ISSOCK(mode) else "a device"
        raise BadInput(f"{name!r} is {kind}; name one file with {what}.")
    return path


def _unreadable(name: str, error: OSError) -> StorageFailure:
    reason = (error.strerror or "unknown reason").lower()
    return StorageFailure(f"{name!r} cannot be read: {reason}; copy its text somewhere readable.")


def same_bank(agent: str, bank: Path) -> list[str]:
    """The options that make a suggested command act for this agent on this bank, wherever it is called."""
    usual = default_root(None).path == bank
    return ["--as", agent, *([] if usual else ["--bank", str(bank)])]


def difference_words(one: Difference) -> str:
    """What a line and the memory do not agree on, in words."""
    if one.kind == "negation":
        return "a negation differs"
    if one.kind == "opposite":
        return f"the opposite: {one.here}, not {one.there}"
    return f"another number: {one.here}, not {one.there}" if one.there else f"a number that is not there: {one.here}"
