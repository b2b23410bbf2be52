"""What a provider's process said: its status, and what its names do (`spec/context.md` §20, §21)."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pipeline.context.provider.process import STDOUT_CAP, Run

Status = Literal[
    "not_installed",
    "not_requested",
    "active",
    "license_required",
    "timeout",
    "invalid_output",
    "error",
    "cancelled",
]
Cause = Literal["protected", "evicted", "beyond_500", "left_out", "path_variant", "unicode_variant", "unknown"]

CAUSES: dict[str, str] = {
    "protected": "a protected memory is never sent",
    "evicted": "the hook has taken it out already",
    "beyond_500": "not sent, because at most 500 are",
    "left_out": "left out by the year or the project asked for",
    "path_variant": "a path is compared exactly, and this is another spelling of one",
    "unicode_variant": "a path is compared exactly, and this is another Unicode form of one",
    "unknown": "no such memory",
}
"""Why a name of an answer was not accepted, in words (`spec/context.md`, part G)."""

JS_SPACE = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
"""What the original trims from both ends of an answer: white space and a byte order mark."""
LONGEST_INTEGER = 300
SHOWN_ELEMENT = 120


@dataclass(frozen=True, slots=True)
class Answer:
    """A process's outcome: `data` is the document's `data` when the status is active."""

    status: Status
    note: str = ""
    data: Any = None
    bytes_out: int = 0


@dataclass(frozen=True, slots=True)
class Dropped:
    """A name of the answer that takes nothing out, and why."""

    name: str
    cause: Cause


@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer comes to, whatever was asked: whether it does anything, and what of it had no effect.

    `invalid` are list elements that are no text, as they stood (ctx-D09); `ignored` says in sentences what of the
    answer had no effect.
    """

    dropped: tuple[Dropped, ...] = ()
    invalid: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    applied: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class HookVerdict(Verdict):
    """An applied answer of the hook. `evicted` is the explicit list; `hidden` what a whitelist leaves out (ctx-D02)."""

    evicted: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


