"""The transcripts that a command is given: files, archives, databases, and folders of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipeline.formats.copies import without_copies
from pipeline.formats.read import files_of, read, recognise
from pipeline.formats.session import Session
from pipeline.formats.table import Formats, load_own
from pipeline.originals import imported
from store.errors import BadInput, MemdeskError
from store.view import View
from tui.cli.reading import progress_of
from tui.cli.say import complain
from tui.literal import count


@dataclass(slots=True)
class Given:
    """What was read: the sessions, what each path was taken for, and a sentence for each that cannot be read."""

    formats: Formats
    sessions: list[Session] = field(default_factory=list)
    taken: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)

    def own(self, view: View) -> list[Session]:
        """The sessions that count: without copies of one another, and without prompts whose transcript is there.

        Their paths are whole, as the ledger keeps them and the next call may come from another folder.
        """
        whole = [replace(one, path=str(Path(one.path).absolute())) for one in self.sessions]
        return list(without_copies(imported(whole, view, self.formats)))


def read_given(paths: Sequence[str], form: str | None) -> Given:
    """Read all that the paths name. Raises `BadInput` when the format is none, or nothing can be read."""
    formats, problems = load_own()
    for problem in problems:
        complain(problem.message)
    given = Given(formats)
    if form is not None:
        formats.get(form)
    for name in paths:
        _read(given, Path(name).expanduser(), form)
    if given.broken and not given.sessions:
        raise BadInput(" ".join(given.broken))
    for sentence in given.broken:
        complain(sentence)
    for sentence in damage_told(given.sessions):
        complain(sentence)
    return given


def damage_told(sessions: Sequence[Session]) -> Iterator[str]:
    """A sentence for each thing that is wrong with a file: which file, where first, what, and what to do."""
    places: dict[tuple[str, str], list[int]] = {}
    for session in sessions:
        for damage in session.damage:
            places.setdefault((session.path, damage.reason), []).append(damage.line)
    for (path, reason), lines in places.items():
        place = f" line {lines[0]}" if lines[0] else ""
        more = f" (and {len(lines) - 1:,} more like it)" if len(lines) > 1 else ""
        yield f"{path}{place}: {reason}{more}"


def _read(given: Given, path: Path, form: str | None) -> None:
    try:
        files = files_of(path, format=form, formats=given.formats)
    except MemdeskError as error:
        given.broken.append(str(error))
        return
    whats: Counter[str] = Counter()
    with progress_of(files) as look:
        for file in files:
            try:
                what = recognise(file, form, given.formats).what
                given.sessions += read(file, format=form, formats=given.formats, progress=look(file))
                whats[what] += 1
            except MemdeskError as error:
                given.broken.append(str(error))
    if whats:
        kinds = ", ".join(what if len(files) == 1 else f"{what} ({number})" for what, number in whats.items())
        given.taken.append(f"{path}: {kinds}")


def say_taken(given: Given) -> None:
    """Tell a person what each path was taken for, since they may know better."""
    for sentence in given.taken:
        complain(sentence)
    kinds = count(len(given.sessions), "session")
    if len(given.sessions) > len(given.taken):
        complain(f"{kinds} in all; --format NAME reads them as another format.")
