"""Bank cases through the commands: rank, recall, usage, permission, forget, and more that commands show.

`as nobody` is another agent without rights here: a call without `--as` is the person's, who may read a plain bank
(`decisions.md` §1.1). Where upstream refuses a permission with exit 2, Memdesk's code is 3 (§7).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from store.access import safe_id
from tests.cli.desk import BOTH, Desk, call, entry, new_desk, tree

DAY = "facts/2026/10/2026-10-12"
TEMPO = "private/lan/prefs/2026/10/2026-10-12-0001.md"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return new_desk(tmp_path, **BOTH)


@pytest.fixture
def two(desk: Desk) -> Desk:
    """A FACT "kiln" and lan's PREF "tempo"."""
    entry(desk.root, f"{DAY}-0001.md", "1240 C")
    tempo(desk)
    return desk


def tempo(desk: Desk, **fields: str) -> str:
    return entry(
        desk.root, TEMPO, "walks at noon", kind="PREF", subject="tempo", owner="lan", scope="private", **fields
    )


def counters(desk: Desk, id: str) -> int:
    """How often a memory was accessed, its file and the ledger together."""
    found: dict[str, Any] = desk.json("show", id, "--explain").json["explain"]
    return int(found["access_count"])


def test_yb_043_fifty_are_shown(desk: Desk) -> None:
    """50 shown (header says truncated); 50. Counters change only for the shown ones. (MCP comes with its server.)"""
    for number in range(1, 61):
        entry(desk.root, f"{DAY}-{number:04}.md", f"note {number}")
    answer = desk("recall", "kiln")
    assert (answer.code, len(answer.out.splitlines())) == (0, 50)
    assert answer.err == "50 of 60 shown; --limit shows more.\n"
    again = desk.json("recall", "kiln", "--limit", "0", "--no-usage").json
    assert (len(again["memories"]), again["total"]) == (50, 60)
    shown = {line.split()[1] for line in answer.out.splitlines()}
    everything = [memory["id"] for memory in desk.json("list").memories]
    assert {id for id in everything if counters(desk, id)} == shown


def test_yb_044_a_protected_memory_is_not_counted(desk: Desk) -> None:
    """Normal entry access_count 2, last_accessed today, updated unchanged; immutable entry file byte-identical."""
    normal = entry(desk.root, f"{DAY}-0001.md", "1240 C", updated="2026-09-01")
    fixed = entry(desk.root, f"{DAY}-0002.md", "never above 1300 C", immutable="true")
    before = tree(desk.root)
    for _ in range(2):
        assert len(desk.json("recall", "kiln").memories) == 2
    assert [counters(desk, id) for id in (normal, fixed)] == [2, 0]
    assert desk.json("show", normal).memories[0]["updated"] == "2026-09-01"
    assert tree(desk.root)[fixed] == before[fixed]


def test_yb_051_a_search_leaves_no_query_behind(desk: Desk) -> None:
    """The query text appears nowhere in the usage fields."""
    entry(desk.root, f"{DAY}-0001.md", "十五分钟", subject="缓存策略")
    for query in ("缓存策略", "缓存策略", ""):
        desk.json("recall", query)
    assert counters(desk, f"{DAY}-0001.md") == 3
    ledger = b"".join(path.read_bytes() for path in (desk.root / ".memdesk").rglob("*") if path.is_file())
    assert b"qb2229b3d:2" in ledger
    assert "缓存策略".encode() not in ledger


def test_yb_054_a_use_of_anothers_memory_is_told_and_not_counted(desk: Desk) -> None:
    """Shown; file and index counters of that entry unchanged; output notes one skipped entry."""
    id = tempo(desk)
    (desk.root / "grants.json").write_text('{"aria": ["lan"]}')
    before = tree(desk.root)[id]
    answer = desk("recall", "tempo", "--json", "--as", "aria")
    assert (answer.id, answer.err) == (id, "1 use of other owners' memories not counted.\n")
    assert counters(desk, id) == 0
    assert tree(desk.root)[id] == before


