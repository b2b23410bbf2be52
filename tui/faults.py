"""What was not foreseen: one sentence for the person, the place in the code for the log, and never a value.

The traceback that Textual prints by itself spells out every variable, and with them the text of memories.
"""

from __future__ import annotations

import logging
import traceback

from tui.log import log_file, start_log

LOG = logging.getLogger("memdesk")


def report(error: BaseException) -> str:
    """Log where it happened (files, lines and functions, no values) and give the sentence for the person."""
    start_log()
    places = "".join(traceback.format_tb(error.__traceback__))
    LOG.error("unexpected %s\n%s", type(error).__name__, places)
    return f"Something unexpected went wrong ({type(error).__name__}); where it happened is in {log_file()}."
