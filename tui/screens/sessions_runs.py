"""The runs of the Sessions screen: asked for, queued, followed, stopped. The thread tells, this adds up and shows."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from textual import on, work
from textual.message import Message
from textual.timer import Timer

from pipeline.bounded import BoundedDoor
from pipeline.contents import Contents, after_run
from pipeline.extract.rerun import Span
from pipeline.extraction import ExtractReport
from pipeline.formats.openai import NAME as MESSAGES
from pipeline.model import LitellmDoor, ModelSettings, OfflineDoor, open_door
from pipeline.transcripts import Transcript, opened
from store import clock
from store.config import load_config
from store.errors import MemdeskError
from tui.extracting import extract_options, model_settings, parallel
from tui.screens.frame import Framed
from tui.screens.sessions_queue import Began, Ended, Job, News, ReadAll, ReadTo, work_on
from tui.screens.sessions_queue import Bench as QueueBench
from tui.screens.sessions_rows import short
from tui.screens.sessions_run import Run, after, queued
from tui.screens.sessions_words import outcome
from tui.text import count, one_line

if TYPE_CHECKING:
    from tui.bench import Bench

TICK = 1.0
"""Seconds after which the time of a run is shown again."""
MOST_CONTENTS = 200
"""Files whose contents stay in memory."""


class Told(Message):
    """News of one job."""

    def __init__(self, job: Job, news: News) -> None:
        super().__init__()
        self.job, self.news = job, news

    def can_replace(self, message: Message) -> bool:
        """How far a file was read replaces how far it was read before."""
        same = isinstance(message, Told) and message.job is self.job
        return same and isinstance(self.news, ReadTo) and isinstance(message.news, ReadTo)  # type: ignore[attr-defined]


class Runs(Framed):
    """What a screen needs to run extractions; it fills in `changed` and `look_again`."""

    def __init__(self, workbench: Bench) -> None:
        super().__init__(workbench)
        self.runs: dict[str, Run] = {}
        self.contents: dict[str, tuple[Contents, ...]] = {}
        self.new: dict[str, int] = {}
        """Messages that no run has evaluated, by id, of the files that were read."""
        self.read_as: dict[str, str] = {}
        """The format that the person named for a file, by id."""
        self.named: dict[str, Transcript] = {}
        """Files that the person named and that neither a usual place nor the ledger holds, by path."""
        self.spans: dict[str, tuple[Span, ...]] = {}
        """The turns that the next run of a transcript goes over, by id, where they are not the new ones."""
        self.settings: ModelSettings | None = None
        self._jobs: deque[Job] = deque()
        self._bench: QueueBench | None = None
        self._starting = False
        """Whether a job was begun and has not said so yet."""
        self._door: tuple[ModelSettings | None, LitellmDoor | OfflineDoor] | None = None
        self._tick: Timer | None = None

    # --- for the screen

    def changed(self, id: str) -> None:
        """Something is to be shown otherwise."""

    def look_again(self) -> None:
        """The ledger or the files have changed."""

    def targets(self) -> Sequence[Transcript]:
        """The marked transcripts shown, else the one under the cursor."""
        return ()

    # --- asking

    @property
    def going(self) -> list[Run]:
        """The runs that are being worked on."""
        return [run for run in self.runs.values() if run.going]

    @property
    def waiting(self) -> int:
        """How many wait for their turn."""
        return sum(run.waits for run in self.runs.values())

    @property
    def unfinished(self) -> str:
        """Why leaving should ask first."""
        open_runs = [run for run in self.runs.values() if (run.going or run.waits) and not run.job.only_read]
        if not open_runs:
            return ""
        return f"{count(len(open_runs), 'transcript is', 'transcripts are')} being read; what is settled stays."

    def enqueue(self, jobs: Sequence[Job]) -> None:
        """Ask for work; what runs or waits already is left alone. It is begun in the order of the files' age."""
        fresh = [job for job in jobs if (run := self.runs.get(job.id)) is None or not (run.going or run.waits)]
        for job in fresh:
            before = self.runs.get(job.id)
            self.runs[job.id] = queued(job, before.plan if before is not None and job.dry_run else None)
            self._jobs.append(job)
            self.changed(job.id)
        self._begin_next()

    def _begin_next(self) -> None:
        """Begin what may begin: files are read one after the other, in order, and evaluated side by side."""
        if not self._jobs:
            return
        going = self.going
        if not going:
            self._set_up()
        bench = self._bench
        if bench is None or self._starting or any(run.reading for run in going) or len(going) >= bench.parallel:
            return
        self._starting = True
        job = self._jobs.popleft()
        self.work_on(job, self.bench_of(job, bench))

    def bench_of(self, job: Job, bench: QueueBench) -> QueueBench:
        """What a job is worked on with; a door of its own is closed behind it."""
        return bench

    def _set_up(self) -> None:
        """What the next runs are worked on with, as the settings are now."""
        config = load_config()
        self.settings = model_settings(config)
        most = parallel(config)
        door = BoundedDoor(self._open_door(), most)
        options = extract_options(config, self.settings)
        self._bench = QueueBench(self.workbench.desk.bank, door, options, self._tell, most)
        if self._tick is None:
            self._tick = self.set_interval(TICK, self._ticked)

    def _open_door(self) -> LitellmDoor | OfflineDoor:
        """The door that the settings name; the one that is open when it is the same."""
        if self._door is None or self._door[0] != self.settings:
            self._close_door()
            self._door = (self.settings, open_door(self.settings))
            if self.settings is not None:
                self.say("Model access is being started; the first call takes some seconds longer.")
        return self._door[1]

    def _close_door(self) -> None:
        if self._door is not None:
            self._door[1].close()
            self._door = None

    @work(thread=True, group="run", exit_on_error=False)
    def work_on(self, job: Job, bench: QueueBench) -> None:
        """Do one job on a thread; each step comes back as a message."""
        try:
            work_on(job, bench)
        finally:
            if job.model and isinstance(bench.door, LitellmDoor | OfflineDoor):
                bench.door.close()

    def _tell(self, job: Job, news: News) -> None:
        self.post_message(Told(job, news))

    def _ticked(self) -> None:
        for run in self.going:
            self.changed(run.job.id)

    # --- hearing

    @on(Told)
    def _told(self, message: Told) -> None:
        job = message.job
        if (known := self.runs.get(job.id)) is None or known.job is not job:
            return  # news of a run that was asked for again meanwhile
        run = self.runs[job.id] = after(known, message.news)
        self._starting = self._starting and not isinstance(message.news, Began)
        if isinstance(message.news, ReadAll | Ended) and run.contents:
            view = self.workbench.desk.view
            self._keep(job.id, tuple(after_run(one, view) for one in run.contents))
        if isinstance(message.news, Ended):
            if run.report is not None and not run.job.dry_run and not run.stopped and not run.problem:
                self.spans.pop(job.id, None)
            self._ended(run, message.news)
        self.changed(job.id)
        if isinstance(message.news, ReadAll | Ended):
            self._begin_next()
            self._calm_down()

    def _keep(self, id: str, contents: tuple[Contents, ...]) -> None:
        self.contents.pop(id, None)
        self.contents[id] = contents
        self.new[id] = sum(one.new for one in contents)
        while len(self.contents) > MOST_CONTENTS:
            oldest = next(iter(self.contents))
            del self.contents[oldest], self.new[oldest]

    def forget_changed(self, items: Sequence[Transcript]) -> None:
        """What a file held counts only while the file is as it was read."""
        for item in items:
            read = self.contents.get(item.id)
            if read and item.there and (read[0].size, read[0].modified) != (item.size, item.modified):
                del self.contents[item.id], self.new[item.id]

    def _ended(self, run: Run, news: Ended) -> None:
        name = self.name_of(run)
        if run.job.only_read:
            self.was_read(run, news)
        elif news.report is not None and not news.stopped:
            self._say_outcome(name, news.report)
        elif run.job.only_plan and not news.problem and not news.stopped:
            self.was_planned(run)
        elif news.problem:
            self.tell(f"{name}: {news.problem}")
        elif run.began:
            self.tell(f"{name} was stopped; what was settled stands.{self._others()}")
        self.look_again()

    def _say_outcome(self, name: str, report: ExtractReport) -> None:
        ready = not report.dry_run and any(one.counted for one in report.proposals)
        self.tell(outcome(name, report), "review" if ready else "")

    def tell(self, sentence: str, mode: str = "") -> None:
        """Say something on the screen that the person looks at; `mode` is the screen that has more of it."""
        modes = [place.mode for place in self.workbench.places]
        todo = f"app.screen-{modes.index(mode) + 1}" if mode in modes else ""
        self.workbench.framed.say(sentence, todo)

    def name_of(self, run: Run) -> str:
        """The session's short name, else the file's."""
        sessions = run.contents
        if len(sessions) == 1:
            return short(one_line(sessions[0].key.partition("/")[2]))
        return one_line(run.job.path.rpartition("/")[2], 60)

    def was_read(self, run: Run, news: Ended) -> None:
        """A file was read without being evaluated."""

    def was_planned(self, run: Run) -> None:
        """It is known what a run would show a model."""

    def _calm_down(self) -> None:
        """Nothing goes on any more: nothing needs to be shown again each second."""
        if not self.going and not self._jobs and self._tick is not None:
            self._tick.stop()
            self._tick = None
            self.changed("")

    # --- keeping a file in the list

    @work(thread=True, group="record", exit_on_error=False)
    def keep_in_list(self, news: Ended) -> None:
        """The ledger remembers sessions that the person named."""
        bank = self.workbench.desk.bank
        try:
            bank.record(opened(bank.view(), news.sessions))
        except MemdeskError as error:
            self.app.call_from_thread(self.say, str(error))

    # --- stopping

    def do_session_stop(self) -> None:
        """Stop the runs that are meant, at once; where none of these runs, every one."""
        every = [run for run in self.runs.values() if run.going or run.waits]
        meant = {item.id for item in self.targets()}
        chosen = [run for run in every if run.job.id in meant and not run.job.stop.is_set()] or every
        for run in chosen:
            self._stop(run)
        self.say(f"Stopping {count(len(chosen), 'run')}; what is settled stays.{self._others()}")

    def _others(self) -> str:
        """How to stop what was not stopped."""
        left = sum((run.going or run.waits) and not run.job.stop.is_set() for run in self.runs.values())
        return f" {left:,} more go on; {self.workbench.pressed_id('session.stop')} stops them." if left else ""

    def _stop(self, run: Run) -> None:
        run.job.stop.set()
        if run.waits and run.job in self._jobs:
            self._jobs.remove(run.job)
            self._tell(run.job, Ended(clock.millis(), stopped=True))

    def leave(self) -> None:
        """The workbench is left: nothing is waited for."""
        self._jobs.clear()
        for run in self.runs.values():
            run.job.stop.set()
        self._close_door()

    def on_unmount(self) -> None:
        """Nothing goes on behind a closed screen."""
        self.leave()


def job_for(item: Transcript, *, ours: bool = False, **asked: Any) -> Job:
    """What is asked of one transcript of the list; a line that is one session of many picks that one.

    `asked` are further fields of the job. What was read before is read as the same format.
    """
    key = item.key if item.id == item.key else ""
    ran = item.format == MESSAGES and not item.doubtful
    form = asked.pop("form", "") or item.read_as
    return Job(item.id, item.path, key, ours or ran, form=form, **asked)
