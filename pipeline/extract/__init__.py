"""From what a person typed to proposals with evidence (`spec/extraction.md`).

Where to look, in the order of a run: `engine` takes a trigger from gate to receipt; `coverage` cuts it into ranges;
`evidence` makes the records that may be quoted; `findings` asks the model (`stages`, `prompts/`, `answer`) or the rules
(`offline/`) and admits what stands there word for word (`admission`); `deciding` and `ledger/` say what becomes of each
fact; `settle` writes the range as one change, whose memories `save` and `placement` make. `profile/` and `reflection/`
are further extractors over the same evidence. `effects` is what all of them ask of the driver.
"""
