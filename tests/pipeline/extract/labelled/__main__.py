"""`python -m tests.pipeline.extract.labelled [SET …]` prints how right `offline` is on the labelled snippets."""

from __future__ import annotations

import sys

from tests.pipeline.extract.labelled.scoring import SETS, report

if __name__ == "__main__":
    print("\n\n".join(report(name) for name in sys.argv[1:] or SETS))
