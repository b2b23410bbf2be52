"""The context pack: what an agent will be told, and the fate of every memory (`spec/context.md`)."""
