"""The door without a model: rules over the same evidence (`decisions.md` §5.2).

`door` answers in the shapes of a model's door; `sentences` cuts a message; `framing`, `disowned` and `doubt` leave out
what is not the person's own lasting word; `rules` holds the rules, by what they find.
"""
