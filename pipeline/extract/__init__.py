"""From what a person typed to proposals with evidence (`spec/extraction.md`)."""
