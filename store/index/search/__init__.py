"""The search index: sorted terms, so that every prefix is one slice of the postings (`design/recall.md` §1, §5)."""
