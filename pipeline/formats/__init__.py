"""One file per tool: its transcripts become sessions of turns with an author each (`spec/formats.md`)."""
