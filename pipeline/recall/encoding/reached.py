"""Whether the server of a model on this machine listens: known at once, without litellm, which takes long to start."""

from __future__ import annotations

import os
import socket
from urllib.parse import SplitResult, urlsplit

OLLAMA, OLLAMA_BASE = "ollama", "http://localhost:11434"
"""The provider whose own server is on this machine, and where litellm looks for it unless `OLLAMA_API_BASE` says."""
HERE = frozenset({"localhost", "127.0.0.1", "::1"})
"""Only these are tried: a proxy may stand before any other server."""
SECONDS = 1.0
PORTS = {"http": 80, "https": 443}
GONE = "The server of {model}{at} cannot be reached; check that it runs."


def unreached(model: str, api_base: str | None) -> str:
    """Why a model's server cannot be asked, as a sentence; "" when it listens, or when only asking it can tell."""
    base = api_base or _own(model)
    if not base or not _refused(base):
        return ""
    return GONE.format(model=model, at=f" at {api_base}" if api_base else "")


def _own(model: str) -> str:
    if model.partition("/")[0] != OLLAMA:
        return ""
    return os.environ.get("OLLAMA_API_BASE") or OLLAMA_BASE


def _refused(base: str) -> bool:
    try:
        parts = urlsplit(base)
        host, port = parts.hostname, _port(parts)
    except ValueError:
        return False
    if host not in HERE or not port:
        return False
    try:
        socket.create_connection((host, port), SECONDS).close()
    except TimeoutError:
        return False
    except OSError:
        return True
    return False


def _port(parts: SplitResult) -> int:
    return parts.port or PORTS.get(parts.scheme, 0)
