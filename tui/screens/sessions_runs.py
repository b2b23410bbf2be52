"""The runs of the Sessions screen: asked for, queued, followed, stopped. The thread tells, this adds up and shows."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import on, work
from textual.message import Message
from textual.timer import Timer

from pipeline.contents import Contents, after_run
from pipeline.extraction import ExtractReport
from pipeline.formats.openai import NAME as MESSAGES
from pipeline.model import LitellmDoor, ModelSettings, OfflineDoor, open_door
from pipeline.transcripts import Transcript, opened
from store.config import load_config
from store.errors import MemdeskError
from tui.extracting import extract_options, model_settings
from tui.screens.frame import Framed
from tui.screens.sessions_queue import Bench as QueueBench
from tui.screens.sessions_queue import Ended, Job, News, ReadAll, ReadTo, Stop, work_off
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


class Emptied(Message):
    """The queue is worked off."""


class Runs(Framed):
    """What a screen needs to run extractions; it fills in `changed` and `look_again`."""

    def __init__(self, workbench: Bench) -> None:
        super().__init__(workbench)
        self.runs: dict[str, Run] = {}
        self.contents: dict[str, tuple[Contents, ...]] = {}
        self.new: dict[str, int] = {}
        """Messages that no run has evaluated, by id, of the files that were read."""
        self.named: dict[str, Transcript] = {}
        """Files that the person named and that neither a usual place nor the ledger holds, by path."""
        self.settings: ModelSettings | None = None
        self._jobs: deque[Job] = deque()
        self._stop = Stop()
        self._working = False
        self._door: tuple[ModelSettings | None, LitellmDoor | OfflineDoor] | None = None
        self._tick: Timer | None = None

    # --- for the screen

    def changed(self, id: str) -> None:
        """Something is to be shown otherwise."""

    def look_again(self) -> None:
        """The ledger or the files have changed."""

    # --- asking

    @property
    def going(self) -> Run | None:
        """The run that is being worked on."""
        return next((run for run in self.runs.values() if run.going), None)

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
        """Ask for work; what runs or waits already is left alone. It is done in the order of the files' age."""
        fresh = [job for job in jobs if (run := self.runs.get(job.id)) is None or not (run.going or run.waits)]
        for job in fresh:
            self.runs[job.id] = queued(job)
            self._jobs.append(job)
            self.changed(job.id)
        if fresh and not self._working:
            self._begin()

    def _begin(self) -> None:
        self._working, self._stop = True, Stop()
        config = load_config()
        self.settings = model_settings(config)
        bench = QueueBench(
            self.workbench.desk.bank, self._open_door(), extract_options(config, self.settings), self._stop, self._tell
        )
        if self._tick is None:
            self._tick = self.set_interval(TICK, self._ticked)
        self.work_off(bench)

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
    def work_off(self, bench: QueueBench) -> None:
        """Work the queue off on a thread; each step comes back as a message."""
        try:
            work_off(self._next_job, bench)
        finally:
            self.post_message(Emptied())

    def _next_job(self) -> Job | None:
        return self._jobs.popleft() if self._jobs else None

    def _tell(self, job: Job, news: News) -> None:
        self.post_message(Told(job, news))

    def _ticked(self) -> None:
        if (run := self.going) is not None:
            self.changed(run.job.id)

    # --- hearing

    @on(Told)
    def _told(self, message: Told) -> None:
        job = message.job
        run = self.runs[job.id] = after(self.runs.get(job.id) or queued(job), message.news)
        if isinstance(message.news, ReadAll | Ended) and run.contents:
            view = self.workbench.desk.view
            self._keep(job.id, tuple(after_run(one, view) for one in run.contents))
        if isinstance(message.news, Ended):
            self._ended(run, message.news)
        self.changed(job.id)

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
        elif news.problem:
            self.tell(f"{name}: {news.problem}")
        elif run.began:
            self.tell(f"{name} was stopped; what was settled stands.")
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

    @on(Emptied)
    def _emptied(self) -> None:
        self._working = False
        if self._jobs:
            self._begin()
            return
        if self._tick is not None:
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
        """After this call; again: now."""
        first = self._stop.step()
        self.say(
            f"Stops after this call; {self.workbench.pressed_id('session.stop')} again stops now."
            if first
            else "Stopping now."
        )

    def leave(self) -> None:
        """The workbench is left: nothing is waited for."""
        self._stop.at_once()
        self._close_door()

    def on_unmount(self) -> None:
        """Nothing goes on behind a closed screen."""
        self.leave()


def job_for(item: Transcript, *, dry_run: bool = False, only_read: bool = False, ours: bool = False) -> Job:
    """What is asked of one transcript of the list; a line that is one session of many picks that one."""
    key = item.key if item.id == item.key else ""
    ran = item.format == MESSAGES and not item.doubtful
    return Job(item.id, item.path, key, ours or ran, dry_run, only_read)
