"""Insights and suggestions: further extractors over the same evidence, in the same queue (`spec/memora.md` §8, §11)."""
