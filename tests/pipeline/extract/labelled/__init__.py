"""Snippets as people type them, with the facts that stand in each, written by somebody who never saw the rules."""
