"""What is kept: memories as Markdown files, the ledger, and the one path by which either changes.

Where to look:

- what there is: `memory` (the nouns), `changes` (changesets), `view` (one immutable state), `errors`, `settings`;
- the door: `bank` opens a folder and is the only one to write to it; `remember`, `usage`, `joined` prepare and read;
- a change on its way: `commit` plans it in a `draft` that `guard` checks, `transaction` writes a frame, `publish` puts
  the files into place, `history` tells it, `undo` takes it back;
- the ledger on disk: `journal` of `frames`, `snapshot`, `objects`; `ledger` and `fields` read its rows; `compact`;
- others at work on the same folder: `rescan`, `outside`, `catchup`, `recovery`, `kept`, `lock`, `watch`;
- the files: `vault/`; the index of the yotta engine: `index/` and `projection`; for a quick start: `head`, `cached`;
- the person's own folders: `places`, `roots`, `config`, `desk_state`.
"""
