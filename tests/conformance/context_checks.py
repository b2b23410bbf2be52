"""What a context case claims, key by key. A key that nobody checks fails the case, so that none is passed over."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from pipeline.context.fate import Fate
from tests.conformance.context_world import Ran, alive, entry_files, section_files, section_lines

SPARE = 3.0
"""Seconds that a loaded machine may take on top of a limit."""
MEANS = {
    "command must be a list": "must be a list",
    "illegal argument": "illegal argument",
    "illegal character in command": "illegal character in the command",
    "illegal timeout": "illegal timeout",
    "unknown capability memory.hooks of provider typo": "unknown capability memory.hooks of provider typo",
    "exit code 3": "exit code 3",
    "exit code 1": "exit code 1",
    "not JSON": "not JSON",
    "not an object": "not an object",
    "ok missing": "no `ok`",
    "more than 500 candidates, whitelist not applied": "more than 500 candidates: the whitelist was not applied",
    "EPIPE": "EPIPE",
}
SAID = frozenset({"reason", "decision", "original", "original 0.19.0"})
"""Keys that explain a case, or say what the original did."""
DYNAMIC = ("2.5", "2.6", "3", "4")


def check(then: Mapping[str, Any], ran: Ran, variant: str = "") -> None:
    """Every claim of `then` about one run; a claim by variant is read for `variant`."""
    for key, wanted in then.items():
        if key in SAID:
            continue
        if key in {"each", "product", "product (0.20 rule)"}:
            check(wanted, ran, variant)
            continue
        claim = wanted[variant] if isinstance(wanted, dict) and variant in wanted else wanted
        CLAIMS[_family(key)](ran, key, claim)


def _family(key: str) -> str:
    if key.startswith("section_") and key != "section_1_has":
        return "section_*"
    if key.startswith("hook."):
        return "hook.*"
    return "entry" if key.endswith(" stays eligible") else "text" if key.startswith('text "') else key


def _hook(ran: Ran, key: str, wanted: Mapping[str, Any]) -> None:
    for name, value in wanted.items():
        _same(name, ran.block[name], value)


def _hook_field(ran: Ran, key: str, wanted: Any) -> None:
    if key == "hook.dropped_count":
        _same(key, len(ran.block["dropped"]), wanted)
    else:
        _same(key, ran.block[key.removeprefix("hook.")], wanted)


def _same(what: str, found: Any, wanted: Any) -> None:
    assert found == wanted, f"{what}: {found!r}, not {wanted!r}"


def _note(ran: Ran, key: str, wanted: str) -> None:
    assert MEANS[wanted].casefold() in ran.block["note"].casefold()


def _section(ran: Ran, key: str, wanted: list[str]) -> None:
    name = key.removeprefix("section_")
    if wanted and wanted[0].startswith("- "):
        _same(key, section_lines(ran.pack, name), wanted)
    else:
        _same(key, section_files(ran.pack, name), _spread(wanted))


def _spread(wanted: list[str]) -> list[str]:
    found = re.fullmatch(r"facts/t-(\d+)\.md … facts/t-(\d+)\.md", wanted[0]) if len(wanted) == 1 else None
    return [f"facts/t-{n:04}.md" for n in range(int(found[1]), int(found[2]) + 1)] if found else wanted


def _status_line(ran: Ran, key: str, wanted: bool) -> None:
    assert any(line.text.startswith("- 扩展装载（memory.hook）: ") for line in ran.pack.lines) is wanted


def _missing(ran: Ran, key: str, wanted: list[str]) -> None:
    assert [file for file in entry_files(ran.plain) if file not in entry_files(ran.pack)] == wanted


def _audit(ran: Ran, key: str, wanted: Mapping[str, Any]) -> None:
    assert len(ran.audit) == wanted.get("lines", 1)
    for name in set(wanted) - {"lines"}:
        _same(name, ran.audit[0][name], wanted[name])


def _audit_lines(ran: Ran, key: str, wanted: int) -> None:
    assert len(ran.audit) == wanted


def _seconds(ran: Ran, key: str, wanted: int) -> None:
    assert ran.seconds < wanted / 1000 + SPARE


def _payload(ran: Ran, key: str, wanted: Mapping[str, Any]) -> None:
    candidates = ran.payload["candidates"]
    found = {"truncated": ran.payload["truncated"], "candidates": len(candidates), "last": candidates[-1]["file"]}
    assert {name: found[name] for name in wanted} == wanted


def _never_candidates(ran: Ran, key: str, wanted: list[str]) -> None:
    assert not {candidate["file"] for candidate in ran.payload["candidates"]} & set(wanted)


def _gone(ran: Ran, key: str, wanted: list[str]) -> None:
    assert not {file for name in DYNAMIC for file in section_files(ran.pack, name)} & set(wanted)


def _absent_text(ran: Ran, key: str, wanted: list[str]) -> None:
    assert [word for word in wanted if word in ran.pack.text] == []


def _fates_of(ran: Ran, outcome: str) -> list[Fate]:
    return [fate for fate in ran.fates if fate.outcome == outcome]


def _moved_up(ran: Ran, key: str, wanted: list[str]) -> None:
    assert sorted(ran.fates.moved_up) == sorted(wanted)


def _hidden(ran: Ran, key: str, wanted: list[str]) -> None:
    assert ran.report["hidden"] == wanted
    assert sorted(fate.memory.path for fate in _fates_of(ran, "unlisted")) == sorted(wanted)


def _eligible(ran: Ran, key: str, wanted: bool) -> None:
    assert (ran.fates.of(key.removesuffix(" stays eligible")).outcome not in {"evicted", "unlisted"}) is wanted


def _text_anywhere(ran: Ran, key: str, wanted: bool) -> None:
    words = re.findall(r'text "(.+?)"', key)[0]
    assert (words in ran.pack.text) is wanted


def _request_text(ran: Ran, key: str, wanted: bool) -> None:
    assert ("private to rhea" in ran.hook.request) is wanted


def _kept_stderr(ran: Ran, key: str, wanted: int) -> None:
    assert 0 < len("\n".join(ran.hook.stderr).encode()) <= wanted


def _no_stderr(ran: Ran, key: str, wanted: bool) -> None:
    assert ("eeee" in ran.pack.text or "eeee" in str(ran.audit)) is wanted


CLAIMS: dict[str, Callable[[Ran, str, Any], None]] = {
    "hook": _hook,
    "hook.*": _hook_field,
    "note_means": _note,
    "section_*": _section,
    "text_has_status_line": _status_line,
    "trace_has_hook_line": lambda ran, key, wanted: _same(key, ran.pack.trace[0].startswith("[hook]"), wanted),
    "trace_has": lambda ran, key, wanted: _same(key, wanted in section_lines(ran.pack, "8"), True),
    "trace_first_line": lambda ran, key, wanted: _same(key, ran.pack.trace[0], wanted),
    "entries_missing": _missing,
    "pack_complete": lambda ran, key, wanted: _same(key, entry_files(ran.plain) == entry_files(ran.pack), wanted),
    "pack_entries_same_as_without_provider": lambda ran, key, wanted: _same(
        key, entry_files(ran.plain) == entry_files(ran.pack), wanted
    ),
    "included": lambda ran, key, wanted: _same(key, [f for f in wanted if f not in entry_files(ran.pack)], []),
    "absent_from_2.5_2.6_3_4": _gone,
    "absent": _absent_text,
    "audit": _audit,
    "audit_lines": _audit_lines,
    "audit.bytes_out": lambda ran, key, wanted: _same(key, ran.audit[0]["bytes_out"], wanted),
    "audit_file_exists": lambda ran, key, wanted: _same(key, (ran.home / "provider-audit.jsonl").exists(), wanted),
    "process_started": lambda ran, key, wanted: _same(key, ran.started, wanted),
    "second_started": lambda ran, key, wanted: _same(key, (ran.home / "second-started").exists(), wanted),
    "returns_within_ms": _seconds,
    "child_alive_afterwards": lambda ran, key, wanted: _same(key, bool(alive(ran.home)), wanted),
    "payload": _payload,
    "payload_candidates": lambda ran, key, wanted: _same(key, len(ran.payload["candidates"]), wanted),
    "candidates_never_contain": _never_candidates,
    'statement "private to rhea" anywhere in the request': _request_text,
    "moved_up": _moved_up,
    "product_hidden_list": _hidden,
    "entry": _eligible,
    "text": _text_anywhere,
    "stderr_kept_at_most_bytes": _kept_stderr,
    "stderr_in_text_or_audit": _no_stderr,
    "invalid_elements_shown": lambda ran, key, wanted: _same(key, len(ran.hook.invalid), wanted),
    "candidate": lambda ran, key, wanted: _same(
        key, any("prefs" in candidate["file"] for candidate in ran.payload["candidates"]), wanted
    ),
    "section_1_has": lambda ran, key, wanted: _same(key, wanted in section_lines(ran.pack, "1"), True),
    # A pack that is made is exit code 0; only `check` refuses one (`spec/context.md` §1).
    "exit_code": lambda ran, key, wanted: _same(key, 0 if ran.pack.text else 1, wanted),
}
