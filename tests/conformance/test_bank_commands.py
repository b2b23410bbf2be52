"""Bank cases through the commands: roots, layout, remember, index (`spec/bank.md` §1, 2, 7, 8).

They run with `agents_write` and `yotta_index` on; where upstream refuses a permission with exit 2, Memdesk's code is 3
(`decisions.md` §7, §8.1).
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.desk import BOTH, Answer, Desk, call, entry, new_desk, tree

DAY = "facts/2026/10/2026-10-12"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return new_desk(tmp_path, **BOTH)


def index(desk: Desk) -> dict[str, dict[str, Any]]:
    """The entries of the bank's index by their file."""
    found = json.loads((desk.root / "index.json").read_bytes())
    assert found["version"] == 4
    return {one["file"]: one for one in found["entries"]}


def text(desk: Desk, id: str) -> str:
    return (desk.root / id).read_text(encoding="utf-8")


def refused(answer: Answer, code: int = 2) -> None:
    assert answer.code == code
    assert answer.out == ""
    assert answer.err.endswith((".\n", "`.\n"))


def test_yb_002_the_project_bank_named_as_the_users_is_read_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exactly one hit is listed: the read set is de-duplicated by absolute path."""
    monkeypatch.chdir(tmp_path)
    bank = tmp_path / ".yottamemory"
    assert call(["init", str(bank)]).code == 0
    entry(bank, f"{DAY}-0001.md", "1240 C")
    answer = call(["recall", "--json"], environ={"YOTTA_MEMORY_HOME": str(bank)})
    assert answer.id == f"{DAY}-0001.md"


def test_yb_003_equal_memories_of_two_banks_project_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two hits with equal final scores; the project one is listed first."""
    monkeypatch.chdir(tmp_path)
    user = new_desk(tmp_path)
    call(["init", ".yottamemory"])
    for bank in (user.root, tmp_path / ".yottamemory"):
        entry(bank, f"{DAY}-0001.md", "use 8081", subject="port")
    answer = call(["recall", "port", "--json"], environ={"MEMDESK_BANK": str(user.root)})
    assert [memory["id"] for memory in answer.memories] == [f"project:{DAY}-0001.md", f"user:{DAY}-0001.md"]
    assert answer.memories[0]["final"] == answer.memories[1]["final"]


def test_yb_004_a_bank_is_never_made_over_another(tmp_path: Path) -> None:
    """First and second are refused with exit 2 and change nothing; the third succeeds and reports a plaintext store."""
    folder = tmp_path / "D"
    folder.mkdir()
    (folder / "index.json").write_text('{"version": 4, "updated": "2026-10-12", "entries": []}')
    before = tree(folder)
    refused(call(["init", str(folder)]))
    refused(call(["init", str(folder), "--force"]))
    assert (tree(folder), [path.name for path in folder.iterdir()]) == (before, ["index.json"])
    attached = call(["init", str(folder), "--attach"])
    assert (attached.code, attached.out) == (0, f"{folder} is a plain bank.\n")
    assert tree(folder) == before


def test_yb_005_a_new_fact_and_its_index_entry(desk: Desk) -> None:
    """File facts/2026/10/2026-10-12-0001.md exists and index.json has one entry whose file is exactly that path."""
    assert desk("remember", "FACT", "kiln", "Fires at 1240 C").code == 0
    assert (desk.root / f"{DAY}-0001.md").is_file()
    assert list(index(desk)) == [f"{DAY}-0001.md"]


def test_yb_006_an_agents_bound_is_private(desk: Desk) -> None:
    """File private/aria/bounds/2026/10/2026-10-12-0001.md; scope private; owner aria."""
    (memory,) = desk.json("remember", "BOUND", "release", "No Friday deploys", "--as", "aria").memories
    path = "private/aria/bounds/2026/10/2026-10-12-0001.md"
    assert (memory["id"], memory["scope"], memory["owner"]) == (path, "private", "aria")
    assert "\nscope: private\nowner: aria\n" in text(desk, path)


