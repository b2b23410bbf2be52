"""What is kept: memories as Markdown files, the ledger, and the one path by which either changes."""
