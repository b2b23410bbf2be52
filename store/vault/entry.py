"""The entry codec: reading tolerantly, writing exactly, line by line and never as YAML (`spec/bank.md` §3, §25)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from store.access import path_owner
from store.errors import BadInput
from store.memory import DEFAULT_SCOPES, Memory, Scope, State
from store.vault.front import (
    BOM,
    ORDER,
    RANK,
    Front,
    decode,
    find_block,
    is_open,
    new_front,
    raw_values,
    split,
    with_body,
    with_values,
)
from store.vault.scalars import flatten, heal, mend, read_float, read_int, read_tags, same_words, unquote
from store.vault.values import COUNTERS, NOT_WRITTEN, check_key, line_value

DEFAULTS: dict[str, Any] = {"confidence": 1.0, "tags": (), "immutable": False, "weight": 1.0, "access_count": 0}
"""What a new entry says when nothing else is given (`spec/bank.md` §3.3)."""

PLAIN = (
    *("created", "updated", "owner", "last_accessed", "hit_days", "hit_queries"),
    *("label", "project", "evidence"),
)
"""Fields that are the words of their line."""


def parse(
    data: bytes, *, id: str, path: str, state: State = "live", ordinal: int = 0, trashed_at: str = "", sha: str = ""
) -> Memory:
    """A memory from the bytes of its file, with healed values (`spec/bank.md` §25.4).

    `body` has LF line ends and no newlines around it. Below `private/<owner>/` the path's owner and private scope
    apply (bank-D15). A text without front matter is a FACT with an empty statement (`decisions.md` §10.6).
    Raises `BadInput` for a file with zero bytes, and for a front matter over 64 KiB.
    """
    text = decode(data, "replace")
    block = find_block(text)
    owner = path_owner(path)
    here: dict[str, Any] = {"id": id, "path": path, "sha": sha or hashlib.sha256(data).hexdigest()}
    here |= {"state": state, "ordinal": ordinal, "trashed_at": trashed_at}
    if block is None:
        scope: Scope = "private" if owner else "public"
        body = _body(text.removeprefix(BOM))
        return Memory(**here, body=body, owner=owner, scope=scope, has_front_matter=False)
    body = _body(text[block[2] :])
    typed = _typed(_values(text[block[0] : block[1]]), body)
    if owner:
        typed |= {"owner": owner, "scope": "private"}
    return Memory(**here, **typed, body=body)


def render(fields: Mapping[str, Any]) -> bytes:
    """The bytes of a new entry (`spec/bank.md` §3.2, 25).

    `fields` are named as in `Memory`; `extra` holds pairs of further keys, and any other name is one too. Needs
    `type`, `subject`, `statement` and `created`; `updated` is `created` unless given; a value of None is left out.
    The body is the raw statement unless `body` is given. Raises `BadInput` for a value that cannot be written.
    """
    for needed in ("type", "subject", "statement", "created"):
        if not flatten(str(fields.get(needed) or "")):
            raise BadInput(f"A new memory needs a {needed}; give one.")
    scope = DEFAULT_SCOPES.get(fields["type"], "public")
    known = {**DEFAULTS, "updated": fields["created"], "scope": scope, **fields}
    further = _further(known)
    lines = {key: line_value(key, known[key]) for key in ORDER if key in known}
    lines.update({key: line_value(key, value) for key, value in further.items()})
    front = new_front(lines)
    body = known.get("body") or known["statement"]
    return with_body(front, mend(str(body))).text.encode("utf-8")


def edit(data: bytes, fields: Mapping[str, Any], *, updated: str = "") -> bytes:
    """The file after some fields changed: only their lines differ, and `updated` (`decisions.md` §8.4).

    A new statement also becomes the body where the body said the same as the old one. Line ends, byte-order mark,
    comments, order, unknown keys and the file's end stay. Values that the file has already touch nothing; when
    nothing changes, neither does `updated`. None removes a key. A text without front matter gets one when a field
    that is neither its body nor a counter is set. Raises `BadInput` for a value that cannot be written, and for a
    front matter that is never closed.
    """
    memory = parse(data, id="", path="")
    front = split(decode(data, "surrogateescape"))
    changes = _changes(memory, fields, frozenset(raw_values(front.lines or ())))
    body = _new_body(memory, fields)
    if front.lines is None:
        changes, front = _opened(front, changes, updated, body)
    if not changes and body is None:
        return data
    if updated and "updated" not in fields and front.lines is not None:
        changes["updated"] = line_value("updated", updated)
    if front.lines is not None:
        front = with_values(front, changes)
    if body is not None:
        front = with_body(front, body)
    if front.lines is None and find_block(front.text) is not None:
        raise BadInput("The text would be read as front matter; start it with something other than ---.")
    return front.text.encode("utf-8", "surrogateescape")


def _typed(values: Mapping[str, str], body: str) -> dict[str, Any]:
    """The typed reads of `spec/bank.md` §3.3."""
    get = values.get
    kind = get("type", "").upper() or "FACT"
    plain = {key: values[key] for key in PLAIN if key in values}
    return plain | {
        "type": kind,
        "subject": heal(get("subject", "")),
        "statement": _statement(get("statement", ""), body),
        "scope": _scope(get("scope", ""), kind),
        "tags": read_tags(get("tags", "")),
        "confidence": read_float(values["confidence"]) if get("confidence") else 1.0,
        "immutable": get("immutable") == "true",
        "source": heal(get("source", "")),
        "weight": _weight(get("weight", "")),
        "access_count": read_int(get("access_count", "")),
        "feedback_net": read_int(get("feedback_net", "")),
        "extra": tuple(pair for pair in values.items() if pair[0] not in RANK),
    }


def _values(block: str) -> dict[str, str]:
    """Values by key: split at the first colon, trimmed, one quote pair off, the last of a repeated key."""
    found: dict[str, str] = {}
    for line in block.split("\n"):
        key, colon, value = line.partition(":")
        if colon and (key := key.strip()):
            found[key] = unquote(value.strip())
    return found


def _body(text: str) -> str:
    return (text.replace("\r\n", "\n") if "\r" in text else text).strip("\n")


def _statement(value: str, body: str) -> str:
    """Healed when that makes it what the body says (`spec/bank.md` §25.4)."""
    healed = heal(value)
    return healed if healed is value or healed == value or same_words(healed, body) else value


def _scope(value: str, kind: str) -> Scope:
    """Public or private; a word that is neither reads as private, as the engine's read decision has it (§6.6)."""
    if not value:
        return DEFAULT_SCOPES.get(kind, "public")
    return "public" if value == "public" else "private"


