"""What a person types, understood: operators, phrases, which rows pass, what is marked (`design/recall.md` §8)."""
