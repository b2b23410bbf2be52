"""The key that shows what no run got through, and the runs that try it again."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from pipeline.model import open_door
from pipeline.review.left_out import LeftOut, again, give_up
from pipeline.transcripts import Transcript
from store.config import load_config
from store.view import View
from tui.asking import Asking, asks
from tui.extracting import extract_options, model_settings
from tui.messages import Task
from tui.screens.failures import Chosen, LeftOutList
from tui.screens.failures_rows import name, turns
from tui.screens.sessions_queue import Bench, Job
from tui.screens.sessions_runs import Runs, job_for


class LeftOutRuns(Runs):
    """A screen with transcripts whose left-out ranges can be tried again."""

    items: tuple[Transcript, ...] = ()

    @asks
    def do_session_left_out(self) -> Asking:
        """Show what no run got through, and do what is wanted of it."""
        desk = self.workbench.desk
        settings = model_settings(load_config())
        model = settings.model if settings is not None else ""
        chosen: Chosen | None = yield LeftOutList(desk.view, model=model, read_only=desk.read_only)
        if chosen is None:
            return
        one = chosen.left_out
        if chosen.give_up:
            desk.put(Task("commit", plan=partial(_given_up, one)))
            return
        self.enqueue([self._job_again(chosen)])
        self.say(f"Trying {turns(one)} of {name(one)} again{f' with {chosen.model}' if chosen.model else ''}.")

    def _job_again(self, chosen: Chosen) -> Job:
        """The run over one range: of the transcript in the list, where it stands there."""
        one = chosen.left_out
        span = again(one, override=one.state == "denied", halves=chosen.halves)
        item = next((item for item in self.items if item.key == one.session or item.path == one.path), None)
        if item is None:
            return Job(one.session, one.path, one.session, spans=(span,), model=chosen.model)
        return replace(job_for(item, spans=(span,)), key=one.session, model=chosen.model)

    def bench_of(self, job: Job, bench: Bench) -> Bench:
        """What a job is worked on with: a door of its own where another model was named for it."""
        if not job.model:
            return bench
        config = load_config()
        settings = model_settings(config, job.model)
        return replace(bench, door=open_door(settings), options=extract_options(config, settings), parallel=1)


def _given_up(one: LeftOut, view: View) -> Task:
    """Giving up, worked out from the bank as it is when its turn comes."""
    done = f"Given up: {turns(one)} of {name(one)}. The next run goes on behind them."
    return Task("commit", give_up(view, one), done)