def _weight(value: str) -> float:
    number = read_float(value) if value else None
    return number if number is not None and number > 0 else 1.0


def _further(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The keys that are none of ours, `extra` included. Raises `BadInput` for a name that cannot be a key."""
    named = {key: value for key, value in fields.items() if key not in RANK and key not in {"body", "extra"}}
    for key in named:
        if key in NOT_WRITTEN:
            raise BadInput(f"{key} is not a field of the file; leave it out.")
    further = {**_pairs(fields.get("extra")), **named}
    for key in further:
        check_key(key)
    return further


def _pairs(extra: Iterable[tuple[str, str]] | Mapping[str, str] | None) -> dict[str, str]:
    return dict(extra or ())


def _changes(memory: Memory, fields: Mapping[str, Any], keys: frozenset[str]) -> dict[str, str | None]:
    """Line values by key for the fields whose value is not what the file says; None for a key to remove."""
    present = dict(memory.extra)
    wanted = {key: value for key, value in fields.items() if key in RANK} | _further(fields)
    if "extra" in fields:
        wanted.update({key: None for key in present if key not in wanted})
    changes: dict[str, str | None] = {}
    for key, value in wanted.items():
        line = line_value(key, value)
        now = getattr(memory, key) if key in RANK else present.get(key, "")
        if key in keys if line is None else line != line_value(key, now, checked=False):
            changes[key] = line
    return changes


def _new_body(memory: Memory, fields: Mapping[str, Any]) -> str | None:
    """The body that the fields ask for, or None when it stays."""
    if "body" in fields:
        wanted = mend(str(fields["body"] or ""))
    else:
        statement = fields.get("statement")
        mirrors = bool(memory.body) and same_words(memory.body, memory.statement)
        if statement is None or not mirrors:
            return None
        wanted = mend(str(statement))
        if "\n" not in wanted.strip("\n") and flatten(wanted) == memory.statement:
            return None
    return wanted if _body(wanted) != memory.body else None


def _opened(
    front: Front, changes: dict[str, str | None], updated: str, body: str | None
) -> tuple[dict[str, str | None], Front]:
    """A front matter for a text that has none, when a change needs one; the text below stays as it is."""
    needed = any(value and key not in COUNTERS for key, value in changes.items())
    if (needed or body is not None) and is_open(front.head + front.body):
        raise BadInput("The front matter is never closed; add a line --- after it first.")
    if not needed:
        return {}, front
    start: dict[str, str | None] = {"type": "FACT"}
    if updated:
        start |= {"created": updated, "updated": updated}
    fence = f"---{front.newline}"
    return {**start, **changes}, replace(front, head=front.head + fence, lines=(), fence=fence)
