"""The parts of the Sessions screen on their own: rows of any width, runs added up, paths completed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.contents import contents
from pipeline.extract.effects import Called, Calling, Fate, Judged, Settled, Started
from pipeline.transcripts import Transcript
from pipeline.usage import Usage
from store import clock
from store.view import View
from tests.pipeline.test_transcripts import session, typed
from tui.screens.sessions_open import completed, fitting, meant
from tui.screens.sessions_progress import flat, tall
from tui.screens.sessions_queue import Began, Ended, Job, ReadAll, ReadTo
from tui.screens.sessions_rows import TranscriptRows, head, matching, short
from tui.screens.sessions_run import Run, after, queued
from tui.screens.sessions_words import bar, duration, size
from tui.text import width

ITEM = Transcript("/a.jsonl", "/a.jsonl", "claude-code", "8f2e7d10-9c4b-4d3a-b5e6-0a1b2c3d4e5f", found=3, kept=2, out=1)


@given(st.text(max_size=40), st.text(max_size=40), st.integers(20, 200))
def test_property_a_row_is_as_wide_as_the_list_whatever_it_says(name: str, project: str, cells: int) -> None:
    item = Transcript("x", "x", "claude-code", name, project=project)
    pieces = TranscriptRows([item], {}, {}, 1).row(0, cells)
    if cells >= 40:
        assert sum(width(text) for text, _ in pieces) == cells


def test_the_names_of_the_columns_stand_over_them() -> None:
    for cells in (40, 50, 62, 79, 90, 120):
        text = "".join(piece for piece, _ in TranscriptRows([ITEM], {}, {}, 1).row(0, cells))
        assert head(cells).index("state") == text.index("new")
        assert head(cells).index("session") == text.index("8f2e7d10")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("8f2e7d10-9c4b-4d3a-b5e6-0a1b2c3d4e5f", "8f2e7d10"),
        ("8f2e7d10-9c4b-4d3a-b5e6-0a1b2c3d4e5f:agent-a1b2c3d", "8f2e:a1b2c3d"),
        ("tea-house", "tea-house"),
        ("dialogs:line 1", "dialogs:line 1"),
    ],
)
def test_a_session_has_a_short_name(name: str, shown: str) -> None:
    assert short(name) == shown


def test_words_find_and_minus_leaves_out() -> None:
    other = Transcript("/b", "/b", "dsh", "night", project="boat")
    assert matching([ITEM, other], "CLAUDE", {}) == [ITEM]
    assert matching([ITEM, other], "-claude", {}) == [other]
    assert matching([ITEM, other], "boat new", {}) == [other]
    assert matching([ITEM, other], "", {}) == [ITEM, other]


def test_a_run_adds_up_what_its_thread_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMDESK_NOW", "2026-11-30T12:00:00+00:00")
    held = contents(session(typed(1, "a"), typed(2, "b"), typed(4, "c")), View.of(()))
    run = queued(Job("a", "a"))
    assert run.waits and not run.going
    misquoted = Fate(2, "bad quote", "not_verbatim", "They love cron.", quote="love cron", nearest="love tea")
    news = [
        Began(1_000, 400),
        ReadTo(200),
        ReadAll((held,)),
        Started(held.key, -1, 2, 2),
        Calling(held.key, "proposal", 2, 1, 3),
        Called(held.key, "proposal", found=3, tokens_in=12, tokens_out=5, cost=0.5, seconds=1.0),
        Judged(held.key, -1, (Fate(1, "admitted", content="a"), misquoted, Fate(3, "secret"))),
        Calling(held.key, "canonicalize", 1, 2, 3),
        Called(held.key, "canonicalize", "provider", "The server is gone."),
        Calling(held.key, "canonicalize", 1, 3, 3),
        Called(held.key, "canonicalize", found=1, tokens_in=8, tokens_out=2, cost=0.25, seconds=1.0),
        Settled(held.key, -1, 2, (Fate(1, "deferred", content="a", have=1, need=2), misquoted, Fate(3, "secret"))),
    ]
    states: list[Run] = []
    for one in news:
        run = after(run, one)
        states.append(run)
    assert states[1].done == pytest.approx(0.05)
    assert (run.calls, run.proposed, run.admitted, run.accepted) == (3, 3, 1, 1)
    assert run.usage == Usage(3, 20, 7, 1, 0.75, 1, 2.0)
    assert states[7].calling == {held.key: Calling(held.key, "canonicalize", 1, 2, 3)} and not run.calling
    assert [fate.outcome for fate in states[6].incidents.values()] == ["admitted", "bad quote", "secret"]
    assert [fate.outcome for fate in run.incidents.values()] == ["deferred", "bad quote", "secret"]
    assert (dict(run.fates), dict(run.out)) == ({"deferred": 1}, {"not_verbatim": 1, "secret": 1})
    assert 0.5 < run.done < 0.8 and [one.done for one in states] == sorted(one.done for one in states)
    assert "12:00:00  canonicalize: The server is gone." in run.log
    _is_shown(states)
    ended = after(run, Ended(clock.millis(), problem="No."))
    assert (ended.done, ended.problem, ended.going) == (1.0, "No.", False)


def _is_shown(states: list[Run]) -> None:
    """What the run above says in a narrow and in a wide window."""
    run = states[-1]
    asked = "\n".join(line.plain for line in flat(states[7], 76, 12))
    assert "waits  canonicalize, call 2 of 3" in asked and "+ admitted      a" in asked
    seen = "\n".join(line.plain for line in flat(run, 76, 12))
    assert "out    1  looks like a secret" in seen
    assert "calls  3 calls, 20 tokens in, 7 out and 1 call uncounted" in seen
    assert "wait   1  seen in one session only" in seen
    assert "~ deferred 1/2a" in seen.replace("  ", "") and "x secret        not shown   looks like a secret" in seen
    side = "\n".join(line.plain for line in tall(run, 46, "m", 12))
    assert "quoted   » love cron «" in side and "said     » love tea «" in side


def test_what_is_left_is_told_once_it_can_be() -> None:
    held = contents(session(typed(1, "a"), typed(10, "b")), View.of(()))
    run = after(after(queued(Job("a", "a")), Began(1_000, 10)), ReadAll((held,)))
    assert run.left(60_000) is None
    half = after(after(run, Started(held.key, -1, 5, 1)), Settled(held.key, -1, 5, ()))
    assert half.left(60_000) is not None and 20 <= (half.left(60_000) or 0) <= 70


def test_words_for_time_size_and_progress() -> None:
    assert [duration(one) for one in (0, 72, 3_840)] == ["0 s", "1 min 12 s", "1 h 4 min"]
    assert [size(one) for one in (1, 812, 14_336, 3_355_443)] == ["1 byte", "812 bytes", "14 KiB", "3.2 MiB"]
    assert bar(0.5, 19) == "[#####.....]  50 %" and bar(2, 19) == "[##########]  100 %"


def test_a_path_is_completed_as_far_as_the_names_agree(tmp_path: Path) -> None:
    for name in ("talk-1.jsonl", "talk-2.jsonl", ".hidden", "bad\x1bname"):
        (tmp_path / name).touch()
    (tmp_path / "tables").mkdir()
    begin = f"{tmp_path}/"
    assert fitting(begin) == (f"{begin}tables/", f"{begin}talk-1.jsonl", f"{begin}talk-2.jsonl")
    assert fitting(f"{begin}.h") == (f"{begin}.hidden",)
    assert completed(f"{begin}tal", fitting(f"{begin}tal")) == f"{begin}talk-"
    assert completed(f"{begin}x", fitting(f"{begin}x")) == f"{begin}x"
    assert fitting("/no/such/folder/") == ()


def test_a_whole_path_typed_behind_what_stood_in_the_box_is_that_path(tmp_path: Path) -> None:
    """The box begins with the home folder, and nobody takes that out first."""
    (tmp_path / "talks").mkdir()
    whole = f"{tmp_path}/talks"
    assert meant(f"~/{whole}") == meant(f"~/ {whole}") == meant(f"~/no-such-folder/{whole}") == whole
    assert meant(f"~/~/{tmp_path.name}") == f"~/{tmp_path.name}"
    assert fitting(meant(f"~/{tmp_path}/")) == (f"{whole}/",)
    assert [meant(text) for text in ("~/talks", "/tmp", "", "~", f"{tmp_path}//talks")] == [
        *("~/talks", "/tmp", "", "~"),
        f"{tmp_path}//talks",
    ]
