"""`config get` and `config set`: settings of the person and of the bank, each kept in its place."""

from __future__ import annotations

from collections.abc import Sequence

import click

from store import settings
from store.changes import Changeset
from store.config import load_config, set_value
from store.errors import NotABank, NotPermitted
from store.roots import read_yotta_config
from tui.cli.banks import open_banks, origin_of
from tui.cli.options import Options, chosen, global_options
from tui.cli.say import print_json, row, say


@click.group("config", invoke_without_command=True)
@global_options
@click.pass_context
def config_command(ctx: click.Context) -> None:
    """Read or change one setting; alone it lists them all."""
    if ctx.invoked_subcommand is None:
        ctx.invoke(get_command)


@config_command.command("get")
@click.argument("key", required=False)
@global_options
@click.pass_context
def get_command(ctx: click.Context, key: str | None) -> None:
    """Print the value in force of KEY, or every setting with what it does."""
    options = chosen(ctx)
    chosen_settings = [settings.setting_named(key)] if key else list(settings.SETTINGS)
    values = _values(options, chosen_settings)
    if options.json:
        print_json({"settings": values})
    elif key:
        say(_words(values[key]))
    else:
        for setting in chosen_settings:
            row(f"{setting.key:<28}", f"{_words(values[setting.key]):<10}", f"{setting.place}: {setting.words}")


@config_command.command("set")
@click.argument("key")
@click.argument("value")
@global_options
@click.pass_context
def set_command(ctx: click.Context, key: str, value: str) -> None:
    """Give KEY a value; yours go to config.toml, the bank's into its ledger."""
    options = chosen(ctx)
    if options.agent is not None:
        raise NotPermitted("Settings are a person's; leave out --as.")
    setting = settings.setting_named(key)
    parsed = settings.parse_value(setting, value)
    if setting.place == "person":
        set_value(key, parsed)
    else:
        with open_banks(options) as banks:
            change = settings.bank_change(key, parsed)
            banks.commit(banks.target, Changeset([change], f"set {key}", origin_of()))
    if options.json:
        print_json({"settings": {key: parsed}})
    else:
        say(f"{key} is {_words(parsed) or 'not set'}.")


def _values(options: Options, wanted: Sequence[settings.Setting]) -> dict[str, settings.Value]:
    """The value of each setting in force; without a bank its settings have their defaults."""
    config = load_config()
    values = {one.key: config.get(one.key) if one.place == "person" else one.default for one in wanted}
    of_bank = [one.key for one in wanted if one.place == "bank"]
    try:
        if of_bank:
            with open_banks(options) as banks:
                view, yotta = banks.bank.view(), read_yotta_config()
                values |= {key: settings.bank_value(view, key, yotta) for key in of_bank}
    except NotABank:
        if options.bank or options.project:
            raise
    return values


def _words(value: settings.Value) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)