def test_yb_055_what_other_owners_keep_private(two: Desk) -> None:
    """(1) FACT only, exit 0, no hint of the PREF; (2) FACT plus a warning counting 1 denied, exit 0; (3) no hit, count
    1, exit 3; (4) FACT plus the same warning (the count ignores the query), exit 0; (5) exit 3, identity required."""
    plain = two("recall", "--as", "aria")
    assert (plain.code, len(plain.out.splitlines()), plain.err) == (0, 1, "")
    assert "1240 C" in plain.out
    warning = "1 memory of other owners may not be read.\n"
    everyone = two("recall", "--all", "--as", "aria")
    assert (everyone.code, everyone.out, everyone.err) == (0, plain.out, warning)
    none = two("recall", "tempo", "--as", "aria", "--owner", "lan")
    assert (none.code, none.out) == (3, "")
    assert none.err == "1 memory of other owners may not be read; ask their owner for a grant.\n"
    kiln = two("recall", "kiln", "--as", "aria", "--owner", "lan")
    assert (kiln.code, len(kiln.out.splitlines()), kiln.err) == (0, 1, warning)
    nobody = two("recall", "--all")
    assert (nobody.code, nobody.out) == (3, "")
    assert "--as AGENT" in nobody.err


def test_yb_056_a_grant_goes_one_way(two: Desk) -> None:
    """aria sees it; lan does not (grants are one-directional)."""
    (two.root / "grants.json").write_text('{"aria": ["lan"]}')
    two.remember("PREF", "tone", "brief", "--as", "aria")
    assert "tempo" in two.json("recall", "--as", "aria").subjects
    assert "tone" not in two.json("recall", "--as", "lan").subjects


@pytest.mark.parametrize("agent", ["aria", "nobody"])
@pytest.mark.parametrize(
    "words",
    [
        ("show", TEMPO, "--explain"),
        ("show", TEMPO, "--raw"),
        ("log", TEMPO),
        ("forget", TEMPO),
        ("edit", TEMPO, "--statement", "runs"),
        ("restore", TEMPO),
        ("forget", TEMPO.rpartition("/")[2]),
    ],
)
def test_yb_057_another_owners_memory_is_as_good_as_not_there(
    tmp_path: Path, agent: str, words: tuple[str, ...]
) -> None:
    """All refused, the refusal contains neither subject nor statement; file unchanged; the same sentence and code as
    for an unknown id (`decisions.md` §8.9). Feedback and rename come with bank care."""
    desk = new_desk(tmp_path, **BOTH)
    tempo(desk)
    before = tree(desk.root)
    answer = desk(*words, "--as", agent)
    missing = desk(words[0], "nowhere.md", *words[2:], "--as", agent)
    assert (answer.code, answer.out) == (missing.code, missing.out) == (3, "")
    assert answer.err == missing.err.replace("nowhere.md", words[1])
    assert "walks" not in answer.err
    assert "tempo" not in answer.err
    assert tree(desk.root) == before


@pytest.mark.parametrize("agent", ["aria", "a b"])
def test_yb_058_names_of_agents(desk: Desk, agent: str) -> None:
    """Accepted: aria, "a b"."""
    assert safe_id(agent)
    assert desk("recall", "--as", agent).code == 0


@pytest.mark.parametrize("agent", ["", ".", "..", "x/y", "x\\y", "a" * 129, "tab\there"])
def test_yb_058_names_that_are_no_agents(desk: Desk, agent: str) -> None:
    """All others rejected."""
    assert not safe_id(agent)
    answer = desk("recall", "--as", agent)
    assert (answer.code, answer.out) == (2, "")
    assert answer.err == "The name after --as cannot be an agent's; use up to 128 characters without slashes.\n"


