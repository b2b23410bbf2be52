"""`--version`, and with `--verbose` who one is here and which folders are used."""

from __future__ import annotations

from importlib.metadata import version

from store.places import folders
from store.roots import default_root
from tui.cli.options import Options
from tui.cli.say import print_json, row, say


def about(options: Options) -> None:
    """Print the version; with `--verbose` also the identity, the bank in force and Memdesk's own folders."""
    release = version("memdesk")
    root = default_root(options.bank)
    places = {name: str(path) for name, path in folders().items()}
    identity = options.agent or "you"
    if options.json:
        print_json({"version": release, "identity": identity, "bank": str(root.path), "folders": places})
        return
    say(f"memdesk {release}")
    if options.verbose:
        row(f"{'identity':<10}", identity)
        row(f"{'bank':<10}", f"{root.path} (named by {root.named_by})")
        for name, path in places.items():
            row(f"{name:<10}", path)
