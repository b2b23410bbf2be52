"""The gap ledger and its bookkeeping: rows of the bank's ledger, read tolerantly (`spec/extraction.md` §17, §24)."""
