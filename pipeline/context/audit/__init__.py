"""What a text holds that the bank does not, changed numbers and negations told (`spec/context.md`, part B)."""
