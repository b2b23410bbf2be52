"""`open`, `demo`, and `memdesk` alone: the workbench."""

from __future__ import annotations

from pathlib import Path

import click

from store.errors import BadInput
from tui.cli.options import chosen, global_options
from tui.cli.say import say
from tui.cli.workbench import need_terminal, open_demo, open_workbench


@click.command("open")
@click.argument("path", required=False)
@global_options
@click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
@click.pass_context
def open_command(ctx: click.Context, path: str | None, no_mouse: bool) -> None:
    """Open the workbench on a bank (or the default bank, offering to create one)."""
    options = chosen(ctx)
    options.no_mouse = options.no_mouse or no_mouse
    if path and (options.bank or options.project):
        raise BadInput("PATH names the bank already; leave out --bank and --project.")
    ctx.exit(open_workbench(options, path))


@click.command("demo")
@click.option("--keep", metavar="DIR", help="Make the demo there and leave it; otherwise no trace stays.")
@click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
@global_options
@click.pass_context
def demo_command(ctx: click.Context, keep: str | None, no_mouse: bool) -> None:
    """Open the workbench on a private copy of the demo bank."""
    options = chosen(ctx)
    options.no_mouse = options.no_mouse or no_mouse
    if keep is None:
        need_terminal()
        import tempfile  # with its compressors; never on the way to the first frame of a bank

        with tempfile.TemporaryDirectory(prefix="memdesk-demo-") as place:
            code = open_demo(options, Path(place))
        ctx.exit(code)
    folder = Path(keep).expanduser().absolute()
    if folder.exists() and any(folder.iterdir()):
        raise BadInput(f"{folder} is not empty; name a new folder for the demo.")
    need_terminal()
    code = open_demo(options, folder)
    say(f"The demo is in {folder}; open its bank with `memdesk open {folder / 'bank'}`.")
    ctx.exit(code)
