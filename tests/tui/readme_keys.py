"""The table of keys in the README: `python -m tests.tui.readme_keys` writes it anew."""

from __future__ import annotations

from pathlib import Path

from tui import keys

README = Path(__file__).parents[2] / "README.md"
BEGIN, END = "<!-- keys -->\n", "<!-- /keys -->"


def table() -> str:
    """Key, what it does, where, as Markdown; the keys of the screens are one row."""
    rows = [("`1` to `5`", "open a screen", "everywhere")]
    for id, _, does, where in keys.table():
        if not id.startswith(keys.SCREEN):
            rows.append(
                (" ".join(f"`{keys.name(key)}`" for key in keys.BY_ID[id].keys.split(",")), does, places(where))
            )
    head = ["<details><summary>All keys</summary>", "", "| key | does | where |", "|---|---|---|"]
    return "\n".join([*head, *(f"| {key} | {does} | {where} |" for key, does, where in rows), "", "</details>", ""])


def places(where: str) -> str:
    """Where a key works, in words."""
    names = where.split(", ")
    if set(names) == set(keys.SCREENS):
        return "every screen"
    words = {keys.EVERYWHERE: "everywhere", keys.LISTS: "lists", keys.TEXT: "text boxes"}
    return ", ".join(words.get(name, name.capitalize()) for name in names)


def written(readme: str) -> str:
    """The README with the table as it is now."""
    before, _, rest = readme.partition(BEGIN)
    return before + BEGIN + table() + END + rest.partition(END)[2]


if __name__ == "__main__":
    README.write_text(written(README.read_text(encoding="utf-8")), encoding="utf-8")
