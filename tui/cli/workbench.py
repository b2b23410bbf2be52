"""From what a call asks for to the workbench: settings, bank, and what the last session left of it.

Nothing here parses a command line, so that `memdesk` and `memdesk open PATH` need not import what does.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from store.config import Config, load_config
from store.errors import BadInput
from store.places import config_home
from store.roots import default_root, project_root
from tui.cli.asked import Options

if TYPE_CHECKING:
    from pipeline.recall.encoding.chosen import Chosen
    from store.bank import Bank
    from store.memory import Problem
    from store.view import View


def open_workbench(options: Options, path: str | None) -> int:
    """Open the workbench on the bank that the options name, or on the welcome screen when there is none.

    The exit code. Raises `BadInput` for options that mean nothing here, and without a terminal.
    """
    if options.agent is not None or options.json:
        raise BadInput("The workbench is a person's and has no JSON; leave out --as and --json.")
    root = project_root() if options.project else default_root(path or options.bank).path
    named = bool(path or options.bank or options.project)
    config = load_config()
    read_only = options.read_only or bool(config.get("read_only"))
    if not root.exists() and not named:
        return run_workbench(options, config, None, place=root)
    return run_workbench(options, config, partial(_open, root, read_only), place=root, head=_head(root))


def _open(root: Path, read_only: bool) -> Bank:
    from store.bank import Bank  # not before the first frame

    return Bank.open(root, read_only=read_only)


def _head(root: Path) -> View | None:
    from store.head import head_file, read_head
    from store.places import cache_file

    return read_head(head_file(cache_file(root)), root.absolute()) if root.is_dir() else None


def open_demo(options: Options, folder: Path) -> int:
    """Make the demo in a folder and open the workbench on it; the exit code."""
    with ExitStack() as stack:
        return run_workbench(options, load_config(), partial(_build, folder, stack), demo=True)


def _build(folder: Path, stack: ExitStack) -> Bank:
    """Make the demo; the hook and the transcripts are the demo's until the stack is closed."""
    from tui.demo.build import build_demo, demo_places

    stack.enter_context(demo_places(folder))
    return build_demo(folder)


def _private_demo(stack: ExitStack) -> Bank:
    """Make the demo in a folder of its own, which is gone when the stack is closed."""
    from tempfile import TemporaryDirectory

    folder = stack.enter_context(TemporaryDirectory(prefix="memdesk-demo-"))
    return _build(Path(folder), stack)


def _encoder(config: Config) -> Chosen:
    from pipeline.recall.encoding.chosen import encoder_of  # not before the first search

    return encoder_of(config)


def need_terminal() -> None:
    """Refuse (`BadInput`) where the workbench could not be seen or typed at."""
    if not sys.stdin.isatty() or not (sys.stdout.isatty() or sys.stderr.isatty()):
        raise BadInput("The workbench needs a terminal; from a script use a command, such as `memdesk list --json`.")


def run_workbench(
    options: Options,
    config: Config,
    opener: Callable[[], Bank] | None,
    *,
    place: Path | None = None,
    head: View | None = None,
    demo: bool = False,
) -> int:
    """Run the workbench until the person leaves; the bank is closed behind it. Raises `BadInput` without a terminal.

    `place` is where the bank is or would be made, `head` what is known of it already; with `demo` the opener makes one.
    """
    need_terminal()
    from tui.app import Workbench
    from tui.options import Options as Start

    for name in ("COLUMNS", "LINES"):
        os.environ.pop(name, None)  # what a shell exported once is not how large the window is now
    with ExitStack() as stack:
        start = Start(
            read_only=options.read_only or bool(config.get("read_only")),
            mouse=bool(config.get("mouse")) and not options.no_mouse,
            keymap=config.keymap,
            theme=str(config.get("theme")),
            notices=tuple(problem.message for problem in (*config.problems, *_table_problems())),
            place=place or default_root().path,
            head=head,
            opening="Making a copy of the demo ..." if demo else "",
            demo=partial(_private_demo, stack),
            encoder=partial(_encoder, config),
        )
        app = Workbench(opener=opener, options=start.in_demo if demo else start)
        app.run(mouse=start.mouse)
    return app.return_code or 0


def _table_problems() -> tuple[Problem, ...]:
    """What is wrong with the person's own tables of formats and envelopes; looked at only where there are any."""
    if not any((config_home() / name).exists() for name in ("formats.toml", "envelopes.toml")):
        return ()
    from pipeline.formats.read import own_problems

    return own_problems()
