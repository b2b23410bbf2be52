"""The vault: one Markdown file per memory, readable by people and by the yotta engine (`spec/bank.md`)."""
