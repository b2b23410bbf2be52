"""The command group: verbs loaded when they are called, and every fault as one sentence with its exit code."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Sequence
from typing import Any

import click

from store.errors import MemdeskError, StorageFailure
from tui.cli.options import chosen, global_options
from tui.cli.say import complain, leave_stdout, print_json, put

VERBS = {
    "open": "open",
    "demo": "open",
    "init": "write",
    "list": "read",
    "recall": "recall",
    "suggest": "suggest",
    "show": "read",
    "remember": "write",
    "edit": "write",
    "forget": "write",
    "restore": "write",
    "context": "context",
    "extract": "extract",
    "review": "review",
    "approve": "review",
    "reject": "review",
    "log": "history",
    "undo": "history",
    "config": "config",
    "hook": "hook",
}
"""Each command and the file under `tui/cli/` that holds it."""

SHELLS = ("bash", "zsh", "fish")
SOUGHT = frozenset({"words", "query"})
"""What commands call the words that they look for."""


class Verbs(click.Group):
    """A group that imports a command's file only when that command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of `product.md`."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name not in VERBS:
            return None
        module = importlib.import_module(f"tui.cli.{VERBS[cmd_name]}")
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; that whoever reads its output went away is no fault."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            leave_stdout()
            return None


def _completion(ctx: click.Context, _: click.Parameter, shell: str | None) -> None:
    if shell is None:
        return
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    assert found is not None
    put(found(cli, {}, "memdesk", "_MEMDESK_COMPLETE").source() + "\n")
    ctx.exit()


@click.group(cls=Verbs, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@global_options
@click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
@click.option("--version", is_flag=True, help="Print the version (with --verbose: the folders in use).")
@click.option("--verbose", is_flag=True, help="Say more.")
@click.option(
    "--completion",
    type=click.Choice(SHELLS),
    callback=_completion,
    expose_value=False,
    is_eager=True,
    help="Print the completion script of a shell.",
)
@click.pass_context
def cli(ctx: click.Context, no_mouse: bool, version: bool, verbose: bool) -> None:
    """Memdesk is the review desk for what AI agents remember. Alone it opens the workbench."""
    options = chosen(ctx)
    options.no_mouse, options.verbose = no_mouse, verbose
    if version:
        from tui.cli.about import about

        about(options)
    elif ctx.invoked_subcommand is None:
        from tui.cli.workbench import open_workbench

        ctx.exit(open_workbench(options, None))


def run(arguments: Sequence[str]) -> int:
    """Run one call and return its exit code (`product.md`, "Commands"); never a stack trace."""
    try:
        code = cli.main(list(arguments), prog_name="memdesk", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.exceptions.Abort:
        return 130
    except Exception as error:
        return failed(arguments, error)


def failed(arguments: Sequence[str], error: Exception) -> int:
    """Say in one sentence why a call failed; its exit code. What was not foreseen goes to the log."""
    if isinstance(error, click.ClickException):
        return _fail(arguments, _sentence(error), 2)
    if isinstance(error, MemdeskError):
        return _fail(arguments, str(error), error.exit_code)
    from tui.faults import report

    return _fail(arguments, report(error), 5)


def _sentence(error: click.ClickException) -> str:
    words = error.format_message().strip().rstrip(".")
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    if ctx is None or ctx.command is cli:
        return f"{words}; see `memdesk --help`."
    if isinstance(error, click.NoSuchOption) and _takes_words(ctx.command) and not error.option_name.startswith("--"):
        path = ctx.command_path
        return f"{words}; put -- before words that begin with a minus, as `{path} -- -lunch tea`, see `{path} --help`."
    pieces = [piece for piece in ctx.command.collect_usage_pieces(ctx) if piece != "[OPTIONS]"]
    return f"{words}; write `{' '.join([ctx.command_path, *pieces])}`, see `{ctx.command_path} --help`."


def _takes_words(command: click.Command) -> bool:
    """Whether what is looked for may begin with a minus."""
    return any(isinstance(one, click.Argument) and one.nargs == -1 and one.name in SOUGHT for one in command.params)


def _fail(arguments: Sequence[str], message: str, code: int) -> int:
    if "--json" in arguments:
        wrong, _, todo = message.partition("; ")
        with contextlib.suppress(StorageFailure, BrokenPipeError):
            print_json({"error": {"message": wrong, "todo": todo}})
    complain(message)
    return code
