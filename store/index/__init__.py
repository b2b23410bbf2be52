"""Indexes over the memories: rebuilt at will, never the truth."""
