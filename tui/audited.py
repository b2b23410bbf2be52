"""The text of a file that is to be audited, read once for the command and the screen."""

from __future__ import annotations

from pathlib import Path

from store.errors import BadInput, StorageFailure
from store.roots import absolute
from store.vault.front import BOM


def text_of(data: bytes) -> str:
    """Bytes from outside as text: what is no UTF-8 stands as a replacement character."""
    return data.decode("utf-8", "replace").removeprefix(BOM)


def named_text(name: str) -> tuple[str, str]:
    """The text of the file of that name, and its absolute path.

    Raises `BadInput` when there is no such file, `StorageFailure` when it cannot be read.
    """
    path = absolute(name)
    try:
        return text_of(Path(path).read_bytes()), str(path)
    except (FileNotFoundError, NotADirectoryError, ValueError):
        raise BadInput(f"There is no file {name!r}; name the text to audit, or - for what comes in on stdin.") from None
    except IsADirectoryError:
        raise BadInput(f"{name!r} is a folder; name one file with the text to audit.") from None
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise StorageFailure(f"{name!r} cannot be read: {reason}; copy its text somewhere readable.") from error
