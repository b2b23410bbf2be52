"""What agents load from files of their own: which lines, which not, and what is lost on the way (`spec/formats.md`)."""
