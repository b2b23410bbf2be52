"""What a person does with transcripts: read a file, run, try, open a conversation, copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from textual import work

from pipeline.extraction import WHOLE
from pipeline.formats.openai import NAME as MESSAGES
from pipeline.formats.read import read
from pipeline.formats.session import Session
from pipeline.originals import as_known
from pipeline.review.source import place_in
from pipeline.transcripts import Transcript, facts_of
from store.errors import BadInput
from store.view import View
from tui.asking import Asking, asks
from tui.screens import sessions_detail
from tui.screens.failures_runs import LeftOutRuns
from tui.screens.sessions_queue import Ended, Job
from tui.screens.sessions_rows import short
from tui.screens.sessions_run import Run
from tui.screens.sessions_runs import job_for
from tui.text import count, one_line

if TYPE_CHECKING:
    from tui.screens.transcript import Opened


class SessionActs(LeftOutRuns):
    """The keys of the Sessions screen; it fills in what they act on."""

    def current_item(self) -> Transcript | None:
        """The transcript under the cursor."""
        return None

    def targets(self) -> Sequence[Transcript]:
        """The marked transcripts shown, else the one under the cursor."""
        return ()

    def pane_text(self) -> str:
        """What is copied of the pane."""
        return ""

    def queued(self) -> None:
        """What was meant is queued."""

    def add(self, *paths: str) -> None:
        """Show files that are in no usual place, and put the cursor on the first."""

    # --- reading a file

    def do_session_read(self) -> None:
        """Ask for a file and read it."""
        self.ask_for_file("~/")

    @asks
    def ask_for_file(self, text: str) -> Asking:
        """Ask for a path, `text` standing in the box, and read what is there."""
        from tui.screens.sessions_open import OpenFile

        paths = yield OpenFile(text)
        if paths is not None:
            self.add(*paths)
            self.enqueue([Job(path, path, only_read=True) for path in paths])

    @asks
    def do_session_format(self) -> Asking:
        """Say what a file is, where its content tells something else, or nothing."""
        from pipeline.formats.table import load_own
        from tui.widgets.pick import Pick

        item = self.current_item()
        if item is None:
            return
        names = {one.name: one.what for one in load_own()[0].by_name.values()}
        name = yield Pick("What is this file?", names, item.format)
        if name is not None:
            self.read_as[item.id] = name
            self.enqueue([replace(job_for(item, form=name, only_read=True), key="")])

    def was_read(self, run: Run, news: Ended) -> None:
        """A file that was read stays in the list; for message lists it is asked first whose words they are."""
        if news.problem:
            self.tell(news.problem)
        elif not news.sessions and not news.stopped:
            self.tell(
                f"{one_line(run.job.path.rpartition('/')[2], 60)}: the transcripts of all these prompts are there."
            )
        elif news.sessions:
            item, first = self.named.get(run.job.path), news.sessions[0]
            if item is not None:
                self.named[run.job.path] = replace(item, format=first.format, name=run.job.path.rpartition("/")[2])
            self.take_in(run, news)

    @work(exit_on_error=False)
    async def take_in(self, run: Run, news: Ended) -> None:
        """Remember the sessions of a file that the person named."""
        known = self.workbench.desk.view.rows("sessions")
        unknown = [one for one in news.sessions if one.key not in known]
        if not unknown:
            return
        doubtful = any(one.format == MESSAGES for one in unknown)
        if self.workbench.desk.read_only or not (doubtful or run.job.path in self.named):
            return
        if doubtful and not await self.theirs([run.job.path]):
            self.say("Nothing is taken from it: the words are somebody else's.")
            return
        self.keep_in_list(news)

    async def theirs(self, paths: Sequence[str]) -> bool:
        """Whether role user in these message lists is the person (`spec/formats.md` §8)."""
        from tui.widgets.confirm import Confirm

        names = ", ".join(one_line(path.rpartition("/")[2], 60) for path in paths[:3])
        more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
        question = f"Does role user in {names}{more} mean you? Such lists may hold other people's words."
        return await self.app.push_screen_wait(Confirm(question, "these are my words", "somebody else's")) is True

    # --- running

    def do_session_run(self) -> None:
        """Extract from the marked transcripts, or from this one."""
        self.run_all(dry_run=False)

    def do_session_dry_run(self) -> None:
        """The same, and keep nothing."""
        self.run_all(dry_run=True)

    def do_session_plan(self) -> None:
        """Show what a run would show a model; it is worked out first where nobody did."""
        item = self.current_item()
        if item is None:
            return
        run = self.runs.get(item.id)
        if run is not None and run.plan is not None and run.job.spans == self.spans.get(item.id, ()) and run.ended:
            self.was_planned(run)
        elif not item.there:
            self.say("The file is not there any more; nothing can be read.")
        else:
            self.run_all(only_plan=True, just=item)

    def was_planned(self, run: Run) -> None:
        """It is known what a run would show a model."""
        from tui.screens.sessions_plan import PlanReader

        item = self.current_item()
        if run.plan is not None and self.is_current and item is not None and item.id == run.job.id:
            self.app.push_screen(PlanReader(f"What a model would be shown of {self.name_of(run)}", run.plan))

    @asks
    def do_session_span(self) -> Asking:
        """Choose which turns the next run goes over."""
        from tui.spans import FROM, NEW, SHAPE, WHOLE_AGAIN, parsed, readable, span_choices
        from tui.widgets.ask import Ask
        from tui.widgets.pick import Pick

        item = self.current_item()
        if item is None:
            return
        contents = self.contents.get(item.id, ())
        chosen = yield Pick("Which turns does the next run go over?", span_choices(contents))
        if chosen == NEW:
            self.spans.pop(item.id, None)
        elif chosen == WHOLE_AGAIN:
            self.spans[item.id] = (WHOLE,)
        elif chosen == FROM:
            check = partial(readable, turns=max((one.last_seq for one in contents), default=None))
            typed = yield Ask("From which turn to which?", placeholder=SHAPE, check=check)
            if typed is None:
                return
            self.spans[item.id] = (parsed(typed),)
        self.changed(item.id)

    @work(exit_on_error=False)
    async def run_all(self, *, dry_run: bool = False, only_plan: bool = False, just: Transcript | None = None) -> None:
        """Queue the transcripts that are meant, oldest first, so that a copy comes after its original."""
        items = [just] if just is not None else sorted(self.targets(), key=lambda item: item.when)
        gone = [item for item in items if not item.there]
        items = [item for item in items if item.there]
        doubtful = [item.path for item in items if item.doubtful]
        if doubtful and not await self.theirs(doubtful):
            items = [item for item in items if not item.doubtful]
        if gone and not items:
            self.say(f"{count(len(gone), 'file')} not there any more; nothing can be read.")
        asked = {"dry_run": dry_run, "only_plan": only_plan}
        self.enqueue([self._job(item, **asked) for item in items])
        if just is None:
            self.queued()

    def _job(self, item: Transcript, **asked: Any) -> Job:
        """What is asked of a transcript, with the format and the turns that the person chose for it."""
        form, spans = self.read_as.get(item.id, ""), self.spans.get(item.id, ())
        return job_for(item, ours=item.doubtful, form=form, spans=spans, **asked)

    # --- opening and copying

    def do_session_open(self) -> None:
        """The conversation itself, the words that were quoted from it marked."""
        from tui.screens.transcript import Transcript as TranscriptReader
        from tui.screens.transcript_remember import rememberer

        item = self.current_item()
        if item is not None:
            title = f"{short(one_line(item.name, 60))}   {one_line(item.format, 40)}"
            view = self.workbench.desk.view
            self.app.push_screen(TranscriptReader(title, partial(load, view, item), rememberer(self.workbench)))

    def do_item_copy(self) -> None:
        """The log of the run, else what the pane says."""
        item = self.current_item()
        if item is not None:
            run = self.runs.get(item.id)
            what = "the log" if run is not None and run.log else "the pane"
            self.copy(self.pane_text(), what)

    def do_item_copy_json(self) -> None:
        """As JSON."""
        items = self.targets()
        self.copy(sessions_detail.as_json(items, self.runs), f"{count(len(items), 'session')} as JSON")


def load(view: View, item: Transcript, cancelled: Callable[[], bool]) -> Opened:
    """The session of a transcript with the places of the words that facts rest on, for the reader."""
    sessions = read(item.path, format=item.read_as or None, cancelled=cancelled)
    session = next((one for one in sessions if not item.key or as_known(one, view).key == item.key), None)
    if session is None:
        raise BadInput(f"{item.path} does not hold this session any more.")
    return session, _places(view, item, session)


def _places(view: View, item: Transcript, session: Session) -> dict[int, list[tuple[int, int]]]:
    places: dict[int, list[tuple[int, int]]] = {}
    for fact in facts_of(view, item):
        for quote in fact.quotes:
            if (place := place_in(session, quote)) is not None:
                places.setdefault(place[0], []).append(place[1:])
    return places