def test_yb_018_a_name_in_two_folders_is_ambiguous(desk: Desk) -> None:
    """Refused as ambiguous, both candidates listed, nothing moved."""
    paths = [
        entry(desk.root, f"{DAY}-0001.md", "1240 C"),
        entry(
            desk.root, "private/aria/prefs/2026/10/2026-10-12-0001.md", "brief", kind="PREF", owner="aria", subject="t"
        ),
    ]
    answer = desk("forget", "2026-10-12-0001.md", "--as", "aria")
    refused(answer)
    assert all(path in answer.err for path in paths)
    assert all((desk.root / path).is_file() for path in paths)


def ci(desk: Desk, created: str = "2026-10-03", **fields: str) -> str:
    """The FACT "ci" of the cases."""
    path = f"facts/{created[:4]}/{created[5:7]}/{created}-0001.md"
    head = {"subject": "ci", "created": created, "updated": created, "weight": "1", "access_count": "4"}
    return entry(desk.root, path, "Runs on every push", **(head | fields))


def test_yb_019_remembered_again_within_the_window(desk: Desk) -> None:
    """No new file; updated=2026-10-12, source=chat, weight=1.4, created unchanged, access_count unchanged; updated."""
    path = ci(desk)
    answer = desk("remember", "FACT", " ci ", "Runs on every push ", "--source", "chat", "--weight", "1.4")
    assert answer.code == 0
    assert answer.out.splitlines()[0].split() == ["FACT", path, "updated"]
    assert [file for file in tree(desk.root) if file.startswith("facts/")] == [path]
    lines = text(desk, path).splitlines()
    for line in ("updated: 2026-10-12", "source: chat", "weight: 1.4", "created: 2026-10-03", "access_count: 4"):
        assert line in lines


def test_yb_020_the_higher_weight_and_the_first_source_stay(desk: Desk) -> None:
    """weight stays 1.4 (max), source stays chat (only filled when missing)."""
    path = ci(desk, source="chat", weight="1.4")
    desk.json("remember", "FACT", "ci", "Runs on every push", "--source", "audit", "--weight", "0.5")
    assert {"weight: 1.4", "source: chat"} <= set(text(desk, path).splitlines())


def test_yb_021_the_same_text_in_another_month_is_new(desk: Desk) -> None:
    """A second file facts/2026/10/2026-10-12-NNNN.md is created: the window is this month, this year's loose files,
    and flat files only."""
    old = ci(desk, "2026-09-30")
    new = desk.remember("FACT", "ci", "Runs on every push")
    assert new == f"{DAY}-0002.md"
    assert (desk.root / old).is_file()
    assert (desk.root / new).is_file()


@pytest.mark.parametrize("loose", ["facts/2026-09-30-0001.md", "facts/2026/2026-09-30-0001.md"])
def test_yb_021_loose_files_are_within_the_window(desk: Desk, loose: str) -> None:
    """… and flat files only."""
    entry(desk.root, loose, "Runs on every push", subject="ci")
    assert desk.remember("FACT", "ci", "Runs on every push") == loose


def test_yb_022_another_statement_is_another_memory(desk: Desk) -> None:
    """A new entry; the old one is untouched (no supersede)."""
    old = desk.remember("FACT", "port", "8080")
    before = text(desk, old)
    new = desk.remember("FACT", "port", "8081")
    assert new != old
    assert text(desk, old) == before


def test_yb_023_a_preference_needs_an_owner_a_fact_does_not(desk: Desk) -> None:
    """First refused, exit 2, nothing written; second stored with no owner key in the frontmatter."""
    before = tree(desk.root)
    refused(desk("remember", "PREF", "tone", "brief"))
    assert tree(desk.root) == before
    assert "owner:" not in text(desk, desk.remember("FACT", "tone", "brief"))


def test_yb_024_only_a_person_writes_in_anothers_name(desk: Desk) -> None:
    """First refused; with --unsafe (here: the person) stored at private/lan/prefs/... with owner lan."""
    before = tree(desk.root)
    refused(desk("remember", "PREF", "tone", "brief", "--owner", "lan", "--as", "aria"), 3)
    assert tree(desk.root) == before
    (memory,) = desk.json("remember", "PREF", "tone", "brief", "--owner", "lan").memories
    assert (memory["id"], memory["owner"]) == ("private/lan/prefs/2026/10/2026-10-12-0001.md", "lan")


