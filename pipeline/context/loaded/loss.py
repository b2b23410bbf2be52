"""The loss report: what agents were told in files and never get, or get twice, or are about to lose.

Nothing is written, no link out of a folder is followed, and what is too large to be looked at whole is said.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pipeline.context.loaded.compared import MOST, said
from pipeline.context.loaded.contradictions import contradictions
from pipeline.context.loaded.detect import Detected, detect, is_loaded, unseen
from pipeline.context.loaded.expiring import Expiring, expiring
from pipeline.context.loaded.loaded import KINDS, Kind, Loaded, Loss, counted
from pipeline.context.loaded.places import Places, places, slugs
from pipeline.context.loaded.reading import MISSING, closed, inside, is_file, is_folder
from pipeline.context.loaded.repeated import repeated
from store.errors import BadInput


@dataclass(frozen=True, slots=True)
class LossReport:
    """What is loaded, what is lost, and what could not be looked at. `folder` is None for the usual places."""

    folder: Path | None
    home: Path
    layouts: tuple[Loaded, ...]
    losses: tuple[Loss, ...]
    notes: tuple[str, ...] = ()

    def of(self, kind: Kind) -> tuple[Loss, ...]:
        """The losses of one kind, in order."""
        return tuple(loss for loss in self.losses if loss.kind == kind)

    @property
    def counts(self) -> Mapping[Kind, int]:
        """How many losses there are of each kind."""
        return {kind: len(self.of(kind)) for kind in KINDS}

    @property
    def cut_lines(self) -> int:
        """How many lines stand past a limit."""
        return sum(loss.last - loss.first + 1 if loss.first else 0 for loss in self.of("cut"))


def loss_report(
    path: Path | None = None,
    *,
    here: Path | None = None,
    home: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> LossReport:
    """Look at a folder (or the folder of a file), or without one at the usual places of this machine and at `here`.

    Raises `BadInput` when there is no such folder, or none that may be looked into.
    """
    where = places(home, environ)
    if path is not None:
        folder = folder_of(path)
        found, going = detect(folder, where), _going(folder, where)
        return _report(folder, where, found, going)
    found = _usual(here, where)
    return _report(None, where, found, expiring(where, project=here))


def loads(path: Path, home: Path | None = None, environ: Mapping[str, str] | None = None) -> bool:
    """Whether an agent loads anything of a folder."""
    return is_folder(path) and is_loaded(path.absolute(), places(home, environ))


def folder_of(path: Path) -> Path:
    """The folder that a path names, or that its file lies in.

    Raises `BadInput` when there is none, or none that may be looked into.
    """
    folder = path.absolute()
    if is_file(folder):
        return folder_of(folder.parent)
    if fault := closed(folder):
        if fault == MISSING:
            usual = "or leave it out for the usual places"
            raise BadInput(f"{path} is not there; name a folder that an agent loads, {usual}.")
        raise BadInput(f"{path} cannot be looked into: {fault}; change that, or name another folder.")
    return folder


def _report(folder: Path | None, where: Places, found: Detected, going: Expiring) -> LossReport:
    items, complete = said(found.layouts)
    against, pairs = contradictions(items)
    losses = [*(loss for one in found.layouts for loss in one.losses), *repeated(items, pairs), *against, *going.losses]
    ordered = tuple(sorted(_once(losses), key=lambda loss: KINDS.index(loss.kind)))
    notes = [*found.notes, *(note for one in found.layouts for note in one.notes), *going.notes]
    notes += [] if complete else [f"Only the first {MOST:,} statements were compared with each other."]
    return LossReport(folder, where.home, found.layouts, ordered, tuple(dict.fromkeys(notes)))


def _once(losses: Iterable[Loss]) -> list[Loss]:
    """Each loss once: a file that two agents load, or that is a link to another one, is lost once."""
    found: dict[tuple[str, str, int, str], Loss] = {}
    resolved = cache(os.path.realpath)
    for loss in losses:
        real = resolved(loss.file) if loss.file is not None else loss.name
        found.setdefault((loss.kind, real, loss.first, loss.title), loss)
    return list(found.values())


def _going(folder: Path, where: Places) -> Expiring:
    """The transcripts that belong to a folder: Claude Code's of all projects, or of the one that it is."""
    if folder in (where.claude, where.projects):
        return expiring(where)
    if inside(folder, where.projects):
        return expiring(where, where.projects / folder.relative_to(where.projects).parts[0])
    if inside(where.home, folder):
        return Expiring(())
    return expiring(where, *(where.projects / name for name in slugs(folder)), project=folder)


def _usual(here: Path | None, where: Places) -> Detected:
    """The folders of every agent of this person, and the project that we are in."""
    layouts: list[Loaded] = []
    notes: list[str] = []
    folders = [where.claude, where.codex, where.hermes, where.gemini]
    folders += [here.absolute()] if here is not None and not inside(where.home, here.absolute()) else []
    for folder in folders:
        if is_folder(folder) and (fault := closed(folder)):
            notes.append(unseen(folder, fault))
        elif is_folder(folder):
            found = detect(folder, where)
            layouts += (
                one for one in found.layouts if (one.name, one.folder) not in {(o.name, o.folder) for o in layouts}
            )
            notes += found.notes
    return Detected(tuple(layouts), tuple(notes))


def summary(report: LossReport) -> str:
    """One sentence: how many lines are cut, and how much there is of each other kind."""
    counts = report.counts
    words = {
        "cut": (report.cut_lines, "line is cut", "lines are cut"),
        "link": (counts["link"], "link leads nowhere", "links lead nowhere"),
        "unread": (counts["unread"], "thing no agent reads", "things no agent reads"),
        "repeated": (counts["repeated"], "statement stands in several places", "statements stand in several places"),
        "contradiction": (counts["contradiction"], "contradiction", "contradictions"),
        "expiring": (counts["expiring"], "transcript is about to be deleted", "transcripts are about to be deleted"),
    }
    told = [counted(*one) for one in words.values() if one[0]]
    full = counts["cut"] and not report.cut_lines
    told += ["a memory is full"] if full else []
    return f"{', '.join(told)}." if told else "Nothing is lost."
