"""What is thought: transcripts are read, facts proposed, memories recalled and packed. Nothing here writes to a bank.

Where to look:

- transcripts: `formats/` reads a file of any tool; `transcripts` lists what there is, `contents` tells what one holds,
  `originals` knows the words that another session had before;
- extraction: `extraction` runs over many sessions; `extract/` is the engine, `run` its driver, `rehearsal` a dry run,
  `preview` what a run would show a model;
- models: `model` is the door, `worker` and `litellm_worker` the child process behind it, `bounded` a door with so many
  calls at a time, `cassette` one that replays answers, `reply` what comes back, `usage` what it took;
- `review/`: what waits for a person, and what a decision commits;
- `recall/`: what answers a query, and why; `context/`: the pack that an agent gets, and the fate of every memory;
- `measure`: lengths, numbers and days as the specified systems count them.
"""