def test_yb_060_no_identity_comes_from_the_environment(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """whoami (here `--version --verbose`) reports no declared identity, exit 0. (The second half is not applicable.)"""
    monkeypatch.setenv("YOTTA_AGENT_ID", "aria")
    answer = desk("--version", "--verbose")
    assert answer.code == 0
    assert "identity    you" in answer.out.splitlines()


def test_yb_064_the_numbers_of_explain(desk: Desk) -> None:
    """total 0.216, half-life 730 days, age 365, state: archive candidate. (Explaining records no use here,
    `decisions.md` §2.7.)"""
    head = {"created": "2025-10-12", "updated": "2025-10-12", "confidence": "0.85", "weight": "0.512"}
    id = entry(desk.root, "facts/2025/10/2025-10-12-0001.md", "old", feedback_net="-3", **head)
    found = desk.json("show", id, "--explain").json["explain"]
    assert (found["utility"]["total"], found["half_life"], found["age"]) == (0.216, 730, 365)
    assert found["standing"] == "archive candidate"


def test_yb_065_a_forgotten_memory_lies_in_the_trash(desk: Desk) -> None:
    """File now at .trash/2026-10-08T06-12-44-310Z/facts/2026/09/2026-09-20-0003.md with identical bytes; index entry
    gone; .trash/audit-<local date>.jsonl has action forget, file, trash, owner "", selfAgent aria."""
    path = entry(desk.root, "facts/2026/09/2026-09-20-0003.md", "1240 C", created="2026-09-20")
    data = tree(desk.root)[path]
    then = desk.at("2026-10-08T06:12:44.310+00:00")
    assert then("forget", path, "--as", "aria").code == 0
    trash = f".trash/2026-10-08T06-12-44-310Z/{path}"
    assert not (desk.root / path).exists()
    assert (desk.root / trash).read_bytes() == data
    assert json.loads((desk.root / "index.json").read_bytes())["entries"] == []
    (line,) = (desk.root / ".trash/audit-2026-10-08.jsonl").read_text().splitlines()
    told = json.loads(line)
    assert told.pop("ts").startswith("2026-10-08T06:12:44.31")
    assert told == {"action": "forget", "file": path, "trash": trash, "owner": "", "selfAgent": "aria"}


@pytest.mark.parametrize(
    ("words", "code", "value"),
    [
        (("scale_warn_entries", "--", "-1"), 2, None),
        (("nope", "1"), 2, None),
        (("usage_enabled", "no"), 0, True),
        (("usage_enabled", "0"), 0, False),
    ],
)
def test_yb_099_settings(desk: Desk, words: tuple[str, ...], code: int, value: bool | None) -> None:
    """exit 2; exit 2; stored true; stored false."""
    assert desk("config", "set", *words).code == code
    if value is not None:
        assert desk.json("config", "get", words[0]).json["settings"] == {words[0]: value}


@pytest.mark.parametrize(
    ("words", "points"),
    [
        (("recall", "--query", "x"), "write `memdesk recall [QUERY]`"),
        (("remember", "--type", "FACT", "a", "b", "c"), "write `memdesk remember TYPE SUBJECT STATEMENT`"),
        (("foo",), "No such command 'foo'"),
        (("recall", "--frobnicate"), "--frobnicate"),
    ],
)
def test_yb_100_wrong_use(desk: Desk, words: tuple[str, ...], points: str) -> None:
    """All exit 2; the first two point at positional arguments."""
    answer = desk(*words)
    assert (answer.code, answer.out) == (2, "")
    assert points in answer.err
    assert answer.err.count("\n") == 1


def test_yb_001_the_bank_that_a_command_works_on(tmp_path: Path) -> None:
    """First <v1>, then <v2>, then ~/.yottamemory."""
    home = Path.home() / ".yottamemory"
    home.mkdir()
    (home / "config.json").write_text(json.dumps({"memory_home": str(tmp_path / "v2")}))
    first = call(["--version", "--json"], environ={"YOTTA_MEMORY_HOME": str(tmp_path / "v1")})
    second = call(["--version", "--json"])
    (home / "config.json").write_text("{}")
    third = call(["--version", "--json"])
    assert [answer.json["bank"] for answer in (first, second, third)] == [
        str(tmp_path / "v1"),
        str(tmp_path / "v2"),
        str(home),
    ]
