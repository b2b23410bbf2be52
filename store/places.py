"""Where things lie beside the memories: the user's own folders, each bank's ledger and caches (`decisions.md` §3)."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import platformdirs

APP = "memdesk"
LEDGER_NAME = ".memdesk"
NETWORK = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "fuse.sshfs", "davfs"})
"""File systems on which locks may not work (`storage.md` §5, "Locking")."""
SYNCED = (
    "Dropbox",
    "OneDrive",
    "Google Drive",
    "GoogleDrive",
    "iCloud Drive",
    "Mobile Documents",
    "Nextcloud",
    "pCloud",
)
"""Folder names that cloud clients give to what they synchronise."""


def bank_key(root: Path) -> str:
    """A bank's name in the user's folders: a hash of its real path, so that two ways to it are one."""
    return hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:24]


def config_home() -> Path:
    """The folder of the person's settings (`decisions.md` §3.7)."""
    return platformdirs.user_config_path(APP)


def state_home() -> Path:
    """The user's state folder of this program."""
    return platformdirs.user_state_path(APP)


def cache_home() -> Path:
    """The user's cache folder of this program."""
    return platformdirs.user_cache_path(APP)


def log_home() -> Path:
    """The folder of this program's log."""
    return platformdirs.user_log_path(APP)


def folders() -> dict[str, Path]:
    """Every folder that Memdesk uses outside banks, by purpose, for `doctor --paths`."""
    return {"config": config_home(), "state": state_home(), "cache": cache_home(), "log": log_home()}


def ledger_folder(root: Path, state_dir: Path | None = None) -> Path:
    """The folder of a bank's ledger; it need not be there yet.

    `.memdesk` in the bank, but the user's state folder when the bank lies on a network or synchronised folder or
    belongs to somebody else. A ledger that is there already stays where it is.
    """
    inside = root / LEDGER_NAME
    outside = (state_dir or state_home()) / "banks" / bank_key(root)
    if _made(inside):
        return inside
    if _made(outside) or not _suits(root):
        return outside
    return inside


def _made(ledger: Path) -> bool:
    """Whether a ledger that we may look into is there: somebody else's may be closed to us."""
    return os.path.exists(ledger / "CURRENT")  # noqa: PTH110 - Path.exists raises where it may not look


def cache_file(root: Path, cache_dir: Path | None = None) -> Path:
    """The file that keeps a bank's parsed memories between sessions; it may be deleted at any time."""
    return (cache_dir or cache_home()) / "banks" / bank_key(root) / "entries"


def _suits(root: Path) -> bool:
    """Whether a lock and a journal are safe in this folder."""
    real = Path(os.path.realpath(root))
    if any(part.startswith(SYNCED) for part in real.parts):
        return False
    if sys.platform != "win32" and os.geteuid() not in {0, real.stat().st_uid}:
        return False
    return _file_system(real) not in NETWORK


def _file_system(path: Path) -> str:
    """The type of the file system that a folder lies on; "" where the system does not tell."""
    try:
        lines = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return ""
    best, kind = "", ""
    for line in lines:
        _, mount, found, *_ = line.split(" ")
        mount = mount.replace("\\040", " ")
        if len(mount) >= len(best) and path.is_relative_to(mount):
            best, kind = mount, found
    return kind
