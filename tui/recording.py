"""The file that a model's answers are recorded in: new, and for its owner alone, since it holds a person's words."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from store.errors import BadInput, StorageFailure


def recorder(path: Path) -> Callable[[str], None]:
    """What puts a line into a new file; raises `BadInput` when there is one of that name, `StorageFailure` else."""
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError as fault:
        raise BadInput(f"{path} exists already; give a new name to record under.") from fault
    except OSError as fault:
        raise StorageFailure(f"{path} cannot be written: {fault.strerror}.") from fault

    def keep(line: str) -> None:
        with path.open("a", encoding="ascii") as file:
            file.write(line + "\n")

    return keep
