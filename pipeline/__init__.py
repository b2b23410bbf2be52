"""What is thought: transcripts are read, facts proposed, memories recalled and packed. Nothing here writes."""
