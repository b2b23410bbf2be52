"""The widgets: they post messages and know nothing of the store."""
