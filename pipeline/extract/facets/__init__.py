"""What a fact is, when it holds, where it counts and what finds it (`spec/extraction.md` §25, "Facets")."""
