"""The hybrid ranking: words, threads, owner and date, then meaning, on one fixed scale (`design/recall.md` §4)."""
