"""Two renames that the standard library lacks: swapping two names, and moving without overwriting (`storage.md` §6)."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from functools import cache

AT_FDCWD = -100
LINUX_NO_REPLACE, LINUX_EXCHANGE = 1, 2
MAC_SWAP, MAC_EXCLUSIVE = 2, 4
UNSUPPORTED = {errno.ENOSYS, errno.EINVAL, errno.EOPNOTSUPP, errno.ENOTSUP}


@cache
def _rename_flags() -> Callable[[bytes, bytes, int], int] | None:
    """The system's rename with flags, or None where there is none."""
    if sys.platform not in {"linux", "darwin"}:
        return None
    library = ctypes.CDLL(None, use_errno=True)
    name = "renameat2" if sys.platform == "linux" else "renamex_np"
    call = getattr(library, name, None)
    if call is None:
        return None
    if sys.platform == "darwin":
        call.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_uint]
        return lambda first, second, flags: int(call(first, second, flags))
    call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    return lambda first, second, flags: int(call(AT_FDCWD, first, AT_FDCWD, second, flags))


def _renamed(first: str, second: str, linux: int, mac: int) -> bool:
    """Whether the system did it; False when it cannot do such a thing here. Raises `OSError` for any other fault."""
    call = _rename_flags()
    if call is None:
        return False
    flags = linux if sys.platform == "linux" else mac
    if call(os.fsencode(first), os.fsencode(second), flags) == 0:
        return True
    number = ctypes.get_errno()
    if number in UNSUPPORTED:
        return False
    raise OSError(number, os.strerror(number), second)


def swap(first: str, second: str) -> bool:
    """Swap what two names stand for, in one step; False when this file system cannot."""
    return _renamed(first, second, LINUX_EXCHANGE, MAC_SWAP)


def rename_new(source: str, target: str) -> bool:
    """Rename unless `target` exists, in one step (`FileExistsError`); False when this file system cannot."""
    return _renamed(source, target, LINUX_NO_REPLACE, MAC_EXCLUSIVE)