def clean(text: str) -> str:
    """Text with lone surrogates, which JSON can spell but no output can carry, replaced by U+FFFD."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def classify(run: Run) -> Answer:
    """The status of a finished run, by the first row of `spec/context.md` §20 that fits."""
    if run.end == "not_started":
        return Answer("error", f"The provider could not be started ({run.reason}).")
    if run.end == "cancelled":
        return Answer("cancelled", "The question was taken back.")
    if run.end == "timeout":
        return Answer("timeout", "The provider timed out.")
    if run.end == "too_much":
        return Answer("error", f"The provider failed: its answer is longer than {STDOUT_CAP:,} bytes.")
    if run.code < 0:
        return Answer("error", f"The provider was ended by signal {-run.code}.")
    if run.code:
        return Answer("error", f"The provider ended with exit code {run.code}.")
    return _read(run.stdout.decode("utf-8", "replace"))


def _read(text: str) -> Answer:
    try:
        document = parse(text.strip(JS_SPACE) or "{}")
    except (ValueError, RecursionError):
        return Answer("invalid_output", "The provider's answer is not JSON.")
    if not isinstance(document, dict):
        return Answer("invalid_output", "The provider's answer is not an object.")
    ok = document.get("ok")
    if ok is False:
        return _refusal(document)
    if ok is not True:
        return Answer("invalid_output", "The provider's answer has no `ok` that is true or false.")
    return Answer("active", data=document.get("data"), bytes_out=len(text.encode()))


def parse(text: str) -> Any:
    """Strict JSON: NaN and Infinity are refused, the last of two equal keys wins. Raises `ValueError`."""
    return json.loads(text, parse_constant=_refuse, parse_int=_integer)


def _refuse(name: str) -> float:
    raise ValueError(name)


def _integer(digits: str) -> int | float:
    return int(digits) if len(digits) < LONGEST_INTEGER else float(digits)


def _refusal(document: Mapping[str, Any]) -> Answer:
    code, message = document.get("code"), document.get("message")
    note = message if isinstance(message, str) else code if isinstance(code, str) else "provider_error"
    return Answer("license_required" if code == "license_required" else "error", clean(note))


def apply(
    data: Any, sent: Sequence[str], truncated: bool, cause_of: Callable[[str], Cause] = lambda name: "unknown"
) -> HookVerdict:
    """What an active answer takes out of the candidates whose files were `sent` (`spec/context.md` §21).

    `cause_of` explains a name that was not sent. Names are compared exactly.
    """
    if not isinstance(data, dict):
        said = () if data is None else ("`data` is not an object, so nothing was applied.",)
        return HookVerdict(ignored=said)
    files = dict.fromkeys(sent)
    evict, foreign, invalid, ignored = names(data, "evict", files)
    chosen, strange, odd, unused, note = _whitelist(data, files, truncated)
    hidden = () if chosen is None else tuple(file for file in files if file not in chosen and file not in evict)
    return HookVerdict(
        evicted=tuple(evict),
        hidden=hidden,
        dropped=tuple(Dropped(clean(name), cause_of(name)) for name in (*foreign, *strange)),
        invalid=(*invalid, *odd),
        ignored=(*ignored, *unused),
        applied=bool(evict) or chosen is not None,
        note=note,
    )


Names = tuple[dict[str, None], list[str], list[str], list[str]]


def names(data: Mapping[str, Any], key: str, files: Mapping[str, None]) -> Names:
    """The names of a list: those that were sent (once each), foreign ones (each time), elements that are no text."""
    listed = data.get(key)
    known: dict[str, None] = {}
    if not isinstance(listed, list):
        return known, [], [], [] if listed is None else [f"`{key}` is not a list, so it was ignored."]
    foreign: list[str] = []
    invalid: list[str] = []
    for name in listed:
        if not isinstance(name, str):
            if not _silent(name):
                invalid.append(_as_text(name))
        elif name in files:
            known[name] = None
        elif name:
            foreign.append(name)
    return known, foreign, invalid, []


def _as_text(value: Any) -> str:
    try:
        return clean(json.dumps(value, ensure_ascii=False))[:SHOWN_ELEMENT]
    except (RecursionError, ValueError):  # nested deeper than can be written, or a number too long to be
        return f"<{type(value).__name__}>"


def _silent(value: Any) -> bool:
    """null, 0 and false are passed over without a word; lists and objects are not."""
    return value is None or (isinstance(value, bool | int | float) and not value)


def _whitelist(
    data: Mapping[str, Any], files: Mapping[str, None], truncated: bool
) -> tuple[dict[str, None] | None, list[str], list[str], list[str], str]:
    if not isinstance(data.get("selected"), list):
        *_, ignored = names(data, "selected", files)
        return None, [], [], ignored, ""
    if truncated:
        note = "There are more than 500 candidates: the whitelist was not applied, for safety."
        return None, [], [], ["`selected` was ignored: not every candidate was sent."], note
    if data.get("complete") is not True:
        return None, [], [], ["`selected` was ignored: `complete` is not true."], ""
    known, foreign, invalid, _ = names(data, "selected", files)
    return known, foreign, invalid, [], ""


def variant_of(name: str, files: Sequence[str]) -> Cause:
    """Whether a name that matches nothing is another spelling or another Unicode form of one of `files`."""
    forms = {unicodedata.normalize("NFC", file) for file in files}
    if unicodedata.normalize("NFC", name) in forms:
        return "unicode_variant"
    loose = {spelling for form in forms for spelling in (form.casefold(), form.casefold().rsplit("/", 1)[-1])}
    return "path_variant" if _loose(name) in loose else "unknown"


def _loose(name: str) -> str:
    plain = unicodedata.normalize("NFC", name).strip().replace("\\", "/")
    parts = [part for part in plain.split("/") if part not in {"", "."}]
    return "/".join(parts).casefold()
