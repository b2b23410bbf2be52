"""What `hook check` and the provider panel of the Context say of the configuration: in the same words."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from pipeline.context.provider.check import STATES, Check, place_of_fault


def configured(check: Check, file: str) -> Iterator[tuple[str, str]]:
    """Names and values, line by line: the file as it is to be written, its state, its providers, who would be asked.

    What is wrong has the name `fault`; a name that is empty goes on with the line before.
    """
    configuration = check.configuration
    yield "file", file
    yield "state", STATES[configuration.state]
    if configuration.fault is not None:
        yield "fault", configuration.reason
        yield "where", place_of_fault(configuration)
        yield "effect", "No program is started; every pack is whole without it."
        return
    for number, provider in enumerate(configuration.providers, 1):
        version = f" {provider.version}" if provider.version else ""
        yield f"provider {number}", f"{provider.id}{version}: {', '.join(provider.capabilities)}"
        yield "", f"{shlex.join(provider.command)} (at most {provider.timeout_ms:,} ms)"
    for one in check.chosen:
        yield one.capability, one.reason
        if one.program:
            yield "", f"starts {one.program}"
    for sentence in check.faults:
        yield "fault", sentence
