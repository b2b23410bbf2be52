"""What is made of an answer: whatever the bytes, a status; whatever the names, only what was sent can go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.context.provider.answer import apply, classify, variant_of
from pipeline.context.provider.configuration import read_configuration
from pipeline.context.provider.hook import ask, is_stale
from pipeline.context.provider.process import Run
from pipeline.context.request import Request
from store.memory import Memory
from store.view import View
from tests.conformance.context_world import script_of, write_home
from tests.pipeline.context.worlds import NOW

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NAMES = st.sampled_from(("a.md", "b.md", "c.md", "x.md", "", "A.md", "./a.md"))
STATUSES = {"active", "license_required", "invalid_output", "error"}


@given(st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_fuzz_any_bytes_have_a_status(stdout: bytes) -> None:
    answer = classify(Run("ended", stdout=stdout))
    assert answer.status in STATUSES
    assert (answer.status == "active") == (answer.note == "")


@given(
    st.dictionaries(st.sampled_from(("evict", "selected", "complete", "other")), JSON | st.lists(NAMES | JSON)),
    st.booleans(),
)
def test_fuzz_only_what_was_sent_can_be_taken_out(data: dict[str, object], truncated: bool) -> None:
    sent = ("a.md", "b.md", "c.md")
    verdict = apply(data, sent, truncated)
    assert set(verdict.evicted) | set(verdict.hidden) <= set(sent)
    assert len(set(verdict.evicted)) == len(verdict.evicted)
    assert not set(verdict.evicted) & set(verdict.hidden)
    assert not {dropped.name for dropped in verdict.dropped} & set(sent)
    assert verdict.applied or not (verdict.evicted or verdict.hidden)
    assert not (truncated and verdict.hidden)
    json.dumps([dropped.name for dropped in verdict.dropped]).encode()


@given(st.lists(NAMES), st.lists(NAMES))
def test_property_a_whitelist_and_evictions_leave_what_is_in_one_and_not_in_the_other(
    selected: list[str], evict: list[str]
) -> None:
    sent = ("a.md", "b.md", "c.md")
    verdict = apply({"selected": selected, "evict": evict, "complete": True}, sent, False)
    left = set(sent) - set(verdict.evicted) - set(verdict.hidden)
    assert left == (set(sent) & set(selected)) - set(evict)
    assert verdict.applied


@pytest.mark.parametrize(
    ("stdout", "status"),
    [
        (b'\xef\xbb\xbf {"ok": true} \xef\xbb\xbf\n', "active"),
        (b'\xe3\x80\x80{"ok": true}\xc2\xa0', "active"),
        (b'{"ok": true, "n": NaN}', "invalid_output"),
        (b'{"ok": true, "n": -Infinity}', "invalid_output"),
        (b'{"ok": false, "ok": true}', "active"),
        (b'{"ok": true, "x": "\xff\xfe"}', "active"),
        (b'{"ok": true, "n": ' + b"9" * 5000 + b"}", "active"),
        (b"[" * 200_000, "invalid_output"),
    ],
)
def test_what_counts_as_json(stdout: bytes, status: str) -> None:
    assert classify(Run("ended", stdout=stdout)).status == status


def test_bytes_out_are_those_of_the_decoded_answer() -> None:
    assert classify(Run("ended", stdout=b'{"ok": true, "x": "\xff"}\n')).bytes_out == len(
        '{"ok": true, "x": "�"}\n'.encode()
    )


def test_deeply_nested_elements_are_shown_as_invalid() -> None:
    nested: object = "a.md"
    for _ in range(100_000):
        nested = [nested]
    verdict = apply({"evict": [nested, ["a.md"]]}, ("a.md",), False)
    assert verdict.invalid == ("<list>", '["a.md"]')
    assert not verdict.applied


def test_lone_surrogates_of_an_answer_do_not_reach_the_screen() -> None:
    answer = classify(Run("ended", stdout=b'{"ok": false, "message": "bad \\ud800 half"}'))
    assert answer.note == "bad � half"
    verdict = apply(json.loads('{"evict": ["\\udc00.md"]}'), ("a.md",), False)
    assert [dropped.name for dropped in verdict.dropped] == ["�.md"]


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("./facts/a.md", "path_variant"),
        (" facts\\a.md\n", "path_variant"),
        ("a.md", "path_variant"),
        ("FACTS/A.MD", "path_variant"),
        ("facts/cafe\u0301.md", "unicode_variant"),
        ("facts/b.md", "unknown"),
    ],
)
def test_a_name_that_matches_nothing_is_explained(name: str, cause: str) -> None:
    assert variant_of(name, ("facts/a.md", "facts/café.md")) == cause


def _memory(path: str, kind: str = "FACT", created: str = "2026-11-01", owner: str = "") -> Memory:
    return Memory(
        id=path, path=path, sha="", type=kind, created=created, scope="private" if owner else "public", owner=owner
    )


def test_each_refused_name_has_its_cause(tmp_path: Path) -> None:
    view = View.of(
        [
            *(_memory(f"facts/{n:03}.md", created="2026-11-02") for n in range(500)),
            _memory("facts/last.md"),
            _memory("facts/old.md", created="2019-01-01"),
            _memory("private/nova/bounds/b.md", "BOUND", owner="nova"),
            _memory("private/rhea/prefs/p.md", "PREF", owner="rhea"),
        ]
    )
    names = ["facts/last.md", "facts/old.md", "private/nova/bounds/b.md", "private/rhea/prefs/p.md", "/facts/001.md"]
    answer = json.dumps({"ok": True, "data": {"evict": names, "selected": "all"}})
    configured = {
        "schema": 1,
        "providers": [{"id": "hp", "capabilities": ["memory.hook"], "command": ["<python>", "<provider>"]}],
    }
    home = write_home(tmp_path, configured, script_of({"stdout": answer}))
    result = ask(view, Request("nova", years=("2026",), now=NOW), home)
    assert [dropped.cause for dropped in result.dropped] == [
        "beyond_500",
        "left_out",
        "protected",
        "unknown",
        "path_variant",
    ]
    assert result.ignored == ("`selected` is not a list, so it was ignored.",)
    assert result.configuration.reason == "hp is the first in the list that declares memory.hook."


def test_an_answer_belongs_to_its_question(tmp_path: Path) -> None:
    view, request = View.of([_memory("facts/a.md")]), Request("nova", now=NOW)
    configured = {
        "schema": 1,
        "providers": [{"id": "hp", "capabilities": ["memory.hook"], "command": ["<python>", "<provider>"]}],
    }
    result = ask(view, request, write_home(tmp_path, configured, script_of({"stdout": '{"ok": true}'})))
    assert not is_stale(result, view, request)
    assert is_stale(result, view, Request("nova", budget=900, now=NOW))
    assert is_stale(result, View.of([_memory("facts/a.md")], revision=1), request)
    assert not is_stale(result, view, Request("nova", limit=3, explain=True, now=NOW))


@pytest.mark.parametrize("name", ["pipe", "huge"])
def test_a_configuration_that_cannot_be_a_file_is_said_and_not_waited_for(name: str, tmp_path: Path) -> None:
    import os

    path = tmp_path / "provider.json"
    if name == "pipe":
        os.mkfifo(path)
    else:
        path.touch()
        os.truncate(path, 5 << 20)
    found = read_configuration(tmp_path)
    assert found.state == "error"
    assert found.reason.startswith("provider.json cannot be read: it is ")
    path.unlink()
    (tmp_path / "provider.json").symlink_to(tmp_path / "nowhere")
    assert read_configuration(tmp_path).state == "not_installed"
