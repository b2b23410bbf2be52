"""What the command and the screen of an audit share: the text of a file, and the words for what became of its lines."""

from __future__ import annotations

from pathlib import Path

from pipeline.context.audit.comparison import Status
from pipeline.context.audit.disagreement import Difference
from store.errors import BadInput, StorageFailure
from store.roots import absolute, default_root
from store.vault.front import BOM

WORDS: dict[Status, str] = {"missing": "lost", "uncertain": "uncertain", "landed": "landed"}
"""What a line's status is called."""


def text_of(data: bytes) -> str:
    """Bytes from outside as text: what is no UTF-8 stands as a replacement character."""
    return data.decode("utf-8", "replace").removeprefix(BOM)


def named_text(name: str, what: str = "the text to audit") -> tuple[str, str]:
    """The text of the file of that name, and its absolute path; `what` it should hold.

    Raises `BadInput` when there is no such file, `StorageFailure` when it cannot be read.
    """
    path = absolute(name)
    try:
        if path.is_char_device():  # as /dev/zero, which never ends
            raise BadInput(f"{name!r} is a device; name one file with {what}, or - for what comes in on stdin.")
        return text_of(Path(path).read_bytes()), str(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise BadInput(f"There is no file {name!r}; name {what}, or - for what comes in on stdin.") from None
    except IsADirectoryError:
        raise BadInput(f"{name!r} is a folder; name one file with {what}.") from None
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise StorageFailure(f"{name!r} cannot be read: {reason}; copy its text somewhere readable.") from error


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
