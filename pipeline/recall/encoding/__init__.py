"""Texts to vectors of meaning: the bundled encoder and any embedding model behind one interface."""