def test_yb_025_an_unquoted_statement_is_refused(desk: Desk) -> None:
    """Our product rejects the extra word with a usage message."""
    before = tree(desk.root)
    answer = desk("remember", "FACT", "lunch", "moved", "to", "noon")
    refused(answer)
    assert answer.err == (
        "Got unexpected extra arguments (to noon); write `memdesk remember TYPE SUBJECT STATEMENT`, "
        "see `memdesk remember --help`.\n"
    )
    assert tree(desk.root) == before


@pytest.mark.parametrize("words", [("NOTE", "a", "b"), ("FACT", "a", "   "), ("FACT", " ", "b")])
def test_yb_026_no_such_type_and_nothing_said(desk: Desk, words: tuple[str, ...]) -> None:
    """Both exit 2, no file, no index change."""
    before = tree(desk.root)
    refused(desk("remember", *words))
    assert tree(desk.root) == before


def test_yb_027_a_fact_that_sounds_like_a_preference(desk: Desk) -> None:
    """Both stored; only the first output carries the advisory to use PREF (words 用户, 喜欢)."""
    chinese = desk("remember", "FACT", "口味", "用户喜欢绿茶")
    english = desk("remember", "FACT", "taste", "The user likes green tea")
    assert (chinese.code, english.code) == (0, 0)
    assert chinese.err == "This sounds like somebody's preference; a PREF would keep it private.\n"
    assert english.err == ""
    assert desk.json("list").subjects == ["口味", "taste"]


def four(desk: Desk, facts: int = 2) -> None:
    """Some FACTs and two private memories of aria, as files."""
    for number in range(1, facts + 1):
        entry(desk.root, f"{DAY}-{number:04}.md", f"note {number}")
    for kind in ("prefs", "bounds"):
        path = f"private/aria/{kind}/2026/10/2026-10-12-0001.md"
        entry(desk.root, path, "brief", kind=kind[:-1].upper(), owner="aria", scope="private")


def test_yb_028_a_lost_index_is_made_anew_before_it_is_added_to(desk: Desk) -> None:
    """Six hits (3+1 FACT, 2 private): index must be rebuilt before the update."""
    four(desk, 3)
    (desk.root / "index.json").unlink(missing_ok=True)
    desk.remember("FACT", "glaze", "celadon")
    assert len(desk.json("recall", "--as", "aria").memories) == 6
    assert len(index(desk)) == 6


def test_yb_029_a_rebuilt_index_holds_the_private_memories(tmp_path: Path) -> None:
    """Four hits: the index that is made when it is switched on holds all of them."""
    desk = new_desk(tmp_path)
    four(desk)
    assert desk("config", "set", "yotta_index", "on").code == 0
    assert len(desk.json("recall", "--as", "aria").memories) == 4
    assert len(index(desk)) == 4


def test_yb_030_an_index_of_an_older_version_is_rebuilt(tmp_path: Path) -> None:
    """The index is rebuilt as version 4 and four hits are listed (doctor's warning comes with bank care)."""
    desk = new_desk(tmp_path)
    four(desk)
    (desk.root / "index.json").write_text('{"version": 3, "entries": []}')
    assert len(desk.json("recall").memories) == 4
    assert len(index(desk)) == 4


def test_yb_032_the_shards_of_other_years_stay_as_they_are(desk: Desk) -> None:
    """One hit (2025); index-2024.json and index-2026.json are byte-identical afterwards."""
    for year in (2024, 2025, 2026):
        path = f"facts/{year}/03/{year}-03-01-{year}.md"
        entry(desk.root, path, "kiln note", created=f"{year}-03-01")
        shard = {"version": 4, "year": year, "entries": [{"file": path, "created": f"{year}-03-01"}]}
        (desk.root / f"index-{year}.json").write_text(json.dumps(shard))
    names = [f"index-{year}.json" for year in (2024, 2025, 2026)]
    manifest = {"version": 4, "updated": "2026-10-12", "shards": names, "count": 3}
    (desk.root / "index.json").write_text(json.dumps(manifest))
    before = tree(desk.root)
    assert desk.json("recall", "kiln", "--year", "2025").id == "facts/2025/03/2025-03-01-2025.md"
    assert tree(desk.root) == before
