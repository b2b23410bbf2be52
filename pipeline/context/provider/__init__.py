"""Programs that may change a pack: which, what they are asked, how they are run, and what they said (part C, §22)."""
