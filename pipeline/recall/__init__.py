"""Finding memories: rankers, their scores and the words that explain them (`spec/bank.md` §9–11)."""
