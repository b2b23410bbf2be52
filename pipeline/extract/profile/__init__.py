"""Facts about the person: found by `rules`, waiting as `rows`, shown as a `portrait` (`spec/memora.md` §7)."""
